"""The least speed of a move."""

from __future__ import annotations

from workcell.errors import InvalidValue
from workcell.motion.frames import positive

SLOWEST = 1e-6
"""The least speed of a joint, a hand or a solid [rad/s or m/s]; the clock cannot count moves that are much slower."""


def required_speed(value: float, what: str, unit: str = "m/s") -> float:
    """Return a speed of a move; refuse one that is not a number, or below the least speed."""
    found = positive(value, what, unit)
    if found < SLOWEST:
        raise InvalidValue(f"{what} must be at least {SLOWEST:g} {unit}; found {found:g}.", value=found)
    return found
