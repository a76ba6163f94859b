"""Compiled tests of two boxes: are they apart, and by at least how much."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]

TOUCH = 1e-9
"""Surfaces nearer than this touch [m]; rounding of poses and vertices stays below it."""


@compiled
def box_gap2(box: Array, a: int, b: int, rel: Array, size: Array) -> float:
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
def faces_apart(box: Array, a: int, b: int, rel: Array, size: Array) -> bool:
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
def boxes_apart(box: Array, a: int, b: int, rel: Array, size: Array) -> bool:
    """Whether two nodes are more than TOUCH apart along one of their 15 axes."""
    if faces_apart(box, a, b, rel, size):
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
def centres2(box: Array, a: int, b: int, rel: Array) -> float:
    """The squared distance of the centres of two nodes."""
    ox, oy, oz = box[b, 0], box[b, 1], box[b, 2]
    x = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - box[a, 0]
    y = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - box[a, 1]
    z = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - box[a, 2]
    return float(x * x + y * y + z * z)
