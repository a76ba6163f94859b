"""The simulator: a state, a clock, a recording, and robots that move."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.simulation.events import Event, Issued, MoveBegan, SignalSeen, SignalSet, WaitBegan, Waited
from workcell.simulation.falling import FALL
from workcell.simulation.gliding import Glide
from workcell.simulation.happenings import Attached, Change, Move, Placed, Signalled, after, twelve
from workcell.simulation.pieces import Exact, Piece
from workcell.simulation.planned import Planned
from workcell.simulation.recording import Mark, Recording
from workcell.simulation.required import required_number, required_wait
from workcell.simulation.sampling import RESOLUTION
from workcell.simulation.timeline import Begun, Timeline, runs_on
from workcell.world.snapshot import Snapshot, gripper_signals, signals_of
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.motion.curve import HandCurve
    from workcell.simulation.sensing import Sensing
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.slowing import Slowing
    from workcell.simulation.watching import Watch
    from workcell.spatial.pose import Pose
    from workcell.world.grasps import Grasps

Mode: TypeAlias = Literal["joint-by-joint", "path", "playback"]
MODES: tuple[Mode, ...] = ("joint-by-joint", "path", "playback")
STEP = math.radians(1.0)
"""How far the joint that moves most goes between two recorded samples, unless set [rad]."""


def checked_mode(mode: str) -> Mode:
    """A mode by name."""
    for known in MODES:
        if mode == known:
            return known
    raise UnknownName.among("simulation mode", str(mode), MODES)


class HasSnapshot(Protocol):
    """Anything that can be flattened, such as a cell."""

    def snapshot(self) -> Snapshot:
        """The flattened cell."""
        ...


class Recorder(Protocol):
    """Where a simulator writes what happens: in memory, or in a file."""

    made_in: Snapshot | None
    """The cell in which it happens."""

    def drive(self, device: str, piece: Piece) -> bool:
        """A piece of what a robot or solid does, or more of the last one; whether it is a new one."""
        ...

    def shows(self, time: float, clock: float) -> None:
        """What the clock of the thesis shows at a time [s]; straight from the last one recorded."""

    def event(self, event: Event) -> None:
        """Something that happened."""

    def source(self, source: Issued) -> None:
        """Who issued the step that begins."""

    def change(self, change: Change) -> None:
        """A change of the state."""

    def moved(self, move: Move) -> None:
        """A move that was made."""

    def reached(self, state: CellState) -> None:
        """All that happened up to this state is recorded."""


@dataclass
class Together:
    """Moves that start together: how long the slowest takes [s], known when all are commanded."""

    duration: float = 0.0


@dataclass(frozen=True)
class Moment:
    """A simulator as it stands while programs run on it.

    Attributes:
        state: where everything is.
        under_way: the moves that have begun and are not over, by who moves: the exact motion and when it began.
        settings: the speed, profile and branch of every robot that was commanded.
        mark: how much is recorded.
    """

    state: CellState
    under_way: Mapping[str, Begun]
    settings: Mapping[str, tuple[float, str, str]]
    mark: Mark


class Simulator:
    """Runs motions on a snapshot of a cell in simulated time; the cell itself is not changed.

    Args:
        cell: a cell, or a snapshot of one.
        mode: ``path`` moves all joints together, ``joint-by-joint`` one after the other, ``playback`` records
            like ``path`` and is shown afterwards; the mode of the cell unless given.
        state: where to start; the initial state of the cell unless given.
        recorder: where to write, such as a :class:`~workcell.simulation.recording_file.RecordingWriter`, or a recording
            to go on with; a new recording in memory unless given.
    """

    def __init__(
        self,
        cell: HasSnapshot | Snapshot,
        mode: Mode | None = None,
        state: CellState | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self.snapshot = cell if isinstance(cell, Snapshot) else cell.snapshot()
        self.mode: Mode = checked_mode(mode or self.snapshot.setup.mode or "path")
        self.state = self.snapshot.initial if state is None else state
        self._memory = recorder if isinstance(recorder, Recording) else Recording(self.state)
        self.recorder: Recorder = self._memory if recorder is None else recorder
        self.recorder.made_in = self.snapshot
        self.step = self.snapshot.setup.step or STEP
        fall = self.snapshot.setup.fall
        self.allowed_fall = FALL if fall is None else fall
        """How far a part may fall when it is let go [m]."""
        self.resolution = RESOLUTION
        self.cancel: threading.Event | None = None
        """Set to stop a move that takes long to make."""
        self._watch: Watch | EllipsisType | None = ...
        self._slowing: Slowing | EllipsisType | None = ...
        self.set_by_hand: frozenset[str] = frozenset()
        """What is not as the cell says, but was set in Python: the watch, the slowing."""
        self.grasps: Grasps = self.snapshot.grasps
        """Where objects may be held, by the name of the body; anywhere that the tests of closing allow for others."""
        self.signals: dict[str, float] = signals_of(self.snapshot)
        """The signals of the cell with their initial values."""
        self._sensing: Sensing | None = None
        self._robots: dict[str, SimulatedRobot] = {}
        self._waiting: list[Planned | Glide] | None = None
        self._active: dict[str, Begun] | None = None

    @property
    def watch(self) -> Watch | None:
        """What looks for collisions while robots move, if anything does; as the cell says, or as it was set."""
        if self._watch is ...:
            from workcell.simulation.guarding import watch_of

            self._watch = watch_of(self.snapshot)
        return self._watch

    @watch.setter
    def watch(self, watch: Watch | None) -> None:
        self._watch = watch
        self.set_by_hand |= {"watch"}

    @property
    def slowing(self) -> Slowing | None:
        """What slows robots down in zones; the slow-down zones of the cell, or what was set."""
        if self._slowing is ...:
            from workcell.simulation.guarding import slowing_of

            self._slowing = slowing_of(self.snapshot)
        return self._slowing

    @slowing.setter
    def slowing(self, slowing: Slowing | None) -> None:
        self._slowing = slowing
        self.set_by_hand |= {"slowing"}

    def go_on(self, snapshot: Snapshot) -> bool:
        """Go on with the same recording after an edit of the cell; false when what can be recorded is not the same."""
        old = self.snapshot
        if [(p.name, p.robot.n) for p in old.robots] != [(p.name, p.robot.n) for p in snapshot.robots]:
            return False
        if {body.name for body in old.bodies} != {body.name for body in snapshot.bodies}:
            return False
        self.snapshot = self.recorder.made_in = snapshot
        self.signals, self._sensing = signals_of(snapshot), None
        self.grasps = snapshot.grasps
        self._robots = {}
        self._watch, self._slowing = ..., ...
        return True

    @property
    def time(self) -> float:
        """Simulated time [s]; in the joint-by-joint mode what the clock of the thesis shows."""
        return self.state.shown_time

    @property
    def time_ns(self) -> int:
        """Simulated time in whole nanoseconds."""
        return round(self.time * 1e9)

    @property
    def now(self) -> float:
        """The instant of the recording [s]: time that runs on while the clock of the thesis stands."""
        return self.state.time

    def _instant(self, clock: float, stands: float = 0.0) -> tuple[float, float | None]:
        """The instant when the clock shows a later time, after it has stood for a while [s]; and the clock then."""
        state = self.state
        if state.clock is None and stands == 0.0:
            return clock, None
        return state.time + stands + (clock - state.shown_time), clock

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

    @contextmanager
    def own_settings(self) -> Iterator[None]:
        """Speeds, profiles and branches that are set inside hold there only."""
        before = {name: robot.settings for name, robot in self._robots.items()}
        try:
            yield
        finally:
            for name, robot in list(self._robots.items()):
                if name in before:
                    robot.settings = before[name]
                else:
                    del self._robots[name]

    # ---- time and signals -------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let simulated time pass."""
        seconds = required_wait(seconds)
        self.alone("wait")
        if self._active is not None:
            raise Refused(f"A program among others waits by `yield {seconds:g}`.")
        self.recorder.event(WaitBegan(self.now, float(seconds)))
        later, clock = self._instant(self.time + seconds)
        self.state = self.state.with_(time=later, clock=clock)
        self.recorder.event(Waited(self.now, float(seconds)))
        self.recorder.reached(self.state)

    def note(self, event: Event) -> None:
        """Record that something happened now which changes no state."""
        self.alone("note something")
        self.recorder.event(event)
        self.recorder.reached(self.state)

    def set_signal(self, signal: str, value: float) -> None:
        """Give a signal of the cell a value."""
        self._known_signal(signal)
        if signal in self.sensing:
            raise Refused(f"{signal!r} is a sensor: it says what it senses, and nobody sets it.", signal=signal)
        if signal in gripper_signals(self.snapshot):
            raise Refused(f"{signal!r} says how a gripper is; `close-gripper` and `open-gripper` change it.")
        if not math.isfinite(required_number(value, f"The value of signal {signal!r}")):
            raise InvalidValue(f"A signal has a finite value; found {value}.")
        self.alone("set a signal")
        self.recorder.event(SignalSet(self.now, signal, float(value)))
        self.apply(Signalled(self.now, signal, float(value)))

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
        self.recorder.event(SignalSeen(self.now, signal, float(value)))

    def signal(self, signal: str) -> float:
        """The value of a signal now."""
        if signal in self.sensing:
            return self.sensing.read(signal).value
        self._known_signal(signal)
        return self.state.signals.get(signal, self.signals.get(signal, 0.0))

    @property
    def sensing(self) -> Sensing:
        """The sensors of the cell."""
        if self._sensing is None:
            from workcell.simulation.sensing import Sensing

            self._sensing = Sensing(self)
        return self._sensing

    def _known_signal(self, signal: str) -> None:
        if signal not in self.state.signals and signal not in self.signals:
            raise UnknownName.among("signal", signal, self.signals, "Make one with `create signal NAME`.")

    # ---- several robots ---------------------------------------------------------------------------------

    @contextmanager
    def together(self) -> Iterator[Together]:
        """Moves commanded inside start together; the next command waits for the slowest.

        Every robot may move once. When one of the moves is refused, none is made. A program among others yields the
        ``duration`` of what this gives.
        """
        self.alone("begin moves together")
        self._waiting, started = [], Together()
        try:
            yield started
            planned = self._waiting
        finally:
            self._waiting = None
        if planned:
            started.duration = self._make(planned)

    def alone(self, what: str) -> None:
        """Refuse what is not a move between moves that start together."""
        if self._waiting is not None:
            raise Refused(f"Only moves can start together; {what} before or after.")

    def require_idle(self, name: str, what: str) -> None:
        """Refuse what is not a move while a robot or solid moves in a program among others."""
        if self._active is not None and name in self._active:
            until = self._active[name].end
            raise Refused(f"{name} moves until {until:.4f} s; {what} after that.", robot=name)

    def perform(self, planned: Planned | Glide) -> float:
        """Make a move, or keep it until all that start together are known; returns its duration [s]."""
        if self._waiting is None:
            return self._make([planned])
        if any(other.name == planned.name for other in self._waiting):
            raise Refused(f"{planned.name} cannot make two moves at once; put the second one after the first.")
        self._waiting.append(planned)
        return planned.duration

    def move_solid(
        self,
        body: str,
        curve: HandCurve | Sequence[Pose],
        *,
        speed: float | None = None,
        duration: float | None = None,
        acceleration: float | None = None,
        blend: float = 0.0,
    ) -> float:
        """Move a free solid along a curve, or straight from pose to pose; returns the duration [s].

        Args:
            body: which solid; it must be movable and held by nobody.
            curve: where it goes, from where it is.
            speed: its greatest speed [m/s; rad/s where it only turns].
            duration: how long it is to take [s]; refused when that needs more than the speed, if one is given.
            acceleration: its greatest acceleration [m/s²]; it starts and stops at once unless given.
            blend: how far from a corner its rounding begins [m]; sharp unless given.
        """
        from workcell.simulation.gliding import glide

        return self.perform(
            glide(self, body, curve, speed=speed, duration=duration, acceleration=acceleration, blend=blend)
        )

    def _make(self, moves: Sequence[Planned | Glide]) -> float:
        moves = self._slowed(moves)
        active = {} if self._active is None else self._active
        for planned in moves:
            if planned.name in active:
                raise Refused(
                    f"{planned.name} cannot make two moves at once; it moves until {active[planned.name].end:.4f} s.",
                    robot=planned.name,
                )
        gliding = [planned.body for planned in moves if isinstance(planned, Glide)]
        if gliding:
            from workcell.simulation.piles import take_along

            self._leave(gliding, [begun.planned.body for begun in active.values() if isinstance(begun.planned, Glide)])
            for body in gliding:
                take_along(self, body)
        begun = {planned.name: Begun(self.time, planned, planned.motion, self.now) for planned in moves}
        if self._active is not None:
            # What takes no time is over at once, so that the next move of the same instant can begin.
            over = {name: begun.pop(name) for name in list(begun) if begun[name].planned.duration <= 0.0}
            if over:
                self._proceed(over, self.time)
        active.update(begun)
        duration = max(planned.duration for planned in moves)
        if self._active is None:
            self._proceed(active, self.time + duration)
            self.recorder.reached(self.state)
        return duration

    def _leave(self, bodies: Sequence[str], away: Sequence[str]) -> None:
        """Report the parts that cannot stand any more when bodies go; where moves are watched these do not start.

        Args:
            bodies: what begins to move on its own now.
            away: what moves on its own already.
        """
        from workcell.simulation.falling import left_behind, let_fall, stop_where_watched
        from workcell.simulation.piles import riders, stacked_on

        going = {upper for body in bodies for upper, _, _ in stacked_on(self.snapshot, self.state, body)} | {*bodies}
        gone = {one for body in away for one in (body, *riders(self.state, body))}
        falls = left_behind(self, going, gone)
        stop_where_watched(self, bodies[0], falls)
        let_fall(self, falls, going | gone)

    def _slowed(self, moves: Sequence[Planned | Glide]) -> Sequence[Planned | Glide]:
        return moves if self.slowing is None else self.slowing.slowed(self, moves)

    # ---- programs side by side --------------------------------------------------------------------------

    @contextmanager
    def side_by_side(self) -> Iterator[None]:
        """Moves commanded inside begin at once and go on while :meth:`advance` lets time pass; used by ``programs``."""
        self.alone("begin programs")
        if self._active is not None:
            raise Refused("Programs run side by side already.")
        self._active = {}
        try:
            yield
        except GeneratorExit:  # whoever began the programs has left them behind
            self._active = None
            raise
        finally:
            # Moves that have begun are finished, also when a program was refused something.
            if self._active is not None:
                try:
                    self.advance(max([self.time, *(begun.end for begun in self._active.values())]))
                finally:
                    self._active = None
                    self.recorder.reached(self.state)

    @property
    def under_way(self) -> Mapping[str, Begun]:
        """The moves of programs that have begun and are not over, by who moves."""
        return {} if self._active is None else self._active

    def halt(self) -> None:
        """Let moves of programs that have begun go no further."""
        if self._active is not None:
            self._active.clear()

    def moment(self) -> Moment:
        """Where everything stands while programs run, to come back to."""
        under_way = {name: replace(begun) for name, begun in self.under_way.items()}
        settings = {name: robot.settings for name, robot in self._robots.items()}
        return Moment(self.state, under_way, settings, self.recording.mark())

    def return_to(self, moment: Moment, recording: Recording | None = None) -> None:
        """Stand as at a moment, in a run; what was recorded since is forgotten, unless a recording is given."""
        memory = self.recording.cut(moment.mark) if recording is None else recording
        self.recorder = self._memory = memory
        memory.made_in = self.snapshot
        self.state = moment.state
        self._active = {name: replace(begun) for name, begun in moment.under_way.items()}
        for name, robot in self._robots.items():
            robot.settings = moment.settings.get(name, robot.nominal)
        for name, settings in moment.settings.items():
            self.robot(name).settings = settings

    def advance(self, time: float) -> None:
        """Let time pass up to an instant while robots go on moving.

        Raises:
            CollisionStop: they are watched and would touch; all stand at the last good instant.
        """
        self._proceed(self._active if self._active is not None else {}, time)
        self.recorder.reached(self.state)

    def _proceed(self, active: dict[str, Begun], time: float) -> None:
        """Let moves that have begun go on up to an instant, or to the last good one before they touch something."""
        stop = self.watch.look(self, list(active.values()), time) if self.watch is not None and active else None
        if stop is not None:
            for name, shown in stop.shown.items():
                if shown <= 0.0 and not active[name].recorded:
                    del active[name]  # it cannot even start
                else:
                    active[name].planned = active[name].planned.until(shown)
            if not active:
                raise stop.error
            time = stop.time
        later, clock, timeline = self._window(active, time)
        poses, joints = dict(self.state.poses), dict(self.state.joints)
        resting = [name for name, begun in active.items() if isinstance(begun.planned, Glide) and time >= begun.end]
        ends = dict.fromkeys(active, later)
        for name, begun in active.items():
            if time >= begun.end:
                ends[name] = self._instant(begun.end)[0] if timeline is None else self.now + timeline.over(begun)
        for name, begun in sorted(active.items(), key=lambda item: ends[item[0]]):
            planned, over, now = begun.planned, time >= begun.end, ends[name]
            if isinstance(planned, Glide):
                poses[name] = planned.end if over else planned.at(time - begun.begin)
                self._record(begun, now, over, poses[name].matrix[:3].ravel(), timeline)
                if over:
                    self.recorder.change(Placed(now, name, twelve(poses[name])))
            else:
                joints[name] = planned.end if over else planned.at(time - begun.begin)
                self._record(begun, now, over, joints[name], timeline)
            if over:
                del active[name]
        self.state = self.state.with_(time=later, clock=clock, joints=joints, poses=poses)
        if resting:
            from workcell.simulation.piles import leave_behind

            for name in resting:
                leave_behind(self, name)
        if stop is not None:
            active.clear()
            self.recorder.event(msgspec.structs.replace(stop.event, time=self.now))
            self.recorder.reached(self.state)
            raise stop.error

    def _window(self, active: dict[str, Begun], time: float) -> tuple[float, float | None, Timeline | None]:
        """The instant when the clock shows a later time, the clock then, and the time between where it stands."""
        if runs_on(active.values()):
            return *self._instant(time), None
        timeline = Timeline(list(active.values()), self.time, time)
        later, clock = self._instant(time, timeline.duration - (time - self.time))
        if clock is None:
            return later, None, timeline
        here, shown = timeline.knots
        for at, shows in zip(here[:-1].tolist(), shown[:-1].tolist(), strict=True):
            self.recorder.shows(min(self.now + at, later), self.time + shows)
        self.recorder.shows(later, time)
        return later, clock, timeline

    def _record(
        self, begun: Begun, now: float, over: bool, row: NDArray[np.float64], timeline: Timeline | None
    ) -> None:
        """Write what a move did up to an instant into the recording."""
        planned = begun.planned
        if not begun.recorded:
            begun.recorded, begun.started = True, self.now
            self.recorder.event(MoveBegan(self.now, planned.name, planned.kind))
        if now > self.now:
            self.recorder.drive(planned.name, self._piece(begun, now, row, timeline))
        if over:
            peaks = () if isinstance(planned, Glide) else tuple(planned.motion.max_speed().tolist())
            # A default is left out of the bytes where it is the same object, so whoever named the profile counts alike.
            profile = sys.intern(planned.profile)
            shown = None if timeline is None and self.state.clock is None else planned.duration
            self.recorder.moved(
                Move(
                    planned.name, planned.kind, begun.started, now, profile, planned.limited, planned.deviation,
                    planned.bound, peaks, shown,
                )
            )  # fmt: skip

    def _piece(self, begun: Begun, now: float, row: NDArray[np.float64], timeline: Timeline | None) -> Exact:
        """What a move did from the last instant at which it was recorded up to now."""
        planned = begun.planned
        step = self.step if isinstance(planned, Glide) else planned.step
        first = self._row(planned)
        if timeline is not None:
            begun.since = None
            motion, frames = timeline.motions[planned.name], timeline.frames(begun)
            return Exact(self.now, self.now, now, motion, first, row, step, planned.resolution, frames)
        if begun.since is None:  # the clock stood until now
            begun.since = self.now - (self.time - begun.begin)
        return Exact(begun.since, self.now, now, begun.motion, first, row, step, planned.resolution)

    def _row(self, planned: Planned | Glide) -> NDArray[np.float64]:
        """Where what moves is now, as it is recorded."""
        if isinstance(planned, Planned):
            return self.state.joints[planned.name]
        return self.state.poses.get(planned.name, planned.start).matrix[:3].ravel()

    # ---- changes ----------------------------------------------------------------------------------------

    def apply(self, change: Change) -> None:
        """Make and record a change of the state."""
        if self._active and isinstance(change, Attached | Placed) and change.body in self._active:
            # Whoever takes a solid ends its own move.
            begun = self._active.pop(change.body)
            begun.planned = begun.planned.until(self.time - begun.begin)
            self._record(begun, self.now, True, self._row(begun.planned), None)
        self.state = after(self.state, change)
        self.recorder.change(change)
        self.recorder.reached(self.state)
