"""Expressions: numbers with units, names, arithmetic, comparison, rows of numbers and poses, as frozen data.

Every expression is a tagged struct, so that a program can be sent, kept and compared. A :class:`Name` is a variable
of the program, else a signal, a target or a frame of the cell; this is decided where the name is read.
A frozen tree holds no cycles, so the garbage collector need not look at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec


class Number(msgspec.Struct, frozen=True, gc=False, tag="number"):
    """A number as typed, with its unit or without."""

    value: float
    unit: str = ""


class Truth(msgspec.Struct, frozen=True, gc=False, tag="truth"):
    """``true`` or ``false``."""

    value: bool


class Text(msgspec.Struct, frozen=True, gc=False, tag="text"):
    """A text."""

    value: str


class Name(msgspec.Struct, frozen=True, gc=False, tag="name"):
    """A variable, signal, target or frame, with its kind if one was written."""

    name: str
    kind: str = ""


class Unary(msgspec.Struct, frozen=True, gc=False, tag="unary"):
    """``-a`` or ``not a``."""

    operator: str
    operand: Expression


class Binary(msgspec.Struct, frozen=True, gc=False, tag="binary"):
    """``a + b``, ``a < b``, ``a and b``."""

    operator: str
    left: Expression
    right: Expression


class Call(msgspec.Struct, frozen=True, gc=False, tag="call"):
    """A function of :data:`~workcell.programs.functions.FUNCTIONS` with its arguments."""

    function: str
    arguments: tuple[Expression, ...] = ()


class Row(msgspec.Struct, frozen=True, gc=False, tag="row"):
    """A row of numbers, such as joint values or a position, with one unit for all if a unit follows the row."""

    items: tuple[Expression, ...]
    unit: str = ""


class Form(msgspec.Struct, frozen=True, gc=False):
    """One step of a transformation: its word, its rows of numbers, and the convention of an ``euler``."""

    word: str
    rows: tuple[Row, ...]
    convention: str = ""
    angle: Expression | None = None
    """The angle of an ``axis``."""
    along: Expression | None = None
    """The pose in whose axes the step is; None for the axes of the pose itself."""


class Posed(msgspec.Struct, frozen=True, gc=False, tag="pose"):
    """A pose: from a named place or the world, a position, and transformations in its own axes or along others.

    Attributes:
        base: the pose that it starts from; the world if there is none.
        position: applied after the forms; only without a base.
        forms: the steps, in the order typed.
    """

    base: Expression | None = None
    position: Row | None = None
    forms: tuple[Form, ...] = ()


Expression: TypeAlias = Number | Truth | Text | Name | Unary | Binary | Call | Row | Posed

LOGIC = ("and", "or")
COMPARING = ("=", "<>", "<", "<=", ">", ">=")
PRECEDENCE: dict[str, int] = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(COMPARING, 4),
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "%": 6,
}
"""How strongly each operator between two expressions binds; ``not`` is at 3, a sign at 7."""
NOT, SIGN = 3, 7


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all expressions inside it, outermost first."""
    waiting: list[Expression] = [expression]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, Unary):
            waiting.append(one.operand)
        elif isinstance(one, Binary):
            waiting += [one.right, one.left]
        elif isinstance(one, Call):
            waiting += reversed(one.arguments)
        elif isinstance(one, Row):
            waiting += reversed(one.items)
        elif isinstance(one, Posed):
            inner: list[Expression] = [] if one.base is None else [one.base]
            inner += [] if one.position is None else [one.position]
            for form in one.forms:
                inner += form.rows
                inner += [] if form.angle is None else [form.angle]
                inner += [] if form.along is None else [form.along]
            waiting += reversed(inner)
