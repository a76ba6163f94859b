"""Compiled pieces of a motion in which every joint takes on a rate, keeps it, and brakes to rest."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]


@compiled
def pieces(
    q: Array, v: Array, rates: Array, period: float, accelerations: Array, tail: float, digits: float
) -> tuple[Array, Array]:
    """Return the breaks (k+1,) and the coefficients (k, 3, n); the end is rounded up to whole ``1/digits`` seconds."""
    n = q.shape[0]
    ramp, top, brake, way = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    longest = 0.0
    for j in range(n):
        way[j] = np.sign(rates[j] - v[j])
        ramp[j] = min(abs(rates[j] - v[j]) / accelerations[j], period)
        top[j] = rates[j] if ramp[j] < period else v[j] + way[j] * accelerations[j] * ramp[j]
        brake[j] = abs(top[j]) / accelerations[j]
        longest = max(longest, brake[j])
    times = np.empty(2 * n + 3)
    times[0], times[1] = 0.0, period
    times[2] = np.ceil((period + longest + tail) * digits) / digits
    for j in range(n):
        times[3 + j], times[3 + n + j] = ramp[j], period + brake[j]
    times.sort()
    breaks = np.empty(times.shape[0])
    count = 0
    for k in range(times.shape[0]):
        if k == 0 or times[k] > breaks[count - 1]:
            breaks[count] = times[k]
            count += 1
    out = np.empty((count - 1, 3, n))
    here = q.copy()
    for k in range(count - 1):
        start = breaks[k]
        length = breaks[k + 1] - start
        for j in range(n):
            a, speed = 0.0, top[j]
            if start < ramp[j]:
                a = way[j] * accelerations[j]
                speed = v[j] + a * start
            if start >= period:
                a, speed = 0.0, 0.0
                if start < period + brake[j]:
                    a = -np.sign(top[j]) * accelerations[j]
                    speed = np.sign(top[j]) * max(abs(top[j]) - accelerations[j] * (start - period), 0.0)
            out[k, 0, j], out[k, 1, j], out[k, 2, j] = here[j], speed, 0.5 * a
            here[j] += speed * length + 0.5 * a * length**2
    return breaks[:count].copy(), out
