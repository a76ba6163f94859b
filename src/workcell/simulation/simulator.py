"""The simulator: a state, a clock, a recording, and robots that move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.simulation.happenings import Change, Move, Signalled, after
from workcell.simulation.planned import Planned
from workcell.simulation.recording import Recording
from workcell.simulation.sampling import RESOLUTION
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.grasping import Grasps
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.watching import Watch

Mode: TypeAlias = Literal["joint-by-joint", "path", "playback"]
MODES: tuple[Mode, ...] = ("joint-by-joint", "path", "playback")
STEP = math.radians(1.0)
"""How far the joint that moves most goes between two recorded samples, unless set [rad]."""


class HasSnapshot(Protocol):
    """Anything that can be flattened, such as a cell."""

    def snapshot(self) -> Snapshot:
        """The flattened cell."""
        ...


class Recorder(Protocol):
    """Where a simulator writes what happens: in memory, or in a file."""

    def add(self, robot: str, times: NDArray[np.float64], joints: NDArray[np.float64]) -> None:
        """Samples of one robot."""

    def note(self, time: float, kind: str, text: str) -> None:
        """An event."""

    def change(self, change: Change) -> None:
        """A change of the state."""

    def moved(self, move: Move) -> None:
        """A move that was made."""

    def reached(self, state: CellState) -> None:
        """All that happened up to this state is recorded."""


class Simulator:
    """Runs motions on a snapshot of a cell in simulated time; the cell itself is not changed.

    Args:
        cell: a cell, or a snapshot of one.
        mode: ``path`` moves all joints together, ``joint-by-joint`` one after the other, ``playback`` records
            like ``path`` and is shown afterwards.
        state: where to start; the initial state of the cell unless given.
        recorder: where to write, such as a :class:`~workcell.simulation.recording_file.RecordingWriter`; a recording
            in memory unless given.
    """

    def __init__(
        self,
        cell: HasSnapshot | Snapshot,
        mode: Mode = "path",
        state: CellState | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        if mode not in MODES:
            raise UnknownName.among("simulation mode", str(mode), MODES)
        self.snapshot = cell if isinstance(cell, Snapshot) else cell.snapshot()
        self.mode = mode
        self.state = self.snapshot.initial if state is None else state
        self._memory = Recording(self.state)
        self.recorder: Recorder = self._memory if recorder is None else recorder
        self.step = STEP
        self.resolution = RESOLUTION
        self.watch: Watch | None = None
        """What looks for collisions while robots move, if anything does."""
        self.grasps: Grasps = {}
        """Where objects may be held, by the name of the body; anywhere that the tests of closing allow unless told."""
        self.signals: dict[str, float] = dict(self.snapshot.initial.signals)
        """The signals of the cell with their initial values."""
        self._robots: dict[str, SimulatedRobot] = {}
        self._waiting: list[Planned] | None = None
        self._active: dict[str, tuple[float, Planned]] | None = None
        if not isinstance(cell, Snapshot) and (database := getattr(cell, "database", None)) is not None:
            from workcell.simulation.grasping import grasps_of

            self.grasps = grasps_of(database, self.snapshot)

    def take_settings(self, other: Simulator) -> None:
        """Sample, resolve and watch as another simulator does."""
        self.step, self.resolution = other.step, other.resolution
        if other.watch is not None:
            self.watch = other.watch.on(self.snapshot)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.time

    @property
    def recording(self) -> Recording:
        """What was recorded in memory; a recorder of its own is read by itself."""
        if self.recorder is not self._memory:
            raise Refused("This simulator records to a file; read it with `RecordingFile`.")
        return self._memory

    def robot(self, name: str) -> SimulatedRobot:
        """The robot of that name, to be commanded."""
        if name not in self._robots:
            from workcell.simulation.simulated_robot import SimulatedRobot

            self._robots[name] = SimulatedRobot(self, self.snapshot.robot(name))
        return self._robots[name]

    # ---- time and signals -------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let simulated time pass."""
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise InvalidValue(f"A wait must be zero or more seconds; found {seconds}.")
        self.alone("wait")
        if self._active is not None:
            raise Refused(f"A program among others waits by `yield {seconds:g}`.")
        self.recorder.note(self.time, "wait", f"{seconds:g} s")
        self.state = self.state.with_(time=self.time + seconds)
        self.recorder.note(self.time, "waited", f"{seconds:g} s")
        self.recorder.reached(self.state)

    def set_signal(self, signal: str, value: float) -> None:
        """Give a signal of the cell a value."""
        self._known_signal(signal)
        if not math.isfinite(value):
            raise InvalidValue(f"A signal has a finite value; found {value}.")
        self.alone("set a signal")
        self.recorder.note(self.time, "signal", f"{signal} = {value:g}")
        self.apply(Signalled(self.time, signal, float(value)))

    def wait_for(self, signal: str, value: float = 1.0) -> None:
        """Go on only when a signal has a value.

        A program that runs alone has nobody who could set it later, so waiting for what is not so is refused.
        """
        self.alone("wait for a signal")
        if self._active is not None:
            raise Refused(f"A program among others waits for a signal by `yield Seen({signal!r})`.")
        found = self.signal(signal)
        if found != value:
            raise Refused(
                f"Signal {signal!r} is {found:g} and nothing else runs that could make it {value:g}; "
                f"set it before it is waited for.",
                signal=signal,
                value=found,
            )
        self.recorder.note(self.time, "signal seen", f"{signal} = {value:g}")

    def signal(self, signal: str) -> float:
        """The value of a signal now."""
        self._known_signal(signal)
        return self.state.signals.get(signal, self.signals.get(signal, 0.0))

    def _known_signal(self, signal: str) -> None:
        if signal not in self.state.signals and signal not in self.signals:
            raise UnknownName.among("signal", signal, self.signals, "Make one with `create signal NAME`.")

    # ---- several robots ---------------------------------------------------------------------------------

    @contextmanager
    def together(self) -> Iterator[None]:
        """Moves commanded inside start together; the next command waits for the slowest.

        Every robot may move once. When one of the moves is refused, none is made.
        """
        self.alone("begin moves together")
        if self._active is not None:
            raise Refused("Programs that run side by side move together as it is; give each robot its move.")
        self._waiting = []
        try:
            yield
            planned = self._waiting
        finally:
            self._waiting = None
        if planned:
            self._make(planned)

    def alone(self, what: str) -> None:
        """Refuse what is not a move between moves that start together."""
        if self._waiting is not None:
            raise Refused(f"Only moves can start together; {what} before or after.")

    def perform(self, planned: Planned) -> float:
        """Make a move, or keep it until all that start together are known; returns its duration [s]."""
        if self._active is not None:
            return self._begin(planned, self._active)
        if self._waiting is None:
            return self._make([planned])
        if any(other.robot == planned.robot for other in self._waiting):
            raise Refused(f"{planned.robot} cannot make two moves at once; put the second one after the first.")
        self._waiting.append(planned)
        return planned.duration

    def _make(self, moves: Sequence[Planned]) -> float:
        begin = self.time
        duration = max(planned.duration for planned in moves)
        if self.watch is not None:
            self.watch.guard(self, moves)
        for planned in moves:
            self.record(planned, begin)
        joints = {**self.state.joints, **{planned.robot: planned.end for planned in moves}}
        self.state = self.state.with_(joints=joints, time=begin + duration)
        self.recorder.reached(self.state)
        return duration

    # ---- programs side by side --------------------------------------------------------------------------

    @contextmanager
    def side_by_side(self) -> Iterator[None]:
        """Moves commanded inside begin at once and go on while :meth:`advance` lets time pass; used by ``programs``."""
        self.alone("begin programs")
        if self._active is not None:
            raise Refused("Programs run side by side already.")
        if self.watch is not None:
            raise Refused("Collisions are not watched while programs run side by side; check the recording afterwards.")
        self._active = {}
        try:
            yield
        finally:
            # Moves that have begun are finished, also when a program was refused something.
            ends = [begin + planned.duration for begin, planned in self._active.values()]
            self.advance(max([self.time, *ends]))
            self._active = None
            self.recorder.reached(self.state)

    def advance(self, time: float) -> None:
        """Let time pass up to an instant while robots go on moving."""
        active = self._active or {}
        joints = dict(self.state.joints)
        for robot, (begin, planned) in list(active.items()):
            joints[robot] = planned.at(time - begin)
            if time >= begin + planned.duration:
                del active[robot]
        self.state = self.state.with_(joints=joints, time=time)

    def _begin(self, planned: Planned, active: dict[str, tuple[float, Planned]]) -> float:
        if planned.robot in active:
            begin, other = active[planned.robot]
            raise Refused(
                f"{planned.robot} cannot make two moves at once; it moves until {begin + other.duration:.4f} s.",
                robot=planned.robot,
            )
        self.record(planned, self.time)
        active[planned.robot] = (self.time, planned)
        return planned.duration

    def record(self, planned: Planned, begin: float) -> None:
        """Write a move into the recording."""
        self.recorder.note(begin, "move", planned.text)
        if len(planned.times):
            # A robot that stood still until now is recorded where it stood.
            times = np.array([begin, *(begin + planned.times)])
            self.recorder.add(planned.robot, times, np.vstack([planned.start, planned.rows]))
        end = begin + planned.duration
        self.recorder.moved(
            Move(
                planned.robot, planned.kind, begin, end, planned.profile, planned.limited, planned.deviation,
            )
        )  # fmt: skip

    # ---- changes ----------------------------------------------------------------------------------------

    def apply(self, change: Change) -> None:
        """Make and record a change of the state."""
        self.state = after(self.state, change)
        self.recorder.change(change)
        if not self._active:
            self.recorder.reached(self.state)
