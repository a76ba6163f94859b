"""Calls of commands by their full names, with parameters by name and numbers in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.registry import Command, Registry
from workcell.errors import InvalidValue, Refused
from workcell.wording import joined

if TYPE_CHECKING:
    from workcell.commands.session import Session


def read_call(
    registry: Registry, name: str, arguments: dict[str, Any] | None, session: Session
) -> tuple[Command, dict[str, Any]]:
    """Return a command by its full name, with the values of its parameters."""
    if not isinstance(name, str):
        raise InvalidValue(f"A command is called by its words, such as 'create robot'; found {name!r}.")
    command = registry.named(name)
    given = dict(arguments or {})
    values: dict[str, Any] = {}
    for part in command.syntax.all_parts():
        if part.param and part.param in given:
            values[part.param] = _read(command, part.param, given.pop(part.param), session, values)
    flags = {group.flag for group in command.syntax.groups if group.flag}
    for flag in flags & set(given):
        values[flag] = bool(given.pop(flag))
    missing = [name for name in command.syntax.required_params if name not in values]
    if given or missing:
        problem = f"has no parameter {sorted(given)[0]!r}" if given else f"needs {missing[0]!r}"
        known = [repr(part.param) for part in command.syntax.all_parts() if part.param]
        known = list(dict.fromkeys([*known, *(repr(flag) for flag in sorted(flags))]))
        are = f"its parameters are {joined(known)}" if len(known) > 1 else f"its only parameter is {known[0]}"
        raise Refused(f"{command.name} {problem}; {are if known else 'it has none'}.")
    return command, values


def _read(command: Command, name: str, raw: Any, session: Session, seen: dict[str, Any]) -> Any:
    """Return the value of a parameter; an error names the parameter."""
    value = command.syntax.params[name]
    try:
        if name in command.syntax.repeated:
            return [value.from_json(one, session, seen) for one in raw]
        return value.from_json(raw, session, seen)
    except InvalidValue as error:
        if type(error) is not InvalidValue:
            raise
        problem = f"Parameter {name!r} of `{command.name}`: {error.message}"
        raise InvalidValue(problem, **error.evidence) from error
