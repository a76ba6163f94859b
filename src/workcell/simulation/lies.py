"""Sensors with a fault: their value instead of the true one."""

from __future__ import annotations

import random

from workcell.world.fault_places import CONSTANT, INVERSE, NOISE, OFFSET, FaultPlace


def false_value(place: FaultPlace, true: float) -> float:
    """Return the value that a faulty sensor gives instead of the true one."""
    if place.lie == CONSTANT:
        return place.value
    if place.lie == OFFSET:
        return true + place.value
    if place.lie == INVERSE:
        return 0.0 if true else 1.0
    if place.lie == NOISE:
        # Noise depends on the true value, not on the time, so that more frequent readings change nothing.
        return true + random.Random(f"{place.seed}/{true!r}").gauss(0.0, place.value)
    return true
