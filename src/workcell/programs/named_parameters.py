"""Parameters that are names: of a part, a robot or a place. A program with such parameters is a recipe.

Before it runs, the names that the caller gives are put in place of the parameters, so every step and every function
that takes a name can take a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec

from workcell.errors import InvalidValue
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.base_step import Base
from workcell.programs.functions import FUNCTIONS
from workcell.programs.program import Parameter, Program
from workcell.programs.wants import Entity, Wants, fields_of

NAMED: Mapping[str, tuple[str, ...]] = {
    "part": ("object",), "robot": ("robot", "mechanism"), "place": ("target", "frame"),
}  # fmt: skip
"""The types of such parameters, and the kinds of thing whose names they take."""
Names = Mapping[str, str]
"""The names that were given, by parameter."""


def named(program: Program) -> dict[str, Parameter]:
    """Return the parameters of a program that are names."""
    return {one.name: one for one in program.parameters if one.type in NAMED}


def given_name(argument: e.Expression, names: Names, parameter: str) -> str:
    """Return the name that an argument gives: a bare name, a parameter of the caller, or a text.

    Args:
        argument: as it is written.
        names: the names that parameters of the caller stand for.
        parameter: which parameter it is for, for messages.

    Raises:
        InvalidValue: it is no name.
    """
    if isinstance(argument, e.Name):
        return names.get(argument.name, argument.name) if not argument.kind else argument.name
    if isinstance(argument, e.Text):
        return argument.value
    raise InvalidValue(f"Parameter {parameter!r} is a name; found a value. Names with blanks are in quotes.")


def bound(program: Program, names: Names) -> Program:
    """Return a program with the names that were given in place of its parameters."""
    if not names:
        return program
    return _bound(program.hash, tuple(sorted(names.items())), _Kept(program))


class _Kept:
    """A program that is not compared when a result of it is looked up; its hash is."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and self.program.places == other.program.places


@lru_cache(maxsize=256)
def _bound(_: str, names: tuple[tuple[str, str], ...], kept: _Kept) -> Program:
    program = kept.program
    body = tuple(_step(step, dict(names), program) for step in program.body)
    return Program(program.name, program.parameters, body, program.units, program.places, program.heads)


def _step(step: s.Step, names: Names, program: Program) -> s.Step:
    """Return a step with names in place of parameters, the steps in its blocks included."""
    changed: dict[str, Any] = {}
    for field in fields_of(type(step)):
        value = getattr(step, field.name)
        if isinstance(field.holds, Entity) and value in names:
            changed[field.name] = names[value]
        elif isinstance(field.holds, Wants) and value is not None:
            some = tuple(_expression(one, names, program) for one in (value if field.several else (value,)))
            changed[field.name] = some if field.several else some[0]
        elif isinstance(value, tuple):
            changed[field.name] = tuple(_item(one, names, program) for one in value)
    return msgspec.structs.replace(step, **changed) if changed else step


def _item(value: Any, names: Names, program: Program) -> Any:
    """Return an item of a field that holds blocks: a step, a block, or an arm of an ``if``."""
    if isinstance(value, s.Arm):
        body = tuple(_step(one, names, program) for one in value.body)
        return s.Arm(_expression(value.condition, names, program), body)
    if isinstance(value, tuple):
        return tuple(_step(one, names, program) for one in value)
    return _step(cast("s.Step", value), names, program) if isinstance(value, Base) else value


def _expression(value: Any, names: Names, program: Program) -> Any:
    """Return an expression with names in place of places, and of parameters where a function takes a name."""
    if isinstance(value, e.Name):
        return _place(value, names, program)
    if isinstance(value, e.Call):
        takes = FUNCTIONS[value.function].takes if value.function in FUNCTIONS else ()
        found = []
        for number, one in enumerate(value.arguments):
            wants = takes[min(number, len(takes) - 1)] if takes else None
            if isinstance(wants, Entity) and isinstance(one, e.Name) and not one.kind and one.name in names:
                found.append(e.Name(names[one.name]))
            else:
                found.append(_expression(one, names, program))
        return e.Call(value.function, tuple(found))
    if isinstance(value, tuple):
        return tuple(_expression(one, names, program) for one in value)
    if isinstance(value, msgspec.Struct):
        inner = {name: getattr(value, name) for name in value.__struct_fields__}
        nested = {name: one for name, one in inner.items() if isinstance(one, tuple | msgspec.Struct)}
        kept = {name: _expression(one, names, program) for name, one in nested.items()}
        return msgspec.structs.replace(value, **kept) if kept else value
    return value


def _place(value: e.Name, names: Names, program: Program) -> e.Expression:
    """Return the name of a place for a parameter that is one; other names stay: parts and robots are texts there."""
    if value.kind or value.name not in names:
        return value
    kind = next((one.type for one in program.parameters if one.name == value.name), "")
    return e.Name(names[value.name]) if kind == "place" else value
