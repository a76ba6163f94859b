"""Compiled search of a roadmap whose edges are tested only where the shortest way uses them.

A roadmap is a table of configurations ``nodes`` (N, n) with some neighbours each: ``near`` (N, d) holds their places
(−1 for none) and ``states`` (N, d) what is known of the edges. The ways from the start onto it and off it to the goals
are edges that are tested like the others (Bohlin and Kavraki 2000).
"""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_free import new_room
from workcell.planning._kernels_search import distance, edge_touches

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

UNKNOWN, FREE, BLOCKED = 0, 1, 2
"""What is known of an edge."""
_UNSURE = 1.1
"""How much longer an edge counts that was not tested yet."""
_NONE = -1


@compiled
def _sift(heap: Ints, where: Ints, keys: Array, at: int) -> None:
    """Bring an entry of a heap up to its place; ``where`` is the place of each node, −1 outside."""
    node = heap[at]
    while at > 0:
        above = (at - 1) // 2
        if keys[heap[above]] <= keys[node]:
            break
        heap[at] = heap[above]
        where[heap[at]] = at
        at = above
    heap[at] = node
    where[node] = at


@compiled
def _pop(heap: Ints, where: Ints, keys: Array, size: int) -> int:
    """Take the least node off a heap of some size."""
    least, node = heap[0], heap[size - 1]
    where[least] = _NONE
    size -= 1
    if size > 0:
        at = 0
        while True:
            below = 2 * at + 1
            if below >= size:
                break
            if below + 1 < size and keys[heap[below + 1]] < keys[heap[below]]:
                below += 1
            if keys[heap[below]] >= keys[node]:
                break
            heap[at] = heap[below]
            where[heap[at]] = at
            at = below
        heap[at] = node
        where[node] = at
    return int(least)


@compiled
def _closest(ways: Array, most: int, out: Ints) -> None:
    """The places of the least of some numbers, in their order; −1 where there are fewer."""
    for k in range(most):
        best = _NONE
        for i in range(ways.shape[0]):
            if best < 0 or ways[i] < ways[best]:
                taken = False
                for j in range(k):
                    taken = taken or out[j] == i
                if not taken:
                    best = i
        out[k] = best


@compiled
def _shortest(
    nodes: Array, count: int, near: Ints, states: Any, costs: Array, onto: Array, off: Array, rest: Array, tools: Any
) -> int:
    """The node at which the shortest way leaves the roadmap, −1 without one (A*, Hart, Nilsson and Raphael 1968).

    ``onto`` (N,) is how far the start is from each node, ``off`` how far the nearest goal that may be joined is, both
    infinite where there is no edge, ``rest`` at least how far a goal is. ``tools`` receive the way back.
    """
    ways, keys, heap, where, before = tools
    for i in range(count):
        ways[i], where[i], before[i] = onto[i], _NONE, _NONE
    size = 0
    for i in range(count):
        if onto[i] < math.inf:
            keys[i] = onto[i] + rest[i]
            heap[size] = i
            size += 1
            _sift(heap, where, keys, size - 1)
    end, least = _NONE, math.inf
    while size > 0:
        at = _pop(heap, where, keys, size)
        size -= 1
        if keys[at] >= least:
            break
        if ways[at] + off[at] < least:
            end, least = at, ways[at] + off[at]
        for k in range(near.shape[1]):
            to = near[at, k]
            if to < 0 or states[at, k] == BLOCKED:
                continue
            way = ways[at] + distance(nodes[at], nodes[to], costs) * (1.0 if states[at, k] == FREE else _UNSURE)
            if way < ways[to]:
                ways[to], before[to] = way, at
                keys[to] = way + rest[to]
                if where[to] < 0:
                    heap[size] = to
                    size += 1
                    _sift(heap, where, keys, size - 1)
                else:
                    _sift(heap, where, keys, where[to])
    return end


@compiled
def _link(near: Ints, states: Any, a: int, b: int, state: int) -> None:
    """Put an edge into the row of one end; where the row is full, a free one takes the place of one that is not."""
    place = _NONE
    for k in range(near.shape[1]):
        if near[a, k] == b:
            place = k
            break
        if place < 0 and (near[a, k] < 0 or (state == FREE and states[a, k] != FREE)):
            place = k
    if place >= 0 and (near[a, place] != b or state == FREE):
        near[a, place] = b
        states[a, place] = state


@compiled
def add_path(
    nodes: Array, count: int, near: Ints, states: Any, costs: Array, points: Array, links: int, same: float
) -> int:
    """Take in a path: its edges are free, those to the nearest nodes of other paths are not known. The new count."""
    before, last = count, _NONE
    for k in range(points.shape[0]):
        place = _NONE
        for i in range(count):
            apart = 0.0
            for j in range(points.shape[1]):
                apart = max(apart, abs(nodes[i, j] - points[k, j]))
                if apart >= same:
                    break
            if apart < same:
                place = i
                break
        if place < 0:
            place = count
            nodes[place] = points[k]
            near[place] = _NONE
            states[place] = UNKNOWN
            count += 1
        if last >= 0 and place != last:
            _link(near, states, last, place, FREE)
            _link(near, states, place, last, FREE)
        last = place
    ways, some = np.empty(before), np.empty(links, dtype=np.int32)
    for place in range(before, count):
        for i in range(before):
            ways[i] = distance(nodes[place], nodes[i], costs)
        _closest(ways, links, some)
        for k in range(links):
            if some[k] >= 0:
                _link(near, states, place, some[k], UNKNOWN)
                _link(near, states, some[k], place, UNKNOWN)
    return count


@compiled
def _mark(near: Ints, states: Any, a: int, b: int, state: int) -> None:
    """Note what is known of an edge, on both its ends."""
    for k in range(near.shape[1]):
        if near[a, k] == b:
            states[a, k] = state
        if near[b, k] == a:
            states[b, k] = state


@compiled
def _state_of(near: Ints, states: Any, a: int, b: int) -> int:
    for k in range(near.shape[1]):
        if near[a, k] == b:
            return int(states[a, k])
    return BLOCKED


@compiled
def lazy_path(
    scene: Any, row: Array, columns: Ints, weights: Array, step: float, costs: Array, nodes: Array, count: int,
    near: Ints, states: Any, start: Array, goals: Array, looks: int, most: int, met: Any, counts: Any, found: Ints,
) -> int:  # fmt: skip
    """A way along a roadmap whose edges are free at samples: how many nodes it has, 0 where none was found.

    ``costs`` (n,) is what a joint counts in the length of a way. ``found`` (N + 1,) receives the goal and then the
    nodes from the start on. The start and each goal are joined to the ``looks`` nearest nodes; the search is given up
    after ``most`` edges that touched.
    """
    room, ends = new_room(scene), np.empty((2, row.shape[0]))
    onto, off, rest = np.full(count, math.inf), np.full(count, math.inf), np.full(count, math.inf)
    to, tested_on, tested_off = np.zeros(count, dtype=np.int32), np.zeros(count), np.zeros(count)
    some, ways = np.empty(looks, dtype=np.int32), np.empty(count)
    for i in range(count):
        ways[i] = distance(start, nodes[i], costs)
    _closest(ways, looks, some)
    for k in range(looks):
        if some[k] >= 0:
            onto[some[k]] = _UNSURE * ways[some[k]]
    for g in range(goals.shape[0]):
        for i in range(count):
            ways[i] = distance(goals[g], nodes[i], costs)
            rest[i] = min(rest[i], ways[i])
        _closest(ways, looks, some)
        for k in range(looks):
            i = some[k]
            if i >= 0 and _UNSURE * ways[i] < off[i]:
                off[i], to[i] = _UNSURE * ways[i], g
    tools = (
        np.empty(count), np.empty(count), np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32),
        np.empty(count, dtype=np.int32),
    )  # fmt: skip
    before = tools[4]
    for _ in range(most):
        end = _shortest(nodes, count, near, states, costs, onto, off, rest, tools)
        if end < 0:
            return 0
        size, at = 0, end
        while at >= 0:
            found[1 + size] = at
            size += 1
            at = before[at]
        for k in range(size // 2):
            found[1 + k], found[size - k] = found[size - k], found[1 + k]
        found[0] = to[end]
        first = found[1]
        if tested_off[end] == 0.0:
            tested_off[end] = 1.0
            if edge_touches(
                scene, row, columns, nodes[end], goals[to[end]], weights, step, ends, room, met, counts
            ):  # fmt: skip
                off[end] = math.inf
                continue
        if tested_on[first] == 0.0:
            tested_on[first] = 1.0
            if edge_touches(scene, row, columns, start, nodes[first], weights, step, ends, room, met, counts):
                onto[first] = math.inf
                continue
        free = True
        for k in range(1, size):
            a, b = found[k], found[k + 1]
            if _state_of(near, states, a, b) == UNKNOWN:
                free = not edge_touches(
                    scene, row, columns, nodes[a], nodes[b], weights, step, ends, room, met, counts
                )  # fmt: skip
                _mark(near, states, a, b, FREE if free else BLOCKED)
                if not free:
                    break
        if free:
            return size
    return 0
