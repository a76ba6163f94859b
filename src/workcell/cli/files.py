"""Commands on cell files: convert, merge, recover."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workcell.cli.entry import main
from workcell.cli.output import json_option, json_text


@main.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.option(
    "--journal",
    type=click.Path(path_type=Path),
    help="A separate file for the history, which a .celltext does not hold.",
)
@click.option("--unit", help="The unit of the numbers in an STL or OBJ file, such as mm; other files state theirs.")
@click.option("--replace", is_flag=True, help="Overwrite the target if it exists.")
@json_option
def convert(
    source: Path, target: Path | None, journal: Path | None, unit: str | None, replace: bool, as_json: bool
) -> None:
    """Convert a cell: .cell to .celltext (text that git can merge), .wld (Ding's) or .robosim, and back.

    A shape file (.step, .stl …) becomes ROBOSIM source, with its polygons in a .OBJ file beside it. Without a target,
    the text is printed.
    """
    from workcell.commands.converting import convert as converted
    from workcell.commands.converting import convert_by_commands, text_to_print

    if target is None:
        click.echo(text_to_print(source), nl=False)
        return
    note = convert_by_commands(source, target, unit, replace)
    if note is None:
        note = converted(source, target, journal, replace)
    if note:
        click.echo(note, err=True)
    answer = {"source": str(source), "target": str(target), "note": note}
    click.echo(json_text(answer) if as_json else f"{source} -> {target}")


@main.command()
@click.argument("base", type=click.Path(path_type=Path), required=False)
@click.argument("ours", type=click.Path(path_type=Path), required=False)
@click.argument("theirs", type=click.Path(path_type=Path), required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file of the merged cell; without it, nothing is written.",
)
@click.option("--replace", is_flag=True, help="Overwrite the output if it exists.")
@click.option(
    "--take",
    type=click.Choice(["ours", "theirs"]),
    default=None,
    help="Which side to take where both sides changed something.",
)
@click.option("--label", default="", help="The name of the file in messages.")
@click.option("--install", "setup", flag_value="install", help="Let git merge and show cells in this repository.")
@click.option("--uninstall", "setup", flag_value="uninstall", help="Undo --install.")
@click.option("--global", "everywhere", is_flag=True, help="With --install: in all repositories of the user.")
@json_option
def merge(
    base: Path | None,
    ours: Path | None,
    theirs: Path | None,
    output: Path | None,
    replace: bool,
    take: str | None,
    label: str,
    setup: str | None,
    everywhere: bool,
    as_json: bool,
) -> None:
    """Merge two versions of a cell, OURS and THEIRS, with the common base BASE; each file may be .cell or .celltext.

    Exit code 0: merged. 1: both sides changed the same things; a sentence describes each, and the output has ours. 2:
    wrong usage.
    """
    from workcell.commands import git_setup
    from workcell.commands.merge_files import merge_files

    if setup is not None:
        if base is not None:
            raise click.UsageError(f"--{setup} takes no files.")
        done = (git_setup.install if setup == "install" else git_setup.uninstall)(everywhere)
        click.echo(json_text({"done": done}) if as_json else "\n".join(done))
        return
    if base is None or ours is None or theirs is None:
        raise click.UsageError("Name three files: BASE OURS THEIRS; or use --install.")
    found = merge_files(base, ours, theirs, output, take or "", replace)
    name = label or str(output or ours)
    if as_json:
        click.echo(json_text({"file": name, **found.as_json()}))
    else:
        for text in found.sentences:
            click.echo(f"{name}: {text}", err=found.open)
        if not found.conflicts:
            click.echo(f"{name}: merged" if output else f"{name}: can be merged; nothing was written without -o")
    sys.exit(1 if found.open else 0)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The new cell; default FILE-recovered.cell.")
@json_option
def recover(file: Path, output: Path | None, as_json: bool) -> None:
    """Copy everything readable from a damaged cell into a new one; the damaged file does not change."""
    from workcell.world.recovery import recover as recovered

    target = output or file.with_name(f"{file.stem}-recovered.cell")

    def progress(fraction: float) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{fraction:4.0%}", nl=fraction == 1.0, err=True)

    found = recovered(file, target, progress)
    click.echo(json_text(found) if as_json else str(found))
