"""Commands for programs: write, check and list them, and run one or several in parallel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workcell.commands.branch_notes import branch_notes
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import LineNumber, NewName, Text
from workcell.commands.model import make
from workcell.commands.plan_marks import plan_notes
from workcell.commands.program_store import (
    called_with,
    checkup_of,
    names_of,
    problems_of,
    program_of,
    store_text,
    stored,
)
from workcell.commands.program_tables import Tables
from workcell.commands.program_values import Arguments, Programs
from workcell.commands.ran import Ran, RanTogether, answered
from workcell.commands.rehearsing import Rehearsed, all_problems, rehearsed
from workcell.commands.results import Done, Result, Table
from workcell.commands.run_inputs import Inputs
from workcell.commands.run_start import AGAIN, FROM_PRESENT, start_notes, start_of
from workcell.commands.running import Stood, begun
from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.programs.expressions import Expression
from workcell.programs.problem import Problem
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.stepping import Input

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_SHORT = '> write program demo "speed Puma 0.3rad/s%0Amove-joints-relative Puma 10,0,0,0,0,0%0Await 1"'


@command(
    "write program {name} {text}",
    help="make a program from its lines, or replace the lines of a program",
    effect="edits",
    name=NewName(),
    text=Text(),
    param_help={
        "text": "its lines, with `%0A` between them; the block `program NAME` … `end` is the same in several lines"
    },
    examples=[_PUMA, _SHORT[2:]],
)
def write_program(session: Session, name: str, text: str) -> Done:
    """A program with mistakes is stored but cannot run. The answer lists the mistakes."""
    found = session.database.find("program", name)
    if found is None:
        make(session, "program", name)
    entity = session.database.entity("program", name)
    store_text(session, entity, text)
    return Done(program_answer(session, session.database.entity("program", name), found is None))


def program_answer(session: Session, program: Entity, new: bool) -> str:
    """Return the answer after a program was written: how many steps it has, and every mistake."""
    count = stored(program).program.count
    head = f"program {program.name!r} {'created' if new else 'changed'}: {counted(count, 'step')}"
    wrong = problems_of(session, program)
    return "\n".join([head, *(str(one) for one in wrong)])


class Checked(Result, frozen=True):
    """What the checker found in a program.

    Attributes:
        program: its name.
        problems: its mistakes.
        open: the steps whose reach can only be decided in a run.
        notes: sentences on plans that were made for another cell.
    """

    program: str
    problems: tuple[Problem, ...]
    open: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        count = sum(not one.warning for one in self.problems)
        head = f"program {self.program!r}: {count or 'no'} mistake{'s' if count != 1 else ''}"
        return "\n".join([head, *(str(one) for one in (*self.problems, *self.open)), *self.notes])


@command(
    "check program {program} [--from-present]",
    help="find the mistakes of a program or task without running it",
    effect="reads",
    background=True,
    program=Ref("program", "task"),
    param_help={"from_present": "check a run that starts from the present state of the cell"},
    examples=[_PUMA, _SHORT, "check program demo"],
)
def check_program(session: Session, program: Entity, from_present: bool = False) -> Checked:
    """It checks names, types, units, numbers of joints, ranges and reach.

    The answer has the line and column of each mistake.

    Loops with a known number of rounds are followed: the answer names the round in which a pose is out of reach. What
    can only be decided in a run is listed with the reason.

    If a program was planned (`plan program`, `plan order`, `schedule`) and the cell changed since, the answer names
    what is different, and how to plan it again. A taught target whose branch is out of the limits of its arm, such as
    after the arm was replaced, is named too.
    """
    found = checkup_of(session, program, names_of(session, start_of(session, from_present)))
    names = called_with(session, program)
    notes = (*plan_notes(session, names), *branch_notes(session, names))
    return Checked(program.name, tuple(found.problems), tuple(found.open), notes)


@command(
    "check task {program} [with {arguments}] [--from-present]",
    help="rehearse a program or task and list every problem at once",
    effect="reads",
    background=True,
    program=Ref("program", "task"),
    arguments=Arguments(),
    param_help={"arguments": "values for its parameters, in order", "from_present": FROM_PRESENT},
    examples=[
        _PUMA,
        "> add solid table box 500 800 100 at 350,0,-50",
        "> add solid brick box 40 60 30 at 450,100,15 --movable",
        '> write program fetch "parameter what part%0Apick what with Puma%0Aput what at 450,-100,15"',
        "check task fetch with brick",
    ],
)
def check_task(
    session: Session, program: Entity, arguments: tuple[Expression, ...] = (), from_present: bool = False
) -> Rehearsed:
    """It runs on a simulator of its own; nothing of it remains.

    Every part, every reach and every motion is tested. After a problem, the step counts as done: a part that cannot be
    picked is in the hand, and one that cannot be put down is where it was asked for. Each problem has its line and its
    step.
    """
    return rehearsed(session, program, arguments, start_of(session, from_present))


@command(
    "steps {program}",
    help="list the lines of a program with their numbers, or the programs of a task",
    effect="reads",
    program=Ref("program", "task"),
    examples=[_PUMA, _SHORT, "steps demo"],
)
def steps(session: Session, program: Entity) -> Table:
    """The lines are shown as they are stored. The lines of a task call its programs."""
    if program.kind == "task":
        lines = program_text(program_of(session, program)).split("\n")
    else:
        lines = str(program.properties.get("text", "")).split("\n")
    return Table(("line", "step"), tuple((number, line) for number, line in enumerate(lines, start=1)))


@command(
    "tidy program {program}",
    help="write all words of a program in full, and indent its blocks",
    effect="edits",
    program=Ref("program"),
    examples=[_PUMA, '> write program demo "move-joints-rel Puma 10 0 0 0 0 0"', "tidy program demo"],
)
def tidy_program(session: Session, program: Entity) -> Done:
    """The steps stay the same. A program with lines that cannot be read is refused."""
    read = stored(program)
    if read.problems:
        from workcell.programs.problem import ProgramProblems

        raise ProgramProblems.of(program.name, read.problems)
    text = program_text(read.program)
    session.database.set_properties(session.rows, program, {"text": text})
    return Done(f"program {program.name!r} tidied")


@command(
    "run {program} [with {arguments}] [from {line}] [--from-present] [tables {tables}] [inputs {inputs}]",
    help="run a program or task from the initial state, or from the present one",
    effect="simulates",
    program=Ref("program", "task"),
    arguments=Arguments(),
    line=LineNumber(),
    tables=Tables(),
    inputs=Inputs(),
    param_help={
        "arguments": "values for its parameters, in order",
        "line": "the line to start at, counted from 1; the lines before it are skipped",
        "from_present": FROM_PRESENT,
        "tables": "for the journal: where the cell keeps the tables that the program follows",
        "inputs": "for the journal: the signals that were set while the run was paused",
    },
    examples=[
        _PUMA,
        _SHORT,
        "run demo",
        "run demo from 2",
        "run demo --from-present",
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
    from_present: bool = False,
    tables: dict[str, str] | None = None,
    inputs: Sequence[Input] = (),
) -> Ran | RanTogether | Stood:
    """A run is one step of the history. If a step is refused, nothing of the run remains.

    A run starts from the initial state. If the cell is in another state then, the answer names what was elsewhere.
    With `--from-present` everything starts where it is now. In both cases a new recording begins, at 0 s.

    If a move stops before a contact or at a limit, the run ends there, and everything stays where it stopped. The
    programs of a task run one after the other, in the order in which they were attached. A run pauses at a breakpoint
    or on `pause`; `resume` continues it.
    """
    started = () if from_present else start_notes(session, AGAIN)
    try:
        run = begun(session, [program], arguments, line, tables, inputs, from_present=from_present)
        return answered(session, run, lambda stepped: stepped.resume(), started)
    except (Refused, UnknownName, InvalidValue) as error:
        if session.paused is not None or line is not None:
            raise
        raise all_problems(session, program, arguments, error, start_of(session, from_present)) from error


@command(
    "run-together {programs} [with {arguments}] [from {line}] [--from-present] [tables {tables}] [inputs {inputs}]",
    help="run programs in parallel from the initial state, or from the present one",
    effect="simulates",
    programs=Programs(),
    arguments=Arguments(),
    line=LineNumber(),
    tables=Tables(),
    inputs=Inputs(),
    param_help={
        "arguments": "values for the parameters of the first program, in order",
        "line": "the line at which the first program starts, counted from 1",
        "from_present": FROM_PRESENT,
        "tables": "for the journal: where the cell keeps the tables that the programs follow",
        "inputs": "for the journal: the signals that were set while the run was paused",
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
    from_present: bool = False,
    tables: dict[str, str] | None = None,
    inputs: Sequence[Input] = (),
) -> Ran | RanTogether | Stood:
    """The programs share one clock and exchange signals. A step that moves or waits delays only its own program.

    At the same instant, the programs continue in the order given. If a step is refused, nothing of the run remains. A
    deadlock is refused. All programs stop before a contact.
    """
    started = () if from_present else start_notes(session, AGAIN)
    run = begun(session, programs, arguments, line, tables, inputs, True, from_present)
    return answered(session, run, lambda stepped: stepped.resume(), started)
