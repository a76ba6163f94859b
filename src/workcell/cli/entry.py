"""The entry point of the command line; without a command, it opens the workbench."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from workcell import __version__
from workcell.cli.opening import serve_cell
from workcell.cli.output import json_text, page_options
from workcell.errors import WorkcellError


class Refusing(click.Group):
    """Turns a WorkcellError into one line and exit code 1; wrong usage exits with 2."""

    def main(self, *args: Any, **more: Any) -> Any:
        """Carry out a command line."""
        try:
            return super().main(*args, **more)
        except WorkcellError as error:
            if "--json" in sys.argv:
                from workcell.commands.shell import error_json

                click.echo(json_text(error_json(error)))
            else:
                click.echo(error.pointed(), err=True)
            sys.exit(1)
        except UnicodeDecodeError as error:
            click.echo(f"The text is not UTF-8: byte {error.start} is {error.object[error.start]:#x}.", err=True)
            sys.exit(1)
        except BrokenPipeError:
            sys.exit(0)


@click.group(cls=Refusing, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="workcell")
@page_options
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.pass_context
def main(context: click.Context, port: int, allow: tuple[Path, ...], no_browser: bool) -> None:
    """Robotic workcell simulator: model a cell, program it, check it, run it, watch it.

    Without a command, the workbench opens on the sample cell.
    """
    if context.invoked_subcommand is None:
        from workcell.workbench.samples import sample

        here = (Path.cwd(),)  # where *Save as* writes
        serve_cell(sample, not no_browser, "#gallery", port=port, allow=allow or here)
