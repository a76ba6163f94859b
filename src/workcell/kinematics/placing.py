"""How well an arm is placed, and the maximum of a function of a few variables: for axes that carry arms."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workcell.kinematics.branches import large_move, room_to_limits
from workcell.kinematics.dh import Chain
from workcell.kinematics.inverse import ik_batch
from workcell.kinematics.jacobian import jacobian_batch
from workcell.kinematics.structure import reach_of

Array = NDArray[np.float64]
Measure = Callable[[Array], Array]
"""The measure (N,) of many places (N, d); −inf if a place is not possible."""

ALIKE = 1e-6
"""Measures count as equal if they are closer than this."""
_COUNTS = {1: 257, 2: 49, 3: 17}
"""The number of values of each variable at which a function is evaluated first, by the number of variables."""
_LOOKS = 5000
"""The number of places that are evaluated first if there are more variables."""
_ROUGH, _ROUGH_ROUNDS = {1: 17, 2: 5, 3: 3}, 8
"""The same if each evaluation takes long, and the number of ever smaller boxes then."""
_PEAKS = 6
_ROUNDS = 60
_SHRINK = 0.4
_FINE = 1e-8
"""Shares of a range below which the search stops."""
_TURN = 2.0 * np.pi


def quality(chain: Chain, limits: Array, Q: Array) -> Array:
    """How well an arm is placed with joint values (N, n), from 0 to 1: the smaller of two numbers.

    The room to the nearest joint limit, 1 in the middle of all ranges, and the smallest divided by the largest singular
    value of the Jacobian, lengths in units of half the arm's reach: 0 at a singularity.
    """
    J = np.array(jacobian_batch(chain, Q))
    J[:, :3] /= reach_of(chain) / 2.0
    sizes = np.linalg.svd(J, compute_uv=False)
    evenness = sizes[:, -1] / np.maximum(sizes[:, 0], 1e-300)
    return np.asarray(np.minimum(room_to_limits(Q, limits), evenness))


def solved(chain: Chain, limits: Array, poses: Array, near: Array, policy: str) -> tuple[Array, NDArray[np.bool_]]:
    """Joint values (N, n) that bring the tool to poses (N, 4, 4) by a policy, and whether there are any (N,).

    Args:
        chain: an arm with a closed form.
        limits: (n, 2) [rad or m].
        poses: the tool in the base.
        near: present joint values (n,) or (N, n).
        policy: nearest, roomiest, agent or agent:DEGREES.
    """
    Q, valid = ik_batch(chain, np.ascontiguousarray(poses), limits)
    there = np.broadcast_to(near, (len(poses), chain.n))[:, None]
    near_Q = turned(chain, limits, Q, there)
    change = np.where(valid, np.abs(near_Q - there).max(axis=2), np.inf)
    total = np.abs(near_Q - there).sum(axis=2)
    least = np.round(change, 12)
    close = np.where(least <= least.min(axis=1)[:, None], total, np.inf)
    rows = np.arange(len(poses))
    nearest = np.argmin(np.where(valid, close, np.inf), axis=1)
    found = near_Q[rows, nearest]
    if policy != "nearest":
        room = np.where(valid, room_to_limits(np.where(valid[..., None], Q, 0.0), limits), -np.inf)
        roomiest = Q[rows, np.argmax(room, axis=1)]
        far = np.ones(len(poses), dtype=bool) if policy == "roomiest" else change[rows, nearest] > large_move(policy)
        found = np.where(far[:, None], roomiest, found)
    return np.clip(found, limits[:, 0], limits[:, 1]), np.asarray(valid.any(axis=1))


def turned(chain: Chain, limits: Array, Q: Array, near: Array) -> Array:
    """Solutions (…, n) turned by whole turns as near to given joints as the limits allow."""
    turning = ~np.asarray(chain.prismatic)
    moved = Q + _TURN * np.where(turning, np.round((near - Q) / _TURN), 0.0)
    low, high = limits[:, 0] - 1e-9, limits[:, 1] + 1e-9
    for _ in range(2):  # at most one turn back towards the middle is needed
        over = turning & (moved > high) & (moved - _TURN >= low)
        under = turning & (moved < low) & (moved + _TURN <= high)
        moved = moved - _TURN * over + _TURN * under
    return np.where((moved >= low) & (moved <= high), moved, Q)


def best_place(
    measure: Measure, box: Array, start: Array, alike: float = ALIKE, rough: bool = False
) -> tuple[Array, float] | None:
    """The place in a box where a measure is greatest, and the measure there; among equals, the nearest to the start.

    The search evaluates a grid over the whole box, and then ever smaller boxes around its best places. The result is
    None if no place is possible. The same question has the same answer.

    Args:
        measure: evaluates many places.
        box: the range of each variable (d, 2), finite.
        start: a place in it (d,).
        alike: measures closer than this to the greatest count as equal.
        rough: evaluate few places, because each takes long.
    """
    d = len(box)
    count = _ROUGH.get(d, 2) if rough else _COUNTS.get(d, max(3, round(_LOOKS ** (1.0 / d))))
    for finer in (1,) if rough else (1, 4 if d == 1 else 2):
        sides = [np.linspace(low, high, (count - 1) * finer + 1) for low, high in box]
        places = np.vstack([start[None], np.array(list(itertools.product(*sides)))])
        values = measure(places)
        if np.isfinite(values).any():
            break
    else:
        return None
    span = np.where(box[:, 1] > box[:, 0], box[:, 1] - box[:, 0], 1.0)
    peaks = _peaks(places, values, 2.0 * span / (count - 1))[: 1 if rough else _PEAKS]
    steps = np.linspace(-1.0, 1.0, 3 if rough else 17 if d == 1 else 5)
    offsets = np.array(list(itertools.product(steps, repeat=d)))
    rows, middle = np.arange(len(peaks)), len(offsets) // 2
    size = np.full(len(peaks), 1.0 / (count - 1))
    for _ in range(_ROUGH_ROUNDS if rough else _ROUNDS):
        around = np.clip(peaks[:, None] + offsets * (size[:, None, None] * span), box[:, 0], box[:, 1])
        found = measure(around.reshape(-1, d)).reshape(len(peaks), -1)
        best = found.argmax(axis=1)
        settled = found[rows, best] <= found[:, middle]
        peaks = np.where(settled[:, None], peaks, around[rows, best])
        places, values = np.vstack([places, peaks]), np.append(values, found[rows, best])
        # If the middle is not the best, the next box is as large, so that the search continues towards a ridge.
        size = np.where(settled | (d == 1), size * _SHRINK, size)
        if size.max() < _FINE:
            break
    top = float(values.max())
    good = np.flatnonzero(values >= top - alike)
    way = np.abs(places[good] - start) / span
    order = np.lexsort((way.sum(axis=1), np.round(way.max(axis=1), 9)))
    place = places[good[int(order[0])]]
    if not rough:
        place = _towards(measure, place, start, top - alike)
    return place, float(measure(place[None])[0])


def _peaks(places: Array, values: Array, apart: Array) -> Array:
    """The best places that are some distance apart, best first."""
    found: list[Array] = []
    for one in np.argsort(-values, kind="stable"):
        if not np.isfinite(values[one]) or len(found) == _PEAKS:
            break
        if all((np.abs(places[one] - other) > apart).any() for other in found):
            found.append(places[one])
    return np.array(found)


def _towards(measure: Measure, place: Array, start: Array, least: float) -> Array:
    """The point nearest to the start on the line to it, such that the measure stays above ``least`` all the way."""
    shares = np.linspace(0.0, 1.0, 33)
    for _ in range(4):
        way = place + shares[:, None] * (start - place)
        good = measure(way) >= least
        last = len(shares) - 1 if good.all() else max(int(np.argmin(good)) - 1, 0)
        if last == len(shares) - 1:
            return np.asarray(way[-1])
        place, shares = way[last], np.linspace(0.0, shares[1] - shares[0], 33)
    return place
