"""Triangles that close the holes of a mesh: loops of open edges, filled with the least area."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import Mesh

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_EDGES = 4000
"""The most edges around a hole that can be closed."""
_EXACT = 120
"""The most edges around a hole for which the least area is found; ear clipping fills a larger hole."""


def filled(mesh: Mesh) -> tuple[Ints, tuple[int, ...]]:
    """(k, 3) triangles that close the holes, and the number of edges around each hole."""
    found, holes = [np.empty((0, 3), dtype=np.int64)], []
    for loop in loops(mesh):
        if 3 <= len(loop) <= MOST_EDGES:
            corners = mesh.vertices[loop]
            local = _least(corners) if len(loop) <= _EXACT else _ears(corners)
            if local is not None:
                found.append(loop[local])
                holes.append(len(loop))
    return np.concatenate(found), tuple(holes)


def loops(mesh: Mesh) -> list[Ints]:
    """Closed loops of edges that belong to one triangle, each in the direction of the triangles that close it.

    Loops that touch in a corner are separated there. Edges at which more than two triangles meet are left out.
    """
    ends = np.concatenate([mesh.triangles[:, [k, (k + 1) % 3]] for k in range(3)]).astype(np.int64)
    key = ends.min(axis=1) * len(mesh.vertices) + ends.max(axis=1)
    _, index, times = np.unique(key, return_index=True, return_counts=True)
    lonely = ends[index[times == 1]]
    after: dict[int, list[int]] = {}
    for start, end in lonely[:, ::-1].tolist():
        after.setdefault(start, []).append(end)
    found = []
    for start in list(after):
        while after.get(start):
            walk, at = [start], {start: 0}
            while after.get(walk[-1]):
                step = after[walk[-1]].pop()
                if step in at:
                    place = at[step]
                    found.append(np.array(walk[place:], dtype=np.int64))
                    for gone in walk[place + 1 :]:
                        del at[gone]
                    walk = walk[: place + 1]
                else:
                    at[step] = len(walk)
                    walk.append(step)
    return found


def _least(corners: Floats) -> Ints | None:
    """The triangulation of a loop with the least area, by dynamic programming (Barequet and Sharir 1995)."""
    count = len(corners)
    cost = np.zeros((count, count))
    split = np.zeros((count, count), dtype=np.int64)
    for span in range(2, count):
        for start in range(count - span):
            end = start + span
            middle = np.arange(start + 1, end)
            area = np.linalg.norm(np.cross(corners[middle] - corners[start], corners[end] - corners[start]), axis=1)
            total = cost[start, middle] + cost[middle, end] + area
            best = int(np.argmin(total))
            cost[start, end], split[start, end] = total[best], middle[best]
    found, waiting = [], [(0, count - 1)]
    while waiting:
        start, end = waiting.pop()
        if end - start < 2:
            continue
        cut = int(split[start, end])
        found.append((start, cut, end))
        waiting += [(start, cut), (cut, end)]
    return np.array(found, dtype=np.int64)


def _ears(corners: Floats) -> Ints | None:
    """A loop filled by ear clipping in the plane that fits it best; None if it crosses itself there."""
    normal = np.cross(corners - corners.mean(axis=0), np.roll(corners, -1, axis=0) - corners.mean(axis=0)).sum(axis=0)
    if not np.linalg.norm(normal):
        return None
    normal /= np.linalg.norm(normal)
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    u = np.cross(normal, first)
    u /= np.linalg.norm(u)
    flat = np.column_stack([corners @ u, corners @ np.cross(normal, u)])
    left, found = list(range(len(corners))), []
    at, misses = 0, 0
    while len(left) > 3:
        a, b, c = left[at - 1], left[at % len(left)], left[(at + 1) % len(left)]
        if _turn(flat[a], flat[b], flat[c]) > 0.0 and not _inside(flat, left, a, b, c):
            found.append((a, b, c))
            left.pop(at % len(left))
            at, misses = at % len(left), 0
        else:
            at, misses = (at + 1) % len(left), misses + 1
            if misses > len(left):
                return None
    return np.array([*found, tuple(left)], dtype=np.int64)


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _inside(flat: Floats, left: list[int], a: int, b: int, c: int) -> bool:
    """Whether another corner of the loop lies in a triangle."""
    others = flat[[one for one in left if one not in (a, b, c)]]
    sides = []
    for start, end in ((a, b), (b, c), (c, a)):
        way, off = flat[end] - flat[start], others - flat[start]
        sides.append(way[0] * off[:, 1] - way[1] * off[:, 0])
    return bool(((sides[0] >= 0.0) & (sides[1] >= 0.0) & (sides[2] >= 0.0)).any())
