"""The table of planners: a planner is a function from a query to waypoints, under a name."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.cost import go_on
from workcell.errors import InvalidValue, UnknownName
from workcell.planning.ompl_planners import PREFIX, ompl_names, ompl_planner
from workcell.planning.path_plan import Try

if TYPE_CHECKING:
    from workcell.planning.space import Scene, Space

Array = NDArray[np.float64]

DEFAULT = "rrt-connect"
_SLICE = 64
"""How many samples are drawn between two looks at the clock."""
_ROOM = 4096
"""How many nodes a tree has room for at first."""
REACH = 0.8
"""How far a tree grows at once, weighted [m]."""


@dataclass(eq=False)
class Query:
    """What a planner is asked.

    Attributes:
        space: the joints and the scene.
        scene: the collision arrays, with the clearance that the search keeps.
        start: a free configuration (n,).
        goals: free configurations (k, n), any of which will do; the nearest first.
        seed: of the random numbers.
        step: how far points of the arm move at most between tested configurations of an edge [m].
        deadline: when to give up, by ``time.monotonic`` [s].
        effort: after how many tested configurations to give up.
        progress: called with the fraction of the time that is used up and a label.
        cancel: set to stop.
        tries: planners append what they tried.
        met: how often each body was met (B,).
        counts: configurations tested, edges tested, samples drawn.
    """

    space: Space
    scene: Scene
    start: Array
    goals: Array
    seed: int
    step: float
    deadline: float
    effort: float = math.inf
    began: float = field(default_factory=time.monotonic)
    progress: Callable[[float, str], None] | None = None
    cancel: threading.Event | None = None
    tries: list[Try] = field(default_factory=list)
    met: NDArray[np.int64] = field(init=False)
    counts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.met = np.zeros(len(self.space.model.bodies), dtype=np.int64)
        self.counts = np.zeros(4, dtype=np.int64)

    @property
    def late(self) -> bool:
        """Whether the time, or the work allowed, is used up."""
        return time.monotonic() >= self.deadline or float(self.counts[0]) >= self.effort

    def look(self, label: str) -> None:
        """Report progress, and stop where the query was cancelled."""
        go_on(self.cancel, "The search for a path")
        if self.progress is not None:
            timed = (time.monotonic() - self.began) / max(self.deadline - self.began, 1e-9)
            self.progress(min(max(timed, float(self.counts[0]) / self.effort, 0.0), 1.0), label)

    # ---- asking the scene --------------------------------------------------------------------------------

    def touching(self, Q: Array, scene: Scene | None = None) -> NDArray[np.bool_]:
        """Whether anything touches, or comes nearer than the search allows, at configurations (N, n)."""
        from workcell.planning import _kernels_search as kernels

        out = np.zeros(len(Q), dtype=np.bool_)
        kernels.touching(
            scene or self.scene,
            self.space.base_row.copy(),
            self.space.columns,
            np.ascontiguousarray(Q),
            self.met,
            self.counts,
            out,
        )
        return out

    def blocked(self, A: Array, B: Array, scene: Scene | None = None) -> NDArray[np.bool_]:
        """Whether anything touches between configurations (N, n) and others, at samples a step apart."""
        from workcell.planning import _kernels_search as kernels

        out = np.zeros(len(A), dtype=np.bool_)
        kernels.edges_touch(
            scene or self.scene, self.space.base_row.copy(), self.space.columns, np.ascontiguousarray(A),
            np.ascontiguousarray(B), self.space.weights, self.step, self.met, self.counts, out,
        )  # fmt: skip
        return out

    def reaches(self, a: Array, b: Array) -> bool:
        """Whether a configuration (n,) and the edge to it from a free one touch nothing, at samples a step apart."""
        from workcell.planning import _kernels_search as kernels

        return not kernels.motion_touches(
            self.scene, self.space.base_row.copy(), self.space.columns, a, b, self.space.weights, self.step, self.met,
            self.counts,
        )  # fmt: skip


Planner: TypeAlias = Callable[[Query], Array | None]
"""Gives waypoints (N, n) from the start to a goal, or None when the time is used up."""

_planners: dict[str, Planner] = {}


def register_planner(name: str, planner: Planner) -> None:
    """Make a planner known under a name; one of that name is replaced."""
    _planners[name] = planner


def planner_named(name: str) -> Planner:
    """The planner of that name; those of OMPL begin with ``ompl:``."""
    if not isinstance(name, str):
        raise InvalidValue(f"A planner is given by its name, such as {DEFAULT}; found {name!r}.")
    if name in _planners:
        return _planners[name]
    if name.startswith(PREFIX):
        return ompl_planner(name)
    raise UnknownName.among("planner", name, planner_names())


def planner_names() -> tuple[str, ...]:
    """The planners that are known, with those of OMPL where it is installed."""
    return (*_planners, *ompl_names())


def rrt_connect(query: Query) -> Array | None:
    """Two trees, one from the start and one from all goals, grown towards each other until they meet."""
    from workcell.planning import _kernels_search as kernels

    space, n = query.space, query.space.n
    room = _ROOM
    nodes, parents = np.empty((2, room, n)), np.full((2, room), -1, dtype=np.int32)
    misses = np.zeros(2, dtype=np.int64)
    nodes[0, 0] = query.start
    nodes[1, : len(query.goals)] = query.goals
    sizes = np.array([1, len(query.goals)], dtype=np.int64)
    box = space.box(np.vstack([query.start[None], query.goals]))
    seed = np.array([query.seed], dtype=np.uint64)
    join = np.zeros(2, dtype=np.int64)
    row = space.base_row.copy()
    while True:
        status = kernels.grow(
            query.scene, row, space.columns, box, space.weights, nodes, parents, misses, sizes, REACH, query.step,
            seed, _SLICE, query.met, query.counts, join,
        )  # fmt: skip
        if status == kernels.JOINED:
            query.tries.append(kept_tries(DEFAULT, "the trees met", nodes, parents, sizes))
            return joined(nodes, parents, join)
        query.look(f"{int(sizes.sum())} configurations reached")
        if query.late:
            query.tries.append(kept_tries(DEFAULT, "the time was used up", nodes, parents, sizes))
            return None
        if status == kernels.FULL:
            nodes = np.concatenate([nodes, np.empty_like(nodes)], axis=1)
            parents = np.concatenate([parents, np.full_like(parents, -1)], axis=1)


def joined(nodes: Array, parents: NDArray[np.int32], join: NDArray[np.int64]) -> Array:
    """The path from the start through the place where the trees meet to a goal (N, n)."""
    halves = []
    for side in (0, 1):
        rows, at = [], int(join[side])
        while at >= 0:
            rows.append(nodes[side, at])
            at = int(parents[side, at])
        halves.append(np.array(rows))
    return np.concatenate([halves[0][::-1], halves[1]])


def kept_tries(how: str, outcome: str, nodes: Array, parents: NDArray[np.int32], sizes: NDArray[np.int64]) -> Try:
    """The two trees of a search as one attempt."""
    first, second = int(sizes[0]), int(sizes[1])
    above = parents[1, :second].copy()
    above[above >= 0] += first
    return Try(
        how,
        outcome,
        np.concatenate([nodes[0, :first], nodes[1, :second]]),
        np.concatenate([parents[0, :first], above]).astype(np.int32),
    )


register_planner(DEFAULT, rrt_connect)
