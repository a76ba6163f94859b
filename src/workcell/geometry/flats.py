"""The flat face of a mesh that a round pad presses on: how far its border is, and how much of the pad it covers.

Everything is in the frame of the pad: its middle is the origin, and z is the direction of approach.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_FLAT = math.radians(0.1)
"""Triangles are on one plane if their normals differ by less than this [rad]."""
_SMOOTH = math.radians(20.0)
"""A border belongs to a curved surface if the surface bends across it by less than this [rad]."""
_PLANE = 2e-5
"""The greatest distance of a flat face's corners from its plane, in addition to the deviation of the mesh [m]."""
_RAYS = 16
EDGE, HOLE, CURVE, STEP = "edge", "hole", "curve", "step"
"""What ends a flat face: the edge of the part, a hole, a curved surface, or something that stands on the face."""


class Surface:
    """Triangles in the frame of a pad.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) indices, counter-clockwise seen from outside.
        deviation: the greatest distance of the mesh from its solid [m].
    """

    def __init__(self, vertices: Array, triangles: NDArray[np.int32], deviation: float = 0.0) -> None:
        self.vertices, self.deviation = vertices, deviation
        cross = np.cross(
            vertices[triangles[:, 1]] - vertices[triangles[:, 0]], vertices[triangles[:, 2]] - vertices[triangles[:, 0]]
        )
        length = np.linalg.norm(cross, axis=1)
        kept = length > 0.0
        self.triangles = triangles[kept].astype(np.int64)
        self.normals: Array = cross[kept] / length[kept, None]

    @cached_property
    def _welded(self) -> Ints:
        """For each vertex, the number of its place; vertices at one place have the same number (n,)."""
        return np.unique(np.round(self.vertices / 1e-7), axis=0, return_inverse=True)[1].reshape(-1)

    def first(self, radius: float, low: float, high: float) -> Flat | None:
        """The flat face that a disc about the origin reaches first between two heights, or None.

        This is the face under the middle, unless something under the rim is in front of it.
        """
        corners = self.vertices[self.triangles]
        seen = np.flatnonzero(
            (self.normals[:, 2] < -1e-3)
            & (corners[:, :, :2].min(axis=1) <= radius).all(axis=1)
            & (corners[:, :, :2].max(axis=1) >= -radius).all(axis=1)
            & (corners[:, :, 2].min(axis=1) <= high)
            & (corners[:, :, 2].max(axis=1) >= low)
        )
        if not len(seen):
            return None
        angles = np.arange(_RAYS) * (2.0 * math.pi / _RAYS)
        around = 0.999 * radius * np.column_stack([np.cos(angles), np.sin(angles)])
        hits = [self._hit(seen, point, low, high) for point in np.vstack([np.zeros(2), around])]
        front = None
        for hit, point in zip(hits, np.vstack([np.zeros(2), around]), strict=True):
            if hit is None:
                continue
            if front is None:
                front = hit
                continue
            flat = Flat(self, front[0])
            if hit[1] < flat.height(point) - 2.0 * _PLANE - 2.0 * self.deviation:
                front = hit
        return None if front is None else Flat(self, front[0])

    def _hit(self, seen: Ints, point: Array, low: float, high: float) -> tuple[int, float] | None:
        """The first triangle over a point, and the height there; None if there is none."""
        a, b, c = (self.vertices[self.triangles[seen, k]] for k in range(3))
        inside = np.ones(len(seen), dtype=bool)
        for p, q in ((a, b), (b, c), (c, a)):
            turn = (q[:, 0] - p[:, 0]) * (point[1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (point[0] - p[:, 0])
            inside &= turn <= 1e-15  # seen from above, the order of the outer corners is reversed
        n = self.normals[seen]
        height = a[:, 2] - (n[:, 0] * (point[0] - a[:, 0]) + n[:, 1] * (point[1] - a[:, 1])) / n[:, 2]
        inside &= (height >= low) & (height <= high)
        if not inside.any():
            return None
        places = np.flatnonzero(inside)
        best = places[int(height[places].argmin())]
        return int(seen[best]), float(height[best])


class Flat:
    """A flat face of a surface: all triangles on the plane of one of them."""

    def __init__(self, surface: Surface, triangle: int) -> None:
        self._surface = surface
        self.normal: Array = surface.normals[triangle]
        self._point = surface.vertices[surface.triangles[triangle, 0]]
        off = np.abs((surface.vertices - self._point) @ self.normal) <= _PLANE + 2.0 * surface.deviation
        even = surface.normals @ self.normal >= math.cos(_FLAT)
        self._mine: Ints = np.flatnonzero(even & off[surface.triangles].all(axis=1))

    @property
    def tilt(self) -> float:
        """The angle between the direction of approach and the normal of the face [rad]."""
        return math.atan2(float(np.hypot(self.normal[0], self.normal[1])), -float(self.normal[2]))

    def height(self, point: Array) -> float:
        """The distance along the approach from a point (2,) to the plane of the face [m]."""
        n, p = self.normal, self._point
        return float(p[2] - (n[0] * (point[0] - p[0]) + n[1] * (point[1] - p[1])) / n[2])

    @cached_property
    def _border(self) -> tuple[Array, Ints]:
        """The segments (k, 2, 2) around the face, seen along the approach, the face on their right; and their ends."""
        surface = self._surface
        mine = surface.triangles[self._mine]
        ends = np.concatenate([mine[:, [0, 1]], mine[:, [1, 2]], mine[:, [2, 0]]])
        welded = surface._welded[ends]
        count = int(surface._welded.max()) + 1
        forward, backward = welded[:, 0] * count + welded[:, 1], welded[:, 1] * count + welded[:, 0]
        lonely = ~np.isin(forward, backward) & (welded[:, 0] != welded[:, 1])
        return surface.vertices[ends[lonely]][:, :, :2], welded[lonely]

    def contains_middle(self) -> bool:
        """Whether the origin is over the face."""
        segments = self._border[0]
        if not len(segments):
            return False
        a, b = segments[:, 0], segments[:, 1]
        turns = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
        return abs(float(turns.sum())) > math.pi

    def room(self) -> float:
        """The distance of the border from the origin, across the approach [m]; zero if the origin is off the face."""
        return float(self._distances().min()) if self.contains_middle() else 0.0

    def overhang(self, radius: float) -> float:
        """How far a disc of this radius reaches beyond the border [m]."""
        near = float(self._distances().min()) if len(self._border[0]) else 0.0
        return radius - near if self.contains_middle() else radius + near

    def _distances(self) -> Array:
        a, b = self._border[0][:, 0], self._border[0][:, 1]
        along = b - a
        share = np.clip(-(a * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-30), 0.0, 1.0)
        return np.asarray(np.linalg.norm(a + share[:, None] * along, axis=1))

    def covered(self, radius: float) -> float:
        """The exact share of a disc about the origin that is over the face, from 0 to 1."""
        a, b = self._border[0][:, 0], self._border[0][:, 1]
        total = sum(_sector(x, y, u, v, radius) for (x, y), (u, v) in zip(a.tolist(), b.tolist(), strict=True))
        return min(1.0, max(0.0, -total / (math.pi * radius * radius)))

    def ends_with(self) -> str:
        """What the nearest border is: the edge of the part, a hole in the face, or the beginning of a curve."""
        segments, welded = self._border
        nearest = int(self._distances().argmin())
        start, end = welded[nearest].tolist()
        if self._bend(start, end) < _SMOOTH:
            return CURVE
        following = {int(one): k for k, one in enumerate(welded[:, 0])}
        area, k, walked = 0.0, nearest, 0
        while walked <= len(welded):
            (x, y), (u, v) = segments[k]
            area += x * v - y * u
            k = following.get(int(welded[k, 1]), -1)
            walked += 1
            if k in (nearest, -1):
                break
        return HOLE if area > 0.0 else EDGE

    def _bend(self, start: int, end: int) -> float:
        """How far the surface bends across a segment of its border [rad]."""
        surface = self._surface
        corners = surface._welded[surface.triangles]
        for k in range(3):
            other = np.flatnonzero((corners[:, k] == end) & (corners[:, (k + 1) % 3] == start))
            if len(other):
                return math.acos(min(1.0, max(-1.0, float(surface.normals[other[0]] @ self.normal))))
        return math.pi

    def stands_on_it(self, radius: float, height: float) -> bool:
        """Whether part of the mesh stands in front of the face, under a disc and within a height [m]."""
        surface = self._surface
        above = (surface.vertices - self._point) @ self.normal
        tall = above[surface.triangles]
        least = 2.0 * _PLANE + 2.0 * surface.deviation
        corners = surface.vertices[surface.triangles]
        near = (
            (tall.max(axis=1) > least)
            & (tall.min(axis=1) < height)
            & (corners[:, :, :2].min(axis=1) <= radius).all(axis=1)
            & (corners[:, :, :2].max(axis=1) >= -radius).all(axis=1)
        )
        for triangle, heights in zip(corners[near], tall[near], strict=True):
            shape = _cut(triangle, heights, least)
            if len(shape) >= 2 and _apart(shape[:, :2]) < radius - 2.0 * _PLANE:
                return True
        return False


def _cut(triangle: Array, heights: Array, least: float) -> Array:
    """The corners of the part of a triangle above a height."""
    kept: list[Array] = []
    for k in range(3):
        a, b, s, t = triangle[k], triangle[(k + 1) % 3], heights[k] - least, heights[(k + 1) % 3] - least
        if s >= 0.0:
            kept.append(a)
        if s * t < 0.0:
            kept.append(a + (b - a) * (s / (s - t)))
    return np.array(kept).reshape(-1, 3)


def _apart(polygon: Array) -> float:
    """The distance of a flat polygon from the origin [m]; zero if the polygon is over it."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    turns = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    if len(polygon) > 2 and ((turns > 0.0).all() or (turns < 0.0).all()):
        return 0.0
    along = b - a
    share = np.clip(-(a * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-30), 0.0, 1.0)
    return float(np.linalg.norm(a + share[:, None] * along, axis=1).min())


def _sector(x: float, y: float, u: float, v: float, r: float) -> float:
    """The signed area of a disc about the origin inside the triangle of the origin and a segment."""

    def wedge(p: float, q: float, s: float, t: float) -> float:
        return 0.5 * r * r * math.atan2(p * t - q * s, p * s + q * t)

    dx, dy = u - x, v - y
    a = dx * dx + dy * dy
    if a == 0.0:
        return 0.0
    b, c = x * dx + y * dy, x * x + y * y - r * r
    root = b * b - a * c
    if root <= 0.0:
        return wedge(x, y, u, v)
    near, far = (-b - math.sqrt(root)) / a, (-b + math.sqrt(root)) / a
    if far <= 0.0 or near >= 1.0:
        return wedge(x, y, u, v)
    s, t = max(0.0, near), min(1.0, far)
    p, q, m, n = x + s * dx, y + s * dy, x + t * dx, y + t * dy
    inner = 0.5 * (p * n - q * m)
    return (wedge(x, y, p, q) if s > 0.0 else 0.0) + inner + (wedge(m, n, u, v) if t < 1.0 else 0.0)
