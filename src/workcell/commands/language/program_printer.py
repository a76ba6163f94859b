"""Writing programs: lines of the command language that read back to the same steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from workcell.commands.language.expression_text import expression_text, glued_text, pose_text, row_text
from workcell.commands.language.registry import Command, registry
from workcell.commands.language.step_reader import step_types
from workcell.errors import InvalidValue
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.program import Parameter, Program
from workcell.programs.wants import Entity, Wants, fields_of
from workcell.wording import an, capital, quoted

INDENT = "  "


def program_text(program: Program, header: bool = False) -> str:
    """Return the text of a program; with ``header``, between ``program NAME`` and ``end``."""
    lines = [_parameter(one) for one in program.parameters]
    lines += block_lines(program.body)
    if header:
        lines = [f"program {quoted(program.name)}", *(f"{INDENT}{line}" if line else line for line in lines), "end"]
    return "\n".join(lines)


def block_lines(block: s.Block) -> list[str]:
    """Return the lines of some steps, with inner blocks indented."""
    return [line for step in block for line in step_lines(step)]


def step_lines(step: s.Step) -> Iterator[str]:
    """Yield the lines of one step with its blocks."""
    special = _PRINT.get(type(step))
    if special is None:
        yield command_line(step)
    else:
        yield from special(step)


def command_line(step: s.Step) -> str:
    """Return the line of a step that is a command."""
    command = _command_of(type(step))
    fields = {one.name: one for one in fields_of(type(step))}
    defaults = type(step).__struct_defaults__
    names = type(step).__struct_fields__
    given = {name: getattr(step, name) for name in names}
    for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
        if default is not msgspec.NODEFAULT and given[name] == default:
            given[name] = None

    return command.syntax.canonical(given, lambda name, value: field_text(command, name, fields[name].holds, value))


def field_text(command: Command, name: str, holds: Entity | Wants | None, value: Any) -> str:
    """Return a field of a step as its line has it."""
    if isinstance(holds, Entity):
        return quoted(value)
    if isinstance(holds, Wants):
        return _wanted_text(holds, value)
    return command.syntax.params[name].text(value)


def _wanted_text(wants: Wants, value: e.Expression) -> str:
    if wants.type in ("pose", "point"):
        return pose_text(value)
    if wants.type == "joints" and isinstance(value, e.Row):
        return row_text(value)
    return glued_text(value)


def _command_of(kind: type) -> Command:
    for name, one in step_types().items():
        if one is kind:
            return registry().named(name)
    raise InvalidValue(f"{capital(an(kind.__name__))} cannot be written as a command.")


def _parameter(one: Parameter) -> str:
    default = "" if one.default is None else f" = {expression_text(one.default)}"
    return f"parameter {one.name} {one.type}{default}"


def _inner(block: s.Block) -> Iterator[str]:
    for line in block_lines(block):
        yield f"{INDENT}{line}" if line else ""


def _if(step: s.If) -> Iterator[str]:
    word = "if"
    for arm in step.arms:
        yield f"{word} {expression_text(arm.condition)}"
        yield from _inner(arm.body)
        word = "else if"
    if step.otherwise:
        yield "else"
        yield from _inner(step.otherwise)
    yield "end"


def _while(step: s.While) -> Iterator[str]:
    yield f"while {expression_text(step.condition)}"
    yield from _inner(step.body)
    yield "end"


def _repeat(step: s.Repeat) -> Iterator[str]:
    yield f"repeat {expression_text(step.count)}"
    yield from _inner(step.body)
    yield "end"


def _for(step: s.For) -> Iterator[str]:
    by = "" if step.by is None else f" by {expression_text(step.by)}"
    yield f"for {step.variable} from {expression_text(step.first)} to {expression_text(step.last)}{by}"
    yield from _inner(step.body)
    yield "end"


def _for_each(step: s.ForEach) -> Iterator[str]:
    yield f"for {step.variable} in {quoted(step.path)}"
    yield from _inner(step.body)
    yield "end"


def _parallel(step: s.Parallel) -> Iterator[str]:
    word = "parallel"
    for branch in step.branches:
        yield word
        yield from _inner(branch)
        word = "and"
    yield "end"


def _try(step: s.Try) -> Iterator[str]:
    yield "try"
    yield from _inner(step.body)
    yield f"on-error {step.variable}".rstrip()
    yield from _inner(step.handler)
    yield "end"


def _wait_until(step: s.WaitUntil) -> Iterator[str]:
    timeout = "" if step.timeout is None else f" timeout {glued_text(step.timeout)}"
    yield f"wait-until {expression_text(step.condition)}{timeout}{'' if step.otherwise is None else ' else'}"
    if step.otherwise is not None:
        yield from _inner(step.otherwise)
        yield "end"


def _call(step: s.Call) -> Iterator[str]:
    arguments = ", ".join(expression_text(one) for one in step.arguments)
    yield f"call {quoted(step.program)} {arguments}".rstrip()


def _together(step: s.Together) -> Iterator[str]:
    yield "together " + " & ".join(command_line(move) for move in step.moves)


def _verbatim(step: s.Verbatim) -> Iterator[str]:
    yield f"verbatim {step.language}"
    if step.text:
        yield from step.text.split("\n")
    yield "end"


def _frame(step: s.Frame) -> Iterator[str]:
    yield "frame world" if step.frame is None else f"frame {pose_text(step.frame)}"


_PRINT: dict[type, Callable[[Any], Iterator[str]]] = {
    s.If: _if,
    s.While: _while,
    s.Repeat: _repeat,
    s.For: _for,
    s.ForEach: _for_each,
    s.Parallel: _parallel,
    s.Try: _try,
    s.WaitUntil: _wait_until,
    s.Call: _call,
    s.Together: _together,
    s.Verbatim: _verbatim,
    s.Frame: _frame,
    s.Let: lambda step: iter([f"let {step.variable} = {expression_text(step.value)}"]),
    s.Message: lambda step: iter([f"message {expression_text(step.text)}"]),
    s.Comment: lambda step: iter([f"# {step.text}".rstrip()]),
    s.Return: lambda _: iter(["return"]),
    s.Stop: lambda _: iter(["stop"]),
}
"""How steps that are not plain commands are written."""
