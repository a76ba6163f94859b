"""Compiled loops of the collision room: triangles, trees of boxes, poses of bodies, many states, many intervals.

Conventions: a pose is 12 numbers, the rotation row by row and then the translation. A tree node is a box
(centre, half sizes) in the frame of its mesh; its links are its two children, or (−1 − triangle, 0) for a leaf.
Every tuple is unpacked in the order in which :mod:`workcell.collision.arrangement` packs it.
"""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

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
    TIGHTNESS,
    TOLERANCE,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]

compiled = numba.njit(cache=True, nogil=True, error_model="numpy")

TOUCH = 1e-9
"""Surfaces nearer than this touch [m]; rounding of poses and vertices stays below it."""
THIN = 2
"""Marks, in the kinds of triangles, those a thousand times as long as wide; 1 is added for closed shells."""
_STACK = 512
_ALL = 1 << 60
_TIGHT, _LOOSE, _NEAR_MISS = 0.9, 0.5, 2e-3
_DIRECTIONS = np.array(
    [
        [0.57190958, 0.52753472, 0.62817633],
        [-0.70710001, 0.40824893, 0.57735456],
        [0.23570226, -0.84327404, 0.48304589],
        [-0.31622777, -0.27386128, -0.90829511],
        [0.11043153, 0.86602540, -0.48766202],
    ]
)


# ---- poses --------------------------------------------------------------------------------------------


@compiled
def _compose(a: Array, b: Array, out: Array) -> None:
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]
        out[9 + i] = a[3 * i] * b[9] + a[3 * i + 1] * b[10] + a[3 * i + 2] * b[11] + a[9 + i]


@compiled
def _relative(poses: Array, a: int, b: int, out: Array) -> None:
    """The pose of frame b in frame a."""
    x, y, z = poses[b, 9] - poses[a, 9], poses[b, 10] - poses[a, 10], poses[b, 11] - poses[a, 11]
    for i in range(3):
        u, v, w = poses[a, i], poses[a, 3 + i], poses[a, 6 + i]
        for j in range(3):
            out[3 * i + j] = u * poses[b, j] + v * poses[b, 3 + j] + w * poses[b, 6 + j]
        out[9 + i] = u * x + v * y + w * z


@compiled
def _frames(frames: Any, which: Ints, q: Array, free: Array, poses: Array) -> None:
    """Fill the poses of the listed frames, parents first."""
    parent, kind, column, joint, after = frames
    local = np.empty(12)
    for k in range(which.shape[0]):
        f = which[k]
        if kind[f] == 3:
            for x in range(12):
                local[x] = free[column[f], x]
        elif kind[f] == 0:
            for x in range(12):
                local[x] = after[f, x]
        else:
            turn, shift = joint[f, 0], joint[f, 1]
            if kind[f] == 1:
                turn += q[column[f]]
            else:
                shift += q[column[f]]
            c, s = math.cos(turn), math.sin(turn)
            m = after[f]
            for j in range(3):
                local[j] = c * m[j] - s * m[3 + j]
                local[3 + j] = s * m[j] + c * m[3 + j]
                local[6 + j] = m[6 + j]
            local[9] = c * m[9] - s * m[10]
            local[10] = s * m[9] + c * m[10]
            local[11] = m[11] + shift
        if parent[f] < 0:
            for x in range(12):
                poses[f, x] = local[x]
        else:
            _compose(poses[parent[f]], local, poses[f])


@compiled
def place(frames: Any, which: Ints, Q: Array, free: Array, poses: Array) -> None:
    """Poses (N, F, 12) of the listed frames for many joint values (N, n); the others stay as they are."""
    for row in range(Q.shape[0]):
        _frames(frames, which, Q[row], free[row if free.shape[0] > 1 else 0], poses[row])


# ---- boxes and triangles ------------------------------------------------------------------------------


@compiled
def _box_gap2(box: Array, a: int, b: int, rel: Array, size: Array) -> float:
    """A lower bound on the squared distance of two nodes; ``rel`` is b in a, ``size`` its absolute rotation."""
    ax, ay, az = box[a, 3], box[a, 4], box[a, 5]
    bx, by, bz = box[b, 3], box[b, 4], box[b, 5]
    ox, oy, oz = box[b, 0], box[b, 1], box[b, 2]
    cx = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - box[a, 0]
    cy = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - box[a, 1]
    cz = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - box[a, 2]
    sx = max(abs(cx) - ax - (size[0] * bx + size[1] * by + size[2] * bz), 0.0)
    sy = max(abs(cy) - ay - (size[3] * bx + size[4] * by + size[5] * bz), 0.0)
    sz = max(abs(cz) - az - (size[6] * bx + size[7] * by + size[8] * bz), 0.0)
    ux = max(abs(rel[0] * cx + rel[3] * cy + rel[6] * cz) - bx - (size[0] * ax + size[3] * ay + size[6] * az), 0.0)
    uy = max(abs(rel[1] * cx + rel[4] * cy + rel[7] * cz) - by - (size[1] * ax + size[4] * ay + size[7] * az), 0.0)
    uz = max(abs(rel[2] * cx + rel[5] * cy + rel[8] * cz) - bz - (size[2] * ax + size[5] * ay + size[8] * az), 0.0)
    return float(max(sx * sx + sy * sy + sz * sz, ux * ux + uy * uy + uz * uz))


@compiled
def _faces_apart(box: Array, a: int, b: int, rel: Array, size: Array) -> bool:
    """Whether two nodes are more than TOUCH apart along an axis of one of them."""
    ax, ay, az = box[a, 3] + TOUCH, box[a, 4] + TOUCH, box[a, 5] + TOUCH
    bx, by, bz = box[b, 3], box[b, 4], box[b, 5]
    ox, oy, oz = box[b, 0], box[b, 1], box[b, 2]
    cx = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - box[a, 0]
    if abs(cx) > ax + size[0] * bx + size[1] * by + size[2] * bz:
        return True
    cy = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - box[a, 1]
    if abs(cy) > ay + size[3] * bx + size[4] * by + size[5] * bz:
        return True
    cz = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - box[a, 2]
    if abs(cz) > az + size[6] * bx + size[7] * by + size[8] * bz:
        return True
    if abs(rel[0] * cx + rel[3] * cy + rel[6] * cz) > bx + size[0] * ax + size[3] * ay + size[6] * az:
        return True
    if abs(rel[1] * cx + rel[4] * cy + rel[7] * cz) > by + size[1] * ax + size[4] * ay + size[7] * az:
        return True
    return bool(abs(rel[2] * cx + rel[5] * cy + rel[8] * cz) > bz + size[2] * ax + size[5] * ay + size[8] * az)


@compiled
def _boxes_apart(box: Array, a: int, b: int, rel: Array, size: Array) -> bool:
    """Whether two nodes are more than TOUCH apart along one of their 15 axes."""
    if _faces_apart(box, a, b, rel, size):
        return True
    ax, ay, az = box[a, 3] + TOUCH, box[a, 4] + TOUCH, box[a, 5] + TOUCH
    bx, by, bz = box[b, 3], box[b, 4], box[b, 5]
    ox, oy, oz = box[b, 0], box[b, 1], box[b, 2]
    cx = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - box[a, 0]
    cy = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - box[a, 1]
    cz = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - box[a, 2]
    # The nine products of edges; where two edges are parallel the axis vanishes and separates nothing.
    bx, by, bz = bx + TOUCH, by + TOUCH, bz + TOUCH
    slack = 1e-12 + 1e-15 * (abs(cx) + abs(cy) + abs(cz) + ax + ay + az + bx + by + bz)
    for j in range(3):
        k, m = (j + 1) % 3, (j + 2) % 3
        bk = bx if k == 0 else (by if k == 1 else bz)
        bm = bx if m == 0 else (by if m == 1 else bz)
        s0, s1, s2 = size[j], size[3 + j], size[6 + j]
        r0, r1, r2 = rel[j], rel[3 + j], rel[6 + j]
        if abs(cz * r1 - cy * r2) > ay * s2 + az * s1 + bk * size[m] + bm * size[k] + slack:
            return True
        if abs(cx * r2 - cz * r0) > ax * s2 + az * s0 + bk * size[3 + m] + bm * size[3 + k] + slack:
            return True
        if abs(cy * r0 - cx * r1) > ax * s1 + ay * s0 + bk * size[6 + m] + bm * size[6 + k] + slack:
            return True
    return False


@compiled
def _apart(p: Array, q: Array, x: float, y: float, z: float) -> bool:
    """Whether two triangles are more than TOUCH apart along an axis of any length."""
    a0 = x * p[0] + y * p[1] + z * p[2]
    a1 = x * p[3] + y * p[4] + z * p[5]
    a2 = x * p[6] + y * p[7] + z * p[8]
    b0 = x * q[0] + y * q[1] + z * q[2]
    b1 = x * q[3] + y * q[4] + z * q[5]
    b2 = x * q[6] + y * q[7] + z * q[8]
    gap = max(min(b0, b1, b2) - max(a0, a1, a2), min(a0, a1, a2) - max(b0, b1, b2))
    return bool(gap > 0.0 and gap * gap > TOUCH * TOUCH * (x * x + y * y + z * z))


@compiled
def _edges(p: Array, e: Array) -> None:
    """Fill the three edge vectors of a triangle and its normal: 12 numbers."""
    for x in range(3):
        e[x] = p[3 + x] - p[x]
        e[3 + x] = p[6 + x] - p[3 + x]
        e[6 + x] = p[x] - p[6 + x]
    e[9] = e[1] * e[5] - e[2] * e[4]
    e[10] = e[2] * e[3] - e[0] * e[5]
    e[11] = e[0] * e[4] - e[1] * e[3]


@compiled
def _sum(a: float, b: float) -> tuple[float, float]:
    """A sum and what rounding took from it; Knuth 1969."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@compiled
def _product(a: float, b: float) -> tuple[float, float]:
    """A product and what rounding took from it; Dekker 1971."""
    p = a * b
    c, d = 134217729.0 * a, 134217729.0 * b
    a1, b1 = c - (c - a), d - (d - b)
    a2, b2 = a - a1, b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


@compiled
def _dot2(a: Array, b: Array, i: int, j: int, k: int, m: int, sign: float) -> tuple[float, float]:
    """a[i] b[j] + sign a[k] b[m] of numbers in two parts, high in the first row."""
    p, x = _product(a[0, i], b[0, j])
    q, y = _product(sign * a[0, k], b[0, m])
    x += a[0, i] * b[1, j] + a[1, i] * b[0, j]
    y += sign * (a[0, k] * b[1, m] + a[1, k] * b[0, m])
    s, z = _sum(p, q)
    return _sum(s, z + (x + y))


@compiled
def _exact_heights(p: Array, e: Array, q: Array, heights: Array) -> None:
    """Heights of the corners of q above the plane of p, times the normal, to twice the digits; p's normal likewise.

    The normal of a triangle that is a thousand times as long as it is wide has lost three digits and more.
    """
    u, v, n = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3))
    for x in range(3):
        u[0, x], u[1, x] = _sum(p[3 + x], -p[x])
        v[0, x], v[1, x] = _sum(p[6 + x], -p[x])
    for x in range(3):
        j, k = (x + 1) % 3, (x + 2) % 3
        n[0, x], n[1, x] = _dot2(u, v, j, k, k, j, -1.0)
        e[9 + x] = n[0, x]
    for i in range(3):
        for x in range(3):
            u[0, x], u[1, x] = _sum(q[3 * i + x], -p[x])
        high, low = _dot2(n, u, 0, 0, 1, 1, 1.0)
        last, rest = _product(n[0, 2], u[0, 2])
        rest += n[0, 2] * u[1, 2] + n[1, 2] * u[0, 2]
        high, more = _sum(high, last)
        heights[i] = high + (more + (low + rest))


@compiled
def _inside_triangle(p: Array, e: Array, x: float, y: float, z: float) -> bool:
    """Whether a point of the triangle's plane lies in the triangle."""
    for i in range(0, 9, 3):
        ax, ay, az = x - p[i], y - p[i + 1], z - p[i + 2]
        cx = e[i + 1] * az - e[i + 2] * ay
        cy = e[i + 2] * ax - e[i] * az
        cz = e[i] * ay - e[i + 1] * ax
        if cx * e[9] + cy * e[10] + cz * e[11] < 0.0:
            return False
    return True


@compiled
def _faces_to_corners(p: Array, e: Array, q: Array, thin: bool, best: float, out: Array, first: int) -> float:
    """Corners and edges of q against the face of p; ``first`` is where p's point goes in ``out``."""
    h0 = e[9] * (q[0] - p[0]) + e[10] * (q[1] - p[1]) + e[11] * (q[2] - p[2])
    h1 = e[9] * (q[3] - p[0]) + e[10] * (q[4] - p[1]) + e[11] * (q[5] - p[2])
    h2 = e[9] * (q[6] - p[0]) + e[10] * (q[7] - p[1]) + e[11] * (q[8] - p[2])
    if thin:
        heights = np.empty(3)
        _exact_heights(p, e, q, heights)
        h0, h1, h2 = heights[0], heights[1], heights[2]
    nn = e[9] * e[9] + e[10] * e[10] + e[11] * e[11]
    if nn <= 0.0:
        return best
    second = 3 - first
    if min(h0, h1, h2) < 0.0 < max(h0, h1, h2):
        for i in range(3):
            j = (i + 1) % 3
            hi = h0 if i == 0 else (h1 if i == 1 else h2)
            hj = h0 if j == 0 else (h1 if j == 1 else h2)
            if (hi < 0.0 < hj) or (hj < 0.0 < hi):
                s = hi / (hi - hj)
                x = q[3 * i] + s * (q[3 * j] - q[3 * i])
                y = q[3 * i + 1] + s * (q[3 * j + 1] - q[3 * i + 1])
                z = q[3 * i + 2] + s * (q[3 * j + 2] - q[3 * i + 2])
                if _inside_triangle(p, e, x, y, z):
                    out[0], out[1], out[2] = x, y, z
                    out[3], out[4], out[5] = x, y, z
                    return 0.0
    for i in range(3):
        h = h0 if i == 0 else (h1 if i == 1 else h2)
        d = h * h / nn
        if d < best:
            s = h / nn
            x, y, z = q[3 * i] - s * e[9], q[3 * i + 1] - s * e[10], q[3 * i + 2] - s * e[11]
            if _inside_triangle(p, e, x, y, z):
                best = d
                out[first], out[first + 1], out[first + 2] = x, y, z
                out[second], out[second + 1], out[second + 2] = q[3 * i], q[3 * i + 1], q[3 * i + 2]
    return best


@compiled
def _beyond(p: Array, e: Array, q: Array, best: float) -> bool:
    """Whether all corners of q lie on one side of the plane of p, at a squared distance of at least ``best``."""
    h0 = e[9] * (q[0] - p[0]) + e[10] * (q[1] - p[1]) + e[11] * (q[2] - p[2])
    h1 = e[9] * (q[3] - p[0]) + e[10] * (q[4] - p[1]) + e[11] * (q[5] - p[2])
    h2 = e[9] * (q[6] - p[0]) + e[10] * (q[7] - p[1]) + e[11] * (q[8] - p[2])
    low = max(min(h0, h1, h2), -max(h0, h1, h2))
    return bool(low > 0.0 and low * low >= best * (e[9] * e[9] + e[10] * e[10] + e[11] * e[11]))


@compiled
def _crossing(e: Array, f: Array, i: int, j: int, rx: float, ry: float, rz: float) -> float:
    """Where on edge i of e, from 0 to 1, the line of edge j of f comes nearest; r leads from the start of j to i's."""
    nx = e[i + 1] * f[j + 2] - e[i + 2] * f[j + 1]
    ny = e[i + 2] * f[j] - e[i] * f[j + 2]
    nz = e[i] * f[j + 1] - e[i + 1] * f[j]
    nn = nx * nx + ny * ny + nz * nz
    if nn <= 0.0:
        return 0.0
    x = ry * f[j + 2] - rz * f[j + 1]
    y = rz * f[j] - rx * f[j + 2]
    z = rx * f[j + 1] - ry * f[j]
    return float(min(max(-(x * nx + y * ny + z * nz) / nn, 0.0), 1.0))


@compiled
def _triangle_gap2(p: Array, q: Array, thin: bool, thin_q: bool, e: Array, f: Array, best: float, out: Array) -> float:
    """The squared distance of two triangles when it is below ``best``, their nearest points in ``out``.

    The distance is off by at most 1e-12 of the greatest coordinate of their corners. ``thin`` and ``thin_q`` mark
    triangles whose normals need more digits.
    """
    _edges(p, e)
    if not thin and _beyond(p, e, q, best):
        return best
    _edges(q, f)
    if not thin_q and _beyond(q, f, p, best):
        return best
    best = _faces_to_corners(p, e, q, thin, best, out, 0)
    if best == 0.0:
        return 0.0
    best = _faces_to_corners(q, f, p, thin_q, best, out, 3)
    if best == 0.0:
        return 0.0
    for i in range(0, 9, 3):
        a = e[i] * e[i] + e[i + 1] * e[i + 1] + e[i + 2] * e[i + 2]
        for j in range(0, 9, 3):
            # Nearest points of two segments; Ericson 2005, section 5.1.9.
            rx, ry, rz = p[i] - q[j], p[i + 1] - q[j + 1], p[i + 2] - q[j + 2]
            b = f[j] * f[j] + f[j + 1] * f[j + 1] + f[j + 2] * f[j + 2]
            g = f[j] * rx + f[j + 1] * ry + f[j + 2] * rz
            c = e[i] * rx + e[i + 1] * ry + e[i + 2] * rz
            s, t = 0.0, 0.0
            if a > 0.0 and b > 0.0:
                m = e[i] * f[j] + e[i + 1] * f[j + 1] + e[i + 2] * f[j + 2]
                denominator = a * b - m * m
                if denominator > 1e-4 * a * b:
                    s = min(max((m * g - c * b) / denominator, 0.0), 1.0)
                else:
                    # Nearly parallel: these differences have lost their digits, but cross products keep them. What s is
                    # still off by moves the point along a valley that rises no more than rounding does.
                    s = _crossing(e, f, i, j, rx, ry, rz)
                t = (m * s + g) / b
                if t < 0.0:
                    t = 0.0
                    s = min(max(-c / a, 0.0), 1.0)
                elif t > 1.0:
                    t = 1.0
                    s = min(max((m - c) / a, 0.0), 1.0)
            elif a > 0.0:
                s = min(max(-c / a, 0.0), 1.0)
            elif b > 0.0:
                t = min(max(g / b, 0.0), 1.0)
            x = rx + s * e[i] - t * f[j]
            y = ry + s * e[i + 1] - t * f[j + 1]
            z = rz + s * e[i + 2] - t * f[j + 2]
            d = x * x + y * y + z * z
            if d < best:
                best = d
                for k in range(3):
                    out[k] = p[i + k] + s * e[i + k]
                    out[3 + k] = q[j + k] + t * f[j + k]
    return best


@compiled
def _triangles_touch(p: Array, q: Array, thin: bool, thin_q: bool, e: Array, f: Array, out: Array) -> bool:
    """Whether two triangles come within TOUCH.

    Any axis that separates is proof that they do not. None of the 17 does, too, where edges are so nearly parallel that
    rounding turns the axis between them: then their distance decides.
    """
    _edges(p, e)
    if _apart(p, q, e[9], e[10], e[11]):
        return False
    _edges(q, f)
    if _apart(p, q, f[9], f[10], f[11]):
        return False
    for i in range(0, 9, 3):
        for j in range(0, 9, 3):
            x = e[i + 1] * f[j + 2] - e[i + 2] * f[j + 1]
            y = e[i + 2] * f[j] - e[i] * f[j + 2]
            z = e[i] * f[j + 1] - e[i + 1] * f[j]
            if _apart(p, q, x, y, z):
                return False
    for i in range(0, 9, 3):
        x = e[10] * e[i + 2] - e[11] * e[i + 1]
        y = e[11] * e[i] - e[9] * e[i + 2]
        z = e[9] * e[i + 1] - e[10] * e[i]
        if _apart(p, q, x, y, z):
            return False
        x = f[10] * f[i + 2] - f[11] * f[i + 1]
        y = f[11] * f[i] - f[9] * f[i + 2]
        z = f[9] * f[i + 1] - f[10] * f[i]
        if _apart(p, q, x, y, z):
            return False
    return _triangle_gap2(p, q, thin, thin_q, e, f, 4.0 * TOUCH * TOUCH, out) <= TOUCH * TOUCH


@compiled
def _bring(tris: Array, t: int, rel: Array, out: Array) -> None:
    """A triangle of the second mesh in the frame of the first."""
    for k in range(0, 9, 3):
        x, y, z = tris[t, k], tris[t, k + 1], tris[t, k + 2]
        for i in range(3):
            out[k + i] = rel[3 * i] * x + rel[3 * i + 1] * y + rel[3 * i + 2] * z + rel[9 + i]


@compiled
def _centres2(box: Array, a: int, b: int, rel: Array) -> float:
    """The squared distance of the centres of two nodes."""
    ox, oy, oz = box[b, 0], box[b, 1], box[b, 2]
    x = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - box[a, 0]
    y = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - box[a, 1]
    z = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - box[a, 2]
    return float(x * x + y * y + z * z)


# ---- two meshes ---------------------------------------------------------------------------------------


@compiled
def _meshes_touch(mesh: Any, ra: int, rb: int, rel: Array, tools: Any, hit: Ints, out: Array) -> bool:
    """Whether any two triangles come within TOUCH; ``hit`` receives them."""
    box, link, tris, kind = mesh
    size, p, q, e, f, stack, _ = tools
    for x in range(9):
        size[x] = abs(rel[x])
    if _boxes_apart(box, ra, rb, rel, size):
        return False
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
            _bring(tris, other, rel, q)
            if _triangles_touch(p, q, kind[one] >= THIN, kind[other] >= THIN, e, f, out):
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
        near0 = not _faces_apart(box, a0, b0, rel, size)
        near1 = not _faces_apart(box, a1, b1, rel, size)
        if near0 and near1 and _centres2(box, a0, b0, rel) < _centres2(box, a1, b1, rel):
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
def _mesh_gap(
    mesh: Any, ra: int, rb: int, rel: Array, cap: float, enough: float, effort: int, tools: Any, out: Array
) -> float:
    """The distance of two meshes when it is below ``cap``, else ``cap``; any distance ≤ ``enough`` ends the search.

    ``out`` receives the nearest points in the frame of the first mesh, and in its last two places the triangles they
    lie on. After ``effort`` steps the search is given up and −1 − a number returned that the distance is at least;
    ``out[6]`` is then one that it does not exceed, or the cap.
    """
    box, link, tris, kind = mesh
    size, p, q, e, f, stack, gaps = tools
    for x in range(9):
        size[x] = abs(rel[x])
    best = cap * cap
    floor = enough * enough
    gap = _box_gap2(box, ra, rb, rel, size)
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
            _bring(tris, other, rel, q)
            found = _triangle_gap2(p, q, kind[one] >= THIN, kind[other] >= THIN, e, f, best, out)
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
        g0 = _box_gap2(box, a0, b0, rel, size)
        g1 = _box_gap2(box, a1, b1, rel, size)
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
def _solid_angle(mesh: Any, root: int, x: float, y: float, z: float, stack: Any) -> bool:
    """Whether a point lies inside the closed shells of a mesh: the solid angles that they fill do not cancel."""
    _, link, tris, kind = mesh
    total = 0.0
    stack[0, 0] = root
    top = 1
    while top > 0:
        top -= 1
        node = stack[top, 0]
        if link[node, 0] >= 0:
            stack[top, 0] = link[node, 0]
            stack[top + 1, 0] = link[node, 1]
            top += 2
            continue
        which = -1 - link[node, 0]
        if kind[which] % THIN == 0:
            continue
        t = tris[which]
        # van Oosterom and Strackee 1983.
        ax, ay, az = t[0] - x, t[1] - y, t[2] - z
        bx, by, bz = t[3] - x, t[4] - y, t[5] - z
        cx, cy, cz = t[6] - x, t[7] - y, t[8] - z
        a = math.sqrt(ax * ax + ay * ay + az * az)
        b = math.sqrt(bx * bx + by * by + bz * bz)
        c = math.sqrt(cx * cx + cy * cy + cz * cz)
        triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        flat = a * b * c + (ax * bx + ay * by + az * bz) * c
        flat += (ax * cx + ay * cy + az * cz) * b + (bx * cx + by * cy + bz * cz) * a
        total += 2.0 * math.atan2(triple, flat)
    return abs(total) > 2.0 * math.pi


@compiled
def _winding(mesh: Any, root: int, x: float, y: float, z: float, stack: Any) -> bool:
    """Whether a point lies inside the closed shells of a mesh: signed crossings of a ray do not cancel.

    A ray that rounding could take to the other side of an edge is given up for another one, and in the end for solid
    angles.
    """
    box, link, tris, kind = mesh
    for attempt in range(_DIRECTIONS.shape[0]):
        dx, dy, dz = _DIRECTIONS[attempt, 0], _DIRECTIONS[attempt, 1], _DIRECTIONS[attempt, 2]
        turns = 0
        clear = True
        stack[0, 0] = root
        top = 1
        while top > 0 and clear:
            top -= 1
            node = stack[top, 0]
            b = box[node]
            near, far = -1e-9, np.inf
            for k in range(3):
                o = (x if k == 0 else (y if k == 1 else z)) - b[k]
                d = dx if k == 0 else (dy if k == 1 else dz)
                t0, t1 = (-b[3 + k] - 1e-9 - o) / d, (b[3 + k] + 1e-9 - o) / d
                near, far = max(near, min(t0, t1)), min(far, max(t0, t1))
            if near > far:
                continue
            if link[node, 0] >= 0:
                stack[top, 0] = link[node, 0]
                stack[top + 1, 0] = link[node, 1]
                top += 2
                continue
            which = -1 - link[node, 0]
            if kind[which] % THIN == 0:
                continue
            t = tris[which]
            # Ray against triangle; Möller and Trumbore 1997.
            ax, ay, az = t[3] - t[0], t[4] - t[1], t[5] - t[2]
            bx, by, bz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
            px, py, pz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
            det = ax * px + ay * py + az * pz
            sx, sy, sz = x - t[0], y - t[1], z - t[2]
            qx, qy, qz = sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax
            u = sx * px + sy * py + sz * pz
            v = dx * qx + dy * qy + dz * qz
            s = bx * qx + by * qy + bz * qz
            if det < 0.0:
                u, v, s, side = -u, -v, -s, 1
            else:
                side = -1
            det = abs(det)
            a2, b2, s2 = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, sx * sx + sy * sy + sz * sz
            # What rounding may amount to, in u, v and det; in s it is that times the lengths.
            slack = 2e-15 * math.sqrt(max(a2, b2) * (s2 + max(a2, b2)))
            if u < -slack or v < -slack or u + v > det + 3.0 * slack:
                continue
            rough = 2e-15 * math.sqrt(a2 * b2 * s2) + 1e-12 * det
            if s < -rough:
                continue
            if u < slack or v < slack or u + v > det - 3.0 * slack or s < rough:
                clear = False
            else:
                turns += side
        if clear:
            return turns != 0
    return _solid_angle(mesh, root, x, y, z, stack)


@compiled
def _swallowed(mesh: Any, seeds: Any, a: int, root: int, rel: Array, stack: Any, out: Array) -> bool:
    """Whether a shell of body ``a`` lies inside the mesh at ``root``, not touching it; ``rel`` is that mesh in a."""
    start, points = seeds
    box = mesh[0]
    for k in range(start[a], start[a + 1]):
        px, py, pz = points[k, 0] - rel[9], points[k, 1] - rel[10], points[k, 2] - rel[11]
        x = rel[0] * px + rel[3] * py + rel[6] * pz
        y = rel[1] * px + rel[4] * py + rel[7] * pz
        z = rel[2] * px + rel[5] * py + rel[8] * pz
        if abs(x - box[root, 0]) > box[root, 3]:
            continue
        if abs(y - box[root, 1]) > box[root, 4]:
            continue
        if abs(z - box[root, 2]) > box[root, 5]:
            continue
        if _winding(mesh, root, x, y, z, stack):
            for i in range(3):
                out[i] = points[k, i]
                out[3 + i] = points[k, i]
            return True
    return False


@compiled
def _tools() -> Any:
    return (
        np.empty(9),
        np.empty(9),
        np.empty(9),
        np.empty(12),
        np.empty(12),
        np.empty((_STACK, 2), dtype=np.int64),
        np.empty(_STACK),
    )


@compiled
def _pair_within(
    mesh: Any,
    roots: Ints,
    seeds: Any,
    a: int,
    b: int,
    rel: Array,
    back: Array,
    margin: float,
    tools: Any,
    hit: Ints,
    out: Array,
) -> int:
    """0: the bodies are more than ``margin`` apart; 1: surfaces within it; 2: one inside the other."""
    ra, rb = roots[a], roots[b]
    if margin <= TOUCH:
        if _meshes_touch(mesh, ra, rb, rel, tools, hit, out):
            return 1
    elif _mesh_gap(mesh, ra, rb, rel, margin * (1.0 + 1e-12) + TOUCH, margin, _ALL, tools, out) <= margin:
        return 1
    # Being inside means that the boxes overlap, so most pairs never come to the rays.
    if _box_gap2(mesh[0], ra, rb, rel, tools[0]) > 0.0:
        return 0
    if _swallowed(mesh, seeds, a, rb, rel, tools[5], out):
        return 2
    _inverse(rel, back)
    if _swallowed(mesh, seeds, b, ra, back, tools[5], out):
        return 2
    return 0


@compiled
def _inverse(a: Array, out: Array) -> None:
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * j + i]
        out[9 + i] = -(a[i] * a[9] + a[3 + i] * a[10] + a[6 + i] * a[11])


# ---- one state, many states ---------------------------------------------------------------------------


@compiled
def _state_contacts(
    mesh: Any, bodies: Any, still: Any, moving: Any, reach: float, q: Array, poses: Array, limit: int, tools: Any,
    small: Any, found: Ints,
) -> int:  # fmt: skip
    """The pairs of one state that are too near, at most ``limit``: (body, body, kind) in ``found``."""
    roots, frame, start, points = bodies
    seeds = (start, points)
    node_box, node_link, names = still
    order, margins, first, second, between, dims, columns, least, scale, counts, start_of, proved = moving
    rel, back, hit, out, stack = small
    box = mesh[0]
    count = 0
    for k in range(order.shape[0]):
        a = order[k]
        if node_link.shape[0] == 0:
            break
        X = poses[frame[a]]
        b = box[roots[a]]
        cx = X[0] * b[0] + X[1] * b[1] + X[2] * b[2] + X[9]
        cy = X[3] * b[0] + X[4] * b[1] + X[5] * b[2] + X[10]
        cz = X[6] * b[0] + X[7] * b[1] + X[8] * b[2] + X[11]
        hx = abs(X[0]) * b[3] + abs(X[1]) * b[4] + abs(X[2]) * b[5] + reach
        hy = abs(X[3]) * b[3] + abs(X[4]) * b[4] + abs(X[5]) * b[5] + reach
        hz = abs(X[6]) * b[3] + abs(X[7]) * b[4] + abs(X[8]) * b[5] + reach
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            n = node_box[node]
            if abs(cx - n[0]) > hx + n[3] or abs(cy - n[1]) > hy + n[4] or abs(cz - n[2]) > hz + n[5]:
                continue
            if node_link[node, 0] >= 0:
                stack[top] = node_link[node, 1]
                stack[top + 1] = node_link[node, 0]
                top += 2
                continue
            place_of = -1 - node_link[node, 0]
            margin = margins[k, place_of]
            if margin < 0.0:
                continue
            other = names[place_of]
            _relative(poses, frame[a], frame[other], rel)
            kind = _pair_within(mesh, roots, seeds, a, other, rel, back, margin, tools, hit, out)
            if kind:
                if count < found.shape[0]:
                    found[count, 0], found[count, 1], found[count, 2] = a, other, kind
                count += 1
                if count >= limit:
                    return count
    for k in range(first.shape[0]):
        if dims[k] > 0:
            # The joints between the two bodies lie in a cell that is proved free: see selfcells.
            cell = 0
            for x in range(dims[k]):
                place_of = math.floor((q[columns[k, x]] - least[k, x]) * scale[k, x])
                if place_of < 0 or place_of >= counts[k, x]:
                    cell = -1
                    break
                cell = cell * counts[k, x] + place_of
            if cell >= 0 and proved[start_of[k] + cell]:
                continue
        a, other = first[k], second[k]
        _relative(poses, frame[a], frame[other], rel)
        kind = _pair_within(mesh, roots, seeds, a, other, rel, back, between[k], tools, hit, out)
        if kind:
            if count < found.shape[0]:
                found[count, 0], found[count, 1], found[count, 2] = a, other, kind
            count += 1
            if count >= limit:
                return count
    return count


@compiled
def _small() -> Any:
    return (
        np.empty(12),
        np.empty(12),
        np.empty(2, dtype=np.int32),
        np.empty(9),
        np.empty(_STACK, dtype=np.int64),
    )


@compiled
def contacts(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    still: Any,
    moving: Any,
    reach: float,
    Q: Array,
    free: Array,
    poses: Array,
    limit: int,
    counts: Ints,
    found: Ints,
) -> None:
    """Many states: how many pairs of each are too near (N,), and which (N, limit, 3), looked for up to ``limit``.

    ``poses`` holds the still frames and ends with those of the last state.
    """
    tools, small = _tools(), _small()
    for row in range(Q.shape[0]):
        _frames(frames, which, Q[row], free, poses)
        counts[row] = _state_contacts(
            mesh, bodies, still, moving, reach, Q[row], poses, limit, tools, small, found[row]
        )


@compiled
def pairs_within(
    mesh: Any, bodies: Any, poses: Array, first: Ints, second: Ints, margins: Array, kinds: Ints, hits: Ints
) -> None:
    """The kind of nearness of each listed pair at given poses, and the two triangles found."""
    roots, frame, start, points = bodies
    tools, small = _tools(), _small()
    rel, back, hit, out, _ = small
    for k in range(first.shape[0]):
        hit[0] = hit[1] = -1
        _relative(poses, frame[first[k]], frame[second[k]], rel)
        kinds[k] = _pair_within(
            mesh, roots, (start, points), first[k], second[k], rel, back, margins[k], tools, hit, out
        )
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
    _relative(both, 0, 1, rel)
    d = _mesh_gap(mesh, 0, second, rel, np.inf, 0.0, _ALL, _tools(), out)
    for i in range(3):
        here[i] = X_a[3 * i] * out[0] + X_a[3 * i + 1] * out[1] + X_a[3 * i + 2] * out[2] + X_a[9 + i]
        there[i] = X_a[3 * i] * out[3] + X_a[3 * i + 1] * out[4] + X_a[3 * i + 2] * out[5] + X_a[9 + i]
    return d


@compiled
def least_shift(mesh: Any, roots: Ints, seeds: Any, rel: Array, ways: Array, limit: float) -> tuple[float, int]:
    """By how little the second of two joined meshes is freed along one of the unit ways, and which one.

    Steps grow until the mesh is free and are then halved, to a tenth of a micrometre.
    """
    tools, small = _tools(), _small()
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
            if _pair_within(mesh, roots, seeds, 0, 1, moved, back, 0.0, tools, hit, out) == 0:
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
            if _pair_within(mesh, roots, seeds, 0, 1, moved, back, 0.0, tools, hit, out) == 0:
                free = tried
            else:
                kept = tried
        if free < best:
            best, which = free, k
    return best, which


# ---- least distance -----------------------------------------------------------------------------------


@compiled
def clearances(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    q: Array,
    free: Array,
    poses: Array,
    first: Ints,
    second: Ints,
    group: Ints,
    best: Array,
    winner: Ints,
    where: Array,
    effort: int,
) -> None:
    """For each group of pairs the least distance, the pair, and the two points in the frame of the first body.

    ``best`` comes in with a cap for each group. Pairs are taken in the order of the distance of their boxes, so
    that few of them come to triangles. With a limited ``effort`` for each pair the least distance is at most ``best``.
    """
    _frames(frames, which, q, free, poses)
    roots, frame, start, points = bodies
    seeds = (start, points)
    box = mesh[0]
    tools, small = _tools(), _small()
    rel, back, _, out, _ = small
    size = tools[0]
    count = first.shape[0]
    low = np.empty(count)
    for k in range(count):
        _relative(poses, frame[first[k]], frame[second[k]], rel)
        for x in range(9):
            size[x] = abs(rel[x])
        low[k] = math.sqrt(_box_gap2(box, roots[first[k]], roots[second[k]], rel, size))
    order = np.argsort(low)
    for place_of in range(count):
        k = order[place_of]
        g = group[k]
        if low[k] >= best[g] or best[g] <= 0.0:
            continue
        a, b = first[k], second[k]
        _relative(poses, frame[a], frame[b], rel)
        d = _mesh_gap(mesh, roots[a], roots[b], rel, best[g], 0.0, effort, tools, out)
        if d < 0.0:
            best[g] = min(best[g], out[6])
            winner[g] = k
            continue
        if d > 0.0 and low[k] == 0.0:
            keep = out.copy()
            _inverse(rel, back)
            if _swallowed(mesh, seeds, a, roots[b], rel, tools[5], out):
                d = 0.0
            elif _swallowed(mesh, seeds, b, roots[a], back, tools[5], out):
                d = 0.0
                for i in range(3):
                    keep[i] = rel[3 * i] * out[0] + rel[3 * i + 1] * out[1] + rel[3 * i + 2] * out[2] + rel[9 + i]
                for i in range(3):
                    out[i] = keep[i]
                    out[3 + i] = keep[i]
            else:
                for i in range(6):
                    out[i] = keep[i]
        if d < best[g]:
            best[g] = d
            winner[g] = k
            for i in range(6):
                where[g, i] = out[i]


@compiled
def least_rows(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    Q: Array,
    free: Array,
    poses: Array,
    first: Ints,
    second: Ints,
    within: float,
    only_least: bool,
    effort: int,
    best: Array,
    winner: Ints,
) -> None:
    """The least distance of every state (N,) and its pair; −1 where all pairs are at least ``within`` apart.

    The search of a state begins with the distance of the two triangles that were nearest in the one before. With
    ``only_least`` a state is looked at only as far as it may come nearer than all before it. With a limited ``effort``
    for each pair the least distances are at most ``best``. ``free`` has one row, or one for each state.
    """
    roots, frame, start, points = bodies
    seeds = (start, points)
    box, _, tris, kind = mesh
    tools, small = _tools(), _small()
    rel, back, _, out, _ = small
    size, p, q, e, f, _, _ = tools
    count = first.shape[0]
    low = np.empty(count)
    near = np.empty(count, dtype=np.int64)
    last, here, there = -1, 0, 0
    bar = within
    for row in range(Q.shape[0]):
        _frames(frames, which, Q[row], free[row if free.shape[0] > 1 else 0], poses)
        least, won = bar, -1
        if last >= 0:
            _relative(poses, frame[first[last]], frame[second[last]], rel)
            for x in range(9):
                p[x] = tris[here, x]
            _bring(tris, there, rel, q)
            thin, thin_q = kind[here] >= THIN, kind[there] >= THIN
            guess = math.sqrt(_triangle_gap2(p, q, thin, thin_q, e, f, np.inf, out))
            if guess < least:
                least, won = guess, last
        some = 0
        for k in range(count):
            _relative(poses, frame[first[k]], frame[second[k]], rel)
            for x in range(9):
                size[x] = abs(rel[x])
            gap2 = _box_gap2(box, roots[first[k]], roots[second[k]], rel, size)
            if gap2 < least * least:
                low[some], near[some] = math.sqrt(gap2), k
                some += 1
        order = np.argsort(low[:some])
        for place_of in range(some):
            k = near[order[place_of]]
            if low[order[place_of]] >= least or least <= 0.0:
                break
            a, b = first[k], second[k]
            _relative(poses, frame[a], frame[b], rel)
            d = _mesh_gap(mesh, roots[a], roots[b], rel, least, 0.0, effort, tools, out)
            if d < 0.0:
                d = out[6]
            if d < least:
                least, won, last, here, there = d, k, k, int(out[7]), int(out[8])
            if d > 0.0 and low[order[place_of]] == 0.0:
                _inverse(rel, back)
                if _swallowed(mesh, seeds, a, roots[b], rel, tools[5], out) or _swallowed(
                    mesh, seeds, b, roots[a], back, tools[5], out
                ):
                    least, won = 0.0, k
        best[row], winner[row] = least, won
        if only_least:
            bar = least


# ---- intervals of a motion ----------------------------------------------------------------------------


@compiled
def _arm(X: Array, body_box: Array, body: Array) -> float:
    """The greatest distance of a body's box from the z axis of a frame."""
    ax, ay, az = X[2], X[5], X[8]
    worst = 0.0
    for corner in range(8):
        bx = body_box[0] + (body_box[3] if corner & 1 else -body_box[3])
        by = body_box[1] + (body_box[4] if corner & 2 else -body_box[4])
        bz = body_box[2] + (body_box[5] if corner & 4 else -body_box[5])
        x = body[0] * bx + body[1] * by + body[2] * bz + body[9] - X[9]
        y = body[3] * bx + body[4] * by + body[5] * bz + body[10] - X[10]
        z = body[6] * bx + body[7] * by + body[8] * bz + body[11] - X[11]
        along = ax * x + ay * y + az * z
        worst = max(worst, x * x + y * y + z * z - along * along)
    return math.sqrt(max(worst, 0.0))


@compiled
def _stray(frames: Any, poses: Array, body_box: Array, f: int, stop: int, dq: Array, way: Array, turn: Array) -> float:
    """How far any point of a body on frame ``f`` can get from its place, seen from frame ``stop``.

    The joints are moved one after the other, the last one first: at each step the point turns about an axis that
    has not moved yet, at a distance of at most its distance at the middle plus what it has strayed already.
    """
    parent, kind, column, _, _ = frames
    own = poses[f]
    strayed = 0.0
    while f != stop and f >= 0:
        if kind[f] == 1:
            move = dq[column[f]]
            if move > 0.0:
                strayed += (_arm(poses[parent[f]], body_box, own) + strayed) * move
        elif kind[f] == 2:
            strayed += dq[column[f]]
        elif kind[f] == 3:
            X = poses[f]
            if turn[column[f]] > 0.0:
                far = 0.0
                for corner in range(8):
                    bx = body_box[0] + (body_box[3] if corner & 1 else -body_box[3])
                    by = body_box[1] + (body_box[4] if corner & 2 else -body_box[4])
                    bz = body_box[2] + (body_box[5] if corner & 4 else -body_box[5])
                    x = own[0] * bx + own[1] * by + own[2] * bz + own[9] - X[9]
                    y = own[3] * bx + own[4] * by + own[5] * bz + own[10] - X[10]
                    z = own[6] * bx + own[7] * by + own[8] * bz + own[11] - X[11]
                    far = max(far, x * x + y * y + z * z)
                strayed += (math.sqrt(far) + strayed) * turn[column[f]]
            strayed += way[column[f]]
        f = parent[f]
    return strayed


@compiled
def strays(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    poses: Array,
    Q: Array,
    dQ: Array,
    free: Array,
    ways: Array,
    turns: Array,
    places: Ints,
    worst: Array,
) -> None:
    """For each interval how far any point of the listed bodies gets from its place at the middle."""
    roots, frame, _, _ = bodies
    box = mesh[0]
    for row in range(Q.shape[0]):
        _frames(frames, which, Q[row], free[row], poses)
        worst[row] = 0.0
        for k in range(places.shape[0]):
            a = places[k]
            found = _stray(frames, poses, box[roots[a]], frame[a], -1, dQ[row], ways[row], turns[row])
            worst[row] = max(worst[row], found)


@compiled
def _twists(frames: Any, which: Ints, poses: Array, steps: Array, twist: Array) -> None:
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
def _rest(
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
def _field(X: Array, twist: Array, stop: int, poses_twist: Array, out: Array, at: int) -> float:
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
def _widen(rel: Array, flow: Array, both: bool) -> None:
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
def _swept_gap2(box: Array, a: int, b: int, rel: Array, size: Array, flow: Array, both: bool) -> float:
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
def _cap(aim: Array, margin: float, offset: float, aside: bool) -> float:
    return margin + offset if aside else max(margin, goal_for(aim[LEAST_MET], aim[TIGHTNESS])) + offset


@compiled
def _swept(
    mesh: Any, ra: int, rb: int, rel: Array, flow: Array, both: bool, rest: float, aim: Array, margin: float,
    offset: float, aside: bool, tools: Any, out: Array,
) -> bool:  # fmt: skip
    """Whether two meshes stay as far apart as is aimed at, all along their steps.

    Yes leaves in ``out[6]`` what they stay apart. No leaves the distance at the middle of two triangles that may come
    too near, and in ``out[7]`` by what part of the steps they would not. ``aim`` holds the least clearance met.
    """
    box, link, tris, kind = mesh
    size, p, q, e, f, stack, gaps = tools
    for x in range(9):
        size[x] = abs(rel[x])
    cap = _cap(aim, margin, offset, aside)
    need = (cap + rest) * (cap + rest)
    least = np.inf
    gap = _swept_gap2(box, ra, rb, rel, size, flow, both)
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
            _bring(tris, other, rel, q)
            far = math.sqrt(_farthest(p, flow, 0))
            if both:
                far += math.sqrt(_farthest(q, flow, 6))
            reach = (cap + rest + far) * (cap + rest + far)
            d2 = _triangle_gap2(p, q, kind[one] >= THIN, kind[other] >= THIN, e, f, reach, out)
            if d2 >= reach:
                least = min(least, need)
                continue
            d = math.sqrt(d2)
            if not aside and d - offset < aim[LEAST_MET]:
                aim[LEAST_MET] = d - offset
                cap = _cap(aim, margin, offset, aside)
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
        g0 = _swept_gap2(box, a0, b0, rel, size, flow, both)
        g1 = _swept_gap2(box, a1, b1, rel, size, flow, both)
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
    roots, frame, _, _ = bodies
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
def _apart_by_balls(
    box: Array, bodies: Any, frames: Any, poses: Array, twist: Array, row: Any, known: Any, stamp: int, a: int, b: int,
    stop: int,
) -> Any:  # fmt: skip
    """How far apart the balls of two bodies stay over an interval, the rest of the motion, and how far they stray.

    ``row`` is the interval's steps, deviations, ways and turns. ``known`` holds the balls and rests of bodies, the
    interval for which they were worked out, and which bodies move; see ``_known``.
    """
    steps, devs, ways, turns = row
    balls, rests, done_at, moves = known
    roots, frame, _, _ = bodies
    rest, stray = 0.0, 0.0
    for body in (a, b):
        if done_at[body] != stamp:
            done_at[body] = stamp
            _ball(poses[frame[body]], box[roots[body]], balls[body])
            if moves[body]:
                rests[body, 0], rests[body, 1] = _rest(
                    frames, poses, balls[body], frame[body], -1, steps, devs, ways, turns
                )
                balls[body, 4] = _going(twist[frame[body]], balls[body])
        if stop < 0:
            rest += rests[body, 0]
            stray += rests[body, 1]
        else:
            more = _rest(frames, poses, balls[body], frame[body], stop, steps, devs, ways, turns)
            rest += more[0]
            stray += more[1]
    x, y, z = balls[a, 0] - balls[b, 0], balls[a, 1] - balls[b, 1], balls[a, 2] - balls[b, 2]
    low = math.sqrt(x * x + y * y + z * z) - balls[a, 3] - balls[b, 3] - rest
    low -= balls[a, 4] + balls[b, 4] if stop < 0 else stray
    return low, rest, stray


@compiled
def _bounded(aim: Array, counts: Any, bound: float, time: float, pair: int) -> None:
    """Keep the bound of a pair where it is the least so far."""
    if bound < aim[BOUND]:
        aim[BOUND], aim[BOUND_TIME] = bound, time
        counts[BOUND_PAIR] = pair


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
        d = _mesh_gap(mesh, a, b, rel, d * (1.0 + 1e-9), touch, _ALL, tools, out)
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
    mesh: Any, bodies: Any, frames: Any, poses: Array, twist: Array, row: Any, known: Any, stamp: int, pair: int,
    pairs: Any, aim: Array, counts: Any, stuck: Array, start: float, span: float, flow: Array, tools: Any, small: Any,
) -> float:  # fmt: skip
    """By what part of the steps of an interval a pair would stay apart; below 0 if it needs no more cutting.

    Such a pair is proved free, or it is stuck.
    """
    first, second, stop, shift, margins, offset, left_out, _ = pairs
    roots, frame, _, _ = bodies
    rel, _, _, out, _ = small
    a, b = first[pair], second[pair]
    aside = left_out[pair] != 0
    low, rest, stray = _apart_by_balls(mesh[0], bodies, frames, poses, twist, row, known, stamp, a, b, stop[pair])
    if aside or low < _cap(aim, margins[pair], offset[pair], aside):
        _relative(poses, frame[a], frame[b], rel)
        for x in range(3):
            rel[9 + x] += shift[pair, x]
        _field(poses[frame[a]], twist[frame[a]], stop[pair], twist, flow, 0)
        both = _field(poses[frame[a]], twist[frame[b]], stop[pair], twist, flow, 6) > 0.0
        _widen(rel, flow, both)
        found = _swept(
            mesh, roots[a], roots[b], rel, flow, both, rest, aim, margins[pair], offset[pair], aside, tools, out
        )
        if not found:
            part = out[7]
            settled = _settled(
                mesh, roots[a], roots[b], pair, pairs, rel, stray, aim, counts, stuck, start, span, tools, out
            )
            return -1.0 if settled else float(part)
        low = out[6]
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
    which reason. What is to be cut further comes back (N, 3): stretch, interval, pair. ``pairs`` are both bodies, the
    frame that both hang on, by what the second is shifted in the frame of the first, margin, offset, 1 where a pair is
    left out of the bound, and how many more intervals are cut where a pair is nearer than can be proved, in search of
    a contact only.
    """
    begin, width, item_start, item_pair = stretches
    Q, steps, devs, free, ways, turns = motion
    tools, small, flow = _tools(), _small(), np.zeros(33)
    twist = np.zeros((poses.shape[0], 6))
    known = _known(bodies, frames)
    depth = _level_of(Q.shape[1]) - 1
    # The pairs that are open at each level, and the level at which each is worth another look.
    room = max(1, np.max(item_start[1:] - item_start[:-1]))
    lists = np.empty((depth + 2, room), dtype=np.int32)
    waits = np.zeros((depth + 2, room), dtype=np.int32)
    sizes = np.zeros(depth + 2, dtype=np.int64)
    stack = np.empty(2 * depth + 4, dtype=np.int64)
    opened, open_count, stamp = np.empty((64, 3), dtype=np.int32), 0, 0
    for r in range(begin.shape[0]):
        sizes[0] = item_start[r + 1] - item_start[r]
        for k in range(sizes[0]):
            lists[0, k] = item_pair[item_start[r] + k]
            waits[0, k] = 0
        stack[0], top = 1, 1
        while top > 0:
            top -= 1
            node = stack[top]
            level = _level_of(node)
            span = width[r] / (1 << level)
            start = begin[r] + span * (node - (1 << level))
            if start >= min(aim[CONTACT_TIME], aim[CUT_OFF]):
                continue
            stamp += 1
            placed = False
            sizes[level + 1] = 0
            row = (steps[r, node], devs[r, node], ways[r, node], turns[r, node])
            for k in range(sizes[level]):
                pair, wait = lists[level, k], waits[level, k]
                if wait <= level or level == depth:
                    if not placed:
                        placed = True
                        _frames(frames, which, Q[r, node], free[r, node], poses)
                        _twists(frames, which, poses, steps[r, node], twist)
                    counts[TESTS] += 1
                    if counts[TESTS] > counts[MOST_TESTS]:
                        _write(stuck[counts[STUCK]], start, start + span, pair, np.inf, 2.0)
                        counts[STUCK] += 1
                        return opened[:open_count]
                    part = _looked_at(
                        mesh, bodies, frames, poses, twist, row, known, stamp, pair, pairs, aim, counts, stuck, start,
                        span, flow, tools, small,
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


@compiled
def cells(
    mesh: Any,
    bodies: Any,
    frames: Any,
    which: Ints,
    poses: Array,
    Q: Array,
    half: Array,
    a: int,
    b: int,
    stop: int,
    margin: float,
    proved: Any,
) -> None:
    """For cells of joint values, of these half sizes, whether two bodies keep the margin all over: 1 when proved."""
    roots, frame, _, _ = bodies
    box = mesh[0]
    tools, small = _tools(), _small()
    rel, _, _, out, _ = small
    nothing = np.zeros(1)
    for row in range(Q.shape[0]):
        _frames(frames, which, Q[row], np.zeros((1, 12)), poses)
        stray = _stray(frames, poses, box[roots[a]], frame[a], stop, half, nothing, nothing)
        stray += _stray(frames, poses, box[roots[b]], frame[b], stop, half, nothing, nothing)
        _relative(poses, frame[a], frame[b], rel)
        cap = stray + margin
        proved[row] = _mesh_gap(mesh, roots[a], roots[b], rel, cap, cap * (1.0 - 1e-9), _ALL, tools, out) >= cap
