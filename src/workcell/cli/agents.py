"""The command agent, and Agent programs for the command run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workcell.cli.entry import main
from workcell.cli.opening import cell_of
from workcell.cli.output import json_option, json_text

if TYPE_CHECKING:
    from workcell.commands.session import Session


@main.command()
@click.option(
    "--cell", "file", type=click.Path(path_type=Path), help="The cell to work on; it is made if it does not exist."
)
@click.option("--reasons", is_flag=True, help="After an error, print its reason as a comment; always so at a terminal.")
@json_option
def agent(file: Path | None, reasons: bool, as_json: bool) -> None:
    """Take commands of the Agent language from standard input, and print reports and errors.

    It begins with the file setup.cmd of the current folder, if there is one.
    """
    from workcell.commands.cell import Cell
    from workcell.languages.agent.stream import PROMPT, AgentStream

    terminal = sys.stdin.isatty()
    with cell_of(file) if file else Cell(who="agent") as cell:
        cell.session.who = "agent"
        stream = AgentStream(cell.session, _printer(as_json), reasons=reasons or terminal)
        stream.begin()
        while not stream.ended:
            if terminal:
                click.echo("... " if stream.continued else PROMPT, nl=False)
                sys.stdout.flush()
            data = sys.stdin.buffer.readline()
            if not data:
                break
            stream.line(data.decode("utf-8", "replace"))
        stream.close()


def _printer(as_json: bool) -> Callable[[str], None]:
    def write(text: str) -> None:
        sys.stdout.write((json_text({"output": text}) if as_json else text) + "\n")
        sys.stdout.flush()

    return write


def run_agent(session: Session, lines: Iterable[str], as_json: bool) -> int:
    """Carry out a program in the Agent language, then print the report of the run; return the exit code.

    The program goes on after an error, as the language does. The code is 1 if there was one.
    """
    from workcell.commands.shell import result_json
    from workcell.languages.agent.stream import AgentStream

    write = _printer(as_json)
    stream = AgentStream(session, write)
    failed = False
    for text in lines:
        failed = any(out.startswith("***") for out in stream.line(text)) or failed
        if stream.ended:
            break
    failed = any(out.startswith("***") for out in stream.close()) or failed
    if session.simulator_moves:
        report = session.call("report")
        click.echo(json_text({"report": result_json(report)}) if as_json else str(report))
    return int(failed)
