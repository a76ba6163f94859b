"""The command run."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workcell.cli.agents import run_agent
from workcell.cli.entry import main
from workcell.cli.output import json_option, json_text
from workcell.languages.agent.lines import ENDINGS

if TYPE_CHECKING:
    from workcell.commands.cell import Cell
    from workcell.commands.listeners import Change
    from workcell.commands.session import Session


@main.command()
@click.argument("program")
@click.option(
    "--cell", "file", type=click.Path(path_type=Path), help="The cell to run it in; the file does not change."
)
@click.option("--sample", default=None, help="Run in a sample cell, such as puma.")
@click.option(
    "--mode",
    type=click.Choice(["joint-by-joint", "path", "playback"]),
    help="How motions are simulated; default: as the cell says.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Save the recording to this .rec file; an existing one is overwritten.",
)
@click.option(
    "--pace",
    default="max",
    show_default=True,
    help="Simulated seconds per real second: a factor, `real` for 1, `max`, or `step` to wait for a key.",
)
@json_option
def run(
    program: str,
    file: Path | None,
    sample: str | None,
    mode: str | None,
    record: Path | None,
    pace: str,
    as_json: bool,
) -> None:
    """Run a program on a copy of a cell, from its initial state as `run` does.

    PROGRAM is a file of steps, a file of commands, a file in the Agent language (.agent or .cmd), the name of a
    program of the cell, or - for standard input.
    """
    from workcell.commands.cell import Cell
    from workcell.commands.shell import run_pipe
    from workcell.errors import FileProblem
    from workcell.workbench.samples import sample as sample_cell

    if file is not None and not file.exists():
        raise FileProblem(f"There is no cell {file}; `workcell shell {file}` makes one.")
    if record is not None and record.exists() and record.suffix != ".rec":
        raise FileProblem(f"{record} already exists and is not a recording (.rec); choose another name.")
    with Cell.copy_of(file) if file else sample_cell(sample) if sample else Cell() as cell:
        if mode is not None:
            cell.do(f"mode {mode}")
        spoken = Path(program).suffix in ENDINGS and Path(program).exists()
        lines = _agent_lines(cell, program) if spoken else _program_lines(cell, program, stepwise=pace != "max")
        _hold_back(cell.session, pace)
        with cell.session.recorded_to(record) if record is not None else nullcontext():
            if spoken:
                code = run_agent(cell.session, lines, as_json)
            else:
                code = run_pipe(cell.session, lines, sys.stdout, as_json)
        if code == 0:
            answer = {"time": cell.session.simulator_time, "recording": str(record) if record else None}
            click.echo(json_text(answer) if as_json else f"simulated time {answer['time']:.4f} s")
        elif not as_json:
            recorded = f"; the recording until then is in {record}" if record is not None else ""
            click.echo(f"The program ran on a copy, so the cell did not change{recorded}.", err=True)
        sys.exit(code)


def _agent_lines(cell: Cell, program: str) -> Iterable[str]:
    """Return the lines of a program in the Agent language; it begins in the initial state."""
    from workcell.commands.script import read_lines

    cell.do("reset")
    return list(read_lines(cell.session.files.read(program)))


def _program_lines(cell: Cell, program: str, stepwise: bool) -> Iterable[str]:
    """Return the commands that run a program: from a file, from the cell, or line by line from standard input.

    A file of steps becomes a program of that name in the copy of the cell; a file of other commands runs line by line.
    Both begin in the initial state. With ``stepwise``, a program runs step by step, so that it can be slowed down.
    """
    from workcell.commands.script import read_lines
    from workcell.commands.text_reading import reading_of
    from workcell.errors import FileProblem
    from workcell.wording import quoted
    from workcell.world.names import legal_name

    cell.do("reset")
    if program == "-":
        return read_lines(sys.stdin)
    path, database = Path(program), cell.database
    if not path.exists() and database.find("program", program) is not None:
        name = program
    elif not path.exists():
        known = f"; the cell has {', '.join(database.names('program'))}" if database.names("program") else ""
        raise FileProblem(f"There is no file {program!r}, and no program of that name{known}.")
    else:
        lines = list(read_lines(cell.session.files.read(path)))
        if reading_of(lines) not in ("program", "either"):
            return lines
        name = legal_name(path.stem, "program")
        found = database.find("program", name)
        if found is None or str(found.properties.get("text", "")).rstrip("\n") != "\n".join(lines).rstrip("\n"):
            name = database.free_name("program", name)
            cell.do("\n".join([f"program {quoted(name)}", *lines, "end"]))
    return _stepwise(cell, name) if stepwise else [f"run {quoted(name)}"]


def _stepwise(cell: Cell, name: str) -> Iterable[str]:
    from workcell.wording import quoted

    yield f"debug {quoted(name)}"
    while cell.session.paused is not None:
        yield "step-into"


def _hold_back(session: Session, pace: str) -> None:
    """Slow a run down to a pace of simulated time per real time."""
    import math

    from workcell.errors import InvalidValue
    from workcell.simulation.clock import Pacer

    if pace == "step":
        session.on_change(
            lambda _: click.pause(f"simulated time {session.simulator_time:.4f} s, press a key", err=True)
        )
        return
    try:
        factor = {"real": 1.0, "max": math.inf}.get(pace) or float(pace)
    except ValueError as error:
        raise InvalidValue(f"Expected a factor, real, max or step for the pace; found {pace!r}.") from error
    pacer = Pacer(factor)

    def wait(_: Change) -> None:
        pacer.reached(session.simulator_time)

    if math.isfinite(factor):
        session.on_change(wait)
