"""A compiled look ahead along a motion: how near bodies come at some of its instants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import box_gap2
from workcell.collision._kernels_convex import pieces_range
from workcell.collision._kernels_distances import balls_apart, place_balls
from workcell.collision._kernels_meshes import mesh_gap, new_small, new_tools
from workcell.collision._kernels_poses import place_frames, relative

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_ABOUT = 1e-3
"""How exactly distances of pieces are found, as a part of them."""
_EFFORT = 64
"""After how many steps of a search among triangles what was found so far is taken."""


@compiled
def _at_most(mesh: Any, bodies: Any, a: int, b: int, rel: Array, cap: float, tools: Any, out: Array) -> float:
    """Return what two bodies are at most apart, or the cap where less is not found."""
    size = tools[0]
    for x in range(9):
        size[x] = abs(rel[x])
    if box_gap2(mesh[0], bodies[0][a], bodies[0][b], rel, size) >= cap * cap:
        return cap
    low, high, _ = pieces_range(bodies, a, b, rel, size, cap, _ABOUT, tools[7], out)
    cap = min(cap, high)
    if low >= cap * (1.0 - 2.0 * _ABOUT):
        return cap
    d = mesh_gap(mesh, bodies[0][a], bodies[0][b], rel, cap, 0.0, _EFFORT, tools, out)
    return float(d if d >= 0.0 else out[6])


@compiled
def _nearer(
    mesh: Any, bodies: Any, poses: Array, pairs: Any, least: float, balls: Array, radii: Array, tools: Any, small: Any
) -> float:
    """Return the least of distances less their offsets where frames are placed, or what it is to fall below."""
    first, second, offset = pairs
    roots, frame = bodies[0], bodies[1]
    rel, _, _, out, _ = small
    place_balls(mesh[0], roots, frame, poses, balls)
    for k in range(first.shape[0]):
        if balls_apart(balls, radii, first[k], second[k], least + offset[k]):
            continue
        relative(poses, frame[first[k]], frame[second[k]], rel)
        d = _at_most(mesh, bodies, first[k], second[k], rel, least + offset[k], tools, out)
        least = min(least, d - offset[k])
    return least


@compiled
def least_ahead(
    mesh: Any, bodies: Any, frames: Any, which: Ints, Q: Array, free: Array, poses: Array, pairs: Any, begin: int,
    stride: int,
) -> float:  # fmt: skip
    """Return what the least of all distances less their offsets does not exceed, at some instants of a motion.

    ``Q`` and ``free`` have a row for each instant, evenly spaced. The first row is looked at, then every ``stride``-th
    from row ``begin`` on, then those around the nearest one, nearer and nearer. ``pairs`` is the bodies of each pair
    and its offset.
    """
    roots = bodies[0]
    tools, small = new_tools(), new_small()
    balls, radii = np.empty((roots.shape[0], 3)), np.empty(roots.shape[0])
    for k in range(roots.shape[0]):
        n = mesh[0][roots[k]]
        radii[k] = math.sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5])
    place_frames(frames, which, Q[0], free[0], poses)
    least, best = _nearer(mesh, bodies, poses, pairs, np.inf, balls, radii, tools, small), 0
    for row in range(begin, Q.shape[0], stride):
        place_frames(frames, which, Q[row], free[row], poses)
        found = _nearer(mesh, bodies, poses, pairs, least, balls, radii, tools, small)
        if found < least:
            least, best = found, row
    while stride > 1:
        stride //= 2
        centre = best
        for row in (centre - stride, centre + stride):
            if 0 <= row < Q.shape[0]:
                place_frames(frames, which, Q[row], free[row], poses)
                found = _nearer(mesh, bodies, poses, pairs, least, balls, radii, tools, small)
                if found < least:
                    least, best = found, row
    return float(least)
