"""How far a move may be slowed down along its path: from 1 to 100 % of its speed."""

from __future__ import annotations

import math

import numpy as np

from workcell.errors import InvalidValue

LEAST_RATE = 0.01
"""The least override; slower is a hold."""


def require_percent(percent: float) -> float:
    """An override as a part of the speed, refused where it is not from 1 to 100 %."""
    number = isinstance(percent, int | float | np.integer | np.floating) and not isinstance(percent, bool)
    if not (number and math.isfinite(percent) and 100.0 * LEAST_RATE <= percent <= 100.0):
        raise InvalidValue(f"An override is from 1 to 100 %; found {percent}. A hold stops a move on its path.")
    return float(percent) / 100.0
