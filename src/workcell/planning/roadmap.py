"""Paths of earlier queries in a scene, kept as a graph: later queries get on it and off it by straight edges."""

from __future__ import annotations

import heapq
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from workcell.planning.path_plan import PathPlan
    from workcell.planning.planners import Query

Array = NDArray[np.float64]

_MOST = 5000
"""How many configurations are kept."""
_LOOKS = 8
"""To how many of the nearest configurations an edge is tried."""
_WAYS = 2
"""How many edges onto the roadmap are enough."""
_GOALS = 4
_PLANS = 256
"""How many whole plans are kept."""


@dataclass(eq=False)
class Roadmap:
    """Configurations and the edges between them that paths went along.

    Edges are looked at again only where a path uses them: by the proof of that path.
    """

    nodes: list[Array] = field(default_factory=list)
    edges: list[dict[int, float]] = field(default_factory=list)
    plans: dict[tuple[bytes, ...], PathPlan] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self.nodes)

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
        if plan.method not in ("direct", "roadmap"):
            self.add(plan.waypoints)

    def add(self, waypoints: Array) -> None:
        """Keep a path."""
        with self._lock:
            if len(self.nodes) + len(waypoints) > _MOST:
                self.nodes.clear()
                self.edges.clear()
            last = -1
            for row in waypoints:
                place = self._place(row)
                if last >= 0 and place != last:
                    way = float(np.linalg.norm(self.nodes[last] - self.nodes[place]))
                    self.edges[last][place] = self.edges[place][last] = way
                last = place

    def _place(self, row: Array) -> int:
        for place, known in enumerate(self.nodes):
            if np.abs(known - row).max() < 1e-9:
                return place
        self.nodes.append(np.array(row))
        self.edges.append({})
        return len(self.nodes) - 1

    def path(self, query: Query) -> Array | None:
        """Waypoints from the start to a goal of a query, mostly along edges that are known (N, n); None without any."""
        with self._lock:
            nodes = np.array(self.nodes)
            edges = [dict(row) for row in self.edges]
        if len(nodes) < 2:
            return None
        first = self._joined(query, nodes, query.start)
        if not first:
            return None
        last: dict[int, tuple[float, int]] = {}
        for number, goal in enumerate(query.goals[:_GOALS]):
            for place, way in self._joined(query, nodes, goal).items():
                last[place] = min(last.get(place, (np.inf, 0)), (way, number))
            if last:
                break
        found = _shortest(edges, first, {place: way for place, (way, _) in last.items()})
        if found is None:
            return None
        return np.vstack([query.start[None], nodes[found], query.goals[last[found[-1]][1]][None]])

    def _joined(self, query: Query, nodes: Array, q: Array) -> dict[int, float]:
        """The nearest configurations to which the straight edge is free, and how far they are."""
        ways = np.linalg.norm((nodes - q) * query.space.weights, axis=1)
        found: dict[int, float] = {}
        for place in np.argsort(ways, kind="stable")[:_LOOKS]:
            if not query.blocked(q[None], nodes[place][None])[0]:
                found[int(place)] = float(np.linalg.norm(nodes[place] - q))
                if len(found) == _WAYS:
                    break
        return found


def _shortest(edges: list[dict[int, float]], first: dict[int, float], last: dict[int, float]) -> list[int] | None:
    """The shortest way through a graph (Dijkstra 1959) from some places to some others; None where there is none."""
    best = dict(first)
    before: dict[int, int] = {}
    waiting = [(way, place) for place, way in first.items()]
    heapq.heapify(waiting)
    end, least = -1, np.inf
    while waiting:
        way, place = heapq.heappop(waiting)
        if way > best[place] or way >= least:
            continue
        if place in last and way + last[place] < least:
            end, least = place, way + last[place]
        for other, length in edges[place].items():
            if way + length < best.get(other, np.inf):
                best[other], before[other] = way + length, place
                heapq.heappush(waiting, (way + length, other))
    if end < 0:
        return None
    found = [end]
    while found[-1] in before:
        found.append(before[found[-1]])
    return found[::-1]
