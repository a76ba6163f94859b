"""Finds fixed bodies in the way of parts on a belt: where a body begins in the corridor that a part runs in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.piles import SHAPE

if TYPE_CHECKING:
    from workcell.simulation.lying import Lying, Scene
    from workcell.world.belt_surfaces import BeltSurface
    from workcell.world.snapshot import Snapshot

Array = NDArray[np.float64]

_GRAZE = 1e-3
"""A part passes a body that it would touch by less than this in height or at its side [m]."""
_THERE = 1e-8
"""A body nearer than this is touched [m]."""
_MOST_KEPT = 4096


class BeltWalls:
    """The fixed bodies of a cell that parts on belts can run into.

    Args:
        snapshot: what exists. Links of robots and mechanisms and movable bodies do not count.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._bodies = [one for one in snapshot.bodies if not one.movable and one.link < 0 and one.touchable]
        self._known: dict[tuple[object, ...], Array] = {}

    def ahead(self, scene: Scene, surface: BeltSurface, part: Lying, way: float) -> tuple[float, str]:
        """Return the distance from the front of a part to the first fixed body in its way [m], and the body.

        Else infinity.
        """
        found, front = (math.inf, ""), part.front(way)
        for body in self._bodies:
            begins = self._begins(scene, surface, body.name, part, way)
            rooms = begins[begins >= front - _THERE] - front
            if len(rooms) and rooms.min() < found[0]:
                found = float(rooms.min()), body.name
        return found

    def _begins(self, scene: Scene, surface: BeltSurface, body: str, part: Lying, way: float) -> Array:
        """Return where each facet of a body begins in the corridor of a part, in the direction of travel (k,) [m]."""
        X = scene.seen_from(surface) @ scene.poses[body]
        corridor = np.round(
            [part.low[1] + _GRAZE, part.high[1] - _GRAZE, part.low[2] + _GRAZE, part.high[2] - _GRAZE], 9
        )
        key = body, surface.conveyor, way, X.tobytes(), corridor.tobytes()
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            mesh = scene.snapshot.body(body).mesh(SHAPE)
            corners = mesh.vertices @ X[:3, :3].T + X[:3, 3]
            known = self._known[key] = _first_places(corners[mesh.triangles], corridor, way)
        return known


def _first_places(facets: Array, corridor: Array, way: float) -> Array:
    """Return the least x, in the direction of travel, of each triangle (m, 3, 3) cut to a corridor of y and z."""
    left, right, low, high = corridor
    y, z = facets[:, :, 1], facets[:, :, 2]
    near = (y.max(axis=1) > left) & (y.min(axis=1) < right) & (z.max(axis=1) > low) & (z.min(axis=1) < high)
    found = []
    for facet in facets[near]:
        polygon = facet
        for axis, bound, side in ((1, left, 1.0), (1, right, -1.0), (2, low, 1.0), (2, high, -1.0)):
            polygon = _cut(polygon, axis, bound, side)
            if not len(polygon):
                break
        else:
            found.append(float((way * polygon[:, 0]).min()))
    return np.array(found)


def _cut(polygon: Array, axis: int, bound: float, side: float) -> Array:
    """Return the part of a polygon (k, 3) on one side of a plane perpendicular to an axis."""
    inside = side * (polygon[:, axis] - bound)
    kept = []
    for k in range(len(polygon)):
        a, b = inside[k - 1], inside[k]
        if (a < 0.0) != (b < 0.0):
            kept.append(polygon[k - 1] + a / (a - b) * (polygon[k] - polygon[k - 1]))
        if b >= 0.0:
            kept.append(polygon[k])
    return np.array(kept).reshape(-1, 3)
