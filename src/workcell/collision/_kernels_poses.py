"""Compiled poses: one relative to another, and the poses of all frames of an arrangement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def _compose(a: Array, b: Array, out: Array) -> None:
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]
        out[9 + i] = a[3 * i] * b[9] + a[3 * i + 1] * b[10] + a[3 * i + 2] * b[11] + a[9 + i]


@compiled
def relative(poses: Array, a: int, b: int, out: Array) -> None:
    """The pose of frame b in frame a."""
    x, y, z = poses[b, 9] - poses[a, 9], poses[b, 10] - poses[a, 10], poses[b, 11] - poses[a, 11]
    for i in range(3):
        u, v, w = poses[a, i], poses[a, 3 + i], poses[a, 6 + i]
        for j in range(3):
            out[3 * i + j] = u * poses[b, j] + v * poses[b, 3 + j] + w * poses[b, 6 + j]
        out[9 + i] = u * x + v * y + w * z


@compiled
def inverse(a: Array, out: Array) -> None:
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * j + i]
        out[9 + i] = -(a[i] * a[9] + a[3 + i] * a[10] + a[6 + i] * a[11])


@compiled
def place_frames(frames: Any, which: Ints, q: Array, free: Array, poses: Array) -> None:
    """Fill the poses of the listed frames, parents first."""
    parent, kind, column, joint, after = frames
    local = np.empty(12)
    for k in range(which.shape[0]):
        f = which[k]
        if kind[f] == 3:
            for x in range(12):
                local[x] = free[column[f], x]
        elif kind[f] == 0:
            for x in range(12):
                local[x] = after[f, x]
        else:
            turn, shift = joint[f, 0], joint[f, 1]
            if kind[f] == 1:
                turn += q[column[f]]
            else:
                shift += q[column[f]]
            c, s = math.cos(turn), math.sin(turn)
            m = after[f]
            for j in range(3):
                local[j] = c * m[j] - s * m[3 + j]
                local[3 + j] = s * m[j] + c * m[3 + j]
                local[6 + j] = m[6 + j]
            local[9] = c * m[9] - s * m[10]
            local[10] = s * m[9] + c * m[10]
            local[11] = m[11] + shift
        if parent[f] < 0:
            for x in range(12):
                poses[f, x] = local[x]
        else:
            _compose(poses[parent[f]], local, poses[f])


@compiled
def place(frames: Any, which: Ints, Q: Array, free: Array, poses: Array) -> None:
    """Poses (N, F, 12) of the listed frames for many joint values (N, n); the others stay as they are."""
    for row in range(Q.shape[0]):
        place_frames(frames, which, Q[row], free[row if free.shape[0] > 1 else 0], poses[row])
