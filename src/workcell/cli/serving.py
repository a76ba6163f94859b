"""Commands that open a cell: open, serve, shell."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from workcell.cli.entry import main
from workcell.cli.opening import cell_of, serve_cell
from workcell.cli.output import json_option, page_options


@main.command("open")
@click.argument("file", type=click.Path(path_type=Path))
@page_options
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def open_file(file: Path, port: int, allow: tuple[Path, ...], no_browser: bool) -> None:
    """Open the workbench on a cell file, which is made if it does not exist.

    One of Ding's work cell files (.wld) is converted to a cell file of the same name beside it.
    """
    serve_cell(lambda: cell_of(file), not no_browser, port=port, allow=allow)


@main.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@page_options
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve; 0.0.0.0 for the network.")
@click.option(
    "--token",
    default=None,
    envvar="WORKCELL_TOKEN",
    show_envvar=True,
    help="The token that clients need; made by default. Other accounts can see arguments, but not the variable.",
)
@click.option(
    "--socket",
    type=click.Path(path_type=Path),
    help="Also serve a Unix socket at this path, for programs of this account.",
)
@click.option(
    "--lines",
    multiple=True,
    metavar="PORT|PATH",
    help="Also take commands as lines of text, at a port (0 for a free one) or at a Unix socket; repeatable.",
)
@click.option(
    "--agent",
    multiple=True,
    metavar="PORT|PATH",
    help="Also take lines of the Agent language, at a port (0 for a free one) or at a Unix socket; repeatable.",
)
def serve(
    file: Path | None,
    host: str,
    port: int,
    allow: tuple[Path, ...],
    token: str | None,
    socket: Path | None,
    lines: tuple[str, ...],
    agent: tuple[str, ...],
) -> None:
    """Serve a cell to pages and programs without opening a browser."""
    from workcell.workbench.samples import sample

    make = sample if file is None else lambda: cell_of(file)
    serve_cell(
        make,
        browser=False,
        port=port,
        host=host,
        token=token,
        allow=allow,
        socket=socket,
        lines=lines,
        agent=agent,
    )


@main.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--script", type=click.File("rb"), default=None, help="Read commands from a file; - for standard input.")
@click.option("--read-only", is_flag=True, help="Open the cell for reading only.")
@json_option
def shell(file: Path | None, script: Any, read_only: bool, as_json: bool) -> None:
    """Type commands on a cell file, which is made if it does not exist, or on a cell in memory."""
    from workcell.commands.cell import Cell
    from workcell.commands.script import read_lines
    from workcell.commands.shell import Shell, run_pipe

    with cell_of(file, read_only) if file else Cell(who="shell") as cell:
        cell.session.who = "shell"
        if script is not None or not sys.stdin.isatty():
            lines = read_lines(script.read() if script is not None and script is not sys.stdin.buffer else sys.stdin)
            sys.exit(run_pipe(cell.session, lines, sys.stdout, as_json))
        sys.exit(Shell(cell.session, as_json).run())
