"""Cubic splines with given end slopes: the only linear system that interpolation here needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def clamped_spline(knots: Array, values: Array, slope0: Array, slope1: Array) -> Array:
    """Coefficients (k, 4, n) of the cubic spline through ``values (k+1, n)`` with the two end slopes (n,).

    The slopes at the inner knots make the second derivative continuous: a tridiagonal system, diagonally
    dominant, solved by elimination.
    """
    h = np.diff(knots)[:, None]
    rise = np.diff(values, axis=0) / h
    k = h.shape[0]
    m = np.empty_like(values)
    m[0], m[k] = slope0, slope1
    if k > 1:
        lower, upper = h[1:, 0].copy(), h[:-1, 0].copy()
        diagonal = 2.0 * (lower + upper)
        right = 3.0 * (lower[:, None] * rise[:-1] + upper[:, None] * rise[1:])
        right[0] -= lower[0] * m[0]
        right[-1] -= upper[-1] * m[k]
        for i in range(1, k - 1):
            factor = lower[i] / diagonal[i - 1]
            diagonal[i] -= factor * upper[i - 1]
            right[i] -= factor * right[i - 1]
        m[k - 1] = right[-1] / diagonal[-1]
        for i in range(k - 3, -1, -1):
            m[i + 1] = (right[i] - upper[i] * m[i + 2]) / diagonal[i]
    return np.stack(
        [values[:-1], m[:-1], (3.0 * rise - 2.0 * m[:-1] - m[1:]) / h, (m[:-1] + m[1:] - 2.0 * rise) / h**2],
        axis=1,
    )


def free_slopes(knots: Array, values: Array) -> tuple[Array, Array]:
    """End slopes (n,), (n,) of the cubic (or lower) through the first and the last four points."""
    count = min(4, values.shape[0])
    return (
        slope_at(knots[:count], values[:count], float(knots[0])),
        slope_at(knots[-count:], values[-count:], float(knots[-1])),
    )


def slope_at(knots: Array, values: Array, at: float) -> Array:
    """The derivative (n,) at ``at`` of the polynomial through all the given points (m, n)."""
    x = knots - at
    total = np.zeros(values.shape[1:])
    for i in range(x.shape[0]):
        others = np.delete(x, i)
        below = np.prod(x[i] - others)
        # d/dx of Π(x − x_k) at 0, one factor left out at a time.
        above = sum(np.prod(-np.delete(others, k)) for k in range(others.shape[0]))
        total = total + values[i] * (above / below)
    return total
