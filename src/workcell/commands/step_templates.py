"""A first line for every kind of step: one that the cell can carry out or nearly so, to be changed from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.program_outline import INDENT, Row
from workcell.commands.program_store import names_of
from workcell.commands.step_forms import Form, FormField, loops_of
from workcell.commands.step_proposals import HANDLING, SETS, Proposals
from workcell.spatial.units import Units, tidy
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.commands.session import Session

_ANGLES = "fanuc_wpr"
"""The convention of the angles of a first pose."""
_FIRST = {"time": 1.0, "length": 0.05, "angle": 0.5236, "speed": 0.1, "joint speed": 0.5, "number": 1.0}
"""A first value for each quantity, in SI."""
_WORDS = {
    "count": "2", "first": "1", "last": "3", "value": "1", "text": '"done"', "name": "n", "type":
    "number", "condition": "true", "percent": "50", "function": "10*sin(t)", "branch": "nearest", "file": "table.csv",
}  # fmt: skip
_SEVERAL = {
    "move-path": ("poses",), "move-solid": ("poses",), "find-path": ("joints",), "wait-until": ("timeout",),
    "put": ("on",),
}  # fmt: skip
"""Optional fields that a first line needs, or had better have."""
_BLOCKS = {"parallel": "parallel\n{0}wait 1\nand\n{0}wait 1\nend", "try": "try\n{0}wait 1\non-error\n{0}wait 1\nend"}


class Templates:
    """The first lines of kinds of steps, from what the cell has.

    Args:
        session: the session with the cell and its present state.
        units: the units of bare numbers in the program.
        program: the program for which the lines are; '' for a new one.
        rows: its lines.
        before: the line before which a new step comes; None for the end.
    """

    def __init__(
        self, session: Session, units: Units, program: str = "", rows: tuple[Row, ...] = (), before: int | None = None
    ) -> None:
        self._names = names_of(session)
        self._snapshot, self._units = session.snapshot(), units
        self._state: CellState = session.state
        self._loops = loops_of(rows)
        self._proposals = Proposals(session, self._names, program, rows, before)

    def line(self, form: Form) -> tuple[str, str]:
        """Return the lines of a new step, and what the cell lacks for it; one of the two is ''."""
        if form.kind in _BLOCKS:
            return _BLOCKS[form.kind].format(INDENT), ""
        texts: dict[str, str] = {}
        for field in form.fields:
            if not (field.required or field.name in self._wanted(form.kind, texts)):
                continue
            text = self._text(form, field, texts)
            if not text:
                return "", self._lacks(form, field)
            texts[field.name] = text
        if form.kind == "#":
            texts["text"] = "a comment"
        line = form.line(texts)
        return (f"{line}\nend" if form.opens else line), ""

    def _wanted(self, kind: str, texts: dict[str, str]) -> tuple[str, ...]:
        """Return the optional fields of a first line; a part is put at a pose if there is nothing to put it on."""
        found = _SEVERAL.get(kind, ())
        if kind == "put" and not self._proposals.things(kind, "on", ("object",), texts):
            found = ("pose",)
        return (*found, "robot") if self._proposals.ambiguous(kind) else found

    def _lacks(self, form: Form, field: FormField) -> str:
        if form.kind == SETS:
            return "signal that a program may set"
        if field.name == "part" and form.kind in HANDLING:
            return "movable object"
        if form.kind == "hand-over":
            return "second robot with a gripper"
        return "conveyor" if field.name == "conveyor" else " or ".join(field.kinds)

    def _text(self, form: Form, field: FormField, texts: dict[str, str]) -> str:
        """Return a first value of a field; '' if the cell has nothing that it could name."""
        if field.holds == "entity":
            found = self._proposals.things(form.kind, field.name, field.kinds, texts)
            return found[0] if found else ""
        if field.holds == "choice":
            return field.choices[0][0]
        robot = texts.get("robot", "")
        if field.holds == "joints":
            return self._joints(robot, zero=form.kind == "move-joints-relative")
        if field.holds in ("pose", "point"):
            return "0,0,50" if field.name in ("by", "tcp") else "world" if field.name == "frame" else self._pose(robot)
        if field.name == "condition" and (signals := self._plain_signals()):
            return signals[0]
        if field.name == "variable":
            return next(one for one in map("n{}".format, ("", *range(2, 100))) if one not in self._loops)
        if field.name in _WORDS:
            return _WORDS[field.name]
        return self._number(field.quantity or "number", robot)

    def _plain_signals(self) -> list[str]:
        return [one for one in self._snapshot.initial.signals if one.isidentifier()]

    def _number(self, quantity: str, robot: str) -> str:
        if quantity == "joint speed":
            slides = robot in self._names.devices and self._names.devices[robot].robot.rows[0].prismatic
            return "100mm/s" if slides else "30deg/s"
        known = quantity if quantity in _FIRST else "number"
        return tidy(round(self._units.from_si(_FIRST[known], known), 4))

    def _joints(self, robot: str, zero: bool) -> str:
        """Return the present joint values of a robot, or zeros."""
        device = self._names.devices.get(robot)
        if device is None:
            return "0"
        rows = device.robot.rows
        known = self._state.joints.get(robot, [0.0] * len(rows))
        values = [0.0] * len(rows) if zero else known
        shown = [
            self._units.from_si(float(value), "length" if row.prismatic else "angle")
            for row, value in zip(rows, values, strict=True)
        ]
        return ",".join(tidy(round(one, 4)) for one in shown)

    def _pose(self, robot: str) -> str:
        """Return the first target of the cell, else where the hand of a robot is."""
        targets = self._names.known(("target",))
        if targets and targets[0].isidentifier():
            return targets[0]
        if robot not in self._names.robots:
            return "0,0,0"
        pose = self._snapshot.tool_pose(self._state, robot)
        place = ",".join(tidy(round(self._units.from_si(float(one), "length"), 3)) for one in pose.xyz)
        turns = ",".join(tidy(round(self._units.from_si(float(one), "angle"), 4)) for one in pose.angles(_ANGLES))
        return f"{place} euler {_ANGLES} {turns}"
