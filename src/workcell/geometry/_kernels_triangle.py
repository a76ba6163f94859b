"""Compiled distances of points and triangles."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]


@compiled
def corner_weights(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float
) -> Any:
    """Return the weights of three corners whose mean is the point of their triangle next to the origin.

    Weights are exactly 0 where that point lies on an edge or is a corner. Ericson 2005, 5.1.5.
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    d1, d2 = -(ux * ax + uy * ay + uz * az), -(vx * ax + vy * ay + vz * az)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -(ux * bx + uy * by + uz * bz), -(vx * bx + vy * by + vz * bz)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3) if d1 > d3 else 0.0
        return 1.0 - t, t, 0.0
    d5, d6 = -(ux * cx + uy * cy + uz * cz), -(vx * cx + vy * cy + vz * cz)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6) if d2 > d6 else 0.0
        return 1.0 - t, 0.0, t
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        both = (d4 - d3) + (d5 - d6)
        t = (d4 - d3) / both if both > 0.0 else 0.0
        return 0.0, 1.0 - t, t
    whole = va + vb + vc
    s, t = vb / whole, vc / whole
    return 1.0 - s - t, s, t


@compiled
def way_to_triangle(triangle: Array, x: float, y: float, z: float) -> Any:
    """Return the way from a point to the nearest one of a triangle (9,)."""
    ax, ay, az = triangle[0] - x, triangle[1] - y, triangle[2] - z
    bx, by, bz = triangle[3] - x, triangle[4] - y, triangle[5] - z
    cx, cy, cz = triangle[6] - x, triangle[7] - y, triangle[8] - z
    p, q, r = corner_weights(ax, ay, az, bx, by, bz, cx, cy, cz)
    return p * ax + q * bx + r * cx, p * ay + q * by + r * cy, p * az + q * bz + r * cz


@compiled
def triangle_distance2(triangle: Array, x: float, y: float, z: float) -> float:
    """Return the square of the distance between a point and a triangle (9,)."""
    u, v, w = way_to_triangle(triangle, x, y, z)
    return float(u * u + v * v + w * w)
