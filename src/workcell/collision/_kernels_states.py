"""Compiled checks of whole states: which pairs of bodies are too near."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_meshes import bodies_apart, near_within, new_small, new_tools
from workcell.collision._kernels_poses import place_frames, relative

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def in_proved_cell(moving: Any, pair: int, q: Array) -> bool:
    """Return whether the joints between two bodies lie in a cell that is proved free; see ``selfcells``."""
    _, _, _, _, _, dims, columns, least, scale, counts, start_of, proved, _ = moving
    if dims[pair] == 0:
        return False
    cell = 0
    for x in range(dims[pair]):
        place_of = math.floor((q[columns[pair, x]] - least[pair, x]) * scale[pair, x])
        if place_of < 0 or place_of >= counts[pair, x]:
            return False
        cell = cell * counts[pair, x] + place_of
    return bool(proved[start_of[pair] + cell])


@compiled
def around(X: Array, b: Array, more: float) -> Any:
    """Return the box in the world around a body's box at a pose, widened on all sides: its centre and half sizes."""
    return (
        X[0] * b[0] + X[1] * b[1] + X[2] * b[2] + X[9],
        X[3] * b[0] + X[4] * b[1] + X[5] * b[2] + X[10],
        X[6] * b[0] + X[7] * b[1] + X[8] * b[2] + X[11],
        abs(X[0]) * b[3] + abs(X[1]) * b[4] + abs(X[2]) * b[5] + more,
        abs(X[3]) * b[3] + abs(X[4]) * b[4] + abs(X[5]) * b[5] + more,
        abs(X[6]) * b[3] + abs(X[7]) * b[4] + abs(X[8]) * b[5] + more,
    )


@compiled
def next_still(still: Any, wide: Any, stack: Any, top: int) -> Any:
    """Return the place of the next still body whose box meets a box, and how much of the stack is left; −1 for none."""
    node_box, node_link, _ = still
    cx, cy, cz, hx, hy, hz = wide
    while top > 0:
        top -= 1
        node = stack[top]
        n = node_box[node]
        if abs(cx - n[0]) > hx + n[3] or abs(cy - n[1]) > hy + n[4] or abs(cz - n[2]) > hz + n[5]:
            continue
        if node_link[node, 0] < 0:
            return -1 - node_link[node, 0], top
        stack[top] = node_link[node, 1]
        stack[top + 1] = node_link[node, 0]
        top += 2
    return -1, 0


@compiled
def state_contacts(
    mesh: Any, bodies: Any, still: Any, moving: Any, reach: float, q: Array, poses: Array, limit: int, tools: Any,
    small: Any, found: Ints,
) -> int:  # fmt: skip
    """Count the pairs of one state that are too near, up to ``limit``; ``found`` receives (body, body, kind).

    The margin of the last one is left in ``small``, in place 6 of the points.
    """
    roots, frame = bodies[0], bodies[1]
    names = still[2]
    order, margins, first, second, between = moving[0], moving[1], moving[2], moving[3], moving[4]
    rows = moving[12]
    rel, back, hit, out, stack = small
    box = mesh[0]
    count = 0
    for k in range(order.shape[0]):
        a = order[k]
        if still[1].shape[0] == 0:
            break
        wide = around(poses[frame[a]], box[roots[a]], reach)
        stack[0], top = 0, 1
        while top > 0:
            place_of, top = next_still(still, wide, stack, top)
            if place_of < 0:
                break
            margin = margins[k, place_of]
            if margin < 0.0:
                continue
            if rows.shape[0] > 0 and rows[k, place_of] >= 0 and in_proved_cell(moving, rows[k, place_of], q):
                continue
            other = names[place_of]
            relative(poses, frame[a], frame[other], rel)
            if bodies_apart(box, roots[a], roots[other], rel, margin, tools[0]):
                continue
            kind = near_within(mesh, bodies, a, other, rel, back, margin, tools, hit, out)
            if kind:
                out[6] = margin
                if count < found.shape[0]:
                    found[count, 0], found[count, 1], found[count, 2] = a, other, kind
                count += 1
                if count >= limit:
                    return count
    for k in range(first.shape[0]):
        if in_proved_cell(moving, k, q):
            continue
        a, other = first[k], second[k]
        relative(poses, frame[a], frame[other], rel)
        if bodies_apart(box, roots[a], roots[other], rel, between[k], tools[0]):
            continue
        kind = near_within(mesh, bodies, a, other, rel, back, between[k], tools, hit, out)
        if kind:
            out[6] = between[k]
            if count < found.shape[0]:
                found[count, 0], found[count, 1], found[count, 2] = a, other, kind
            count += 1
            if count >= limit:
                return count
    return count


@compiled
def contacts(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    still: Any,
    moving: Any,
    reach: float,
    Q: Array,
    free: Array,
    poses: Array,
    limit: int,
    counts: Ints,
    found: Ints,
) -> None:
    """Many states: how many pairs of each are too near (N,), and which (N, limit, 3), looked for up to ``limit``.

    ``poses`` holds the still frames and ends with those of the last state.
    """
    tools, small = new_tools(), new_small()
    for row in range(Q.shape[0]):
        place_frames(frames, which, Q[row], free, poses)
        counts[row] = state_contacts(mesh, bodies, still, moving, reach, Q[row], poses, limit, tools, small, found[row])
