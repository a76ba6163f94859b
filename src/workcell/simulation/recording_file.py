"""A recording that is written to disk while it is made: bounded memory, and readable after a kill.

The file is a row of segments. Each is a small recording that begins with a whole state, after its length, a checksum
and its times. A segment is written when it is large enough or one second of real time old, so a kill costs at most
the last second. A time is found by its segment, so seeking does not depend on the length of the recording.
"""

from __future__ import annotations

import time as clock
from bisect import bisect_right
from io import BufferedWriter
from pathlib import Path
from types import TracebackType

from workcell.errors import FileProblem, InvalidValue
from workcell.simulation.events import Event, Issued
from workcell.simulation.happenings import Move, StateChange
from workcell.simulation.pieces import Piece
from workcell.simulation.recording import Recording
from workcell.simulation.segments import MAGIC, Segments, framed
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

SIZE = 256 * 1024
"""The size at which a segment is written [bytes]."""
EVERY = 1.0
"""The age at which a segment is written [s of real time]."""


class RecordingWriter:
    """Writes a recording to a file while it happens; give it to a simulator as its recorder.

    Args:
        path: the file, which must not exist.
        start: the state at the beginning, that of the simulator.
        every: the longest time between two writes, in seconds of real time.
    """

    def __init__(self, path: str | Path, start: CellState, every: float = EVERY) -> None:
        try:
            self._file: BufferedWriter = open(path, "xb")  # noqa: SIM115 — closed by `close`
        except FileExistsError as error:
            raise FileProblem(f"{path} already exists; choose another name.") from error
        except OSError as error:
            raise FileProblem(f"Cannot write {path}: {error.strerror}.") from error
        self.path = Path(path)
        self.segments = 0
        self._every = every
        self._segment = Recording(start)
        self._held = 0
        self._written = clock.monotonic()
        self._file.write(MAGIC)
        self._cut(start)

    @classmethod
    def beside(cls, recording: Recording, state: CellState, path: str | Path) -> RecordingWriter:
        """Write the recording up to a state to a file, replacing it, and from now on everything that follows."""
        new = Path(f"{path}.new")
        new.unlink(missing_ok=True)
        writer = cls(new, recording.start)
        try:
            new.replace(path)
        except OSError as error:
            raise FileProblem(f"Cannot write {path}: {error.strerror}.") from error
        writer.path = Path(path)
        writer._segment.extend(recording)
        writer._cut(state)
        recording.also = writer
        return writer

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    @property
    def made_in(self) -> Snapshot | None:
        """The cell in which it continues; written with the next segment."""
        return self._segment.made_in

    @made_in.setter
    def made_in(self, snapshot: Snapshot | None) -> None:
        self._segment.made_in = snapshot

    def drive(self, device: str, piece: Piece) -> bool:
        """Record a piece of the motion of a device, or more of the last piece; return whether it is a new piece."""
        new = self._segment.drive(device, piece)
        if new:
            self._held += piece.size
        return new

    def shows(self, time: float, clock: float) -> None:
        """Record the clock of the thesis at a time [s]."""
        self._segment.shows(time, clock)
        self._held += 16

    def event(self, event: Event) -> None:
        """Record an event."""
        self._segment.event(event)
        self._held += 64

    def source(self, source: Issued) -> None:
        """Record the source of the step that begins."""
        self._segment.source(source)
        self._held += 64

    def text(self, program: str, text: str, units: str, entity: int) -> None:
        """Record the lines of a program that runs from now on, and its id in the cell; 0 if it has none."""
        self._segment.text(program, text, units, entity)
        self._held += len(text)

    def change(self, change: StateChange) -> None:
        """Record a change of the state."""
        self._segment.change(change)
        self._held += 256

    def moved(self, move: Move) -> None:
        """Record a finished move."""
        self._segment.moved(move)
        self._held += 128

    @property
    def due(self) -> bool:
        """Whether a segment should end, which needs the whole state."""
        return self._held >= SIZE or clock.monotonic() - self._written >= self._every

    def reached(self, state: CellState) -> None:
        """Note that everything up to this state is recorded. A segment may end here."""
        if self.due:
            self._cut(state)
        else:
            self._segment.reached(state)
        self._state = state

    def flush(self) -> None:
        """Write what is buffered."""
        if self._held or self._state.time > self._segment.start.time:
            self._cut(self._state)

    def close(self) -> None:
        """Write the rest and close the file."""
        if not self._file.closed:
            self.flush()
            self._file.close()

    def _cut(self, state: CellState) -> None:
        self._segment.reached(state)
        data = self._segment.to_bytes(sources=True)
        try:
            self._file.write(framed(data, self._segment.start.time, self._segment.end))
            self._file.flush()
        except OSError as error:
            raise FileProblem(f"Cannot write {self.path}: {error.strerror}.") from error
        self._segment, self._held, self._state = Recording(state), 0, state
        self._written = clock.monotonic()
        self.segments += 1


class RecordingFile:
    """Reads a recording that a :class:`RecordingWriter` wrote, even if it was never closed, or one saved at once.

    Attributes:
        path: the file.
        start: the state at the beginning.
        end: the time up to which it can be read [s].
        whole: whether the last segment is complete; it is not after a kill in the middle of writing.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._segments = Segments(path)
        self.whole = self._segments.whole
        self._at, self._loaded = -1, Recording(CellState())
        try:
            first = self.segment(0)
        except BaseException:
            self.close()
            raise
        self.start = first.start
        self._starts = self._segments.starts or [first.start.time]
        self.end = self._segments.end if self._segments.starts else first.end

    def __len__(self) -> int:
        return len(self._segments)

    def __enter__(self) -> RecordingFile:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._segments.close()

    @property
    def duration(self) -> float:
        """The time from the start to the last sample [s]."""
        return self.end - self.start.time

    def segment(self, place: int) -> Recording:
        """Return one of the segments as a recording; the last one is cached."""
        if place != self._at:
            self._loaded, self._at = Recording.from_bytes(self._segments.data(place)), place
        return self._loaded

    def state_at(self, time: float) -> CellState:
        """Return the state at a time of the recording [s], from one segment."""
        if not self.start.time <= time <= self.end + 1e-9:
            raise InvalidValue(f"The recording runs from {self.start.time:g} to {self.end:g} s; {time:g} s is outside.")
        found = self.segment(max(bisect_right(self._starts, time) - 1, 0))
        return found.state_at(min(time, found.end)).with_(time=time)

    def recording(self) -> Recording:
        """Return the whole recording in memory."""
        return Recording.from_segments(self._segments)
