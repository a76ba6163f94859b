"""Numbers with dimensions: what ``50mm``, ``30deg`` and a bare ``50`` mean in the expressions of a program.

A bare number has no dimension. If it meets one (``gap + 5`` with a length, a parameter that wants an angle), it is
in the units of the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from workcell.errors import InvalidValue
from workcell.spatial.units import SCALES, Units
from workcell.wording import an, capital

Dimension: TypeAlias = tuple[int, int, int, int]
"""The powers of length, angle, time and mass."""
PLAIN: Dimension = (0, 0, 0, 0)
DIMENSIONS: dict[str, Dimension] = {
    "number": PLAIN,
    "length": (1, 0, 0, 0),
    "angle": (0, 1, 0, 0),
    "time": (0, 0, 1, 0),
    "mass": (0, 0, 0, 1),
    "speed": (1, 0, -1, 0),
    "angular speed": (0, 1, -1, 0),
}
"""The quantities that a number in a program may have."""
QUANTITIES: dict[Dimension, str] = {dimension: quantity for quantity, dimension in DIMENSIONS.items()}
UNITS: dict[str, str] = {unit: quantity for quantity, units in SCALES.items() for unit in units}
"""The quantity of every unit that may follow a number."""


class Measure(msgspec.Struct, frozen=True):
    """A number in SI with its dimension; a plain number is as typed.

    The signal of a device is a plain number in SI. ``reads`` is the dimension that it has where it meets such a number.
    """

    value: float
    dimension: Dimension = PLAIN
    reads: Dimension = PLAIN

    def has(self, dimension: Dimension) -> bool:
        """Whether the value counts in SI for a dimension."""
        return dimension in ((self.reads, PLAIN) if self.dimension == PLAIN else (self.dimension,))


def measures(dimension: Dimension, reads: Dimension) -> Dimension:
    """Return what a number measures: its dimension, or what a signal that is a plain number reads."""
    return reads if dimension == PLAIN else dimension


def measured(value: float, unit: str) -> Measure:
    """Return a typed number with its unit, or a plain number without one."""
    if not unit:
        return Measure(value)
    quantity = UNITS[unit]
    return Measure(value * SCALES[quantity][unit], DIMENSIONS[quantity])


def named(dimension: Dimension) -> str:
    """Return the name of a dimension: ``length``, or its powers if it has no name."""
    if dimension in QUANTITIES:
        quantity = QUANTITIES[dimension]
        return "plain number" if quantity == "number" else quantity
    parts = [f"{word}^{power}" for word, power in zip(("m", "rad", "s", "kg"), dimension, strict=True) if power]
    return " ".join(parts)


def as_quantity(number: Measure, quantity: str, units: Units) -> float:
    """Return the SI value of a number as a quantity; a plain number is in the units given."""
    wanted = DIMENSIONS[quantity]
    if number.has(wanted):
        return number.value
    if number.dimension == PLAIN:
        return number.value * units.size(quantity, "")
    raise InvalidValue(f"Expected {an(quantity)}; found {an(named(number.dimension))}.")


def sum_dimension(first: Dimension, second: Dimension) -> Dimension:
    """Return the dimension of a sum, a difference or a comparison; two that do not match are refused."""
    if second in (first, PLAIN):
        return first
    if first == PLAIN:
        return second
    raise InvalidValue(f"{capital(an(named(first)))} and {an(named(second))} cannot be added or compared.")


def product_dimension(first: Dimension, second: Dimension, sign: int = 1) -> Dimension:
    """Return the dimension of a product or, with sign -1, of a quotient."""
    a, b, c, d = (one + sign * two for one, two in zip(first, second, strict=True))
    return a, b, c, d


def aligned(first: Measure, second: Measure, units: Units) -> tuple[float, float, Dimension]:
    """Return two numbers on one scale, to be added or compared, and their dimension."""
    sum_dimension(measures(first.dimension, first.reads), measures(second.dimension, second.reads))
    dimension = sum_dimension(first.dimension, second.dimension)
    return _on(first, dimension, units), _on(second, dimension, units), dimension


def _on(number: Measure, dimension: Dimension, units: Units) -> float:
    if number.has(dimension):
        return number.value
    quantity = QUANTITIES.get(dimension)
    if quantity is None:
        raise InvalidValue(f"A plain number cannot be added to or compared with {named(dimension)}; give it a unit.")
    return number.value * units.size(quantity, "")


def _divided(a: float, b: float) -> float:
    if b == 0.0:
        raise InvalidValue("A number cannot be divided by zero.")
    return a / b


def _remainder(a: float, b: float) -> float:
    if b == 0.0:
        raise InvalidValue("There is no remainder of a division by zero.")
    return math.fmod(a, b) if a * b >= 0.0 else math.fmod(a, b) + b if math.fmod(a, b) else 0.0


ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided,
    "%": _remainder,
}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def combined_dimension(operator: str, first: Dimension, second: Dimension) -> Dimension:
    """Return the dimension of ``first operator second``."""
    if operator == "*":
        return product_dimension(first, second)
    if operator == "/":
        return product_dimension(first, second, -1)
    return sum_dimension(first, second)


def combined(operator: str, first: Measure, second: Measure, units: Units) -> Measure:
    """Compute ``first operator second`` for one of + - * / %."""
    if operator in "*/":
        dimension = combined_dimension(operator, first.dimension, second.dimension)
        return finite(ARITHMETIC[operator](first.value, second.value), dimension)
    a, b, dimension = aligned(first, second, units)
    return finite(ARITHMETIC[operator](a, b), dimension)


def finite(value: float, dimension: Dimension) -> Measure:
    """Return a result; one that is not a finite number is refused."""
    if not math.isfinite(value):
        raise InvalidValue("The result is too large to be a number.")
    return Measure(value, dimension)
