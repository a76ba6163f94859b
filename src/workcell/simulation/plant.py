"""The plant: where everything is, a clock of whole nanoseconds, a queue of what is to come, and drives.

Every device that moves has one drive. Where it is is found from its drive when somebody asks, never stepped, so looking
or being called back changes nothing for anybody else. Time passes from one entry of the queue to the next; at one
instant drives end first, then come stops, sensors and callbacks.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import MotionStop, Refused
from workcell.motion.trajectory import Trajectory
from workcell.simulation.drives import Follow
from workcell.simulation.events import Event, GivenUp, Issued, MoveBegan, TrackingChanged, TrackingEnded, TrackingMet
from workcell.simulation.gliding import Glide
from workcell.simulation.happenings import Attached, Change, Move, Placed, Signalled, after, twelve
from workcell.simulation.instants import later, nanoseconds, reached_at
from workcell.simulation.pieces import Exact, Piece
from workcell.simulation.planned import Planned
from workcell.simulation.tethers import followed_until, tether_of
from workcell.simulation.timeline import runs_on
from workcell.simulation.under_way import Drives
from workcell.world.conveyors import speed_signal
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.calm import Calms
    from workcell.errors import CollisionStop
    from workcell.simulation.tracking import Caught
    from workcell.simulation.watching import Stop, Watch
    from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
AHEAD = 4.0
"""How far ahead to look while something runs on for good [s]; before that is over it is looked again."""


class Kind(IntEnum):
    """The order of what is to come at one instant."""

    END = 0
    SENSOR = 1
    FAULT = 2
    CALLBACK = 3


class Recorder(Protocol):
    """Where a simulator writes what happens: in memory, or in a file."""

    made_in: Snapshot | None
    """The cell in which it happens."""

    @property
    def due(self) -> bool:
        """Whether it wants to know the whole state, as a file does now and then."""
        ...

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


class Plant:
    """Devices that move in simulated time.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: where to write what happens.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder) -> None:
        self.snapshot = snapshot
        self._recorder, self._begun = recorder, False
        self.drives = Drives()
        """What moves now, by the name of the device."""
        self.given_up: dict[int, str] = {}
        """Moves that were stopped on their way and why, by the numbers of their commands."""
        self.cancel: threading.Event | None = None
        """Set to stop a move that takes long to make."""
        self.happened = 0
        """How often something happened that somebody may wait for: a drive ended, a signal changed."""
        self.in_vain = 0
        """How many of these led to nothing: a source looked again and is still blocked."""
        self.signalled: set[str] = set()
        """Signals that have changed since whoever waits for them cleared this."""
        self.disturbed = 0
        """How often what is to come was changed: whoever counts on when a move is over, or on a state, looks again."""
        self._state, self._stale = state, False
        self._joints: dict[str, Array] = {}
        self._poses: dict[str, Pose] = {}
        self.scene = 0
        """How often what stands where, and who carries what, has changed."""
        self.quick: tuple[Watch, int, Calms] | None = None
        """What the watch has made ready for the present scene."""
        self._ns = 0
        self._stands: int | None = None
        """How long the clock that is shown has stood [ns]; None where it never has."""
        self.state = state
        self._queue: list[tuple[int, int, int, Callable[[], None]]] = []
        self._sequence = itertools.count()
        self.issued = 0
        """The number of the last command that began a move."""
        self._stop: Stop | None = None
        self._unseen = False
        self._movers: dict[int, str] = {}
        """Who was to make the move of a command, by its number; those that are over are forgotten now and then."""
        self._unannounced: list[Follow] = []
        """Drives that were given since what is to come was looked at."""
        self._stood = False
        """Whether a move was begun during which the clock that is shown stands."""
        self._began: set[str] | None = None
        """The devices that do something else since the last look; None where all may."""
        self._free = False
        """Whether what moves was looked at already, and nothing touches."""
        self._clear_until = math.inf
        """Up to when what moves was looked at, where something runs on for good [s]."""

    @property
    def watch(self) -> Watch | None:
        """What looks for collisions while devices move."""
        return None

    @property
    def recorder(self) -> Recorder:
        """Where to write what happens; what comes first of all is written now."""
        self.begin_recording()
        return self._recorder

    def begin_recording(self) -> None:
        """Something is about to happen: write what comes before it, once."""
        if not self._begun:
            self._begun = True
            self.sense_first()

    def sense_first(self) -> None:
        """Record what sensors read before anything happens; nothing where there are none."""

    def sense_now(self) -> None:
        """Record what sensors read where something has changed since they were looked at; nothing without any."""

    # ---- where everything is, and when ------------------------------------------------------------------

    @property
    def state(self) -> CellState:
        """Where everything is now."""
        if self._stale:
            now = self.now
            if self._poses or self.drives.solids:
                self.scene += 1
            joints, poses = {**self._state.joints, **self._joints}, {**self._state.poses, **self._poses}
            for name, drive in self.drives.items():
                if drive.since is None:
                    continue  # no time has passed since it was last seen
                if isinstance(drive.planned, Glide):
                    poses[name] = drive.pose(now)
                else:
                    joints[name] = drive.joints(now)
            clock = None if self._stands is None else self.time
            self._state = self._state.with_(time=now, clock=clock, joints=joints, poses=poses)
            self._stale = False
            self._joints.clear()
            self._poses.clear()
        return self._state

    @state.setter
    def state(self, state: CellState) -> None:
        if state.signals is not self._state.signals:
            self.disturbed += 1
        self._state, self._stale = state, False
        self.scene += 1
        self._joints.clear()
        self._poses.clear()
        self._ns = nanoseconds(state.shown_time)
        self._stands = None if state.clock is None else nanoseconds(state.time) - self._ns

    @property
    def around(self) -> CellState:
        """Where everything is that does not move now; of what moves, where it was last asked for."""
        if self._poses or self._joints:  # what has come to rest since; what moves is not asked
            self.scene += bool(self._poses)
            joints, poses = {**self._state.joints, **self._joints}, {**self._state.poses, **self._poses}
            self._state = self._state.with_(joints=joints, poses=poses)
            self._joints.clear()
            self._poses.clear()
        return self._state

    @property
    def standing(self) -> CellState:
        """Where solids stand that do not move now, who carries what, and signals; joint values may be old ones."""
        return self.around if self._poses else self._state

    @property
    def time(self) -> float:
        """Simulated time [s]; in the joint-by-joint mode what the clock of the thesis shows."""
        return self._ns / 1e9

    @property
    def time_ns(self) -> int:
        """Simulated time in whole nanoseconds."""
        return self._ns

    @property
    def now(self) -> float:
        """The instant of the recording [s]: time that runs on while the clock of the thesis stands."""
        return (self._ns if self._stands is None else self._ns + self._stands) / 1e9

    @property
    def signal_values(self) -> Mapping[str, float]:
        """The signals that have a value of their own now; to know them nobody needs to know where devices are."""
        return self._state.signals

    def joints_of(self, robot: str) -> Array:
        """Joint values of a robot now (n,)."""
        drive = self.drives.get(robot)
        if not self._stale or drive is None or drive.since is None:
            found = self._joints.get(robot)
            return self._state.joints[robot] if found is None else found
        return drive.joints(self.now)

    def velocities_of(self, robot: str) -> Array:
        """Joint velocities of a robot now (n,)."""
        drive = self.drives.get(robot)
        if drive is None:
            return np.zeros(self.snapshot.robot(robot).robot.n)
        if drive.since is None:
            raise Refused(f"{robot} moves joint by joint, as in the thesis, and has no speed while its clock stands.")
        return drive.velocities(self.now)

    # ---- drives -----------------------------------------------------------------------------------------

    def begin(self, planned: Planned | Glide) -> Follow:
        """Let a device make a move from now on; its place is that of the move's start."""
        drive = self.new_drive(planned)
        self._give(drive)
        return drive

    def _give(self, drive: Follow) -> None:
        """Let a device have a drive."""
        self.drives[drive.name] = drive
        if drive.number > 0:  # nobody waits for an arm that follows
            self._movers[drive.number] = drive.name
        self.changed(drive.name)
        self._unannounced.append(drive)
        self._await(drive)

    def new_drive(self, planned: Planned | Glide) -> Follow:
        """A drive that would begin now."""
        self.issued += 1
        if len(self._movers) > 2 * len(self.drives) + 64:
            self._movers = {drive.number: drive.name for drive in self.drives.values() if drive.number > 0}
        self._movers[self.issued] = planned.name
        self._stood = self._stood or not _plain(planned)
        return Follow(
            self.time, planned, planned.motion, self.now if _plain(planned) else None, self.issued,
            mark=self.now, row=self._row(planned), then=getattr(planned, "onward", None),
        )  # fmt: skip

    def replace(self, drive: Follow, by: Follow) -> None:
        """Give a device another drive, which begins where the one before is; the move goes on."""
        self._write(drive)
        if drive.recorded and not by.recorded:
            drive.planned = dataclasses.replace(drive.planned, limited="superseded")
            self.report(drive, self.now)
        by.mark, by.row = drive.mark, drive.row
        self.disturbed += 1
        self._give(by)
        if drive.runs and not by.runs:
            self._runs_no_more(drive.name)

    def number_after(self, drive: Follow) -> int:
        """The number of a move that takes the place of another: the same, but for one that was given up."""
        if drive.number not in self.given_up:
            return drive.number
        self.issued += 1
        return self.issued

    def accept(
        self, drive: Follow | None, by: Follow, *, same_way: bool = False, force: bool = False
    ) -> CollisionStop | None:
        """Give a device another drive; see :meth:`accept_all`."""
        return self.accept_all([(drive, by)], same_way=same_way, force=force)

    def accept_all(
        self, changes: Sequence[tuple[Follow | None, Follow]], *, same_way: bool = False, force: bool = False
    ) -> CollisionStop | None:
        """Give devices other drives, if it is watched only where nothing touches until all rest; else why not.

        Args:
            changes: what each does now, if anything, and what it is to do.
            same_way: they stay on their ways, so that a contact which is to come anyway refuses nothing.
            force: do not look.
        """
        names, until = [by.name for _, by in changes], self._clear_until
        before: dict[str, Follow | None] = {name: self.drives.get(name) for name in names}
        accepted = False
        for _, by in changes:
            self.drives[by.name] = by
        try:
            followers = self._followers()
            for old, new, _ in followers:
                before.setdefault(new.name, old)
                self.drives[new.name] = new
            began = None if followers else self._beginning(names[0])
            stop = None if force else self._looked(self._timed, None if began is None else {*began, *names})
            # An arm that follows will have gone elsewhere by then, or everything stops before the contact.
            late = stop is not None and stop.time >= followed_until(self.drives[name] for name in self.drives.tethered)
            accepted = stop is None and len(before) == 1
        finally:
            if not accepted:
                self._put_back(before)
        if stop is not None and not late:
            known = None if self._stop is None or self._unseen else self._stop.event.pair
            if not (same_way and stop.event.pair == known) and self._concerns(stop, names):
                self._clear_until = until
                return stop.error
        for drive, by in changes:
            if drive is not None:
                self.replace(drive, by)
            else:
                self._give(by)
        for caught in followers:
            self._catch_up(*caught)
        self._free = not force and stop is None and self._timed is self.drives
        return None

    def _put_back(self, drives: Mapping[str, Follow | None]) -> None:
        """Let devices have the drives that they had; none where they stood still."""
        for name, drive in drives.items():
            if drive is None:
                del self.drives[name]
            else:
                self.drives[name] = drive

    @property
    def _timed(self) -> Drives:
        """What moves by the clock: all but what waits for the clock of the thesis to go on."""
        if not self._stood or all(one.since is not None for one in self.drives.values()):
            return self.drives
        return Drives.of(one for one in self.drives.values() if one.since is not None)

    def _followers(self) -> list[Caught]:
        """What arms are to do now whose belts do something else."""
        if not self.drives.tethered:
            return []
        from workcell.simulation.tracking import changed

        return changed(self)

    def _see_to_followers(self) -> None:
        """Let arms follow their belts in what these do now."""
        for caught in self._followers():
            self._catch_up(*caught)

    def _catch_up(self, drive: Follow, by: Follow, event: TrackingChanged | TrackingEnded) -> None:
        self.replace(drive, by)
        self.recorder.event(event)
        if isinstance(event, TrackingEnded) and drive.number > 0:
            self.give_up(drive, f"it cannot meet {event.on} any more ({event.reason})")

    def _concerns(self, stop: Stop, devices: Sequence[str]) -> bool:
        """Whether one of some devices, or what goes with them, would touch something."""
        from workcell.collision.supports import going

        pair = stop.event.pair
        return pair is None or self.watch is None or bool({*pair} & going(self.watch.model, self.state, devices))

    def give_up(self, drive: Follow, reason: str) -> None:
        """Whoever waits for a move is to know that it was stopped on its way."""
        self.given_up[drive.number] = f"{drive.name} was stopped on its way at {self.time:.4f} s: {reason}."
        self.recorder.event(GivenUp(self.now, drive.name, reason))

    def require_made(self, numbers: Collection[int]) -> None:
        """Refuse to go on where a move was stopped on its way.

        Raises:
            MotionStop: one was; the sentence says why.
        """
        for number in numbers:
            reason = self.given_up.pop(number, "")
            if reason:
                raise MotionStop(reason, stopped=self.time)

    def stand(self, drives: dict[str, Follow]) -> None:
        """Have these drives and nothing else to come, from the state that is set."""
        self.drives, self._queue = Drives(), []
        self.issued = max([self.issued, *(drive.number for drive in drives.values())])
        self._movers = {}
        self._unannounced, self._stood = [], not runs_on(drives.values())
        self.disturbed += 1
        self.changed()
        for drive in drives.values():
            self._give(drive)

    def moving(self, numbers: Iterable[int]) -> list[Follow]:
        """The drives of commands that are not over, in the order of the commands."""
        found = []
        for number in sorted(numbers):
            drive = self.drives.get(self._movers.get(number, ""))
            if drive is not None and drive.number == number:
                found.append(drive)
        return found

    def begun_since(self, number: int) -> tuple[int, ...]:
        """The numbers of the moves that were begun after a command and are not over; nobody waits for a conveyor."""
        return tuple(drive.number for drive in self.moving(range(number + 1, self.issued + 1)) if not drive.runs)

    @property
    def next_event(self) -> float:
        """When something is to come next, by the clock that is shown [s]; never where nothing is."""
        return self._queue[0][0] / 1e9 if self._queue else math.inf

    def changed(self, name: str = "") -> None:
        """What moves, or who carries what, has changed: what was looked at before does not hold any more.

        Args:
            name: the device that does something else now; all unless given.
        """
        self._began = self._beginning(name) if name else None
        self._unseen, self._stop, self._free = True, None, False

    def _beginning(self, name: str) -> set[str] | None:
        """The devices that do something else since the last look, this one among them; None where all may."""
        return None if self._began is None or self._stop is not None else {*self._began, name}

    @property
    def unseen(self) -> bool:
        """Whether something has changed since what is to come was looked at."""
        return self._unseen

    def sense(self) -> None:
        """What moves, or who carries what, has changed: locate when sensors change; nothing where there are none."""

    def convey(self) -> None:
        """Let parts on belts begin or cease to ride, and find when one comes to something; nothing without belts."""

    @property
    def conveyed_until(self) -> float:
        """Up to when parts go on with what they go with now [s]."""
        return math.inf

    def sense_over(self, time: float) -> None:
        """The clock of the thesis is to show a time: record what sensors do until then."""

    def schedule(self, time: float, kind: Kind, action: Callable[[], None]) -> None:
        """Let something be done at an instant of the clock that is shown [s]; not before now."""
        self.schedule_ns(reached_at(time), kind, action)

    def schedule_ns(self, time: int, kind: Kind, action: Callable[[], None]) -> None:
        """The same, with the instant in whole nanoseconds."""
        heapq.heappush(self._queue, (max(time, self._ns), kind, next(self._sequence), action))

    def _await(self, drive: Follow) -> None:
        if drive.name in self.drives.tethered:
            from workcell.simulation.tracking import await_end

            await_end(self, drive)
        end = drive.end
        if end < math.inf:
            self.schedule_ns(reached_at(end), Kind.END, lambda: self._arrive(drive))

    def _arrive(self, drive: Follow) -> None:
        if self.drives.get(drive.name) is drive and _plain(drive.planned):
            self._end(drive)

    def _end(self, drive: Follow) -> None:
        """A move is over: the device stands where it was to come to."""
        planned, name = drive.planned, drive.name
        del self.drives[name]
        self._stale = True
        self.happened += 1
        if isinstance(planned, Glide):
            self._poses[name] = planned.end
            self.scene += 1
            self._write(drive, planned.end.matrix[:3].ravel())
            self.report(drive, self.now)
            self.recorder.change(Placed(self.now, name, twelve(planned.end)))
            self.come_to_rest(name)
        else:
            self._joints[name] = planned.end
            self._write(drive, planned.end)
            self.report(drive, self.now)
            if drive.runs:
                self._runs_no_more(name)
            if drive.then is not None:
                self._follow_on(drive, drive.then)

    def _follow_on(self, drive: Follow, planned: Planned) -> None:
        """Begin the move that waited for a device to come to rest; for who began it, it is the same move."""
        number = drive.number
        if planned.tether is not None:  # the move itself is over: nobody waits for an arm that follows
            number = -abs(number)
            self.recorder.event(TrackingMet(self.now, drive.name, planned.tether.on))
        follow = Follow(
            self.time, planned, planned.motion, self.now, number, mark=self.now, row=self._joints[drive.name]
        )
        self.disturbed += 1
        self._give(follow)

    def come_to_rest(self, body: str) -> None:
        """A solid that moved on its own stands still."""

    def halt(self, conveyors: bool = True) -> None:
        """Let nothing go on moving: every device stands where it is.

        Args:
            conveyors: also those that run, or come to rest, and are not held.
        """
        state = self.state
        for drive in self.drives.values():
            self._write(drive)
        stopped = [name for name, drive in self.drives.items() if conveyors or not drive.runs or drive.rate == 0.0]
        halted = [name for name in stopped if self.drives[name].runs]
        for name in stopped:
            del self.drives[name]
        self.disturbed += 1
        self.changed()
        self.state = state
        for name in halted:
            self._runs_no_more(name)

    def _runs_no_more(self, conveyor: str) -> None:
        """A conveyor stands, or makes a move: the speed that it is to run at is zero from now on."""
        signal = speed_signal(conveyor)
        if self.signal_values.get(signal, self.snapshot.conveyor_signals.get(signal)):
            self.apply(Signalled(self.now, signal, 0.0))

    def end_here(self, drive: Follow) -> None:
        """End a move now, where the device is."""
        state = self.state
        self._write(drive)
        limited = drive.planned.limited
        drive.planned = drive.planned.until(max(self.time - drive.begin, 0.0))
        if tether_of(drive) is not None:
            drive.planned = dataclasses.replace(drive.planned, limited=limited)
        if drive.recorded or tether_of(drive) is None:  # an arm that follows may leave before it began
            self.report(drive, self.now)
        del self.drives[drive.name]
        self.disturbed += 1
        self.changed()
        self.state = state

    # ---- time -------------------------------------------------------------------------------------------

    def advance(self, time: float) -> None:
        """Let time pass up to an instant, or the first before it at which something happens that others wait for.

        Raises:
            CollisionStop: devices are watched and would touch; all stand at the last good instant.
        """
        self.begin_recording()
        self.sense_now()
        self._advance(time)
        self.sense_now()

    def _advance(self, time: float) -> None:
        if self._stood and not runs_on(self.drives.values()):
            from workcell.simulation.thesis_clock import proceed

            self.disturbed += 1
            self.write()
            self.sense_over(time)
            proceed(self, time)
            self.sense()
            self._tell()
            return
        until, before = reached_at(time), self.happened
        while True:
            self._look()
            stop, at = self._stop, until
            if self._queue and self._queue[0][0] < at:
                at = self._queue[0][0]
            if stop is not None and reached_at(stop.time) <= at:
                self._pass(reached_at(stop.time))
                self._halt_at(stop)
            self._pass(at)
            while self._queue and self._queue[0][0] <= self._ns:
                heapq.heappop(self._queue)[3]()
            if at >= until or self.happened != before:
                break
        self._tell()

    def _pass(self, ns: int) -> None:
        if ns > self._ns:
            self._ns, self._stale = ns, True

    def _tell(self) -> None:
        """Let the recorder know where everything is, if it wants to."""
        if self.recorder.due:
            self.reached()

    def reached(self) -> None:
        """All that happened until now is in the recording."""
        self.write()
        self.recorder.reached(self.state)

    def _look(self) -> None:
        """Look along what moves until all of it rests, and announce what begins."""
        if not self._unseen:
            return
        self.convey()
        self._see_to_followers()
        self._unseen = False
        if self._stood:
            for drive in self.drives.values():
                if drive.since is None:  # the clock stood until now
                    drive.since = self.now - (self.time - drive.begin)
        if self.watch is not None:
            self._stop = None if self._free else self._looked(self.drives, self._began)
            self._began = set()
            if self.drives and not math.isinf(self._clear_until):
                self.schedule(self._clear_until, Kind.END, self._look_again)
            if self._stop is not None and self._stop.time <= self.time:
                self._halt_at(self._stop)
        fresh, self._unannounced = self._unannounced, []
        fresh = [drive for drive in fresh if not drive.recorded and self.drives.get(drive.name) is drive]
        if len(fresh) > 1:
            fresh.sort(key=lambda one: (one.rests, self.drives.place(one.name)))
        for drive in fresh:
            self.announce(drive)
        self.sense()

    def _looked(self, drives: Drives, names: set[str] | None) -> Stop | None:
        """Where what moves must stop, if only these devices have begun something since the last look; all if None."""
        if self.watch is None or not drives:
            return None
        last = drives.last
        until = self._until(last, bool(drives.endless))
        clear = until if drives.endless or last > until else math.inf
        if self.watch.settled(self, drives, names, until):
            self._clear_until = clear if names is None else min(self._clear_until, clear)
            return None
        self._clear_until = clear
        return self.watch.look(self, list(drives.values()), until)

    def _look_again(self) -> None:
        """Look on where something runs for good and was looked at up to now."""
        if self._clear_until <= self.time:
            self.changed()

    def horizon(self, drives: Drives) -> float:
        """Up to when to look along drives: until all rest, and some seconds ahead where one runs on for good [s]."""
        return self._until(drives.last, bool(drives.endless))

    def _until(self, last: float, endless: bool) -> float:
        return min(max(last, later(self.time, AHEAD)) if endless else last, self.conveyed_until)

    def at_once(self, drive: Follow) -> None:
        """Make a move that takes no time."""
        stop = self._looked(Drives.of([drive]), None)
        if stop is not None:
            del self.drives[drive.name]
            raise stop.error
        self.announce(drive)
        self._end(drive)

    def announce(self, drive: Follow) -> None:
        """Record that a move begins."""
        if not drive.recorded:
            drive.recorded, drive.started = True, self.now
            self.recorder.event(MoveBegan(self.now, drive.name, drive.planned.kind))

    def _halt_at(self, stop: Stop) -> None:
        """Let all that moves stand at the last good instant, which is now."""
        for name, shown in stop.shown.items():
            drive = self.drives.get(name)
            if drive is None:
                continue
            if shown <= 0.0 and not drive.recorded:
                del self.drives[name]  # it cannot even start
            else:
                drive.planned = drive.planned.until(shown)
                self.announce(drive)
        if not self.drives:
            self.changed()
            raise stop.error
        for drive in list(self.drives.values()):
            self._end(drive)
        self.halt_after(stop)

    def halt_after(self, stop: Stop) -> None:
        """Record that all that moved was stopped, and raise why."""
        self.drives.clear()
        self.disturbed += 1
        self.changed()
        self.recorder.event(msgspec.structs.replace(stop.event, time=self.now))
        self.reached()
        raise stop.error

    # ---- the recording ----------------------------------------------------------------------------------

    def write(self) -> None:
        """Write what moves until now into the recording."""
        for drive in self.drives.values():
            if drive.recorded and drive.since is not None:
                self._write(drive)

    def _write(self, drive: Follow, row: Array | None = None) -> None:
        """Write what a drive did since it was last recorded."""
        now = self.now
        if row is None:
            row = self._where(drive)
        if now > drive.mark:
            planned = drive.planned
            step = planned.step if isinstance(planned, Planned) else self.pose_step
            assert drive.since is not None
            motion = drive.motion
            if planned.kind == "track" and isinstance(motion, Trajectory):  # of what was to come nothing is kept
                motion = motion.part(0.0, min(now - drive.since, motion.duration))
            piece = Exact(drive.since, drive.mark, now, motion, drive.row, row, step, planned.resolution)
            self.recorder.drive(drive.name, piece)
        drive.mark, drive.row = now, row

    @property
    def pose_step(self) -> float:
        """How far what moves goes between two frames [rad or m]."""
        return math.radians(1.0)

    def report(self, drive: Follow, end: float) -> None:
        """Write what is to be reported of a move that was over at an instant [s]."""
        planned = drive.planned
        peaks: tuple[float, ...] = ()
        if isinstance(planned, Planned):
            found = planned.motion.max_speed()
            peaks = tuple((found if drive.peaks is None else np.maximum(found, drive.peaks)).tolist())
        # A default is left out of the bytes where it is the same object, so whoever named the profile counts alike.
        profile = sys.intern(planned.profile)
        shown = None if _plain(planned) and self._stands is None else planned.duration
        self.recorder.moved(
            Move(
                planned.name, planned.kind, drive.started, end, profile, planned.limited, planned.deviation,
                planned.bound, peaks, shown,
            )
        )  # fmt: skip

    def _where(self, drive: Follow) -> Array:
        """Where the device of a drive is now, as it is recorded."""
        if isinstance(drive.planned, Planned):
            return drive.joints(self.now)
        return drive.pose(self.now).matrix[:3].ravel()

    def _row(self, planned: Planned | Glide) -> Array:
        """Where what is to move is now, as it is recorded."""
        if isinstance(planned, Planned):
            return self.joints_of(planned.name)
        return self.state.poses.get(planned.name, planned.start).matrix[:3].ravel()

    def apply(self, change: Change) -> None:
        """Make and record a change of the state."""
        self.begin_recording()
        if isinstance(change, Attached | Placed) and change.body in self.drives:
            self.end_here(self.drives[change.body])  # whoever takes a solid ends its own move
        if not isinstance(change, Signalled) or "/" in change.signal or change.signal in self.snapshot.stop_signals:
            self.scene += 1
            self.changed()
        if isinstance(change, Signalled):
            self._state = after(self._state, change)  # where devices are is found when somebody asks
            self.signalled.add(change.signal)
        else:
            self.state = after(self.state, change)
        self.happened += 1
        self.recorder.change(change)
        self._tell()


def _plain(planned: Planned | Glide) -> bool:
    """Whether the clock that is shown runs on while a move is made."""
    return isinstance(planned, Glide) or planned.span is None
