"""The types of expressions, found without running anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from workcell.errors import InvalidValue, UnknownName
from workcell.programs import expressions as e
from workcell.programs.evaluate import entity_name, require_arguments
from workcell.programs.functions import FUNCTIONS, ROBOT, SIGNAL
from workcell.programs.measures import (
    COMPARISONS,
    DIMENSIONS,
    PLAIN,
    UNITS,
    Dimension,
    combined_dimension,
    measured,
    measures,
    named,
    sum_dimension,
)
from workcell.programs.wants import Entity, Wants
from workcell.wording import an, counted, path_instead


class Type(msgspec.Struct, frozen=True):
    """The type of an expression: its kind, the dimension of a number if known, and the count of a row of numbers.

    Joint values have a count too; 0 if it is unknown. A signal is a plain number, and ``reads`` is what it measures.
    """

    kind: str
    dimension: Dimension | None = None
    count: int = 0
    reads: Dimension = PLAIN

    def __str__(self) -> str:
        if self.kind == "number":
            return "a number" if self.dimension in (None, PLAIN) else f"a number ({named(self.dimension)})"
        if self.kind == "row":
            return counted(self.count, "number")
        return {"truth": "a truth value", "joints": "joint values"}.get(self.kind, an(self.kind))


UNKNOWN = Type("unknown")
TRUTH, TEXT, POSE, JOINTS = Type("truth"), Type("text"), Type("pose"), Type("joints")
ANY_NUMBER = Type("number")
NAME = Type("text", count=1)
"""A parameter that stands for a name: a text in an expression, and the name where a function takes one."""


class World(Protocol):
    """The names that a program can use."""

    def kinds_of(self, name: str) -> tuple[str, ...]:
        """Return the kinds of entity that have this name: signal, target, frame, robot, path and others."""
        ...

    def known(self, kinds: tuple[str, ...]) -> list[str]:
        """Return all names of these kinds."""
        ...

    def joints_of(self, robot: str) -> int:
        """Return how many joints a robot has; 0 if there is no such robot."""
        ...

    def quantity_of(self, signal: str) -> str:
        """Return what a signal measures: length, angle and others; ``number`` if it is a plain number."""
        ...


def parameter_type(kind: str) -> Type:
    """Return the type of a parameter that is declared with this word."""
    if kind in DIMENSIONS:
        return Type("number", DIMENSIONS[kind])
    return {"truth": TRUTH, "text": TEXT, "joints": JOINTS, "part": NAME, "robot": NAME}.get(kind, POSE)


def type_of(expression: e.Expression, variables: Mapping[str, Type], world: World) -> Type:
    """Return the type of an expression.

    Raises:
        UnknownName: a name that does not exist.
        InvalidValue: operands that do not match.
    """
    return _TYPES[type(expression)](expression, variables, world)


def require(found: Type, wants: Wants) -> None:
    """Refuse an expression of this type if another type is wanted."""
    if found.kind == "unknown" or wants.type in ("any", "text"):
        return
    if wants.type == "number":
        if found.kind != "number":
            raise InvalidValue(f"Expected a number; found {found}.")
        wanted = DIMENSIONS.get(wants.quantity)
        if wanted is None or found.dimension in (None, PLAIN, wanted):
            return
        raise InvalidValue(f"Expected {an(wants.quantity)}; found {an(named(found.dimension))}.")
    allowed = {
        "truth": ("truth", "number"), "joints": ("joints", "row"), "pose": ("pose",), "point": ("pose",),
    }[wants.type]  # fmt: skip
    if found.kind in allowed and (wants.type, found.dimension in (None, PLAIN)) != ("truth", False):
        return
    if wants.type in ("pose", "point") and found.kind == "row" and found.count == 3:
        return
    what = {"truth": "a condition", "joints": "joint values"}.get(wants.type, "a pose")
    raise InvalidValue(f"Expected {what}; found {found}.")


def merged(one: Type, other: Type) -> Type | None:
    """Return the type of a variable that is given values of both types; None if they do not match."""
    if one == other or other.kind == "unknown":
        return one
    if one.kind == "unknown":
        return other
    if one.kind == other.kind == "number":
        return Type("number", one.dimension) if one.dimension == other.dimension else ANY_NUMBER
    return Type(one.kind) if one.kind == other.kind in ("row", "joints") else None


def matched(one: Type, other: Type) -> Type:
    """Return the type that two numbers have if they are added or compared; two that do not match are refused."""
    if one.dimension is None or other.dimension is None:
        return ANY_NUMBER
    reads = sum_dimension(measures(one.dimension, one.reads), measures(other.dimension, other.reads))
    return Type("number", sum_dimension(one.dimension, other.dimension), reads=reads)


def _signal(name: str, world: World) -> Type:
    return Type("number", PLAIN, reads=DIMENSIONS[world.quantity_of(name)])


def _number(one: e.Number, *_: object) -> Type:
    return Type("number", measured(one.value, one.unit).dimension)


def _name(one: e.Name, variables: Mapping[str, Type], world: World) -> Type:
    if not one.kind and one.name in variables:
        return variables[one.name]
    kinds = (one.kind,) if one.kind else ("signal", "target", "frame")
    found = [kind for kind in world.kinds_of(one.name) if kind in kinds]
    if not found and not one.kind and "path" in world.kinds_of(one.name):
        raise UnknownName(f"Expected a variable, signal, target or frame; {path_instead(one.name)}", asked=one.name)
    if not found:
        known = [*variables, *world.known(kinds)]
        unknown = UnknownName.among("variable, signal, target or frame" if not one.kind else one.kind, one.name, known)
        if one.name[:1].isdigit():
            raise UnknownName(f"{unknown.message} A position has three numbers: X,Y,Z.", **unknown.evidence)
        raise unknown
    return _signal(one.name, world) if "signal" in found else POSE


def _unary(one: e.Unary, variables: Mapping[str, Type], world: World) -> Type:
    inner = type_of(one.operand, variables, world)
    if one.operator == "not":
        require(inner, Wants("truth"))
        return TRUTH
    if inner.kind not in ("number", "unknown"):
        raise InvalidValue(f"Only a number has a sign; found {inner}.")
    return inner


def _binary(one: e.Binary, variables: Mapping[str, Type], world: World) -> Type:
    left, right = type_of(one.left, variables, world), type_of(one.right, variables, world)
    if one.operator in e.LOGIC:
        require(left, Wants("truth"))
        require(right, Wants("truth"))
        return TRUTH
    numbers = left.kind == right.kind == "number"
    unknown = "unknown" in (left.kind, right.kind)
    if one.operator in COMPARISONS:
        if numbers:
            matched(left, right)
        elif not unknown and not (one.operator in ("=", "<>") and left.kind == right.kind):
            raise InvalidValue(f"`{one.operator}` cannot be used between {left} and {right}.")
        return TRUTH
    if one.operator == "+" and left.kind == "text":
        return TEXT
    if numbers:
        if left.dimension is None or right.dimension is None:
            return ANY_NUMBER
        if one.operator not in "*/":
            matched(left, right)
        return Type("number", combined_dimension(one.operator, left.dimension, right.dimension))
    if unknown:
        return UNKNOWN
    raise InvalidValue(f"`{one.operator}` cannot be used between {left} and {right}.")


def _call(one: e.Call, variables: Mapping[str, Type], world: World) -> Type:
    function = FUNCTIONS[one.function]
    require_arguments(one, function)
    takes = [*function.takes, *function.takes[-1:] * (len(one.arguments) - len(function.takes))]
    like = Type("number", PLAIN)
    for argument, wants in zip(one.arguments, takes, strict=True):
        if isinstance(wants, Entity):
            name = entity_name(argument, wants)
            if variables.get(name) == NAME:
                continue
            if not set(world.kinds_of(name)) & set(wants.kinds):
                raise UnknownName.among(" or ".join(wants.kinds), name, world.known(wants.kinds))
            continue
        found = type_of(argument, variables, world)
        require(found, wants)
        if wants.quantity == "like":
            like = matched(like, found)
    gives = function.gives
    if one.function == "signal":
        return _signal(entity_name(one.arguments[0], SIGNAL), world)
    if one.function == "joints":
        return Type("joints", None, world.joints_of(entity_name(one.arguments[0], ROBOT)))
    if gives.type != "number":
        return {"joints": JOINTS, "pose": POSE, "text": TEXT}[gives.type]
    return Type("number", like.dimension if gives.quantity == "like" else DIMENSIONS.get(gives.quantity))


def _row(one: e.Row, variables: Mapping[str, Type], world: World) -> Type:
    for item in one.items:
        if type(item) is not e.Number:
            require(type_of(item, variables, world), Wants("number", "any"))
    return Type("row", None, len(one.items))


_ROW_OF = {"translate": "length", "rotate": "angle", "euler": "angle", "points": "length"}


def _posed(one: e.Posed, variables: Mapping[str, Type], world: World) -> Type:
    if one.base is not None:
        require(type_of(one.base, variables, world), Wants("pose"))
    if one.position is not None:
        _items(one.position, "length", variables, world)
    for form in one.forms:
        for place, row in enumerate(form.rows):
            quantity = "length" if form.word == "axis" and place else _ROW_OF.get(form.word, "number")
            _items(row, quantity, variables, world)
        if form.angle is not None:
            require(type_of(form.angle, variables, world), Wants("number", "angle"))
        if form.along is not None:
            require(type_of(form.along, variables, world), Wants("pose"))
    return POSE


def _items(row: e.Row, quantity: str, variables: Mapping[str, Type], world: World) -> None:
    wants = Wants("number", quantity)
    if row.unit and UNITS[row.unit] != quantity:
        raise InvalidValue(f"Expected {an(quantity)}; found {an(UNITS[row.unit])}.")
    for item in row.items:
        if type(item) is e.Number and not item.unit:
            continue
        require(type_of(item, variables, world), wants)


_TYPES: dict[type, Callable[[Any, Mapping[str, Type], World], Type]] = {
    e.Number: _number,
    e.Truth: lambda *_: TRUTH,
    e.Text: lambda *_: TEXT,
    e.Name: _name,
    e.Unary: _unary,
    e.Binary: _binary,
    e.Call: _call,
    e.Row: _row,
    e.Posed: _posed,
}
