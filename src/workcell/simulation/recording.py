"""What happened: states over simulated time in columns, and events.

A column belongs to one robot and holds its joint values at the times of its own samples, so only what moved is
stored. Between samples joints are interpolated linearly, which is exact for linear moves; other moves are sampled
as densely as the simulator's resolution asks. Solids that move on their own have columns of poses for that while. What
is neither (who holds what, where parts were put down, signals) is a list of changes in the order of time.
"""

from __future__ import annotations

import bisect
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue, NotACell
from workcell.geometry.formats.files import write_whole
from workcell.simulation import events as happened
from workcell.simulation.columns import Column, PoseColumn
from workcell.simulation.events import Event, Issued, Noted
from workcell.simulation.happenings import Attached, Change, Move, Placed, Signalled, after, renamed, twelve
from workcell.spatial.pose import Pose
from workcell.world.snapshot import WORLD, Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.recording_file import RecordingWriter

MAGIC = b"WCREC003"
"""How a recording begins that was saved at once."""
OLD_MAGIC = b"WCREC002"
"""How one began whose events were kinds and texts."""
_FRAME = struct.Struct("<QI")
"""Length of the header, check sum of it and of all that follows."""
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
    solids: list[tuple[str, int, list[tuple[float, float]]]] = []
    """Name, number of samples, and the stretches of time in which it moves on its own."""
    end: float = -np.inf
    """The last instant [s], also where nothing happened."""
    sources: list[Issued] = []


class _OldEvent(msgspec.Struct, frozen=True):
    time: float
    kind: str
    text: str
    robot: str = ""
    figures: dict[str, float] = {}


class _OldHeader(_Header, frozen=True):
    events: list[_OldEvent]  # type: ignore[assignment]


@dataclass(frozen=True)
class Mark:
    """How much was recorded at an instant: numbers of everything, the last stretch of every solid, and the end [s]."""

    events: int
    sources: int
    moves: int
    changes: int
    columns: Mapping[str, int]
    solids: Mapping[str, tuple[int, int, tuple[float, float]]]
    end: float


class Recording:
    """States over time; grows while a program runs, then is read."""

    def __init__(self, start: CellState) -> None:
        self.start = start
        self.events: list[Event] = []
        self.sources: list[Issued] = []
        """Who issued which step, in order; events are the same whoever does."""
        self.moves: list[Move] = []
        self._changes: list[Change] = []
        self._kept: list[CellState] = [start]
        self._columns: dict[str, Column] = {}
        self._solids: dict[str, PoseColumn] = {}
        self._end = start.time
        self.also: RecordingWriter | None = None
        """A file that everything is written to as well, as it happens."""

    # ---- writing ----------------------------------------------------------------------------------------

    def add(self, robot: str, times: NDArray[np.float64], joints: NDArray[np.float64]) -> None:
        """Append samples of one robot: times (N,) [s], not before the last one, and joints (N, n)."""
        rows = np.asarray(joints, dtype=np.float64)
        if robot not in self._columns:
            start = self.start.joints.get(robot)
            self._columns[robot] = column = Column(rows.shape[1])
            if start is not None:
                column.add(np.array([self.start.time]), start[None, :])
        self._columns[robot].add(np.asarray(times, dtype=np.float64), rows)
        if len(times):
            self._end = max(self._end, float(times[-1]))
        if self.also is not None:
            self.also.add(robot, times, rows)

    def add_poses(self, body: str, times: NDArray[np.float64], poses: NDArray[np.float64]) -> None:
        """Append poses of a solid that moves on its own: times (N,) [s], the first its beginning, and rows (N, 12)."""
        self._solids.setdefault(body, PoseColumn()).add(times, poses)
        if len(times):
            self._end = max(self._end, float(times[-1]))
        if self.also is not None:
            self.also.add_poses(body, times, poses)

    def event(self, event: Event) -> None:
        """Record an event."""
        self.events.append(event)
        self._end = max(self._end, event.time)
        if self.also is not None:
            self.also.event(event)

    def source(self, source: Issued) -> None:
        """Record who issued a step."""
        self.sources.append(source)
        if self.also is not None:
            self.also.source(source)

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
        if self.also is not None:
            self.also.change(change)

    def moved(self, move: Move) -> None:
        """Record what is to be reported of a move."""
        self.moves.append(move)
        self._end = max(self._end, move.end)
        if self.also is not None:
            self.also.moved(move)

    def reached(self, state: CellState) -> None:
        """All that happened up to this state is recorded."""
        self._end = max(self._end, state.time)
        if self.also is not None:
            self.also.reached(state)

    def extend(self, later: Recording) -> None:
        """Append another recording that begins where this one ends."""
        for robot in later.robots:
            times, values = later.column(robot)
            self.add(robot, times[1:], values[1:])
        for body, column in later._solids.items():
            for times, poses in _pieces(column):
                self.add_poses(body, times, poses)
        self.events += later.events
        self.sources += later.sources
        for change in later.changes:
            self.change(change)
        self.moves += later.moves
        self._end = max(self._end, later.end)

    def copy(self) -> Recording:
        """What was recorded so far, while this one grows on."""
        other = Recording(self.start)
        other.events, other.sources = list(self.events), list(self.sources)
        other.moves = list(self.moves)
        other._changes = list(self._changes)
        other._kept = list(self._kept)
        other._columns = {robot: column.copy() for robot, column in self._columns.items()}
        other._solids = {body: column.copy() for body, column in self._solids.items()}
        other._end = self._end
        return other

    def mark(self) -> Mark:
        """How much is recorded now, so that :meth:`cut` can come back to it."""
        solids = {body: (len(one.samples), len(one.spans), one.spans[-1]) for body, one in self._solids.items()}
        columns = {robot: len(column) for robot, column in self._columns.items()}
        counts = len(self.events), len(self.sources), len(self.moves), len(self._changes)
        return Mark(*counts, columns, solids, self._end)

    def cut(self, mark: Mark) -> Recording:
        """What was recorded at a mark, as a recording that can grow in another way."""
        other = Recording(self.start)
        other.events, other.moves = self.events[: mark.events], self.moves[: mark.moves]
        other.sources = self.sources[: mark.sources]
        other._changes = self._changes[: mark.changes]
        other._kept = self._kept[: 1 + mark.changes // _EVERY]
        other._columns = {robot: self._columns[robot].copy(count) for robot, count in mark.columns.items()}
        other._solids = {
            body: self._solids[body].copy(count, [*self._solids[body].spans[: spans - 1], last])
            for body, (count, spans, last) in mark.solids.items()
        }
        other._end = mark.end
        return other

    def renamed(self, new: Callable[[str], str]) -> Recording:
        """The same happenings with other names of robots and bodies."""
        other = Recording(self.start.renamed(new))
        other.events = [happened.renamed(event, new) for event in self.events]
        other.sources = list(self.sources)
        other.moves = [msgspec.structs.replace(move, robot=new(move.robot)) for move in self.moves]
        for change in self._changes:
            other.change(renamed(change, new))
        other._columns = {new(robot): column.copy() for robot, column in self._columns.items()}
        other._solids = {new(body): column.copy() for body, column in self._solids.items()}
        other._end = self._end
        return other

    def on(self, snapshot: Snapshot) -> Recording:
        """The recording of what exists now: what came since stands where it begins, what is gone is left out."""
        start = snapshot.fitted(self.start)
        names = {body.name for body in snapshot.bodies} | {WORLD}
        robots = {placed.name for placed in snapshot.robots}
        changes = [
            change
            for change in self._changes
            if isinstance(change, Signalled)
            or (change.body in names and (isinstance(change, Placed) or change.frame in names))
        ]
        if start is self.start and len(changes) == len(self._changes):
            return self
        other = Recording(start)
        other.events, other.sources = list(self.events), list(self.sources)
        other.moves = [move for move in self.moves if move.robot in robots or move.robot in names]
        for change in changes:
            other.change(change)
        other._columns = {robot: column.copy() for robot, column in self._columns.items() if robot in robots}
        other._solids = {body: column.copy() for body, column in self._solids.items() if body in names}
        other._end = self._end
        return other

    def jump(self, before: CellState, now: CellState) -> None:
        """Record what was put elsewhere at once, without any motion: an edit of the cell."""
        time = now.time
        for robot, values in now.joints.items():
            if not np.array_equal(before.joints[robot], values):
                self.add(robot, np.full(2, time), np.vstack([before.joints[robot], values]))
        for body, held in now.attached.items():
            if before.attached.get(body) != held:
                self.change(Attached(time, body, held.frame, twelve(held.X_frame_body)))
        for body, pose in now.poses.items():
            if body not in now.attached and (before.poses.get(body) != pose or body in before.attached):
                self.change(Placed(time, body, twelve(pose)))
        for signal, value in now.signals.items():
            if before.signals.get(signal) != value:
                self.change(Signalled(time, signal, value))

    # ---- reading ----------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether nothing has been recorded yet."""
        return not (self.events or self.moves or self._changes or self._columns or self._solids or self.duration)

    @property
    def size(self) -> int:
        """About how much memory it takes [bytes]."""
        samples = sum(column.rows.nbytes + column.times.nbytes for column in self._columns.values())
        samples += sum(13 * 8 * len(column.samples) for column in self._solids.values())
        return samples + 200 * (len(self.events) + len(self.sources) + len(self.moves) + len(self._changes))

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
        columns = [column.times for column in self._columns.values()]
        columns += [column.samples.times for column in self._solids.values()]
        return np.unique(np.concatenate([[self.start.time], *columns]))

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots that moved."""
        return tuple(self._columns)

    @property
    def solids(self) -> tuple[str, ...]:
        """The solids that moved on their own."""
        return tuple(self._solids)

    def column(self, robot: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The samples of one robot: times (N,) and joints (N, n), the start included; not to be written to."""
        if robot not in self._columns:
            return np.array([self.start.time]), self.start.joints[robot][None, :]
        return self._columns[robot].times, self._columns[robot].rows

    def solid(self, body: str) -> PoseColumn:
        """The poses of a solid while it moved on its own."""
        return self._solids[body]

    @property
    def joints(self) -> dict[str, NDArray[np.float64]]:
        """Joint values of every robot that moved at all of :attr:`times`."""
        return self.joints_at(self.times)

    def joints_at(self, times: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Joint values of every robot that moved, at any times (N,)."""
        return {robot: column.at(times) for robot, column in self._columns.items()}

    def poses_at(self, time: float) -> dict[str, Pose]:
        """``X_world_body`` of the solids that move on their own at a time [s]."""
        return {body: Pose(column.at(time)) for body, column in self._solids.items() if column.covers(time)}

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
        state = self.held(count).with_(time=time, joints={**self.start.joints, **moved})
        gliding = {body: pose for body, pose in self.poses_at(time).items() if body not in state.attached}
        return state.with_(poses={**state.poses, **gliding}) if gliding else state

    def state_before(self, time: float) -> CellState:
        """The state as an instant of the recording is come to [s]: without what changes at that very instant.

        A move that ends where a gripper then closes comes to the part before it is taken.
        """
        earlier = bisect.bisect_left(self._changes, time, key=lambda change: change.time)
        moved = {robot: column.before(time) for robot, column in self._columns.items()}
        before = self.held(earlier).with_(time=time, joints={**self.start.joints, **moved})
        gliding = {
            body: Pose(column.at(time))
            for body, column in self._solids.items()
            if body not in before.attached and any(first < time <= last for first, last in column.spans)
        }
        return before.with_(poses={**before.poses, **gliding})

    # ---- keeping ----------------------------------------------------------------------------------------

    def to_bytes(self, sources: bool = False) -> bytes:
        """What happened; the same run always gives the same bytes.

        Args:
            sources: write also who issued which step, as files do; without, the bytes do not depend on who drives.
        """
        columns = {robot: self.column(robot) for robot in sorted(self._columns)}
        solids = {body: self._solids[body] for body in sorted(self._solids)}
        header = _encode(
            _Header(
                self.start.to_json(),
                self.events,
                [(robot, len(times) - 1, values.shape[1]) for robot, (times, values) in columns.items()],
                self._changes,
                self.moves,
                [(body, len(column.samples), column.spans) for body, column in solids.items()],
                self._end,
                self.sources if sources else [],
            )
        )
        body = b"".join(
            times[1:].astype("<f8").tobytes() + values[1:].astype("<f8").tobytes() for times, values in columns.values()
        )
        body += b"".join(
            column.samples.times.astype("<f8").tobytes() + column.samples.rows.astype("<f8").tobytes()
            for column in solids.values()
        )
        return MAGIC + _FRAME.pack(len(header), zlib.crc32(header + body)) + header + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Recording:
        """What :meth:`to_bytes` wrote."""
        if data[:8] not in (MAGIC, OLD_MAGIC):
            raise NotACell("This is not a recording of Workcell.")
        first = len(MAGIC) + _FRAME.size
        try:
            length, check = _FRAME.unpack_from(data, len(MAGIC))
            if zlib.crc32(memoryview(data)[first:]) != check:
                raise NotACell("The recording is damaged: its check sum is not that of its bytes.")
            header = _header(data[first : first + length], data[:8] == OLD_MAGIC)
            recording = cls(CellState.from_json(header.start))
            at = first + length
            for robot, count, n in header.robots:
                times = np.frombuffer(data, "<f8", count, at)
                values = np.frombuffer(data, "<f8", count * n, at + 8 * count).reshape(count, n)
                at += 8 * count * (1 + n)
                recording.add(robot, times, values)
            for name, count, spans in header.solids:
                known = recording._solids[name] = PoseColumn()
                times = np.frombuffer(data, "<f8", count, at)
                known.samples.add(times, np.frombuffer(data, "<f8", count * 12, at + 8 * count).reshape(count, 12))
                known.spans = [(first, last) for first, last in spans]
                at += 8 * count * 13
        except (struct.error, msgspec.MsgspecError, ValueError) as error:
            raise NotACell(f"The recording is damaged: {error}.") from error
        for event in header.events:
            recording.event(event)
        recording.sources = header.sources
        for change in header.changes:
            recording.change(change)
        for move in header.moves:
            recording.moved(move)
        recording._end = max(recording._end, header.end)
        return recording

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        write_whole(Path(path), self.to_bytes(sources=True))

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


def _header(data: bytes, old: bool) -> _Header:
    """The header of a recording; the events of an old one become notes."""
    if not old:
        return msgspec.msgpack.decode(data, type=_Header)
    header = msgspec.msgpack.decode(data, type=_OldHeader)
    notes: list[Event] = [Noted(one.time, one.kind, one.text, one.robot, one.figures) for one in header.events]
    return _Header(
        header.start, notes, header.robots, header.changes, header.moves, header.solids, header.end, header.sources
    )


def _pieces(column: PoseColumn) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The samples of every stretch in which a solid moves on its own."""
    times, rows = column.samples.times, column.samples.rows
    done = 0
    for _, last in column.spans:
        end = int(np.searchsorted(times, last, side="right"))
        yield times[done:end], rows[done:end]
        done = end
