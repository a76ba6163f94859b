"""Reading statements of programs, such as ``if`` and ``let``, behind their first word."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from workcell.commands.language.choices import match_word
from workcell.commands.language.step_reader import StepReader
from workcell.commands.language.texts import unescape
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.named_parameters import NAMED
from workcell.programs.program import PARAMETER_TYPES, Parameter
from workcell.programs.wants import Entity

CALLED = ("signal", "target", "frame", "object", "robot", "mechanism")
"""The kinds of entity that a bare name for a parameter can be."""
_ALONE = re.compile(r'\s*(?:(?P<name>[^\W\d]\w*(?:-\w+)*)|(?P<quotes>"(?P<quoted>[^"]*)"))\s*(?=,|\Z)')
_VARIABLE = re.compile(r"[^\W\d]\w*\Z")


def _variable(reader: StepReader) -> str:
    """Read the name of a variable, which is known from here on."""
    start = reader.at
    name = reader.take_word()
    if "-" in name or not _VARIABLE.match(name):
        raise reader.fail(
            f"{name!r} cannot be the name of a variable; use letters, digits and _, and begin with a letter.",
            ["NAME"],
            start,
        )
    reader.variables.add(name)
    return name


def _expect(reader: StepReader, word: str) -> None:
    if not reader.takes(word):
        raise reader.fail(f"Expected `{word}`{reader.found()}.", [word])


def _parameter(reader: StepReader) -> tuple[Parameter]:
    name = _variable(reader)
    start = reader.at
    kind = reader.take_word() if reader.word() else ""
    found = match_word(kind, PARAMETER_TYPES) if kind else []
    if len(found) != 1:
        raise reader.fail(
            f"Expected the type of parameter {name!r}: {', '.join(PARAMETER_TYPES)}.", list(PARAMETER_TYPES), start
        )
    if found[0] in NAMED:
        reader.variables.named.add(name)
    default = None
    if not reader.done:
        reader.take("=")
        default = _argument(reader) if found[0] in NAMED else reader.value()
    return (Parameter(name, found[0], default),)  # type: ignore[arg-type]


def _let(reader: StepReader) -> tuple[s.Let]:
    start = reader.at
    name = reader.take_word()
    reader.take("=")
    value = reader.value()
    reader.at, end = start, reader.at
    _variable(reader)  # after its value, which may use the variable only if it existed before
    reader.at = end
    return (s.Let(name, value),)


def _condition(reader: StepReader) -> tuple[e.Expression]:
    return (reader.expression(),)


def _else(reader: StepReader) -> tuple[e.Expression | None]:
    return (reader.expression() if reader.takes("if") else None,)


def _for(reader: StepReader) -> tuple[Any, ...]:
    name = _variable(reader)
    if reader.takes("in"):
        return name, reader.entity(Entity(("path",)))
    _expect(reader, "from")
    first = reader.expression()
    _expect(reader, "to")
    last = reader.expression()
    return name, first, last, reader.expression() if reader.takes("by") else None


def _nothing(_: StepReader) -> tuple[()]:
    return ()


def _on_error(reader: StepReader) -> tuple[str]:
    return ("" if reader.done else _variable(reader),)


def _wait_until(reader: StepReader) -> tuple[e.Expression, e.Expression | None, bool]:
    condition = reader.expression()
    timeout = reader.number("time") if reader.takes("timeout") else None
    opens = reader.takes("else")
    if opens and timeout is None:
        raise reader.fail("`else` needs a timeout: timeout TIME else.", ["timeout"])
    return condition, timeout, opens


def _call(reader: StepReader) -> tuple[s.Call]:
    name = reader.entity(Entity(("program",)))
    arguments: list[e.Expression] = []
    while not reader.done:
        if arguments:
            reader.take(",")
        arguments.append(_argument(reader))
    return (s.Call(name, tuple(arguments)),)


def _argument(reader: StepReader) -> e.Expression:
    """Read a value for a parameter; a bare name may be that of anything, and a text in quotes may be a name."""
    found = _ALONE.match(reader.line, reader.at, reader.end)
    if found is None or found["name"] in ("true", "false"):
        return reader.expression()
    name, start = found["name"] or found["quoted"], found.start("name" if found["name"] else "quotes")
    reader.at = found.end("name" if found["name"] else "quotes")
    if name not in reader.variables:
        reader.mention(start, reader.at, name, CALLED)
    return e.Name(name) if found["name"] else e.Text(unescape(name))


def _message(reader: StepReader) -> tuple[s.Message]:
    return (s.Message(reader.expression()),)


def _frame(reader: StepReader) -> tuple[s.Frame]:
    return (s.Frame() if reader.takes("world") else s.Frame(reader.pose()),)


STATEMENTS: dict[str, Callable[[StepReader], tuple[Any, ...]]] = {
    "parameter": _parameter,
    "let": _let,
    "if": _condition,
    "else": _else,
    "while": _condition,
    "repeat": _condition,
    "for": _for,
    "parallel": _nothing,
    "and": _nothing,
    "try": _nothing,
    "on-error": _on_error,
    "wait-until": _wait_until,
    "call": _call,
    "message": _message,
    "frame": _frame,
    "return": lambda _: (s.Return(),),
    "stop": lambda _: (s.Stop(),),
    "end": _nothing,
}
"""The statements of programs: for each first word, what reads the rest of the line."""
