"""Compiled loops of the search: configurations and edges tested, two trees grown towards each other.

A scene is the tuple that :meth:`workcell.planning.space.Space.scene` makes. Distances are weighted: a joint counts by
how far it moves a point of the arm. Random numbers come from a generator of our own (splitmix64), so that a seed gives
the same path in every process.
"""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_free import between_free, new_room, state_free

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

OPEN, JOINED, FULL = 0, 1, 2
"""How a slice of the search ended: nothing found yet, the trees met, no room for more nodes."""
STATES, EDGES, TRIES = 0, 1, 2
"""Counters: configurations tested, edges tested, samples drawn."""
_PATIENCE = 24
"""After how many misses in a row a tree grows half as far at once."""
_HALVINGS = 4
"""How often that distance is halved at most."""


@compiled
def draw(seed: Any) -> float:
    """A number from 0 to below 1."""
    seed[0] += np.uint64(0x9E3779B97F4A7C15)
    z = seed[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def touches(scene: Any, row: Array, columns: Ints, q: Array, room: Any, met: Any, counts: Any) -> bool:
    """Whether anything touches at joint values; counts what was met."""
    for j in range(columns.shape[0]):
        row[columns[j]] = q[j]
    counts[STATES] += 1
    if state_free(scene, row, room):
        return False
    met[room[4][1]] += 1
    return True


@compiled
def span(a: Array, b: Array, weights: Array) -> float:
    """A bound on how far any point moves from one configuration to the other [m]."""
    total = 0.0
    for j in range(a.shape[0]):
        total += weights[j] * abs(b[j] - a[j])
    return total


@compiled
def edge_touches(
    scene: Any, row: Array, columns: Ints, a: Array, b: Array, weights: Array, step: float, ends: Array, room: Any,
    met: Any, counts: Any,
) -> bool:  # fmt: skip
    """Whether anything touches between two configurations, the ends left out: the middle first, then ever finer.

    ``ends`` (2, all joints) is room for both.
    """
    counts[EDGES] += 1
    ends[0] = row
    ends[1] = row
    for j in range(columns.shape[0]):
        ends[0, columns[j]] = a[j]
        ends[1, columns[j]] = b[j]
    free = between_free(scene, ends[0], ends[1], math.ceil(span(a, b, weights) / step), room)
    counts[STATES] += room[4][2]
    if not free:
        met[room[4][1]] += 1
    return not free


@compiled
def touching(scene: Any, row: Array, columns: Ints, Q: Array, met: Any, counts: Any, out: Any) -> None:
    """Whether anything touches at each of many configurations (N,)."""
    room = new_room(scene)
    for k in range(Q.shape[0]):
        out[k] = touches(scene, row, columns, Q[k], room, met, counts)


@compiled
def edges_touch(
    scene: Any,
    row: Array,
    columns: Ints,
    A: Array,
    B: Array,
    weights: Array,
    step: float,
    met: Any,
    counts: Any,
    out: Any,
) -> None:
    """Whether anything touches between each of many pairs of configurations (N,)."""
    room, ends = new_room(scene), np.empty((2, row.shape[0]))
    for k in range(A.shape[0]):
        out[k] = edge_touches(scene, row, columns, A[k], B[k], weights, step, ends, room, met, counts)


@compiled
def motion_touches(
    scene: Any, row: Array, columns: Ints, a: Array, b: Array, weights: Array, step: float, met: Any, counts: Any
) -> bool:
    """Whether anything touches on the way from a free configuration to another, or at that one."""
    room, ends = new_room(scene), np.empty((2, row.shape[0]))
    if touches(scene, row, columns, b, room, met, counts):
        return True
    return bool(edge_touches(scene, row, columns, a, b, weights, step, ends, room, met, counts))


@compiled
def nearest(nodes: Array, count: int, q: Array, weights: Array) -> int:
    """The node nearest to a configuration."""
    best, least = 0, math.inf
    n = q.shape[0]
    for k in range(count):
        total = 0.0
        for j in range(n):
            d = weights[j] * (nodes[k, j] - q[j])
            total += d * d
            if total >= least:
                break
        if total < least:
            best, least = k, total
    return best


@compiled
def distance(a: Array, b: Array, weights: Array) -> float:
    """The weighted distance of two configurations [m]."""
    total = 0.0
    for j in range(a.shape[0]):
        d = weights[j] * (b[j] - a[j])
        total += d * d
    return math.sqrt(total)


@compiled
def point_between(a: Array, b: Array, t: float, out: Array) -> None:
    for j in range(a.shape[0]):
        out[j] = a[j] + t * (b[j] - a[j])


@compiled
def steer(a: Array, b: Array, weights: Array, most: float, out: Array) -> bool:
    """Go from one configuration towards another, by at most ``most``; whether it was reached."""
    length = distance(a, b, weights)
    if length <= most:
        out[:] = b
        return True
    point_between(a, b, most / length, out)
    return False


@compiled
def _beside(q: Array, box: Array, weights: Array, far: float, seed: Any, out: Array) -> None:
    """Go from a configuration in any direction, all alike by how far they move the arm, within the ranges."""
    total = 0.0
    for j in range(q.shape[0]):
        out[j] = 2.0 * draw(seed) - 1.0
        total += out[j] * out[j]
    far /= math.sqrt(max(total, 1e-12))
    for j in range(q.shape[0]):
        out[j] = min(max(q[j] + far * out[j] / weights[j], box[j, 0]), box[j, 1])


@compiled
def grow(
    scene: Any, row: Array, columns: Ints, box: Array, weights: Array, nodes: Array, parents: Ints, misses: Any,
    sizes: Any, reach: float, step: float, seed: Any, most: int, met: Any, counts: Any, join: Any,
) -> int:  # fmt: skip
    """Grow two trees towards each other (RRT-Connect, Kuffner & LaValle 2000) for some samples.

    ``nodes`` (2, room, n) are the configurations of both trees, ``parents`` (2, room) the node before each, −1 for
    roots, ``sizes`` (2,) how many there are. A tree grows by at most ``reach`` at once, weighted. ``misses`` (2,)
    is how often in a row something was in the way of each: after some misses it grows half as far, and so on, until it
    grows at all, so that it also gets out of a place that leaves little room. Configurations of an edge are tested a
    ``step`` apart [m]. ``seed`` is the state of the generator, ``most`` the number of samples. ``join`` receives the
    nodes at which the trees meet.
    """
    room = new_room(scene)
    n = box.shape[0]
    sample, new, ends = np.empty(n), np.empty(n), np.empty((2, row.shape[0]))
    most_nodes = nodes.shape[1]
    for _ in range(most):
        side = 0 if sizes[0] <= sizes[1] else 1
        other = 1 - side
        if sizes[0] + 2 >= most_nodes or sizes[1] + 2 >= most_nodes:
            return FULL
        counts[TRIES] += 1
        stride = reach * 0.5 ** min(misses[side] // _PATIENCE, _HALVINGS)
        if misses[side] >= _PATIENCE and misses[side] % 2 == 1:
            near = int(draw(seed) * sizes[side])
            _beside(nodes[side, near], box, weights, stride, seed, new)
        else:
            for j in range(n):
                sample[j] = box[j, 0] + draw(seed) * (box[j, 1] - box[j, 0])
            near = nearest(nodes[side], sizes[side], sample, weights)
            steer(nodes[side, near], sample, weights, stride, new)
        if touches(scene, row, columns, new, room, met, counts) or edge_touches(
            scene, row, columns, nodes[side, near], new, weights, step, ends, room, met, counts
        ):
            misses[side] += 1
            continue
        misses[side] = 0
        last = sizes[side]
        nodes[side, last] = new
        parents[side, last] = near
        sizes[side] += 1
        at = nearest(nodes[other], sizes[other], new, weights)
        while sizes[other] + 1 < most_nodes:
            arrived = steer(nodes[other, at], nodes[side, last], weights, reach, new)
            if not arrived and touches(scene, row, columns, new, room, met, counts):
                break
            if edge_touches(scene, row, columns, nodes[other, at], new, weights, step, ends, room, met, counts):
                break
            if arrived:
                join[side], join[other] = last, at
                return JOINED
            nodes[other, sizes[other]] = new
            parents[other, sizes[other]] = at
            at = sizes[other]
            sizes[other] += 1
    return OPEN
