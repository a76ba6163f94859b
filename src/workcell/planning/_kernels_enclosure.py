"""Compiled cells of space that a ball cannot be in, and those that it can get to from one of them."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.geometry._kernels_triangle import triangle_distance2

Array = NDArray[np.float64]
Marks = NDArray[np.uint8]
Ints = NDArray[np.int64]


@compiled
def block(triangles: Array, low: Array, size: float, within: float, blocked: Marks) -> None:
    """Mark the cells ``blocked (x, y, z)`` whose middle is nearer than ``within`` to a triangle (m, 9)."""
    point = np.empty(3)
    first, last = np.empty(3, np.int64), np.empty(3, np.int64)
    for t in range(triangles.shape[0]):
        tri = triangles[t]
        empty = False
        for k in range(3):
            least = min(tri[k], tri[3 + k], tri[6 + k]) - within
            most = max(tri[k], tri[3 + k], tri[6 + k]) + within
            first[k] = max(int(np.floor((least - low[k]) / size)), 0)
            last[k] = min(int(np.ceil((most - low[k]) / size)), blocked.shape[k])
            empty = empty or first[k] >= last[k]
        if empty:
            continue
        for i in range(first[0], last[0]):
            point[0] = low[0] + (i + 0.5) * size
            for j in range(first[1], last[1]):
                point[1] = low[1] + (j + 0.5) * size
                for k in range(first[2], last[2]):
                    if blocked[i, j, k]:
                        continue
                    point[2] = low[2] + (k + 0.5) * size
                    if triangle_distance2(tri, point[0], point[1], point[2]) < within * within:
                        blocked[i, j, k] = 1


@compiled
def least_distance2(p: Array, triangles: Array) -> float:
    """Return the square of the distance between a point and the nearest of some triangles (m, 9)."""
    best = np.inf
    for t in range(triangles.shape[0]):
        best = min(best, triangle_distance2(triangles[t], p[0], p[1], p[2]))
    return best


@compiled
def flood(blocked: Marks, starts: Ints) -> None:
    """Mark with 2 all cells that are joined to the starts (s, 3) over sides, edges and corners of cells not marked."""
    nx, ny, nz = blocked.shape
    stack = np.empty(nx * ny * nz, np.int64)
    count = 0
    for s in range(starts.shape[0]):
        i, j, k = starts[s]
        if blocked[i, j, k] == 0:
            blocked[i, j, k] = 2
            stack[count] = (i * ny + j) * nz + k
            count += 1
    while count > 0:
        count -= 1
        place = stack[count]
        k = place % nz
        j = (place // nz) % ny
        i = place // (nz * ny)
        for a in range(max(i - 1, 0), min(i + 2, nx)):
            for b in range(max(j - 1, 0), min(j + 2, ny)):
                for c in range(max(k - 1, 0), min(k + 2, nz)):
                    if blocked[a, b, c] == 0:
                        blocked[a, b, c] = 2
                        stack[count] = (a * ny + b) * nz + c
                        count += 1
