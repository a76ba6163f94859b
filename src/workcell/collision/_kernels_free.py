"""Compiled questions with a yes or a no: is a joint configuration free, is a straight joint edge free.

``scene`` is the tuple :attr:`workcell.collision.free_space.FreeSpace.scene`, and ``room`` what :func:`new_room` makes
of it: memory for one thread that asks many questions. A configuration is one row of joint values of all robots.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import TOUCH, box_gap2
from workcell.collision._kernels_convex import gap_of, towards
from workcell.collision._kernels_meshes import near_within, new_small, new_tools, pair_within
from workcell.collision._kernels_poses import place_frames, relative
from workcell.collision._kernels_states import around, in_proved_cell, next_still, state_contacts
from workcell.collision._kernels_swept import rest_of

Array = NDArray[np.float64]

_NONE = -1
_LISTED = 0.3
"""A body that moves by no more than this from the middle of an interval gets a list of what it may meet there [m]."""
_ROOM, _NODES = 1 << 14, 1 << 11
"""How many entries the lists of one level of an edge have, and how many intervals; beyond that no lists are kept."""
_ABOUT = 1e-2
"""How exactly a distance is looked for before it counts as neither more nor less."""
_CELLS = 1024
"""How many cells of two links are looked at at most to settle an interval."""
_CLEAR, _NEAR, _MEETS = 0, 1, 2
"""A pair stays apart over an interval, is apart at its middle only, touches there."""


@compiled
def new_room(scene: Any) -> Any:
    """Return the memory that the questions of one thread about a scene need.

    ``room[4]`` holds the pair that was last too near, and how many configurations the last edge was looked at in.
    """
    poses, dof, number = scene[5].copy(), scene[8], scene[6][0].shape[0]
    found = np.empty((1, 3), dtype=np.int32)
    last = np.full(3, _NONE, dtype=np.int64)
    rows = np.zeros((4, dof))
    lists = np.empty((2, _ROOM), dtype=np.int32), np.empty((2, _NODES, 3), dtype=np.int64)
    balls = np.empty((number, 4)), np.empty(number), np.full(number, -1, dtype=np.int64)
    return poses, new_tools(), new_small(), found, last, np.zeros(1), np.zeros((1, 12)), rows, lists, balls, np.zeros(1)


@compiled
def state_free(scene: Any, q: Array, room: Any) -> bool:
    """Return whether nothing touches or comes too near at a configuration; the search stops at the first contact.

    The pair that was too near when the answer last was no is tested first.
    """
    mesh, bodies, frames, which, still, _, moving, reach, _, _ = scene
    poses, tools, small, found, last, margin, free = room[:7]
    out = small[3]
    place_frames(frames, which, q, free, poses)
    if _last_meets(scene, room):
        return False
    if state_contacts(mesh, bodies, still, moving, reach, q, poses, 1, tools, small, found) > 0:
        last[0], last[1], margin[0] = found[0, 0], found[0, 1], out[6]
        return False
    return True


@compiled
def _last_meets(scene: Any, room: Any) -> bool:
    """Return whether the pair that was too near before is so again."""
    mesh, bodies = scene[0], scene[1]
    poses, tools, small, _, last, margin = room[:6]
    if last[0] == _NONE:
        return False
    rel, back, hit, out, _ = small
    a, b = last[0], last[1]
    relative(poses, bodies[1][a], bodies[1][b], rel)
    return bool(pair_within(mesh, bodies, a, b, rel, back, margin[0], tools, hit, out))


@compiled
def _pieces_apart(bodies: Any, a: int, b: int, rel: Array, size: Array, far: float, need: float, S: Array) -> int:
    """Return whether the pieces of two bodies are more than ``far`` apart, more than ``need``, or neither is shown.

    The distance itself is not looked for: the search ends as soon as it is known to be on one side of ``far``.
    """
    ranges, spans, boxes, _, _, points = bodies[4]
    if ranges[a, 0] == ranges[a, 1] or ranges[b, 0] == ranges[b, 1]:
        return _MEETS
    found = _CLEAR
    for i in range(ranges[a, 0], ranges[a, 1]):
        for j in range(ranges[b, 0], ranges[b, 1]):
            gap = box_gap2(boxes, i, j, rel, size)
            if gap > far * far:
                continue
            if spans[i, 0] == spans[i, 1] or spans[j, 0] == spans[j, 1]:
                if not gap > need * need:
                    return _MEETS
                found = _NEAR
                continue
            if found == _NEAR and gap > need * need:
                continue
            aim = need if found == _NEAR else far
            towards(boxes, i, j, rel, S)
            low, _ = gap_of(points, spans[i, 0], spans[i, 1], spans[j, 0], spans[j, 1], rel, aim, aim, _ABOUT, S)
            if low > aim:
                continue
            found = _NEAR
            if gap > need * need or low > need:
                continue
            if aim > need:
                low, _ = gap_of(points, spans[i, 0], spans[i, 1], spans[j, 0], spans[j, 1], rel, need, need, _ABOUT, S)
            if not low > need:
                return _MEETS
    return found


@compiled
def _pair(scene: Any, room: Any, a: int, b: int, margin: float, stray: float) -> int:
    """Return how two bodies are that move by no more than ``stray`` against each other from where they are."""
    mesh, bodies = scene[0], scene[1]
    poses, tools, small, _, last, kept = room[:6]
    rel, back, hit, out, _ = small
    roots, frame, box, size = bodies[0], bodies[1], mesh[0], tools[0]
    relative(poses, frame[a], frame[b], rel)
    for x in range(9):
        size[x] = abs(rel[x])
    need = max(margin * (1.0 + 1e-12), TOUCH) + TOUCH
    far = need + stray
    gap = box_gap2(box, roots[a], roots[b], rel, size)
    if gap > far * far:
        return _CLEAR
    apart = _pieces_apart(bodies, a, b, rel, size, far, need, tools[7])
    if apart == _CLEAR:
        return _CLEAR
    if apart == _NEAR or gap > need * need:
        return _NEAR
    if near_within(mesh, bodies, a, b, rel, back, margin, tools, hit, out):
        last[0], last[1], kept[0] = a, b, margin
        return _MEETS
    return _NEAR if stray > 0.0 else _CLEAR


@compiled
def _stray(scene: Any, room: Any, k: int, stop: int, steps: Array, stamp: int) -> float:
    """Return how far a moving body goes at most over the steps of the joints from where it is, against a frame."""
    mesh, bodies, frames = scene[0], scene[1], scene[2]
    poses, rows, none = room[0], room[7], room[10]
    balls, strays, done_at = room[9]
    a = scene[6][0][k]
    f = bodies[1][a]
    if done_at[k] != stamp:
        done_at[k] = stamp
        X, n = poses[f], mesh[0][bodies[0][a]]
        for i in range(3):
            balls[k, i] = X[3 * i] * n[0] + X[3 * i + 1] * n[1] + X[3 * i + 2] * n[2] + X[9 + i]
        balls[k, 3] = math.sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5])
        strays[k] = rest_of(frames, poses, balls[k], f, -1, steps, rows[3], none, none)[1]
    if stop < 0:
        return float(strays[k])
    return float(rest_of(frames, poses, balls[k], f, stop, steps, rows[3], none, none)[1])


@compiled
def _range_proved(moving: Any, pair: int, q: Array, steps: Array) -> bool:
    """Return whether two bodies are proved apart wherever their joints are within their steps of ``q``."""
    _, _, _, _, _, dims, columns, least, scale, counts, start_of, proved, _ = moving
    size = dims[pair]
    if size == 0:
        return False
    low0, high0, low1, high1, low2, high2 = 0, 0, 0, 0, 0, 0
    for x in range(size):
        value, step = q[columns[pair, x]] - least[pair, x], abs(steps[columns[pair, x]])
        low = math.floor((value - step) * scale[pair, x])
        high = math.floor((value + step) * scale[pair, x])
        if low < 0 or high >= counts[pair, x]:
            return False
        if x == 0:
            low0, high0 = low, high
        elif x == 1:
            low1, high1 = low, high
        else:
            low2, high2 = low, high
    if (high0 - low0 + 1) * (high1 - low1 + 1) * (high2 - low2 + 1) > _CELLS:
        return False
    first = start_of[pair]
    for i in range(low0, high0 + 1):
        for j in range(low1, high1 + 1):
            at = i if size < 2 else i * counts[pair, 1] + j
            for k in range(low2, high2 + 1):
                if not proved[first + (at if size < 3 else at * counts[pair, 2] + k)]:
                    return False
    return True


@compiled
def _in_cells(moving: Any, pair: int, q: Array, steps: Array, final: bool) -> int:
    """Return what proved cells show of a pair: clear over the steps around ``q``, apart at ``q``, or nothing."""
    if pair < 0 or moving[5][pair] == 0:
        return _MEETS
    if not final and _range_proved(moving, pair, q, steps):
        return _CLEAR
    return _NEAR if in_proved_cell(moving, pair, q) else _MEETS


@compiled
def _body(
    scene: Any, room: Any, k: int, q: Array, steps: Array, stray: float, listed: bool, out: Any, fill: int
) -> int:
    """Test a moving body against all that stays; list what it may meet from ``fill`` on, if asked to.

    Returns where the list ends, −1 where the body touches something.
    """
    mesh, bodies, _, _, still, _, moving, reach, _, _ = scene
    poses, stack = room[0], room[2][4]
    names, margins, rows = still[2], moving[1], moving[12]
    a = moving[0][k]
    if still[1].shape[0] == 0:
        return fill
    wide = around(poses[bodies[1][a]], mesh[0][bodies[0][a]], reach + (stray if listed else 0.0))
    stack[0], top = 0, 1
    while top > 0:
        place_of, top = next_still(still, wide, stack, top)
        if place_of < 0:
            break
        if margins[k, place_of] < 0.0:
            continue
        kind = _in_cells(moving, rows[k, place_of] if rows.shape[0] > 0 else -1, q, steps, not listed)
        if kind == _MEETS:
            kind = _pair(scene, room, a, names[place_of], margins[k, place_of], stray if listed else 0.0)
        if kind == _MEETS:
            return -1
        if listed and kind == _NEAR:
            if fill >= out.shape[0]:
                return fill + 1
            out[fill] = k * names.shape[0] + place_of
            fill += 1
    return fill


@compiled
def _node_free(
    scene: Any, room: Any, q: Array, steps: Array, stamp: int, final: bool, codes: Any, out: Any, fill: int
) -> int:
    """Test the listed pairs of an interval at its middle; list those that may meet elsewhere in it from ``fill`` on.

    An entry below 0 is a body against all that stays, the next ones pairs of a body and one that stays, the last ones
    pairs of moving bodies. Returns where the list ends, −1 where something touches, a number beyond it without room.
    """
    moving, stops, names = scene[6], scene[9], scene[4][2]
    order, margins, first, second, between, rows = (
        moving[0], moving[1], moving[2], moving[3], moving[4], moving[12],
    )  # fmt: skip
    number, place = order.shape[0], stops[1]
    for c in range(codes.shape[0]):
        code = codes[c]
        if fill >= out.shape[0]:
            return fill + 1
        if code < 0:
            k = -1 - code
            stray = 0.0 if final else _stray(scene, room, k, -1, steps, stamp)
            listed = not final and stray <= _LISTED
            fill = _body(scene, room, k, q, steps, stray, listed, out, fill)
            if fill < 0 or fill > out.shape[0]:
                return fill
            if not listed and not final:
                if fill >= out.shape[0]:
                    return fill + 1
                out[fill] = code
                fill += 1
            continue
        if code < number * names.shape[0]:
            k, at = code // names.shape[0], code % names.shape[0]
            kind = _in_cells(moving, rows[k, at] if rows.shape[0] > 0 else -1, q, steps, final)
            if kind == _MEETS:
                stray = 0.0 if final else _stray(scene, room, k, -1, steps, stamp)
                kind = _pair(scene, room, order[k], names[at], margins[k, at], stray)
        else:
            p = code - number * names.shape[0]
            kind = _in_cells(moving, p, q, steps, final)
            if kind == _MEETS:
                stray = 0.0
                if not final:
                    for body in (first[p], second[p]):
                        stray += _stray(scene, room, place[body], stops[0][p], steps, stamp)
                kind = _pair(scene, room, first[p], second[p], between[p], stray)
        if kind == _MEETS:
            return -1
        if kind == _NEAR and not final:
            out[fill] = code
            fill += 1
    return fill


@compiled
def between_free(scene: Any, q0: Array, q1: Array, parts: int, room: Any) -> bool:
    """Return whether a straight joint edge is free where it is looked at, its ends left out.

    It is looked at in its middle, then the middles of its halves and so on, until it is cut into ``parts`` or more. A
    pair that is farther apart in the middle of an interval than it can move there is not looked at again in it. That
    changes no answer; it only saves tests.
    """
    frames, which, moving, names = scene[2], scene[3], scene[6], scene[4][2]
    poses, free, last = room[0], room[6], room[4]
    q, steps = room[7][0], room[7][1]
    lists, nodes = room[8]
    done_at = room[9][2]
    done_at[:] = -1
    number, pairs = moving[0].shape[0], moving[2].shape[0]
    length = 0
    for k in range(number):
        lists[0, length] = -1 - k
        length += 1
    plain = length + pairs > _ROOM
    if not plain:
        for p in range(pairs):
            lists[0, length] = number * names.shape[0] + p
            length += 1
    nodes[0, 0, 0], nodes[0, 0, 1], nodes[0, 0, 2] = 0, 0, length
    count, here, cuts, stamp = 1, 0, 1, 0
    last[2] = 0
    while cuts < parts and (plain or count > 0):
        final = 2 * cuts >= parts
        for j in range(q0.shape[0]):
            steps[j] = 0.5 / cuts * (q1[j] - q0[j])
        there, fill, after = 1 - here, 0, 0
        overflow = False
        for c in range(cuts if plain else count):
            index = c if plain else nodes[here, c, 0]
            t = (index + 0.5) / cuts
            for j in range(q0.shape[0]):
                q[j] = q0[j] + t * (q1[j] - q0[j])
            last[2] += 1
            if plain or overflow:
                if not state_free(scene, q, room):
                    return False
                continue
            place_frames(frames, which, q, free, poses)
            if cuts <= 2 and _last_meets(scene, room):
                return False
            begin = fill
            codes = lists[here, nodes[here, c, 1] : nodes[here, c, 1] + nodes[here, c, 2]]
            fill = _node_free(scene, room, q, steps, stamp, final, codes, lists[there], fill)
            stamp += 1
            if fill < 0:
                return False
            if fill > _ROOM or after + 2 > _NODES:
                overflow = True
                if not state_free(scene, q, room):
                    return False
                continue
            if fill > begin:
                for half in range(2):
                    nodes[there, after, 0], nodes[there, after, 1], nodes[there, after, 2] = (
                        2 * index + half, begin, fill - begin,
                    )  # fmt: skip
                    after += 1
        plain = plain or overflow
        count, here = after, there
        cuts *= 2
    return True


@compiled
def edge_free(scene: Any, q0: Array, q1: Array, step: float, room: Any) -> bool:
    """Return whether a straight joint edge is free where it is looked at: no joint moves by more than ``step`` between.

    The far end comes first, then the middle, the quarters and so on, so that a blocked edge is found out early. The
    near end ``q0`` is taken to be free. This is a sample, not a proof: certify the path that is returned.
    """
    farthest = 0.0
    for j in range(q0.shape[0]):
        farthest = max(farthest, abs(q1[j] - q0[j]))
    return state_free(scene, q1, room) and between_free(scene, q0, q1, math.ceil(farthest / step), room)
