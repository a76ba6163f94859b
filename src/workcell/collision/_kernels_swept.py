"""Compiled bounds on the distance of two meshes all along a small motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_triangles import THIN, bring, triangle_gap2
from workcell.collision.proof_codes import LEAST_MET, TIGHTNESS

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_TIGHT, _LOOSE, _NEAR_MISS = 0.9, 0.5, 2e-3


@compiled
def twists_of(frames: Any, which: Ints, poses: Array, steps: Array, twist: Array) -> None:
    """How frames move, in the world, when every joint makes its step: turning, then the step of the world's origin."""
    parent, kind, column, _, _ = frames
    for k in range(which.shape[0]):
        f = which[k]
        up = parent[f]
        for x in range(6):
            twist[f, x] = twist[up, x] if up >= 0 else 0.0
        if kind[f] == 1 or kind[f] == 2:
            X = poses[up]
            step = steps[column[f]]
            x, y, z = step * X[2], step * X[5], step * X[8]
            if kind[f] == 2:
                twist[f, 3] += x
                twist[f, 4] += y
                twist[f, 5] += z
            else:
                twist[f, 0] += x
                twist[f, 1] += y
                twist[f, 2] += z
                twist[f, 3] += X[10] * z - X[11] * y
                twist[f, 4] += X[11] * x - X[9] * z
                twist[f, 5] += X[9] * y - X[10] * x


@compiled
def rest_of(
    frames: Any, poses: Array, ball: Array, f: int, stop: int, steps: Array, devs: Array, way: Array, turn: Array
) -> tuple[float, float]:
    """How far any point of a ball on frame ``f`` gets from where the twist takes it, and from its place at the middle.

    Taylor's formula in the joints: the second derivative by joints i and j turns about i what turning about j, the
    one farther out, moves, so it is at most the distance from the axis of j; that distance changes by what the
    joints still farther out do. ``devs`` is by how much joints may miss their steps. All seen from frame ``stop``.
    """
    parent, kind, column, _, _ = frames
    inner = 0.0
    g = f
    while g != stop and g >= 0:
        if kind[g] == 1:
            inner += abs(steps[column[g]]) + devs[column[g]]
        g = parent[g]
    rest, strayed = 0.0, 0.0
    while f != stop and f >= 0:
        if kind[f] == 1 or kind[f] == 2:
            dev = devs[column[f]]
            move = abs(steps[column[f]]) + dev
            if move > 0.0:
                if kind[f] == 2:
                    rest += dev + move * inner
                    strayed += move
                else:
                    X = poses[parent[f]]
                    x, y, z = ball[0] - X[9], ball[1] - X[10], ball[2] - X[11]
                    along = X[2] * x + X[5] * y + X[8] * z
                    arm = math.sqrt(max(x * x + y * y + z * z - along * along, 0.0)) + ball[3] + strayed
                    inner -= move
                    rest += arm * (dev + move * (0.5 * move + max(inner, 0.0)))
                    strayed += arm * move
        elif kind[f] == 3:
            X = poses[f]
            x, y, z = ball[0] - X[9], ball[1] - X[10], ball[2] - X[11]
            far = math.sqrt(x * x + y * y + z * z) + ball[3] + strayed
            step = far * turn[column[f]] + way[column[f]]
            rest += step
            strayed += step
        f = parent[f]
    return rest * (1.0 + 1e-9), strayed * (1.0 + 1e-9)


@compiled
def field_of(X: Array, twist: Array, stop: int, poses_twist: Array, out: Array, at: int) -> float:
    """A twist of the world as seen in frame X: the step of its origin and the turning; how much of it there is."""
    w0, w1, w2, v0, v1, v2 = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
    if stop >= 0:
        w0, w1, w2 = w0 - poses_twist[stop, 0], w1 - poses_twist[stop, 1], w2 - poses_twist[stop, 2]
        v0, v1, v2 = v0 - poses_twist[stop, 3], v1 - poses_twist[stop, 4], v2 - poses_twist[stop, 5]
    x = v0 + w1 * X[11] - w2 * X[10]
    y = v1 + w2 * X[9] - w0 * X[11]
    z = v2 + w0 * X[10] - w1 * X[9]
    for i in range(3):
        out[at + i] = X[i] * x + X[3 + i] * y + X[6 + i] * z
        out[at + 3 + i] = X[i] * w0 + X[3 + i] * w1 + X[6 + i] * w2
    return float(abs(x) + abs(y) + abs(z) + abs(w0) + abs(w1) + abs(w2))


@compiled
def widen(rel: Array, flow: Array, both: bool) -> None:
    """Fill what turning adds to boxes: a along the axes of b (from 12), b along those of a (21) and its own (30)."""
    ax, ay, az = flow[3], flow[4], flow[5]
    for j in range(3):
        x, y, z = rel[j], rel[3 + j], rel[6 + j]
        flow[12 + 3 * j] = abs(y * az - z * ay)
        flow[13 + 3 * j] = abs(z * ax - x * az)
        flow[14 + 3 * j] = abs(x * ay - y * ax)
    if both:
        bx, by, bz = flow[9], flow[10], flow[11]
        for j in range(3):
            x, y, z = rel[j], rel[3 + j], rel[6 + j]
            flow[21 + j] = abs(by * z - bz * y)
            flow[24 + j] = abs(bz * x - bx * z)
            flow[27 + j] = abs(bx * y - by * x)
            flow[30 + j] = abs(bx * x + by * y + bz * z)


@compiled
def swept_gap2(box: Array, a: int, b: int, rel: Array, size: Array, flow: Array, both: bool) -> float:
    """A lower bound on the squared distance of two nodes all along their steps forward and back."""
    ax, ay, az = box[a, 3], box[a, 4], box[a, 5]
    bx, by, bz = box[b, 3], box[b, 4], box[b, 5]
    cx, cy, cz = box[a, 0], box[a, 1], box[a, 2]
    ox, oy, oz = box[b, 0], box[b, 1], box[b, 2]
    px = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9]
    py = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10]
    pz = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11]
    ux = flow[0] + flow[4] * cz - flow[5] * cy
    uy = flow[1] + flow[5] * cx - flow[3] * cz
    uz = flow[2] + flow[3] * cy - flow[4] * cx
    wx, wy, wz = abs(flow[3]), abs(flow[4]), abs(flow[5])
    mx, my, mz = wy * az + wz * ay, wz * ax + wx * az, wx * ay + wy * ax
    nx = flow[12] * ax + flow[13] * ay + flow[14] * az
    ny = flow[15] * ax + flow[16] * ay + flow[17] * az
    nz = flow[18] * ax + flow[19] * ay + flow[20] * az
    if both:
        ux -= flow[6] + flow[10] * pz - flow[11] * py
        uy -= flow[7] + flow[11] * px - flow[9] * pz
        uz -= flow[8] + flow[9] * py - flow[10] * px
        mx += flow[21] * bx + flow[22] * by + flow[23] * bz
        my += flow[24] * bx + flow[25] * by + flow[26] * bz
        mz += flow[27] * bx + flow[28] * by + flow[29] * bz
        nx += flow[31] * bz + flow[32] * by
        ny += flow[32] * bx + flow[30] * bz
        nz += flow[30] * by + flow[31] * bx
    cx, cy, cz = px - cx, py - cy, pz - cz
    sx = max(abs(cx) - ax - (size[0] * bx + size[1] * by + size[2] * bz) - abs(ux) - mx, 0.0)
    sy = max(abs(cy) - ay - (size[3] * bx + size[4] * by + size[5] * bz) - abs(uy) - my, 0.0)
    sz = max(abs(cz) - az - (size[6] * bx + size[7] * by + size[8] * bz) - abs(uz) - mz, 0.0)
    along = abs(rel[0] * cx + rel[3] * cy + rel[6] * cz) - abs(rel[0] * ux + rel[3] * uy + rel[6] * uz)
    tx = max(along - bx - (size[0] * ax + size[3] * ay + size[6] * az) - nx, 0.0)
    along = abs(rel[1] * cx + rel[4] * cy + rel[7] * cz) - abs(rel[1] * ux + rel[4] * uy + rel[7] * uz)
    ty = max(along - by - (size[1] * ax + size[4] * ay + size[7] * az) - ny, 0.0)
    along = abs(rel[2] * cx + rel[5] * cy + rel[8] * cz) - abs(rel[2] * ux + rel[5] * uy + rel[8] * uz)
    tz = max(along - bz - (size[2] * ax + size[5] * ay + size[8] * az) - nz, 0.0)
    return float(max(sx * sx + sy * sy + sz * sz, tx * tx + ty * ty + tz * tz))


@compiled
def _farthest(t: Array, flow: Array, at: int) -> float:
    """The longest step of a corner of a triangle, squared."""
    most = 0.0
    for k in range(0, 9, 3):
        x = flow[at] + flow[at + 4] * t[k + 2] - flow[at + 5] * t[k + 1]
        y = flow[at + 1] + flow[at + 5] * t[k] - flow[at + 3] * t[k + 2]
        z = flow[at + 2] + flow[at + 3] * t[k + 1] - flow[at + 4] * t[k]
        most = max(most, x * x + y * y + z * z)
    return most


@compiled
def _kept(p: Array, q: Array, flow: Array, both: bool, x: float, y: float, z: float) -> float:
    """What two triangles stay apart, q beyond p along an axis of any length, all along their steps forward and back.

    Whichever axis it is, they are no nearer: the corners make straight steps, so that the ends of the steps decide.
    """
    size = math.sqrt(x * x + y * y + z * z)
    if not size > 0.0:
        return -np.inf
    x, y, z = x / size, y / size, z / size
    ahead, behind = -np.inf, -np.inf
    for k in range(0, 9, 3):
        at = x * (p[k] - p[0]) + y * (p[k + 1] - p[1]) + z * (p[k + 2] - p[2])
        step = x * (flow[0] + flow[4] * p[k + 2] - flow[5] * p[k + 1])
        step += y * (flow[1] + flow[5] * p[k] - flow[3] * p[k + 2])
        step += z * (flow[2] + flow[3] * p[k + 1] - flow[4] * p[k])
        ahead, behind = max(ahead, at + step), max(behind, at - step)
    kept = np.inf
    for k in range(0, 9, 3):
        at = x * (q[k] - p[0]) + y * (q[k + 1] - p[1]) + z * (q[k + 2] - p[2])
        step = 0.0
        if both:
            step += x * (flow[6] + flow[10] * q[k + 2] - flow[11] * q[k + 1])
            step += y * (flow[7] + flow[11] * q[k] - flow[9] * q[k + 2])
            step += z * (flow[8] + flow[9] * q[k + 1] - flow[10] * q[k])
        kept = min(kept, at + step - ahead, at - step - behind)
    return float(kept)


@compiled
def _kept_at_best(
    p: Array, q: Array, e: Array, f: Array, flow: Array, both: bool, kept: float, enough: float, out: Array
) -> float:
    """What two triangles stay apart along the best axis, at least ``kept``; no axis more is tried once it is enough.

    The line between the nearest points (in ``out``) is the best axis but for its rounding, which long triangles that
    are close magnify; the normals of the faces (in ``e`` and ``f``) have none of that.
    """
    x, y, z = out[3] - out[0], out[4] - out[1], out[5] - out[2]
    kept = max(kept, _kept(p, q, flow, both, x, y, z))
    if kept < enough:
        side = math.copysign(1.0, x * e[9] + y * e[10] + z * e[11])
        kept = max(kept, _kept(p, q, flow, both, side * e[9], side * e[10], side * e[11]))
        side = math.copysign(1.0, x * f[9] + y * f[10] + z * f[11])
        kept = max(kept, _kept(p, q, flow, both, side * f[9], side * f[10], side * f[11]))
    return float(kept)


@compiled
def goal_for(upper: float, tightness: float) -> float:
    """The bound to aim at when the least clearance met is ``upper``; below 0 the tightness is chosen by its size.

    Just above a near miss the bound of one is good enough, so that the goal never falls as the clearance grows.
    """
    if not math.isfinite(upper):
        return 0.0
    least = max(upper, 0.0)
    if tightness >= 0.0:
        return tightness * least
    return _TIGHT * least if least <= _NEAR_MISS else max(_TIGHT * _NEAR_MISS, _LOOSE * least)


@compiled
def cap_for(aim: Array, margin: float, offset: float, aside: bool) -> float:
    return margin + offset if aside else max(margin, goal_for(aim[LEAST_MET], aim[TIGHTNESS])) + offset


@compiled
def swept_apart(
    mesh: Any, ra: int, rb: int, rel: Array, flow: Array, both: bool, rest: float, aim: Array, margin: float,
    offset: float, aside: bool, tools: Any, out: Array,
) -> bool:  # fmt: skip
    """Whether two meshes stay as far apart as is aimed at, all along their steps.

    Yes leaves in ``out[6]`` what they stay apart. No leaves the distance at the middle of two triangles that may come
    too near, and in ``out[7]`` by what part of the steps they would not. ``aim`` holds the least clearance met.
    """
    box, link, tris, kind = mesh
    size, p, q, e, f, stack, gaps, _ = tools
    for x in range(9):
        size[x] = abs(rel[x])
    cap = cap_for(aim, margin, offset, aside)
    need = (cap + rest) * (cap + rest)
    least = np.inf
    gap = swept_gap2(box, ra, rb, rel, size, flow, both)
    if gap >= need:
        out[6] = math.sqrt(gap) - rest
        return True
    stack[0, 0], stack[0, 1] = ra, rb
    gaps[0] = gap
    top = 1
    while top > 0:
        top -= 1
        if gaps[top] >= need:
            least = min(least, gaps[top])
            continue
        a, b = stack[top, 0], stack[top, 1]
        leaf_a, leaf_b = link[a, 0] < 0, link[b, 0] < 0
        if leaf_a and leaf_b:
            one, other = -1 - link[a, 0], -1 - link[b, 0]
            for x in range(9):
                p[x] = tris[one, x]
            bring(tris, other, rel, q)
            far = math.sqrt(_farthest(p, flow, 0))
            if both:
                far += math.sqrt(_farthest(q, flow, 6))
            reach = (cap + rest + far) * (cap + rest + far)
            d2 = triangle_gap2(p, q, kind[one] >= THIN, kind[other] >= THIN, e, f, reach, out)
            if d2 >= reach:
                least = min(least, need)
                continue
            d = math.sqrt(d2)
            if not aside and d - offset < aim[LEAST_MET]:
                aim[LEAST_MET] = d - offset
                cap = cap_for(aim, margin, offset, aside)
                need = (cap + rest) * (cap + rest)
            kept = d - far
            if d > 0.0 and kept < cap + rest:
                kept = _kept_at_best(p, q, e, f, flow, both, kept, cap + rest, out)
            if kept < cap + rest:
                out[6] = d
                out[7] = (d - cap) / (d - kept + rest) if d > cap else 1.0
                return False
            least = min(least, kept * kept)
            continue
        wide_a = max(box[a, 3], box[a, 4], box[a, 5])
        wide_b = max(box[b, 3], box[b, 4], box[b, 5])
        if leaf_b or (not leaf_a and wide_a >= wide_b):
            a0, b0, a1, b1 = link[a, 0], b, link[a, 1], b
        else:
            a0, b0, a1, b1 = a, link[b, 0], a, link[b, 1]
        g0 = swept_gap2(box, a0, b0, rel, size, flow, both)
        g1 = swept_gap2(box, a1, b1, rel, size, flow, both)
        if g0 < g1:
            a0, b0, g0, a1, b1, g1 = a1, b1, g1, a0, b0, g0
        if g0 < need:
            stack[top, 0], stack[top, 1], gaps[top] = a0, b0, g0
            top += 1
        else:
            least = min(least, g0)
        if g1 < need:
            stack[top, 0], stack[top, 1], gaps[top] = a1, b1, g1
            top += 1
        else:
            least = min(least, g1)
    out[6] = math.sqrt(least) - rest
    return True
