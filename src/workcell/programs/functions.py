"""The functions that expressions may call, with their arguments and results."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from workcell.errors import InvalidValue
from workcell.programs.wants import Entity, Wants
from workcell.world.thing_poses import KINDS as THINGS

ANGLE = Wants("number", "angle")
LENGTH = Wants("number", "length")
NUMBER = Wants("number")
LIKE = Wants("number", "like")
"""A number of any quantity. The result has the same quantity; several arguments must match."""
POSE = Wants("pose")
ROBOT = Entity(("robot", "mechanism", "machine"))
ARM = Entity(("robot",))
PATH = Entity(("path",))
THING = Entity(THINGS)
PART = Entity(("object",))
GRASP = Entity(("grasp",))
SIGNAL = Entity(("signal",))


def numbered(number: float, count: int, what: str) -> int:
    """Return the index from 0 of a joint or target that is counted from 1; a number out of range is refused."""
    if number != int(number) or not 1 <= number <= count:
        there = f"There are {what}s 1 to {count}" if count > 1 else f"There is only {what} 1"
        raise InvalidValue(f"{there if count else f'There is no {what}'}; found {number:g}.")
    return int(number) - 1


@dataclass(frozen=True)
class Function:
    """A function of expressions.

    Attributes:
        takes: the types of its arguments.
        gives: the type of its result; ``like`` is the type of its arguments.
        help: one line.
        compute: the function of numbers in SI; None if it needs the state of the cell.
        more: whether the last argument may be repeated.
    """

    takes: tuple[Wants | Entity, ...]
    gives: Wants
    help: str
    compute: Callable[..., float] | None = None
    more: bool = False


FUNCTIONS: dict[str, Function] = {
    "sin": Function((ANGLE,), NUMBER, "the sine of an angle", math.sin),
    "cos": Function((ANGLE,), NUMBER, "the cosine of an angle", math.cos),
    "tan": Function((ANGLE,), NUMBER, "the tangent of an angle", math.tan),
    "asin": Function((NUMBER,), ANGLE, "the angle whose sine this is", math.asin),
    "acos": Function((NUMBER,), ANGLE, "the angle whose cosine this is", math.acos),
    "atan2": Function((LIKE, LIKE), ANGLE, "the angle of the direction with this y and this x", math.atan2),
    "sqrt": Function((NUMBER,), NUMBER, "the square root of a plain number", math.sqrt),
    "abs": Function((LIKE,), LIKE, "the number without its sign", abs),
    "floor": Function((NUMBER,), NUMBER, "the whole number at or below", lambda a: float(math.floor(a))),
    "round": Function((NUMBER,), NUMBER, "the nearest whole number", lambda a: float(math.floor(a + 0.5))),
    "min": Function((LIKE, LIKE), LIKE, "the least", min, more=True),
    "max": Function((LIKE, LIKE), LIKE, "the greatest", max, more=True),
    "hypot": Function((LIKE, LIKE), LIKE, "the length of the diagonal", math.hypot),
    "time": Function((), Wants("number", "time"), "the simulated time since the start of the run"),
    "signal": Function((SIGNAL,), NUMBER, "the value of a signal"),
    "joints": Function((ROBOT,), Wants("joints"), "the joint values of a robot"),
    "joint": Function((ROBOT, NUMBER), Wants("number", "joint"), "one joint value of a robot, counted from 1"),
    "tool": Function((ARM,), POSE, "the pose of the tool of a robot in the world"),
    "holds": Function((ARM,), Wants("text"), "the part that a robot holds, or an empty text"),
    "count": Function((PATH,), NUMBER, "how many targets a path has"),
    "target": Function((PATH, NUMBER), POSE, "one target of a path, counted from 1"),
    "pose": Function((THING,), POSE, "where an object, a frame, a target or the base of a robot is in the world"),
    "grasp": Function((PART, GRASP), POSE, "where a hand holds a part by one of its grasps"),
    "x": Function((POSE,), LENGTH, "the x of a pose"),
    "y": Function((POSE,), LENGTH, "the y of a pose"),
    "z": Function((POSE,), LENGTH, "the z of a pose"),
    "distance": Function((POSE, POSE), LENGTH, "how far two poses are apart"),
}
