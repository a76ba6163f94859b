"""Recipes: how a solid is made, as a frozen tree of operations and parameters.

The recipe is the truth; the exact shape, the mesh and the properties are derived from it. Its canonical text is
what a cell keeps, and the hash of that text with the kernel's version is the identity of the shape. Lengths are
metres, angles radians.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import math
from functools import lru_cache
from typing import TypeAlias

import msgspec

from workcell.errors import InvalidValue
from workcell.geometry._checks import number, numbers, positive

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
        for side in ("x", "y", "z"):
            _set(self, side, positive(getattr(self, side), f"The {side} size of a box"))


class Cylinder(Node, frozen=True, tag="cylinder"):
    """A cylinder about the z axis with its centre at the origin. Faces: side, top, bottom."""

    radius: float
    height: float

    def __post_init__(self) -> None:
        _set(self, "radius", positive(self.radius, "The radius of a cylinder"))
        _set(self, "height", positive(self.height, "The height of a cylinder"))


class Cone(Node, frozen=True, tag="cone"):
    """A cone about the z axis, truncated unless one radius is zero, with its centre of mass at the origin.

    Faces: side, and top and bottom where their radius is not zero.
    """

    radius_bottom: float
    radius_top: float
    height: float

    def __post_init__(self) -> None:
        _set(self, "height", positive(self.height, "The height of a cone"))
        for end in ("radius_bottom", "radius_top"):
            value = number(getattr(self, end), f"The {end.replace('_', ' at the ')} of a cone")
            if value != 0.0:
                value = positive(value, f"The {end.replace('_', ' at the ')} of a cone")
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
        _set(self, "radius", positive(self.radius, "The radius of a sphere"))


class Torus(Node, frozen=True, tag="torus"):
    """A ring about the z axis with its centre at the origin. Face: surface."""

    ring: float
    tube: float

    def __post_init__(self) -> None:
        _set(self, "ring", positive(self.ring, "The ring radius of a torus"))
        _set(self, "tube", positive(self.tube, "The tube radius of a torus"))
        if self.tube >= self.ring:
            raise InvalidValue(
                f"The tube radius of a torus must be smaller than its ring radius, or it crosses itself; "
                f"found tube {self.tube:g} and ring {self.ring:g} m.",
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
        if abs(_determinant(rows)) < 1e-12:
            raise InvalidValue("A placement must not flatten the solid: its determinant is zero.")

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


class _Boolean(Node, frozen=True):
    """An operation between solids; ``fast`` uses meshes in place of exact faces."""

    def __post_init__(self) -> None:
        if not self.parts()[1:]:
            raise InvalidValue(f"A {type(self).__name__.lower()} needs at least two solids.")


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


Recipe: TypeAlias = Box | Cylinder | Cone | Sphere | Torus | Placed | Named | Union | Difference | Intersection
"""Any solid."""


def _set(node: msgspec.Struct, field: str, value: object) -> None:
    msgspec.structs.force_setattr(node, field, value)


def _determinant(m: tuple[float, ...]) -> float:
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


def size(recipe: Recipe) -> int:
    """How many steps a recipe has."""
    return 1 + sum(size(part) for part in recipe.parts())
