"""Reference pages, types and schemas, written from the declarations."""

from __future__ import annotations

import json
from typing import Any

from workcell.commands.language.registry import TITLES, Command, registry


def markdown() -> str:
    """docs/commands.md."""
    lines = [
        "# Commands",
        "",
        "Generated from the declarations by `make docs`; a test compares. Every word may be abbreviated as long as it",
        "is unambiguous (`cr bl cube1`), `?` at any point lists what may come next, Tab completes. Bare numbers are in",
        "the cell's units (millimetres and degrees unless set); a unit may follow (`0.25m`, `0.3rad/s`). A parameter",
        "may also be given by name (`name=cube1`). Names with blanks stand in quotes. `#` begins a comment.",
        "",
    ]
    family = ""
    for command in registry().commands:
        if command.family != family:
            family = command.family
            lines += [f"## {TITLES[family]}", ""]
        lines += _section(command)
    return "\n".join(lines)


def _section(command: Command) -> list[str]:
    told = str(command.run.__doc__ or "").strip().split("\n")[0]
    lines = [f"### `{command.syntax.shown()}`", "", f"{command.help[0].upper()}{command.help[1:]}. {told}", ""]
    lines.append(f"*{command.effect}*")
    lines.append("")
    rows = [
        f"| `{name.upper()}` | {value.label.replace('|', ' or ')} | {command.param_help.get(name, value.help)} |"
        for name, value in command.syntax.params.items()
    ]
    if rows:
        lines += ["| parameter | type | |", "|---|---|---|", *rows, ""]
    lines += ["```", *(line.removeprefix("> ") for line in command.examples), "```", ""]
    return lines


def schema(command: Command) -> dict[str, Any]:
    """The JSON schema of a command's parameters, as ``session.call`` takes them."""
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
    """All schemas, for programs in other languages."""
    return (
        json.dumps({command.name: schema(command) for command in registry().commands}, indent=1, ensure_ascii=False)
        + "\n"
    )
