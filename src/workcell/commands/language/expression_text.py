"""Writing expressions: numbers, names, rows and poses, so that they read back to the same."""

from __future__ import annotations

import re

from workcell.commands.language.expression_reader import WORDS, is_form
from workcell.commands.language.texts import escape
from workcell.errors import InvalidValue
from workcell.programs import expressions as e

_BARE = re.compile(r"[^\W\d]\w*(?:-\w+)*\Z")


def expression_text(expression: e.Expression, binding: int = 0) -> str:
    """Return an expression as text, with blanks."""
    if isinstance(expression, e.Number):
        text = number_text(expression)
        return f"({text})" if expression.value < 0 and binding >= e.SIGN else text
    if isinstance(expression, e.Truth):
        return "true" if expression.value else "false"
    if isinstance(expression, e.Text):
        return f'"{escape(expression.value)}"'
    if isinstance(expression, e.Name):
        return name_text(expression)
    if isinstance(expression, e.Unary):
        strength = e.NOT if expression.operator == "not" else e.SIGN
        operand = expression_text(expression.operand, strength)
        if isinstance(expression.operand, e.Number) and strength == e.SIGN:
            operand = f"({number_text(expression.operand)})"
        text = f"not {operand}" if expression.operator == "not" else f"-{operand}"
        return f"({text})" if strength <= binding else text
    if isinstance(expression, e.Binary):
        strength = e.PRECEDENCE[expression.operator]
        left = expression_text(expression.left, strength - 1)
        if expression.operator in e.COMPARING and _compares(expression.left):
            left = f"({expression_text(expression.left)})"
        right = expression_text(expression.right, strength)
        text = f"{left} {expression.operator} {right}"
        return f"({text})" if strength <= binding else text
    if isinstance(expression, e.Call):
        return f"{expression.function}({', '.join(_argument(one) for one in expression.arguments)})"
    if isinstance(expression, e.Row):
        unit = f" {expression.unit}" if expression.unit else ""
        return f"({', '.join(expression_text(one) for one in expression.items)}){unit}"
    return _pose_text(expression)


def _compares(expression: e.Expression) -> bool:
    return isinstance(expression, e.Binary) and expression.operator in e.COMPARING


def _argument(expression: e.Expression) -> str:
    if isinstance(expression, e.Name) and not expression.kind and not is_bare(expression.name):
        return f'"{expression.name}"'
    return expression_text(expression)


def is_bare(name: str) -> bool:
    """Whether a name can stand in an expression without quotes."""
    return _BARE.match(name) is not None and name not in WORDS


def number_text(number: e.Number) -> str:
    """Return a number with its unit, as short as possible."""
    value = number.value
    text = str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    return f"{text}{number.unit}"


def name_text(name: e.Name) -> str:
    """Return a name in an expression, with its kind and in quotes if needed."""
    bare = is_bare(name.name)
    if name.kind:
        return f"{name.kind}:{name.name}" if bare else f'{name.kind}:"{name.name}"'
    if not bare:
        raise InvalidValue(f'The name {name.name!r} needs its kind in an expression, such as signal:"{name.name}".')
    return name.name


def glued_text(expression: e.Expression) -> str:
    """Return an expression for a field of a step: in brackets if it has blanks."""
    text = expression_text(expression)
    if " " not in text or isinstance(expression, e.Row | e.Text):
        return text
    return f"({text})"


def row_text(row: e.Row) -> str:
    """Return a row for a field of a step."""
    unit = f" {row.unit}" if row.unit else ""
    if len(row.items) == 1:
        return glued_text(row.items[0]) + unit
    texts = [expression_text(one) for one in row.items]
    plain = not any(" " in text or "(" in text or '"' in text for text in texts)
    return (",".join(texts) if plain else f"({', '.join(texts)})") + unit


def pose_text(expression: e.Expression) -> str:
    """Return a pose for a field of a step."""
    if isinstance(expression, e.Name) and not expression.kind:
        bare = re.fullmatch(r"[^\W\d_][\w-]*", expression.name) is not None and not is_form(expression.name)
        return expression.name if bare else f'"{expression.name}"'
    if isinstance(expression, e.Posed):
        return _pose_text(expression, pose_text)
    return expression_text(expression)


def _pose_text(pose: e.Posed, base_text: object = None) -> str:
    parts = []
    if pose.base is not None:
        parts.append(pose_text(pose.base) if base_text is not None else expression_text(pose.base))
    if pose.position is not None:
        parts.append(row_text(pose.position) if base_text is not None else expression_text(pose.position))
    for form in pose.forms:
        parts.append(form.word)
        if form.convention:
            parts.append(form.convention)
        rows = [row_text(row) for row in form.rows]
        if form.word == "points":
            rows.insert(3, "to")
        elif form.word == "axis" and len(rows) > 1:
            rows.insert(1, "point")
        parts += rows
        if form.angle is not None:
            parts += ["angle", glued_text(form.angle)]
        if form.along is not None:
            parts += ["along", _axes_text(form.along)]
    return " ".join(parts)


def _axes_text(along: e.Expression) -> str:
    """Return what follows `along`: the world, a thing, or a variable that holds a pose."""
    if isinstance(along, e.Call) and along.function == "pose":
        return _argument(along.arguments[0])
    return "world" if along == e.Posed() else expression_text(along)
