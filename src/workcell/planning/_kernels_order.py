"""Compiled loops for the order of work: move times, the best ways for an order, annealing, and the bound.

A *job* is something to do once. A *way* is one manner of doing it: joint values before and after, and its own time.
The ways of job k are the rows first[k] to first[k+1]. ``D[i, j]`` is the time from the end of way i to the start of
way j, ``enter[j]`` the time from the start of the cycle, ``leave[i]`` the time to its end, ``own[i]`` the time of way i
itself. ``mirror[i]`` is way i done backwards; it is i where the joint values before and after are the same.
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LINEAR, POLYNOMIAL, SPLINE, TRAPEZOID, JERK = 0, 1, 2, 3, 4
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


# ---- move times ----------------------------------------------------------------------------------------


@compiled
def _law(v: float, a: float, j: float, law: int) -> float:
    """The duration of a move over the distance 1 with these limits of speed, acceleration and jerk."""
    if law == LINEAR:
        return 1.0 / v
    if law == POLYNOMIAL:
        return max(1.875 / v, math.sqrt(10.0 / math.sqrt(3.0) / a))
    if law == SPLINE:
        return max(1.5 / v, math.sqrt(6.0 / a))
    if law == TRAPEZOID:
        return 1.0 / v + v / a if a >= v * v else 2.0 * math.sqrt(1.0 / a)
    ramp = 2.0 * math.sqrt(v / j) if v * j < a * a else a / j + v / a
    if v * ramp <= 1.0:
        return 1.0 / v + ramp
    if 2.0 * a**3 / (j * j) <= 1.0:
        half = 0.5 * a / j
        return 2.0 * (half + math.sqrt(half * half + 1.0 / a))
    return float(4.0 * (0.5 / j) ** (1.0 / 3.0))


@compiled
def move_times(starts: Array, ends: Array, limits: Array, law: int, each: bool, out: Array) -> None:
    """The durations (A, B) of joint moves from every start (A, n) to every end (B, n), by a time law.

    The joints keep to the straight line between them. With ``each`` every joint goes by itself and the slowest counts:
    no motion between the two at rest is shorter, whatever its path. ``limits`` (n, 3) holds the reciprocals of the
    limits of speed, acceleration and jerk.
    """
    for i in range(starts.shape[0]):
        for k in range(ends.shape[0]):
            v, a, j, most = 0.0, 0.0, 0.0, 0.0
            for joint in range(starts.shape[1]):
                size = abs(ends[k, joint] - starts[i, joint])
                if size == 0.0:
                    continue
                v1, a1, j1 = size * limits[joint, 0], size * limits[joint, 1], size * limits[joint, 2]
                if each:
                    most = max(most, _law(1.0 / v1, 1.0 / a1, 1.0 / j1, law))
                else:
                    v, a, j = max(v, v1), max(a, a1), max(j, j1)
            out[i, k] = most if each or v == 0.0 else _law(1.0 / v, 1.0 / a, 1.0 / j, law)


# ---- the best ways for an order ------------------------------------------------------------------------


@compiled
def forward(D: Array, own: Array, enter: Array, first: Indices, order: Indices, cost: Array, before: Indices) -> None:
    """The least time (M,) from the start of the cycle to the end of each way, and the way before it."""
    for place in range(order.shape[0]):
        job = order[place]
        for j in range(first[job], first[job + 1]):
            if place == 0:
                cost[j], before[j] = enter[j] + own[j], -1
                continue
            best, which = np.inf, -1
            last = order[place - 1]
            for i in range(first[last], first[last + 1]):
                value = cost[i] + D[i, j]
                if value < best:
                    best, which = value, i
            cost[j], before[j] = best + own[j], which


@compiled
def best_ways(D: Array, own: Array, enter: Array, leave: Array, first: Indices, order: Indices, ways: Indices) -> float:
    """The shortest cycle in a given order, with its ways (N,) in that order."""
    cost, before = np.full(own.shape[0], np.inf), np.full(own.shape[0], -1)
    forward(D, own, enter, first, order, cost, before)
    last = order[-1]
    best, which = np.inf, -1
    for i in range(first[last], first[last + 1]):
        value = cost[i] + leave[i]
        if value < best:
            best, which = value, i
    if which < 0:
        return float(best)
    for place in range(order.shape[0] - 1, -1, -1):
        ways[place] = which
        which = before[which]
    return float(best)


@compiled
def through(D: Array, own: Array, enter: Array, leave: Array, first: Indices, order: Indices, out: Array) -> None:
    """The shortest cycle in a given order through each of the ways (M,)."""
    cost, before = np.full(own.shape[0], np.inf), np.full(own.shape[0], -1)
    forward(D, own, enter, first, order, cost, before)
    rest = np.full(own.shape[0], np.inf)
    for place in range(order.shape[0] - 1, -1, -1):
        job = order[place]
        for i in range(first[job], first[job + 1]):
            if place == order.shape[0] - 1:
                rest[i] = leave[i]
            else:
                after = order[place + 1]
                for j in range(first[after], first[after + 1]):
                    rest[i] = min(rest[i], D[i, j] + own[j] + rest[j])
            out[i] = cost[i] + rest[i]


@compiled
def centrality(D: Array, own: Array, enter: Array, leave: Array, first: Indices, out: Array) -> None:
    """How far each way (M,) is from the others: the sum of its least times to all other jobs, and its own."""
    count = first.shape[0] - 1
    for job in range(count):
        for i in range(first[job], first[job + 1]):
            total = own[i] * (count - 1) + enter[i] + leave[i]
            for other in range(count):
                if other != job:
                    least = np.inf
                    for j in range(first[other], first[other + 1]):
                        least = min(least, D[i, j])
                    total += least
            out[i] = total


@compiled
def cycle_time(D: Array, own: Array, enter: Array, leave: Array, ways: Indices) -> float:
    """The time of a cycle through ways (N,) in their order."""
    total = enter[ways[0]] + leave[ways[-1]]
    for place in range(ways.shape[0]):
        total += own[ways[place]]
        if place > 0:
            total += D[ways[place - 1], ways[place]]
    return float(total)


@compiled
def nearest_neighbour(
    D: Array, own: Array, enter: Array, leave: Array, first: Indices, order: Indices, ways: Indices
) -> float:
    """Always the way that is reached soonest next, as a person would; the time of that cycle."""
    count = order.shape[0]
    done = np.zeros(count, dtype=np.bool_)
    at = -1
    for place in range(count):
        best, which, chosen = np.inf, -1, -1
        for job in range(count):
            if done[job]:
                continue
            for i in range(first[job], first[job + 1]):
                value = enter[i] if at < 0 else D[at, i]
                if value < best or which < 0:
                    best, which, chosen = value, i, job
        order[place], ways[place] = chosen, which
        done[chosen] = True
        at = which
    return cycle_time(D, own, enter, leave, ways)


# ---- annealing -----------------------------------------------------------------------------------------


@compiled
def _random(state: NDArray[np.uint64]) -> float:
    """The next number from 0 to below 1 (splitmix64)."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def _edge(D: Array, enter: Array, leave: Array, i: int, j: int) -> float:
    """The time from way i to way j; -1 stands for the start of the cycle as i and for its end as j."""
    if i < 0:
        return 0.0 if j < 0 else float(enter[j])
    return float(leave[i]) if j < 0 else float(D[i, j])


@compiled
def _rewayed(
    D: Array, own: Array, enter: Array, leave: Array, first: Indices, job: int, left: int, right: int
) -> tuple[float, int]:
    """The least time of a job between two ways, its own time included, and the way that has it."""
    best, which = np.inf, int(first[job])
    for i in range(first[job], first[job + 1]):
        value = _edge(D, enter, leave, left, i) + own[i] + _edge(D, enter, leave, i, right)
        if value < best:
            best, which = value, i
    return float(best), which


@compiled
def _at(ways: Indices, place: int) -> int:
    return int(ways[place]) if 0 <= place < ways.shape[0] else -1


@compiled
def _relocation(
    D: Array, own: Array, enter: Array, leave: Array, first: Indices, order: Indices, ways: Indices, p: int, gap: int
) -> tuple[float, int]:
    """What it costs to move the job at place p to a gap (0…N, gap g lies before place g), with the best way there."""
    left, mine, right = _at(ways, p - 1), int(ways[p]), _at(ways, p + 1)
    freed = _edge(D, enter, leave, left, mine) + own[mine] + _edge(D, enter, leave, mine, right)
    if gap in (p, p + 1):
        cost, way = _rewayed(D, own, enter, leave, first, order[p], left, right)
        return cost - freed, way
    before, after = _at(ways, gap - 1), _at(ways, gap)
    cost, way = _rewayed(D, own, enter, leave, first, order[p], before, after)
    closed = _edge(D, enter, leave, left, right) - _edge(D, enter, leave, before, after)
    return cost + closed - freed, way


@compiled
def _relocate(order: Indices, ways: Indices, p: int, gap: int, way: int) -> None:
    job = order[p]
    if gap > p:
        for k in range(p, gap - 1):
            order[k], ways[k] = order[k + 1], ways[k + 1]
        order[gap - 1], ways[gap - 1] = job, way
    else:
        for k in range(p, gap, -1):
            order[k], ways[k] = order[k - 1], ways[k - 1]
        order[gap], ways[gap] = job, way


@compiled
def _reversal(
    D: Array, own: Array, enter: Array, leave: Array, mirror: Indices, ways: Indices, p: int, q: int
) -> float:
    """What it costs to do the jobs from place p to place q backwards."""
    left, right = _at(ways, p - 1), _at(ways, q + 1)
    change = _edge(D, enter, leave, left, mirror[ways[q]]) + _edge(D, enter, leave, mirror[ways[p]], right)
    change -= _edge(D, enter, leave, left, ways[p]) + _edge(D, enter, leave, ways[q], right)
    for k in range(p, q):
        change += D[mirror[ways[k + 1]], mirror[ways[k]]] - D[ways[k], ways[k + 1]]
    for k in range(p, q + 1):
        change += own[mirror[ways[k]]] - own[ways[k]]
    return float(change)


@compiled
def _reverse(mirror: Indices, order: Indices, ways: Indices, p: int, q: int) -> None:
    while p < q:
        order[p], order[q] = order[q], order[p]
        ways[p], ways[q] = mirror[ways[q]], mirror[ways[p]]
        p, q = p + 1, q - 1
    if p == q:
        ways[p] = mirror[ways[p]]


@compiled
def _shift(D: Array, enter: Array, leave: Array, ways: Indices, p: int, q: int, r: int) -> float:
    """What it costs to exchange the stretches p…q-1 and q…r-1, neither of them reversed."""
    left, right = _at(ways, p - 1), _at(ways, r)
    change = _edge(D, enter, leave, left, ways[q]) + D[ways[r - 1], ways[p]]
    change += _edge(D, enter, leave, ways[q - 1], right)
    change -= _edge(D, enter, leave, left, ways[p]) + D[ways[q - 1], ways[q]]
    return float(change - _edge(D, enter, leave, ways[r - 1], right))


@compiled
def _turn(row: Indices, p: int, q: int, r: int) -> None:
    """Exchange the stretches p…q-1 and q…r-1 of a row."""
    kept = row[p:q].copy()
    size = r - q
    for k in range(size):
        row[p + k] = row[q + k]
    row[p + size : r] = kept


@compiled
def _gap(state: NDArray[np.uint64], near: Indices, place: Indices, order: Indices, p: int) -> int:
    """Choose where to move a job: beside a job that is near it as often as not, or anywhere."""
    if _random(state) < 0.7 and near.shape[1] > 0:
        other = near[order[p], int(_random(state) * near.shape[1])]
        return int(place[other] + (1 if _random(state) < 0.5 else 0))
    return int(_random(state) * (order.shape[0] + 1))


@compiled
def _stretch(state: NDArray[np.uint64], near: Indices, place: Indices, order: Indices) -> tuple[int, int]:
    """Choose a stretch to reverse: between two jobs that are near, with one of them or the other."""
    count = order.shape[0]
    p = int(_random(state) * count)
    q = int(place[near[order[p], int(_random(state) * near.shape[1])]]) if near.shape[1] > 0 else 0
    if _random(state) < 0.3:
        q = int(_random(state) * count)
    p, q = min(p, q), max(p, q)
    return (min(p + 1, q), q) if _random(state) < 0.5 else (p, max(q - 1, p))


@compiled
def anneal(
    D: Array, own: Array, enter: Array, leave: Array, first: Indices, mirror: Indices, near: Indices, order: Indices,
    ways: Indices, seed: int, moves: int, hot: float, cold: float,
) -> float:  # fmt: skip
    """Improve an order and its ways by simulated annealing; the best found is left in ``order`` and ``ways``.

    Jobs are moved to other places, beside jobs that are near them (``near``, (N, K)) as often as not, with the best way
    there; stretches are done backwards or exchanged; ways are changed. Exact ways for the order are found at the end.
    """
    count = order.shape[0]
    state = np.array([np.uint64(seed) * np.uint64(2) + np.uint64(1)], dtype=np.uint64)
    now = cycle_time(D, own, enter, leave, ways)
    best, best_order, best_ways_ = now, order.copy(), ways.copy()
    place = np.empty(count, dtype=np.int64)
    for k in range(count):
        place[order[k]] = k
    cooling = (cold / hot) ** (1.0 / max(moves, 1))
    heat = hot
    for _ in range(moves):
        heat *= cooling
        bar = -heat * math.log(max(_random(state), 1e-300))
        kind = _random(state)
        changed_from, changed_to = count, -1
        if kind < 0.5 or count < 3:
            p = int(_random(state) * count)
            gap = _gap(state, near, place, order, p)
            change, way = _relocation(D, own, enter, leave, first, order, ways, p, gap)
            if change < bar:
                _relocate(order, ways, p, gap, way)
                now += change
                changed_from, changed_to = min(p, gap), min(max(p, gap), count - 1)
        elif kind < 0.75:
            p, q = _stretch(state, near, place, order)
            change = _reversal(D, own, enter, leave, mirror, ways, p, q)
            if change < bar:
                _reverse(mirror, order, ways, p, q)
                now += change
                changed_from, changed_to = p, q
        elif kind < 0.9:
            p = int(_random(state) * (count - 1))
            q = p + 1 + int(_random(state) * min(count - 1 - p, 4))
            r = q + 1 + int(_random(state) * (count - q))
            q, r = min(q, count - 1), min(r, count)
            change = _shift(D, enter, leave, ways, p, q, r)
            if change < bar:
                _turn(order, p, q, r)
                _turn(ways, p, q, r)
                now += change
                changed_from, changed_to = p, r - 1
        else:
            p = int(_random(state) * count)
            job, old = order[p], ways[p]
            way = first[job] + int(_random(state) * (first[job + 1] - first[job]))
            left, right = _at(ways, p - 1), _at(ways, p + 1)
            change = _edge(D, enter, leave, left, way) + own[way] + _edge(D, enter, leave, way, right)
            change -= _edge(D, enter, leave, left, old) + own[old] + _edge(D, enter, leave, old, right)
            if change < bar:
                ways[p] = way
                now += change
        for k in range(changed_from, changed_to + 1):
            place[order[k]] = k
        if now < best - 1e-12:
            best = now
            best_order[:], best_ways_[:] = order, ways
    order[:] = best_order
    return best_ways(D, own, enter, leave, first, order, ways)


@compiled
def descend(
    D: Array,
    own: Array,
    enter: Array,
    leave: Array,
    first: Indices,
    mirror: Indices,
    order: Indices,
    ways: Indices,
) -> float:
    """Improve until no job moved elsewhere, no stretch reversed and no two stretches exchanged is better."""
    count = order.shape[0]
    best = best_ways(D, own, enter, leave, first, order, ways)
    while True:
        start = best
        for p in range(count):
            for gap in range(count + 1):
                change, way = _relocation(D, own, enter, leave, first, order, ways, p, gap)
                if change < -1e-10:
                    _relocate(order, ways, p, gap, way)
        for p in range(count):
            for q in range(p + 1, count):
                if _reversal(D, own, enter, leave, mirror, ways, p, q) < -1e-10:
                    _reverse(mirror, order, ways, p, q)
        for p in range(count):
            for q in range(p + 1, count):
                for r in range(q + 1, count + 1):
                    if _shift(D, enter, leave, ways, p, q, r) < -1e-10:
                        _turn(order, p, q, r)
                        _turn(ways, p, q, r)
        best = best_ways(D, own, enter, leave, first, order, ways)
        if not best < start - 1e-9:
            return best


# ---- the bound -----------------------------------------------------------------------------------------


@compiled
def least_times(
    D: Array, own: Array, enter: Array, leave: Array, first: Indices, C: Array, begin: Array, finish: Array
) -> None:
    """The least times between two jobs (N, N) in either direction, from the start (N,) and to the end (N,).

    Half of a way's own time counts at each of its two ends.
    """
    count = first.shape[0] - 1
    C[:] = np.inf
    begin[:] = np.inf
    finish[:] = np.inf
    for a in range(count):
        for i in range(first[a], first[a + 1]):
            half = 0.5 * own[i]
            begin[a] = min(begin[a], enter[i] + half)
            finish[a] = min(finish[a], leave[i] + half)
            for b in range(count):
                if a != b:
                    least = np.inf
                    for j in range(first[b], first[b + 1]):
                        least = min(least, D[i, j] + 0.5 * own[j])
                    C[a, b] = min(C[a, b], least + half)
    for a in range(count):
        for b in range(a):
            C[a, b] = C[b, a] = min(C[a, b], C[b, a])


@compiled
def priced_bound(C: Array, begin: Array, finish: Array, price: Array, spare: Array) -> float:
    """The bound that prices (N,) give, and in ``spare`` (N,) how many edges each job lacks in the tree that has it.

    Each job of a cycle has two edges, so the cycle does not change when a job costs ``2 price`` and each edge at it is
    ``price`` cheaper. A tree over all jobs with one edge to the start and one to the end of the cycle is no longer than
    the cycle (Held and Karp 1970).
    """
    count = C.shape[0]
    total = 2.0 * price.sum()
    spare[:] = 2.0
    best, a, b = np.inf, 0, 0
    for i in range(count):
        for j in range(count):
            value = begin[i] - price[i] + finish[j] - price[j]
            if (i != j or count == 1) and value < best:
                best, a, b = value, i, j
    total += best
    spare[a] -= 1.0
    spare[b] -= 1.0
    inside = np.zeros(count, dtype=np.bool_)
    away, link = np.full(count, np.inf), np.zeros(count, dtype=np.int64)
    at = 0
    inside[0] = True
    for _ in range(count - 1):
        which = -1
        for job in range(count):
            if not inside[job]:
                value = C[at, job] - price[at] - price[job]
                if value < away[job]:
                    away[job], link[job] = value, at
                if which < 0 or away[job] < away[which]:
                    which = job
        total += away[which]
        spare[which] -= 1.0
        spare[link[which]] -= 1.0
        inside[which] = True
        at = which
    return float(total)


@compiled
def raise_bound(C: Array, begin: Array, finish: Array, upper: float, steps: int) -> float:
    """The greatest bound found in some steps of subgradient ascent; ``upper`` is the time of a known cycle."""
    count = C.shape[0]
    price, spare, mean = np.zeros(count), np.empty(count), np.zeros(count)
    best = -np.inf
    for number in range(steps):
        bound = priced_bound(C, begin, finish, price, spare)
        best = max(best, bound)
        norm = 0.0
        for job in range(count):
            mean[job] += (1.0 if number == 0 else 0.5) * (spare[job] - mean[job])
            norm += mean[job] * mean[job]
        if norm < 1e-12 or not best < upper:
            break
        # Polyak's step, from whole to a hundredth.
        step = 0.01 ** (number / steps) * (upper - bound) / norm
        for job in range(count):
            price[job] += step * mean[job]
    return float(best)
