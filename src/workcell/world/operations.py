"""Operations: how a block is made from other blocks and surfaces, which its relations point to.

The operation and its own parameters are stored. The operands and the profile are entities of their own, so
a change of them changes every block that uses them.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.cost import CONTROL
from workcell.errors import InvalidValue, Refused
from workcell.geometry import recipe as r
from workcell.geometry import solids
from workcell.geometry.nurbs.curve import NurbsCurve, join
from workcell.geometry.surface import AnySurface, NurbsPatch, Surface
from workcell.geometry.sweep import PDCurve, pd_curve
from workcell.wording import an, capital

Floats = NDArray[np.float64]
Triple = tuple[float, float, float]
Boolean: TypeAlias = Literal["union", "difference", "intersection"]


class Combine(msgspec.Struct, frozen=True, tag_field="kind", tag="combine", omit_defaults=True):
    """A union, difference or intersection of blocks, in the order of the relations."""

    operation: Boolean
    fast: float = 0.0
    """Work on meshes this fine [m]; 0 works on exact faces."""

    def made(self, operands: list[tuple[str, r.Recipe]]) -> r.Recipe:
        """The combined solid; each operand comes with the prefix of its faces. Equal operations become one."""
        if len(operands) < 2:
            raise Refused(f"{capital(an(self.operation))} needs at least two blocks; this one has {len(operands)}.")
        parts: list[r.Recipe] = []
        for place, (name, recipe) in enumerate(operands):
            parts += [_named(part, name) for part in self._fused(recipe, place)]
        if self.operation == "union":
            return r.Union(tuple(parts), self.fast)
        if self.operation == "intersection":
            return r.Intersection(tuple(parts), self.fast)
        return r.Difference(parts[0], tuple(parts[1:]), self.fast)

    def _fused(self, recipe: r.Recipe, place: int) -> list[r.Recipe]:
        """The members of an operand that is made by the same operation, otherwise the operand."""
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
    """A surface moved along a curve, with a direction, a twist [rad] and the three scales at its end.

    The curve goes ``through`` the points, has them as ``control`` points, or runs straight ``along`` them with its
    corners rounded by the radius ``bend`` [m]; in the form ``curve`` it is an entity that a relation points to.
    Instead of one direction and the scales at the end, there may be a curve of each: through ``directions`` and
    through ``factors``, spread evenly over the parameter of the director.
    """

    points: tuple[Triple, ...] = ()
    form: Literal["through", "control", "along", "curve"] = "through"
    bend: float = 0.0
    direction: Triple | None = None
    twist: float = 0.0
    scales: Triple | None = None
    directions: tuple[Triple, ...] = ()
    factors: tuple[Triple, ...] = ()

    def curve(self, given: NurbsCurve | None = None) -> PDCurve:
        """The director; ``given`` is the curve of the entity, in the form ``curve``."""
        if self.form == "curve":
            if given is None:
                raise Refused("It is swept along a curve, but has none; attach one.")
            return self._directed(given)
        points = np.array(self.points, dtype=np.float64).reshape(-1, 3)
        if len(points) < 2:
            raise InvalidValue(f"A curve needs at least two points; found {len(points)}.")
        degree = min(3, len(points) - 1)
        if self.form == "along":
            position = _rounded(points, self.bend)
        elif self.form == "control":
            position = NurbsCurve.clamped(points, degree)
        else:
            position = NurbsCurve.through(points, degree)
        return self._directed(position)

    def _directed(self, position: NurbsCurve) -> PDCurve:
        direction = _evenly(self.directions) if self.directions else self.direction or _least_along(position)
        scale = _evenly(self.factors) if self.factors else self.scales
        return pd_curve(position, direction, scale, self.twist)

    def swept(self, surface: Surface, given: NurbsCurve | None = None) -> r.Recipe:
        """The solid over that surface, along a given curve in the form ``curve``."""
        return solids.sweep(surface, self.curve(given)).recipe


Swept: TypeAlias = ExtrudeSurface | RevolveSurface | SweepSurface
Operation: TypeAlias = Combine | ExtrudeSurface | RevolveSurface | SweepSurface
_OPERATION: msgspec.json.Decoder[Operation] = msgspec.json.Decoder(Operation)
_SURFACE: msgspec.json.Decoder[AnySurface] = msgspec.json.Decoder(Surface | NurbsPatch)
_TAGS = ('{"kind":"combine"', '{"kind":"extrude-surface"', '{"kind":"revolve-surface"', '{"kind":"sweep-surface"')


def is_operation(shape: str | None) -> bool:
    """Whether the shape of a block is an operation on its parts, and not a recipe of its own."""
    return shape is not None and shape.startswith(_TAGS)


def operation_text(operation: Operation) -> str:
    """The ``shape`` of a block that is made by an operation."""
    return msgspec.json.encode(operation).decode()


def operation_of(shape: str) -> Operation:
    """The operation that a shape describes."""
    try:
        operation: Operation = _OPERATION.decode(shape)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidValue(f"The text is not an operation on blocks: {error}.") from error
    return operation


def surface_text(surface: AnySurface) -> str:
    """The ``shape`` of a surface entity."""
    return msgspec.json.encode(surface).decode()


@lru_cache(maxsize=1024)
def surface_of(shape: str) -> AnySurface:
    """The surface that a shape describes."""
    try:
        return _SURFACE.decode(shape)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidValue(f"The text is not a surface: {error}.") from error


def _named(part: r.Recipe, name: str) -> r.Recipe:
    return r.Named(part, name.replace("+", "_"))


def _rounded(points: Floats, bend: float) -> NurbsCurve:
    """Straight lines from point to point, with an exact arc at each corner."""
    CONTROL.check(len(points), "The curve")
    steps = np.diff(points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    if (lengths <= 0.0).any():
        raise InvalidValue("Two neighbouring points of the curve are the same.")
    ways = steps / lengths[:, None]
    turns = [math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)) for a, b in itertools.pairwise(ways)]
    cuts = np.array([0.0, *(bend * math.tan(turn / 2.0) if turn > 1e-9 else 0.0 for turn in turns), 0.0])
    left = lengths - cuts[:-1] - cuts[1:]
    if (left < -1e-12).any():
        at = int(np.argmin(left))
        raise InvalidValue(
            f"A bend of {bend * 1e3:g} mm does not fit between points {at + 1} and {at + 2} of the curve, which are "
            f"{lengths[at] * 1e3:g} mm apart; use a smaller bend."
        )
    pieces = []
    for i, way in enumerate(ways):
        if left[i] > 1e-12:
            pieces.append(NurbsCurve.line(points[i] + cuts[i] * way, points[i + 1] - cuts[i + 1] * way))
        if cuts[i + 1] > 0.0:
            start = points[i + 1] - cuts[i + 1] * way
            inward = ways[i + 1] - float(ways[i + 1] @ way) * way
            inward = inward / np.linalg.norm(inward)
            pieces.append(NurbsCurve.arc(start + bend * inward, bend, 0.0, turns[i], -inward, way))
    return join(pieces) if len(pieces) > 1 else pieces[0]


def _evenly(values: tuple[Triple, ...]) -> NurbsCurve:
    """A curve through values at even parameters, cubic if there are enough."""
    return NurbsCurve.through(np.array(values), 3, np.linspace(0.0, 1.0, len(values)))


def _least_along(curve: NurbsCurve) -> Triple:
    """A direction that is never along the curve: an axis if one is far enough from it, otherwise a diagonal."""
    t = curve.derivatives_at(np.linspace(*curve.domain, 201), 1)[1]
    length = np.linalg.norm(t, axis=1, keepdims=True)
    if (length <= 0.0).any():
        raise InvalidValue("The curve stands still somewhere: two of its points are the same.")
    near = np.abs(_DIRECTIONS @ (t / length).T).max(axis=1)
    best = int(near[:3].argmin()) if near[:3].min() < 0.9 else int(near.argmin())
    x, y, z = _DIRECTIONS[best]
    return float(x), float(y), float(z)


def _directions() -> Floats:
    found = [v for v in itertools.product((0.0, 1.0, -1.0), repeat=3) if any(v) and next(x for x in v if x) > 0.0]
    found.sort(key=lambda v: (sum(abs(x) for x in v), [-x for x in v]))
    rows = np.array(found)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


_DIRECTIONS = _directions()
"""The three axes, then the ten diagonals of a cube."""
