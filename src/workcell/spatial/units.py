"""The one place where units are converted.

The code uses metres, radians, seconds and kilograms. ``5 * mm`` and ``30 * deg`` convert a number;
:class:`Units` converts text in commands, files and the page.
"""

from __future__ import annotations

import math
from functools import cache

import msgspec

from workcell.errors import InvalidValue, UnknownName
from workcell.wording import an, capital

mm = 1e-3
"""One millimetre [m]."""
deg = math.pi / 180.0
"""One degree [rad]."""
GRAVITY = 9.80665
"""Standard gravity [m/s²]."""

LENGTHS: dict[str, float] = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "um": 1e-6, "inch": 0.0254, "ft": 0.3048}
ANGLES: dict[str, float] = {"deg": deg, "rad": 1.0, "turn": 2.0 * math.pi}
TIMES: dict[str, float] = {"s": 1.0, "ms": 1e-3, "min": 60.0}
MASSES: dict[str, float] = {"kg": 1.0, "g": 1e-3, "lb": 0.45359237}
SCALES: dict[str, dict[str, float]] = {
    "length": LENGTHS,
    "angle": ANGLES,
    "time": TIMES,
    "mass": MASSES,
    "speed": {f"{unit}/s": size for unit, size in LENGTHS.items()},
    "angular speed": {f"{unit}/s": size for unit, size in ANGLES.items()},
    "number": {},
}
"""For each quantity, its unit names and the SI value of one unit."""


class Units(msgspec.Struct, frozen=True):
    """The display units of a cell: what a bare number in a command means."""

    length: str = "mm"
    angle: str = "deg"

    def __post_init__(self) -> None:
        for quantity, unit in (("length", self.length), ("angle", self.angle)):
            if unit not in SCALES[quantity]:
                raise UnknownName.among(f"{quantity} unit", unit, SCALES[quantity])

    def default(self, quantity: str) -> str:
        """The unit of a bare number of this quantity ('' for a plain number)."""
        return _defaults(self.length, self.angle)[quantity]

    def to_si(self, value: float, quantity: str, unit: str = "") -> float:
        """Convert a typed number to SI; an empty unit means the display unit."""
        size = self.size(quantity, unit)
        if not math.isfinite(value):
            raise InvalidValue(f"{capital(an(quantity))} must be a finite number, not {value}.", value=value)
        return value * size

    def tables(self) -> dict[str, dict[str, float]]:
        """For each quantity, the SI value of one of each unit; the empty name stands for the display unit."""
        return {quantity: {**sizes, "": self.size(quantity, "")} for quantity, sizes in SCALES.items()}

    def from_si(self, value: float, quantity: str) -> float:
        """Convert an SI value to the display unit."""
        return value / self.size(quantity, "")

    def size(self, quantity: str, unit: str) -> float:
        """The SI value of one ``unit`` (the display unit if empty)."""
        name = unit or self.default(quantity)
        if not name:
            return 1.0
        sizes = SCALES[quantity]
        if name not in sizes:
            raise UnknownName.among(f"unit of {quantity}" if sizes else "unit for a plain number", name, sizes)
        return sizes[name]

    def show(self, value: float, quantity: str) -> str:
        """The value with its unit, short and without rounding noise: ``250 mm``."""
        unit = self.default(quantity)
        return f"{tidy(value / SCALES[quantity][unit])} {unit}" if unit else tidy(value)


@cache
def _defaults(length: str, angle: str) -> dict[str, str]:
    """The unit of a bare number, by quantity."""
    return {
        "length": length,
        "angle": angle,
        "time": "s",
        "mass": "kg",
        "speed": f"{length}/s",
        "angular speed": f"{angle}/s",
        "number": "",
    }


SI = Units(length="m", angle="rad")


def tidy(value: float) -> str:
    """Format a number for people: 9 significant digits, no trailing zeros, no minus zero, no noise around zero."""
    text = f"{value:.9g}"
    return "0" if text == "-0" or abs(value) < 1e-12 else text
