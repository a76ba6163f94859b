"""Compiled loops that make a path shorter and rounder."""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_free import new_room
from workcell.planning._kernels_search import distance, draw, edge_touches, point_between, touches

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_ALIKE = 8
"""After how many tries shortcuts are looked for over half the length."""
_HALVINGS = 6
"""How often the rounding of a corner is halved before the corner stays sharp."""


@compiled
def _replace(points: Array, count: int, first: int, last: int, a: Array, b: Array) -> int:
    """Put two points in place of those after ``first`` up to ``last``; how many points there are then."""
    gone = last - first - 2
    if gone < 0:
        for k in range(count - 1, last, -1):
            points[k + 1] = points[k]
    elif gone > 0:
        for k in range(last + 1, count):
            points[k - gone] = points[k]
    points[first + 1] = a
    points[first + 2] = b
    return count - gone


@compiled
def _skip(
    scene: Any, row: Array, columns: Ints, weights: Array, points: Array, count: int, step: float, ends: Array,
    room: Any, met: Any, counts: Any,
) -> int:  # fmt: skip
    """Leave out points where the way straight on is free; how many are left."""
    at = 0
    while at + 2 < count:
        far = count - 1
        while far > at + 1:
            if not edge_touches(scene, row, columns, points[at], points[far], weights, step, ends, room, met, counts):
                break
            far = at + 1 + (far - at - 1) // 2
        gone = far - at - 1
        if gone > 0:
            for k in range(far, count):
                points[k - gone] = points[k]
            count -= gone
        at += 1
    return count


@compiled
def shorten(
    scene: Any, row: Array, columns: Ints, weights: Array, points: Array, count: int, step: float, seed: Any,
    tries: int, met: Any, counts: Any,
) -> int:  # fmt: skip
    """Replace stretches of a path by straight edges that are free; the number of points that are left.

    First every corner that can be left out is. Then stretches around random corners are tried, ever shorter ones.
    """
    room = new_room(scene)
    n = points.shape[1]
    ends, a, b = np.empty((2, row.shape[0])), np.empty(n), np.empty(n)
    lengths = np.empty(points.shape[0])
    count = _skip(scene, row, columns, weights, points, count, step, ends, room, met, counts)
    missed = 0
    for tried in range(tries):
        if count < 3 or count + 1 >= points.shape[0] or missed > 12 + 4 * count:
            break
        missed += 1
        total = 0.0
        for k in range(count - 1):
            lengths[k] = distance(points[k], points[k + 1], weights)
            total += lengths[k]
        corner, at = 1 + int(draw(seed) * (count - 2)), 0.0
        for k in range(corner):
            at += lengths[k]
        wide = total * 0.5 ** (tried // _ALIKE)
        s, t = at - draw(seed) * min(at, wide), at + draw(seed) * min(total - at, wide)
        first = 0
        while first < count - 2 and s > lengths[first]:
            s -= lengths[first]
            t -= lengths[first]
            first += 1
        last = first
        while last < count - 2 and t > lengths[last]:
            t -= lengths[last]
            last += 1
        if last == first:
            continue
        u = min(s / max(lengths[first], 1e-300), 1.0)
        v = min(t / max(lengths[last], 1e-300), 1.0)
        point_between(points[first], points[first + 1], u, a)
        point_between(points[last], points[last + 1], v, b)
        around = lengths[first] * (1.0 - u) + lengths[last] * v
        for k in range(first + 1, last):
            around += lengths[k]
        # The ends lie on edges that are known to be free.
        if distance(a, b, weights) <= 0.99 * around and not edge_touches(
            scene, row, columns, a, b, weights, step, ends, room, met, counts
        ):
            missed = 0
            count = _replace(points, count, first, last, a, b)
    return count


@compiled
def round_corners(
    scene: Any, row: Array, columns: Ints, points: Array, radii: Array, met: Any, counts: Any
) -> None:  # fmt: skip
    """Halve how far from each corner its rounding begins until samples of it are free; 0 where they never are.

    The curve is that of :func:`workcell.motion.path.rounded_corner`, continuous in its curvature.
    """
    room = new_room(scene)
    n = points.shape[1]
    before, after, q = np.empty(n), np.empty(n), np.empty(n)
    for corner in range(radii.shape[0]):
        first, second = 0.0, 0.0
        for j in range(n):
            before[j] = points[corner + 1, j] - points[corner, j]
            after[j] = points[corner + 2, j] - points[corner + 1, j]
            first += before[j] * before[j]
            second += after[j] * after[j]
        for j in range(n):
            before[j] /= np.sqrt(first)
            after[j] /= np.sqrt(second)
        for _ in range(_HALVINGS):
            size = 2.0 * radii[corner]
            free = True
            for k in range(7):
                # The middle first: there the curve is farthest from the corner.
                t = (4, 3, 5, 2, 6, 1, 7)[k] / 8.0
                for j in range(n):
                    start = points[corner + 1, j] - radii[corner] * before[j]
                    q[j] = start + size * (t * before[j] + (after[j] - before[j]) * (t * t * t - 0.5 * t * t * t * t))
                if touches(scene, row, columns, q, room, met, counts):
                    free = False
                    break
            if free:
                break
            radii[corner] *= 0.5
        else:
            radii[corner] = 0.0
