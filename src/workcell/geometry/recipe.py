"""Recipes: how a solid is made, as a frozen tree of operations and parameters.

The recipe is the truth; the exact shape, the mesh and the properties are derived from it. Its canonical text is
what a cell keeps, and the hash of that text with the kernel's version is the identity of the shape. Lengths are
metres, angles radians.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import math
import zlib
from functools import lru_cache
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry._checks import coordinates, in_mm, number, numbers, size
from workcell.geometry.mesh import Mesh
from workcell.geometry.surface import AnySurface, Surface
from workcell.geometry.sweep import PDCurve, check_folding
from workcell.wording import an, capital

Floats = NDArray[np.float64]

_SCALE = 1e6
"""The most that a placement may stretch or shrink a solid."""
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


class Node(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True, omit_defaults=True):
    """One step of a recipe."""

    def parts(self) -> tuple[Recipe, ...]:
        """The recipes that this one is made of."""
        return ()


class Box(Node, frozen=True, tag="box"):
    """A block with its centre at the origin. Faces: top, bottom, front (−y), back (+y), left (−x), right (+x)."""

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        _set(self, "x", size(self.x, "The x size of a box"))
        _set(self, "y", size(self.y, "The y size of a box"))
        _set(self, "z", size(self.z, "The z size of a box"))


class Cylinder(Node, frozen=True, tag="cylinder"):
    """A cylinder about the z axis with its centre at the origin. Faces: side, top, bottom."""

    radius: float
    height: float

    def __post_init__(self) -> None:
        _set(self, "radius", size(self.radius, "The radius of a cylinder"))
        _set(self, "height", size(self.height, "The height of a cylinder"))


class Cone(Node, frozen=True, tag="cone"):
    """A cone about the z axis, truncated unless one radius is zero, with its centre of mass at the origin.

    Faces: side, and top and bottom where their radius is not zero.
    """

    radius_bottom: float
    radius_top: float
    height: float

    def __post_init__(self) -> None:
        _set(self, "height", size(self.height, "The height of a cone"))
        for end in ("radius_bottom", "radius_top"):
            value = number(getattr(self, end), f"The {end.replace('_', ' at the ')} of a cone")
            if value != 0.0:
                value = size(value, f"The {end.replace('_', ' at the ')} of a cone")
            _set(self, end, value)
        if self.radius_bottom == self.radius_top:
            raise InvalidValue(
                "A cone with equal radii is a cylinder (or nothing); make a cylinder, or give two radii.",
                radius=self.radius_top,
            )

    @property
    def base_z(self) -> float:
        """Where the bottom lies when the centre of mass is at the origin [m]."""
        b, t = self.radius_bottom, self.radius_top
        return -self.height * (b * b + 2.0 * b * t + 3.0 * t * t) / (4.0 * (b * b + b * t + t * t))


class Sphere(Node, frozen=True, tag="sphere"):
    """A sphere with its centre at the origin. Face: surface."""

    radius: float

    def __post_init__(self) -> None:
        _set(self, "radius", size(self.radius, "The radius of a sphere"))


class Torus(Node, frozen=True, tag="torus"):
    """A ring about the z axis with its centre at the origin. Face: surface."""

    ring: float
    tube: float

    def __post_init__(self) -> None:
        _set(self, "ring", size(self.ring, "The ring radius of a torus"))
        _set(self, "tube", size(self.tube, "The tube radius of a torus"))
        if self.tube >= self.ring:
            raise InvalidValue(
                f"The tube radius of a torus must be smaller than its ring radius, or it crosses itself; "
                f"found tube {self.tube * 1e3:g} and ring {self.ring * 1e3:g} mm.",
                tube=self.tube,
                ring=self.ring,
            )


class Placed(Node, frozen=True, tag="placed"):
    """A part under an affine map: the upper three rows of a 4×4 matrix, row by row."""

    part: Recipe
    matrix: tuple[float, ...]

    def __post_init__(self) -> None:
        rows = numbers(self.matrix, 12, "A placement")
        _set(self, "matrix", rows)
        sides = [math.hypot(*rows[k::4]) for k in range(3)]
        if abs(determinant(rows)) <= 1e-12 * math.prod(sides):
            raise InvalidValue("A placement must not flatten the solid: its determinant is zero.")
        if max(sides) > _SCALE or min(sides) < 1.0 / _SCALE:
            raise InvalidValue(
                f"A placement may stretch a solid by {1.0 / _SCALE:g} to {_SCALE:g}, not by {min(sides):g} to "
                f"{max(sides):g}."
            )
        coordinates(rows[3::4], 3, "A placement")

    def parts(self) -> tuple[Recipe, ...]:
        """The part that is placed."""
        return (self.part,)


class Named(Node, frozen=True, tag="named"):
    """A part with a name, which its faces then carry: ``base.top``."""

    part: Recipe
    name: str

    def __post_init__(self) -> None:
        good = self.name.replace("_", "").replace("-", "").replace(" ", "")
        if not good.isalnum():
            raise InvalidValue(
                f"A part's name is made of letters, digits, '_', '-' and spaces; found {self.name!r}.", name=self.name
            )

    def parts(self) -> tuple[Recipe, ...]:
        """The part that is named."""
        return (self.part,)


class Extrude(Node, frozen=True, tag="extrude"):
    """A surface moved along a vector [m]. Faces: bottom, top, side1… (side for a circle), hole1 and so on."""

    surface: Surface
    vector: tuple[float, float, float]

    def __post_init__(self) -> None:
        x, y, z = coordinates(self.vector, 3, "The vector of an extrusion")
        _set(self, "vector", (x, y, z))
        if abs(z) <= 1e-9 * math.sqrt(x * x + y * y + z * z) or z == 0.0:
            raise InvalidValue("The vector of an extrusion must leave the plane of the surface: its z is zero.")


class Revolve(Node, frozen=True, tag="revolve"):
    """A surface, placed, turned about an axis. Faces: side1…, hole1…, and start and end unless a full turn."""

    surface: Surface
    place: tuple[float, ...]
    point: tuple[float, float, float]
    direction: tuple[float, float, float]
    angle: float

    def __post_init__(self) -> None:
        _set(self, "place", numbers(self.place, 12, "A placement"))
        _set(self, "point", coordinates(self.point, 3, "A point of the axis"))
        _set(self, "direction", numbers(self.direction, 3, "The direction of the axis"))
        _set(self, "angle", number(self.angle, "The angle of a revolution"))
        if self.direction == (0.0, 0.0, 0.0):
            raise InvalidValue("The axis of a revolution is the zero vector, which has no direction.")
        if not 1e-6 <= abs(self.angle) <= 2.0 * math.pi + 1e-12:
            raise InvalidValue(
                f"A revolution turns by more than 0 and at most 360°; found {math.degrees(self.angle):g}°."
            )
        self._check_axis()

    def _check_axis(self) -> None:
        """Refuse an axis that leaves the surface in its plane, and one that moves a part of it forward, a part back.

        A point moves square to the surface as fast as it is away from the axis, seen along the normal.
        """
        m = np.array(self.place).reshape(3, 4)
        axis = np.array(self.direction) / np.linalg.norm(self.direction)
        across = np.cross(m[:, 2], axis)
        if float(np.linalg.norm(across)) <= 1e-9 * float(np.linalg.norm(m[:, 2])):
            raise InvalidValue(
                "The axis of a revolution is perpendicular to the surface, so nothing is swept; give an axis in the "
                "plane of the surface, or one that leans."
            )
        for loop in self.surface.loops()[: len(self.surface.main)]:
            points = loop @ m[:, :2].T + m[:, 3]
            side = (points - np.array(self.point)) @ across
            slack = 1e-9 * float(np.abs(side).max())
            if side.min() < -slack and side.max() > slack:
                where = _crossing(points, side)
                raise InvalidShape(
                    f"The main contour crosses the axis of revolution near {in_mm(where)}, so the solid would cross "
                    "itself; keep it on one side.",
                    faults=(("crossing faces", where),),
                )


def _crossing(points: Floats, side: Floats) -> tuple[float, float, float]:
    """Where a closed line of points first comes to the other side: the place where ``side`` is zero."""
    ahead = np.roll(side, -1)
    i = int(np.flatnonzero((side > 0.0) != (ahead > 0.0))[0])
    x, y, z = points[i] + (np.roll(points, -1, axis=0)[i] - points[i]) * (side[i] / (side[i] - ahead[i]))
    return float(x), float(y), float(z)


class Sweep(Node, frozen=True, tag="sweep"):
    """A surface carried along a PD curve. Faces: start, end, side1…, hole1 and so on."""

    surface: Surface
    path: PDCurve

    def __post_init__(self) -> None:
        check_folding(self.path, np.concatenate(self.surface.loops(0.3)))


class Patch(msgspec.Struct, frozen=True):
    """A surface put in its place: a transform-surface relation by name."""

    name: str
    surface: AnySurface
    matrix: tuple[float, ...] = _IDENTITY

    def __post_init__(self) -> None:
        _set(self, "matrix", numbers(self.matrix, 12, "A placement"))


class Sewn(Node, frozen=True, tag="sewn"):
    """Surfaces that close up, sewn into a solid. Faces: the names of the patches."""

    patches: tuple[Patch, ...]

    def __post_init__(self) -> None:
        if not self.patches:
            raise InvalidValue("A solid needs surfaces to be sewn from.")


class Polyhedron(Node, frozen=True, tag="polyhedron"):
    """Flat faces over shared corners [m], each counter-clockwise seen from outside."""

    corners: tuple[tuple[float, float, float], ...]
    faces: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for corner in self.corners:
            coordinates(corner, 3, "A corner")
        if len(self.names) != len(self.faces) or len(self.faces) < 4:
            raise InvalidValue("A polyhedron needs at least four faces, each with a name.")
        for name, face in zip(self.names, self.faces, strict=True):
            if len(face) < 3 or min(face) < 0 or max(face) >= len(self.corners):
                raise InvalidValue(f"The face {name!r} needs three corners or more, of 0…{len(self.corners) - 1}.")


class Imported(Node, frozen=True, tag="imported"):
    """An exact solid out of a STEP file, kept whole: the compressed bytes of the file."""

    data: bytes


class Triangles(Node, frozen=True, tag="triangles"):
    """A mesh read from a file, kept whole: the compressed bytes of a Mesh. It may be open."""

    data: bytes

    @classmethod
    def of(cls, mesh: Mesh) -> Triangles:
        """From a mesh."""
        return cls(zlib.compress(mesh.to_bytes(), 6))

    def mesh(self) -> Mesh:
        """The mesh."""
        try:
            return Mesh.from_bytes(zlib.decompress(self.data))
        except zlib.error as error:
            raise InvalidValue(f"The mesh in this recipe is damaged: {error}.") from error


class _Boolean(Node, frozen=True):
    """An operation between solids; ``fast`` uses meshes in place of exact faces."""

    def __post_init__(self) -> None:
        if not self.parts()[1:]:
            raise InvalidValue(f"{capital(an(type(self).__name__.lower()))} needs at least two solids.")


class Union(_Boolean, frozen=True, tag="union"):
    """All that is in any of the parts."""

    members: tuple[Recipe, ...]
    fast: float = 0.0

    def parts(self) -> tuple[Recipe, ...]:
        """The parts."""
        return self.members


class Difference(_Boolean, frozen=True, tag="difference"):
    """What is in the base and in none of the tools."""

    base: Recipe
    tools: tuple[Recipe, ...]
    fast: float = 0.0

    def parts(self) -> tuple[Recipe, ...]:
        """The base, then the tools."""
        return (self.base, *self.tools)


class Intersection(_Boolean, frozen=True, tag="intersection"):
    """What is in all of the parts."""

    members: tuple[Recipe, ...]
    fast: float = 0.0

    def parts(self) -> tuple[Recipe, ...]:
        """The parts."""
        return self.members


Recipe: TypeAlias = (
    Box
    | Cylinder
    | Cone
    | Sphere
    | Torus
    | Extrude
    | Revolve
    | Sweep
    | Sewn
    | Polyhedron
    | Imported
    | Triangles
    | Placed
    | Named
    | Union
    | Difference
    | Intersection
)
"""Any solid."""


_set = msgspec.structs.force_setattr


def determinant(m: tuple[float, ...]) -> float:
    """Of the linear part of a placement's rows."""
    return (
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8])
    )


def placed(part: Recipe, rows: tuple[float, ...]) -> Recipe:
    """The part under an affine map; placements of placements are one, and the identity is none."""
    if isinstance(part, Placed):
        rows, part = _product(rows, part.matrix), part.part
    return part if rows == _IDENTITY else Placed(part, rows)


def _product(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    result = []
    for i in range(3):
        for j in range(4):
            value = math.fsum(a[4 * i + k] * b[4 * k + j] for k in range(3))
            result.append(value + (a[4 * i + 3] if j == 3 else 0.0))
    return tuple(result)


def united(first: Recipe, second: Recipe) -> Recipe:
    """``first + second``; a chain of unions is one."""
    if isinstance(first, Union) and not first.fast:
        return Union((*first.members, second))
    return Union((first, second))


def cut(base: Recipe, tool: Recipe) -> Recipe:
    """``base − tool``; a chain of cuts is one."""
    if isinstance(base, Difference) and not base.fast:
        return Difference(base.base, (*base.tools, tool))
    return Difference(base, (tool,))


def intersected(first: Recipe, second: Recipe) -> Recipe:
    """``first & second``; a chain of intersections is one."""
    if isinstance(first, Intersection) and not first.fast:
        return Intersection((*first.members, second))
    return Intersection((first, second))


def encode(recipe: Recipe) -> bytes:
    """The canonical text (JSON): the same recipe always gives the same bytes."""
    return msgspec.json.encode(recipe)


@lru_cache(maxsize=1)
def _decoder() -> msgspec.json.Decoder[Recipe]:
    return msgspec.json.Decoder(Recipe)


def decode(text: bytes) -> Recipe:
    """Read a recipe back; text that is not one is refused, saying what is wrong where."""
    try:
        return _decoder().decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InvalidValue(f"The text is not a solid's recipe: {error}.") from error


@lru_cache(maxsize=1)
def kernel_version() -> str:
    """The version of the CAD kernel, without loading it."""
    try:
        return importlib.metadata.version("cadquery-ocp-novtk")
    except importlib.metadata.PackageNotFoundError:
        return "none"


def recipe_hash(recipe: Recipe) -> str:
    """The identity of the shape: hex of the canonical recipe and the kernel's version."""
    digest = hashlib.blake2b(encode(recipe), digest_size=16, person=b"workcell-solid")
    digest.update(kernel_version().encode())
    return digest.hexdigest()


def steps(recipe: Recipe) -> int:
    """How many steps a recipe has."""
    return 1 + sum(steps(part) for part in recipe.parts())
