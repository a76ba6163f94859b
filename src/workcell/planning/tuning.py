"""The soonest motion along a fixed path beside others that move: where to wait, and where to go slower.

The way of the one and the time of the others span a plane. A grid of it marks where they would touch. A motion is a
rising line in the grid: legs between stops on the path, each at full speed or slower, and waits at the stops. The
soonest one is found exactly among these (the stops with their safe spans of time are the states of a search; Phillips
and Likhachev, 2011, call that safe interval path planning). The grid only proposes: a proof decides.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workcell.motion.limits import Limits
from workcell.motion.path import JointPath
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory
from workcell.planning.crossing_grid import look_across
from workcell.planning.others import Others
from workcell.planning.space import Space, space_of

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

ROW = 0.025
"""How far points of the one move at most from row to row of the grid [m]."""
_COLUMN = 0.025
"""How far points of the others move at most from column to column [m]."""
_ROWS, _COLUMNS = 160, 320
"""The greatest numbers of rows and columns."""
_SLOWEST_STEP = 0.05
"""The greatest time between two columns [s]."""
_STOPS = 8
"""At how many places of a path the robot may stop, besides its ends."""
_STOP_APART = 0.15
"""How far points of the robot move at least between two stops [m]."""
_RATES = (1.0, 0.6, 0.35)
"""The speeds of a leg, as shares of the full one."""
_DENSE = 2049
_INTERVALS = 96
"""Into how many intervals a leg is cut to time it."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A motion from stop to stop: the rows that it covers in each step of time."""

    end: int
    motion: Trajectory
    low: Ints
    high: Ints


@dataclass(frozen=True, eq=False)
class Tuned:
    """A motion along a path beside others.

    Attributes:
        trajectory: joint values over time, waits included.
        waits: where it waits: from when, and how long [s]; the wait before the start included.
        slowed: how many legs are slower than possible.
        places: at which row it is at the beginning of each column (k,).
    """

    trajectory: Trajectory
    waits: tuple[tuple[float, float], ...]
    slowed: int
    places: Array


@dataclass(eq=False)
class Crossing:
    """A path of one robot beside the decided motions of others.

    Args:
        space: the joints that move along the path.
        path: the path; None where the robot stays at ``start``.
        start: the joint values at its start (n,).
        others: the motions that are decided.
        padding: how far the grid keeps them apart beyond what is required [m].
        limits: speeds and accelerations of the joints.

    Attributes:
        touching: where they touch (rows, columns).
        step: the time from column to column [s].
    """

    space: Space
    path: JointPath | None
    start: Array
    others: Others
    padding: float
    limits: Limits
    touching: NDArray[np.bool_] = field(init=False)
    _filled: NDArray[np.bool_] | None = field(init=False, default=None)
    _legs: dict[tuple[int, int], list[Leg]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._lay_rows()
        self._lay_columns()
        self.pad(self.padding)

    # ---- the grid ----------------------------------------------------------------------------------------

    def _lay_rows(self) -> None:
        """Places on the path a few centimetres of travel apart, and the stops among them."""
        if self.path is None:
            self.rows, self.stops = self.start[None].copy(), np.zeros(1, dtype=np.intp)
            return
        s = np.linspace(0.0, self.path.length, _DENSE)
        Q = self.path.sample(s)
        travel = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(Q, axis=0)) @ self.space.weights)])
        travel += np.linspace(0.0, 1e-9, _DENSE)
        count = int(min(max(math.ceil(travel[-1] / ROW), 2), _ROWS))
        marks = np.linspace(0.0, travel[-1], count + 1)
        self._s = np.interp(marks, travel, s)
        self._s[-1] = self.path.length
        self.rows = self.path.sample(self._s)
        arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(Q, axis=0), axis=1))])
        self._arc = np.interp(self._s, s, arcs + np.linspace(0.0, 1e-12, _DENSE))
        stops = int(min(max(travel[-1] / _STOP_APART - 1.0, 0.0), _STOPS))
        self.stops = np.unique(np.round(np.linspace(0, count, stops + 2)).astype(np.intp))

    def _lay_columns(self) -> None:
        """Instants between which the others move by a few centimetres."""
        T = self.others.duration
        if T <= 0.0:
            self.step, self.columns = _SLOWEST_STEP, np.zeros(1)
            return
        times = np.linspace(0.0, T, 513)
        fastest = 0.0
        for name, motion in self.others.motions.items():
            weights = space_of(self.space.snapshot, self.space.state, name).weights
            fastest = max(fastest, float((np.abs(np.diff(motion.sample(times), axis=0)) @ weights).max()))
        count = math.ceil(512 * fastest / _COLUMN)
        count = int(min(max(count, math.ceil(T / _SLOWEST_STEP), 8), _COLUMNS))
        self.step, self.columns = T / count, np.linspace(0.0, T, count + 1)

    def pad(self, padding: float) -> None:
        """Fill the grid anew with a padding [m]; with a smaller one only the cells that touched are looked at again."""
        shape = (len(self.rows), len(self.columns))
        less = self._filled is not None and padding < self.padding
        self.padding = padding
        self.touching = self._filled if less and self._filled is not None else np.ones(shape, dtype=np.bool_)
        self._pairs = np.full((2, *shape), -1, dtype=np.int32)
        self._look(self.rows, self.touching, self._pairs)
        self._filled = self.touching.copy()
        self._count()

    def _look(self, Q: Array, out: NDArray[np.bool_], pairs: NDArray[np.int32]) -> None:
        """Whether the others touch configurations (N, n) at each column, in the cells that are True (N, columns)."""
        space, names = self.space, self.others.names
        if not names:
            out[:] = False
            return
        B = np.hstack([self.others.motions[name].sample(self.columns) for name in names])
        look_across(space.model, space.state, (space.members, Q), (names, B), self.padding, out, pairs)

    def untouched(self, Q: Array) -> NDArray[np.bool_]:
        """Which configurations (N, n) none of the others touches at any time."""
        out = np.ones((len(Q), len(self.columns)), dtype=np.bool_)
        self._look(Q, out, np.empty((2, *out.shape), dtype=np.int32))
        return np.asarray(~out.any(axis=1))

    def _count(self) -> None:
        self._before = np.zeros((len(self.rows) + 1, len(self.columns)), dtype=np.int32)
        np.cumsum(self.touching, axis=0, out=self._before[1:])
        self._departs: dict[int, NDArray[np.bool_]] = {}

    def mark(self, tuned: Tuned, time: float) -> None:
        """Keep away from a place of a motion at which a proof found a contact, at a time of it [s]."""
        column = time / self.step
        place = float(np.interp(column, np.arange(len(tuned.places)), tuned.places))
        rows = slice(max(math.floor(place) - 1, 0), math.ceil(place) + 2)
        columns = slice(max(min(math.floor(column), len(self.columns) - 1) - 1, 0), math.ceil(column) + 2)
        self.touching[rows, columns] = True
        self._count()

    def pair_at(self, row: int, column: int) -> tuple[str, str] | None:
        """The bodies that touch at a cell of the grid; None where none do, or a proof found out."""
        a, b = (int(part[row, column]) for part in self._pairs)
        bodies = self.space.model.bodies
        return None if a < 0 else (bodies[a].name, bodies[b].name)

    # ---- the search --------------------------------------------------------------------------------------

    def soonest(self) -> Tuned | None:
        """The motion that is at the end of the path soonest and may stay there; None where there is none."""
        last = len(self.columns) - 1
        spans = [_spans(self.touching[row]) for row in self.stops]
        if spans[0][0] < 0 or spans[-1][last] < 0:
            return None
        goal = (len(self.stops) - 1, int(spans[-1][last]))
        begin = (0, int(spans[0][0]))
        best: dict[tuple[int, int], tuple[int, int]] = {begin: (0, 0)}
        came: dict[tuple[int, int], tuple[tuple[int, int], Leg, int]] = {}
        heap, done = [(0, 0, begin)], set()
        while heap:
            at, legs, state = heapq.heappop(heap)
            if state in done:
                continue
            done.add(state)
            if state == goal:
                return self._tuned(goal, begin, came)
            stop, span = state
            open_until = int(np.flatnonzero(spans[stop] == span)[-1])
            for end in range(stop + 1, len(self.stops)):
                for leg in self._legs_between(stop, end):
                    for departs, arrives in self._departing(leg, at, open_until):
                        there = int(spans[end][min(arrives, last)])
                        following = (end, there)
                        if there >= 0 and (arrives, legs + 1) < best.get(following, (1 << 60, 0)):
                            best[following] = (arrives, legs + 1)
                            came[following] = (state, leg, departs)
                            heapq.heappush(heap, (arrives, legs + 1, following))
        return None

    def _departing(self, leg: Leg, at: int, until: int) -> list[tuple[int, int]]:
        """When a leg may begin from a column on, and when it then ends: the first of each run of free departures."""
        from workcell.planning import _kernels_crossing as kernels

        last = len(self.columns) - 1
        free = self._departs.get(id(leg))
        if free is None:
            free = np.zeros(last + 1, dtype=np.bool_)
            kernels.departures(self._before, leg.low, leg.high, free)
            self._departs[id(leg)] = free
        if at > last:
            return [(at, at + len(leg.low))] if free[last] else []
        found = np.flatnonzero(free[at : until + 1]) + at
        firsts = found[np.concatenate([[True], np.diff(found) > 1])] if len(found) else found
        return [(int(d), int(d) + len(leg.low)) for d in firsts]

    def _legs_between(self, begin: int, end: int) -> list[Leg]:
        known = self._legs.get((begin, end))
        if known is None:
            assert self.path is not None
            a, b = int(self.stops[begin]), int(self.stops[end])
            part = JointPath(self.path.curve.part(float(self._s[a]), float(self._s[b])))
            full = time_optimal(part, self.limits, intervals=_INTERVALS)
            known = [self._leg(end, full if rate == 1.0 else full.stretched(1.0 / rate), a, b) for rate in _RATES]
            self._legs[begin, end] = known
        return known

    def _leg(self, end: int, motion: Trajectory, a: int, b: int) -> Leg:
        steps = max(math.ceil(motion.duration / self.step - 1e-9), 1)
        times = np.linspace(0.0, motion.duration, 8 * steps + 1)
        arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(motion.sample(times), axis=0), axis=1))])
        arc = self._arc[a] + arc / arc[-1] * (self._arc[b] - self._arc[a])
        edges = np.minimum(np.arange(steps + 1) * self.step, motion.duration)
        places = np.interp(np.interp(edges, times, arc), self._arc, np.arange(len(self._arc)))
        low = np.floor(places[:-1] + 1e-9).astype(np.int32)
        high = np.ceil(places[1:] - 1e-9).astype(np.int32)
        return Leg(end, motion, np.clip(low, a, b), np.clip(high, a, b))

    def _tuned(
        self,
        goal: tuple[int, int],
        begin: tuple[int, int],
        came: dict[tuple[int, int], tuple[tuple[int, int], Leg, int]],
    ) -> Tuned:
        legs: list[tuple[Leg, int, int]] = []
        state = goal
        while state != begin:
            state, leg, departs = came[state]
            legs.append((leg, departs, int(self.stops[state[0]])))
        trajectory, waits, slowed = Trajectory.constant(self.start), [], 0
        marks, places = [0.0], [0.0]
        for leg, departs, row in reversed(legs):
            now, leaves = trajectory.duration, departs * self.step
            if leaves - now > 1e-9:
                if leaves - now > self.step or now == 0.0:
                    waits.append((now, leaves - now))
                trajectory = trajectory.held(leaves - now)
            trajectory = trajectory.then(leg.motion)
            slowed += leg.motion is not self._first(leg)
            marks += [float(departs), float(departs + len(leg.low))]
            places += [float(row), float(self.stops[leg.end])]
            inner = (leg.low[1:] + leg.high[:-1]) * 0.5
            marks += list(departs + np.arange(1.0, len(leg.low)))
            places += list(inner)
        order = np.argsort(marks, kind="stable")
        whole = np.arange(math.ceil(max(marks)) + 1.0)
        return Tuned(
            trajectory, tuple(waits), slowed, np.interp(whole, np.array(marks)[order], np.array(places)[order])
        )

    def _first(self, leg: Leg) -> Trajectory:
        """The motion of a leg at full speed."""
        return next(legs[0].motion for legs in self._legs.values() if any(one is leg for one in legs))


def _spans(touching: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The number of the free span of time at each column; −1 where something touches."""
    free = ~touching
    begins = free & ~np.concatenate([[False], free[:-1]])
    return np.where(free, np.cumsum(begins) - 1, -1)
