"""Joint values and joint speeds as parameters: angles for joints that turn, lengths for those that slide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.language.tokens import Tokens
from workcell.commands.language.values import Number, Vector, read_number
from workcell.errors import CommandSyntaxError
from workcell.spatial.units import SCALES, Units, tidy
from workcell.wording import an, counted
from workcell.world.devices import placed_device
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session


class JointVector(Vector):
    """Joint values of the robot named before: angles for turning joints, lengths for sliding ones.

    Args:
        of: the parameter that names the robot.
    """

    def __init__(self, of: str = "robot") -> None:
        super().__init__("number", None, "Q1,Q2,…")
        self.help = "one value for each joint, in the angle or length unit of the cell"
        self._of = of

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """As many values as the robot has joints, each in the unit of its joint."""
        whose = seen.get(self._of)
        if whose is None:
            raise tokens.fail("Name the robot before its joint values.", [self._of.upper()])
        if whose.kind not in ("robot", "mechanism", "machine"):
            raise tokens.fail(
                f"Only robots, mechanisms and machines have joints; {whose.name!r} is {an(whose.kind)}.", []
            )
        robot = placed_device(session.snapshot(), whose).robot
        column = tokens.column
        words = self.words(tokens)
        if len(words) != robot.n:
            raise tokens.fail(
                f"{whose.name} has {counted(robot.n, 'joint')}; found {counted(len(words), 'value')}.",
                [self.label],
                column,
            )
        return _read_joints(words, tuple(row.prismatic for row in robot.rows), tokens, session, column)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """Each in the unit of its joint."""
        kinds = slides(given[self._of])  # nothing for a machine, whose joints are those of its members
        return _joints_shown(value, kinds, units) if kinds else self.text(value)


def _read_joints(
    words: list[str], sliding: tuple[bool, ...], tokens: Tokens, session: Session, column: int
) -> tuple[float, ...]:
    values = []
    for word, slides in zip(words, sliding, strict=True):
        quantity = "length" if slides else "angle"
        try:
            values.append(read_number(Tokens(word), session, quantity, quantity.upper()))
        except CommandSyntaxError as error:
            raise tokens.fail(error.message, ["Q1,Q2,…"], column) from None
    return tuple(values)


class SlidingJoints(Vector):
    """Joint values of a known robot or mechanism of which some joints slide."""

    def __init__(self, sliding: tuple[bool, ...]) -> None:
        super().__init__("number", len(sliding), "Q1,Q2,…")
        self._sliding = sliding

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """As many values as it has joints, each in the unit of its joint."""
        column, words = tokens.column, self.words(tokens)
        if len(words) != self.count:
            found = f"It has {counted(self.count or 0, 'joint')}; found {counted(len(words), 'value')}."
            raise tokens.fail(found, [self.label], column)
        return _read_joints(words, self._sliding, tokens, session, column)

    def text(self, value: Any) -> str:
        """Each with its SI unit."""
        return ",".join(f"{q!r}{'m' if slides else 'rad'}" for q, slides in zip(value, self._sliding, strict=True))

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """Each in the unit of its joint."""
        return _joints_shown(value, self._sliding, units)


def _joints_shown(values: Sequence[float], sliding: tuple[bool, ...], units: Units) -> str:
    kinds = ["length" if slide else "angle" for slide in sliding]
    return ",".join(tidy(units.from_si(q, kind)) for q, kind in zip(values, kinds, strict=True))


def slides(robot: Entity) -> tuple[bool, ...]:
    """Return for each joint of a robot or mechanism whether it slides; nothing for an unfinished robot."""
    from workcell.world.robot_shape import is_robot, robot_of

    return tuple(row.prismatic for row in robot_of(robot).rows) if is_robot(robot) else ()


class _Sliding(float):
    """A speed [m/s] or a step [m] of joints that slide."""


class JointSpeed(Number):
    """A joint speed of the robot named before: in length per second if all joints slide, else in angle per second."""

    def __init__(self) -> None:
        super().__init__("angular speed", positive=True)
        self.label = "SPEED"
        self._sliding = Number("speed", positive=True)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read it in the unit of the joints; an angle for sliding joints is taken as SI, as older versions wrote it."""
        kinds, token = slides(seen["robot"]), tokens.peek()
        angle = token is not None and token.text.endswith(tuple(SCALES["angular speed"]))
        if not kinds or not all(kinds) or angle:
            return super().parse(tokens, session, seen)
        return _Sliding(self._sliding.parse(tokens, session, seen))

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """SI."""
        speed, kinds = super().from_json(value, session, seen), slides(seen["robot"])
        return _Sliding(speed) if kinds and all(kinds) else speed

    def text(self, value: Any) -> str:
        """With its SI unit."""
        return self._sliding.text(float(value)) if isinstance(value, _Sliding) else super().text(value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In the unit of the joint."""
        whose = self._sliding if isinstance(value, _Sliding) else Number(self.quantity)
        return whose.shown(value, units, given)


class JointStep(Number):
    """A step of the joint named before: an angle, or a length if it slides."""

    def __init__(self) -> None:
        super().__init__("angle")
        self.label = "STEP"
        self._sliding = Number("length")

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """In the unit of the joint."""
        if not _slides(seen):
            return super().parse(tokens, session, seen)
        return _Sliding(self._sliding.parse(tokens, session, seen))

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """SI."""
        step = super().from_json(value, session, seen)
        return _Sliding(step) if _slides(seen) else step

    def text(self, value: Any) -> str:
        """With its SI unit."""
        return self._sliding.text(float(value)) if isinstance(value, _Sliding) else super().text(value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In the unit of the joint."""
        whose = self._sliding if isinstance(value, _Sliding) else Number(self.quantity)
        return whose.shown(value, units, given)


def _slides(seen: dict[str, Any]) -> bool:
    """Whether the joint of the robot named before slides."""
    kinds, joint = slides(seen["robot"]), int(seen["joint"])
    return joint <= len(kinds) and kinds[joint - 1]
