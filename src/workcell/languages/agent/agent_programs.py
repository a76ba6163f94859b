"""Commands for programs of Agent lines: check them, carry them out, and list the words of the language.

Such a program holds its lines between ``verbatim agent`` and ``end``, so that it is kept, renamed and undone like any
other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workcell.commands.language.program_outline import lines_of, outline
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Text
from workcell.commands.program_outlines import language_of
from workcell.commands.program_store import TEXT
from workcell.commands.programs import Checked
from workcell.commands.results import Result, Table
from workcell.errors import Refused
from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.lines import LineReader, Words
from workcell.languages.agent.table import COMMANDS
from workcell.programs.problem import Problem
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

AGENT = "agent"
_OPEN = ("...", "<parameters>", "<joint angles>", "<agent-type>", "x=")
"""Forms with these take any number of arguments above the least."""
_ARGUMENT = re.compile(r"\[?<[^<>]*>\]?")
_DEMO = '> write program demo "verbatim agent%0A  make-agent arm PUMA 560%0A  drive arm 10 0 -90 0 90 0%0Aend"'


class AgentOutput(Result, frozen=True):
    """The output of a line of an Agent program: its number, the reports and the errors."""

    line: int
    text: str
    refused: bool = False


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
    """The lines act on the cell one after the other, as if an Agent had sent them; each is a step of the history.

    After an error the next line follows. `verbatim agent` … `end` keeps such lines in a program.
    """
    from workcell.languages.agent.stream import AgentStream

    session.outside_group("run Agent lines")
    lines = agent_lines(program)
    stream, outputs = AgentStream(session, reasons=True), list[AgentOutput]()
    for number, text in lines:
        session.progress(len(outputs) / max(1, len(lines)), f"line {number} of {program.name}")
        out = stream.line(text)
        if out:
            outputs.append(AgentOutput(number, "\n".join(out), bool(stream.refused)))
        if stream.ended:
            break
    if last := stream.close():
        outputs.append(AgentOutput(lines[-1][0], "\n".join(last), bool(stream.refused)))
    return AgentRan(program.name, len(lines), tuple(outputs))


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
    text=Text(),
    param_help={"text": "the lines, with `%0A` between them"},
    examples=['check agent "make-agent arm PUMA 560%0Adrve arm 10"'],
)
def check_agent(_: Session, text: str) -> Checked:
    """It checks the names of commands and the numbers of arguments. Names of objects are only known in the run."""
    reader, problems, first = LineReader(), list[Problem](), 0
    for number, raw in enumerate(text.split("\n"), start=1):
        first = first if reader.continued else number
        line = reader.read(raw)
        for words in line.commands if line is not None else ():
            fault = _fault(words)
            if fault:
                column = max(0, raw.find(words.name)) if first == number else 0
                problems.append(Problem(AGENT, first, column, fault))
    return Checked(AGENT, tuple(problems))


def _fault(words: Words) -> str:
    """Return what is wrong with a command; '' if nothing is."""
    import difflib

    one = COMMANDS.get(words.name)
    if one is None:
        near = difflib.get_close_matches(words.name, COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else "`agent-words` lists them all."
        return f"There is no command {words.name!r}; {hint}"
    least, most = _counts(one)
    count = len(words.arguments)
    if count < least:
        return f"{one.name} needs {counted(least, 'argument')}: {one.name} {one.form}; found {count}."
    if most is not None and count > most:
        return f"{one.name} takes {counted(most, 'argument')} at most: {one.name} {one.form}; found {count}."
    return ""


def _counts(one: AgentCommand) -> tuple[int, int | None]:
    """Return the least and the greatest number of arguments; None if any number above the least is right."""
    if "|" in one.form and "<" not in one.form:
        return 1, 1
    plain = [part for part in _ARGUMENT.findall(one.form) if not part.startswith("[")]
    if any(part in one.form for part in _OPEN):
        named = [part for part in plain if part[1:-1].replace("-", "_").isidentifier() and part != "<parameters>"]
        return sum(f"={part}" not in one.form for part in named), None
    return len(plain), len(_ARGUMENT.findall(one.form))


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
