"""An Agent file as programs of a cell: a rehearsal on a copy of the cell, and the steps that it took, line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.program_printer import step_lines
from workcell.commands.language.program_reader import read_program
from workcell.commands.script import read_lines
from workcell.commands.session import Session
from workcell.commands.work_planning import joints_row
from workcell.errors import FileProblem
from workcell.languages.agent.stream import MOST_BYTES, AgentStream
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.spatial.units import Units, deg, mm
from workcell.wording import capital, quoted
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.names import legal_name
from workcell.world.store import Store
from workcell.world.text_form import from_text, to_text

if TYPE_CHECKING:
    from workcell.commands.language.registry import Command

_SI = Units("m", "rad")
_BRANCH, _SET_HAND, _SAVE = "branch", "set hand", "save-positions"


@dataclass
class Source:
    """One reading of a file: its lines, and what each line did.

    Attributes:
        file: its name.
        lines: as they are written.
        steps: the steps of each line, by its number.
        loads: what each line loaded.
    """

    file: str
    lines: list[str]
    steps: dict[int, list[s.Step]] = field(default_factory=dict)
    loads: dict[int, Source] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether any line has a step."""
        return bool(self.steps) or any(one.moves for one in self.loads.values())


@dataclass(frozen=True)
class Translated:
    """What an Agent file becomes.

    Attributes:
        edits: the calls that make what it defines, in order.
        programs: the text of each program by name; those that others call come first.
        reports: the lines that only print or save something.
    """

    edits: tuple[tuple[str, dict[str, Any] | None], ...]
    programs: dict[str, str]
    reports: tuple[str, ...]


def translated(session: Session, name: str, file: str, lines: Sequence[str] = ()) -> Translated:
    """Carry out Agent lines on a copy of the cell, from its initial state, and return what they become.

    Args:
        session: the session.
        name: the name of the program to make.
        file: where the lines are from.
        lines: the lines; empty to read them from the file. The programs of single lines replace those of an earlier
            translation of that name.

    Raises:
        FileProblem: a line has an error, changes the cell after the first motion, or cannot be a step.
    """
    read = list(lines or read_lines(session.files.read(file, MOST_BYTES)))
    store = Store.memory()
    from_text(to_text(session.database), Database(store))
    database = Database(store)
    try:
        rehearsal = _Rehearsal(database, session, Source(file, read))
        rehearsal.go()
    finally:
        database.close()
    if not rehearsal.source.moves:
        raise FileProblem(
            f"{Path(file).name} has no motion, so there is nothing to run; `workcell agent` carries out its lines."
        )
    own = f"{name}-line-" if lines else name
    naming = _Naming(lambda wish: not wish.startswith(own) and session.database.find("program", wish) is not None)
    naming.program(name, rehearsal.source)
    return Translated(tuple(rehearsal.edits), naming.programs, tuple(rehearsal.reports))


class _Rehearsal(Session):
    """Carries out the lines, and keeps which calls they make."""

    def __init__(self, database: Database, asked: Session, source: Source) -> None:
        super().__init__(database, "agent")
        self.files, self.cancel = asked.files, asked.cancel
        self._asked = asked
        self.source = source
        self.edits: list[tuple[str, dict[str, Any] | None]] = []
        self.reports: dict[str, None] = {}
        self._moved = False
        self._wrong: FileProblem | None = None
        self._stream = AgentStream(self, self._printed)

    def go(self) -> None:
        """Carry out all lines; refused at the first that cannot be part of a program."""
        super().call("reset")
        count = len(self.source.lines)
        for number, text in enumerate(self.source.lines, start=1):
            self._asked.progress(number / count, f"line {number} of {Path(self.source.file).name}")
            self._stream.line(text)
            self._require()
            if self._stream.ended:
                return
        self._stream.close()
        self._require()

    def _require(self) -> None:
        if self._wrong is not None:
            raise self._wrong

    def _printed(self, text: str) -> None:
        """Keep where a report is printed, and the first error."""
        if not self._stream.refused:
            self.reports[self._place()] = None
        elif self._wrong is None:
            self._wrong = self._problem(f"has an error: {text.lstrip('* ')}.", "Correct the line")

    # ---- places -----------------------------------------------------------------------------------------

    def _at(self) -> tuple[Source, int]:
        """Return the innermost file that is being read, and its line."""
        source, line = self.source, self._stream.places[0][1]
        for file, inner in self._stream.places[1:]:
            if line not in source.loads:
                lines = list(read_lines(self.files.read(file, MOST_BYTES)))
                source.loads[line] = Source(file, lines)
            source, line = source.loads[line], inner
        return source, line

    def _place(self) -> str:
        source, line = self._at()
        return f"line {line} of {Path(source.file).name}"

    def _problem(self, reason: str, instead: str) -> FileProblem:
        source, line = self._at()
        text = source.lines[line - 1].strip() if line else ""
        return FileProblem(
            f"{capital(self._place())}, `{text}`, {reason} {instead}, or carry the file out line by line with "
            f"`workcell run {Path(self.source.file).name}`.",
            line=line,
            file=source.file,
        )

    # ---- calls ------------------------------------------------------------------------------------------

    def call(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """Carry out a call of the stream, and keep it as an edit or as a step."""
        if name == _SAVE:
            self.reports[self._place()] = None
            return None
        command, values = self.called(name, arguments)
        if command.effect == "reads":
            return self.carry_out(command, values)
        if command.effect == "simulates" or (name == _BRANCH and self._moved):
            return self._step(command, values)
        if self._moved:
            self._wrong = self._problem(
                "changes the cell after the first motion. A step of a program cannot do that.",
                "Put the line before the first motion",
            )
            raise self._wrong
        answer = self.carry_out(command, values)
        if not command.own_transaction(values):
            self.edits.append((name, arguments))
        return answer

    def _step(self, command: Command, values: dict[str, Any]) -> Any:
        line = self.line_of(command, values)
        answer = self.carry_out(command, values)
        self._moved = True
        robot = values.get("robot")
        if command.name in (_SET_HAND, _BRANCH):
            assert isinstance(robot, Entity)
            step = self._set_joints(robot) if command.name == _SET_HAND else self._branch(robot)
        else:
            step = self._read(line)
        source, number = self._at()
        source.steps.setdefault(number, []).append(step)
        return answer

    def _set_joints(self, robot: Entity) -> s.Step:
        """A hand that is put somewhere: the joints that this gave."""
        return s.SetJoints(robot.name, self._row(robot.name, self.state.joints[robot.name]))

    def _branch(self, robot: Entity) -> s.Step:
        return s.Branch(robot.name, str(self.database.entity("robot", robot.name).properties[_BRANCH]))

    def _row(self, robot: str, joints: Any) -> e.Row:
        """Joint values as an expression: in degrees if these are the same numbers, else in SI units."""
        row = joints_row(self.snapshot().robot(robot).robot, joints)
        values = [one.value for one in row.items if isinstance(one, e.Number) and one.unit == "rad"]
        shorter = _exactly(values, deg)
        return e.Row(shorter, "deg") if len(values) == len(row.items) and shorter is not None else row

    def _read(self, line: str) -> s.Step:
        """Return the step of a line in SI, as one that means the same in any units."""
        read = read_program("line", line, _SI)
        if read.problems:
            self._wrong = self._problem("has no step that a program could run.", "Leave the line out")
            raise self._wrong
        return self._in_units(read.program.body[0])

    def _in_units(self, step: s.Step) -> s.Step:
        if isinstance(step, s.Together):
            return s.Together(tuple(self._in_units(one) for one in step.moves))
        changes: dict[str, Any] = {}
        row = getattr(step, "joints", None)
        if isinstance(row, e.Row):
            changes["joints"] = self._row(str(step.robot), [_value(one) for one in row.items])  # type: ignore[union-attr]
        if isinstance(pose := getattr(step, "pose", None), e.Posed):
            changes["pose"] = _with_unit(pose)
        if poses := getattr(step, "poses", ()):
            changes["poses"] = tuple(_with_unit(one) for one in poses)
        return msgspec.structs.replace(step, **changes)


def _value(number: e.Expression) -> float:
    if isinstance(number, e.Unary):
        return -_value(number.operand)
    assert isinstance(number, e.Number)
    return number.value


def _exactly(values: Sequence[float], size: float) -> tuple[e.Expression, ...] | None:
    """Return values in a unit with at most nine decimals; None if they would not read back to the same bits."""
    short = [round(one / size, 9) + 0.0 for one in values]
    if any(one * size != value for one, value in zip(short, values, strict=True)):
        return None
    return tuple(e.Number(one) for one in short)


def _with_unit(pose: e.Expression) -> e.Expression:
    """Return a pose that is one matrix in metres with its shift beside it, which has a unit; others stay."""
    if not isinstance(pose, e.Posed) or len(pose.forms) != 1 or pose.forms[0].word != "matrix":
        return pose
    items = list(pose.forms[0].rows[0].items)
    metres = items[3::4]
    shorter = _exactly([_value(one) for one in metres], mm)
    shift = e.Row(tuple(metres), "m") if shorter is None else e.Row(shorter, "mm")
    items[3::4] = [e.Number(0.0)] * 3
    return e.Posed(position=shift, forms=(e.Form("matrix", (e.Row(tuple(items)),)),))


class _Naming:
    """Gives every file that is loaded a program of its own, and every line with several steps too."""

    def __init__(self, taken: Callable[[str], bool]) -> None:
        self.programs: dict[str, str] = {}
        self._taken = taken
        self._reserved: set[str] = set()

    def program(self, name: str, source: Source) -> None:
        """Keep a file as a program: in every line its step, with the line of the file as a comment."""
        self._reserved.add(name)
        out = []
        for number, text in enumerate(source.lines, start=1):
            step = self._step(name, source, number)
            written = text.strip().rstrip("\\").rstrip()
            comment = f"# {written}" if written else ""
            out.append(f"{step}  {comment}".rstrip() if step else comment)
        self.programs[name] = "\n".join(out)

    def _step(self, name: str, source: Source, number: int) -> str:
        """Return the text of the step of a line; '' if it has none."""
        loaded = source.loads.get(number)
        if loaded is not None and loaded.moves:
            called = self._free(legal_name(Path(loaded.file).stem, "loaded"))
            self.program(called, loaded)
            return f"call {quoted(self._once(called))}"
        lines = [line for one in source.steps.get(number, ()) for line in step_lines(one)]
        if len(lines) < 2:
            return "".join(lines)
        called = self._free(f"{name}-line-{number}")
        self.programs[called] = "\n".join(lines)
        return f"call {quoted(self._once(called))}"

    def _once(self, name: str) -> str:
        """Return the first program with the same text; a second one is dropped."""
        text = self.programs[name]
        first = next(one for one, other in self.programs.items() if other == text)
        if first != name:
            del self.programs[name]
            self._reserved.discard(name)
        return first

    def _free(self, wish: str) -> str:
        name, number = wish, 1
        while name in self._reserved or self._taken(name):
            number += 1
            name = f"{wish}-{number}"
        self._reserved.add(name)
        return name
