"""A recording, for reading: where everything was at every instant, and events.

Every robot that moved, and every solid that moved on its own, has a way: exact pieces, each a motion with its start
and end, and samples only for motions without a formula. Everything else (what holds what, where parts were put down,
signals) is a list of changes in the order of time. Frames, the times at which a motion is shown step by step, are
found from the pieces when they are asked for.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.simulation.events import Event, Issued
from workcell.simulation.happenings import Move, Signalled, StateChange, after
from workcell.simulation.pieces import Exact
from workcell.simulation.ran_texts import RanText
from workcell.simulation.way import Way
from workcell.spatial.pose import Pose
from workcell.world.cell_print import CellPrint, cell_print, differences
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

EVERY = 64
"""The state is kept after this many changes, so that any other state is a few changes away."""


class Recorded:
    """What happened, from a state on."""

    def __init__(self, start: CellState) -> None:
        self.start = start
        self.events: list[Event] = []
        self.sources: list[Issued] = []
        """The source of each step, in order. Events do not depend on it."""
        self.texts: list[RanText] = []
        """The lines of the programs that ran, in order."""
        self.moves: list[Move] = []
        self._changes: list[StateChange] = []
        self._kept: list[CellState] = [start]
        self._ways: dict[str, Way] = {}
        self._clock: list[tuple[float, float]] = []
        self._end = start.time
        self.made_in: Snapshot | None = None
        """The cell in which it is being recorded."""
        self._cell: CellPrint | None = None

    @property
    def cell(self) -> CellPrint | None:
        """The print of the cell in which it was made; None if unknown."""
        return self._cell if self.made_in is None else cell_print(self.made_in)

    @cell.setter
    def cell(self, found: CellPrint | None) -> None:
        self.made_in, self._cell = None, found

    def differs_from(self, snapshot: Snapshot) -> tuple[str, ...] | None:
        """Return how a cell differs from the one in which it was made; None if unknown."""
        if self.made_in is snapshot:
            return ()
        return None if self.cell is None else differences(self.cell, snapshot)

    @property
    def empty(self) -> bool:
        """Whether nothing has been recorded yet."""
        return not (self.events or self.moves or self._changes or self._ways or self.duration)

    @property
    def size(self) -> int:
        """Its approximate memory [bytes]."""
        ways = sum(way.size for way in self._ways.values())
        return ways + 200 * (len(self.events) + len(self.sources) + len(self.moves) + len(self._changes))

    @property
    def duration(self) -> float:
        """The time from the start to the last instant [s]."""
        return self._end - self.start.time

    @property
    def end(self) -> float:
        """The last instant [s]."""
        return self._end

    @property
    def exact(self) -> bool:
        """Whether every motion has a formula; older recordings hold samples."""
        return all(isinstance(piece, Exact) for way in self._ways.values() for piece in way.pieces)

    @property
    def times(self) -> NDArray[np.float64]:
        """The times of all frames, in order, the start first [s]."""
        frames = [way.samples()[0] for way in self._ways.values()]
        return np.unique(np.concatenate([[self.start.time], *frames]))

    def clock(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the shown clock at times of the recording (N,) [s]: the same, except in the mode joint-by-joint."""
        if not self._clock and self.start.clock is None:
            return times
        knots = np.array([(self.start.time, self.start.shown_time), *self._clock])
        shown = np.interp(times, knots[:, 0], knots[:, 1])
        after = times > knots[-1, 0]
        return np.asarray(np.where(after, knots[-1, 1] + (times - knots[-1, 0]), shown))

    @property
    def clock_marks(self) -> list[tuple[float, float]]:
        """Times and the shown clock, where they differ; linear in between [s]."""
        return self._clock

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots that moved."""
        return tuple(device for device, way in self._ways.items() if not way.solid)

    @property
    def solids(self) -> tuple[str, ...]:
        """The solids that moved on their own."""
        return tuple(device for device, way in self._ways.items() if way.solid)

    def way(self, device: str) -> Way:
        """Return the way of a robot or solid that moved; a robot that did not move stays at its start."""
        return self._ways[device] if device in self._ways else Way(self.start.joints[device], self.start.time)

    def column(self, robot: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the frames of one robot: times (N,) and joints (N, n), including the start; read-only."""
        return self.way(robot).samples()

    @property
    def joints(self) -> dict[str, NDArray[np.float64]]:
        """Return joint values of every robot that moved at all of :attr:`times`."""
        return self.joints_at(self.times)

    def joints_at(self, times: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return joint values of every robot that moved, at any times (N,)."""
        return {robot: way.at(times) for robot, way in self._ways.items() if not way.solid}

    def poses_at(self, time: float, *, coming: bool = False) -> dict[str, Pose]:
        """Return ``X_world_body`` of free solids at a time [s]; with ``coming``, just before it."""
        return {
            body: pose_of_row(way.before(time) if coming else way.one(time))
            for body, way in self._ways.items()
            if way.solid and (way.piece_at(time, coming=coming) is not None or self._unfinished(body, way, time))
        }

    def _unfinished(self, body: str, way: Way, time: float) -> bool:
        """Return whether a solid is where its last piece ends because nothing has happened to it since."""
        end = way.pieces[-1].end
        if time < end:
            return False
        later = itertools.takewhile(lambda change: change.time >= end, reversed(self._changes))
        return all(isinstance(change, Signalled) or change.body != body for change in later)

    @property
    def changes(self) -> tuple[StateChange, ...]:
        """Everything that changed besides joint values, in the order of time."""
        return tuple(self._changes)

    def changed_by(self, times: Iterable[float]) -> NDArray[np.int64]:
        """Return how many changes were made up to each time (N,), including those at that instant."""
        return np.searchsorted([change.time for change in self._changes], np.asarray(times), side="right")

    def held(self, count: int) -> CellState:
        """Return the start after the first ``count`` changes: attachments, free poses and signals at that time."""
        known = min(count // EVERY, len(self._kept) - 1)
        state = self._kept[known]
        for change in self._changes[known * EVERY : count]:
            state = after(state, change)
        return state

    def state_at(self, time: float) -> CellState:
        """Return the state at a time of the recording [s]."""
        if not self.start.time <= time <= self._end + 1e-9:
            raise InvalidValue(
                f"The recording runs from {self.start.time:g} to {self._end:g} s; {time:g} s is outside."
            )
        moved = {robot: way.one(time) for robot, way in self._ways.items() if not way.solid}
        count = bisect.bisect_right(self._changes, time, key=lambda change: change.time)
        state = self.held(count).with_(time=time, clock=self._shown(time), joints={**self.start.joints, **moved})
        gliding = {body: pose for body, pose in self.poses_at(time).items() if body not in state.attached}
        return state.with_(poses={**state.poses, **gliding}) if gliding else state

    def state_before(self, time: float) -> CellState:
        """Return the state just before an instant of the recording [s], without the changes at that instant.

        A move that ends where a gripper then closes reaches the part before it is gripped.
        """
        earlier = bisect.bisect_left(self._changes, time, key=lambda change: change.time)
        moved = {robot: way.before(time) for robot, way in self._ways.items() if not way.solid}
        before = self.held(earlier).with_(time=time, clock=self._shown(time), joints={**self.start.joints, **moved})
        gliding = {
            body: pose_of_row(way.before(time))
            for body, way in self._ways.items()
            if way.solid and body not in before.attached and way.piece_at(time, coming=True) is not None
        }
        return before.with_(poses={**before.poses, **gliding})

    def _shown(self, time: float) -> float | None:
        if not self._clock and self.start.clock is None:
            return None
        return float(self.clock(np.array([time]))[0])


def pose_of_row(row: NDArray[np.float64]) -> Pose:
    """Return the pose of three rows of four numbers (12,)."""
    matrix = np.eye(4)
    matrix[:3] = row.reshape(3, 4)
    return Pose(matrix)
