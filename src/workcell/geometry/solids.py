"""Solids by name, made as ROBOSIM does: centre of mass at the origin, main axis along z."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import InvalidValue
from workcell.geometry import faceted
from workcell.geometry import recipe as r
from workcell.geometry.checks import number, numbers, positive, size
from workcell.geometry.mesh import DEFAULT_TOLERANCE
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.geometry.solid import Solid
from workcell.geometry.surface import AnySurface, Surface
from workcell.geometry.sweep import PDCurve, pd_curve
from workcell.spatial.rotations import finite


def box(x: float, y: float, z: float) -> Solid:
    """A block of three sizes [m]. Faces: top, bottom, front (−y), back (+y), left (−x), right (+x)."""
    return Solid(r.Box(x, y, z))


def cylinder(radius: float, height: float, facets: int | None = None) -> Solid:
    """A cylinder of radius and height [m], or an inscribed prism with facets. Faces: side (side1…), top, bottom."""
    if facets is not None:
        return faceted.cylinder(radius, height, facets).solid
    return Solid(r.Cylinder(radius, height))


def cone(radius: float, height: float, facets: int | None = None) -> Solid:
    """A cone, apex up, of base radius and height [m]; with facets, an inscribed pyramid. Faces: side, bottom."""
    if facets is not None:
        return faceted.cone(radius, height, facets).solid
    return Solid(r.Cone(size(radius, "The radius of a cone"), 0.0, height))


def truncated_cone(radius_top: float, radius_bottom: float, height: float, facets: int | None = None) -> Solid:
    """A truncated cone of two radii and height [m], optionally faceted. Faces: side, top, bottom."""
    if facets is not None and radius_top != radius_bottom:
        return faceted.truncated_cone(radius_top, radius_bottom, height, facets).solid
    if radius_top == radius_bottom:
        return cylinder(radius_top, height, facets)
    return Solid(r.Cone(radius_bottom, radius_top, height))


def sphere(radius: float, facets: tuple[int, int] | None = None) -> Solid:
    """A sphere of a radius [m], or inscribed patches (faces per half slice, slices). Face: surface."""
    if facets is not None:
        return faceted.sphere(radius, facets).solid
    return Solid(r.Sphere(radius))


def ellipsoid(a: float, b: float, c: float, facets: tuple[int, int] | None = None) -> Solid:
    """An ellipsoid of three semi-axes along x, y, z [m], optionally faceted like a sphere. Face: surface."""
    if facets is not None:
        return faceted.ellipsoid(a, b, c, facets).solid
    axes = [size(value, "A semi-axis of an ellipsoid") for value in (a, b, c)]
    return sphere(1.0).transformed(np.diag([*axes, 1.0]))


def torus(ring: float, tube: float, facets: tuple[int, int] | None = None) -> Solid:
    """A ring about z of two radii [m], or (segments around, sides of the tube) patches. Face: surface."""
    if facets is not None:
        return faceted.torus(ring, tube, facets).solid
    return Solid(r.Torus(ring, tube))


def wedge(x: float, y: float, z: float, x_top: float = 0.0) -> Solid:
    """A block with a narrower top: ``x_top`` wide along x (an edge if zero), flush with the left side.

    Its centre of mass is at the origin. Faces: bottom, left, front, back, slope, and top unless it is an edge.
    """
    a, b, h = (size(v, "A size of a wedge") for v in (x, y, z))
    t = number(x_top, "The top width of a wedge")
    if not 0.0 <= t < a:
        raise InvalidValue(
            f"The top width of a wedge must be at least 0 and below its width, {a * 1e3:g} mm; found {t * 1e3:g} mm."
        )
    low = [(0, 0, 0), (a, 0, 0), (a, b, 0), (0, b, 0)]
    faces: dict[str, tuple[int, ...]] = {"bottom": (0, 3, 2, 1)}
    if t == 0.0:
        corners = [*low, (0, 0, h), (0, b, h)]
        faces |= {"left": (0, 4, 5, 3), "front": (0, 1, 4), "back": (3, 5, 2), "slope": (1, 2, 5, 4)}
    else:
        corners = [*low, (0, 0, h), (t, 0, h), (t, b, h), (0, b, h)]
        faces |= {"left": (0, 4, 7, 3), "front": (0, 1, 5, 4), "back": (3, 7, 6, 2), "slope": (1, 2, 6, 5)}
        faces["top"] = (4, 5, 6, 7)
    area = (a + t) / 2.0
    cx = (a * a + a * t + t * t) / (6.0 * area)
    cz = h * (a + 2.0 * t) / (6.0 * area)
    return _polyhedron(corners, faces, (cx, b / 2.0, cz))


def pyramid(x: float, y: float, z: float, x_top: float = 0.0, y_top: float = 0.0) -> Solid:
    """A pyramid over a rectangle, truncated if top sizes are given, centre of mass at the origin.

    Faces: bottom, front, back, left, right, and top if truncated.
    """
    a, b, h = (size(v, "A size of a pyramid") for v in (x, y, z))
    s, t = number(x_top, "A top size of a pyramid"), number(y_top, "A top size of a pyramid")
    if (s == 0.0) != (t == 0.0) or s < 0.0 or t < 0.0:
        raise InvalidValue(
            f"The top sizes of a pyramid must both be above zero, or both zero; found {s * 1e3:g} and {t * 1e3:g} mm."
        )
    low = [(-a / 2, -b / 2, 0), (a / 2, -b / 2, 0), (a / 2, b / 2, 0), (-a / 2, b / 2, 0)]
    faces: dict[str, tuple[int, ...]] = {"bottom": (0, 3, 2, 1)}
    if s == 0.0:
        corners = [*low, (0, 0, h)]
        faces |= {"front": (0, 1, 4), "right": (1, 2, 4), "back": (2, 3, 4), "left": (3, 0, 4)}
    else:
        corners = [*low, (-s / 2, -t / 2, h), (s / 2, -t / 2, h), (s / 2, t / 2, h), (-s / 2, t / 2, h)]
        faces |= {"front": (0, 1, 5, 4), "right": (1, 2, 6, 5), "back": (2, 3, 7, 6), "left": (3, 0, 4, 7)}
        faces["top"] = (4, 5, 6, 7)
    middle = (a + s) * (b + t) / 4.0
    volume = h * (a * b + s * t + 4.0 * middle) / 6.0
    cz = h * h * (2.0 * middle + s * t) / 6.0 / volume
    return _polyhedron(corners, faces, (0.0, 0.0, cz))


def _polyhedron(
    corners: list[tuple[float, float, float]], faces: dict[str, tuple[int, ...]], centre: tuple[float, float, float]
) -> Solid:
    moved = tuple((p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]) for p in corners)
    return Solid(r.Polyhedron(moved, tuple(faces.values()), tuple(faces)))


def extrude(surface: Surface, height: float | ArrayLike) -> Solid:
    """A surface moved up by a height [m], or along a vector; it starts in the plane z = 0.

    Faces: bottom, top, side1… in the order of the contour's edges (side for a circle), hole1, hole2.1…
    """
    vector = np.asarray(height, dtype=np.float64)
    if vector.ndim == 0:
        vector = np.array([0.0, 0.0, float(vector)])
    x, y, z = numbers(vector.reshape(-1), 3, "The vector of an extrusion")
    return Solid(r.Extrude(surface, (x, y, z)))


_PROFILE = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_FLAT = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def revolve(
    surface: Surface,
    angle: float = 2.0 * math.pi,
    axis_point: ArrayLike | None = None,
    axis_direction: ArrayLike | None = None,
) -> Solid:
    """A surface turned about an axis by an angle [rad].

    Without an axis the surface is a profile: its x is the distance from the z axis, its y the height. With an axis, the
    surface lies in the plane z = 0 and turns about it. Faces: side1…, hole1…, start and end if not a full turn.
    """
    if axis_point is None and axis_direction is None:
        return Solid(r.Revolve(surface, _PROFILE, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), angle))
    if axis_point is None or axis_direction is None:
        raise InvalidValue("An axis is a point and a direction; give both, or neither for the z axis.")
    px, py, pz = numbers(np.asarray(axis_point, dtype=np.float64).reshape(-1), 3, "A point of the axis")
    dx, dy, dz = numbers(np.asarray(axis_direction, dtype=np.float64).reshape(-1), 3, "The direction of the axis")
    return Solid(r.Revolve(surface, _FLAT, (px, py, pz), (dx, dy, dz), angle))


def sweep(surface: Surface, curve: PDCurve | NurbsCurve) -> Solid:
    """A surface moved along a curve. Faces: start, end, side1…, hole1 and so on.

    A plain curve gets a direction that is never along it: the one least aligned with the curve's chords.
    """
    if isinstance(curve, NurbsCurve):
        t = curve.derivatives_at(np.linspace(*curve.domain, 101), 1)[1]
        t = t / np.linalg.norm(t, axis=1, keepdims=True)
        curve = pd_curve(curve, np.eye(3)[int(np.abs(t).max(axis=0).argmin())])
    return Solid(r.Sweep(surface, curve))


def sewn(patches: Iterable[tuple[str, AnySurface, ArrayLike]]) -> Solid:
    """A solid from named surfaces that enclose it, each placed by an affine 4×4 matrix. Faces: the given names."""
    made = []
    for name, surface, matrix in patches:
        m = finite(matrix, (4, 4), f"The placement of {name!r}")
        made.append(r.Patch(name, surface, tuple(float(value) + 0.0 for value in m[:3].reshape(-1))))
    return Solid(r.Sewn(tuple(made)))


def union(*parts: Solid, fast: bool | float = False) -> Solid:
    """Everything that is in any of the solids. ``fast`` uses meshes (True, or their tolerance [m]) instead of faces."""
    return Solid(r.Union(_recipes(parts, "A union"), _fineness(fast)))


def difference(base: Solid, *tools: Solid, fast: bool | float = False) -> Solid:
    """Everything that is in the base and in none of the tools, all cut at once."""
    recipes = _recipes((base, *tools), "A difference")
    return Solid(r.Difference(recipes[0], recipes[1:], _fineness(fast)))


def intersection(*parts: Solid, fast: bool | float = False) -> Solid:
    """Everything that is in all of the solids."""
    return Solid(r.Intersection(_recipes(parts, "An intersection"), _fineness(fast)))


def _recipes(parts: tuple[Solid, ...], what: str) -> tuple[r.Recipe, ...]:
    for part in parts:
        if not isinstance(part, Solid):
            raise InvalidValue(f"{what} is made of solids; found {type(part).__name__}.")
    return tuple(part.recipe for part in parts)


def _fineness(fast: bool | float) -> float:
    if isinstance(fast, bool):
        return DEFAULT_TOLERANCE if fast else 0.0
    return positive(fast, "The tolerance of a fast boolean")


def load(path: str | os.PathLike[str], unit: str | None = None) -> Solid:
    """Read a solid from a STEP, STL, OBJ or glTF file; STL and OBJ need a unit ('mm', 'm', 'inch' …)."""
    from workcell.geometry.formats import files

    return files.load(path, unit)
