"""Compiled loops of the time-optimal scaling: bounds on whole intervals, two passes, composition.

On an interval of the path, τ from 0 to 1, let x and y be ṡ² at its ends and s̈ constant, so ṡ² is linear in τ.
With q(τ) the path, h the interval's length in s,

    q̈ = (x·P(τ) + y·Q(τ)) / h²,  P = q_ττ·(1 − τ) − q_τ/2,  Q = q_ττ·τ + q_τ/2
    q̇² = (x·(1 − τ) + y·τ) · q_τ² / h²

are polynomials in τ whose Bernstein coefficients are linear in (x, y). Keeping every coefficient within the
limit keeps the polynomial within it at every τ, not only at grid points.
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled_with

Array = NDArray[np.float64]

_FLAT = 1e-11
"""A constraint with |ry| below this share of |rx| bounds x alone, because rounding decides its effect on y."""


@compiled_with()
def _bernstein(c: Array, degree: int, binomial: Array) -> None:
    """Turn powers on [0, 1] into Bernstein coefficients, in place."""
    for m in range(degree, -1, -1):
        total = 0.0
        for k in range(m + 1):
            total += binomial[m, k] / binomial[degree, k] * c[k]
        c[m] = total


@compiled_with()
def intervals(breaks: Array, coefficients: Array, grid: Array, local: Array) -> None:
    """Fill ``local (N, degree+1, n)`` with the path on each grid interval, in powers of τ from 0 to 1."""
    terms, joints = coefficients.shape[1], coefficients.shape[2]
    piece = 0
    for i in range(grid.shape[0] - 1):
        middle = 0.5 * (grid[i] + grid[i + 1])
        while breaks[piece + 1] < middle:
            piece += 1
        by = grid[i] - breaks[piece]
        h = grid[i + 1] - grid[i]
        for j in range(joints):
            for p in range(terms):
                local[i, p, j] = coefficients[piece, p, j]
            for low in range(terms - 1):
                for p in range(terms - 2, low - 1, -1):
                    local[i, p, j] += by * local[i, p + 1, j]
            scale = 1.0
            for p in range(1, terms):
                scale *= h
                local[i, p, j] *= scale


@compiled_with()
def constraints(
    local: Array,
    grid: Array,
    speed: Array,
    acceleration: Array,
    binomial: Array,
    rows_x: Array,
    rows_y: Array,
) -> None:
    """Fill ``rows_x, rows_y (N, m)`` with the constraints x·rx + y·ry ≤ 1 of each interval.

    The first n·degree rows (acceleration) also mean −1 ≤, the next n·2·degree (squared speed) do not.
    """
    count, terms, joints = local.shape
    degree = terms - 1
    slope = np.zeros(degree)
    square = np.zeros(2 * degree)
    p = np.zeros(degree)
    q = np.zeros(degree)
    e = np.zeros(2 * degree)
    f = np.zeros(2 * degree)
    for i in range(count):
        h = grid[i + 1] - grid[i]
        at = 0
        for j in range(joints):
            scale = 1.0 / (h * h * acceleration[j])
            for k in range(degree):
                slope[k] = (k + 1) * local[i, k + 1, j]
            for k in range(degree):
                # q_ττ has coefficient (k + 1)·slope[k + 1] at τ^k; times τ it moves up by one.
                bend = (k + 1) * slope[k + 1] if k + 1 < degree else 0.0
                moved = k * slope[k]
                p[k] = (bend - moved - 0.5 * slope[k]) * scale
                q[k] = (moved + 0.5 * slope[k]) * scale
            _bernstein(p, degree - 1, binomial)
            _bernstein(q, degree - 1, binomial)
            for k in range(degree):
                rows_x[i, at] = p[k]
                rows_y[i, at] = q[k]
                at += 1
        for j in range(joints):
            scale = 1.0 / (h * h * speed[j] * speed[j])
            for k in range(degree):
                slope[k] = (k + 1) * local[i, k + 1, j]
            for k in range(2 * degree):
                square[k] = 0.0
            for k in range(degree):
                for m in range(degree):
                    square[k + m] += slope[k] * slope[m]
            for k in range(2 * degree):
                before = square[k - 1] if k > 0 else 0.0
                e[k] = (square[k] - before) * scale
                f[k] = before * scale
            _bernstein(e, 2 * degree - 1, binomial)
            _bernstein(f, 2 * degree - 1, binomial)
            for k in range(2 * degree):
                rows_x[i, at] = e[k]
                rows_y[i, at] = f[k]
                at += 1


@compiled_with()
def _highest_x(rx: Array, ry: Array, both: int, top_y: float, top_x: float) -> float:
    """The greatest x for which some y in [0, top_y] keeps every constraint.

    The room for y, highest minus lowest, is a concave function of x that is not negative at x = 0; Newton's
    steps from the right along the two active lines reach its zero in a few rounds.
    """
    count = rx.shape[0]
    x = top_x
    for c in range(count):
        a, b = rx[c], ry[c]
        least = min(0.0, b * top_y)
        if a > 0.0:
            x = min(x, (1.0 - least) / a)
        if c < both and a < 0.0:
            least = min(0.0, -b * top_y)
            x = min(x, (1.0 - least) / -a)
    for _ in range(60):
        high, high_slope = top_y, 0.0
        low, low_slope = 0.0, 0.0
        for c in range(count):
            a, b = rx[c], ry[c]
            if abs(b) <= _FLAT * abs(a):
                continue
            for side in range(2 if c < both else 1):
                bound = ((1.0 if side == 0 else -1.0) - a * x) / b
                if (b > 0.0) == (side == 0):
                    if bound < high:
                        high, high_slope = bound, -a / b
                elif bound > low:
                    low, low_slope = bound, -a / b
        room = high - low
        closing = low_slope - high_slope
        if room >= 0.0 or closing <= 0.0:
            return x
        step = room / closing
        if x + step >= x:
            return x
        x = max(x + step, 0.0)
    return x


@compiled_with()
def _highest_y(rx: Array, ry: Array, both: int, top_y: float, x: float) -> float:
    """The greatest y in [0, top_y] that keeps every constraint for this x.

    Where x is the greatest possible there is only one such y, and rounding may leave none: then the two constraints
    that meet share the difference, so that the flatter one (a small |ry|) does not spoil the steeper one.
    """
    high, high_b = top_y, 1.0
    low, low_b = 0.0, 1.0
    for c in range(rx.shape[0]):
        a, b = rx[c], ry[c]
        if abs(b) <= _FLAT * abs(a):
            continue
        for side in range(2 if c < both else 1):
            bound = ((1.0 if side == 0 else -1.0) - a * x) / b
            if (b > 0.0) == (side == 0):
                if bound < high:
                    high, high_b = bound, abs(b)
            elif bound > low:
                low, low_b = bound, abs(b)
    if high < low:
        high = (high * high_b + low * low_b) / (high_b + low_b)
    return max(min(high, top_y), 0.0)


@compiled_with()
def passes(rows_x: Array, rows_y: Array, both: int, caps: Array, squares: Array) -> None:
    """Fill ``squares (N+1,)`` with ṡ² at the grid: from the end, the speeds that can still be stopped; then greedily.

    ``caps (N+1,)`` are bounds on ṡ² at the grid points: 0 at rest.
    """
    count = rows_x.shape[0]
    squares[count] = caps[count]
    for i in range(count - 1, -1, -1):
        squares[i] = _highest_x(rows_x[i], rows_y[i], both, squares[i + 1], caps[i])
    for i in range(count):
        squares[i + 1] = _highest_y(rows_x[i], rows_y[i], both, squares[i + 1], squares[i])


@compiled_with()
def compose(local: Array, grid: Array, squares: Array, times: Array, out: Array) -> None:
    """Fill ``times (N+1,)`` and ``out (N, 2·degree+1, n)`` with the path as polynomials of time."""
    count, terms, joints = local.shape
    inner = np.zeros(3)
    power = np.zeros(2 * terms)
    times[0] = 0.0
    for i in range(count):
        h = grid[i + 1] - grid[i]
        v0, v1 = np.sqrt(squares[i]), np.sqrt(squares[i + 1])
        step = 2.0 * h / (v0 + v1)
        times[i + 1] = times[i] + step
        # τ(t) = (v0·t + s̈·t²/2)/h with s̈ = (v1 − v0)/step.
        inner[1] = v0 / h
        inner[2] = 0.5 * (v1 - v0) / step / h
        for j in range(joints):
            for k in range(2 * terms - 1):
                power[k] = 0.0
            power[0] = local[i, terms - 1, j]
            top = 0
            for p in range(terms - 2, -1, -1):
                for k in range(top + 2, -1, -1):
                    value = 0.0
                    if k >= 1:
                        value += power[k - 1] * inner[1]
                    if k >= 2:
                        value += power[k - 2] * inner[2]
                    power[k] = value
                power[0] += local[i, p, j]
                top += 2
            for k in range(2 * terms - 1):
                out[i, k, j] = power[k]
