"""The value of an expression in a state of the cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

from workcell.errors import InvalidValue, UnknownName
from workcell.programs import expressions as e
from workcell.programs.functions import FUNCTIONS, Function
from workcell.programs.measures import (
    COMPARISONS,
    DIMENSIONS,
    PLAIN,
    Measure,
    aligned,
    as_quantity,
    combined,
    finite,
    measured,
)
from workcell.programs.wants import READING, Entity, Wants
from workcell.spatial.offsets import offset, own_offset
from workcell.spatial.pose import Pose
from workcell.spatial.transform import (
    AnyStep,
    AxisAngle,
    Euler,
    MatrixStep,
    Quaternion,
    Rotate,
    Scale,
    ThreePoints,
    Transform,
    Translate,
)
from workcell.spatial.units import Units
from workcell.wording import an, counted

LONGEST = 100_000
"""The greatest number of characters of a text."""


class JointValues(msgspec.Struct, frozen=True):
    """Joint values of a robot [rad or m]."""

    values: tuple[float, ...]


class Numbers(msgspec.Struct, frozen=True):
    """A row of numbers, each with its dimension."""

    items: tuple[Measure, ...]


Value: TypeAlias = Measure | bool | str | JointValues | Numbers | Pose
"""The value of an expression."""


class Scope(Protocol):
    """What names and functions mean at the place of an expression."""

    units: Units

    def named(self, name: str, kind: str = "") -> Value:
        """Return the value of a variable or signal, or the pose of a target or frame; an unknown name is refused.

        With a kind, the name is not a variable.
        """
        ...

    def asked(self, function: str, arguments: Sequence[Any]) -> Value:
        """Return the answer of a function about the state.

        Names of entities are given as text, other arguments as values.
        """
        ...

    def slides(self, robot: str) -> Sequence[bool]:
        """Return for each joint of a robot whether it slides."""
        ...


def evaluate(expression: e.Expression, scope: Scope) -> Value:
    """Return the value of an expression."""
    return _EVALUATE[type(expression)](expression, scope)


def wanted(expression: e.Expression, wants: Wants, scope: Scope, robot: str = "") -> Any:
    """Return the value of an expression as the type that is wanted, in SI.

    Args:
        expression: the expression.
        wants: the type: numbers come as floats, joints as tuples, poses as :class:`Pose`.
        scope: what names mean.
        robot: whose joint values or joint speeds they are.
    """
    return converted(evaluate(expression, scope), wants, scope, robot)


def converted(value: Value, wants: Wants, scope: Scope, robot: str = "") -> Any:
    """Return a value as the type that is wanted, in SI; a value of another type is refused."""
    if wants.type == "any":
        return value
    if wants.type == "number":
        return _number(value, wants, scope, robot)
    if wants.type == "joints":
        return _joints(value, scope, robot)
    if wants.type in ("pose", "point"):
        return _pose(value, scope)
    if wants.type == "truth" and isinstance(value, Measure):
        return value.value != 0.0  # a signal, or a flag kept as a number
    kind = {"truth": bool, "text": str}[wants.type]
    if wants.type == "text" and not isinstance(value, str):
        return shown(value, scope.units)
    if not isinstance(value, kind):
        raise InvalidValue(f"Expected {an(wants.type)}; found {described(value)}.")
    return value


def described(value: Value) -> str:
    """Return the type of a value in words."""
    if isinstance(value, Measure):
        return "a number"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, Pose):
        return "a pose"
    return counted(len(value.items if isinstance(value, Numbers) else value.values), "number")


def shown(value: Value, units: Units) -> str:
    """Return a value as text for people."""
    from workcell.programs.measures import QUANTITIES
    from workcell.spatial.units import tidy

    if isinstance(value, Measure):
        quantity = QUANTITIES.get(value.dimension if value.reads == PLAIN else value.reads, "number")
        return tidy(value.value) if quantity == "number" else units.show(value.value, quantity)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, Pose):
        return "(" + ", ".join(units.show(float(one), "length") for one in value.xyz) + ")"
    if isinstance(value, Numbers):
        return "(" + ", ".join(shown(one, units) for one in value.items) + ")"
    return "(" + ", ".join(tidy(one) for one in value.values) + ")"


def _number(value: Value, wants: Wants, scope: Scope, robot: str) -> float | int:
    if isinstance(value, bool) or not isinstance(value, Measure):
        raise InvalidValue(f"Expected a number; found {described(value)}.")
    quantity = wants.quantity
    if quantity == READING:
        return value.value
    if quantity == "joint speed":
        slides = scope.slides(robot)
        quantity = "speed" if len(slides) and all(slides) else "angular speed"
    found = as_quantity(value, quantity, scope.units)
    if wants.positive and found <= 0.0:
        raise InvalidValue(f"The {quantity} must be more than zero; found {shown(value, scope.units)}.")
    if wants.least is not None and found < wants.least:
        raise InvalidValue(f"The {quantity} must be {wants.least:g} or more; found {shown(value, scope.units)}.")
    if wants.whole:
        if found != int(found):
            raise InvalidValue(f"Expected a whole number; found {found:g}.")
        return int(found)
    return found


def _joints(value: Value, scope: Scope, robot: str) -> tuple[float, ...]:
    slides = scope.slides(robot)
    if isinstance(value, Measure) and len(slides) == 1:
        value = Numbers((value,))
    if isinstance(value, JointValues):
        found = value.values
    elif isinstance(value, Numbers):
        quantities = ["length" if one else "angle" for one in slides]
        if len(value.items) == len(quantities):
            pairs = zip(value.items, quantities, strict=True)
            return tuple(as_quantity(one, quantity, scope.units) for one, quantity in pairs)
        found = tuple(one.value for one in value.items)
    else:
        raise InvalidValue(f"Expected joint values; found {described(value)}.")
    if len(found) != len(slides):
        raise InvalidValue(f"{robot} has {counted(len(slides), 'joint')}; found {counted(len(found), 'value')}.")
    return found


def _pose(value: Value, scope: Scope) -> Pose:
    if isinstance(value, Pose):
        return value
    if isinstance(value, Numbers) and len(value.items) == 3:
        x, y, z = (as_quantity(one, "length", scope.units) for one in value.items)
        return Pose.from_xyz(x, y, z)
    raise InvalidValue(f"Expected a pose; found {described(value)}.")


# ---- kinds of expression ----------------------------------------------------------------------------------


def _typed_number(one: e.Number, _: Scope) -> Value:
    return measured(one.value, one.unit)


def _constant(one: e.Truth | e.Text, _: Scope) -> Value:
    return one.value


def _name(one: e.Name, scope: Scope) -> Value:
    return scope.named(one.name, one.kind)


def _unary(one: e.Unary, scope: Scope) -> Value:
    value = evaluate(one.operand, scope)
    if one.operator == "not":
        return not converted(value, Wants("truth"), scope)
    if isinstance(value, bool) or not isinstance(value, Measure):
        raise InvalidValue(f"Only a number has a sign; found {described(value)}.")
    return Measure(-value.value, value.dimension, value.reads)


def _binary(one: e.Binary, scope: Scope) -> Value:
    operator = one.operator
    if operator in e.LOGIC:
        left = bool(converted(evaluate(one.left, scope), Wants("truth"), scope))
        if left == (operator == "or"):
            return left
        return bool(converted(evaluate(one.right, scope), Wants("truth"), scope))
    left_value, right_value = evaluate(one.left, scope), evaluate(one.right, scope)
    numbers = isinstance(left_value, Measure) and isinstance(right_value, Measure)
    if operator in COMPARISONS:
        if isinstance(left_value, Measure) and isinstance(right_value, Measure):
            a, b, _ = aligned(left_value, right_value, scope.units)
            return COMPARISONS[operator](a, b)
        if operator in ("=", "<>") and type(left_value) is type(right_value):
            return (left_value == right_value) == (operator == "=")
    elif operator == "+" and isinstance(left_value, str):
        joined = left_value + shown(right_value, scope.units)
        if len(joined) > LONGEST:
            raise InvalidValue(f"A text has at most {LONGEST:,} characters; found {len(joined):,}.")
        return joined
    elif isinstance(left_value, Measure) and isinstance(right_value, Measure):
        return combined(operator, left_value, right_value, scope.units)
    assert not numbers
    found = f"{described(left_value)} and {described(right_value)}"
    raise InvalidValue(f"`{operator}` cannot be used between {found}.")


def _call(one: e.Call, scope: Scope) -> Value:
    function = FUNCTIONS.get(one.function)
    if function is None:
        raise UnknownName.among("function", one.function, FUNCTIONS)
    require_arguments(one, function)
    takes = [*function.takes, *function.takes[-1:] * (len(one.arguments) - len(function.takes))]
    given: list[Any] = []
    for argument, wants in zip(one.arguments, takes, strict=True):
        if isinstance(wants, Entity):
            name = entity_name(argument, wants)
            among = one.function == "pose" and isinstance(argument, e.Name) and argument.kind
            given.append(f"{among}:{name}" if among else name)
        else:
            given.append(evaluate(argument, scope) if wants.quantity == "like" else wanted(argument, wants, scope))
    if function.compute is None:
        return scope.asked(one.function, given)
    return _computed(one.function, function, given, scope)


def _computed(name: str, function: Function, given: list[Any], scope: Scope) -> Measure:
    assert function.compute is not None
    dimension = DIMENSIONS.get(function.gives.quantity, DIMENSIONS["number"])
    if any(isinstance(one, Measure | bool | str | Pose | Numbers | JointValues) for one in given):
        if not all(isinstance(one, Measure) for one in given):
            raise InvalidValue(f"`{name}` takes numbers.")
        common = given[0]
        for other in given[1:]:
            common = Measure(0.0, aligned(common, other, scope.units)[2])
        given = [aligned(one, Measure(0.0, common.dimension), scope.units)[0] for one in given]
        if function.gives.quantity == "like":
            dimension = common.dimension
    try:
        return finite(float(function.compute(*given)), dimension)
    except ValueError:
        raise InvalidValue(f"`{name}` of {', '.join(f'{one:g}' for one in given)} is not a number.") from None


def require_arguments(call: e.Call, function: Function) -> None:
    """Refuse a call with too few or too many arguments."""
    least, found = len(function.takes), len(call.arguments)
    if found < least or (found > least and not function.more):
        many = f"{least} or more arguments" if function.more else counted(least, "argument")
        raise InvalidValue(f"`{call.function}` takes {many}; found {found}.")


def entity_name(argument: e.Expression, wants: Entity) -> str:
    """Return the name in an argument that names an entity."""
    if isinstance(argument, e.Name):
        return argument.name
    if isinstance(argument, e.Text):
        return argument.value
    raise InvalidValue(f"Expected the name of {an(' or '.join(wants.kinds))}.")


def _row(one: e.Row, scope: Scope) -> Value:
    items = []
    for item in one.items:
        value = evaluate(item, scope)
        if isinstance(value, bool) or not isinstance(value, Measure):
            raise InvalidValue(f"Expected numbers in a row; found {described(value)}.")
        items.append(measured(value.value, one.unit) if one.unit and value.dimension == DIMENSIONS["number"] else value)
    return Numbers(tuple(items))


def _posed(one: e.Posed, scope: Scope) -> Value:
    base = None if one.base is None else _pose(evaluate(one.base, scope), scope)
    position = None if one.position is None else Translate(_triple(one.position, "length", scope))
    return posed(base, position, one.forms, scope)


def posed(base: Pose | None, position: Translate | None, forms: Sequence[e.Form], scope: Scope) -> Pose:
    """Return the pose from a base and a position, with transformations in its own axes or along other axes."""
    steps: list[AnyStep] = []
    for form in forms:
        step = _form(form, scope)
        if form.along is None:
            steps.append(step)
            continue
        here = _own_axes(base, position, steps)
        base = offset(here, Transform((step,)).pose(), _pose(evaluate(form.along, scope), scope))
        steps = []
    return _own_axes(base, position, steps)


def _own_axes(base: Pose | None, position: Translate | None, steps: Sequence[AnyStep]) -> Pose:
    """Return a pose with offsets in its own axes.

    Without a base it is a transformation, and the position comes last.
    """
    if base is not None:
        return own_offset(base, steps)
    return Transform((*steps, *(() if position is None else (position,)))).pose()


def _numbers(row: e.Row, quantity: str, count: int, scope: Scope) -> tuple[float, ...]:
    value = evaluate(row, scope)
    items = value.items if isinstance(value, Numbers) else ()
    if len(items) != count:
        raise InvalidValue(f"Expected {counted(count, 'number')}; found {len(items)}.")
    return tuple(as_quantity(item, quantity, scope.units) for item in items)


def _triple(row: e.Row, quantity: str, scope: Scope) -> tuple[float, float, float]:
    x, y, z = _numbers(row, quantity, 3, scope)
    return x, y, z


def _form(form: e.Form, scope: Scope) -> AnyStep:
    """Return a step of a transformation with the values of its numbers."""
    rows = form.rows
    if form.word == "axis":
        point = _triple(rows[1], "length", scope) if len(rows) > 1 else (0.0, 0.0, 0.0)
        assert form.angle is not None
        return AxisAngle(_triple(rows[0], "number", scope), point, wanted(form.angle, Wants("number", "angle"), scope))
    if form.word == "points":
        a, b, c, d, f, g = (_triple(row, "length", scope) for row in rows)
        return ThreePoints((a, b, c), (d, f, g))
    if form.word == "matrix":
        size = scope.units.size("length", "")
        numbers = _numbers(rows[0], "number", 12, scope)
        return MatrixStep(tuple(one * size if place % 4 == 3 else one for place, one in enumerate(numbers)))
    if form.word == "quaternion":
        first, i, j, k = _numbers(rows[0], "number", 4, scope)
        return Quaternion((first, i, j, k))
    if form.word == "euler":
        return Euler(form.convention, _triple(rows[0], "angle", scope))
    if form.word == "rotate":
        return Rotate(_triple(rows[0], "angle", scope))
    if form.word == "scale":
        return Scale(_triple(rows[0], "number", scope))
    return Translate(_triple(rows[0], "length", scope))


_EVALUATE: dict[type, Callable[[Any, Scope], Value]] = {
    e.Number: _typed_number,
    e.Truth: _constant,
    e.Text: _constant,
    e.Name: _name,
    e.Unary: _unary,
    e.Binary: _binary,
    e.Call: _call,
    e.Row: _row,
    e.Posed: _posed,
}
