"""Compiled loops about two motions at once: where they touch, and when a leg of the one may begin.

A grid has one row for each place on the way of the one, and one column for each instant of the others.
"""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_free import new_room, state_free
from workcell.collision._kernels_poses import place_frames

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def body_boxes(scene: Any, row: Array, columns: Ints, Q: Array, places: Ints, out: Array) -> None:
    """The boxes around bodies along the axes of the world, at configurations (N, bodies, 6): least, then greatest."""
    mesh, bodies, frames, which = scene[0], scene[1], scene[2], scene[3]
    poses, free = scene[5].copy(), np.zeros((1, 12))
    roots, frame, box = bodies[0], bodies[1], mesh[0]
    for i in range(Q.shape[0]):
        for c in range(columns.shape[0]):
            row[columns[c]] = Q[i, c]
        place_frames(frames, which, row, free, poses)
        for k in range(places.shape[0]):
            X, b = poses[frame[places[k]]], box[roots[places[k]]]
            for axis in range(3):
                r = 3 * axis
                centre = X[r] * b[0] + X[r + 1] * b[1] + X[r + 2] * b[2] + X[9 + axis]
                half = abs(X[r]) * b[3] + abs(X[r + 1]) * b[4] + abs(X[r + 2]) * b[5]
                out[i, k, axis], out[i, k, 3 + axis] = centre - half, centre + half


@compiled
def _near(one: Array, other: Array, pairs: Any, reach: float) -> bool:
    """Whether the boxes of any pair of bodies come nearer than that."""
    for k in range(pairs.shape[0]):
        a, b = one[pairs[k, 0]], other[pairs[k, 1]]
        if (
            a[0] <= b[3] + reach
            and b[0] <= a[3] + reach
            and a[1] <= b[4] + reach
            and b[1] <= a[4] + reach
            and a[2] <= b[5] + reach
            and b[2] <= a[5] + reach
        ):
            return True
    return False


@compiled
def crossings(
    scene: Any, row: Array, mine: Ints, A: Array, theirs: Ints, B: Array, boxes_a: Array, boxes_b: Array, pairs: Any,
    out: Any, first: Any, second: Any,
) -> None:  # fmt: skip
    """Where the one touches the others: the one at configurations (N, n), the others at theirs (M, m).

    Only cells of ``out`` (N, M) that are True are looked at; those at which nothing touches become False. ``first`` and
    ``second`` get the bodies of one touching pair.
    """
    room = new_room(scene)
    last, reach = room[4], scene[7]
    for j in range(B.shape[0]):
        for c in range(theirs.shape[0]):
            row[theirs[c]] = B[j, c]
        for i in range(A.shape[0]):
            if not out[i, j]:
                continue
            out[i, j] = False
            if not _near(boxes_a[i], boxes_b[j], pairs, reach):
                continue
            for c in range(mine.shape[0]):
                row[mine[c]] = A[i, c]
            if not state_free(scene, row, room):
                out[i, j] = True
                first[i, j], second[i, j] = last[0], last[1]


@compiled
def departures(before: Any, low: Ints, high: Ints, out: Any) -> None:
    """Whether a leg may begin at each column (M,).

    ``before`` counts the touching cells of each column below each row (N+1, M). The leg covers the rows from ``low``
    to ``high`` in each step of time (k,). After the last column nothing changes.
    """
    last = before.shape[1] - 1
    for j in range(out.shape[0]):
        free = True
        for m in range(low.shape[0]):
            for column in range(j + m, j + m + 2):
                c = min(column, last)
                if before[high[m] + 1, c] != before[low[m], c]:
                    free = False
                    break
            if not free:
                break
        out[j] = free
