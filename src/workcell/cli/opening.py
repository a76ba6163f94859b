"""The cell that a command of the command line works on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from workcell.commands.cell import Cell


def cell_of(file: Path, read_only: bool = False) -> Cell:
    """Return the cell of a file, which is made if it does not exist; notes on it are printed."""
    from workcell.commands.cell import WORLD, Cell
    from workcell.world.database import Database

    if file.suffix.lower() == WORLD:
        return Cell.copy_of(file) if read_only else converted(file)
    if not file.exists():
        return Cell.create(file)
    cell = Cell(Database.open(file, read_only))
    for note in cell.notes:
        click.echo(note, err=True)
    return cell


def converted(file: Path) -> Cell:
    """Make a cell file beside a work cell file, with its content."""
    from workcell.commands.cell import Cell
    from workcell.errors import FileProblem

    kept = file.with_suffix(".cell")
    if kept.exists():
        raise FileProblem(
            f"{kept} already exists, perhaps made from {file.name} before. Open it, or convert the file again with "
            f"`workcell convert {file} OTHER.cell`."
        )
    with Cell.copy_of(file) as cell:
        cell.call("save", file=str(kept))
    click.echo(
        f"{file.name} was converted to {kept}, which is now open; `export world` writes a .wld file again.", err=True
    )
    return Cell.open(kept)


def cell_to_read(file: Path | None) -> Cell:
    """Return the cell of an existing file, for reading."""
    from workcell.commands.cell import WORLD, Cell
    from workcell.errors import NotACell
    from workcell.geometry.formats.writing import ENDINGS

    assert file is not None
    if file.suffix.lower() == WORLD:
        return Cell.copy_of(file)
    if file.suffix.lower() in ENDINGS and file.exists():
        raise NotACell(
            f"{file.name} is a shape file, not a cell. In `workcell shell`, `import solid NAME {file.name}` reads "
            "it; then use `place NAME at 0,0,0` and `render`."
        )
    return Cell.open(file, read_only=True)


def serve_cell(make: Callable[[], Cell], browser: bool, fragment: str = "", **options: Any) -> None:
    """Serve a cell until Ctrl-C, in a browser or not; ``fragment`` is what the page opens with."""
    from workcell.service.connections import Connection, announced
    from workcell.service.recent_files import default_file
    from workcell.service.server import Server
    from workcell.workbench.gallery import Gallery

    @contextmanager
    def session() -> Iterator[Any]:
        with make() as cell:
            yield cell.session

    server = Server(session, samples=Gallery(), recent=default_file(), **options)
    with announced(Connection(server.host, server.port, server.token, os.getpid()), fragment) as page:

        def ready(url: str) -> None:
            click.echo(f"Workcell is at {url}{fragment} (Ctrl-C stops it)")
            for port in server.doors.ports:
                click.echo(f"Programs send {port.spoken} to {port.address}")
            if browser:
                import webbrowser

                webbrowser.open(page)

        server.run(ready)
    for folder in server.cells.left_files:
        click.echo(f"The files that clients wrote are in {folder}", err=True)
