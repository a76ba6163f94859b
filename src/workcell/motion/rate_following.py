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
    q, v = present[0], present[1]
    way = np.sign(rates - v)
    ramp = np.minimum(np.abs(rates - v) / accelerations, period)
    top = v + way * accelerations * ramp
    top = np.where(ramp < period, rates, top)
    brake = np.abs(top) / accelerations
    last = np.ceil((period + float(brake.max()) + tail) * _NS) / _NS
    breaks = np.unique(np.concatenate([[0.0], ramp, [period], period + brake, [last]]))
    coefficients = np.empty((len(breaks) - 1, 3, len(q)))
    for k, start in enumerate(breaks[:-1]):
        ramping = start < ramp
        braking = (start >= period) & (start < period + brake)
        a = np.where(ramping, way * accelerations, np.where(braking, -np.sign(top) * accelerations, 0.0))
        speed = np.where(ramping, v + way * accelerations * start, top)
        left = np.maximum(np.abs(top) - accelerations * (start - period), 0.0)
        speed = np.where(start >= period, np.sign(top) * left, speed)
        speed = np.where(start >= period + brake, 0.0, speed)
        coefficients[k] = q, speed, 0.5 * a
        length = breaks[k + 1] - start
        q = q + speed * length + 0.5 * a * length**2
    return Trajectory(breaks, coefficients)
