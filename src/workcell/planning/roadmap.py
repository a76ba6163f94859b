"""What earlier queries in a scene found: whole plans, and a roadmap of their paths for later queries."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from workcell.planning.path_plan import PathPlan
    from workcell.planning.planners import Query

Array = NDArray[np.float64]

_MOST = 2000
"""How many configurations are kept."""
_NEIGHBOURS = 12
"""To how many others each has an edge at most."""
_LINKS = 4
"""To how many of the nearest ones an edge is thought of that no path went along."""
_APART = 0.8
"""How far apart the configurations of an edge are at most, weighted [m]."""
_LOOKS = 8
"""To how many of the nearest configurations the start and each goal are joined."""
_GOALS = 4
"""How many goals are looked at."""
_MISSES = 24
"""After how many edges that touch something the roadmap is left."""
_PLANS = 256
"""How many whole plans are kept."""
_SAME = 1e-9
"""Configurations nearer than this are one [rad or m]."""


@dataclass(eq=False)
class Roadmap:
    """Configurations of earlier paths, with edges that these went along and edges between neighbours.

    Only edges that the shortest way uses are tested. A path along them is proved like any other.

    Args:
        weights: how far each joint moves the arm (n,).
    """

    weights: Array
    _paths: list[Array] = field(default_factory=list, repr=False)
    plans: dict[tuple[bytes, ...], PathPlan] = field(default_factory=dict, repr=False)
    count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        # A joint that moves the arm little still makes a path longer.
        self._costs = np.sqrt(self.weights * self.weights.max())
        self._clear()

    def __len__(self) -> int:
        return self.count

    def plan(self, key: tuple[bytes, ...]) -> PathPlan | None:
        """The plan that answered the same question before; its proof holds, because everything else is the same."""
        with self._lock:
            return self.plans.get(key)

    def keep(self, key: tuple[bytes, ...], plan: PathPlan) -> None:
        """Keep the plan that answers a question, and its path for other ones."""
        with self._lock:
            self.plans[key] = plan
            while len(self.plans) > _PLANS:
                self.plans.pop(next(iter(self.plans)))
        self.add(plan.waypoints)

    def add(self, waypoints: Array) -> None:
        """Keep a path that is free. Where there is no room for it, the older half of the paths is forgotten."""
        points = self._cut(waypoints)
        with self._lock:
            if self.count + len(points) > _MOST:
                recent = self._paths[len(self._paths) // 2 :] if len(points) <= _MOST // 2 else []
                self._clear()
                for path in recent:
                    self._add(path)
            if self.count + len(points) <= _MOST:
                self._add(points)

    def path(self, query: Query) -> Array | None:
        """Waypoints from the start to a goal of a query along the roadmap (N, n), free at samples; None without any."""
        from workcell.planning import _kernels_roadmap as kernels

        space, goals = query.space, np.ascontiguousarray(query.goals[:_GOALS])
        with self._lock:
            if self.count < 2:
                return None
            found = np.empty(self.count + 1, dtype=np.int32)
            size = kernels.lazy_path(
                query.scene, space.base_row.copy(), space.columns, space.weights, query.step, self._costs, self._nodes,
                self.count, self._near, self._states, query.start, goals, _LOOKS, _MISSES, query.met, query.counts,
                found,
            )  # fmt: skip
            if size == 0:
                return None
            inner = self._nodes[found[1 : size + 1]]
        return self._straight(np.vstack([query.start[None], inner, goals[found[0]][None]]))

    # ---- the table ---------------------------------------------------------------------------------------

    def _clear(self) -> None:
        n = len(self.weights)
        self.count, self._paths = 0, []
        self._nodes = np.empty((_MOST, n))
        self._near = np.full((_MOST, _NEIGHBOURS), -1, dtype=np.int32)
        self._states = np.zeros((_MOST, _NEIGHBOURS), dtype=np.uint8)

    def _cut(self, waypoints: Array) -> Array:
        """The waypoints with more between them, so that others can join in the middle of an edge."""
        steps = np.diff(waypoints, axis=0)
        parts = np.maximum(np.ceil(np.linalg.norm(steps * self._costs, axis=1) / _APART), 1.0).astype(np.int64)
        edge = np.repeat(np.arange(len(parts)), parts)
        number = np.arange(len(edge)) - np.repeat(np.cumsum(parts) - parts, parts)
        rows = waypoints[edge] + (number / parts[edge])[:, None] * steps[edge]
        return np.ascontiguousarray(np.vstack([rows, waypoints[-1:]]))

    def _straight(self, points: Array) -> Array:
        """The points without those in the middle of a straight stretch, and without repeated ones."""
        steps = np.diff(points, axis=0)
        points = points[np.concatenate([[True], np.abs(steps).max(axis=1) > _SAME])]
        steps = np.diff(points, axis=0)
        if len(steps) < 2:
            return points
        units = steps / np.linalg.norm(steps, axis=1)[:, None]
        turns = np.abs(np.diff(units, axis=0)).max(axis=1) > _SAME
        return np.asarray(points[np.concatenate([[True], turns, [True]])])

    def _add(self, points: Array) -> None:
        """Take in a path: its edges are known to be free, those to its neighbours are not known."""
        from workcell.planning import _kernels_roadmap as kernels

        self.count = kernels.add_path(
            self._nodes, self.count, self._near, self._states, self._costs, points, _LINKS, _SAME
        )
        self._paths.append(points)
