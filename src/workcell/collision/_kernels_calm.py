"""A compiled loop over pairs of bodies whose joints stay within ranges."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import box_gap2
from workcell.collision._kernels_insides import swallowed
from workcell.collision._kernels_meshes import ALL, mesh_gap, new_small, new_tools
from workcell.collision._kernels_poses import inverse, place_frames, relative
from workcell.collision._kernels_strays import stray_of

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def middles(low: Array, high: Array, column: int, Q: Array, dQ: Array) -> None:
    """Fill the columns of a device with the middles of its ranges (rows, n) and with their half widths, never less."""
    for row in range(low.shape[0]):
        for j in range(low.shape[1]):
            Q[row, column + j] = 0.5 * (low[row, j] + high[row, j])
            dQ[row, column + j] = 0.5 * (high[row, j] - low[row, j]) * (1.0 + 1e-9) + 1e-12


@compiled
def inside(Q: Array, dQ: Array, columns: NDArray[np.int64], boxes: Array) -> int:
    """The box (boxes, 2, columns) in which the last row of ranges lies; -1 where a row lies in none."""
    which = -1
    for row in range(Q.shape[0]):
        found = False
        for k in range(boxes.shape[0]):
            found = True
            for i in range(columns.shape[0]):
                c = columns[i]
                low, high = Q[row, c] - dQ[row, c], Q[row, c] + dQ[row, c]
                if low < boxes[k, 0, i] or high > boxes[k, 1, i]:
                    found = False
                    break
            if found:
                which = k
                break
        if not found:
            return -1
    return which


@compiled
def calm(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    poses: Array,
    Q: Array,
    dQ: Array,
    first: Ints,
    second: Ints,
    stop: Ints,
    caps: Array,
) -> bool:
    """Whether pairs keep their distances, whatever joint values are taken within ``dQ`` of each row of ``Q``.

    ``stop`` is the frame that both bodies of a pair hang on, −1 for the world; ``caps`` the distance to keep.
    """
    roots, frame, seed_start, seeds = bodies[0], bodies[1], bodies[2], bodies[3]
    box = mesh[0]
    tools, small = new_tools(), new_small()
    rel, back, _, out, _ = small
    nothing, free = np.zeros(1), np.zeros((1, 12))
    number = roots.shape[0]
    strays, centres, radii = np.empty(number), np.empty((number, 3)), np.empty(number)
    for row in range(Q.shape[0]):
        place_frames(frames, which, Q[row], free, poses)
        strays[:] = -1.0
        for k in range(first.shape[0]):
            a, b = first[k], second[k]
            for body in (a, b):
                if strays[body] < 0.0:
                    n, X = box[roots[body]], poses[frame[body]]
                    strays[body] = stray_of(frames, poses, n, frame[body], -1, dQ[row], nothing, nothing)
                    for i in range(3):
                        centres[body, i] = X[3 * i] * n[0] + X[3 * i + 1] * n[1] + X[3 * i + 2] * n[2] + X[9 + i]
                    radii[body] = math.sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5])
            cap = caps[k] + strays[a] + strays[b]
            x = centres[a, 0] - centres[b, 0]
            y = centres[a, 1] - centres[b, 1]
            z = centres[a, 2] - centres[b, 2]
            apart = cap + radii[a] + radii[b]
            if x * x + y * y + z * z > apart * apart:
                continue
            if stop[k] >= 0:
                cap = caps[k] + stray_of(frames, poses, box[roots[a]], frame[a], stop[k], dQ[row], nothing, nothing)
                cap += stray_of(frames, poses, box[roots[b]], frame[b], stop[k], dQ[row], nothing, nothing)
            relative(poses, frame[a], frame[b], rel)
            if mesh_gap(mesh, roots[a], roots[b], rel, cap, cap * (1.0 - 1e-9), ALL, tools, out) < cap:
                return False
            if box_gap2(box, roots[a], roots[b], rel, tools[0]) <= 0.0:
                inverse(rel, back)
                if swallowed(mesh, (seed_start, seeds), a, roots[b], rel, tools[5], out):
                    return False
                if swallowed(mesh, (seed_start, seeds), b, roots[a], back, tools[5], out):
                    return False
    return True
