"""Instants and durations of the plant: whole nanoseconds, shown as seconds."""

from __future__ import annotations

import math

SECOND = 1_000_000_000
"""Nanoseconds in a second."""


def nanoseconds(seconds: float) -> int:
    """Return the nearest whole nanoseconds of an instant or a duration [s]."""
    return round(seconds * SECOND)


def reached_at(time: float) -> int:
    """Return the first whole nanosecond at which an instant [s] is reached; above 4e6 s, floats skip some."""
    count = round(time * SECOND)
    return count if count / SECOND >= time else count + 1


def seconds(count: int) -> float:
    """Return whole nanoseconds as seconds; the same number always gives the same bits."""
    return count / SECOND


def later(time: float, duration: float) -> float:
    """Return the instant a duration after another [s], both in whole nanoseconds."""
    return math.inf if math.isinf(duration) else (round(time * SECOND) + round(duration * SECOND)) / SECOND


def not_after(time: float) -> float:
    """Return the last whole nanosecond that is not after an instant [s]."""
    count = round(time * SECOND)
    return (count if count / SECOND <= time else count - 1) / SECOND
