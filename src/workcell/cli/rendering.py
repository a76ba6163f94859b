"""The command render."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workcell.cli.entry import main
from workcell.cli.opening import cell_to_read
from workcell.cli.output import json_option, json_text

if TYPE_CHECKING:
    from workcell.commands.cell import Cell


def _once(default: str | None) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], str | None]:
    """Return a callback that gives the value of an option, and refuses it twice."""

    def one(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
        if len(given) > 1:
            raise click.BadParameter(f"give --{option.name} once; found {', '.join(given)}.")
        return given[0] if given else default

    return one


@main.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The .png file to write.")
@click.option(
    "--view",
    "views",
    multiple=True,
    help="iso, front, side, top …, or a view of the cell. Several, with commas or several --view, go into one picture.",
)
@click.option("--size", multiple=True, callback=_once("1280x720"), help="Width and height in pixels; default 1280x720.")
@click.option(
    "--style", multiple=True, callback=_once("shaded"), help="shaded (default), solid, hidden-line or wireframe."
)
@click.option("--edges", multiple=True, callback=_once(None), help="feature (default), all or none.")
@click.option("--axes/--no-axes", default=True, help="Show x, y and z in the corner.")
@click.option("--sample", default=None, help="A sample cell instead of a file, such as puma.")
@json_option
def render(
    file: Path | None,
    output: Path,
    views: tuple[str, ...],
    size: str,
    style: str,
    edges: str | None,
    axes: bool,
    sample: str | None,
    as_json: bool,
) -> None:
    """Make a picture of a cell without a screen."""
    from workcell.commands.pictures import picture, style_of
    from workcell.errors import InvalidValue
    from workcell.workbench.samples import sample as sample_cell

    try:
        width, height = (int(part) for part in size.lower().split("x"))
    except ValueError:
        raise InvalidValue(f"A size is written as 1280x720; found {size!r}.") from None
    if (file is None) == (sample is None):
        raise click.UsageError("Name a cell file, or a sample with --sample.")
    with sample_cell(sample) if sample else cell_to_read(file) as cell:
        names = [name for view in views for name in _views(cell, view)] or ["iso"]
        notes = picture(cell.session, output, names, (width, height), style_of(style, edges, axes))
    click.echo(json_text({"picture": str(output), "notes": list(notes)}) if as_json else str(output))
    for note in () if as_json else notes:
        click.echo(note, err=True)


def _views(cell: Cell, given: str) -> list[str]:
    """Return the views that a word names: a view of the cell by its whole name, or several with commas between."""
    if cell.database.find("view", given) is not None:
        return [given]
    return [name for name in given.split(",") if name.strip()]
