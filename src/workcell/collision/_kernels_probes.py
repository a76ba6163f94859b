"""Compiled loops of sensors: beams, points, boxes and lines of sight against meshes, at instants and over intervals.

An item is one question with a yes or a no: is this segment broken, is a body this near, is this point in sight. Asked
over an interval, the answer is given at its middle, and with it whether it holds all the time: whatever moves strays by
a bound from its place at the middle, and the answer cannot change while that is less than what is missing to a change.
"""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import TOUCH, box_gap2
from workcell.collision._kernels_insides import swallowed, winding
from workcell.collision._kernels_meshes import ALL, mesh_gap, new_tools
from workcell.collision._kernels_poses import inverse, place_frames, relative
from workcell.collision._kernels_strays import stray_of
from workcell.collision.probe_codes import ALWAYS, AT_TIMES, NEVER, PAIR, SEGMENT
from workcell.geometry._kernels_triangle import triangle_distance2

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_HAIR = 1e-12
"""Beams nearer than this to a surface meet it [m]: more than rounding amounts to where two triangles join."""
_MOST = 64
"""How many crossings of a segment with a mesh are looked at to find how deep it goes in."""


# ---- a segment and a mesh -----------------------------------------------------------------------------


@compiled
def _segments2(p: Array, q: Array, t: Array, i: int, j: int) -> float:
    """The squared distance of a segment and an edge of a triangle (Ericson 2005, 5.1.9)."""
    d1x, d1y, d1z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    d2x, d2y, d2z = t[j] - t[i], t[j + 1] - t[i + 1], t[j + 2] - t[i + 2]
    rx, ry, rz = p[0] - t[i], p[1] - t[i + 1], p[2] - t[i + 2]
    a = d1x * d1x + d1y * d1y + d1z * d1z
    e = d2x * d2x + d2y * d2y + d2z * d2z
    f = d2x * rx + d2y * ry + d2z * rz
    if a <= 0.0:
        u, v = 0.0, min(max(f / e, 0.0), 1.0)
    else:
        c = d1x * rx + d1y * ry + d1z * rz
        b = d1x * d2x + d1y * d2y + d1z * d2z
        det = a * e - b * b
        u = min(max((b * f - c * e) / det, 0.0), 1.0) if det > 1e-14 * a * e else 0.0
        v = (b * u + f) / e
        if v < 0.0:
            u, v = min(max(-c / a, 0.0), 1.0), 0.0
        elif v > 1.0:
            u, v = min(max((b - c) / a, 0.0), 1.0), 1.0
    x, y, z = rx + u * d1x - v * d2x, ry + u * d1y - v * d2y, rz + u * d1z - v * d2z
    return float(x * x + y * y + z * z)


@compiled
def _crossing_at(t: Array, p: Array, q: Array) -> float:
    """How far along a segment, from 0 to 1, it crosses a triangle; −1 where it does not or lies in its plane."""
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    ax, ay, az = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    bx, by, bz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    hx, hy, hz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
    det = ax * hx + ay * hy + az * hz
    if det == 0.0:
        return -1.0
    sx, sy, sz = p[0] - t[0], p[1] - t[1], p[2] - t[2]
    u = (sx * hx + sy * hy + sz * hz) / det
    if u < 0.0 or u > 1.0:
        return -1.0
    kx, ky, kz = sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax
    v = (dx * kx + dy * ky + dz * kz) / det
    if v < 0.0 or u + v > 1.0:
        return -1.0
    s = (bx * kx + by * ky + bz * kz) / det
    return s if 0.0 <= s <= 1.0 else -1.0


@compiled
def _segment_triangle2(t: Array, p: Array, q: Array) -> float:
    """The squared distance of a segment and a triangle."""
    if _crossing_at(t, p, q) >= 0.0:
        return 0.0
    found = min(triangle_distance2(t, p[0], p[1], p[2]), triangle_distance2(t, q[0], q[1], q[2]))
    for edge in range(3):
        found = min(found, _segments2(p, q, t, 3 * edge, 3 * ((edge + 1) % 3)))
    return found


@compiled
def _node_gap(b: Array, p: Array, q: Array) -> float:
    """A distance that a segment and a box do not fall below."""
    gap2 = 0.0
    for k in range(3):
        low, high = min(p[k], q[k]) - b[k], max(p[k], q[k]) - b[k]
        apart = max(low - b[3 + k], -b[3 + k] - high, 0.0)
        gap2 += apart * apart
    # The distance of the box's centre, less the radius of the sphere around it.
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    cx, cy, cz = b[0] - p[0], b[1] - p[1], b[2] - p[2]
    length2 = dx * dx + dy * dy + dz * dz
    u = min(max((cx * dx + cy * dy + cz * dz) / length2, 0.0), 1.0) if length2 > 0.0 else 0.0
    x, y, z = cx - u * dx, cy - u * dy, cz - u * dz
    round_ = math.sqrt(x * x + y * y + z * z) - math.sqrt(b[3] * b[3] + b[4] * b[4] + b[5] * b[5])
    return float(max(math.sqrt(gap2), round_))


@compiled
def segment_gap(mesh: Any, root: int, p: Array, q: Array, cap: float, stack: Any) -> float:
    """The distance of a segment and the surface of a mesh, in the mesh's frame, when it is below ``cap``; else that."""
    box, link, tris, _ = mesh
    best = cap
    stack[0, 0] = root
    top = 1
    while top > 0:
        top -= 1
        node = stack[top, 0]
        if _node_gap(box[node], p, q) >= best:
            continue
        if link[node, 0] < 0:
            found = math.sqrt(_segment_triangle2(tris[-1 - link[node, 0]], p, q))
            if found < best:
                best = found
                if best <= 0.0:
                    return 0.0
            continue
        near, far = link[node, 0], link[node, 1]
        if _node_gap(box[near], p, q) > _node_gap(box[far], p, q):
            near, far = far, near
        stack[top, 0] = far
        stack[top + 1, 0] = near
        top += 2
    return best


@compiled
def _crossings(mesh: Any, root: int, p: Array, q: Array, stack: Any, where: Array) -> tuple[int, float]:
    """Where a segment crosses a mesh, in order, in ``where``; how often; and how safely it crosses one triangle [m].

    A crossing stays while nothing strays as far as the segment is from the edges of the triangle, and as its ends are
    from the triangle.
    """
    box, link, tris, _ = mesh
    count, safe, first = 0, 0.0, 2.0
    stack[0, 0] = root
    top = 1
    while top > 0:
        top -= 1
        node = stack[top, 0]
        if _node_gap(box[node], p, q) > TOUCH:
            continue
        if link[node, 0] >= 0:
            stack[top, 0] = link[node, 0]
            stack[top + 1, 0] = link[node, 1]
            top += 2
            continue
        t = tris[-1 - link[node, 0]]
        at = _crossing_at(t, p, q)
        if at < 0.0:
            continue
        room = min(triangle_distance2(t, p[0], p[1], p[2]), triangle_distance2(t, q[0], q[1], q[2]))
        for edge in range(3):
            room = min(room, _segments2(p, q, t, 3 * edge, 3 * ((edge + 1) % 3)))
        safe, first = max(safe, room), min(first, at)
        if count < _MOST:
            where[count] = at
            count += 1
    where[:count] = np.sort(where[:count])
    if count > 0:
        where[0] = first
    return count, math.sqrt(safe)


@compiled
def _depth(mesh: Any, root: int, p: Array, q: Array, stack: Any, where: Array, m: Array) -> float:
    """How far a segment that meets a mesh may at least be shifted, whichever way, until it no longer does [m]."""
    count, best = _crossings(mesh, root, p, q, stack, where)
    where[count] = 1.0
    before = 0.0
    for k in range(count + 1):
        here = where[k]
        for i in range(3):
            m[i] = p[i] + 0.5 * (before + here) * (q[i] - p[i])
        before = here
        if winding(mesh, root, m[0], m[1], m[2], stack):
            best = max(best, segment_gap(mesh, root, m, m, np.inf, stack))
    return best


@compiled
def _local(X: Array, p: Array, out: Array) -> None:
    """A point of the world in a frame."""
    x, y, z = p[0] - X[9], p[1] - X[10], p[2] - X[11]
    for i in range(3):
        out[i] = X[i] * x + X[3 + i] * y + X[6 + i] * z


@compiled
def _world(X: Array, p: Array, out: Array) -> None:
    """A point of a frame in the world."""
    for i in range(3):
        out[i] = X[3 * i] * p[0] + X[3 * i + 1] * p[1] + X[3 * i + 2] * p[2] + X[9 + i]


@compiled
def _inside(mesh: Any, root: int, p: Array, stack: Any) -> bool:
    """Whether a point lies inside the closed shells of a mesh."""
    b = mesh[0][root]
    if abs(p[0] - b[0]) > b[3] or abs(p[1] - b[1]) > b[4] or abs(p[2] - b[2]) > b[5]:
        return False
    return winding(mesh, root, p[0], p[1], p[2], stack)


# ---- what moves ---------------------------------------------------------------------------------------


@compiled
def _meeting(parent: Ints, f: int, g: int) -> int:
    """The nearest frame that two frames hang on, each counted with itself; −1 for the world."""
    while f >= 0:
        above = g
        while above >= 0:
            if above == f:
                return f
            above = parent[above]
        f = parent[f]
    return -1


@compiled
def _drift(world: Any, poses: Array, row: Any, b: int) -> float:
    """How far a body strays seen from the world, found once for an interval."""
    mesh, bodies, frames = world
    dq, ways, turns, drifts = row
    if drifts[b] < 0.0:
        drifts[b] = stray_of(frames, poses, mesh[0][bodies[0][b]], bodies[1][b], -1, dq, ways, turns)
    return float(drifts[b])


@compiled
def _ends_drift(world: Any, poses: Array, row: Any, item: Any, stop: int, point: Array) -> float:
    """How far a segment strays seen from a frame: no farther than the end that strays more."""
    dq, ways, turns, _ = row
    fa, fb, here, there, _ = item
    point[:3] = here
    strays = stray_of(world[2], poses, point, fa, stop, dq, ways, turns)
    point[:3] = there
    return float(max(strays, stray_of(world[2], poses, point, fb, stop, dq, ways, turns)))


@compiled
def _segment_item(
    world: Any, poses: Array, row: Any, item: Any, counts: NDArray[np.uint8], tools: Any
) -> tuple[int, bool]:
    """Whether bodies break a segment: always, never or at times; and whether at the middle."""
    mesh, bodies, frames = world
    roots, frame = bodies[0], bodies[1]
    parent = frames[0]
    dq, ways, turns, _ = row
    fa, fb, here, there, radius = item
    stack, p, q, p_in, q_in, m, where, point, _ = tools
    _world(poses[fa], here, p)
    _world(poses[fb], there, q)
    ends = _meeting(parent, fa, fb)
    farthest = _ends_drift(world, poses, row, item, -1, point)
    state, now = NEVER, False
    limit = max(radius, _HAIR)
    for b in range(counts.shape[0]):
        if counts[b] == 0:
            continue
        f = frame[b]
        _local(poses[f], p, p_in)
        _local(poses[f], q, q_in)
        apart = _node_gap(mesh[0][roots[b]], p_in, q_in)
        # Seen from the world things stray no less than seen from what carries both.
        if apart >= limit + farthest + _drift(world, poses, row, b) + _HAIR:
            continue
        stop = _meeting(parent, ends, f)
        strays = _ends_drift(world, poses, row, item, stop, point)
        strays += stray_of(frames, poses, mesh[0][roots[b]], f, stop, dq, ways, turns)
        cap = limit + strays + _HAIR
        if apart >= cap:
            continue
        gap = segment_gap(mesh, roots[b], p_in, q_in, cap, stack)
        if gap > 0.0 and _inside(mesh, roots[b], p_in, stack):
            gap = 0.0
        if gap > limit:
            if gap - limit <= strays and state == NEVER:
                state = AT_TIMES
            continue
        now = True
        if strays <= 0.0 or limit - gap > strays:
            return ALWAYS, True
        if gap <= _HAIR and _depth(mesh, roots[b], p_in, q_in, stack, where, m) + limit > strays:
            return ALWAYS, True
        state = AT_TIMES
    return state, now


@compiled
def _pair_item(
    world: Any, poses: Array, row: Any, item: Any, counts: NDArray[np.uint8], tools: Any
) -> tuple[int, bool]:
    """Whether bodies are as near to a mesh as they need be: always, never or at times; and whether at the middle."""
    mesh, bodies, frames = world
    roots, frame, start, points = bodies[0], bodies[1], bodies[2], bodies[3]
    parent = frames[0]
    dq, ways, turns, _ = row
    fa, own, core, deep, radius = item
    kit = tools[-1]
    rel, back, out, kernel = kit
    state, now = NEVER, False
    limit = max(radius, TOUCH)
    for b in range(counts.shape[0]):
        if counts[b] == 0:
            continue
        f = frame[b]
        stop = _meeting(parent, fa, f)
        strays = stray_of(frames, poses, mesh[0][roots[own]], fa, stop, dq, ways, turns)
        strays += stray_of(frames, poses, mesh[0][roots[b]], f, stop, dq, ways, turns)
        relative(poses, fa, f, rel)
        size = kernel[0]
        for x in range(9):
            size[x] = abs(rel[x])
        cap = limit + strays + TOUCH
        boxes = math.sqrt(box_gap2(mesh[0], roots[own], roots[b], rel, size))
        if boxes >= cap:
            continue
        gap = mesh_gap(mesh, roots[own], roots[b], rel, cap, 0.0, ALL, kernel, out)
        if gap > 0.0 and boxes <= 0.0:
            inverse(rel, back)
            if swallowed(mesh, (start, points), own, roots[b], rel, kernel[5], out) or swallowed(
                mesh, (start, points), b, roots[own], back, kernel[5], out
            ):
                gap = 0.0
        if gap > limit:
            if gap - limit <= strays and state == NEVER:
                state = AT_TIMES
            continue
        now = True
        if strays <= 0.0 or limit - gap > strays:
            return ALWAYS, True
        if core >= 0 and deep > strays:
            inner = mesh_gap(mesh, roots[core], roots[b], rel, deep, 0.0, ALL, kernel, out)
            if inner >= deep:
                inverse(rel, back)
                if swallowed(mesh, (start, points), core, roots[b], rel, kernel[5], out) or swallowed(
                    mesh, (start, points), b, roots[core], back, kernel[5], out
                ):
                    inner = 0.0
            if deep - inner > strays:
                return ALWAYS, True
        state = AT_TIMES
    return state, now


@compiled
def _sight_item(
    world: Any, poses: Array, row: Any, item: Any, cone: Any, counts: NDArray[np.uint8], tools: Any
) -> tuple[int, bool]:
    """Whether a point is in the cone of a camera and no body hides it."""
    _, _, frames = world
    dq, ways, turns, _ = row
    fa, fb, _, there, _ = item
    _, _, q, p_in, _, _, _, point, _ = tools
    across, upright, far = cone
    _world(poses[fb], there, q)
    _local(poses[fa], q, p_in)
    # How far inside the five planes of the cone the point is: Lipschitz in the motion of both.
    room = min(far - p_in[2], p_in[2])
    room = min(room, (p_in[2] * across - abs(p_in[0])) / math.sqrt(1.0 + across * across))
    room = min(room, (p_in[2] * upright - abs(p_in[1])) / math.sqrt(1.0 + upright * upright))
    stop = _meeting(frames[0], fa, fb)
    # The whole cone turns with the camera: its far corners stray the most.
    wide = np.zeros(6)
    wide[2], wide[3], wide[4], wide[5] = 0.5 * far, far * across, far * upright, 0.5 * far
    strays = stray_of(frames, poses, wide, fa, stop, dq, ways, turns)
    point[:3] = there
    strays += stray_of(frames, poses, point, fb, stop, dq, ways, turns)
    if room < 0.0 and -room > strays:
        return NEVER, False
    state, hidden = _segment_item(world, poses, row, item, counts, tools)
    seen = room >= 0.0 and not hidden
    if strays <= 0.0 and room < 0.0:
        return NEVER, False
    if state == ALWAYS:
        return NEVER, False
    if state == AT_TIMES or (room <= strays and strays > 0.0):
        return AT_TIMES, seen
    return ALWAYS, seen


@compiled
def look(
    world: Any,
    which: Ints,
    poses: Array,
    Q: Array,
    dQ: Array,
    free: Array,
    ways: Array,
    turns: Array,
    rows: Ints,
    asked: Ints,
    items: Any,
    masks: NDArray[np.uint8],
    states: Array,
    values: Array,
) -> None:
    """Ask items over intervals: ``rows`` (N,), in order, says which interval, ``asked`` (N,) which item.

    ``states`` receives NEVER, ALWAYS or AT_TIMES, ``values`` 1 or 0 at the middle of the interval.
    """  # fmt: skip
    kinds, fa, fb, here, there, radius, own, core, deep, cones, mask = items
    kit = (np.empty(12), np.empty(12), np.empty(9), new_tools())
    tools = (
        np.empty((512, 2), dtype=np.int64), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3),
        np.empty(_MOST + 1), np.zeros(6), kit,
    )  # fmt: skip
    drifts = np.empty(world[1][1].shape[0])
    last = -1
    for n in range(rows.shape[0]):
        r, k = rows[n], asked[n]
        if r != last:
            place_frames(world[2], which, Q[r], free[r if free.shape[0] > 1 else 0], poses)
            drifts[:] = -1.0
            last = r
        row = (dQ[r], ways[r], turns[r], drifts)
        counts = masks[mask[k]]
        if kinds[k] == PAIR:
            state, now = _pair_item(world, poses, row, (fa[k], own[k], core[k], deep[k], radius[k]), counts, tools)
        else:
            item = (fa[k], fb[k], here[k], there[k], radius[k])
            if kinds[k] == SEGMENT:
                state, now = _segment_item(world, poses, row, item, counts, tools)
            else:
                cone = (cones[k, 0], cones[k, 1], cones[k, 2])
                state, now = _sight_item(world, poses, row, item, cone, counts, tools)
        states[n], values[n] = state, 1.0 if now else 0.0


@compiled
def first_hit(world: Any, poses: Array, p: Array, q: Array, counts: NDArray[np.uint8]) -> tuple[float, int]:
    """How far along a segment of the world, from 0 to 1, it first meets a body, and which one; 1 and −1 for none."""
    mesh, bodies, _ = world
    roots, frame = bodies[0], bodies[1]
    stack = np.empty((512, 2), dtype=np.int64)
    p_in, q_in, where = np.empty(3), np.empty(3), np.empty(_MOST + 1)
    best, who = 1.0, -1
    for b in range(counts.shape[0]):
        if counts[b] == 0:
            continue
        _local(poses[frame[b]], p, p_in)
        _local(poses[frame[b]], q, q_in)
        if _node_gap(mesh[0][roots[b]], p_in, q_in) > TOUCH:
            continue
        if _inside(mesh, roots[b], p_in, stack):
            return 0.0, b
        count, _ = _crossings(mesh, roots[b], p_in, q_in, stack, where)
        if count > 0 and (where[0] < best or who < 0):
            best, who = where[0], b
    return best, who
