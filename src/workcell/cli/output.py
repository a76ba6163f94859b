"""The output of the commands of the command line, and their common options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option of every command with an answer."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")(function)


def json_text(value: Any) -> str:
    """Return a value as one line of JSON."""
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


def page_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every command that serves a cell."""
    for option in (
        click.option(
            "--allow",
            "allow",
            multiple=True,
            type=click.Path(path_type=Path),
            help="A further folder whose files clients may use; may be repeated.",
        ),
        click.option("--port", default=8765, show_default=True, help="The port of the page; 0 for a free one."),
    ):
        function = option(function)
    return function
