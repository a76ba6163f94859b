"""The search for the order of work: jobs with several ways each, chosen together for the shortest cycle.

This is the generalised travelling salesman problem. Simulated annealing moves jobs and chooses their ways, descent and
dynamic programming finish what it finds, and a tree bound shows how far from the best that can be.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Cancelled
from workcell.planning import _kernels_order as kernels

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MOVES = 5_000
"""How many changes annealing tries for each job."""
_RUNS = 4
"""How many times annealing begins anew."""
_NEAR = 10
"""Beside how many of its nearest jobs a job is moved by preference."""
_HOT, _COLD = 0.3, 0.004
"""The first and last temperature of annealing, as parts of the mean transit time."""
_WARM = 0.1
"""The first temperature where a good cycle is improved."""
_PURSUED, _MISSES = 2, 2
"""How many of the first cycles are improved further, and after how many attempts in vain that ends."""
_FEW = 20
"""How many ways of each job annealing chooses among; all others are looked at for the order that it finds."""
_BOUND_STEPS = 1500


@dataclass(frozen=True, eq=False)
class Cycle:
    """An order of jobs with a way for each.

    Attributes:
        order: the jobs in their order (N,).
        ways: the way of each, in that order (N,).
        time: how long the cycle takes [s].
    """

    order: Indices
    ways: Indices
    time: float


@dataclass(frozen=True, eq=False)
class OrderSearch:
    """Jobs, their ways, and the times between them.

    Attributes:
        between: from the end of each way to the start of each other (M, M) [s].
        enter: from the start of the cycle to each way (M,) [s].
        leave: from each way to the end of the cycle (M,) [s].
        own: how long each way itself takes (M,) [s].
        first: where the ways of each job begin (N+1,).
        mirror: each way done backwards (M,).
    """

    between: Array
    enter: Array
    leave: Array
    own: Array
    first: Indices
    mirror: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not len(self.mirror):
            object.__setattr__(self, "mirror", np.arange(len(self.own)))

    @property
    def count(self) -> int:
        """How many jobs there are."""
        return len(self.first) - 1

    @property
    def _times(self) -> tuple[Array, Array, Array, Array]:
        return self.between, self.own, self.enter, self.leave

    def nearest_neighbour(self) -> Cycle:
        """Always the job and way that are reached soonest next."""
        order, ways = np.arange(self.count), np.zeros(self.count, dtype=np.int64)
        time = kernels.nearest_neighbour(*self._times, self.first, order, ways)
        return Cycle(order, ways, time)

    def in_order(self, order: Indices) -> Cycle:
        """The best ways for a given order."""
        kept, ways = np.array(order, dtype=np.int64), np.zeros(self.count, dtype=np.int64)
        return Cycle(kept, ways, kernels.best_ways(*self._times, self.first, kept, ways))

    def time_of(self, ways: Indices) -> float:
        """How long a cycle through ways in their order takes [s]."""
        return float(kernels.cycle_time(*self._times, ways))

    def best(
        self,
        seed: int = 0,
        runs: int = _RUNS,
        moves: int = MOVES,
        progress: Callable[[float], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Cycle:
        """The shortest cycle that several runs of annealing find; the same seed gives the same cycle."""
        part = self._restricted(self._central())
        begin, near = part.nearest_neighbour(), part.near
        done = 0

        def one(run: int) -> Cycle:
            nonlocal done
            if cancel is not None and cancel.is_set():
                raise Cancelled("The search for the order of work was cancelled.")
            found = part._annealed(begin, seed * 1009 + run, moves * self.count, _HOT, near)
            done += 1
            if progress is not None:
                progress(done / runs)
            return found

        with ThreadPoolExecutor(min(os.cpu_count() or 1, runs)) as pool:
            cycles = [self.in_order(cycle.order) for cycle in pool.map(one, range(runs))]
        cycles.append(self.improved(self.nearest_neighbour()))
        ranked = sorted(cycles, key=lambda cycle: cycle.time)[:_PURSUED]
        return min((self.again(cycle, seed, moves, _HOT) for cycle in ranked), key=lambda cycle: cycle.time)

    def again(self, cycle: Cycle, seed: int = 0, moves: int = MOVES, hot: float = _WARM) -> Cycle:
        """A cycle improved, as after times have changed: with the ways that fit its order best, while that helps."""
        best, missed, number = self.in_order(cycle.order), 0, 0
        while missed < _MISSES:
            part = self._restricted(self._through(best.order))
            begin = part.in_order(best.order)
            other = part._annealed(begin, seed + 17 * number, moves * self.count, hot, part.near)
            found = self.in_order(other.order)
            missed = missed + 1 if found.time > best.time * (1.0 - 1e-3) else 0
            best = min(best, found, key=lambda one: one.time)
            number += 1
        return best

    # ---- fewer ways ------------------------------------------------------------------------------------

    def _central(self) -> Array:
        out = np.empty(len(self.own))
        kernels.centrality(*self._times, self.first, out)
        return out

    def _through(self, order: Indices) -> Array:
        out = np.empty(len(self.own))
        kernels.through(*self._times, self.first, order, out)
        return out

    def _restricted(self, ranks: Array) -> OrderSearch:
        """The same jobs with few ways each, those of the lowest rank (M,)."""
        parts = []
        for a, b in itertools.pairwise(self.first.tolist()):
            best = a + np.argsort(ranks[a:b], kind="stable")[:_FEW]
            parts.append(np.union1d(best, self.mirror[best]))
        kept = np.concatenate(parts)
        first = np.concatenate([[0], np.cumsum([len(one) for one in parts])]).astype(np.int64)
        between = np.ascontiguousarray(self.between[np.ix_(kept, kept)])
        mirror = np.searchsorted(kept, self.mirror[kept])
        return OrderSearch(between, self.enter[kept], self.leave[kept], self.own[kept], first, mirror)

    def improved(self, cycle: Cycle) -> Cycle:
        """A cycle in which no job elsewhere, no stretch backwards and no exchange of two stretches is better."""
        order, ways = cycle.order.copy(), cycle.ways.copy()
        time = kernels.descend(*self._times, self.first, self.mirror, order, ways)
        return Cycle(order, ways, time)

    def _annealed(self, begin: Cycle, seed: int, moves: int, hot: float, near: Indices) -> Cycle:
        order, ways = begin.order.copy(), begin.ways.copy()
        mean = max(begin.time - float(self.own[ways].sum()), 1e-9) / (self.count + 1)
        kernels.anneal(
            *self._times, self.first, self.mirror, near, order, ways, seed % (1 << 63), moves, hot * mean, _COLD * mean
        )
        return self.improved(Cycle(order, ways, self.time_of(ways)))

    @property
    def near(self) -> Indices:
        """The jobs nearest to each job (N, K), the nearest first."""
        least, _, _ = self._least()
        np.fill_diagonal(least, np.inf)
        return np.ascontiguousarray(np.argsort(least, axis=1, kind="stable")[:, : min(_NEAR, self.count - 1)])

    def _least(self) -> tuple[Array, Array, Array]:
        count = self.count
        out = np.empty((count, count)), np.empty(count), np.empty(count)
        kernels.least_times(*self._times, self.first, *out)
        return out

    def bound(self, time: float) -> float:
        """A time that no cycle falls short of [s], given the time of a known one."""
        return min(float(kernels.raise_bound(*self._least(), time, _BOUND_STEPS)), time)
