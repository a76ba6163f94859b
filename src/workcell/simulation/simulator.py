"""The simulator: a state, a clock, a recording, and robots that move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Protocol

from workcell.errors import NameTaken, Refused
from workcell.simulation import steering
from workcell.simulation.company import rate_of
from workcell.simulation.drives import Follow
from workcell.simulation.events import WaitBegan, Waited
from workcell.simulation.falling import FALL
from workcell.simulation.gliding import Glide
from workcell.simulation.instants import later
from workcell.simulation.modes import Mode, checked_mode
from workcell.simulation.moments import Moment
from workcell.simulation.planned import Planned
from workcell.simulation.recorder import Recorder
from workcell.simulation.recording import Recording
from workcell.simulation.recurring import Recurring
from workcell.simulation.required import required_wait
from workcell.simulation.sampling import RESOLUTION
from workcell.simulation.signalling import Signalling
from workcell.simulation.tethers import follows, in_time, tracker_on
from workcell.world.snapshot import Snapshot, signals_of
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.motion.curve import HandCurve
    from workcell.simulation.conveyors import SimulatedConveyor
    from workcell.simulation.faults import Faults
    from workcell.simulation.sensing import Sensing
    from workcell.simulation.simulated_machine import SimulatedMachine
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.slowing import Slowing
    from workcell.simulation.transport import Transport
    from workcell.simulation.watching import Watch
    from workcell.spatial.pose import Pose
    from workcell.world.fault_places import FaultPlace
    from workcell.world.grasps import Grasps

STEP = math.radians(1.0)
"""How far the joint that moves most goes between two recorded samples, unless set [rad]."""


class HasSnapshot(Protocol):
    """Anything that can be flattened, such as a cell."""

    def snapshot(self) -> Snapshot:
        """The flattened cell."""
        ...


@dataclass
class Together:
    """Moves that start together: how long the slowest takes [s], known when all are commanded."""

    duration: float = 0.0


class Simulator(Signalling):
    """Runs motions on a snapshot of a cell in simulated time; the cell itself is not changed.

    Args:
        cell: a cell, or a snapshot of one.
        mode: ``path`` moves all joints together, ``joint-by-joint`` one after the other, ``playback`` records
            like ``path`` and is shown afterwards; the mode of the cell unless given.
        state: where to start; the initial state of the cell unless given.
        recorder: where to write, such as a :class:`~workcell.simulation.recording_file.RecordingWriter`, or a recording
            to go on with; a new recording in memory unless given.
        faults: whether the faults of the cell happen; unless given they do where it starts in the initial state.
    """

    def __init__(
        self,
        cell: HasSnapshot | Snapshot,
        mode: Mode | None = None,
        state: CellState | None = None,
        recorder: Recorder | None = None,
        faults: bool | None = None,
    ) -> None:
        snapshot = cell if isinstance(cell, Snapshot) else cell.snapshot()
        begin = snapshot.initial if state is None else state
        self._memory = recorder if isinstance(recorder, Recording) else Recording(begin)
        super().__init__(
            snapshot,
            begin,
            self._memory if recorder is None else recorder,
            checked_mode(mode or snapshot.setup.mode or "path"),
        )
        self._recorder.made_in = self.snapshot
        self._begins = state is None and recorder is None
        """Whether it begins a recording of its own, and does not go on where another was."""
        self.step = self.snapshot.setup.step or STEP
        fall = self.snapshot.setup.fall
        self.allowed_fall = FALL if fall is None else fall
        """How far a part may fall when it is let go [m]."""
        self.resolution = RESOLUTION
        self._watch: Watch | EllipsisType | None = ...
        self._slowing: Slowing | EllipsisType | None = ...
        self.set_by_hand: frozenset[str] = frozenset()
        """What is not as the cell says, but was set in Python: the watch, the slowing."""
        self.grasps: Grasps = self.snapshot.grasps
        """Where objects may be held, by the name of the body; anywhere that the tests of closing allow for others."""
        self._robots: dict[str, SimulatedRobot] = {}
        if self.snapshot.conveyor_signals:
            from workcell.simulation.conveyors import begin_running

            begin_running(self)
        if self.snapshot.stations:
            self.changed()
        if self.snapshot.faults and (state is None if faults is None else faults):
            self._take_faults()

    @property
    def memory(self) -> Recording:
        """What was recorded in memory up to the last command; empty beside a recorder of its own."""
        return self._memory

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
        self.changed()

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
        self.snapshot = self._recorder.made_in = snapshot
        self.signals, self._sensing, self._transport = signals_of(snapshot), None, None
        self._begun = False
        self.changed()
        self.grasps = snapshot.grasps
        self._robots = {}
        self._watch, self._slowing = ..., ...
        self.changed()
        return True

    @property
    def recording(self) -> Recording:
        """What was recorded in memory; a recorder of its own is read by itself."""
        if self._recorder is not self._memory:
            raise Refused("This simulator records to a file; read it with `RecordingFile`.")
        if self._begins:
            self.begin_recording()
        if self._begun:  # else a look at a cell that is edited would record what sensors read meanwhile
            self.sense_now()
        if self.drives:
            self.write()
            self._memory.ends(self.now)
        return self._memory

    def robot(self, name: str) -> SimulatedRobot:
        """The robot of that name, to be commanded."""
        if name not in self._robots:
            from workcell.simulation.simulated_robot import SimulatedRobot

            self._robots[name] = SimulatedRobot(self, self.snapshot.robot(name))
        return self._robots[name]

    def machine(self, name: str) -> SimulatedMachine:
        """The machine of that name, to be commanded."""
        from workcell.simulation.simulated_machine import SimulatedMachine

        return SimulatedMachine(self, self.snapshot.machine(name))

    def device(self, name: str) -> SimulatedRobot | SimulatedMachine:
        """The robot, mechanism or machine of that name, to be commanded."""
        return self.machine(name) if any(one.name == name for one in self.snapshot.machines) else self.robot(name)

    def conveyor(self, name: str) -> SimulatedConveyor:
        """The conveyor of that name, to be run."""
        from workcell.simulation.conveyors import SimulatedConveyor

        return SimulatedConveyor(self, self.snapshot.robot(name))

    @contextmanager
    def own_settings(self) -> Iterator[None]:
        """Speeds, overrides, profiles and branches that are set inside hold there only."""
        before, rates = {name: robot.settings for name, robot in self._robots.items()}, dict(self.rates)
        try:
            yield
        finally:
            changed = [name for name in self.drives if self.rates.get(name, 1.0) != rates.get(name, 1.0)]
            self.rates = rates
            for drive in [self.drives[name] for name in changed if self.drives[name].endless]:
                steering.set_rate(self, drive, rates.get(drive.name, 1.0), force=True)
            for name, robot in list(self._robots.items()):
                if name in before:
                    robot.settings = before[name]
                else:
                    del self._robots[name]

    # ---- time, sensors and belts ------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let simulated time pass."""
        seconds = required_wait(seconds)
        self.alone("wait")
        if self._calling:
            raise Refused("A callback cannot wait: it is called again at its next instant.")
        if self._among:
            raise Refused(f"A program among others waits by `yield {seconds:g}`.")
        self.sense_now()
        self.recorder.event(WaitBegan(self.now, float(seconds)))
        self._go_on_until(later(self.time, seconds))
        self.recorder.event(Waited(self.now, float(seconds)))
        self.reached()

    def take(self, seconds: float, what: str) -> None:
        """Let the time pass that something takes; a program among others waits for it itself."""
        self.alone(what)
        self.sense_now()
        if seconds > 0.0 and not self._among:
            self._go_on_until(later(self.time, seconds))

    @property
    def sensing(self) -> Sensing:
        """The sensors of the cell."""
        if self._sensing is None:
            from workcell.simulation.sensing import Sensing

            self._sensing = Sensing(self)
        return self._sensing

    @property
    def transport(self) -> Transport:
        """The belts of the cell, and what happens to parts on them."""
        if self._transport is None:
            from workcell.simulation.transport import Transport

            self._transport = Transport(self)
        return self._transport

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

    def require_idle(self, name: str, what: str) -> None:
        """Refuse what is not a move while a robot or solid moves in a program among others."""
        drive = self.drives.get(name)
        if drive is not None and drive.runs:
            raise Refused(f"{name} runs; `stop-conveyor {name} --reached` first, then {what}.", robot=name)
        if drive is not None:
            raise Refused(f"{name} moves until {drive.end:.4f} s; {what} after that.", robot=name)
        if tracker := tracker_on(self, name):
            raise Refused(f"{tracker}; let it leave that first, then {what}.", robot=name)

    def perform(self, planned: Planned | Glide) -> float:
        """Make a move, or keep it until all that start together are known; returns its duration [s]."""
        planned = planned.whole()
        if self._waiting is None:
            return self._make([planned])
        if any(other.name == planned.name for other in self._waiting):
            raise Refused(f"{planned.name} cannot make two moves at once; put the second one after the first.")
        self._waiting.append(planned)
        return planned.duration

    def perform_together(self, moves: Sequence[Planned]) -> float:
        """Make moves in one timing, or keep them until all that start together are known; returns the duration [s]."""
        whole = [planned.whole() for planned in moves]
        if self._waiting is None:
            return self._make(whole)
        return max(self.perform(planned) for planned in whole)

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
        if self.faults is not None:
            moves = self.faults.at_work(moves)
        rates = self.paces
        moves = [
            one if in_time(one) else steering.paced(one.whole(), rate_of(rates, one)) for one in self._slowed(moves)
        ]
        for planned in moves:
            drive = self.drives.get(planned.name)
            if drive is not None and drive.runs:
                self.require_idle(planned.name, "move its joint")
            if drive is not None and follows(drive) and isinstance(planned, Planned):
                from workcell.simulation.tracked_moves import require_continuous

                require_continuous(self, drive, planned)
            elif drive is not None:
                raise Refused(
                    f"{planned.name} cannot make two moves at once; it moves until {drive.end:.4f} s.",
                    robot=planned.name,
                )
        gliding = [planned.body for planned in moves if isinstance(planned, Glide)]
        if gliding:
            from workcell.simulation.piles import take_along

            self._leave(gliding, [one.name for one in self.drives.values() if isinstance(one.planned, Glide)])
            for body in gliding:
                take_along(self, body)
        for planned in moves:
            if follows(before := self.drives.get(planned.name)):
                assert before is not None
                self.end_here(before)
        drives = [self.begin(planned) for planned in moves]
        if self.faults is not None:
            self.faults.hold_stopped()
        if self._among or self._calling:
            # What takes no time is over at once, so that the next move of the same instant can begin.
            for drive in drives:
                if drive.planned.duration <= 0.0:
                    self.at_once(drive)
        else:
            self._finish(drives)
            self.require_made([drive.number for drive in drives])
        return max(planned.duration for planned in moves)

    def _finish(self, drives: Sequence[Follow]) -> None:
        """Let time pass until moves are over."""
        numbers = {drive.number for drive in drives}
        try:
            while going := self.moving(numbers):
                until = max(drive.end for drive in going)
                if math.isinf(until):
                    until = self.next_event
                if math.isinf(until):
                    raise Refused(f"{going[0].name} is held, and nothing else runs that could let it go on.")
                self.advance(until)
        except BaseException:
            self.halt()
            raise
        self.reached()

    def _go_on_until(self, time: float) -> None:
        """Let time pass up to an instant, whatever happens meanwhile."""
        while self.time < time:
            self.advance(time)

    def come_to_rest(self, body: str) -> None:
        """A solid that moved on its own stands still: what went with it stands on it again."""
        from workcell.simulation.piles import leave_behind

        leave_behind(self, body)

    @property
    def pose_step(self) -> float:
        """How far what moves goes between two frames [rad or m]."""
        return self.step

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
        if self.slowing is None:
            return moves
        others = iter(self.slowing.slowed(self, [one for one in moves if not in_time(one)]))
        return [one if in_time(one) else next(others) for one in moves]

    # ---- faults -----------------------------------------------------------------------------------------

    def inject_fault(self, fault: str | FaultPlace) -> FaultPlace:
        """Let a fault of the cell begin now, by its name, or one that the cell does not have."""
        faults = self.faults or self._take_faults()
        if isinstance(fault, str):
            return faults.inject(fault)
        if fault.name in faults.places:
            raise NameTaken(f"There is a fault called {fault.name!r} already; choose another name.", name=fault.name)
        faults.add(fault)
        self.set_by_hand |= {"fault"}
        return faults.inject(fault.name)

    def clear_fault(self, fault: str) -> FaultPlace:
        """End a fault that has begun: what it is of is repaired."""
        return (self.faults or self._take_faults()).clear(fault)

    def end_faults(self) -> None:
        """Let nothing go wrong any more, nor be wrong: a run is over. Sensors say so when something moves again."""
        if self.faults is not None:
            self.faults.places.clear()
            self.faults = None
            self._unseen = bool(self.drives)

    def _take_faults(self) -> Faults:
        from workcell.simulation.faults import Faults

        self.faults = Faults(self, self.snapshot.faults)
        return self.faults

    @property
    def believed(self) -> CellState:
        """Where everything is by what devices read of their joints: what is true, unless they drift."""
        state = self.state
        for name, drift in () if self.faults is None else self.faults.drifting.items():
            state = state.with_joints(name, state.joints[name] - drift)
        return state

    # ---- programs side by side --------------------------------------------------------------------------

    @contextmanager
    def side_by_side(self) -> Iterator[None]:
        """Moves commanded inside begin at once and go on while :meth:`advance` lets time pass; used by ``programs``."""
        self.alone("begin programs")
        if self._calling:
            raise Refused("A callback cannot run programs; let a program wait for a signal that the callback sets.")
        if self._among:
            raise Refused("Programs run side by side already.")
        self._among = True
        try:
            yield
        except GeneratorExit:  # whoever began the programs has left them behind
            self.halt()
            self._among = False
            raise
        finally:
            # Moves that have begun are finished, also when a program was refused something.
            if self._among:
                self._among = False
                try:
                    moves = [drive for drive in self.drives.values() if not (drive.runs or follows(drive))]
                    self._finish([drive for drive in moves if not math.isinf(drive.end)])
                finally:
                    self.halt(conveyors=False)
                    self.reached()

    @property
    def under_way(self) -> Mapping[str, Follow]:
        """The moves that have begun and are not over, by who moves."""
        return self.drives

    def moment(self) -> Moment:
        """Where everything stands while programs run, to come back to."""
        under_way = {name: replace(drive) for name, drive in self.drives.items()}
        settings = {name: robot.settings for name, robot in self._robots.items()}
        self.begin_recording()
        mark = self.recording.mark()  # what sensors read now is in it, and then in the state
        return Moment(
            self.state, under_way, settings, mark, dict(self.rates), dict(self.given_up), self.issued,
            Recurring.copied(self._called_in_order()), {} if self.faults is None else self.faults.copied(),
        )  # fmt: skip

    def take_back(self, moment: Moment) -> None:
        """Stand as before a command that was refused; nothing of it is recorded."""
        self.return_to(moment)
        self._among = False

    def return_to(self, moment: Moment, recording: Recording | None = None) -> None:
        """Stand as at a moment, in a run; what was recorded since is forgotten, unless a recording is given."""
        memory = self.recording.cut(moment.mark) if recording is None else recording
        self._recorder = self._memory = memory
        self._begun = True
        memory.made_in = self.snapshot
        self.state = moment.state
        self.rates, self.given_up, self.issued = dict(moment.rates), dict(moment.given_up), moment.issued
        self.stand({name: replace(drive) for name, drive in moment.under_way.items()})
        self.callbacks = list(Recurring.copied(moment.callbacks))
        for one in self.callbacks:
            self._call_back(one)
        if moment.faults or self.faults is not None:
            (self.faults or self._take_faults()).return_to(moment.faults)
        self._among = True
        for name, robot in self._robots.items():
            robot.settings = moment.settings.get(name, robot.nominal)
        for name, settings in moment.settings.items():
            self.robot(name).settings = settings
