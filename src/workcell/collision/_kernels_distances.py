"""Compiled least distances over many pairs, at one state and at many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import box_gap2
from workcell.collision._kernels_convex import pieces_range
from workcell.collision._kernels_insides import swallowed
from workcell.collision._kernels_meshes import ALL, mesh_gap, new_small, new_tools
from workcell.collision._kernels_poses import inverse, place_frames, relative
from workcell.collision._kernels_triangles import THIN, bring, triangle_gap2

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def body_gap(mesh: Any, bodies: Any, a: int, b: int, rel: Array, cap: float, tools: Any, out: Array) -> Any:
    """Return the distance of two bodies when it is below ``cap``, else ``cap``; and what their pieces are apart.

    The latter is below 0 where pieces may meet or there are none. ``out`` receives the nearest points in the frame of
    the first body, and in its last two places their triangles; −1 where the pieces are the shells themselves, so that
    no triangle had to be looked at.
    """
    ra, rb = bodies[0][a], bodies[0][b]
    low, high, exact = pieces_range(bodies, a, b, rel, tools[0], cap, 0.0, tools[7], out)
    if low >= cap:
        return cap, low
    out[7] = out[8] = -1.0
    if exact:
        return min(high, cap), low
    tight = high * (1.0 + 1e-6) + 1e-12
    if tight < cap:
        d = mesh_gap(mesh, ra, rb, rel, tight, 0.0, ALL, tools, out)
        if d < tight:
            return d, low
    return mesh_gap(mesh, ra, rb, rel, cap, 0.0, ALL, tools, out), low


@compiled
def clearances(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    q: Array,
    free: Array,
    poses: Array,
    first: Ints,
    second: Ints,
    group: Ints,
    best: Array,
    winner: Ints,
    where: Array,
) -> None:
    """For each group of pairs the least distance, the pair, and the two points in the frame of the first body.

    ``best`` comes in with a cap for each group. Pairs are taken in the order of the distance of their boxes, so
    that few of them come to triangles.
    """
    place_frames(frames, which, q, free, poses)
    roots, frame, start, points = bodies[0], bodies[1], bodies[2], bodies[3]
    seeds = (start, points)
    box = mesh[0]
    tools, small = new_tools(), new_small()
    rel, back, _, out, _ = small
    size = tools[0]
    count = first.shape[0]
    low = np.empty(count)
    for k in range(count):
        relative(poses, frame[first[k]], frame[second[k]], rel)
        for x in range(9):
            size[x] = abs(rel[x])
        low[k] = math.sqrt(box_gap2(box, roots[first[k]], roots[second[k]], rel, size))
    order = np.argsort(low)
    for place_of in range(count):
        k = order[place_of]
        g = group[k]
        if low[k] >= best[g] or best[g] <= 0.0:
            continue
        a, b = first[k], second[k]
        relative(poses, frame[a], frame[b], rel)
        d, apart = body_gap(mesh, bodies, a, b, rel, best[g], tools, out)
        if d > 0.0 and low[k] == 0.0 and apart < 0.0:
            keep = out.copy()
            inverse(rel, back)
            if swallowed(mesh, seeds, a, roots[b], rel, tools[5], out):
                d = 0.0
            elif swallowed(mesh, seeds, b, roots[a], back, tools[5], out):
                d = 0.0
                for i in range(3):
                    keep[i] = rel[3 * i] * out[0] + rel[3 * i + 1] * out[1] + rel[3 * i + 2] * out[2] + rel[9 + i]
                for i in range(3):
                    out[i] = keep[i]
                    out[3 + i] = keep[i]
            else:
                for i in range(6):
                    out[i] = keep[i]
        if d < best[g]:
            best[g] = d
            winner[g] = k
            for i in range(6):
                where[g, i] = out[i]


@compiled
def place_balls(box: Array, roots: Ints, frame: Ints, poses: Array, balls: Array) -> None:
    """Fill the middles of the balls around all bodies, in the world (B, 3)."""
    for k in range(roots.shape[0]):
        x, y, z = box[roots[k], 0], box[roots[k], 1], box[roots[k], 2]
        X = poses[frame[k]]
        for i in range(3):
            balls[k, i] = X[3 * i] * x + X[3 * i + 1] * y + X[3 * i + 2] * z + X[9 + i]


@compiled
def balls_apart(balls: Array, radii: Array, a: int, b: int, least: float) -> bool:
    """Return whether the balls around two bodies are farther apart than a distance."""
    x, y, z = balls[a, 0] - balls[b, 0], balls[a, 1] - balls[b, 1], balls[a, 2] - balls[b, 2]
    apart = (radii[a] + radii[b] + least) * (1.0 + 1e-12)
    return bool(x * x + y * y + z * z > apart * apart)


@compiled
def least_rows(
    mesh: Any, bodies: Any, frames: Any, which: Ints, Q: Array, free: Array, poses: Array, first: Ints, second: Ints,
    within: float, only_least: bool, best: Array, winner: Ints,
) -> None:  # fmt: skip
    """The least distance of every state (N,) and its pair; −1 where all pairs are at least ``within`` apart.

    The search of a state begins with the two triangles or pieces that were nearest in the one before. With
    ``only_least`` a state is looked at only as far as it may come nearer than all before it. ``free`` has one row, or
    one for each state.
    """
    roots, frame, start, points = bodies[0], bodies[1], bodies[2], bodies[3]
    seeds = (start, points)
    box, _, tris, kind = mesh
    tools, small = new_tools(), new_small()
    rel, back, _, out, _ = small
    size, p, q, e, f, _, _, _ = tools
    count = first.shape[0]
    low = np.empty(count)
    near = np.empty(count, dtype=np.int64)
    last, here, there = -1, 0, 0
    balls, radii = np.empty((roots.shape[0], 3)), np.empty(roots.shape[0])
    for k in range(roots.shape[0]):
        radii[k] = math.sqrt(box[roots[k], 3] ** 2 + box[roots[k], 4] ** 2 + box[roots[k], 5] ** 2)
    bar = within
    for row in range(Q.shape[0]):
        place_frames(frames, which, Q[row], free[row if free.shape[0] > 1 else 0], poses)
        least, won = bar, -1
        if row > 0:
            place_balls(box, roots, frame, poses, balls)
        if last >= 0:
            relative(poses, frame[first[last]], frame[second[last]], rel)
            if here >= 0:
                for x in range(9):
                    p[x] = tris[here, x]
                bring(tris, there, rel, q)
                thin, thin_q = kind[here] >= THIN, kind[there] >= THIN
                guess = math.sqrt(triangle_gap2(p, q, thin, thin_q, e, f, np.inf, out))
            else:
                _, guess, _ = pieces_range(bodies, first[last], second[last], rel, size, least, 0.0, tools[7], out)
            if guess < least:
                least, won = guess, last
        some = 0
        for k in range(count):
            if row > 0 and balls_apart(balls, radii, first[k], second[k], least):
                continue
            relative(poses, frame[first[k]], frame[second[k]], rel)
            for x in range(9):
                size[x] = abs(rel[x])
            gap2 = box_gap2(box, roots[first[k]], roots[second[k]], rel, size)
            if gap2 < least * least:
                low[some], near[some] = math.sqrt(gap2), k
                some += 1
        order = np.argsort(low[:some])
        for place_of in range(some):
            k = near[order[place_of]]
            if low[order[place_of]] >= least or least <= 0.0:
                break
            a, b = first[k], second[k]
            relative(poses, frame[a], frame[b], rel)
            d, apart = body_gap(mesh, bodies, a, b, rel, least, tools, out)
            if d < least:
                least, won, last, here, there = d, k, k, int(out[7]), int(out[8])
            if d > 0.0 and low[order[place_of]] == 0.0 and apart < 0.0:
                inverse(rel, back)
                if swallowed(mesh, seeds, a, roots[b], rel, tools[5], out) or swallowed(
                    mesh, seeds, b, roots[a], back, tools[5], out
                ):
                    least, won = 0.0, k
        best[row], winner[row] = least, won
        if only_least:
            bar = least
