"""Doors: numbers that a shape can be made of."""

from __future__ import annotations

import math
from collections.abc import Iterable

from workcell.errors import InvalidValue


def in_mm(point: Iterable[float]) -> str:
    """A point [m] for people: ``(10, 0, 2.5) mm``."""
    return f"({', '.join(f'{round(float(value) * 1e3, 6) + 0.0:.7g}' for value in point)}) mm"


def number(value: object, what: str) -> float:
    """A finite float; anything else is refused with its name."""
    if isinstance(value, bool) or (not isinstance(value, int | float) and not hasattr(value, "__float__")):
        raise InvalidValue(f"{what} must be a number, not {value!r}.", value=value)
    result = float(value)
    if not math.isfinite(result):
        raise InvalidValue(f"{what} must be a finite number, not {result}.", value=result)
    return result + 0.0  # no minus zero: it would be another hash for the same shape


def positive(value: object, what: str) -> float:
    """A finite float above zero."""
    result = number(value, what)
    if result <= 0.0:
        raise InvalidValue(f"{what} must be greater than zero, not {result:g}.", value=result)
    if not 1e-9 <= result <= 1e6:
        raise InvalidValue(f"{what} must lie between 1e-9 and 1e6 in SI units (m), not {result:g}.", value=result)
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
    """So many finite floats."""
    result = tuple(number(value, what) for value in values)
    if len(result) != length:
        raise InvalidValue(f"{what} must be {length} numbers; found {len(result)}.")
    return result
