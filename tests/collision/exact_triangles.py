"""The distance of two triangles in whole numbers, and triangles made to be hard: an oracle that never rounds."""

from __future__ import annotations

import math

import numpy as np

_NONE = float("inf")


def _minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _point_edge(x, a, b):
    """The squared distance of a point from a segment; Python divides whole numbers to the nearest float."""
    e, r = _minus(b, a), _minus(x, a)
    along, size = _dot(r, e), _dot(e, e)
    if along <= 0 or size == 0:
        return _dot(r, r)
    if along >= size:
        s = _minus(x, b)
        return _dot(s, s)
    return (_dot(r, r) * size - along * along) / size


def _edge_edge(a, b, c, d):
    """The squared distance of two segments where their insides are nearest; no number elsewhere."""
    e, f, r = _minus(b, a), _minus(d, c), _minus(c, a)
    n = _cross(e, f)
    nn = _dot(n, n)
    if nn == 0 or not 0 <= _dot(_cross(r, f), n) <= nn or not 0 <= _dot(_cross(r, e), n) <= nn:
        return _NONE
    height = _dot(r, n)
    return (height * height) / nn


def _over(t, n, x, scale):
    """Whether a point, ``scale`` times too large, lies over the inside of a triangle."""
    for i in range(3):
        a = tuple(scale * c for c in t[i])
        if _dot(_cross(_minus(t[(i + 1) % 3], t[i]), _minus(x, a)), n) < 0:
            return False
    return True


def _faces(t, other):
    """The least squared distance of the corners of ``other`` from the inside of a triangle; 0 where an edge crosses it."""
    n = _cross(_minus(t[1], t[0]), _minus(t[2], t[0]))
    nn = _dot(n, n)
    if nn == 0:
        return _NONE
    h = [_dot(n, _minus(x, t[0])) for x in other]
    best = _NONE
    for i in range(3):
        if _over(t, n, other[i], 1):
            best = min(best, h[i] * h[i] / nn)
        j = (i + 1) % 3
        if h[i] * h[j] < 0:
            # Where the edge meets the plane, times the difference of the heights.
            u, v = (abs(h[i]), abs(h[j]))
            x = tuple(v * a + u * b for a, b in zip(other[i], other[j], strict=True))
            if _over(t, n, x, u + v):
                return 0.0
    return best


def exact_gap(p, q) -> float:
    """The distance of two triangles (9,) each, to one rounding."""
    shift = 1074
    lowest = min((math.frexp(x)[1] for x in (*p, *q) if x), default=0)
    shift = 53 - lowest
    whole = [int(math.ldexp(x, shift)) if shift < 900 else int(x * 2**shift) for x in (*p, *q)]
    a = [tuple(whole[k : k + 3]) for k in (0, 3, 6)]
    b = [tuple(whole[k : k + 3]) for k in (9, 12, 15)]
    best = min(_faces(a, b), _faces(b, a))
    if best == 0.0:
        return 0.0
    for i in range(3):
        for j in range(3):
            best = min(
                best,
                _edge_edge(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]),
                _point_edge(a[i], b[j], b[(j + 1) % 3]),
                _point_edge(b[j], a[i], a[(i + 1) % 3]),
            )
    return math.ldexp(math.sqrt(best), -shift) if best < 1e300 else math.sqrt(best * 2.0 ** (-2 * shift))


def _turned(rng, *triangles):
    """Triangles in a common frame that is turned and, at times, far away."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0] if rng.integers(4) else np.eye(3)
    o = rng.normal(size=3) * 10.0 ** rng.uniform(-3, 4) if rng.integers(3) == 0 else np.zeros(3)
    return tuple((t.reshape(3, 3) @ R.T + o).reshape(-1) for t in triangles)


def _size(rng, low, high):
    return 10.0 ** rng.uniform(low, high)


def hard_pair(rng):
    """Two triangles that are long, thin, nearly parallel, nearly touching, or several of these at once."""
    length = _size(rng, -3, 2)
    angle = _size(rng, -17, 0) if rng.integers(8) else 0.0
    dip = _size(rng, -13, -1) * rng.choice([-1.0, 1.0])
    wide = length * _size(rng, -11, 0.3)
    wide_q = length * _size(rng, -11, 0.3)
    s, t = rng.uniform(-0.2, 1.2, 2)
    e = np.array([length, 0.0, 0.0])
    f = length * _size(rng, -2, 0.5) * np.array([math.cos(angle), math.sin(angle), 0.0])
    start = s * e - t * f + np.array([0.0, 0.0, dip])
    kind = rng.integers(4)
    if kind == 0:
        # Two edges that cross at a small angle, the triangles to either side of them.
        tip, tip_q = rng.uniform(-0.5, 1.5, 2)
        slope, slope_q = rng.uniform(-2.0, 2.0, 2)
        p = [np.zeros(3), e, tip * e + wide * np.array([0.0, math.cos(slope), math.sin(slope)])]
        q = [start, start + f, start + tip_q * f + wide_q * np.array([0.0, math.cos(slope_q), math.sin(slope_q)])]
    elif kind == 1:
        # An edge that grazes a face at a small angle.
        p = [np.zeros(3), e, rng.uniform(-0.5, 1.5) * e + np.array([0.0, wide, 0.0])]
        middle = np.array([s * length, rng.uniform(-0.2, 1.2) * wide, dip])
        turn = rng.uniform(-math.pi, math.pi)
        way = length * np.array([math.cos(turn), math.sin(turn), angle])
        q = [
            middle - rng.uniform(0, 1.2) * way,
            middle + rng.uniform(0, 1.2) * way,
            middle + rng.normal(size=3) * wide_q,
        ]
    elif kind == 2:
        # A corner over a face or an edge.
        p = [np.zeros(3), e, rng.uniform(-0.5, 1.5) * e + np.array([0.0, wide, 0.0])]
        corner = np.array([s * length, rng.uniform(-0.2, 1.2) * wide, dip])
        q = [corner, *(corner + wide_q * rng.normal(size=(2, 3)) + np.array([0.0, 0.0, wide_q * np.sign(dip)]))]
    else:
        p, q = rng.normal(size=(2, 3, 3)) * length
        flat = rng.uniform(size=(3, 1))
        if rng.integers(2):
            q = p + rng.choice([0.0, 1.0], size=(3, 1)) * rng.normal(size=(3, 3)) * _size(rng, -14, 0)
        else:
            q[2] = q[0] + flat[0] * (q[1] - q[0]) + rng.normal(size=3) * wide_q
            q += (
                flat[1] * p[0] + (1 - flat[1]) * p[1] - flat[2] * q[0] - (1 - flat[2]) * q[1] + dip * rng.normal(size=3)
            )
    return _turned(rng, np.array(p).reshape(-1), np.array(q).reshape(-1))
