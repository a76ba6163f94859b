"""A recording that grows while a program runs; then it is read and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.geometry.formats.whole_file import write_whole
from workcell.simulation import events as happened
from workcell.simulation.events import Event, Issued
from workcell.simulation.happenings import Attached, Move, Placed, Signalled, StateChange, renamed, twelve
from workcell.simulation.pieces import Piece, jump, samples_after, samples_of
from workcell.simulation.ran_texts import RanText, text_at
from workcell.simulation.recorded import EVERY, Recorded
from workcell.simulation.recorder import FileRecorder
from workcell.simulation.recording_bytes import Content, damage_reported, decoded, encoded
from workcell.simulation.segments import MAGIC as FILE_MAGIC
from workcell.simulation.segments import Segments
from workcell.simulation.way import Way
from workcell.world.places import WORLD
from workcell.world.renaming import UNCHANGED, Renaming
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


@dataclass(frozen=True)
class Mark:
    """How much was recorded at an instant: the numbers of all items, the length of every way, and the end [s]."""

    events: int
    sources: int
    moves: int
    changes: int
    ways: Mapping[str, tuple[int, float]]
    clock: int
    end: float


class Recording(Recorded):
    """What happened, from a state on. It grows while a program runs; then it is read."""

    def __init__(self, start: CellState) -> None:
        super().__init__(start)
        self.also: FileRecorder | None = None
        """A file to which everything is also written, as it happens."""

    # ---- writing ----------------------------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """Whether it needs the whole state, as a file that is written along does now and then."""
        return self.also is not None and self.also.due

    def drive(self, device: str, piece: Piece) -> bool:
        """Record a piece of the motion of a device, or more of the last piece; return whether it is a new piece."""
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
        """Append samples of one robot.

        Times (N,) [s], not before the last one, and joints (N, n); linear in between.
        """
        way = self._ways.get(robot)
        rows, when = np.asarray(joints, dtype=np.float64), np.asarray(times, dtype=np.float64)
        at = self.start.time if way is None else way.mark[1]
        before = self.start.joints.get(robot) if way is None else way.one(at)
        for piece in samples_after(at, before, when, rows):
            self.drive(robot, piece)

    def add_poses(self, body: str, times: NDArray[np.float64], poses: NDArray[np.float64]) -> None:
        """Append poses of a solid that moves on its own: times (N,) [s], the first its beginning, and rows (N, 12)."""
        for piece in samples_of(np.asarray(times, dtype=np.float64), np.asarray(poses, dtype=np.float64), solid=True):
            self.drive(body, piece)

    def shows(self, time: float, clock: float) -> None:
        """Record the clock of the thesis at a time [s]; linear since the last record."""
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
        """Record the source of a step."""
        self.sources.append(source)
        if self.also is not None:
            self.also.source(source)

    def text(self, program: str, text: str, units: str, entity: int) -> None:
        """Record the lines of a program that runs from now on, and its id in the cell; 0 if it has none."""
        last = text_at(self.texts, program, len(self.sources))
        if last is None or (last.text, last.units, last.entity) != (text, units, entity):
            self.texts.append(RanText(len(self.sources), program, text, units, entity))
        if self.also is not None:
            self.also.text(program, text, units, entity)

    def change(self, change: StateChange) -> None:
        """Record a change of the state, not before the last one."""
        if self._changes and change.time < self._changes[-1].time:
            raise InvalidValue(
                f"Changes are recorded in the order of time; {change.time:g} s is before {self._changes[-1].time:g} s."
            )
        self._changes.append(change)
        if len(self._changes) % EVERY == 0:
            self._kept.append(self.held(len(self._changes)))
        self._end = max(self._end, change.time)
        if self.also is not None:
            self.also.change(change)

    def moved(self, move: Move) -> None:
        """Record a finished move, for reports."""
        self.moves.append(move)
        self._end = max(self._end, move.end)
        if self.also is not None:
            self.also.moved(move)

    def reached(self, state: CellState) -> None:
        """Note that everything up to this state is recorded."""
        self._end = max(self._end, state.time)
        if self.also is not None:
            self.also.reached(state)

    def ends(self, time: float) -> None:
        """Extend the recording to an instant [s] at which nothing happens."""
        self._end = max(self._end, time)

    def extend(self, later: Recording) -> None:
        """Append another recording that begins where this one ends."""
        for device, way in later._ways.items():
            for piece in way.pieces:
                self.drive(device, piece)
        self.events += later.events
        before = len(self.sources)
        self.texts += [msgspec.structs.replace(one, since=before + one.since) for one in later.texts]
        self.sources += later.sources
        for change in later.changes:
            self.change(change)
        self.moves += later.moves
        for time, clock in later._clock:
            self.shows(time, clock)
        self._end = max(self._end, later.end)
        self.cell = self.cell or later.cell

    def copy(self) -> Recording:
        """Return a copy of the recording so far, while this one continues to grow."""
        return self.cut(self.mark())

    def mark(self) -> Mark:
        """Return how much is recorded now, so that :meth:`cut` can return to it."""
        ways = {device: way.mark for device, way in self._ways.items()}
        counts = len(self.events), len(self.sources), len(self.moves), len(self._changes)
        return Mark(*counts, ways, len(self._clock), self._end)

    def cut(self, mark: Mark) -> Recording:
        """Return the recording up to a mark, as a recording that can grow in another way."""
        other = Recording(self.start)
        other.events, other.moves = self.events[: mark.events], self.moves[: mark.moves]
        other.sources = self.sources[: mark.sources]
        other.texts = [one for one in self.texts if one.since <= mark.sources]
        other._changes = self._changes[: mark.changes]
        other._kept = self._kept[: 1 + mark.changes // EVERY]
        other._ways = {device: self._ways[device].copy(known) for device, known in mark.ways.items()}
        other._clock = self._clock[: mark.clock]
        other._end = mark.end
        other.made_in, other._cell = self.made_in, self._cell
        return other

    def renamed(self, new: Renaming) -> Recording:
        """Return the recording under other names. What no longer exists is left out, but events still name it."""
        if new is UNCHANGED:
            return self
        other = Recording(self.start.renamed(new))
        other.events = [happened.renamed(event, new) for event in self.events]
        other.sources, other.texts = list(self.sources), list(self.texts)
        other.moves = [msgspec.structs.replace(move, device=now) for move in self.moves if (now := new(move.device))]
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
        """Return the recording for the present cell.

        New things stay at their start, and removed things are left out.
        """
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
        other.events, other.sources, other.texts = list(self.events), list(self.sources), list(self.texts)
        other.moves = [move for move in self.moves if move.device in robots or move.device in names]
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
        """Record what an edit of the cell put elsewhere at once, without a motion."""
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

    # ---- keeping ----------------------------------------------------------------------------------------

    def to_bytes(self, sources: bool = False) -> bytes:
        """Return the recording as bytes; the same run always gives the same bytes.

        Args:
            sources: include the source of each step and the cell, as files do. Without them, the bytes do not depend
                on what drives the run.
        """
        return encoded(self, sources)

    @classmethod
    def from_bytes(cls, data: bytes) -> Recording:
        """Return the recording from what :meth:`to_bytes` returned, now or in an older version."""
        content = decoded(data)
        with damage_reported():
            return cls._of(content)

    @classmethod
    def _of(cls, content: Content) -> Recording:
        recording = cls(content.start)
        for device, piece in content.pieces:
            recording.drive(device, piece)
        for time, clock in content.clock:
            recording.shows(time, clock)
        recording.sources, recording.texts, recording.cell = content.sources, content.texts, content.cell
        for event in content.events:
            recording.event(event)
        for change in content.changes:
            recording.change(change)
        for move in content.moves:
            recording.moved(move)
        recording.ends(content.end)
        return recording

    @classmethod
    def from_segments(cls, segments: Segments) -> Recording:
        """Return a recording that was written in segments, in memory."""
        out = cls(cls.from_bytes(segments.data(0)).start)
        for place in range(len(segments)):
            out.extend(cls.from_bytes(segments.data(place)))
        return out

    def save(self, path: str | Path) -> None:
        """Write the recording to a file."""
        write_whole(Path(path), self.to_bytes(sources=True))

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording from a file, whether it was saved at once or written while it happened."""
        try:
            with open(path, "rb") as file:
                if file.read(8) == FILE_MAGIC:
                    with Segments(path) as segments:
                        return cls.from_segments(segments)
            return cls.from_bytes(Path(path).read_bytes())
        except OSError as error:
            raise FileProblem(f"Cannot read {path}: {error.strerror}.") from error
