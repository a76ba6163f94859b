"""What a hand must keep on its way: a direction, a point on a line or surface, or its place in the other hand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from workcell.errors import InvalidValue

Vector: TypeAlias = tuple[float, float, float]

TOLERANCE = 1e-3
"""How far a point may leave what it must keep [m], unless another tolerance is given."""
TURN_TOLERANCE = math.radians(0.5)
"""How far a direction may leave what it must keep [rad], unless another tolerance is given."""
_HERE: Vector = (0.0, 0.0, 0.0)
_UP: Vector = (0.0, 0.0, 1.0)


def vector(values: Iterable[float], what: str, *, direction: bool = False) -> Vector:
    """Three finite numbers; a direction must not be zero."""
    try:
        found = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        found = ()
    if len(found) != 3 or not all(math.isfinite(value) for value in found):
        raise InvalidValue(f"{what} is three finite numbers; found {values!r}.")
    if direction and math.hypot(*found) < 1e-12:
        raise InvalidValue(f"{what} must point somewhere; found 0, 0, 0.")
    return found[0], found[1], found[2]


def _tolerance(value: float, unit: str) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise InvalidValue(f"The tolerance of a constraint must be above 0 {unit} and finite; found {value}.")


@dataclass(frozen=True)
class Upright:
    """Keep a direction of the tool: a cup stays level, a torch stays within its cone.

    Attributes:
        cone: how far the axis may lean away from the direction [rad].
        axis: in the frame of the tool; what points along ``direction`` at the start by default.
        direction: in the world.
        tolerance: how far the motion between may leave the cone [rad].
    """

    cone: float = 0.0
    axis: Vector | None = None
    direction: Vector = _UP
    tolerance: float = TURN_TOLERANCE

    def __post_init__(self) -> None:
        if not (math.isfinite(self.cone) and 0.0 <= self.cone < math.pi):
            raise InvalidValue(
                f"The cone of a constraint lies from 0 to below 180 deg; found {math.degrees(self.cone):g}."
            )
        _tolerance(self.tolerance, "deg")
        vector(self.direction, "The direction of a constraint", direction=True)
        if self.axis is not None:
            vector(self.axis, "The axis of a constraint", direction=True)

    def __str__(self) -> str:
        return "the direction of the tool"


@dataclass(frozen=True)
class OnPlane:
    """Keep a point of the tool on a plane.

    Attributes:
        point: of the plane, in the world [m]; where the tool is at the start by default.
        normal: of the plane, in the world.
        tool_point: in the frame of the tool [m].
        tolerance: how far the point may leave the plane [m].
    """

    point: Vector | None = None
    normal: Vector = _UP
    tool_point: Vector = _HERE
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        _tolerance(self.tolerance, "mm")
        vector(self.normal, "The normal of a plane", direction=True)
        vector(self.tool_point, "The point of the tool")
        if self.point is not None:
            vector(self.point, "The point of a plane")

    def __str__(self) -> str:
        return "the plane"


@dataclass(frozen=True)
class OnLine:
    """Keep a point of the tool on a line.

    Attributes:
        direction: of the line, in the world.
        point: of the line, in the world [m]; where the tool is at the start by default.
        tool_point: in the frame of the tool [m].
        tolerance: how far the point may leave the line [m].
    """

    direction: Vector
    point: Vector | None = None
    tool_point: Vector = _HERE
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        _tolerance(self.tolerance, "mm")
        vector(self.direction, "The direction of a line", direction=True)
        vector(self.tool_point, "The point of the tool")
        if self.point is not None:
            vector(self.point, "The point of a line")

    def __str__(self) -> str:
        return "the line"


@dataclass(frozen=True)
class OnSurface:
    """Keep a point of the tool on the surface of a body, or at a distance from it.

    Attributes:
        body: the name of a body that stands still.
        offset: how far outside the surface the point stays [m], below 0 inside; as far as at the start by default.
        tool_point: in the frame of the tool [m].
        tolerance: how far the point may leave the surface of the body's mesh [m].
    """

    body: str
    offset: float | None = None
    tool_point: Vector = _HERE
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        _tolerance(self.tolerance, "mm")
        vector(self.tool_point, "The point of the tool")
        if self.offset is not None and not math.isfinite(self.offset):
            raise InvalidValue(f"The offset from a surface must be finite; found {self.offset}.")

    def __str__(self) -> str:
        return f"the surface of {self.body!r}"


@dataclass(frozen=True)
class OnRound:
    """Keep a point of the tool on a sphere, or on a cylinder when there is an axis.

    Attributes:
        centre: of the sphere, or a point of the cylinder's axis, in the world [m].
        radius: [m].
        axis: of the cylinder, in the world; None for a sphere.
        tool_point: in the frame of the tool [m].
        tolerance: how far the point may leave the surface [m].
    """

    centre: Vector
    radius: float
    axis: Vector | None = None
    tool_point: Vector = _HERE
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        _tolerance(self.tolerance, "mm")
        vector(self.centre, "The centre of a surface")
        vector(self.tool_point, "The point of the tool")
        if self.axis is not None:
            vector(self.axis, "The axis of a cylinder", direction=True)
        if not (math.isfinite(self.radius) and self.radius > 0.0):
            raise InvalidValue(f"The radius of a surface must be above 0 mm; found {self.radius * 1e3:g}.")

    def __str__(self) -> str:
        return "the cylinder" if self.axis is not None else "the sphere"


@dataclass(frozen=True)
class OnePart:
    """Two arms of a machine hold one part: their hands keep the place to each other that they have at the start.

    Attributes:
        tolerance: how far the second hand may leave its place in the first [m].
        turn_tolerance: how far it may turn there [rad].
    """

    tolerance: float = TOLERANCE
    turn_tolerance: float = TURN_TOLERANCE

    def __post_init__(self) -> None:
        _tolerance(self.tolerance, "mm")
        _tolerance(self.turn_tolerance, "deg")

    def __str__(self) -> str:
        return "the place of one hand in the other"


Constraint: TypeAlias = Upright | OnPlane | OnLine | OnSurface | OnRound | OnePart


def constraints_of(given: object) -> tuple[Constraint, ...]:
    """One or more constraints as a tuple."""
    some = given if isinstance(given, tuple | list) else (given,)
    if not some:
        raise InvalidValue("A list of constraints has one or more; found none. Give None for a free path.")
    for one in some:
        if not isinstance(one, Upright | OnPlane | OnLine | OnSurface | OnRound | OnePart):
            raise InvalidValue(
                "A constraint is Upright, OnPlane, OnLine, OnSurface, OnRound or OnePart, or a list of these; "
                f"found {one!r}."
            )
    return tuple(some)
