"""Joints that take on rates for a while and then come to rest, each on its own: what a guided arm does in a period."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

_NS = 1e9


def take_on(present: Array, rates: Array, period: float, accelerations: Array, tail: float = 0.0) -> Trajectory:
    """Return the motion in which every joint takes on its rate as fast as it may, keeps it, and brakes to rest.

    Args:
        present: position, speed and acceleration (3, n); the acceleration may step.
        rates: what the speeds are to be (n,) [rad/s or m/s].
        period: after which the joints brake [s].
        accelerations: the greatest ones (n,).
        tail: how long the motion stands still at its end [s].
    """
    from workcell.motion import _kernels_rates

    return Trajectory(
        *_kernels_rates.pieces(
            np.ascontiguousarray(present[0]),
            np.ascontiguousarray(present[1]),
            np.ascontiguousarray(rates, dtype=float),
            period,
            accelerations,
            tail,
            _NS,
        )
    )
