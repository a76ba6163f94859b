"""The reference page and the schemas, written from the declarations of commands."""

from __future__ import annotations

import json
from typing import Any

from workcell.commands.language.registry import TITLES, Command, registry
from workcell.wording import capital

_INTRODUCTION = """# Commands

This page describes every command. `make docs` generates it from the declarations of the commands.

In the heading of a command, you type the small letters as they are. Capitals are parameters. Brackets enclose what is
optional; these groups may stand in any order, and a group with … may be repeated.

- You may abbreviate every word as long as it stays unambiguous: `cr bl cube1`.
- `?` at any point of a line lists what may come next. Tab completes a word or a name.
- A number without a unit is in the units of the cell: millimetres and degrees, unless `units` sets others. Times are in
  seconds, masses in kilograms. A unit may follow: `0.25m`, `0.3rad/s`.
- You may give a parameter by name: `name=cube1`. A name or text with blanks needs quotes: `"my cube"`.
- `#` begins a comment.

Each command has one of four effects. A command that *reads* changes nothing. A command that *edits* changes the cell;
`undo` reverts it. A command that *simulates* moves devices in simulated time. A command of the *view* changes what is
shown. [conventions.md](conventions.md) explains poses, transformations and the vocabulary.
"""


def markdown() -> str:
    """Return the text of docs/commands.md."""
    lines = [*_INTRODUCTION.split("\n")]
    family = ""
    for command in registry().commands:
        if command.family != family:
            family = command.family
            lines += [f"## {TITLES[family]}", ""]
        lines += _section(command)
    return "\n".join(lines)


def _section(command: Command) -> list[str]:
    lines = [f"### `{command.syntax.shown()}`", "", f"{capital(command.help)}. {command.details}", ""]
    lines += [f"*{command.effect}*", ""]
    rows = [
        f"| `{shown}` | {label.replace('|', ' or ')} | {help.replace('|', ' or ')} |"
        for shown, label, help in command.explained()
    ]
    if rows:
        lines += ["| parameter | type | meaning |", "|---|---|---|", *rows, ""]
    lines += ["```", *(line.removeprefix("> ") for line in command.examples), "```", ""]
    return lines


def schema(command: Command) -> dict[str, Any]:
    """Return the JSON schema of a command's parameters, as ``session.call`` takes them."""
    repeated = command.syntax.repeated
    properties: dict[str, Any] = {}
    for name, value in command.syntax.params.items():
        one = value.schema()
        properties[name] = {"type": "array", "items": one} if name in repeated else one
    for group in command.syntax.groups:
        if group.flag:
            properties[group.flag] = {"type": "boolean"}
    return {
        "title": command.name,
        "description": command.help,
        "type": "object",
        "properties": properties,
        "required": command.syntax.required_params,
        "additionalProperties": False,
    }


def schemas() -> str:
    """Return all schemas as JSON, for programs in other languages."""
    return (
        json.dumps({command.name: schema(command) for command in registry().commands}, indent=1, ensure_ascii=False)
        + "\n"
    )
