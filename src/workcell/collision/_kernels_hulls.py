"""Compiled test of two convex hulls: a direction along which one lies beyond the other proves them apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]

_TRIES = 8
"""How many directions are tried. Hulls that are apart need two as a rule."""


@compiled
def _farthest(points: Array, first: int, last: int, x: float, y: float, z: float) -> int:
    """Return which point lies farthest along a direction; the number of points is a multiple of four."""
    b0, b1, b2, b3 = -np.inf, -np.inf, -np.inf, -np.inf
    i0, i1, i2, i3 = first, first, first, first
    for i in range(first, last, 4):
        v0 = points[0, i] * x + points[1, i] * y + points[2, i] * z
        v1 = points[0, i + 1] * x + points[1, i + 1] * y + points[2, i + 1] * z
        v2 = points[0, i + 2] * x + points[1, i + 2] * y + points[2, i + 2] * z
        v3 = points[0, i + 3] * x + points[1, i + 3] * y + points[2, i + 3] * z
        if v0 > b0:
            b0, i0 = v0, i
        if v1 > b1:
            b1, i1 = v1, i + 1
        if v2 > b2:
            b2, i2 = v2, i + 2
        if v3 > b3:
            b3, i3 = v3, i + 3
    if b1 > b0:
        b0, i0 = b1, i1
    if b3 > b2:
        b2, i2 = b3, i3
    return i2 if b2 > b0 else i0


@compiled
def hulls_gap(bodies: Any, box: Array, a: int, b: int, rel: Array, need: float) -> float:
    """Return how far two bodies are apart along the best direction found, below 0 without one; ``rel`` is b in a.

    The first direction along which it is more than ``need`` ends the search. Each direction that fails is reflected at
    the line between the two points that failed it (Chung and Wang 1996).
    """
    best = -1.0
    roots, spans, points = bodies[0], bodies[4], bodies[5]
    a0, a1, b0, b1 = spans[a, 0], spans[a, 1], spans[b, 0], spans[b, 1]
    if a0 == a1 or b0 == b1:
        return best
    ra, rb = roots[a], roots[b]
    ox, oy, oz = box[rb, 0], box[rb, 1], box[rb, 2]
    x = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - box[ra, 0]
    y = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - box[ra, 1]
    z = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - box[ra, 2]
    for _ in range(_TRIES):
        size = math.sqrt(x * x + y * y + z * z)
        if not size > 0.0:
            return best
        x, y, z = x / size, y / size, z / size
        i = _farthest(points, a0, a1, x, y, z)
        u = rel[0] * x + rel[3] * y + rel[6] * z
        v = rel[1] * x + rel[4] * y + rel[7] * z
        w = rel[2] * x + rel[5] * y + rel[8] * z
        j = _farthest(points, b0, b1, -u, -v, -w)
        ox, oy, oz = points[0, j], points[1, j], points[2, j]
        dx = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - points[0, i]
        dy = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - points[1, i]
        dz = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - points[2, i]
        along = x * dx + y * dy + z * dz
        if along > need:
            return float(along)
        if along > 0.0:
            best = max(best, along)
            # Apart, but not by enough along this direction: the line between the points is a better one.
            x, y, z = dx, dy, dz
            continue
        square = dx * dx + dy * dy + dz * dz
        if not square > 0.0:
            return best
        s = 2.0 * along / square
        x, y, z = x - s * dx, y - s * dy, z - s * dz
    return best


@compiled
def hulls_apart(bodies: Any, box: Array, a: int, b: int, rel: Array, need: float) -> bool:
    """Return whether a direction was found along which two bodies are more than ``need`` apart; ``rel`` is b in a.

    No is no proof that the hulls meet.
    """
    return hulls_gap(bodies, box, a, b, rel, need) > need
