"""Which steps of programs must not overlap: their robots would touch, each running as it does alone.

Every program runs alone. The times of two programs span a plane, and a grid of it marks where their robots would touch.
Steps that meet there form visits to a shared zone; steps that follow each other and both meet something belong to one
visit, so that a program waits only where nobody can touch it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.planning.crossing_grid import look_across
from workcell.planning.visit_order import Job, Visit, Which
from workcell.programs.calling import numbered
from workcell.programs.program import Program
from workcell.simulation.recording import Recording
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

_TURN = 0.03
"""How far joints turn [rad] or slide [m] at most between two samples."""
_SAMPLES = 400
"""The greatest number of samples of one program."""
_PADDING = 0.03
"""How far apart robots stay beyond what is required, since they are only looked at at samples [m]."""


@dataclass(frozen=True, eq=False)
class Alone:
    """A program that ran alone.

    Attributes:
        program: the program.
        recording: of its run.
    """

    program: Program
    recording: Recording

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """The first line of each statement of the program that is not inside another one."""
        rows = numbered(self.program.body, iter(range(len(self.program.steps))))
        return tuple(self.program.place(one.number).line for one in rows)

    @cached_property
    def begins(self) -> tuple[float, ...]:
        """When each statement begins [s]; one that never ran begins with the next."""
        name, times = self.program.name, dict[int, float]()
        for one in self.recording.sources:
            chain = ((one.program, one.line), *one.callers)
            if chain[-1][0] == name:
                place = int(np.searchsorted(self.lines, chain[-1][1], side="right")) - 1
                times.setdefault(max(place, 0), one.time)
        out, at = [], self.recording.end
        for place in range(len(self.lines) - 1, -1, -1):
            at = times.get(place, at)
            out.append(at)
        return tuple(reversed(out))

    @cached_property
    def movers(self) -> tuple[str, ...]:
        """The robots that it moves."""
        return tuple(name for name in self.recording.robots if self.recording.way(name).pieces)

    @cached_property
    def times(self) -> Array:
        """Instants between which its robots move little (N,) [s], those at which statements begin among them."""
        begin, end = self.recording.start.time, self.recording.end
        if not self.movers:
            return np.unique([*self.begins, begin, end])
        times = np.linspace(begin, end, 1025)
        Q = np.array([np.concatenate([one.joints[n] for n in self.movers]) for one in map(self._state, times)])
        ways = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(Q, axis=0)).max(axis=1))])
        count = int(min(max(math.ceil(ways[-1] / _TURN), 4), _SAMPLES))
        some = np.interp(np.linspace(0.0, ways[-1], count + 1), ways + np.linspace(0.0, 1e-9, len(ways)), times)
        return np.unique(np.concatenate([some, self.begins, [begin, end]]))

    @cached_property
    def states(self) -> list[CellState]:
        """Where everything is at these instants."""
        return [self._state(t) for t in self.times]

    def _state(self, t: float) -> CellState:
        return self.recording.state_at(float(t))

    def during(self, statement: int) -> slice:
        """The samples of a statement, both ends included."""
        begin = self.begins[statement]
        end = self.begins[statement + 1] if statement + 1 < len(self.begins) else self.recording.end
        return slice(int(np.searchsorted(self.times, begin)), int(np.searchsorted(self.times, end, side="right")))

    def statement_at(self, line: int) -> int:
        """The statement that a line belongs to."""
        return max(int(np.searchsorted(self.lines, line, side="right")) - 1, 0)


@dataclass(frozen=True, eq=False)
class Shared:
    """What programs share.

    Attributes:
        jobs: the programs with their visits.
        spans: for each visit its first and last statement.
        first: for each visit those that must be over before it: it ends in their way, or they start in its.
        zones: how many zones there are.
        boxes: where robots meet in each zone: the least and the greatest corner (2, 3) [m].
    """

    jobs: tuple[Job, ...]
    spans: dict[Which, tuple[int, int]]
    first: dict[Which, frozenset[Which]]
    zones: int
    boxes: tuple[Array, ...]


class Meetings:
    """Which statements of which programs meet."""

    def __init__(self, model: CollisionModel, programs: Sequence[Alone]) -> None:
        self.model, self.programs = model, programs
        used: dict[str, str] = {}
        for one in programs:
            for name in one.movers:
                if name in used:
                    raise Refused(
                        f"Programs {used[name]!r} and {one.program.name!r} both move {name}; a robot follows one "
                        "program at a time.",
                        robot=name,
                    )
                used[name] = one.program.name
        self.grids = {
            (i, j): self._grid(programs[i], programs[j]) for i, j in itertools.combinations(range(len(programs)), 2)
        }
        self.meets: set[tuple[Which, Which]] = set()
        for (i, j), grid in self.grids.items():
            one, other = programs[i], programs[j]
            for a, b in itertools.product(range(len(one.lines)), range(len(other.lines))):
                if grid[one.during(a), other.during(b)].any():
                    self.add((i, a), (j, b))

    def add(self, one: Which, other: Which) -> None:
        """Let two statements of two programs not overlap."""
        self.meets |= {(one, other), (other, one)}

    def _grid(self, one: Alone, other: Alone) -> NDArray[np.bool_]:
        """Where the robots of two programs would touch (samples of the one, samples of the other)."""
        out = np.zeros((len(one.times), len(other.times)), dtype=np.bool_)
        if not one.movers or not other.movers:
            return out
        for rows in _epochs(one):
            for columns in _epochs(other):
                state = _merged(one.states[rows[0]], other.states[columns[0]], one.recording.start)
                part = np.ones((len(rows), len(columns)), dtype=np.bool_)
                pairs = np.empty((2, *part.shape), dtype=np.int32)
                look_across(
                    self.model, state, (one.movers, _rows(one, rows)), (other.movers, _rows(other, columns)), _PADDING,
                    part, pairs,
                )  # fmt: skip
                out[np.ix_(rows, columns)] = part
        return out

    def shared(self, one_zone: bool) -> Shared:
        """The visits that keep apart what meets; in one zone, or in as many as possible."""
        every = sorted({which for pair in self.meets for which in pair})
        above = {which: which for which in every}

        def root(which: Which) -> Which:
            while above[which] != which:
                which = above[which]
            return which

        for one, other in self.meets:
            above[root(one)] = root(other)
        for i, a in every:
            if (i, a + 1) in above:
                above[root((i, a))] = root((i, a + 1))
        if one_zone:
            for which in every[1:]:
                above[root(which)] = root(every[0])
        numbers = {key: number for number, key in enumerate(dict.fromkeys(root(which) for which in every))}
        jobs: list[Job] = []
        spans, visit_of = dict[Which, tuple[int, int]](), dict[Which, Which]()
        for i, alone in enumerate(self.programs):
            visits: list[Visit] = []
            mine = [a for j, a in every if j == i]
            for a in mine:
                end = alone.begins[a + 1] if a + 1 < len(alone.begins) else alone.recording.end
                if visits and spans[i, len(visits) - 1][1] == a - 1:
                    spans[i, len(visits) - 1] = spans[i, len(visits) - 1][0], a
                    visits[-1] = Visit(visits[-1].zone, visits[-1].begin, end)
                else:
                    spans[i, len(visits)] = a, a
                    visits.append(Visit(numbers[root((i, a))], alone.begins[a], end))
                visit_of[i, a] = (i, len(visits) - 1)
            jobs.append(Job(alone.recording.end - alone.recording.start.time, tuple(visits)))
        return Shared(tuple(jobs), spans, self._first(visit_of, jobs), len(numbers), self._boxes(numbers, root))

    def _first(self, visit_of: dict[Which, Which], jobs: Sequence[Job]) -> dict[Which, frozenset[Which]]:
        """The orders that starts and ends require: who stands in the way at first goes first, or last at the end."""
        out: dict[Which, set[Which]] = {}
        for (i, j), grid in self.grids.items():
            for mine, yours, cells in ((i, j, grid), (j, i, grid.T)):
                other = self.programs[yours]
                for b in range(len(other.lines)):
                    if (yours, b) not in visit_of:
                        continue
                    if cells[0, other.during(b)].any():
                        out.setdefault(visit_of[yours, b], set()).add((mine, 0))
                    if cells[-1, other.during(b)].any():
                        out.setdefault((mine, len(jobs[mine].visits) - 1), set()).add(visit_of[yours, b])
        return {which: frozenset(some) for which, some in out.items()}

    def _boxes(self, numbers: dict[Which, int], root: object) -> tuple[Array, ...]:
        """Where the robots meet in each zone, by the places of the hands and links at the touching samples."""
        out = [np.array([[np.inf] * 3, [-np.inf] * 3]) for _ in numbers]
        assert callable(root)
        for (i, a), (j, b) in self.meets:
            if i > j:
                continue
            one, other = self.programs[i], self.programs[j]
            rows, columns = one.during(a), other.during(b)
            cells = np.argwhere(self.grids[i, j][rows, columns])
            box = out[numbers[root((i, a))]]
            for r, c in cells[:: max(len(cells) // 16, 1)]:
                low, high = _common_box(self.model, one, other, rows.start + r, columns.start + c)
                box[0], box[1] = np.minimum(box[0], low), np.maximum(box[1], high)
        return tuple(out)


def _common_box(model: CollisionModel, one: Alone, other: Alone, row: int, column: int) -> tuple[Array, Array]:
    """The box that the boxes of both robots have in common at a sample of each (3,), (3,) [m]."""
    from workcell.collision.supports import going

    joints = {n: other.states[column].joints[n] for n in other.movers}
    state = one.states[row].with_(joints={**one.states[row].joints, **joints})
    arrangement = model.arrangement(state)
    poses = arrangement.placed(state)
    corners = []
    for alone in (one, other):
        names = going(model, state, alone.movers)
        places = np.array([model.index[name] for name in sorted(names)], dtype=np.int32)
        low, high = arrangement.boxes(places, poses)
        corners.append((low.min(axis=0), high.max(axis=0)))
    low = np.maximum(corners[0][0], corners[1][0])
    high = np.minimum(corners[0][1], corners[1][1])
    return np.minimum(low, high), np.maximum(low, high)


def _rows(alone: Alone, places: Sequence[int]) -> Array:
    return np.array([np.concatenate([alone.states[k].joints[name] for name in alone.movers]) for k in places])


def _epochs(alone: Alone) -> list[list[int]]:
    """The samples of a program, those with the same carriers together."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for k, state in enumerate(alone.states):
        key = tuple(sorted((part, held.frame) for part, held in state.attached.items()))
        groups.setdefault(key, []).append(k)
    return list(groups.values())


def _merged(one: CellState, other: CellState, start: CellState) -> CellState:
    """What both programs have changed of who carries what and where free parts lie."""
    attached = {**other.attached}
    for part in {*one.attached, *start.attached}:
        if one.attached.get(part) != start.attached.get(part):
            if part in one.attached:
                attached[part] = one.attached[part]
            else:
                attached.pop(part, None)
    poses = {**other.poses}
    poses |= {name: pose for name, pose in one.poses.items() if start.poses.get(name) != pose}
    return other.with_(attached=attached, poses=poses)
