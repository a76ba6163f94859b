"""Compiled proofs that pairs stay apart over stretches of time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import TOUCH
from workcell.collision._kernels_meshes import ALL, mesh_gap, new_small, new_tools
from workcell.collision._kernels_poses import place_frames, relative
from workcell.collision._kernels_swept import (
    cap_for,
    field_of,
    rest_of,
    swept_apart,
    twists_of,
    widen,
)
from workcell.collision._kernels_swept_pieces import TOO_NEAR, pieces_kept
from workcell.collision.proof_codes import (
    BOUND,
    BOUND_PAIR,
    BOUND_TIME,
    CONTACT_PAIR,
    CONTACT_TIME,
    CUT_OFF,
    LEAST_MET,
    MOST_TESTS,
    STUCK,
    TESTS,
    TOLERANCE,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def steps_of(low: Array, high: Array, width: Array, jumps: Array, steps: Array, devs: Array) -> None:
    """From the range of every joint's speed over the finest intervals to its steps over all halvings.

    Args:
        low: least speeds (R, L, joints) over the L equal parts of R stretches of time.
        high: greatest speeds.
        width: how long each stretch is (R,).
        jumps: what joints may jump by where pieces meet (joints,).
        steps: (R, 2L, joints) out: the step from the middle of an interval to its ends, interval k in 2k and 2k + 1.
        devs: out: by how much a joint may miss its step.
    """
    rows, leaves, joints = low.shape
    for r in range(rows):
        for k in range(2 * leaves - 1, 0, -1):
            for j in range(joints):
                if k >= leaves:
                    steps[r, k, j], devs[r, k, j] = low[r, k - leaves, j], high[r, k - leaves, j]
                else:
                    steps[r, k, j] = min(steps[r, 2 * k, j], steps[r, 2 * k + 1, j])
                    devs[r, k, j] = max(devs[r, 2 * k, j], devs[r, 2 * k + 1, j])
        for k in range(1, 2 * leaves):
            level, size = k, 0.5 * width[r]
            while level > 1:
                level //= 2
                size *= 0.5
            for j in range(joints):
                least, most = steps[r, k, j], devs[r, k, j]
                steps[r, k, j] = 0.5 * (least + most) * size
                devs[r, k, j] = 0.0
                if least != 0.0 or most != 0.0:
                    devs[r, k, j] = (0.5 * (most - least) + 1e-12 * (abs(least) + abs(most))) * size + jumps[j]


@compiled
def _grown(items: Any, count: int) -> Any:
    if count < items.shape[0]:
        return items
    more = np.empty((2 * items.shape[0] + 64, items.shape[1]), dtype=items.dtype)
    more[:count] = items
    return more


@compiled
def _write(row: Array, start: float, end: float, pair: int, distance: float, why: float) -> None:
    row[0], row[1], row[2], row[3], row[4] = start, end, pair, distance, why


@compiled
def _note(
    stuck: Array, counts: Any, aim: Array, start: float, end: float, pair: int, distance: float, why: float
) -> None:
    """List an interval that stays undecided. When there is no room the latest gives way; nothing after it matters.

    Nothing is listed where nobody asks for it (no rows).
    """
    if stuck.shape[0] == 0:
        return
    if counts[STUCK] < stuck.shape[0] - 1:
        _write(stuck[counts[STUCK]], start, end, pair, distance, why)
        counts[STUCK] += 1
        return
    spot = 0
    for k in range(1, counts[STUCK]):
        if stuck[k, 0] > stuck[spot, 0]:
            spot = k
    aim[CUT_OFF] = min(aim[CUT_OFF], max(stuck[spot, 0], start))
    if start < stuck[spot, 0]:
        _write(stuck[spot], start, end, pair, distance, why)


@compiled
def _known(bodies: Any, frames: Any) -> Any:
    """Room for the balls and rests of bodies, the interval for which they were worked out, and 1 where a body moves."""
    roots, frame = bodies[0], bodies[1]
    parent, kind, _, _, _ = frames
    number = roots.shape[0]
    moves = np.zeros(number, dtype=np.uint8)
    for body in range(number):
        f = frame[body]
        while f >= 0:
            if kind[f] != 0:
                moves[body] = 1
            f = parent[f]
    return np.empty((number, 5)), np.zeros((number, 2)), np.full(number, -1, dtype=np.int64), moves


@compiled
def _ball(X: Array, n: Array, ball: Array) -> None:
    """The ball around a body in the world: its middle and radius; ``ball[4]`` is how far its surface goes, here 0."""
    for i in range(3):
        ball[i] = X[3 * i] * n[0] + X[3 * i + 1] * n[1] + X[3 * i + 2] * n[2] + X[9 + i]
    ball[3] = math.sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5])
    ball[4] = 0.0


@compiled
def _going(t: Array, c: Array) -> float:
    """How far the surface of a ball goes by a twist."""
    x = t[3] + t[1] * c[2] - t[2] * c[1]
    y = t[4] + t[2] * c[0] - t[0] * c[2]
    z = t[5] + t[0] * c[1] - t[1] * c[0]
    turning = math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    return float(math.sqrt(x * x + y * y + z * z) + turning * c[3])


@compiled
def _make_ready(
    box: Array, bodies: Any, frames: Any, poses: Array, twist: Array, row: Any, known: Any, stamp: int, body: int
) -> None:
    """Work out the ball of a body for an interval, how far its surface goes, and how far points stray from that.

    ``row`` is the interval's steps, deviations, ways and turns. ``known`` holds the balls and rests of bodies, the
    interval for which they were worked out, and which bodies move; see ``_known``. A body at rest is done once.
    """
    steps, devs, ways, turns = row
    balls, rests, done_at, moves = known
    f = bodies[1][body]
    done_at[body] = stamp
    _ball(poses[f], box[bodies[0][body]], balls[body])
    if moves[body]:
        rests[body, 0], rests[body, 1] = rest_of(frames, poses, balls[body], f, -1, steps, devs, ways, turns)
        balls[body, 4] = _going(twist[f], balls[body])


@compiled
def _between(balls: Array, a: int, b: int) -> float:
    """How far apart the balls of two bodies are at the middle of an interval."""
    x, y, z = balls[a, 0] - balls[b, 0], balls[a, 1] - balls[b, 1], balls[a, 2] - balls[b, 2]
    return float(math.sqrt(x * x + y * y + z * z) - balls[a, 3] - balls[b, 3])


@compiled
def _kept_by_balls(balls: Array, rests: Array, a: int, b: int) -> float:
    """How far apart the balls of two bodies stay over an interval, seen from the world."""
    return float(_between(balls, a, b) - balls[a, 4] - balls[b, 4] - rests[a, 0] - rests[b, 0])


@compiled
def _apart_by_balls(frames: Any, frame: Ints, poses: Array, row: Any, known: Any, a: int, b: int, stop: int) -> Any:
    """How far apart the balls of two bodies stay over an interval, the rest of the motion, and how far they stray."""
    steps, devs, ways, turns = row
    balls, rests, _, _ = known
    if stop < 0:
        return _kept_by_balls(balls, rests, a, b), rests[a, 0] + rests[b, 0], rests[a, 1] + rests[b, 1]
    one = rest_of(frames, poses, balls[a], frame[a], stop, steps, devs, ways, turns)
    other = rest_of(frames, poses, balls[b], frame[b], stop, steps, devs, ways, turns)
    rest, stray = one[0] + other[0], one[1] + other[1]
    return _between(balls, a, b) - rest - stray, rest, stray


@compiled
def _bounded(aim: Array, counts: Any, bound: float, time: float, pair: int) -> None:
    """Keep the bound of a pair where it is the least so far."""
    if bound < aim[BOUND]:
        aim[BOUND], aim[BOUND_TIME] = bound, time
        counts[BOUND_PAIR] = pair


@compiled
def _far(aim: Array, counts: Any, low: float, margin: float, offset: float, time: float, pair: int) -> bool:
    """Whether meshes that stay this far apart stay as far apart as is aimed at; then the bound of the pair is kept."""
    if low < cap_for(aim, margin, offset, False):
        return False
    _bounded(aim, counts, low - offset, time, pair)
    return True


@compiled
def _cut_at(level: int, depth: int, part: float) -> int:
    """The level at which a pair is worth another look, when its steps are to be this part of what they are."""
    wait = level + 1
    while part < 0.5 and wait < depth:
        part *= 2.0
        wait += 1
    return wait


@compiled
def _settled(
    mesh: Any, a: int, b: int, pair: int, pairs: Any, rel: Array, stray: float, aim: Array, counts: Any, stuck: Array,
    start: float, span: float, tools: Any, out: Array,
) -> bool:  # fmt: skip
    """Whether a pair that a swept test left open over an interval needs no more cutting: it is free, or it is stuck.

    ``out[6]`` is the distance that the swept test met. A contact at the middle of the interval is noted on the way.
    """
    _, _, _, _, margins, offset, left_out, hopes = pairs
    middle = start + 0.5 * span
    aside = left_out[pair] != 0
    fine = stray <= aim[TOLERANCE]
    touch = max(margins[pair], TOUCH)
    d = out[6]
    if d > touch and (fine or d + stray < margins[pair] + offset[pair]):
        d = mesh_gap(mesh, a, b, rel, d * (1.0 + 1e-9), touch, ALL, tools, out)
    lower = d - stray - offset[pair]
    if d <= touch:
        if middle < aim[CONTACT_TIME] or counts[CONTACT_PAIR] < 0:
            aim[CONTACT_TIME] = middle
            counts[CONTACT_PAIR] = pair
    elif fine and lower > margins[pair]:
        if not aside:
            aim[LEAST_MET] = min(aim[LEAST_MET], d - offset[pair])
            _bounded(aim, counts, lower, middle, pair)
        return True
    hopeless = d + stray < margins[pair] + offset[pair] and d - stray > touch
    if touch < d < margins[pair] + offset[pair] and counts[CONTACT_PAIR] != pair:
        hopes[pair] -= 1
        hopeless = hopeless or hopes[pair] < 0
    if fine or hopeless:
        why = 0.0 if d > margins[pair] + 2.0 * aim[TOLERANCE] else 1.0
        _note(stuck, counts, aim, start, start + span, pair, d, why)
        return True
    return False


@compiled
def _level_of(node: int) -> int:
    """How often the whole was halved to get to an interval."""
    level = 0
    while (node >> level) > 1:
        level += 1
    return level


@compiled
def _looked_at(
    mesh: Any, bodies: Any, frames: Any, poses: Array, twist: Array, row: Any, known: Any, pair: int, pairs: Any,
    aim: Array, counts: Any, stuck: Array, start: float, span: float, flow: Array, tools: Any, small: Any,
) -> float:  # fmt: skip
    """By what part of the steps of an interval a pair would stay apart; below 0 if it needs no more cutting.

    Such a pair is proved free, or it is stuck.
    """
    first, second, stop, shift, margins, offset, left_out, _ = pairs
    roots, frame = bodies[0], bodies[1]
    rel, _, _, out, _ = small
    a, b = first[pair], second[pair]
    aside = left_out[pair] != 0
    low, rest, stray = _apart_by_balls(frames, frame, poses, row, known, a, b, stop[pair])
    cap = cap_for(aim, margins[pair], offset[pair], aside)
    if aside or low < cap:
        relative(poses, frame[a], frame[b], rel)
        for x in range(3):
            rel[9 + x] += shift[pair, x]
        field_of(poses[frame[a]], twist[frame[a]], stop[pair], twist, flow, 0)
        both = field_of(poses[frame[a]], twist[frame[b]], stop[pair], twist, flow, 6) > 0.0
        widen(rel, flow, both)
        kept = pieces_kept(
            bodies, a, b, rel, flow, both, rest, aim, margins[pair], offset[pair], aside, tools, out
        )  # fmt: skip
        if kept >= 0.0:
            low = kept - rest
        elif kept != TOO_NEAR and swept_apart(
            mesh, roots[a], roots[b], rel, flow, both, rest, aim, margins[pair], offset[pair], aside, tools, out
        ):
            low = out[6]
        else:
            part = out[7]
            settled = _settled(
                mesh, roots[a], roots[b], pair, pairs, rel, stray, aim, counts, stuck, start, span, tools, out
            )
            return -1.0 if settled else float(part)
    if not aside:
        _bounded(aim, counts, low - offset[pair], start + 0.5 * span, pair)
    return -1.0


@compiled
def prove(
    mesh: Any, bodies: Any, frames: Any, which: Ints, poses: Array, stretches: Any, motion: Any, pairs: Any,
    aim: Array, counts: Any, stuck: Array,
) -> Any:  # fmt: skip
    """Prove pairs free over stretches of time, halving these as often as the arrays have room; what stays open.

    ``stretches`` are where each begins, its width, and its pairs: stretch r holds ``item_pair[item_start[r]:
    item_start[r + 1]]``. Interval 1 is the whole of it, 2k and 2k + 1 are the halves of k. ``motion`` is joint values,
    steps, deviations, places of driven bodies, ways and turns, each with one row for each interval, at its middle.
    ``aim`` and ``counts`` are named in ``proof_codes``. ``stuck`` (most, 5) receives start, end, pair, distance, and
    which reason. What is to be cut further comes back (N, 3): stretch, interval, pair. ``pairs`` is what
    ``ProofPairs.for_kernel`` returns.
    """
    begin, width, item_start, item_pair = stretches
    Q, steps, devs, free, ways, turns = motion
    tools, small, flow = new_tools(), new_small(), np.zeros(33)
    twist = np.zeros((poses.shape[0], 6))
    known = _known(bodies, frames)
    balls, rests, done_at, moves = known
    first, second, stop, _, margins, offset, left_out, _ = pairs
    depth = _level_of(Q.shape[1]) - 1
    # The pairs that are open at each level, and the level at which each is worth another look.
    room = max(1, np.max(item_start[1:] - item_start[:-1]))
    lists, waits = np.empty((depth + 2, room), dtype=np.int32), np.zeros((depth + 2, room), dtype=np.int32)
    sizes, stack = np.zeros(depth + 2, dtype=np.int64), np.empty(2 * depth + 4, dtype=np.int64)
    opened, open_count, stamp = np.empty((64, 3), dtype=np.int32), 0, 0
    for r in range(begin.shape[0]):
        sizes[0] = item_start[r + 1] - item_start[r]
        lists[0, : sizes[0]] = item_pair[item_start[r] : item_start[r + 1]]
        waits[0, : sizes[0]] = 0
        stack[0], top = 1, 1
        while top > 0:
            top -= 1
            node = stack[top]
            level = _level_of(node)
            span = width[r] / (1 << level)
            start = begin[r] + span * (node - (1 << level))
            if start >= min(aim[CONTACT_TIME], aim[CUT_OFF]):
                continue
            stamp, placed, sizes[level + 1] = stamp + 1, False, 0
            row = (steps[r, node], devs[r, node], ways[r, node], turns[r, node])
            for k in range(sizes[level]):
                pair, wait = lists[level, k], waits[level, k]
                if wait <= level or level == depth:
                    if not placed:
                        placed = True
                        place_frames(frames, which, Q[r, node], free[r, node], poses)
                        twists_of(frames, which, poses, steps[r, node], twist)
                    counts[TESTS] += 1
                    if counts[TESTS] > counts[MOST_TESTS]:
                        _write(stuck[counts[STUCK]], start, start + span, pair, np.inf, 2.0)
                        counts[STUCK] += 1
                        return opened[:open_count]
                    for body in (first[pair], second[pair]):
                        if done_at[body] != stamp and (moves[body] != 0 or done_at[body] < 0):
                            _make_ready(mesh[0], bodies, frames, poses, twist, row, known, stamp, body)
                    # Most pairs are far apart. They are settled here, since a call with all tables takes longer.
                    if stop[pair] < 0 and left_out[pair] == 0:
                        low = _kept_by_balls(balls, rests, first[pair], second[pair])
                        if _far(aim, counts, low, margins[pair], offset[pair], start + 0.5 * span, pair):
                            continue
                    part = _looked_at(
                        mesh, bodies, frames, poses, twist, row, known, pair, pairs, aim, counts, stuck, start, span,
                        flow, tools, small,
                    )  # fmt: skip
                    if part < 0.0:
                        continue
                    wait = _cut_at(level, depth, part)
                if level == depth:
                    opened = _grown(opened, open_count)
                    opened[open_count, 0], opened[open_count, 1], opened[open_count, 2] = r, node, pair
                    open_count += 1
                else:
                    lists[level + 1, sizes[level + 1]], waits[level + 1, sizes[level + 1]] = pair, wait
                    sizes[level + 1] += 1
            if level < depth and sizes[level + 1] > 0:
                stack[top], stack[top + 1] = 2 * node + 1, 2 * node
                top += 2
    return opened[:open_count]
