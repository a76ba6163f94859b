"""Compiled bounds on how far bodies get from their places while joints stay within ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_convex import pieces_gap
from workcell.collision._kernels_meshes import ALL, mesh_gap, new_small, new_tools
from workcell.collision._kernels_poses import place_frames, relative

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def _arm(X: Array, body_box: Array, body: Array) -> float:
    """The greatest distance of a body's box from the z axis of a frame."""
    ax, ay, az = X[2], X[5], X[8]
    worst = 0.0
    for corner in range(8):
        bx = body_box[0] + (body_box[3] if corner & 1 else -body_box[3])
        by = body_box[1] + (body_box[4] if corner & 2 else -body_box[4])
        bz = body_box[2] + (body_box[5] if corner & 4 else -body_box[5])
        x = body[0] * bx + body[1] * by + body[2] * bz + body[9] - X[9]
        y = body[3] * bx + body[4] * by + body[5] * bz + body[10] - X[10]
        z = body[6] * bx + body[7] * by + body[8] * bz + body[11] - X[11]
        along = ax * x + ay * y + az * z
        worst = max(worst, x * x + y * y + z * z - along * along)
    return math.sqrt(max(worst, 0.0))


@compiled
def stray_of(
    frames: Any, poses: Array, body_box: Array, f: int, stop: int, dq: Array, way: Array, turn: Array
) -> float:
    """How far any point of a body on frame ``f`` can get from its place, seen from frame ``stop``.

    The joints are moved one after the other, the last one first: at each step the point turns about an axis that
    has not moved yet, at a distance of at most its distance at the middle plus what it has strayed already.
    """
    parent, kind, column, _, _ = frames
    own = poses[f]
    strayed = 0.0
    while f != stop and f >= 0:
        if kind[f] == 1:
            move = dq[column[f]]
            if move > 0.0:
                strayed += (_arm(poses[parent[f]], body_box, own) + strayed) * move
        elif kind[f] == 2:
            strayed += dq[column[f]]
        elif kind[f] == 3:
            X = poses[f]
            if turn[column[f]] > 0.0:
                far = 0.0
                for corner in range(8):
                    bx = body_box[0] + (body_box[3] if corner & 1 else -body_box[3])
                    by = body_box[1] + (body_box[4] if corner & 2 else -body_box[4])
                    bz = body_box[2] + (body_box[5] if corner & 4 else -body_box[5])
                    x = own[0] * bx + own[1] * by + own[2] * bz + own[9] - X[9]
                    y = own[3] * bx + own[4] * by + own[5] * bz + own[10] - X[10]
                    z = own[6] * bx + own[7] * by + own[8] * bz + own[11] - X[11]
                    far = max(far, x * x + y * y + z * z)
                strayed += (math.sqrt(far) + strayed) * turn[column[f]]
            strayed += way[column[f]]
        f = parent[f]
    return strayed


@compiled
def strays(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    poses: Array,
    Q: Array,
    dQ: Array,
    free: Array,
    ways: Array,
    turns: Array,
    places: Ints,
    worst: Array,
) -> None:
    """For each interval how far any point of the listed bodies gets from its place at the middle."""
    roots, frame = bodies[0], bodies[1]
    box = mesh[0]
    for row in range(Q.shape[0]):
        place_frames(frames, which, Q[row], free[row], poses)
        worst[row] = 0.0
        for k in range(places.shape[0]):
            a = places[k]
            found = stray_of(frames, poses, box[roots[a]], frame[a], -1, dQ[row], ways[row], turns[row])
            worst[row] = max(worst[row], found)


@compiled
def cells(
    mesh: Any, bodies: Any, frames: Any, which: Ints, poses: Array, Q: Array, half: Array, a: int, b: int, stop: int,
    margin: float, proved: Any,
) -> None:  # fmt: skip
    """Find in which cells of joint values, of these half sizes, two bodies keep the margin all over: 1 when proved."""
    roots, frame = bodies[0], bodies[1]
    box = mesh[0]
    tools, small = new_tools(), new_small()
    rel, _, _, out, _ = small
    nothing, free = np.zeros(1), np.zeros((1, 12))
    for row in range(Q.shape[0]):
        place_frames(frames, which, Q[row], free, poses)
        stray = stray_of(frames, poses, box[roots[a]], frame[a], stop, half, nothing, nothing)
        stray += stray_of(frames, poses, box[roots[b]], frame[b], stop, half, nothing, nothing)
        relative(poses, frame[a], frame[b], rel)
        cap = stray + margin
        for x in range(9):
            tools[0][x] = abs(rel[x])
        proved[row] = pieces_gap(bodies, a, b, rel, tools[0], cap, cap, tools[7]) > cap or (
            mesh_gap(mesh, roots[a], roots[b], rel, cap, cap * (1.0 - 1e-9), ALL, tools, out) >= cap
        )
