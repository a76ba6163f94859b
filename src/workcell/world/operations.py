"""Operations: how a block is made from other blocks and surfaces, which its relations point to.

What is kept are the operation and its own parameters; the operands and the profile are entities of their own, so
changing them changes everything that is made of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec
import numpy as np

from workcell.errors import InvalidValue, Refused
from workcell.geometry import recipe as r
from workcell.geometry import solids
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.geometry.surface import AnySurface, NurbsPatch, Surface
from workcell.geometry.sweep import PDCurve, pd_curve

Triple = tuple[float, float, float]
Boolean: TypeAlias = Literal["union", "difference", "intersection"]


class Combine(msgspec.Struct, frozen=True, tag_field="kind", tag="combine", omit_defaults=True):
    """A union, difference or intersection of blocks, in the order of the relations."""

    operation: Boolean
    fast: float = 0.0
    """Work on meshes this fine [m]; 0 works on exact faces."""

    def made(self, operands: list[tuple[str, r.Recipe]]) -> r.Recipe:
        """The combined solid; each operand comes with the name that its faces carry. Equal operations are fused."""
        if len(operands) < 2:
            raise Refused(f"A {self.operation} needs two blocks or more; this one has {len(operands)}.")
        parts: list[r.Recipe] = []
        for place, (name, recipe) in enumerate(operands):
            parts += [_named(part, name) for part in self._fused(recipe, place)]
        if self.operation == "union":
            return r.Union(tuple(parts), self.fast)
        if self.operation == "intersection":
            return r.Intersection(tuple(parts), self.fast)
        return r.Difference(parts[0], tuple(parts[1:]), self.fast)

    def _fused(self, recipe: r.Recipe, place: int) -> list[r.Recipe]:
        """The members of an operand that is made by the same operation, else the operand."""
        matrix, inner = (recipe.matrix, recipe.part) if isinstance(recipe, r.Placed) else (None, recipe)
        same = (
            (self.operation == "union" and isinstance(inner, r.Union))
            or (self.operation == "intersection" and isinstance(inner, r.Intersection))
            or (self.operation == "difference" and place == 0 and isinstance(inner, r.Difference))
        )
        if not same or getattr(inner, "fast", 0.0) != self.fast:
            return [recipe]
        return [part if matrix is None else r.placed(part, matrix) for part in inner.parts()]


class ExtrudeSurface(msgspec.Struct, frozen=True, tag_field="kind", tag="extrude-surface"):
    """A surface moved along a vector [m]."""

    vector: Triple

    def swept(self, surface: Surface) -> r.Recipe:
        """The solid over that surface."""
        return solids.extrude(surface, self.vector).recipe


class RevolveSurface(msgspec.Struct, frozen=True, tag_field="kind", tag="revolve-surface", omit_defaults=True):
    """A surface turned about an axis by an angle [rad]; without an axis it is a profile beside the z axis."""

    angle: float
    point: Triple | None = None
    direction: Triple | None = None

    def swept(self, surface: Surface) -> r.Recipe:
        """The solid over that surface."""
        return solids.revolve(surface, self.angle, self.point, self.direction).recipe


class SweepSurface(msgspec.Struct, frozen=True, tag_field="kind", tag="sweep-surface", omit_defaults=True):
    """A surface carried along a curve, with a direction, a twist [rad] and the three scales at its end."""

    points: tuple[Triple, ...]
    through: bool = True
    """Whether the curve goes through the points; otherwise they are its control points."""
    direction: Triple | None = None
    twist: float = 0.0
    scales: Triple | None = None

    def curve(self) -> PDCurve:
        """The director."""
        points = np.array(self.points, dtype=np.float64).reshape(-1, 3)
        if len(points) < 2:
            raise InvalidValue(f"A curve needs two points or more; found {len(points)}.")
        degree = min(3, len(points) - 1)
        position = NurbsCurve.through(points, degree) if self.through else NurbsCurve.clamped(points, degree)
        direction = self.direction or _least_along(position)
        return pd_curve(position, direction, self.scales, self.twist)

    def swept(self, surface: Surface) -> r.Recipe:
        """The solid over that surface."""
        return solids.sweep(surface, self.curve()).recipe


Swept: TypeAlias = ExtrudeSurface | RevolveSurface | SweepSurface
Operation: TypeAlias = Combine | ExtrudeSurface | RevolveSurface | SweepSurface
_TAGS = ('{"kind":"combine"', '{"kind":"extrude-surface"', '{"kind":"revolve-surface"', '{"kind":"sweep-surface"')


def is_operation(shape: str | None) -> bool:
    """Whether the shape of a block says how its parts make it, and is not a recipe of its own."""
    return shape is not None and shape.startswith(_TAGS)


def operation_text(operation: Operation) -> str:
    """The ``shape`` of a block that is made by an operation."""
    return msgspec.json.encode(operation).decode()


def operation_of(shape: str) -> Operation:
    """The operation that a shape describes."""
    operation: Operation = msgspec.json.decode(shape, type=Operation)
    return operation


def surface_text(surface: AnySurface) -> str:
    """The ``shape`` of a surface entity."""
    return msgspec.json.encode(surface).decode()


@lru_cache(maxsize=1024)
def surface_of(shape: str) -> AnySurface:
    """The surface that a shape describes."""
    try:
        return msgspec.json.decode(shape, type=Surface | NurbsPatch)
    except msgspec.DecodeError as error:
        raise InvalidValue(f"The text is not a surface: {error}.") from error


def _named(part: r.Recipe, name: str) -> r.Recipe:
    return r.Named(part, name.replace("+", "_"))


def _least_along(curve: NurbsCurve) -> Triple:
    """The axis that the curve is least aligned with, so that a frame exists everywhere if one axis allows it."""
    t = curve.derivatives_at(np.linspace(*curve.domain, 101), 1)[1]
    length = np.linalg.norm(t, axis=1, keepdims=True)
    if (length <= 0.0).any():
        raise InvalidValue("The curve stands still somewhere: two of its points are the same.")
    x, y, z = np.eye(3)[int(np.abs(t / length).max(axis=0).argmin())]
    return float(x), float(y), float(z)
