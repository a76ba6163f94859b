"""What happened: states over simulated time in columns, and events.

A column belongs to one robot and holds its joint values at the times of its own samples, so only what moved is
stored. Between samples joints are interpolated linearly, which is exact for linear moves; other moves are sampled
as densely as the simulator's resolution asks. What is not a joint value (who holds what, where parts were put down,
signals) is a list of changes in the order of time.
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue, NotACell
from workcell.simulation.happenings import Change, Event, Move, after
from workcell.world.state import CellState

_MAGIC = b"WCREC001"
FILE_MAGIC = b"WCRECF01"
"""How a file begins that was written segment by segment."""
_encode = msgspec.msgpack.Encoder(order="sorted").encode


_EVERY = 64
"""After so many changes the state is kept, so that any other is a few changes away."""


class _Header(msgspec.Struct, frozen=True, omit_defaults=True):
    start: str
    events: list[Event]
    robots: list[tuple[str, int, int]]
    """Name, number of samples, number of joints."""
    changes: list[Change] = []
    moves: list[Move] = []


class Recording:
    """States over time; grows while a program runs, then is read."""

    def __init__(self, start: CellState) -> None:
        self.start = start
        self.events: list[Event] = []
        self.moves: list[Move] = []
        self._changes: list[Change] = []
        self._kept: list[CellState] = [start]
        self._times: dict[str, list[NDArray[np.float64]]] = {}
        self._joints: dict[str, list[NDArray[np.float64]]] = {}
        self._end = start.time

    # ---- writing ----------------------------------------------------------------------------------------

    def add(self, robot: str, times: NDArray[np.float64], joints: NDArray[np.float64]) -> None:
        """Append samples of one robot: times (N,) [s], not before the last one, and joints (N, n)."""
        self._times.setdefault(robot, []).append(np.array(times, dtype=np.float64))
        self._joints.setdefault(robot, []).append(np.array(joints, dtype=np.float64))
        if len(times):
            self._end = max(self._end, float(times[-1]))

    def note(self, time: float, kind: str, text: str) -> None:
        """Record an event."""
        self.events.append(Event(time, kind, text))
        self._end = max(self._end, time)

    def change(self, change: Change) -> None:
        """Record a change of the state, not before the last one."""
        if self._changes and change.time < self._changes[-1].time:
            raise InvalidValue(
                f"Changes are recorded in the order of time; {change.time:g} s is before {self._changes[-1].time:g} s."
            )
        self._changes.append(change)
        if len(self._changes) % _EVERY == 0:
            self._kept.append(self.held(len(self._changes)))
        self._end = max(self._end, change.time)

    def moved(self, move: Move) -> None:
        """Record what is to be reported of a move."""
        self.moves.append(move)
        self._end = max(self._end, move.end)

    def reached(self, state: CellState) -> None:
        """All that happened up to this state is recorded."""
        self._end = max(self._end, state.time)

    def extend(self, later: Recording) -> None:
        """Append another recording that begins where this one ends."""
        for robot in later.robots:
            times, values = later.column(robot)
            self.add(robot, times[1:], values[1:])
        self.events += later.events
        for change in later.changes:
            self.change(change)
        self.moves += later.moves
        self._end = max(self._end, later.end)

    def copy(self) -> Recording:
        """What was recorded so far, while this one grows on."""
        other = Recording(self.start)
        other.events = list(self.events)
        other.moves = list(self.moves)
        other._changes = list(self._changes)
        other._kept = list(self._kept)
        other._times = {robot: list(columns) for robot, columns in self._times.items()}
        other._joints = {robot: list(columns) for robot, columns in self._joints.items()}
        other._end = self._end
        return other

    # ---- reading ----------------------------------------------------------------------------------------

    @property
    def duration(self) -> float:
        """From the start to the last sample [s]."""
        return self._end - self.start.time

    @property
    def end(self) -> float:
        """The time of the last sample [s]."""
        return self._end

    @property
    def times(self) -> NDArray[np.float64]:
        """Every time at which something was sampled, the start first, in order."""
        columns = [column for columns in self._times.values() for column in columns]
        return np.unique(np.concatenate([[self.start.time], *columns]))

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots that moved."""
        return tuple(self._times)

    def column(self, robot: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The samples of one robot: times (N,) and joints (N, n), the start included."""
        start = self.start.joints[robot]
        times = np.concatenate([[self.start.time], *self._times.get(robot, [])])
        return times, np.concatenate([start[None, :], *self._joints.get(robot, [])])

    @property
    def joints(self) -> dict[str, NDArray[np.float64]]:
        """Joint values of every robot that moved at all of :attr:`times`."""
        return self.joints_at(self.times)

    def joints_at(self, times: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Joint values of every robot that moved, at any times (N,)."""
        out = {}
        for robot in self._times:
            known, values = self.column(robot)
            out[robot] = np.column_stack([np.interp(times, known, column) for column in values.T])
        return out

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that changed beside joint values, in the order of time."""
        return tuple(self._changes)

    def changed_by(self, times: Iterable[float]) -> NDArray[np.int64]:
        """How many changes were made up to each time (N,), those at the very instant included."""
        return np.searchsorted([change.time for change in self._changes], np.asarray(times), side="right")

    def held(self, count: int) -> CellState:
        """The start with the first ``count`` changes made: attachments, free poses and signals then."""
        known = min(count // _EVERY, len(self._kept) - 1)
        state = self._kept[known]
        for change in self._changes[known * _EVERY : count]:
            state = after(state, change)
        return state

    def state_at(self, time: float) -> CellState:
        """The state at a time of the recording [s]."""
        if not self.start.time <= time <= self._end + 1e-9:
            raise InvalidValue(
                f"The recording runs from {self.start.time:g} to {self._end:g} s; {time:g} s is outside."
            )
        moved = {name: values[0] for name, values in self.joints_at(np.array([time])).items()}
        count = bisect.bisect_right(self._changes, time, key=lambda change: change.time)
        return self.held(count).with_(time=time, joints={**self.start.joints, **moved})

    # ---- keeping ----------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The whole recording; the same run always gives the same bytes."""
        columns = {robot: self.column(robot) for robot in sorted(self._times)}
        header = _encode(
            _Header(
                self.start.to_json(),
                self.events,
                [(robot, len(times) - 1, values.shape[1]) for robot, (times, values) in columns.items()],
                self._changes,
                self.moves,
            )
        )
        body = b"".join(
            times[1:].astype("<f8").tobytes() + values[1:].astype("<f8").tobytes() for times, values in columns.values()
        )
        return _MAGIC + struct.pack("<Q", len(header)) + header + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Recording:
        """What :meth:`to_bytes` wrote."""
        if data[:8] != _MAGIC:
            raise NotACell("This is not a recording of Workcell.")
        try:
            (length,) = struct.unpack_from("<Q", data, 8)
            header = msgspec.msgpack.decode(data[16 : 16 + length], type=_Header)
            recording = cls(CellState.from_json(header.start))
            at = 16 + length
            for robot, count, n in header.robots:
                times = np.frombuffer(data, "<f8", count, at)
                values = np.frombuffer(data, "<f8", count * n, at + 8 * count).reshape(count, n)
                at += 8 * count * (1 + n)
                recording.add(robot, times, values)
        except (struct.error, msgspec.MsgspecError, ValueError) as error:
            raise NotACell(f"The recording is damaged: {error}.") from error
        for event in header.events:
            recording.note(event.time, event.kind, event.text)
        for change in header.changes:
            recording.change(change)
        for move in header.moves:
            recording.moved(move)
        return recording

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        try:
            Path(path).write_bytes(self.to_bytes())
        except OSError as error:
            raise FileProblem(f"Cannot write {path}: {error.strerror}.") from error

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read it from a file, whether it was saved at once or written as it happened."""
        try:
            with open(path, "rb") as file:
                if file.read(8) == FILE_MAGIC:
                    from workcell.simulation.recording_file import RecordingFile

                    with RecordingFile(path) as segments:
                        return segments.recording()
            return cls.from_bytes(Path(path).read_bytes())
        except OSError as error:
            raise FileProblem(f"Cannot read {path}: {error.strerror}.") from error
