"""Compiled tests of two meshes through their trees of boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import TOUCH, box_gap2, boxes_apart, centres2, faces_apart
from workcell.collision._kernels_convex import MEET, UNSURE, pieces_meet
from workcell.collision._kernels_insides import swallowed
from workcell.collision._kernels_poses import inverse, relative
from workcell.collision._kernels_triangles import THIN, bring, triangle_gap2, triangles_touch

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_STACK = 512
ALL = 1 << 60
"""An effort that no search of two meshes comes to."""


@compiled
def new_tools() -> Any:
    return (
        np.empty(9),
        np.empty(9),
        np.empty(9),
        np.empty(12),
        np.empty(12),
        np.empty((_STACK, 2), dtype=np.int64),
        np.empty(_STACK),
        np.zeros((6, 6)),
    )


@compiled
def new_small() -> Any:
    return (
        np.empty(12),
        np.empty(12),
        np.empty(2, dtype=np.int32),
        np.empty(9),
        np.empty(_STACK, dtype=np.int64),
    )


@compiled
def _meshes_touch(mesh: Any, ra: int, rb: int, rel: Array, tools: Any, hit: Ints, out: Array) -> bool:
    """Return whether any two triangles come within TOUCH; ``hit`` receives them.

    The boxes of the meshes are taken to meet, and the first of the tools to hold the absolute rotation.
    """
    box, link, tris, kind = mesh
    size, p, q, e, f, stack, _, _ = tools
    stack[0, 0], stack[0, 1] = ra, rb
    top = 1
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        leaf_a, leaf_b = link[a, 0] < 0, link[b, 0] < 0
        if leaf_a and leaf_b:
            one, other = -1 - link[a, 0], -1 - link[b, 0]
            for x in range(9):
                p[x] = tris[one, x]
            bring(tris, other, rel, q)
            if triangles_touch(p, q, kind[one] >= THIN, kind[other] >= THIN, e, f, out):
                hit[0], hit[1] = one, other
                return True
            continue
        wide_a = max(box[a, 3], box[a, 4], box[a, 5])
        wide_b = max(box[b, 3], box[b, 4], box[b, 5])
        if leaf_b or (not leaf_a and wide_a >= wide_b):
            a0, b0, a1, b1 = link[a, 0], b, link[a, 1], b
        else:
            a0, b0, a1, b1 = a, link[b, 0], a, link[b, 1]
        # Inside the trees the products of edges cost more than they save.
        near0 = not faces_apart(box, a0, b0, rel, size)
        near1 = not faces_apart(box, a1, b1, rel, size)
        if near0 and near1 and centres2(box, a0, b0, rel) < centres2(box, a1, b1, rel):
            # What lies deeper is looked at first: it is the likelier to touch.
            a0, b0, a1, b1 = a1, b1, a0, b0
        if near0:
            stack[top, 0], stack[top, 1] = a0, b0
            top += 1
        if near1:
            stack[top, 0], stack[top, 1] = a1, b1
            top += 1
    return False


@compiled
def mesh_gap(
    mesh: Any, ra: int, rb: int, rel: Array, cap: float, enough: float, effort: int, tools: Any, out: Array
) -> float:
    """The distance of two meshes when it is below ``cap``, else ``cap``; any distance ≤ ``enough`` ends the search.

    ``out`` receives the nearest points in the frame of the first mesh, and in its last two places the triangles they
    lie on. After ``effort`` steps the search is given up and −1 − a number returned that the distance is at least;
    ``out[6]`` is then one that it does not exceed, or the cap.
    """
    box, link, tris, kind = mesh
    size, p, q, e, f, stack, gaps, _ = tools
    for x in range(9):
        size[x] = abs(rel[x])
    best = cap * cap
    floor = enough * enough
    gap = box_gap2(box, ra, rb, rel, size)
    if gap >= best:
        return cap
    stack[0, 0], stack[0, 1] = ra, rb
    gaps[0] = gap
    top = 1
    while top > 0:
        if effort <= 0:
            least = best
            for k in range(top):
                least = min(least, gaps[k])
            out[6] = math.sqrt(best)
            return -1.0 - math.sqrt(least)
        effort -= 1
        top -= 1
        if gaps[top] >= best:
            continue
        a, b = stack[top, 0], stack[top, 1]
        leaf_a, leaf_b = link[a, 0] < 0, link[b, 0] < 0
        if leaf_a and leaf_b:
            one, other = -1 - link[a, 0], -1 - link[b, 0]
            for x in range(9):
                p[x] = tris[one, x]
            bring(tris, other, rel, q)
            found = triangle_gap2(p, q, kind[one] >= THIN, kind[other] >= THIN, e, f, best, out)
            if found < best:
                best = found
                out[7], out[8] = one, other
            if best <= floor:
                break
            continue
        wide_a = max(box[a, 3], box[a, 4], box[a, 5])
        wide_b = max(box[b, 3], box[b, 4], box[b, 5])
        if leaf_b or (not leaf_a and wide_a >= wide_b):
            a0, b0, a1, b1 = link[a, 0], b, link[a, 1], b
        else:
            a0, b0, a1, b1 = a, link[b, 0], a, link[b, 1]
        g0 = box_gap2(box, a0, b0, rel, size)
        g1 = box_gap2(box, a1, b1, rel, size)
        if g0 < g1:
            a0, a1 = a1, a0
            b0, b1 = b1, b0
            g0, g1 = g1, g0
        if g0 < best:
            stack[top, 0], stack[top, 1], gaps[top] = a0, b0, g0
            top += 1
        if g1 < best:
            stack[top, 0], stack[top, 1], gaps[top] = a1, b1, g1
            top += 1
    return math.sqrt(best)


@compiled
def bodies_apart(box: Array, ra: int, rb: int, rel: Array, margin: float, size: Array) -> bool:
    """Return whether the boxes around two bodies are more than a margin apart; fill the absolute rotation ``size``."""
    for x in range(9):
        size[x] = abs(rel[x])
    if margin <= TOUCH:
        return boxes_apart(box, ra, rb, rel, size)
    need = margin * (1.0 + 1e-12) + TOUCH
    return box_gap2(box, ra, rb, rel, size) > need * need


@compiled
def near_within(
    mesh: Any, bodies: Any, a: int, b: int, rel: Array, back: Array, margin: float, tools: Any, hit: Ints, out: Array
) -> int:
    """The same as :func:`pair_within` for bodies whose boxes are near. The first tool is the absolute rotation."""
    roots, seeds = bodies[0], (bodies[2], bodies[3])
    box = mesh[0]
    ra, rb = roots[a], roots[b]
    size = tools[0]
    ranges = bodies[4][0]
    if ranges[a, 0] < ranges[a, 1] and ranges[b, 0] < ranges[b, 1]:
        found = pieces_meet(bodies, a, b, rel, size, margin, tools[7])
        if found != UNSURE:
            return 1 if found == MEET else 0
    if margin <= TOUCH:
        if _meshes_touch(mesh, ra, rb, rel, tools, hit, out):
            return 1
    elif mesh_gap(mesh, ra, rb, rel, margin * (1.0 + 1e-12) + TOUCH, margin, ALL, tools, out) <= margin:
        return 1
    # Being inside means that the boxes overlap, so most pairs never come to the rays.
    if box_gap2(box, ra, rb, rel, size) > 0.0:
        return 0
    if swallowed(mesh, seeds, a, rb, rel, tools[5], out):
        return 2
    inverse(rel, back)
    if swallowed(mesh, seeds, b, ra, back, tools[5], out):
        return 2
    return 0


@compiled
def pair_within(
    mesh: Any, bodies: Any, a: int, b: int, rel: Array, back: Array, margin: float, tools: Any, hit: Ints, out: Array
) -> int:
    """0: the bodies are more than ``margin`` apart; 1: surfaces within it; 2: one inside the other.

    ``rel`` is b in a. Cheap tests come first: the boxes around the bodies, then their convex pieces.
    """
    roots = bodies[0]
    if bodies_apart(mesh[0], roots[a], roots[b], rel, margin, tools[0]):
        return 0
    return near_within(mesh, bodies, a, b, rel, back, margin, tools, hit, out)


@compiled
def pairs_within(
    mesh: Any, bodies: Any, poses: Array, first: Ints, second: Ints, margins: Array, kinds: Ints, hits: Ints
) -> None:
    """The kind of nearness of each listed pair at given poses, and the two triangles found."""
    frame = bodies[1]
    tools, small = new_tools(), new_small()
    rel, back, hit, out, _ = small
    for k in range(first.shape[0]):
        hit[0] = hit[1] = -1
        relative(poses, frame[first[k]], frame[second[k]], rel)
        kinds[k] = pair_within(mesh, bodies, first[k], second[k], rel, back, margins[k], tools, hit, out)
        hits[k, 0], hits[k, 1] = hit[0], hit[1]


@compiled
def join(
    box_a: Array, link_a: Ints, tris_a: Array, kind_a: Any, box_b: Array, link_b: Ints, tris_b: Array, kind_b: Any
) -> Any:
    """Two trees end to end, as if they had been packed together; the root of the second is where the first ends."""
    nodes, count = box_a.shape[0], tris_a.shape[0]
    shifted = link_b.copy()
    for k in range(shifted.shape[0]):
        if shifted[k, 0] < 0:
            shifted[k, 0] -= count
        else:
            shifted[k, 0] += nodes
            shifted[k, 1] += nodes
    return (
        np.concatenate((box_a, box_b)),
        np.concatenate((link_a, shifted)),
        np.concatenate((tris_a, tris_b)),
        np.concatenate((kind_a, kind_b)),
    )


@compiled
def gap(mesh: Any, second: int, X_a: Array, X_b: Array, here: Array, there: Array) -> float:
    """The distance of two joined meshes and the nearest points."""
    rel = np.empty(12)
    out = np.empty(9)
    both = np.empty((2, 12))
    both[0], both[1] = X_a, X_b
    relative(both, 0, 1, rel)
    d = mesh_gap(mesh, 0, second, rel, np.inf, 0.0, ALL, new_tools(), out)
    for i in range(3):
        here[i] = X_a[3 * i] * out[0] + X_a[3 * i + 1] * out[1] + X_a[3 * i + 2] * out[2] + X_a[9 + i]
        there[i] = X_a[3 * i] * out[3] + X_a[3 * i + 1] * out[4] + X_a[3 * i + 2] * out[5] + X_a[9 + i]
    return d


@compiled
def least_shift(mesh: Any, bodies: Any, rel: Array, ways: Array, limit: float) -> tuple[float, int]:
    """By how little the second of two joined meshes is freed along one of the unit ways, and which one.

    Steps grow until the mesh is free and are then halved, to a tenth of a micrometre.
    """
    tools, small = new_tools(), new_small()
    moved, back, hit, out, _ = small
    best, which = limit, -1
    for k in range(ways.shape[0]):
        kept, free, step = 0.0, -1.0, 1e-6
        while step < 2.0 * best:
            tried = min(step, best)
            for x in range(12):
                moved[x] = rel[x]
            for x in range(3):
                moved[9 + x] += tried * ways[k, x]
            if pair_within(mesh, bodies, 0, 1, moved, back, 0.0, tools, hit, out) == 0:
                free = tried
                break
            kept = tried
            step *= 2.0
        if free < 0.0:
            continue
        while free - kept > 1e-7:
            tried = 0.5 * (kept + free)
            for x in range(3):
                moved[9 + x] = rel[9 + x] + tried * ways[k, x]
            if pair_within(mesh, bodies, 0, 1, moved, back, 0.0, tools, hit, out) == 0:
                free = tried
            else:
                kept = tried
        if free < best:
            best, which = free, k
    return best, which
