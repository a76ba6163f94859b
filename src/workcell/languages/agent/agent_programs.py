"""Commands for programs of Agent lines: check them, carry them out, and list the words of the language.

Such a program holds its lines between ``verbatim agent`` and ``end``, so that it is kept, renamed and undone like any
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workcell.commands.language.program_outline import lines_of, outline
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Text
from workcell.commands.program_completion import IN_OTHER_LANGUAGES
from workcell.commands.program_outlines import language_of
from workcell.commands.program_store import TEXT
from workcell.commands.programs import Checked
from workcell.commands.results import Result, Table
from workcell.errors import Refused
from workcell.languages.agent.completion import agent_completions
from workcell.languages.agent.line_check import mistakes_of
from workcell.languages.agent.table import COMMANDS
from workcell.programs.problem import Problem
from workcell.wording import counted, quoted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

AGENT = "agent"
_DEMO = '> write program demo "verbatim agent%0A  make-agent arm PUMA 560%0A  drive arm 10 0 -90 0 90 0%0Aend"'
IN_OTHER_LANGUAGES[AGENT] = agent_completions


class AgentOutput(Result, frozen=True):
    """The output of a line of an Agent program: its number, the reports and the errors, and why it was refused."""

    line: int
    text: str
    refused: bool = False
    reason: str = ""


class AgentRan(Result, frozen=True):
    """A program of Agent lines that was carried out; ``outputs`` are those of the lines that printed something."""

    program: str
    lines: int
    outputs: tuple[AgentOutput, ...]

    def __str__(self) -> str:
        wrong = sum(one.refused for one in self.outputs)
        head = f"{self.program}: {counted(self.lines, 'line')}, {wrong or 'no'} error{'s' if wrong != 1 else ''}"
        return "\n".join([head, *(one.text for one in self.outputs)])


@command(
    "run-agent {program}",
    help="carry out the Agent lines of a program",
    effect="view",
    program=Ref("program"),
    examples=[_DEMO, "run-agent demo"],
)
def run_agent(session: Session, program: Entity) -> AgentRan:
    """The lines act on the cell as it is, one after the other, as if an Agent had sent them.

    All of them are one step of the history. After an error the next line follows. Errors and reports count the lines
    from 1. How the cell watches for collisions is afterwards as it was before. `verbatim agent` … `end` keeps such
    lines in a program.
    """
    session.outside_group("run Agent lines")
    lines, outputs = agent_lines(program), list[AgentOutput]()
    with _one_step(session, f"run-agent {quoted(program.name)}"), _watching_restored(session):
        outputs.extend(_outputs(session, program.name, lines))
    return AgentRan(program.name, len(lines), tuple(outputs))


def _outputs(session: Session, name: str, lines: list[tuple[int, str]]) -> Iterator[AgentOutput]:
    """Carry lines out; yield what they print."""
    from workcell.languages.agent.stream import AgentStream

    stream, before = AgentStream(session, reasons=True, first=1), lines[0][0] - 1 if lines else 0

    def output(out: list[str]) -> AgentOutput:
        return AgentOutput(
            before + stream.places[0][1], "\n".join(out), bool(stream.refused), "".join(stream.causes[:1])
        )

    for place, (number, text) in enumerate(lines):
        session.progress(place / len(lines), f"line {number} of {name}")
        if out := stream.line(text):
            yield output(out)
        if stream.ended:
            break
    if last := stream.close():
        yield output(last)


@contextmanager
def _one_step(session: Session, typed: str) -> Iterator[None]:
    """Make all that is done inside one step of the history, even if it ends early; in a script it is part of one."""
    if session.database.in_step:
        yield
        return
    group = session.database.begin_group(session.who)
    try:
        with group.taking():
            yield
    finally:
        group.end(typed)


@contextmanager
def _watching_restored(session: Session) -> Iterator[None]:
    """Afterwards the cell watches for collisions as it does now."""
    before = session.snapshot().setup.watch
    try:
        yield
    finally:
        if session.snapshot().setup.watch != before:
            how, _, undecided = before.partition(" ")
            session.call("watch", {"how": how or "no", "allow_undecided": bool(undecided)})


def agent_lines(program: Entity) -> list[tuple[int, str]]:
    """Return the Agent lines of a program, with their numbers in its text.

    Raises:
        Refused: it has other lines, or none.
    """
    text = str(program.properties.get(TEXT, ""))
    if language_of(text) != AGENT:
        raise Refused(
            f"Program {program.name!r} is not a program of Agent lines; write them between `verbatim agent` and `end`.",
            program=program.name,
        )
    row = next(row for row in outline(text) if row.word == "verbatim")
    inner = lines_of(text)[row.line : row.last - 1]
    return [(row.line + number, line) for number, line in enumerate(inner, start=1)]


@command(
    "check agent {text}",
    help="find the mistakes of Agent lines without carrying them out",
    effect="reads",
    background=True,
    text=Text(),
    param_help={"text": "the lines, with `%0A` between them"},
    examples=['check agent "make-agent arm PUMA 560%0Adrve arm 10"'],
)
def check_agent(session: Session, text: str) -> Checked:
    """It reads every argument as the run does. Names are those of the cell and those that earlier lines make.

    Behind a line that loads a file, names are not checked, since the file may make any.
    """
    return Checked(AGENT, tuple(Problem(AGENT, *one) for one in mistakes_of(session, text)))


@command(
    "agent-words",
    help="list the commands of the Agent language",
    effect="reads",
    examples=["agent-words"],
)
def agent_words(_: Session) -> Table:
    """Each with its arguments and what it does. `workcell agent` takes them at a prompt."""
    return Table(
        ("command", "arguments", "what it does"), tuple((one.name, one.form, one.help) for one in COMMANDS.values())
    )
