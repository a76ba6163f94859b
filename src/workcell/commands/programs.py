"""Commands for programs: write, check and list them, and run them one by one or side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.expression_reader import ExpressionReader
from workcell.commands.language.expression_text import expression_text
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.values import LineNumber, NewName, Text, Value
from workcell.commands.model import make
from workcell.commands.program_store import problems_of, program_of, store_text, stored
from workcell.commands.program_tables import Tables
from workcell.commands.results import Done, Result, Table
from workcell.commands.running import Inputs, PausedRun, Stood, begun, edited_since, gone_on, stood
from workcell.errors import UnknownName, WorkcellError
from workcell.programs import steps as s
from workcell.programs.expressions import Expression
from workcell.programs.problem import Problem
from workcell.programs.program import Program
from workcell.wording import counted
from workcell.world.body import unknown_after
from workcell.world.entities import Entity
from workcell.world.devices import unwatched

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.events import Issued
    from workcell.simulation.interpreter import Run
    from workcell.simulation.stepping import Input, SteppedRun

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_SHORT = '> write program demo "speed Puma 0.3rad/s%0Amove-joints-relative Puma 10,0,0,0,0,0%0Await 1"'


@command(
    "write program {name} {text}",
    help="make a program from its lines, or give the one of that name other lines",
    effect="edits",
    name=NewName(),
    text=Text(),
    param_help={"text": "its lines, `%0A` between them; `program NAME` … `end` does the same in several lines"},
    examples=[_PUMA, _SHORT[2:]],
)
def write_program(session: Session, name: str, text: str) -> Done:
    """A program with mistakes is kept and cannot run; the answer says what they are."""
    found = session.database.find("program", name)
    if found is None:
        make(session, "program", name)
    entity = session.database.entity("program", name)
    store_text(session, entity, text)
    return Done(program_answer(session, session.database.entity("program", name), found is None))


def program_answer(session: Session, program: Entity, new: bool) -> str:
    """The answer after a program was written: how many steps it has, and every mistake."""
    count = stored(program).program.count
    head = f"program {program.name!r} {'created' if new else 'changed'}: {counted(count, 'step')}"
    wrong = problems_of(session, program)
    return "\n".join([head, *(str(one) for one in wrong)])


class Checked(Result, frozen=True):
    """What the checker found in a program."""

    program: str
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        wrong = [one for one in self.problems if not one.warning]
        if not self.problems:
            return f"program {self.program!r}: no mistakes"
        count = len(wrong)
        head = f"program {self.program!r}: {count or 'no'} mistake{'s' if count != 1 else ''}"
        return "\n".join([head, *(str(one) for one in self.problems)])


@command(
    "check program {program}",
    help="find every mistake of a program or task that can be found without running it",
    effect="reads",
    program=Ref("program", "task"),
    examples=[_PUMA, _SHORT, "check program demo"],
)
def check_program(session: Session, program: Entity) -> Checked:
    """Names, types, units, numbers of joints, ranges and reach, each with its line and column."""
    return Checked(program.name, problems_of(session, program))


@command(
    "steps {program}",
    help="list the lines of a program with their numbers, or the programs of a task",
    effect="reads",
    program=Ref("program", "task"),
    examples=[_PUMA, _SHORT, "steps demo"],
)
def steps(session: Session, program: Entity) -> Table:
    """The lines as they are kept; those of a task call its programs."""
    if program.kind == "task":
        lines = program_text(program_of(session, program)).split("\n")
    else:
        lines = str(program.properties.get("text", "")).split("\n")
    return Table(("line", "step"), tuple((number, line) for number, line in enumerate(lines, start=1)))


@command(
    "tidy program {program}",
    help="write the lines of a program in full words, blocks indented",
    effect="edits",
    program=Ref("program"),
    examples=[_PUMA, '> write program demo "move-joints-rel Puma 10 0 0 0 0 0"', "tidy program demo"],
)
def tidy_program(session: Session, program: Entity) -> Done:
    """The steps stay the same; a program with lines that cannot be read is refused."""
    read = stored(program)
    if read.problems:
        from workcell.programs.problem import ProgramProblems

        raise ProgramProblems.of(program.name, read.problems)
    text = program_text(read.program)
    session.database.set_properties(session.rows, program, {"text": text})
    return Done(f"program {program.name!r} tidied")


class Arguments(Value):
    """Values for the parameters of a program, with commas between them."""

    label = "VALUE, …"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Expressions without variables."""
        start = tokens.column
        reader = ExpressionReader(tokens.line, start)
        found: list[Expression] = [reader.expression()]
        while not reader.done and reader.line[reader.at] == ",":
            reader.at += 1
            found.append(reader.expression())
        tokens.rest() if reader.done else _take_until(tokens, reader.at)
        return tuple(found)

    def text(self, value: Any) -> str:
        """As typed."""
        return ", ".join(expression_text(one) for one in value)


def _take_until(tokens: Tokens, at: int) -> None:
    while (token := tokens.peek()) is not None and token.start < at:
        tokens.take()


class Ran(Result, frozen=True):
    """A program ran: how many steps were carried out, what the clock says [s], and the messages meanwhile.

    ``loads`` names what was too heavy or could not be weighed, ``unknown`` the bodies whose shape the watch for
    collisions does not know.
    """

    program: str
    commands: int
    time: float
    messages: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    """When each of the messages was given [s]."""
    notes: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()
    """What fell far, landed elsewhere or cannot stand."""
    lines: tuple[str, ...] = ()
    """Which line of which program gave each of the messages; empty where that cannot be decided."""

    def __str__(self) -> str:
        clock = f"simulated time {self.time:.4f} s{unknown_after(self.unknown)}"
        head = f"{self.program}: {counted(self.commands, 'step')}, {clock}"
        return "\n".join([head, *_timed(self.messages, self.times, self.lines), *self.falls, *self.loads, *self.notes])


def _timed(messages: Sequence[str], times: Sequence[float], lines: Sequence[str]) -> list[str]:
    """Messages as lines, each behind its time and the line of the program that gave it."""
    return [
        f"at {at:.4f} s{f', {line}' if line else ''}: {message}"
        for message, at, line in zip(messages, times, lines or [""] * len(messages), strict=True)
    ]


@command(
    "run {program} [with {arguments}] [from {line}] [tables {tables}] [inputs {inputs}]",
    help="carry out a program or a task of the cell from the initial state",
    effect="simulates",
    program=Ref("program", "task"),
    arguments=Arguments(),
    line=LineNumber(),
    tables=Tables(),
    inputs=Inputs(),
    param_help={
        "arguments": "values for its parameters, in order",
        "line": "the line at which it begins; what stands before is not carried out",
        "tables": "where the cell keeps the tables that it follows; written by the journal",
        "inputs": "the signals that were set by hand while it was paused; written by the journal",
    },
    examples=[
        _PUMA,
        _SHORT,
        "run demo",
        "run demo from 2",
        "> create task shift",
        "> attach demo to shift as first",
        "> attach demo to shift as second",
        "run shift",
    ],
)
def run(
    session: Session,
    program: Entity,
    arguments: tuple[Expression, ...] = (),
    line: int | None = None,
    tables: dict[str, str] | None = None,
    inputs: Sequence[Input] = (),
) -> Ran | RanTogether | Stood:
    """It is one step of the history; when a step is refused nothing of the run stays. The cell itself is not edited.

    A move that stops before a contact or at a limit is no refusal: everything stands where it stopped. The programs of
    a task are carried out one after the other, in the order in which they were attached. A breakpoint or `pause` lets
    the run stand before a step; `resume` goes on.
    """
    run = begun(session, [program], arguments, line, tables, inputs)
    return answered(session, run, lambda stepped: stepped.resume())


def answered(session: Session, paused: PausedRun, how: Callable[[SteppedRun], bool]) -> Ran | RanTogether | Stood:
    """Let a run go on, and say where it stands or what came of it."""
    notes = edited_since(session, paused)
    done = paused.stepped.run
    before = len(_messages(done)[0])
    try:
        stands = gone_on(session, paused, how)
    except WorkcellError as error:
        texts, times, lines = _messages(done)
        given = _timed(texts[before:], times[before:], lines[before:])
        if not given:
            raise
        message = "\n".join([error.message, "Messages before that:", *given])
        raise type(error)(message, **{**error.evidence, "messages": tuple(given)}) from error
    if stands:
        return stood(session, paused)
    loads, unknown, (texts, times, lines), falls = (
        _loads(done),
        unwatched(session.snapshot()),
        _messages(done),
        _falls(done),
    )
    if paused.together:
        return RanTogether(done.ended, done.simulator.time, loads, unknown, texts, times, notes, falls, lines)
    return Ran(paused.names[0], done.steps, done.simulator.time, texts, loads, unknown, times, notes, falls, lines)


def _messages(run: Run) -> tuple[tuple[str, ...], tuple[float, ...], tuple[str, ...]]:
    """The messages of a run, when each was given [s], and by which line."""
    from workcell.simulation.events import Message

    recording = run.simulator.recording
    found = [event for event in recording.events if isinstance(event, Message)]
    if not found:
        return (), (), ()
    times = recording.clock(np.array([event.time for event in found]))
    lines = _lines([event.time for event in found], recording.sources, run.known)
    return tuple(event.text for event in found), tuple(times.tolist()), lines


def _lines(times: Sequence[float], sources: Sequence[Issued], known: Mapping[str, Program]) -> tuple[str, ...]:
    """The lines that gave messages at these times.

    A message step that was refused gave none. So where more of them began at an instant than there are messages, and
    not all in one line, nobody knows which line gave which message.
    """
    giving = {
        (program.name, program.place(number).line)
        for program in known.values()
        for number, step in enumerate(program.steps)
        if type(step) is s.Message
    }
    began: dict[float, list[str]] = {}
    for one in sources:
        if (one.program, one.line) in giving:
            began.setdefault(one.time, []).append(f"line {one.line} of {one.program!r}")
    found: list[str] = []
    for time, messages in groupby(times):
        count, lines = len(list(messages)), began.get(time, [])
        same = len(lines) > count and len(set(lines)) == 1
        found += lines[:count] if same or len(lines) == count else [""] * count
    return tuple(found)


def _falls(run: Run) -> tuple[str, ...]:
    """What fell far, landed elsewhere or cannot stand in a run."""
    from workcell.simulation.falling import fall_lines
    from workcell.simulation.line_report import limit_lines

    events = run.simulator.recording.events
    return (*fall_lines(events), *limit_lines(events))


def _loads(run: Run) -> tuple[str, ...]:
    """What robots carried in a run that was too heavy or could not be weighed."""
    from workcell.simulation.loading import TOO_MUCH, UNKNOWN, load_lines, load_notes

    return tuple(load_lines(load_notes(run.simulator.recording.events), (TOO_MUCH, UNKNOWN)))


_AFTER_PROGRAMS = ("with", "from", "tables", "inputs")
"""The words that may follow a row of programs."""


class Programs(Value):
    """Names of programs, with blanks or ``&`` between them."""

    label = "PROGRAM PROGRAM …"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """One or more, each once."""
        column, found = tokens.column, []
        while (token := tokens.peek()) is not None and token.text not in _AFTER_PROGRAMS:
            tokens.take()
            if token.text != "&":
                found.append(self._named(unquote(token.text), session, tokens, token.start))
        names = [program.name for program in found]
        if not found or len(set(names)) < len(names):
            raise tokens.fail("One program or several different programs run side by side.", [self.label], column)
        return found

    def _named(self, name: str, session: Session, tokens: Tokens, column: int) -> Entity:
        kind, _, rest = name.partition(":")
        if kind in ("program", "task") and rest:
            entity = session.database.find(kind, unquote(rest))
        else:
            entity = session.database.find("program", name) or session.database.find("task", name)
        if entity is None:
            known = [*session.database.names("program"), *session.database.names("task")]
            raise tokens.fail(str(UnknownName.among("program", name, known)), [self.label], column)
        return entity

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """A list of names."""
        names = value if isinstance(value, list) else str(value).split()
        return self.parse(Tokens(" ".join(f'"{name}"' for name in names)), session, seen)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> list[tuple[str, str]]:
        """The programs and tasks of the cell."""
        kinds = ("program", "task")
        return [(name, kind) for kind in kinds for name in session.database.names(kind, prefix, most=50)]

    def text(self, value: Any) -> str:
        """The names in quotes, those of tasks with their kind."""
        return " ".join(one.reference if one.kind == "task" else f'"{one.name}"' for one in value)

    def accepts(self, text: str) -> bool:
        """Any word may be a name."""
        return True


class RanTogether(Result, frozen=True):
    """Programs ran side by side: when each ended, and what the clock says [s].

    ``loads`` names what was too heavy or could not be weighed, ``unknown`` the bodies whose shape the watch for
    collisions does not know.
    """

    ended: dict[str, float]
    time: float
    loads: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    """When each of the messages was given [s]."""
    notes: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()
    """What fell far, landed elsewhere or cannot stand."""
    lines: tuple[str, ...] = ()
    """Which line of which program gave each of the messages; empty where that cannot be decided."""

    def __str__(self) -> str:
        parts = ", ".join(f"{name} ended at {at:.4f} s" for name, at in self.ended.items())
        head = f"{parts}; simulated time {self.time:.4f} s{unknown_after(self.unknown)}"
        return "\n".join([head, *_timed(self.messages, self.times, self.lines), *self.falls, *self.loads, *self.notes])


@command(
    "run-together {programs} [with {arguments}] [from {line}] [tables {tables}] [inputs {inputs}]",
    help="carry out programs side by side from the initial state, on one clock, with signals between them",
    effect="simulates",
    programs=Programs(),
    arguments=Arguments(),
    line=LineNumber(),
    tables=Tables(),
    inputs=Inputs(),
    param_help={
        "arguments": "values for the parameters of the first program, in order",
        "line": "the line at which the first program begins",
        "tables": "where the cell keeps the tables that they follow; written by the journal",
        "inputs": "the signals that were set by hand while they were paused; written by the journal",
    },
    examples=[
        _PUMA,
        "> create robot Puma2 puma560 at 0,1500,0 joints 0,0,-90,0,90,0",
        "> create signal ready",
        '> write program feed "move-joints-relative Puma 20,0,0,0,0,0%0Aset-signal ready 1"',
        '> write program take "wait-for ready%0Amove-joints-relative Puma2 20,0,0,0,0,0"',
        "run-together feed take",
    ],
)
def run_together(
    session: Session,
    programs: Sequence[Entity],
    arguments: tuple[Expression, ...] = (),
    line: int | None = None,
    tables: dict[str, str] | None = None,
    inputs: Sequence[Input] = (),
) -> Ran | RanTogether | Stood:
    """A step that moves or waits holds up its own program only; a run where all wait for ever is refused.

    At one instant they go on in the order given. When one is refused something nothing of the run stays; before a
    contact all stop.
    """
    run = begun(session, programs, arguments, line, tables, inputs, together=True)
    return answered(session, run, lambda stepped: stepped.resume())
