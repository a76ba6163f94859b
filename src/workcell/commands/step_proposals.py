"""What new steps name: things of the cell with which a step can be carried out, the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.language.program_outline import Row
from workcell.commands.step_forms import Texts, form_of, variables_of
from workcell.simulation.held import held_parts
from workcell.world.absence import is_absent
from workcell.world.conveyors import is_conveyor

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.programs.cell_names import CellNames

SETS = "set-signal"
"""The kind of step that sets a signal."""
_TAKE, _GIVE = ("pick", "grip"), ("put", "release", "hand-over")
HANDLING = (*_TAKE, *_GIVE, "ride")
"""Kinds of steps on a movable part: those that take it, those that give it away, and all of them."""


@dataclass(frozen=True)
class Written:
    """What the steps of a program name, seen from the place of a new step.

    Attributes:
        robot: the robot of the last step before it with one, else of the first step after it; or ''.
        taken: the parts that the steps of the program take, in their order.
        held: the part that is held at that place, or ''.
    """

    robot: str = ""
    taken: tuple[str, ...] = ()
    held: str = ""

    @classmethod
    def of(cls, rows: tuple[Row, ...], before: int | None = None) -> Written:
        """Return what the rows of a program name, for a new step before a line; None for the end."""
        variables = variables_of(rows)
        robot, next_robot, held, taken = "", "", "", []
        for line, kind, texts in _steps(rows, variables):
            part = texts.get("part", "")
            takes = bool(part) and kind in (*_TAKE, "close-gripper")
            if takes:
                taken.append(part)
            if before is not None and line >= before:
                next_robot = next_robot or texts.get("robot", "")
                continue
            robot = texts.get("robot", robot)
            if takes:
                held = part
            elif kind in ("put", "release", "open-gripper"):
                held = ""
        return cls(robot or next_robot, tuple(taken), held)


def _steps(rows: tuple[Row, ...], variables: set[str]) -> Iterable[tuple[int, str, Texts]]:
    for row in rows:
        found = form_of(row, variables) if row.role == "step" else None
        if found is not None:
            yield row.line, found[0].kind, found[1]


class Proposals:
    """The things of the cell that a new step may name.

    Args:
        session: the session with the cell and its present state.
        names: the names of the cell.
        program: the program for which the step is; '' for a new one.
        rows: the lines of the program.
        before: the line before which the step comes; None for the end.
    """

    def __init__(
        self, session: Session, names: CellNames, program: str, rows: tuple[Row, ...], before: int | None = None
    ) -> None:
        self._names, self._program = names, program
        self._written = Written.of(rows, before)
        self._snapshot, self._state = session.snapshot(), session.state
        self._mechanisms = set(session.database.names("mechanism"))

    def things(self, kind: str, field: str, kinds: tuple[str, ...], texts: Texts) -> list[str]:
        """Return what a field of a new step may name, the best first.

        Args:
            kind: the kind of step.
            field: the name of the field.
            kinds: the kinds of things that it may name.
            texts: the fields before it.
        """
        known = [one for one in self._names.known(kinds) if one != self._program]
        if kind == SETS:
            return self._names.settable
        if field == "conveyor":
            return [one for one in known if one in self._names.robots and is_conveyor(self._names.robots[one].robot)]
        if field == "robot":
            return self._robots(kind, known)
        if field == "mechanism":
            return sorted(known, key=lambda one: one not in self._mechanisms)
        if field in ("part", "solid"):
            return self._parts(kind, known)
        if field == "on":
            return self._supports(known, texts)
        return known

    def movable(self) -> list[str]:
        """Return the objects that robots may handle."""
        return list(dict.fromkeys(body.owner for body in self._snapshot.movable))

    def ambiguous(self, kind: str) -> bool:
        """Whether a step of this kind on a part must name its robot, because the cell has several."""
        return kind in (*_TAKE, "put") and len(self._hands()) > 1

    def _robots(self, kind: str, known: Sequence[str]) -> list[str]:
        """Order robots: that of the step before first, arms before mechanisms; a part is handed to another arm."""
        last = self._written.robot
        if kind == "hand-over":
            giver = self._holder(self._part_in_hand()) or last or next(iter(self._hands()), "")
            return [one for one in self._hands() if one != giver]
        first = [one for one in self._hands() if one in known] if kind in HANDLING else []
        order = sorted(known, key=lambda one: (one != last, one in self._mechanisms))
        return list(dict.fromkeys([*sorted(first, key=lambda one: one != last), *order]))

    def _hands(self) -> list[str]:
        return [one.name for one in self._snapshot.robots if one.robot.gripper is not None and not one.lacks]

    def _parts(self, kind: str, known: Sequence[str]) -> list[str]:
        """Order parts: what the step can be carried out with first, then by their distance to the robot."""
        held, taken = self._part_in_hand(), self._written.taken
        movable, near = self.movable(), self._nearness()
        # A part that is in a hand comes last: the step may be added where it is not held yet, or not any more.
        free = sorted(
            (one for one in movable if not self._absent(one)),
            key=lambda one: (one == held or self._holder(one) != "", one in taken, near(one)),
        )
        if kind in _GIVE:
            return list(dict.fromkeys(one for one in (held, *free) if one))
        if kind in HANDLING:
            return free
        return [*free, *sorted((one for one in known if one not in free), key=near)]

    def _supports(self, known: Sequence[str], texts: Texts) -> list[str]:
        """Order what a part may stand on: fixed objects first, the nearest to the part first."""
        part, movable = texts.get("part", ""), set(self.movable())
        objects = {body.owner for body in self._snapshot.bodies if body.link < 0}
        near = self._nearness(part)
        found = [one for one in known if one != part and one in objects]
        return sorted(found, key=lambda one: (one in movable, near(one)))

    def _part_in_hand(self) -> str:
        """Return the part that the steps before leave in a hand, or that a robot holds now; or ''."""
        if self._written.held:
            return self._written.held
        held = [part for robot in self._hands() for part in held_parts(self._state, robot, self._snapshot)]
        return self._snapshot.body(held[0]).owner if held else ""

    def _holder(self, part: str) -> str:
        """Return the robot that holds a part now, or ''."""
        bodies = {body.name for body in self._snapshot.movable if body.owner == part}
        return next((one for one in self._hands() if bodies & set(held_parts(self._state, one, self._snapshot))), "")

    def _absent(self, part: str) -> bool:
        """Whether an object is not there yet."""
        return is_absent(self._state.attached.get(self._snapshot.object_body(part)))

    def _nearness(self, part: str = "") -> Callable[[str], float]:
        """Return the distance of objects to a part, or to the robot of the next step [m]."""
        robots = [one for one in (self._written.robot, *self._hands()) if one in self._names.robots]
        if part:
            here = self._place(part)
        else:
            here = self._snapshot.base_pose(self._state, robots[0]).xyz if robots else np.zeros(3)
        return lambda one: float(np.linalg.norm(self._place(one) - here))

    def _place(self, part: str) -> NDArray[np.float64]:
        return self._snapshot.body_pose(self._state, self._snapshot.object_body(part)).xyz
