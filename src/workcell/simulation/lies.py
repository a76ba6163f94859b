"""Sensors that lie: what one says in place of what it reads."""

from __future__ import annotations

import random

from workcell.world.fault_places import CONSTANT, INVERSE, NOISE, OFFSET, FaultPlace


def lied(place: FaultPlace, true: float) -> float:
    """The value that a sensor gives by a fault where it reads another."""
    if place.lie == CONSTANT:
        return place.value
    if place.lie == OFFSET:
        return true + place.value
    if place.lie == INVERSE:
        return 0.0 if true else 1.0
    if place.lie == NOISE:
        # By what is read and not by when, so that who looks more often changes nothing.
        return true + random.Random(f"{place.seed}/{true!r}").gauss(0.0, place.value)
    return true
