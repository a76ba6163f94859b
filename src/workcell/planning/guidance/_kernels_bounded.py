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


@compiled
def rates(
    J: Array,
    wanted: Array,
    weight: float,
    rows: Array,
    push: Array,
    damping: float,
    closing: Array,
    bound: Array,
    low: Array,
    high: Array,
    out: Array,
) -> None:
    """Fill ``out (n,)`` with the rates nearest to pull and pushes that keep all bounds.

    Args:
        J: of the hand (k, n).
        wanted: its velocity (k,).
        weight: how much a push counts beside the pull.
        rows: how fast the distances of what pushes grow (p, n).
        push: how fast they are to grow (p,).
        damping: added to the diagonal.
        closing: how fast the distances that are bounded grow (c, n).
        bound: how fast they have to grow at least (c,).
        low: the least rates (n,).
        high: the greatest rates (n,).
        out: receives the rates.
    """
    n, count = low.shape[0], closing.shape[0]
    H, g = np.zeros((n, n)), np.zeros(n)
    for k in range(J.shape[0]):
        _add(J[k], wanted[k], 1.0, H, g)
    for k in range(rows.shape[0]):
        _add(rows[k], push[k], weight * weight, H, g)
    for i in range(n):
        H[i, i] += damping
    inverse = _inverse(H)
    best = np.zeros(n)
    for i in range(n):
        for j in range(n):
            best[i] += inverse[i, j] * g[j]
    m = 2 * n + count
    A, d = np.zeros((m, n)), np.empty(m)
    for i in range(n):
        A[i, i], A[n + i, i] = 1.0, -1.0
        d[i], d[n + i] = low[i] - best[i], best[i] - high[i]
    for k in range(count):
        d[2 * n + k] = bound[k]
        for i in range(n):
            A[2 * n + k, i] = closing[k, i]
            d[2 * n + k] -= closing[k, i] * best[i]
    B, P = np.zeros((m, n)), np.zeros((m, m))
    for k in range(m):
        for i in range(n):
            if A[k, i] != 0.0:
                for j in range(n):
                    B[k, j] += A[k, i] * inverse[i, j]
    for k in range(m):
        for other in range(m):
            for i in range(n):
                P[k, other] += B[k, i] * A[other, i]
    found = np.empty(m)
    multipliers(P, d, 400, found)
    for i in range(n):
        value = best[i]
        for k in range(m):
            value += B[k, i] * found[k]
        out[i] = min(max(value, low[i]), high[i])


@compiled
def _add(row: Array, value: float, weight: float, H: Array, g: Array) -> None:
    """Add one equation of the least squares."""
    for i in range(row.shape[0]):
        g[i] += weight * row[i] * value
        for j in range(row.shape[0]):
            H[i, j] += weight * row[i] * row[j]


@compiled
def _inverse(H: Array) -> Array:
    """Return the inverse of a symmetric matrix whose eigenvalues are above zero, by its Cholesky factor."""
    n = H.shape[0]
    L, X = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(total) if i == j else total / L[j, j]
    for c in range(n):  # X = L⁻¹
        for i in range(c, n):
            total = 1.0 if i == c else 0.0
            for k in range(c, i):
                total -= L[i, k] * X[k, c]
            X[i, c] = total / L[i, i]
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for k in range(max(i, j), n):
                out[i, j] += X[k, i] * X[k, j]
    return out
