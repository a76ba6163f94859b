"""Lengths and angles in messages, in the units of whoever reads them: millimetres and degrees by default.

Engines word what they refuse. A session says in which units, for the time in which it carries out a command.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from workcell.spatial.units import ANGLES, LENGTHS, Units

_READ: ContextVar[Units] = ContextVar("units of messages", default=Units())  # noqa: B039 (it is frozen)


@contextmanager
def worded_in(units: Units) -> Iterator[None]:
    """Word lengths and angles in these units inside."""
    token = _READ.set(units)
    try:
        yield
    finally:
        _READ.reset(token)


def message_unit(length: bool) -> tuple[float, str]:
    """Return how many units a metre or a radian is, and the unit behind a number: ``mm``, ``°``, ``rad``."""
    units = _READ.get()
    if length:
        return (1e3, "mm") if units.length == "mm" else (1.0 / LENGTHS[units.length], units.length)
    return (180.0 / math.pi, "°") if units.angle == "deg" else (1.0 / ANGLES[units.angle], units.angle)


def said(value: float, length: bool, digits: int = 4) -> str:
    """Return a length [m] or an angle [rad] with its unit: ``12.5 mm``, ``30°``, ``0.5236 rad``."""
    per, unit = message_unit(length)
    return f"{value * per:.{digits}g}{'' if unit == '°' else ' '}{unit}"


def said_length(metres: float, digits: int = 4) -> str:
    """Return a length with its unit: ``12.5 mm``."""
    return said(metres, True, digits)


def said_angle(radians: float, digits: int = 4) -> str:
    """Return an angle with its unit: ``30°``."""
    return said(radians, False, digits)


def said_point(xyz: Iterable[float], digits: int = 6, brackets: bool = True) -> str:
    """Return a position [m] with its unit: ``(100, 0, 50) mm``; without brackets, ``100, 0, 50 mm``."""
    per, unit = message_unit(True)
    numbers = ", ".join(f"{value * per + 0.0:.{digits}g}" for value in xyz)
    return f"({numbers}) {unit}" if brackets else f"{numbers} {unit}"


def typed_pose(xyz: Sequence[float], angles: Sequence[float], convention: str) -> tuple[list[float], list[float], str]:
    """Return a position [m] and angles [rad] as rounded for typing, and their text with the units."""
    (per_metre, length), (per_radian, angle) = message_unit(True), message_unit(False)
    far = 3 + max(0, math.ceil(math.log10(1e3 / per_metre) - 1e-9))
    fine = 4 + max(0, math.ceil(math.log10(180.0 / math.pi / per_radian) - 1e-9))
    lengths = [round(per_metre * value, far) + 0.0 for value in xyz]
    turns = [round(per_radian * value, fine) + 0.0 for value in angles]
    text = ",".join(f"{value:.10g}" for value in lengths) + f" {length} euler {convention} "
    text += ",".join(f"{value:.10g}" for value in turns) + f" {'degrees' if angle == '°' else angle}"
    return [value / per_metre for value in lengths], [value / per_radian for value in turns], text
