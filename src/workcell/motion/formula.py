"""A function of time as text: numbers, t, the four operations, powers and a few functions, and nothing else."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

from workcell.errors import InvalidValue

_TWO: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_ONE: dict[type[ast.unaryop], Callable[[float], float]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_CALLS: dict[str, Callable[..., float]] = {
    name: getattr(math, name)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sqrt", "sinh", "cosh", "tanh")
} | {"abs": abs, "min": min, "max": max}
_NAMES = {"pi": math.pi, "e": math.e}
_MOST_CHARACTERS = 2000
"""The most characters of a formula."""


def formula(text: str) -> Callable[[float], float]:
    """The function of t [s] that a text describes, such as ``10*sin(2*pi*t)``; angles in radians."""
    if len(text) > _MOST_CHARACTERS:
        raise InvalidValue(f"A formula has at most {_MOST_CHARACTERS} characters; found {len(text)}.")
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidValue(f"{text!r} is not a formula in t, such as 10*sin(2*pi*t).", text=text) from error
    made = _made(tree, text)

    def value(t: float) -> float:
        try:
            found = made(t)
        except (ArithmeticError, ValueError) as error:
            raise InvalidValue(f"{text!r} has no value at t = {t:g} s: {error}.", time=t) from error
        if isinstance(found, complex) or not math.isfinite(found):
            raise InvalidValue(f"{text!r} has no finite value at t = {t:g} s.", time=t)
        return float(found)

    value(0.0)
    return value


def _made(node: ast.expr, text: str) -> Callable[[float], float]:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        number = float(node.value)
        return lambda _: number
    if isinstance(node, ast.Name):
        if node.id == "t":
            return lambda t: t
        if node.id in _NAMES:
            constant = _NAMES[node.id]
            return lambda _: constant
        raise InvalidValue(
            f"{node.id!r} in {text!r} is unknown; a formula can use t, {', '.join(_NAMES)}.", name=node.id
        )
    if isinstance(node, ast.BinOp) and type(node.op) in _TWO:
        both, left, right = _TWO[type(node.op)], _made(node.left, text), _made(node.right, text)
        return lambda t: both(left(t), right(t))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _ONE:
        one, inner = _ONE[type(node.op)], _made(node.operand, text)
        return lambda t: one(inner(t))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name = node.func.id
        if name not in _CALLS:
            raise InvalidValue(
                f"{name!r} in {text!r} is not a function; the functions are {', '.join(_CALLS)}.", name=name
            )
        call, given = _CALLS[name], [_made(argument, text) for argument in node.args]
        return lambda t: _called(call, name, [argument(t) for argument in given])
    raise InvalidValue(f"{text!r} may contain only numbers, t, + - * / ^ and functions.", text=text)


def _called(call: Callable[..., float], name: str, values: list[float]) -> float:
    try:
        return call(*values)
    except TypeError as error:
        raise InvalidValue(f"{name} does not take {len(values)} values.", name=name) from error
