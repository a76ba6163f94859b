"""Clipping of triangles and segments against planes, in camera coordinates.

A plane is (a, b, c, d); it keeps the points with a·x + b·y + c·z + d ≥ 0. Triangles and segments that cross it are
cut, and each piece keeps the number of its triangle or segment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.pictures.camera import Lens

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


def frustum_planes(lens: Lens, half_width: float, half_height: float) -> Floats:
    """The planes (k, 4) that keep everything within this many pixels of the middle of the image.

    The first plane is the near one, if there is one.
    """
    f = lens.scale
    if lens.perspective:
        sides = [[f, 0, half_width, 0], [-f, 0, half_width, 0], [0, f, half_height, 0], [0, -f, half_height, 0]]
        return np.array([[0, 0, 1, -lens.near], *sides], dtype=np.float64)
    sides = [[f, 0, 0, half_width], [-f, 0, 0, half_width], [0, f, 0, half_height], [0, -f, 0, half_height]]
    near = [[0, 0, 1, -lens.near]] if np.isfinite(lens.near) else []
    return np.array([*near, *sides], dtype=np.float64)


def clip_triangles(corners: Floats, planes: Floats) -> tuple[Floats, Ints]:
    """Cut triangles by planes (Sutherland and Hodgman, for all of them at once).

    Args:
        corners: (m, 3, 3) triangle corners in camera coordinates [m].
        planes: (k, 4) planes that keep their positive side.

    Returns:
        (p, 3, 3) pieces, wound like their parents, and (p,) the triangle of each.
    """
    polygon = np.asarray(corners, dtype=np.float64)
    count = np.full(len(polygon), 3)
    parent = np.arange(len(polygon), dtype=np.int32)
    for plane in np.asarray(planes, dtype=np.float64):
        if not len(polygon):
            break
        polygon, count = _cut(polygon, count, plane)
        alive = count >= 3
        polygon, count, parent = polygon[alive], count[alive], parent[alive]
    pieces, parents = [np.empty((0, 3, 3))], [np.empty(0, dtype=np.int32)]
    for k in range(2, polygon.shape[1]):
        has = count > k
        pieces.append(polygon[has][:, [0, k - 1, k]])
        parents.append(parent[has])
    return np.concatenate(pieces), np.concatenate(parents)


def _cut(polygon: Floats, count: NDArray[np.int64], plane: Floats) -> tuple[Floats, NDArray[np.int64]]:
    m, size = polygon.shape[:2]
    rows = np.arange(m)
    height = polygon @ plane[:3] + plane[3]
    out = np.zeros((m, size + 1, 3))
    filled = np.zeros(m, dtype=np.int64)
    for i in range(size):
        live = i < count
        j = np.where(i + 1 < count, i + 1, 0)
        p, q = polygon[:, i], polygon[rows, j]
        hp, hq = height[:, i], height[rows, j]
        keep = live & (hp >= 0.0)
        out[rows[keep], filled[keep]] = p[keep]
        filled += keep
        cross = live & ((hp >= 0.0) != (hq >= 0.0))
        out[rows[cross], filled[cross]] = _meet(p[cross], q[cross], hp[cross], hq[cross])
        filled += cross
    return out, filled


def _meet(p: Floats, q: Floats, hp: Floats, hq: Floats) -> Floats:
    # From the kept end, so that an edge of two triangles, traversed both ways, is cut at the same point.
    swap = (hp < 0.0)[:, None]
    p, q = np.where(swap, q, p), np.where(swap, p, q)
    inside, outside = np.maximum(hp, hq), np.minimum(hp, hq)
    return np.asarray(p + (q - p) * (inside / (inside - outside))[:, None])


def clip_segments(ends: Floats, planes: Floats) -> tuple[Floats, Ints]:
    """Cut segments by planes (Liang and Barsky).

    Args:
        ends: (m, 2, 3) end points in camera coordinates [m].
        planes: (k, 4) planes that keep their positive side.

    Returns:
        (p, 2, 3) the remaining parts of the segments, and (p,) the segment of each.
    """
    ends = np.asarray(ends, dtype=np.float64)
    start, stop = np.zeros(len(ends)), np.ones(len(ends))
    for plane in np.asarray(planes, dtype=np.float64):
        height = ends @ plane[:3] + plane[3]
        h0, h1 = height[:, 0], height[:, 1]
        fall = h0 - h1
        at = np.divide(h0, fall, out=np.zeros_like(fall), where=fall != 0.0)
        start = np.where((h0 < 0.0) & (h1 >= 0.0), np.maximum(start, at), start)
        stop = np.where((h0 >= 0.0) & (h1 < 0.0), np.minimum(stop, at), stop)
        stop = np.where((h0 < 0.0) & (h1 < 0.0), -1.0, stop)
    left = np.nonzero(start <= stop)[0]
    run = ends[left, 1] - ends[left, 0]
    cut = np.stack([ends[left, 0] + run * start[left, None], ends[left, 0] + run * stop[left, None]], axis=1)
    return cut, left.astype(np.int32)
