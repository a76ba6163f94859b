"""Compiled rows of what is near an arm: how its joints change the distance of a pair, and how fast the other comes."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def rows(
    poses: Array,
    mine: Ints,
    other: Ints,
    link: Ints,
    other_link: Ints,
    swapped: Ints,
    where: Array,
    distance: Array,
    before: Ints,
    slides: Ints,
    old: Array,
    dt: float,
    out: Array,
    comes: Array,
) -> None:
    """Fill ``out (m, n)`` with how fast distances grow with each joint, ``comes (m,)`` with how fast others come.

    Args:
        poses: of all frames (F, 12).
        mine: the frame of the arm's body of each pair (m,).
        other: the frame of the other body (m,).
        link: how many joints move the arm's body (m,).
        other_link: how many of them move the other body; −1 where none does.
        swapped: 1 where the points are those of the other body first.
        where: the two nearest points in the frame of the first body (m, 6).
        distance: of the pairs (m,).
        before: the frames whose z axes the joints move about (n,).
        slides: 1 where a joint slides (n,).
        old: the poses of other bodies at the last look (m, 12); NaN where they were not near.
        dt: how long ago that was; 0 for never.
        out: receives the rows.
        comes: receives the speeds.
    """
    points = np.empty((2, 3))
    normal, was = np.empty(3), np.empty(3)
    for k in range(mine.shape[0]):
        base = poses[other[k]] if swapped[k] else poses[mine[k]]
        for p in range(2):
            side = 1 - p if swapped[k] else p
            for i in range(3):
                points[side, i] = (
                    base[3 * i] * where[k, 3 * p]
                    + base[3 * i + 1] * where[k, 3 * p + 1]
                    + base[3 * i + 2] * where[k, 3 * p + 2]
                    + base[9 + i]
                )
        d = distance[k]
        for i in range(3):
            normal[i] = (points[0, i] - points[1, i]) / d if d > 0.0 else 0.0
        for j in range(before.shape[0]):
            value = 0.0
            if j < link[k]:
                value += _moved(poses[before[j]], slides[j], points[0], normal)
            if j < other_link[k]:
                value -= _moved(poses[before[j]], slides[j], points[1], normal)
            out[k, j] = value
        comes[k] = 0.0
        if other_link[k] < 0 and dt > 0.0 and not np.isnan(old[k, 0]):
            here = poses[other[k]]
            for i in range(3):
                was[i] = old[k, 9 + i]
            for c in range(3):
                local = 0.0
                for i in range(3):
                    local += here[3 * i + c] * (points[1, i] - here[9 + i])
                for i in range(3):
                    was[i] += old[k, 3 * i + c] * local
            for i in range(3):
                comes[k] += normal[i] * (points[1, i] - was[i]) / dt


@compiled
def _moved(joint: Array, slides: int, point: Array, normal: Array) -> float:
    """Return how fast a point moves along a direction with a joint whose frame is given (12,)."""
    a, b, c = joint[2], joint[5], joint[8]
    if slides:
        return float(a * normal[0] + b * normal[1] + c * normal[2])
    x, y, z = point[0] - joint[9], point[1] - joint[10], point[2] - joint[11]
    return float(normal[0] * (b * z - c * y) + normal[1] * (c * x - a * z) + normal[2] * (a * y - b * x))
