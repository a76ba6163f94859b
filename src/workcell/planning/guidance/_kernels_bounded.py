"""Compiled least squares under bounds: the dual of a small quadratic programme, solved coordinate by coordinate."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]


@compiled
def multipliers(P: Array, d: Array, most: int, out: Array) -> int:
    """Fill ``out (m,)`` with λ ≥ 0 that minimises ½λᵀPλ − dᵀλ (Hildreth); return how many rounds it took."""
    m = d.shape[0]
    for i in range(m):
        out[i] = 0.0
    for turn in range(most):
        change, size = 0.0, 1.0
        for i in range(m):
            if P[i, i] <= 0.0:
                continue
            total = d[i]
            for j in range(m):
                total -= P[i, j] * out[j]
            value = max(0.0, out[i] + total / P[i, i])
            change = max(change, abs(value - out[i]) * P[i, i])
            size = max(size, abs(d[i]))
            out[i] = value
        if change <= 1e-10 * size:
            return turn + 1
    return most
