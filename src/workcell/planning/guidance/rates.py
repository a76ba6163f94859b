"""Rates that actuators can follow: saturation by eq 3-1 and 3-2, and a cap on all rates."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, UnknownName

Array = NDArray[np.float64]
Saturation: TypeAlias = Literal["limit", "fastest"]


def saturation(rates: ArrayLike, most: ArrayLike) -> float:
    """Return e of eq 3-1: the greatest part of its actuator's speed that a rate asks for.

    The thesis takes the greatest ratio with its sign, which overlooks rates below zero; sizes are meant.
    """
    wanted, speeds = np.asarray(rates, dtype=float), np.broadcast_to(np.asarray(most, dtype=float), np.shape(rates))
    if np.any(np.isnan(speeds)) or np.any(speeds <= 0.0):
        raise InvalidValue("The greatest speed of an actuator is above zero.")
    return float(np.max(np.abs(wanted) / speeds, initial=0.0))


def saturated(rates: ArrayLike, most: ArrayLike, how: Saturation = "limit") -> Array:
    """Return the rates that actuators follow (eq 3-2): all divided by one number, so the direction stays.

    Args:
        rates: as the guidance asks for them.
        most: the greatest speed of each actuator.
        how: ``limit`` slows down where an actuator would be too fast; ``fastest`` also speeds up until one is at its
            greatest speed, as the thesis proposes.
    """
    if how not in ("limit", "fastest"):
        raise UnknownName.among("kind of saturation", how, ("limit", "fastest"))
    wanted = np.array(rates, dtype=float)
    e = saturation(wanted, most)
    if e == 0.0 or (how == "limit" and e <= 1.0):
        return wanted
    return wanted / e


def capped(rates: ArrayLike, cap: float) -> Array:
    """Return the rates, all slowed down together where one is greater than the cap."""
    return saturated(rates, cap)
