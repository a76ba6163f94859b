"""What the fields of steps hold: entities by name, and expressions of a certain type.

The types are the annotations of the steps; readers, the checker and the interpreter look them up there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, TypeAlias, get_args, get_origin, get_type_hints

from workcell.programs.expressions import Expression


@dataclass(frozen=True)
class Entity:
    """The name of an entity of one of these kinds."""

    kinds: tuple[str, ...]


READING = "reading"
"""The quantity of a joint's reading: a plain number in SI as encoders give it, a length or an angle."""


@dataclass(frozen=True)
class Wants:
    """An expression that gives a value of this type.

    Attributes:
        type: ``number``, ``truth``, ``text``, ``joints``, ``pose`` or ``point`` (a pose of which the position counts).
        quantity: of a number; ``joint speed`` is an angle or a length per second, by the joints of the robot.
        positive: whether it must be more than zero.
        whole: whether it must be a whole number.
        least: the least value allowed, in SI.
    """

    type: str
    quantity: str = "number"
    positive: bool = False
    whole: bool = False
    least: float | None = None


Arm: TypeAlias = Annotated[str, Entity(("robot",))]
Device: TypeAlias = Annotated[str, Entity(("robot", "mechanism"))]
Jointed: TypeAlias = Annotated[str, Entity(("robot", "mechanism", "machine"))]
Moving: TypeAlias = Annotated[str, Entity(("robot", "mechanism", "machine", "object"))]
Solid: TypeAlias = Annotated[str, Entity(("object",))]
Support: TypeAlias = Annotated[str, Entity(("object", "robot", "mechanism"))]
Signal: TypeAlias = Annotated[str, Entity(("signal",))]
Path: TypeAlias = Annotated[str, Entity(("path",))]
Zone: TypeAlias = Annotated[str, Entity(("zone",))]
Fault: TypeAlias = Annotated[str, Entity(("fault",))]
ProgramName: TypeAlias = Annotated[str, Entity(("program",))]

Pose: TypeAlias = Annotated[Expression, Wants("pose")]
Point: TypeAlias = Annotated[Expression, Wants("point")]
Joints: TypeAlias = Annotated[Expression, Wants("joints")]
Truth: TypeAlias = Annotated[Expression, Wants("truth")]
Any: TypeAlias = Annotated[Expression, Wants("any")]
Reading: TypeAlias = Annotated[Expression, Wants("number", READING)]
Said: TypeAlias = Annotated[Expression, Wants("text")]
Plain: TypeAlias = Annotated[Expression, Wants("number")]
Count: TypeAlias = Annotated[Expression, Wants("number", whole=True, least=0.0)]
Seconds: TypeAlias = Annotated[Expression, Wants("number", "time", least=0.0)]
PositiveSeconds: TypeAlias = Annotated[Expression, Wants("number", "time", positive=True)]
SomeAngle: TypeAlias = Annotated[Expression, Wants("number", "angle", least=0.0)]
SomeLength: TypeAlias = Annotated[Expression, Wants("number", "length", least=0.0)]
PositiveAngle: TypeAlias = Annotated[Expression, Wants("number", "angle", positive=True)]
Angle: TypeAlias = Annotated[Expression, Wants("number", "angle")]
Length: TypeAlias = Annotated[Expression, Wants("number", "length")]
PositiveLength: TypeAlias = Annotated[Expression, Wants("number", "length", positive=True)]
HandSpeed: TypeAlias = Annotated[Expression, Wants("number", "speed", positive=True)]
BeltSpeed: TypeAlias = Annotated[Expression, Wants("number", "speed")]
JointSpeed: TypeAlias = Annotated[Expression, Wants("number", "joint speed", positive=True)]
PositivePlain: TypeAlias = Annotated[Expression, Wants("number", positive=True)]


@dataclass(frozen=True)
class Field:
    """A field of a step: its name, its type, and whether it holds several values or may be missing."""

    name: str
    holds: Entity | Wants | None
    several: bool
    optional: bool


@lru_cache(maxsize=256)
def fields_of(step: type) -> tuple[Field, ...]:
    """Return the fields of a kind of step, in the order declared."""
    hints = get_type_hints(step, include_extras=True)
    return tuple(_field(name, hints[name]) for name in step.__struct_fields__)  # type: ignore[attr-defined]


def _field(name: str, hint: object) -> Field:
    optional, several = False, False
    if get_origin(hint) is not Annotated:
        arguments = get_args(hint)
        if type(None) in arguments:
            optional = True
            rest = [one for one in arguments if one is not type(None)]
            hint = rest[0] if len(rest) == 1 else hint
        elif get_origin(hint) is tuple and get_origin(arguments[0]) is Annotated:
            several, hint = True, arguments[0]
    holds = None
    if get_origin(hint) is Annotated:
        holds = next((one for one in get_args(hint)[1:] if isinstance(one, Entity | Wants)), None)
    return Field(name, holds, several, optional)


def parameter_wants(kind: str) -> Wants:
    """Return the type that an argument for this type of parameter must have."""
    if kind == "target":
        return Wants("pose")
    if kind == "text":
        return Wants("any")
    return Wants(kind) if kind in ("truth", "joints", "pose") else Wants("number", kind)
