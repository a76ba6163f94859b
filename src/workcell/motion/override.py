"""Overrides: a move can be slowed down along its path to between 1 and 100 % of its speed."""

from __future__ import annotations

import math

import numpy as np

from workcell.errors import InvalidValue

LEAST_RATE = 0.01
"""The least override; anything slower is a hold."""


def require_percent(percent: float) -> float:
    """Return an override as a share of the speed; refuse one that is not between 1 and 100 %."""
    number = isinstance(percent, int | float | np.integer | np.floating) and not isinstance(percent, bool)
    if not (number and math.isfinite(percent) and 100.0 * LEAST_RATE <= percent <= 100.0):
        raise InvalidValue(
            f"An override must be from 1 to 100 %; found {percent}. To stop a move on its path, hold it."
        )
    return float(percent) / 100.0
