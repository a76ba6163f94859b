"""Commands for breakpoints: break, breakpoints, unbreak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.expression_text import expression_text
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import LineNumber
from workcell.commands.program_values import Condition
from workcell.commands.results import Done, Table
from workcell.commands.running import program_names
from workcell.errors import UnknownName, WorkcellError
from workcell.programs.expressions import Expression
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

_STAGE = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    '> write program demo "let n = 2%0Arepeat n%0A  move-joints-relative Puma 5,0,0,0,0,0%0Aend%0Await 1"',
]


@command(
    "break {program} {line} [when {condition}]",
    help="set a breakpoint: runs pause before a line of a program",
    effect="view",
    program=Ref("program"),
    line=LineNumber(),
    condition=Condition(),
    param_help={
        "condition": "pause only if this is true, such as `n > 3`; names mean what they mean in the program",
        "line": "its number, counted from 1; if the line has no step, the next line with one",
    },
    examples=[*_STAGE, "break demo 3", "break demo line 5 when n = 2", "> run demo"],
)
def break_(session: Session, program: Entity, line: int, condition: Expression | None = None) -> Done:
    """Breakpoints are kept in the file of the cell, for all who use it. They are no step of the history.

    `run` pauses at them too, and `resume` continues.

    A line has one breakpoint; a new one replaces it. If the condition cannot be evaluated, for example because a
    variable has no value yet, the run pauses and reports it.
    """
    from workcell.commands.program_store import names_of, stored
    from workcell.programs.checker import require_condition
    from workcell.simulation.stepping import start_at

    read = stored(program).program
    found = read.place(_number_at(read, start_at(read, line))).line
    if condition is not None:
        try:
            require_condition(condition, read, names_of(session))
        except WorkcellError as error:
            raise type(error)(
                f"The condition of a breakpoint in {program.name!r}: {error.message}", **error.evidence
            ) from error
    before = session.breakpoints.put(program, found, condition)
    moved = "" if found == line else f" (line {line} has no step)"
    instead = "" if before is None else f"; it replaces the breakpoint there{_when(before.condition)}"
    return Done(f"runs pause before line {found} of {program.name!r}{_when(condition)}{moved}{instead}")


def _when(condition: Expression | None) -> str:
    return "" if condition is None else f" when {expression_text(condition)}"


def _number_at(program: Any, at: int) -> int:
    from workcell.programs.code import instructions

    return instructions(program)[at].number


@command(
    "breakpoints",
    help="list the breakpoints",
    effect="reads",
    examples=[*_STAGE, "> break demo 3", "breakpoints"],
)
def breakpoints(session: Session) -> Table:
    """The list shows programs, lines and conditions.

    A renamed program keeps its breakpoints. When its lines are edited, each breakpoint stays with its line.
    """
    names = program_names(session)
    rows = sorted(
        (names[program], line, "" if one.condition is None else expression_text(one.condition))
        for (program, line), one in session.breakpoints.fitted().items()
        if program in names
    )
    return Table(("program", "line", "when"), tuple(rows))


@command(
    "unbreak [{program}] [{line}]",
    help="remove breakpoints: one, those of a program, or all",
    effect="view",
    program=Ref("program"),
    line=LineNumber(),
    param_help={"program": "default: all programs", "line": "its number, counted from 1; default: all lines"},
    examples=[*_STAGE, "> break demo 3", "unbreak demo 3", "unbreak"],
)
def unbreak(session: Session, program: Entity | None = None, line: int | None = None) -> Done:
    """Runs no longer pause there."""
    gone = [
        key
        for key in session.breakpoints.fitted()
        if (program is None or key[0] == program.id) and (line is None or key[1] == line)
    ]
    if line is not None and program is not None and not gone:
        lines = [str(at) for one, at in session.breakpoints.fitted() if one == program.id]
        raise UnknownName.among(f"breakpoint of {program.name!r} at line", str(line), lines)
    session.breakpoints.remove(gone)
    return Done(f"{counted(len(gone), 'breakpoint')} removed")
