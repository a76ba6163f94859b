"""Faceted solids as the database shows them: few shared surfaces and many named transform-surface relations.

Kahloun 1987, section 3.3, with corrected formulas: the angle of a cylinder's patch without the arccosine
that loses its sign, the sphere's patch widths without the factor two and its rows counted from zero, the basis of a
revolved patch made orthonormal. All relations place surfaces with their normals outward, except that the lower half
of a sphere is a reflection, as in the original.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry import recipe as r
from workcell.geometry.checks import count, size
from workcell.geometry.contour import polygon
from workcell.geometry.solid import Solid
from workcell.geometry.surface import Surface
from workcell.spatial.rotations import about

Floats = NDArray[np.float64]

UNIT_SQUARE = Surface((polygon([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),))
"""The patch that cylinders and translational sweeps share."""


MOST_FACETS = 3000
"""The most facets of a solid; above this, the exact shape serves better."""


@dataclasses.dataclass(frozen=True)
class Relation:
    """One transform-surface relation: a name, the surface it points to, and the 4×4 matrix that places it."""

    name: str
    surface: str
    matrix: Floats

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64)
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)


@dataclasses.dataclass(frozen=True)
class FacetedBlock:
    """A faceted solid: its surfaces by name, and the relations that place them."""

    surfaces: dict[str, Surface]
    relations: tuple[Relation, ...]

    @property
    def solid(self) -> Solid:
        """The surfaces sewn into a solid, whose faces have the names of the relations."""
        return Solid(
            r.Sewn(
                tuple(
                    r.Patch(relation.name, self.surfaces[relation.surface], _rows(relation.matrix))
                    for relation in self.relations
                )
            )
        )

    def transformed(self, matrix: Floats) -> FacetedBlock:
        """The block under an affine matrix; this makes an ellipsoid from a sphere."""
        moved = tuple(dataclasses.replace(item, matrix=matrix @ item.matrix) for item in self.relations)
        return FacetedBlock(self.surfaces, moved)


def cylinder(radius: float, height: float, facets: int, prefix: str = "", square: str = "unit_square") -> FacetedBlock:
    """N unit squares around it and two closing polygons: n + 2 relations. The centre is at the origin."""
    radius = size(radius, "The radius of a cylinder")
    height = size(height, "The height of a cylinder")
    n = count(facets, 3, "The number of facets")
    _few(n)
    theta = 2.0 * math.pi / n
    width = radius * math.sqrt(2.0 * (1.0 - math.cos(theta)))  # eq 3.3b
    relations = []
    for i in range(1, n + 1):
        # Eq 3.4 corrected: α_i = (i − ½)θ. Half a turn more, from the other end, makes the normal point outward.
        turn = about("z", (i - 0.5) * theta + math.pi) @ about("x", math.pi / 2.0) @ np.diag([width, height, 1.0])
        start = (-radius * math.sin((i - 1) * theta), radius * math.cos((i - 1) * theta), -height / 2.0)
        relations.append(Relation(f"{prefix}side{i}", square, _matrix(turn, start)))
    cap = f"{prefix}cap"
    relations.append(Relation(f"{prefix}top", cap, _matrix(np.eye(3), (0.0, 0.0, height / 2.0))))
    relations.append(Relation(f"{prefix}bottom", cap, _matrix(about("y", math.pi), (0.0, 0.0, -height / 2.0))))
    angle = math.pi / 2.0 + theta * np.arange(n)
    rim = Surface((polygon(radius * np.column_stack([np.cos(angle), np.sin(angle)])),))
    return FacetedBlock({square: UNIT_SQUARE, cap: rim}, tuple(relations))


def sphere(radius: float, facets: tuple[int, int], prefix: str = "") -> FacetedBlock:
    """N faces per half slice and m slices: n surfaces and 2·n·m relations, the lower half reflected."""
    radius = size(radius, "The radius of a sphere")
    if not isinstance(facets, tuple | list) or len(facets) != 2:
        raise InvalidValue(f"A faceted sphere takes (faces per half slice, slices); found {facets!r}.")
    n, m = count(facets[0], 1, "The number of faces per half slice"), count(facets[1], 3, "The number of slices")
    _few(2 * n * m)
    beta, alpha = 2.0 * math.pi / m, math.pi / (2.0 * n)  # eq 3.7
    w = radius * math.sqrt(2.0 * (1.0 - math.cos(alpha)))
    chord = math.sqrt(2.0 * (1.0 - math.cos(beta)))
    surfaces: dict[str, Surface] = {}
    upper, lower = [], []
    for i in range(1, n + 1):
        low = radius * math.cos((i - 1) * alpha) * chord
        high = 0.0 if i == n else radius * math.cos(i * alpha) * chord  # eq 3.8b without its factor 2
        cos_gamma = (low - high) / (2.0 * w)
        sin_gamma = math.sqrt(1.0 - cos_gamma**2)
        corners = [(0.0, 0.0), (low, 0.0), (w * cos_gamma + high, w * sin_gamma), (w * cos_gamma, w * sin_gamma)]
        if high == 0.0:
            corners.pop()
        name = f"{prefix}patch{i}"
        surfaces[name] = Surface((polygon(corners),))
        for j in range(1, m + 1):
            first, second = (
                _on_sphere(radius, (i - 1) * alpha, j * beta),
                _on_sphere(radius, (i - 1) * alpha, (j + 1) * beta),
            )
            third = _on_sphere(radius, i * alpha, j * beta)
            e1 = (second - first) / np.linalg.norm(second - first)
            slant = (third - first) / np.linalg.norm(third - first)
            e2 = (slant - cos_gamma * e1) / sin_gamma
            matrix = _matrix(np.column_stack([e1, e2, np.cross(e1, e2)]), first)
            upper.append(Relation(f"{prefix}upper{i}_{j}", name, matrix))
            lower.append(Relation(f"{prefix}lower{i}_{j}", name, np.diag([1.0, 1.0, -1.0, 1.0]) @ matrix))
    return FacetedBlock(surfaces, tuple(upper + lower))


def ellipsoid(a: float, b: float, c: float, facets: tuple[int, int], prefix: str = "") -> FacetedBlock:
    """The unit sphere under three scales."""
    axes = [size(value, "A semi-axis of an ellipsoid") for value in (a, b, c)]
    return sphere(1.0, facets, prefix).transformed(np.diag([*axes, 1.0]))


def translational_sweep(
    generator: Surface, height: float, prefix: str = "", name: str = "generator", square: str = "unit_square"
) -> FacetedBlock:
    """A polygonal surface moved up: two copies of it, and one unit square per edge (eq 3.12). Holes are swept too."""
    height = size(height, "The height of a sweep")
    _polygonal(generator)
    relations = []
    for number, loop in enumerate(generator.loops()):
        # Main contours run counter-clockwise and holes clockwise, so every square's normal points outward.
        label = "side" if number < len(generator.main) else "hole"
        for k, (p, q) in enumerate(zip(loop, np.roll(loop, -1, axis=0), strict=True), start=1):
            length = float(np.hypot(*(q - p)))
            turn = about("z", math.atan2(q[1] - p[1], q[0] - p[0])) @ about("x", math.pi / 2.0)
            matrix = _matrix(turn @ np.diag([length, height, 1.0]), (p[0], p[1], 0.0))
            relations.append(Relation(f"{prefix}{label}{number + 1}_{k}", square, matrix))
    relations.append(Relation(f"{prefix}top", name, _matrix(np.eye(3), (0.0, 0.0, height))))
    # The bottom is the generator itself, reflected: this keeps its outline and turns its normal downward.
    relations.append(Relation(f"{prefix}bottom", name, _matrix(np.diag([1.0, 1.0, -1.0]), (0.0, 0.0, 0.0))))
    return FacetedBlock({name: generator, square: UNIT_SQUARE}, tuple(relations))


def rotational_sweep(profile: Surface, facets: int, prefix: str = "") -> FacetedBlock:
    """A polygonal profile (x the distance from the z axis, y the height) turned about z: one surface for each edge.

    Eq 3.13 and 3.14, with an orthonormal basis and a signed slant. Edges on the axis sweep nothing.
    """
    n = count(facets, 3, "The number of facets")
    _polygonal(profile)
    _few(n * sum(len(loop) for loop in profile.loops()))
    if min(float(loop[:, 0].min()) for loop in profile.loops()) < 0.0:
        raise InvalidValue("The profile of a revolution must not cross the z axis: x must not be negative.")
    alpha = 2.0 * math.pi / n
    chord = math.sqrt(2.0 * (1.0 - math.cos(alpha)))
    surfaces: dict[str, Surface] = {}
    relations = []
    edge = 0
    for loop in profile.loops():
        for (a, z), (b, top) in zip(loop, np.roll(loop, -1, axis=0), strict=True):
            edge += 1
            if a == 0.0 and b == 0.0:
                continue
            corners, height = _trapezoid(a * chord, b * chord, math.hypot(a - b, top - z))
            name = f"{prefix}edge{edge}"
            surfaces[name] = Surface((polygon(corners),))
            for i in range(1, n + 1):
                matrix = _revolved(float(a), float(b), float(z), float(top), alpha, i, height)
                relations.append(Relation(f"{prefix}edge{edge}_{i}", name, matrix))
    return FacetedBlock(surfaces, tuple(relations))


def _trapezoid(low: float, high: float, slant: float) -> tuple[list[tuple[float, float]], float]:
    height = math.sqrt(slant**2 - ((low - high) / 2.0) ** 2)  # eq 3.13b
    corners = [(0.0, 0.0), (low, 0.0), ((low + high) / 2.0, height), ((low - high) / 2.0, height)]
    if high == 0.0:
        corners = corners[:3]
    if low == 0.0:
        corners = [(0.0, 0.0), (high / 2.0, height), (-high / 2.0, height)]
    return corners, height


def _revolved(a: float, b: float, z: float, top: float, alpha: float, i: int, height: float) -> Floats:
    turn = (i - 1) * alpha
    beta = (math.pi - alpha) / 2.0
    e1 = np.array([math.sin(turn - beta), -math.cos(turn - beta), 0.0])
    slant = np.array([(a - b) * math.sin(turn), -(a - b) * math.cos(turn), top - z])
    e2 = (slant - (slant @ e1) * e1) / height
    return _matrix(np.column_stack([e1, e2, np.cross(e1, e2)]), (-a * math.sin(turn), a * math.cos(turn), z))


def cone(radius: float, height: float, facets: int, prefix: str = "") -> FacetedBlock:
    """A faceted cone, centre of mass at the origin."""
    return truncated_cone(0.0, radius, height, facets, prefix)


def truncated_cone(
    radius_top: float, radius_bottom: float, height: float, facets: int, prefix: str = ""
) -> FacetedBlock:
    """A faceted truncated cone by a rotational sweep, centre of mass at the origin."""
    low = r.Cone(radius_bottom, radius_top, height).base_z
    points = [(0.0, low), (radius_bottom, low), (radius_top, low + height), (0.0, low + height)]
    kept = [p for i, p in enumerate(points) if p != points[i - 1]]
    return rotational_sweep(Surface((polygon(kept),)), facets, prefix)


def torus(ring: float, tube: float, facets: tuple[int, int], prefix: str = "") -> FacetedBlock:
    """A faceted ring by a rotational sweep: (segments around, sides of the tube)."""
    r.Torus(ring, tube)
    n, sides = count(facets[0], 3, "The segments of a torus"), count(facets[1], 3, "The sides of a torus")
    _few(n * sides)
    angle = 2.0 * math.pi * np.arange(sides) / sides
    profile = Surface((polygon(np.column_stack([ring + tube * np.cos(angle), tube * np.sin(angle)])),))
    return rotational_sweep(profile, n, prefix)


def _few(facets: int) -> None:
    if facets > MOST_FACETS:
        raise InvalidValue(
            f"A faceted solid has at most {MOST_FACETS} facets; found {facets}. Use fewer, or the exact shape.",
            facets=facets,
        )


def _polygonal(surface: Surface) -> None:
    if not surface.is_polygonal:
        raise InvalidValue("A faceted sweep takes a surface with straight edges; use the exact sweep for arcs.")


def _on_sphere(radius: float, latitude: float, longitude: float) -> Floats:
    c = math.cos(latitude)
    if latitude >= math.pi / 2.0 - 1e-12:
        c = 0.0
    return radius * np.array([c * math.cos(longitude), c * math.sin(longitude), math.sin(latitude)])


def _matrix(linear: Floats, shift: tuple[float, float, float] | Floats) -> Floats:
    result = np.eye(4)
    result[:3, :3] = linear
    result[:3, 3] = shift
    return result


def _rows(matrix: Floats) -> tuple[float, ...]:
    return tuple(float(value) + 0.0 for value in matrix[:3].reshape(-1))
