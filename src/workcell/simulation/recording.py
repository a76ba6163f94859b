"""What happened: where everything was at every instant, and events.

Every robot that moved, and every solid that moved on its own, has a way: exact pieces, each a motion with the time
from when to when it was made, and samples only for what has no formula. What is neither (who holds what, where parts
were put down, signals) is a list of changes in the order of time. Frames, the times at which a motion is shown step by
step, are found from the pieces when they are asked for.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.geometry.formats.files import write_whole
from workcell.simulation import events as happened
from workcell.simulation.events import Event, Issued
from workcell.simulation.happenings import Attached, Change, Move, Placed, Signalled, after, renamed, twelve
from workcell.simulation.pieces import Exact, Piece, jump, samples_of
from workcell.simulation.way import Way
from workcell.spatial.pose import Pose
from workcell.world.cell_print import CellPrint, cell_print, differences
from workcell.world.renaming import UNCHANGED, Renaming
from workcell.world.snapshot import WORLD, Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.recording_file import RecordingWriter

FILE_MAGIC = b"WCRECF01"
"""How a file begins that was written segment by segment."""
_EVERY = 64
"""After so many changes the state is kept, so that any other is a few changes away."""


@dataclass(frozen=True)
class Mark:
    """How much was recorded at an instant: numbers of everything, how far every way goes, and the end [s]."""

    events: int
    sources: int
    moves: int
    changes: int
    ways: Mapping[str, tuple[int, float]]
    clock: int
    end: float


class Recording:
    """What happened from a state on; grows while a program runs, then is read."""

    def __init__(self, start: CellState) -> None:
        self.start = start
        self.events: list[Event] = []
        self.sources: list[Issued] = []
        """Who issued which step, in order; events are the same whoever does."""
        self.moves: list[Move] = []
        self._changes: list[Change] = []
        self._kept: list[CellState] = [start]
        self._ways: dict[str, Way] = {}
        self._clock: list[tuple[float, float]] = []
        self._end = start.time
        self.also: RecordingWriter | None = None
        """A file that everything is written to as well, as it happens."""
        self.made_in: Snapshot | None = None
        """The cell in which it goes on, while it is made."""
        self._cell: CellPrint | None = None

    # ---- writing ----------------------------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """Whether it wants to know the whole state: a file that is written along does now and then."""
        return self.also is not None and self.also.due

    def drive(self, device: str, piece: Piece) -> bool:
        """Record a piece of what a robot or solid does, or more of the last one; whether it is a new one."""
        way = self._ways.get(device)
        if way is None:
            start = None if piece.solid else self.start.joints.get(device)
            self._ways[device] = way = Way(start, self.start.time)
        if piece.begin < self.start.time:
            piece = piece.from_(self.start.time, way.start if way.start is not None else piece.one(self.start.time))
        new = way.add(piece)
        self._end = max(self._end, piece.end)
        if self.also is not None:
            self.also.drive(device, piece)
        return new

    def add(self, robot: str, times: NDArray[np.float64], joints: NDArray[np.float64]) -> None:
        """Append samples of one robot: times (N,) [s], not before the last one, and joints (N, n); straight between."""
        way = self._ways.get(robot)
        rows, when = np.asarray(joints, dtype=np.float64), np.asarray(times, dtype=np.float64)
        before = self.start.joints.get(robot) if way is None else way.one(way.mark[1])
        if before is not None and len(when):
            at = self.start.time if way is None else way.mark[1]
            when, rows = np.concatenate([[at], when]), np.vstack([before, rows])
        for piece in samples_of(when, rows):
            self.drive(robot, piece)

    def add_poses(self, body: str, times: NDArray[np.float64], poses: NDArray[np.float64]) -> None:
        """Append poses of a solid that moves on its own: times (N,) [s], the first its beginning, and rows (N, 12)."""
        for piece in samples_of(np.asarray(times, dtype=np.float64), np.asarray(poses, dtype=np.float64), solid=True):
            self.drive(body, piece)

    def shows(self, time: float, clock: float) -> None:
        """Record what the clock of the thesis shows at a time [s]; straight from the last one recorded."""
        if not self._clock or self._clock[-1] != (time, clock):
            self._clock.append((time, clock))
        if self.also is not None:
            self.also.shows(time, clock)

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

    def ends(self, time: float) -> None:
        """Nothing happens up to an instant [s]."""
        self._end = max(self._end, time)

    def extend(self, later: Recording) -> None:
        """Append another recording that begins where this one ends."""
        for device, way in later._ways.items():
            for piece in way.pieces:
                self.drive(device, piece)
        self.events += later.events
        self.sources += later.sources
        for change in later.changes:
            self.change(change)
        self.moves += later.moves
        for time, clock in later._clock:
            self.shows(time, clock)
        self._end = max(self._end, later.end)
        self.cell = self.cell or later.cell

    def copy(self) -> Recording:
        """What was recorded so far, while this one grows on."""
        return self.cut(self.mark())

    def mark(self) -> Mark:
        """How much is recorded now, so that :meth:`cut` can come back to it."""
        ways = {device: way.mark for device, way in self._ways.items()}
        counts = len(self.events), len(self.sources), len(self.moves), len(self._changes)
        return Mark(*counts, ways, len(self._clock), self._end)

    def cut(self, mark: Mark) -> Recording:
        """What was recorded at a mark, as a recording that can grow in another way."""
        other = Recording(self.start)
        other.events, other.moves = self.events[: mark.events], self.moves[: mark.moves]
        other.sources = self.sources[: mark.sources]
        other._changes = self._changes[: mark.changes]
        other._kept = self._kept[: 1 + mark.changes // _EVERY]
        other._ways = {device: self._ways[device].copy(known) for device, known in mark.ways.items()}
        other._clock = self._clock[: mark.clock]
        other._end = mark.end
        other.made_in, other._cell = self.made_in, self._cell
        return other

    def renamed(self, new: Renaming) -> Recording:
        """The same happenings with other names; what is gone is left out, but events name it as before."""
        if new is UNCHANGED:
            return self
        other = Recording(self.start.renamed(new))
        other.events = [happened.renamed(event, new) for event in self.events]
        other.sources = list(self.sources)
        other.moves = [msgspec.structs.replace(move, robot=now) for move in self.moves if (now := new(move.robot))]
        for change in self._changes:
            followed = renamed(change, new)
            if followed is not None:
                other.change(followed)
        other._ways = {now: way.copy() for device, way in self._ways.items() if (now := new(device))}
        other._clock = list(self._clock)
        other._end = self._end
        other._cell = self._cell and self._cell.renamed(new)
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
        other._ways = {
            device: way.copy() for device, way in self._ways.items() if device in (names if way.solid else robots)
        }
        other._clock = list(self._clock)
        other._end = self._end
        other.made_in, other._cell = self.made_in, self._cell
        return other

    def jump(self, before: CellState, now: CellState) -> None:
        """Record what was put elsewhere at once, without any motion: an edit of the cell."""
        time = now.time
        for robot, values in now.joints.items():
            if not np.array_equal(before.joints[robot], values):
                self.drive(robot, jump(time, before.joints[robot], values))
        for body, held in now.attached.items():
            if before.attached.get(body) != held:
                self.change(Attached(time, body, held.frame, twelve(held.X_frame_body)))
        for body, pose in now.poses.items():
            was = before.poses.get(body)
            if body not in now.attached and ((was is not pose and was != pose) or body in before.attached):
                self.change(Placed(time, body, twelve(pose)))
        for signal, value in now.signals.items():
            if before.signals.get(signal) != value:
                self.change(Signalled(time, signal, value))

    # ---- reading ----------------------------------------------------------------------------------------

    @property
    def cell(self) -> CellPrint | None:
        """The print of the cell in which it was made; None where that is not known."""
        return self._cell if self.made_in is None else cell_print(self.made_in)

    @cell.setter
    def cell(self, found: CellPrint | None) -> None:
        self.made_in, self._cell = None, found

    def differs_from(self, snapshot: Snapshot) -> tuple[str, ...] | None:
        """In what a cell differs from the one in which it was made; None where that is not known."""
        if self.made_in is snapshot:
            return ()
        return None if self.cell is None else differences(self.cell, snapshot)

    @property
    def empty(self) -> bool:
        """Whether nothing has been recorded yet."""
        return not (self.events or self.moves or self._changes or self._ways or self.duration)

    @property
    def size(self) -> int:
        """About how much memory it takes [bytes]."""
        ways = sum(way.size for way in self._ways.values())
        return ways + 200 * (len(self.events) + len(self.sources) + len(self.moves) + len(self._changes))

    @property
    def duration(self) -> float:
        """From the start to the last instant [s]."""
        return self._end - self.start.time

    @property
    def end(self) -> float:
        """The last instant [s]."""
        return self._end

    @property
    def exact(self) -> bool:
        """Whether every motion is known by its formula; older recordings hold samples."""
        return all(isinstance(piece, Exact) for way in self._ways.values() for piece in way.pieces)

    @property
    def times(self) -> NDArray[np.float64]:
        """The times at which something is shown, the start first, in order [s]."""
        frames = [way.samples()[0] for way in self._ways.values()]
        return np.unique(np.concatenate([[self.start.time], *frames]))

    def clock(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the clock shows at times of the recording (N,) [s]: the same, but for the joint-by-joint mode."""
        if not self._clock and self.start.clock is None:
            return times
        knots = np.array([(self.start.time, self.start.shown_time), *self._clock])
        shown = np.interp(times, knots[:, 0], knots[:, 1])
        after = times > knots[-1, 0]
        return np.asarray(np.where(after, knots[-1, 1] + (times - knots[-1, 0]), shown))

    @property
    def clock_marks(self) -> list[tuple[float, float]]:
        """Times and what the clock showed then, where it was not the time; straight between [s]."""
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
        """The way of a robot or solid that moved; a robot that did not stands where it starts."""
        return self._ways[device] if device in self._ways else Way(self.start.joints[device], self.start.time)

    def column(self, robot: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The frames of one robot: times (N,) and joints (N, n), the start included; not to be written to."""
        return self.way(robot).samples()

    @property
    def joints(self) -> dict[str, NDArray[np.float64]]:
        """Joint values of every robot that moved at all of :attr:`times`."""
        return self.joints_at(self.times)

    def joints_at(self, times: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Joint values of every robot that moved, at any times (N,)."""
        return {robot: way.at(times) for robot, way in self._ways.items() if not way.solid}

    def poses_at(self, time: float, *, coming: bool = False) -> dict[str, Pose]:
        """``X_world_body`` of the solids that move on their own at a time [s]; ``coming``: as it is come to."""
        return {
            body: pose_of_row(way.before(time) if coming else way.one(time))
            for body, way in self._ways.items()
            if way.solid and (way.piece_at(time, coming=coming) is not None or self._unfinished(body, way, time))
        }

    def _unfinished(self, body: str, way: Way, time: float) -> bool:
        """Whether a solid is where its last piece ends because nothing has happened to it since."""
        end = way.pieces[-1].end
        if time < end:
            return False
        later = itertools.takewhile(lambda change: change.time >= end, reversed(self._changes))
        return all(isinstance(change, Signalled) or change.body != body for change in later)

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
        moved = {robot: way.one(time) for robot, way in self._ways.items() if not way.solid}
        count = bisect.bisect_right(self._changes, time, key=lambda change: change.time)
        state = self.held(count).with_(time=time, clock=self._shown(time), joints={**self.start.joints, **moved})
        gliding = {body: pose for body, pose in self.poses_at(time).items() if body not in state.attached}
        return state.with_(poses={**state.poses, **gliding}) if gliding else state

    def state_before(self, time: float) -> CellState:
        """The state as an instant of the recording is come to [s]: without what changes at that very instant.

        A move that ends where a gripper then closes comes to the part before it is taken.
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

    # ---- keeping ----------------------------------------------------------------------------------------

    def to_bytes(self, sources: bool = False) -> bytes:
        """What happened; the same run always gives the same bytes.

        Args:
            sources: write also who issued which step and in which cell, as files do; without, the bytes do not depend
                on who drives.
        """
        from workcell.simulation.recording_bytes import encoded

        return encoded(self, sources)

    @classmethod
    def from_bytes(cls, data: bytes) -> Recording:
        """What :meth:`to_bytes` wrote, now or in an older version."""
        from workcell.simulation.recording_bytes import decoded

        return decoded(data)

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


def pose_of_row(row: NDArray[np.float64]) -> Pose:
    """The pose of three rows of four numbers (12,)."""
    matrix = np.eye(4)
    matrix[:3] = row.reshape(3, 4)
    return Pose(matrix)
