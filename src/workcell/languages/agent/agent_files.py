"""The commands import agent and agent-steps: Agent lines as a program of the cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import File, NewName
from workcell.commands.results import Result
from workcell.errors import Refused
from workcell.languages.agent.agent_programs import agent_lines
from workcell.languages.agent.lines import ENDINGS
from workcell.wording import counted, quoted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.languages.agent.translation import Translated


class ImportedAgent(Result, frozen=True):
    """The program that an Agent file became.

    Attributes:
        program: its name.
        called: the programs that it calls, made from files that it loads and from lines with several steps.
        edits: how many commands made what the file defines.
        reports: the lines that only print or save something; a program leaves them out.
    """

    program: str
    called: tuple[str, ...]
    edits: int
    reports: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "import agent {name} {file}",
    help="make a program of a file in the Agent language",
    effect="edits",
    own_transaction=True,
    name=NewName(),
    file=File(ENDINGS),
    param_help={"name": "of the new program", "file": "an Agent file (.agent or .cmd)"},
    examples=[
        "> create robot arm puma560 joints 0,0,-90,0,90,0",
        '> write program lines "drive arm 10 0 -90 0 90 0%0Adrive arm 20 0 -90 0 90 0"',
        "> save-program lines job.agent",
        "import agent job job.agent",
    ],
)
def import_agent(session: Session, name: str, file: str) -> ImportedAgent:
    """Line N of the program is line N of the file. Lines that define something are carried out now.

    The motions are rehearsed on a copy of the cell, from its initial state, so that every step has the values that it
    had there. A file that is loaded becomes a program that is called. A line that cannot be a step is refused, and
    nothing is imported. `undo` takes everything back in one step.
    """
    from workcell.languages.agent.translation import translated

    if session.database.find("program", name) is not None:
        raise Refused(f"There is already a program {name!r}; choose another name, or `remove program:{quoted(name)}`.")
    found = translated(session, name, file)
    return _made(session, name, Path(file).name, found, f"import agent {quoted(name)} {quoted(file)}")


@command(
    "agent-steps {program} as {name}",
    help="make a program of steps from a program of Agent lines",
    effect="edits",
    own_transaction=True,
    program=Ref("program"),
    name=NewName(),
    param_help={"program": "a program of Agent lines", "name": "of the program of steps; one of that name is replaced"},
    examples=[
        "> create robot arm puma560 joints 0,0,-90,0,90,0",
        '> write program lines "verbatim agent%0A  drive arm 10 0 -90 0 90 0%0A  drive arm 20 0 -90 0 90 0%0Aend"',
        "agent-steps lines as job",
        "> debug job",
    ],
)
def agent_steps(session: Session, program: Entity, name: str) -> ImportedAgent:
    """The lines become steps as those of a file do, see `import agent`. So they can be stepped through and planned.

    Line N of the new program is line N of the Agent lines.
    """
    from workcell.languages.agent.translation import translated

    lines = [text for _, text in agent_lines(program)]
    old = session.database.find("program", name)
    if old is not None and old.id == program.id:
        raise Refused(f"The steps of {name!r} need another name, since its Agent lines stay.")
    found = translated(session, name, program.name, lines)
    return _made(session, name, program.name, found, session.written("agent-steps", {"program": program, "name": name}))


def _made(session: Session, name: str, source: str, found: Translated, written: str) -> ImportedAgent:
    """Carry out what Agent lines became, as one step of the history; a program of the same name is replaced."""
    database, outer = session.database, not session.scripts
    if outer:
        database.begin_step(session.who)
    try:
        for one, arguments in found.edits:
            session.call(one, arguments)
        for one, text in found.programs.items():
            session.call("write program", {"name": quoted(one), "text": text})
        if outer:
            database.end_step(written)
    except BaseException:
        if outer:
            database.cancel_step()
        raise
    called = tuple(one for one in found.programs if one != name)
    return ImportedAgent(
        name, called, len(found.edits), found.reports, _text(session, name, source, called, found.reports)
    )


def _text(session: Session, name: str, source: str, called: tuple[str, ...], reports: tuple[str, ...]) -> str:
    from workcell.commands.program_store import program_named, stored

    count = stored(program_named(session, name)).program.count
    lines = [f"program {name!r} made from {source}: {counted(count, 'step')}"]
    if called:
        lines.append(f"It calls {', '.join(called)}.")
    if reports:
        lines.append(f"Left out, because a program prints and saves nothing: {', '.join(reports)}.")
    return "\n".join(lines)
