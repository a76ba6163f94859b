"""Compiled search under constraints: trees and paths whose configurations are projected onto what they must keep.

The rows of the constraints are those of :mod:`workcell.planning._kernels_constraints`, the scene that of
:mod:`workcell.planning._kernels_search`. A tree grows in small strides; each is projected, tested and kept (Berenson
and others 2009 call the scheme CBiRRT).
"""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_free import new_room
from workcell.planning._kernels_constraints import project, room_for
from workcell.planning._kernels_search import (
    EDGES,
    FULL,
    JOINED,
    OPEN,
    TRIES,
    distance,
    draw,
    edge_touches,
    nearest,
    steer,
    touches,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def _stride(
    held: Any, scene: Any, row: Array, columns: Ints, a: Array, goal: Array, new: Array, ends: Array, work: Any,
    room: Any, met: Any, counts: Any,
) -> int:  # fmt: skip
    """Go one stride from ``a`` towards a goal, projected and tested: 2 it is reached, 1 it is nearer, 0 blocked."""
    rows, weights, box, parts, stride, step = held
    counts[EDGES] += 1
    if steer(a, goal, weights, stride, new):
        # The goal itself keeps the constraints; only the way to it is left to test.
        return 0 if edge_touches(scene, row, columns, a, new, weights, step, ends, work, met, counts) else 2
    if not project(rows, scene[2], row, columns, weights, box, parts, new, room):
        return 0
    before, after, moved = distance(a, goal, weights), distance(new, goal, weights), distance(a, new, weights)
    if after > before - 0.1 * stride or moved > 3.0 * stride:
        return 0
    if touches(scene, row, columns, new, work, met, counts):
        return 0
    return 0 if edge_touches(scene, row, columns, a, new, weights, step, ends, work, met, counts) else 1


@compiled
def walk(
    held: Any, scene: Any, base: Array, columns: Ints, poses: Array, a: Array, b: Array, out: Array, met: Any,
    counts: Any,
) -> int:  # fmt: skip
    """Walk along the constraints from one configuration to another; the number of configurations written, 0 if blocked.

    ``out`` receives those after ``a``, the last one is ``b``.
    """
    rows, row = held[0], base.copy()
    room, work = room_for(rows, poses), new_room(scene)
    n = a.shape[0]
    at, new, ends = a.copy(), np.empty(n), np.empty((2, row.shape[0]))
    for count in range(out.shape[0]):
        ended = _stride(held, scene, row, columns, at, b, new, ends, work, room, met, counts)
        if ended == 0:
            return 0
        out[count] = new
        at[:] = new
        if ended == 2:
            return count + 1
    return 0


@compiled
def grow_held(
    held: Any, scene: Any, base: Array, columns: Ints, poses: Array, nodes: Array, parents: Ints, sizes: Any, seed: Any,
    most: int, strides: int, met: Any, counts: Any, join: Any,
) -> int:  # fmt: skip
    """Grow two trees along the constraints towards each other, for some samples; as ``grow`` of the plain search."""
    rows, weights, box = held[0], held[1], held[2]
    row = base.copy()
    room, work = room_for(rows, poses), new_room(scene)
    n = box.shape[0]
    sample, new, ends = np.empty(n), np.empty(n), np.empty((2, row.shape[0]))
    space = nodes.shape[1]
    for _ in range(most):
        side = 0 if sizes[0] <= sizes[1] else 1
        other = 1 - side
        if sizes[0] + strides + 2 >= space or sizes[1] + 2 >= space or sizes[1] + strides + 2 >= space:
            return FULL
        counts[TRIES] += 1
        for j in range(n):
            sample[j] = box[j, 0] + draw(seed) * (box[j, 1] - box[j, 0])
        at = nearest(nodes[side], sizes[side], sample, weights)
        first = sizes[side]
        for _ in range(strides):
            if _stride(held, scene, row, columns, nodes[side, at], sample, new, ends, work, room, met, counts) != 1:
                break
            nodes[side, sizes[side]] = new
            parents[side, sizes[side]] = at
            at = sizes[side]
            sizes[side] += 1
        if sizes[side] == first:
            continue
        last = sizes[side] - 1
        at = nearest(nodes[other], sizes[other], nodes[side, last], weights)
        while sizes[other] + 1 < space:
            goal = nodes[side, last]
            ended = _stride(held, scene, row, columns, nodes[other, at], goal, new, ends, work, room, met, counts)
            if ended == 0:
                break
            if ended == 2:
                join[side], join[other] = last, at
                return JOINED
            nodes[other, sizes[other]] = new
            parents[other, sizes[other]] = at
            at = sizes[other]
            sizes[other] += 1
    return OPEN


@compiled
def shorten_held(
    held: Any, scene: Any, base: Array, columns: Ints, poses: Array, points: Array, count: int, seed: Any, tries: int,
    met: Any, counts: Any,
) -> int:  # fmt: skip
    """Replace stretches of a path by walks along the constraints that are shorter; the number of points left."""
    rows, weights = held[0], held[1]
    row = base.copy()
    room, work = room_for(rows, poses), new_room(scene)
    n = points.shape[1]
    new, ends, at = np.empty(n), np.empty((2, row.shape[0])), np.empty(n)
    spare = np.empty_like(points)
    for _ in range(tries):
        if count < 3:
            break
        first = int(draw(seed) * count)
        last = int(draw(seed) * count)
        if first > last:
            first, last = last, first
        if last - first < 2:
            continue
        around = 0.0
        for k in range(first, last):
            around += distance(points[k], points[k + 1], weights)
        if distance(points[first], points[last], weights) > 0.98 * around:
            continue
        at[:] = points[first]
        way, steps, ended = 0.0, 0, 0
        while way < 0.98 * around and steps < last - first:
            ended = _stride(held, scene, row, columns, at, points[last], new, ends, work, room, met, counts)
            if ended == 0:
                break
            way += distance(at, new, weights)
            spare[steps] = new
            at[:] = new
            steps += 1
            if ended == 2:
                break
        if ended != 2 or way >= 0.98 * around:
            continue
        for k in range(steps):
            points[first + 1 + k] = spare[k]
        gone = last - first - steps
        for k in range(last + 1, count):
            points[k - gone] = points[k]
        count -= gone
    return count


@compiled
def relax_held(
    held: Any, scene: Any, base: Array, columns: Ints, poses: Array, points: Array, count: int, rounds: int, met: Any,
    counts: Any,
) -> None:  # fmt: skip
    """Move every point towards the middle of its neighbours, along the constraints, where the way stays free."""
    rows, weights, box, parts, stride, step = held
    row = base.copy()
    room, work = room_for(rows, poses), new_room(scene)
    n = points.shape[1]
    new, ends = np.empty(n), np.empty((2, row.shape[0]))
    for _ in range(rounds):
        for k in range(1, count - 1):
            for j in range(n):
                new[j] = 0.5 * (points[k - 1, j] + points[k + 1, j])
            if distance(new, points[k], weights) < 1e-6:
                continue
            if not project(rows, scene[2], row, columns, weights, box, parts, new, room):
                continue
            before, after = points[k - 1], points[k + 1]
            if distance(before, new, weights) > 2.0 * stride or distance(new, after, weights) > 2.0 * stride:
                continue
            if touches(scene, row, columns, new, work, met, counts):
                continue
            if edge_touches(scene, row, columns, before, new, weights, step, ends, work, met, counts):
                continue
            if edge_touches(scene, row, columns, new, after, weights, step, ends, work, met, counts):
                continue
            points[k] = new
