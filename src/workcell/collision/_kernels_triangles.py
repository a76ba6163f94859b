"""Compiled tests of two triangles: do they touch, and how far apart are they."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import TOUCH

Array = NDArray[np.float64]

THIN = 2
"""Marks, in the kinds of triangles, those a thousand times as long as wide; 1 is added for closed shells."""


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
def triangle_gap2(p: Array, q: Array, thin: bool, thin_q: bool, e: Array, f: Array, best: float, out: Array) -> float:
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
def triangles_touch(p: Array, q: Array, thin: bool, thin_q: bool, e: Array, f: Array, out: Array) -> bool:
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
    return triangle_gap2(p, q, thin, thin_q, e, f, 4.0 * TOUCH * TOUCH, out) <= TOUCH * TOUCH


@compiled
def bring(tris: Array, t: int, rel: Array, out: Array) -> None:
    """A triangle of the second mesh in the frame of the first."""
    for k in range(0, 9, 3):
        x, y, z = tris[t, k], tris[t, k + 1], tris[t, k + 2]
        for i in range(3):
            out[k + i] = rel[3 * i] * x + rel[3 * i + 1] * y + rel[3 * i + 2] * z + rel[9 + i]
