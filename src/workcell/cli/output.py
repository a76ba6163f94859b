"""How the commands of the command line answer, and the options that they share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option of every command that answers."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")(function)


def json_text(value: Any) -> str:
    """A value as one line of JSON."""
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


def page_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that serves a cell."""
    for option in (
        click.option(
            "--allow",
            "allow",
            multiple=True,
            type=click.Path(path_type=Path),
            help="A folder whose files clients may use, beside that of the cell; may be repeated.",
        ),
        click.option("--port", default=8765, show_default=True, help="Port of the page; 0 takes a free one."),
    ):
        function = option(function)
    return function
