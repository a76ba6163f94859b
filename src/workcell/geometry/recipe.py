"""Recipes: a solid as a frozen tree of operations and parameters.

The recipe defines the solid; the exact shape, the mesh and the properties are derived from it. A cell stores its
canonical text, and the hash of that text with the kernel's version is the identity of the shape. Lengths are
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

from workcell.errors import InvalidValue
from workcell.geometry.checks import coordinates, numbers
from workcell.geometry.mesh import Mesh
from workcell.geometry.primitives import Box as Box
from workcell.geometry.primitives import Cone as Cone
from workcell.geometry.primitives import Cylinder as Cylinder
from workcell.geometry.primitives import Node as Node
from workcell.geometry.primitives import Sphere as Sphere
from workcell.geometry.primitives import Torus as Torus
from workcell.geometry.surface import AnySurface
from workcell.geometry.swept_solids import Extrude as Extrude
from workcell.geometry.swept_solids import Revolve as Revolve
from workcell.geometry.swept_solids import Sweep as Sweep
from workcell.wording import an, capital

_set = msgspec.structs.force_setattr
_SCALE = 1e6
"""The greatest factor by which a placement may stretch or shrink a solid."""
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


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
    """A part with a name, which becomes a prefix of its faces: ``base.top``."""

    part: Recipe
    name: str

    def __post_init__(self) -> None:
        good = self.name.replace("_", "").replace("-", "").replace(" ", "")
        if not good.isalnum():
            raise InvalidValue(
                f"A part's name may contain only letters, digits, '_', '-' and spaces; found {self.name!r}.",
                name=self.name,
            )

    def parts(self) -> tuple[Recipe, ...]:
        """The part that is named."""
        return (self.part,)


class Patch(msgspec.Struct, frozen=True):
    """A surface in its place: a named transform-surface relation."""

    name: str
    surface: AnySurface
    matrix: tuple[float, ...] = _IDENTITY

    def __post_init__(self) -> None:
        _set(self, "matrix", numbers(self.matrix, 12, "A placement"))


class Sewn(Node, frozen=True, tag="sewn"):
    """Surfaces that enclose a volume, sewn into a solid. Faces: the names of the patches."""

    patches: tuple[Patch, ...]

    def __post_init__(self) -> None:
        if not self.patches:
            raise InvalidValue("Sewing a solid needs at least one surface.")


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
                raise InvalidValue(
                    f"The face {name!r} needs at least three corners, with numbers in 0…{len(self.corners) - 1}."
                )


class Imported(Node, frozen=True, tag="imported"):
    """An exact solid from a STEP file, stored as the compressed bytes of the whole file."""

    data: bytes


class Triangles(Node, frozen=True, tag="triangles"):
    """A mesh from a file, stored as the compressed bytes of a Mesh. It may be open."""

    data: bytes

    @classmethod
    def of(cls, mesh: Mesh) -> Triangles:
        """Make one from a mesh."""
        return cls(zlib.compress(mesh.to_bytes(), 6))

    def mesh(self) -> Mesh:
        """The mesh."""
        try:
            return Mesh.from_bytes(zlib.decompress(self.data))
        except zlib.error as error:
            raise InvalidValue(f"The mesh in this recipe is damaged: {error}.") from error


class _Boolean(Node, frozen=True):
    """An operation between solids; ``fast`` uses meshes instead of exact faces."""

    def __post_init__(self) -> None:
        if not self.parts()[1:]:
            raise InvalidValue(f"{capital(an(type(self).__name__.lower()))} needs at least two solids.")


class Union(_Boolean, frozen=True, tag="union"):
    """Everything that is in any of the parts."""

    members: tuple[Recipe, ...]
    fast: float = 0.0

    def parts(self) -> tuple[Recipe, ...]:
        """The parts."""
        return self.members


class Difference(_Boolean, frozen=True, tag="difference"):
    """Everything that is in the base and in none of the tools."""

    base: Recipe
    tools: tuple[Recipe, ...]
    fast: float = 0.0

    def parts(self) -> tuple[Recipe, ...]:
        """The base, then the tools."""
        return (self.base, *self.tools)


class Intersection(_Boolean, frozen=True, tag="intersection"):
    """Everything that is in all of the parts."""

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


def determinant(m: tuple[float, ...]) -> float:
    """The determinant of the linear part of a placement's rows."""
    return (
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8])
    )


def placed(part: Recipe, rows: tuple[float, ...]) -> Recipe:
    """The part under an affine map; nested placements become one, and the identity is dropped."""
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
    """``first + second``; a chain of unions becomes one union."""
    if isinstance(first, Union) and not first.fast:
        return Union((*first.members, second))
    return Union((first, second))


def cut(base: Recipe, tool: Recipe) -> Recipe:
    """``base − tool``; a chain of cuts becomes one difference."""
    if isinstance(base, Difference) and not base.fast:
        return Difference(base.base, (*base.tools, tool))
    return Difference(base, (tool,))


def intersected(first: Recipe, second: Recipe) -> Recipe:
    """``first & second``; a chain of intersections becomes one intersection."""
    if isinstance(first, Intersection) and not first.fast:
        return Intersection((*first.members, second))
    return Intersection((first, second))


_READER: msgspec.json.Decoder[Recipe] = msgspec.json.Decoder(Recipe)


def encode(recipe: Recipe) -> bytes:
    """The canonical text (JSON): the same recipe always gives the same bytes."""
    return msgspec.json.encode(recipe)


def decode(text: bytes) -> Recipe:
    """Read a recipe from text; other text is refused with what is wrong and where."""
    try:
        return _READER.decode(text)
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
    """The number of steps in a recipe."""
    return 1 + sum(steps(part) for part in recipe.parts())
