"""Checks of the numbers that shapes are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable

from workcell.errors import InvalidValue


def in_mm(point: Iterable[float]) -> str:
    """Format a point [m] for people: ``(10, 0, 2.5) mm``."""
    return f"({', '.join(f'{round(float(value) * 1e3, 6) + 0.0:.7g}' for value in point)}) mm"


def number(value: object, what: str) -> float:
    """Return a finite float; refuse anything else and name it."""
    if isinstance(value, bool) or (not isinstance(value, int | float) and not hasattr(value, "__float__")):
        raise InvalidValue(f"{what} must be a number, not {value!r}.", value=value)
    result = float(value)
    if not math.isfinite(result):
        raise InvalidValue(f"{what} must be a finite number, not {result}.", value=result)
    return result + 0.0  # without minus zero, which would give another hash for the same shape


SMALLEST, LARGEST = 1e-6, 1e4
"""The sizes that a shape may have [m]. Below, the kernel cannot tell points apart; above, nobody builds."""
_MASSES = (1e-9, 1e9)
"""The masses that a body may have [kg]."""
_DENSITIES = (1e-6, 1e6)
"""The densities that a body may have [kg/m³]."""


def positive(value: object, what: str) -> float:
    """A finite float above zero."""
    result = number(value, what)
    if result <= 0.0:
        raise InvalidValue(f"{what} must be greater than zero, not {result:g}.", value=result)
    if not 1e-12 <= result <= 1e12:
        raise InvalidValue(f"{what} must lie between 1e-12 and 1e12, not {result:g}.", value=result)
    return result


def size(value: object, what: str) -> float:
    """A length that a shape can have [m]."""
    if type(value) is float and SMALLEST <= value <= LARGEST:
        return value
    result = positive(value, what)
    if not SMALLEST * (1.0 - 1e-9) <= result <= LARGEST * (1.0 + 1e-9):
        raise InvalidValue(f"{what} must lie between 0.001 mm and 10 km, not {_length(result)}.", value=result)
    return result


def coordinates(values: Iterable[object], length: int, what: str) -> tuple[float, ...]:
    """Return ``length`` coordinates [m]; refuse any that is farther from the origin than the largest shape."""
    result = numbers(values, length, what)
    far = max(map(abs, result), default=0.0)
    if far > LARGEST * (1.0 + 1e-9):
        raise InvalidValue(f"{what} must lie within 10 km of the origin, not {_length(far)} away.", value=far)
    return result


def _length(metres: float) -> str:
    return f"{metres / 1e3:g} km" if metres >= 1e3 else f"{metres * 1e3:g} mm"


def mass(value: object, what: str) -> float:
    """A mass that a body can have [kg]."""
    return _within(value, what, _MASSES, "1 µg and 1,000,000 t", "kg")


def density(value: object, what: str) -> float:
    """A density that a body can have [kg/m³]."""
    return _within(value, what, _DENSITIES, "0.000001 and 1,000,000 kg/m³", "kg/m³")


def _within(value: object, what: str, limits: tuple[float, float], words: str, unit: str) -> float:
    result = number(value, what)
    if result <= 0.0:
        raise InvalidValue(f"{what} must be greater than zero, not {result:g}.", value=result)
    if not limits[0] <= result <= limits[1]:
        raise InvalidValue(f"{what} must lie between {words}, not {result:g} {unit}.", value=result)
    return result


def count(value: object, least: int, what: str) -> int:
    """A whole number not below ``least``."""
    if isinstance(value, bool) or (not isinstance(value, int) and not hasattr(value, "__index__")):
        raise InvalidValue(f"{what} must be a whole number, not {value!r}.", value=value)
    result = int(value)
    if result < least:
        raise InvalidValue(f"{what} must be at least {least}, not {result}.", value=result)
    return result


def numbers(values: Iterable[object], length: int, what: str) -> tuple[float, ...]:
    """Return ``length`` finite floats."""
    result = tuple(number(value, what) for value in values)
    if len(result) != length:
        raise InvalidValue(f"{what} must be {length} numbers; found {len(result)}.")
    return result
