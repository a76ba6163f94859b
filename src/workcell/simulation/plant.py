"""The plant: where everything is, a clock in whole nanoseconds, a queue of actions, and drives.

Every moving device has one drive. Its position is computed from its drive when it is asked for, never stepped, so
that a reading or a callback changes nothing for others. Time advances from one entry of the queue to the next. At one
instant, drives end first; then come stops, sensors and callbacks.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.simulation.agenda import Kind
from workcell.simulation.commanded import Commanded
from workcell.simulation.drives import Follow
from workcell.simulation.events import TrackingChanged, TrackingEnded, TrackingMet
from workcell.simulation.gliding import Glide
from workcell.simulation.happenings import Attached, Placed, Signalled, StateChange, after, twelve
from workcell.simulation.instants import reached_at
from workcell.simulation.planned import Planned
from workcell.simulation.recorder import Recorder
from workcell.simulation.tethers import followed_until, tether_of
from workcell.simulation.timeline import runs_on
from workcell.simulation.under_way import Drives
from workcell.simulation.written import plain
from workcell.world.conveyors import speed_signal
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.errors import CollisionStop
    from workcell.simulation.tracking import Caught
    from workcell.simulation.watching import Stop

Array = NDArray[np.float64]


class Plant(Commanded):
    """Devices that move in simulated time.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder) -> None:
        super().__init__(snapshot, state, recorder)
        self.happened = 0
        """How often something happened that others may wait for: a drive ended, a signal changed."""
        self.in_vain = 0
        """How many of these changed nothing: a source tried again and is still blocked."""
        self.signalled: set[str] = set()
        """Signals that have changed since the last reader cleared this."""
        self._unannounced: list[Follow] = []
        """Drives that were given since the last look ahead."""

    # ---- drives -----------------------------------------------------------------------------------------

    def begin(self, planned: Planned | Glide) -> Follow:
        """Let a device begin a move now; its place is the start of the move."""
        drive = self.new_drive(planned)
        self._give(drive)
        return drive

    def _give(self, drive: Follow) -> None:
        """Give a device a drive."""
        self.drives[drive.name] = drive
        if drive.number > 0:  # nothing waits for an arm that follows
            self._movers[drive.number] = drive.name
        self.changed(drive.name)
        self._unannounced.append(drive)
        self._await(drive)

    def replace(self, drive: Follow, by: Follow) -> None:
        """Give a device another drive, which begins where the one before is; the move continues."""
        self._write(drive)
        if drive.recorded and not by.recorded:
            drive.planned = dataclasses.replace(drive.planned, limited="superseded")
            self.report(drive, self.now)
        by.mark, by.row = drive.mark, drive.row
        self.disturbed += 1
        self._give(by)
        if drive.runs and not by.runs:
            self._runs_no_more(drive.name)

    def accept(
        self, drive: Follow | None, by: Follow, *, same_way: bool = False, force: bool = False
    ) -> CollisionStop | None:
        """Give a device another drive; see :meth:`accept_all`."""
        return self.accept_all([(drive, by)], same_way=same_way, force=force)

    def accept_all(
        self, changes: Sequence[tuple[Follow | None, Follow]], *, same_way: bool = False, force: bool = False
    ) -> CollisionStop | None:
        """Give devices other drives; if watched, only if nothing touches until all are at rest, else return why not.

        Args:
            changes: the present drive of each device, if any, and its new one.
            same_way: they stay on their ways, so a contact that would happen anyway is not refused.
            force: do not test.
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
            # By then, a following arm will be elsewhere, or everything stops before the contact.
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
        """Restore the drives of devices; none for those at rest."""
        for name, drive in drives.items():
            if drive is None:
                del self.drives[name]
            else:
                self.drives[name] = drive

    def _followers(self) -> list[Caught]:
        """Return the new drives of arms whose belts changed their motion."""
        if not self.drives.tethered:
            return []
        from workcell.simulation.tracking import changed

        return changed(self)

    def _see_to_followers(self) -> None:
        """Let arms follow the new motion of their belts."""
        for caught in self._followers():
            self._catch_up(*caught)

    def _catch_up(self, drive: Follow, by: Follow, event: TrackingChanged | TrackingEnded) -> None:
        self.replace(drive, by)
        self.recorder.event(event)
        if isinstance(event, TrackingEnded) and drive.number > 0:
            self.give_up(drive, f"it can no longer meet {event.on} ({event.reason})")

    def stand(self, drives: dict[str, Follow]) -> None:
        """Have these drives and nothing else in the queue, in the present state."""
        self.drives = Drives()
        self._agenda.clear()
        self.issued = max([self.issued, *(drive.number for drive in drives.values())])
        self._movers = {}
        self._unannounced, self._stood = [], not runs_on(drives.values())
        self.disturbed += 1
        self.changed()
        for drive in drives.values():
            self._give(drive)

    def _await(self, drive: Follow) -> None:
        if drive.name in self.drives.tethered:
            from workcell.simulation.tracking import await_end

            await_end(self, drive)
        end = drive.end
        if end < math.inf:
            self.schedule_ns(reached_at(end), Kind.END, lambda: self._arrive(drive))

    def _arrive(self, drive: Follow) -> None:
        if self.drives.get(drive.name) is drive and plain(drive.planned):
            self._end(drive)

    def _end(self, drive: Follow) -> None:
        """End a move: the device is at its goal."""
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
        """Begin the move that waited until a device was at rest. For its caller, it is the same move."""
        number = drive.number
        if planned.tether is not None:  # the move itself is over: nothing waits for an arm that follows
            number = -abs(number)
            self.recorder.event(TrackingMet(self.now, drive.name, planned.tether.on))
        follow = Follow(
            self.time, planned, planned.motion, self.now, number, mark=self.now, row=self._joints[drive.name]
        )
        self.disturbed += 1
        self._give(follow)

    def come_to_rest(self, body: str) -> None:
        """End the motion of a solid that moved on its own."""

    def halt(self, conveyors: bool = True) -> None:
        """Stop everything: every device stays where it is.

        Args:
            conveyors: also stop conveyors that run or come to rest and are not held.
        """
        self._start_clocks()  # of moves that were given and not begun
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
        """Set the speed of a conveyor to zero: it was stopped, or makes a move."""
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
        if drive.recorded or tether_of(drive) is None:  # a following arm may leave before it began
            self.report(drive, self.now)
        del self.drives[drive.name]
        self.disturbed += 1
        self.changed()
        self.state = state

    # ---- time -------------------------------------------------------------------------------------------

    def advance(self, time: float) -> None:
        """Advance the time to an instant, or to the first before it at which something happens that others wait for.

        Raises:
            CollisionStop: devices are watched and would touch; everything stays at the last good instant.
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
            self._share_state()
            return
        until, before = reached_at(time), self.happened
        while True:
            self._look()
            stop, at = self._stop, until
            if (comes := self._agenda.next) < at:
                at = int(comes)
            if stop is not None and reached_at(stop.time) <= at:
                self._pass(reached_at(stop.time))
                self._halt_at(stop)
            self._pass(at)
            self._agenda.do(self._ns)
            if at >= until or self.happened != before:
                break
        self._share_state()

    def _pass(self, ns: int) -> None:
        if ns > self._ns:
            self._ns, self._stale = ns, True

    def _start_clocks(self) -> None:
        """Let the own time of moves begin that were given while the shown clock stood."""
        if self._stood:
            for drive in self.drives.values():
                if drive.since is None:
                    drive.since = self.now - (self.time - drive.begin)

    def _look(self) -> None:
        """Test everything that moves until it is at rest, and announce what begins."""
        if not self._unseen:
            return
        self.convey()
        self._see_to_followers()
        self._unseen = False
        self._start_clocks()
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

    def at_once(self, drive: Follow) -> None:
        """Make a move that takes no time."""
        stop = self._looked(Drives.of([drive]), None)
        if stop is not None:
            del self.drives[drive.name]
            raise stop.error
        if self._unseen:
            self.convey()  # what lies on a belt that began to run rides before the move, as before a longer one
        self.announce(drive)
        self._end(drive)

    def _halt_at(self, stop: Stop) -> None:
        """Stop everything that moves at the last good instant, which is now."""
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
        """Record that everything that moved was stopped, and raise the reason."""
        self.drives.clear()
        self.disturbed += 1
        self.changed()
        self.recorder.event(msgspec.structs.replace(stop.event, time=self.now))
        self.reached()
        raise stop.error

    def apply(self, change: StateChange) -> None:
        """Apply a change to the state and record it."""
        self.begin_recording()
        if isinstance(change, Attached | Placed) and change.body in self.drives:
            self.end_here(self.drives[change.body])  # taking a solid ends its own move
        if not isinstance(change, Signalled) or "/" in change.signal or change.signal in self.snapshot.stop_signals:
            self.scene += 1
            self.changed()
        if isinstance(change, Signalled):
            self._state = after(self._state, change)  # the positions of devices are computed when asked for
            self.signalled.add(change.signal)
        else:
            self.state = after(self.state, change)
        self.happened += 1
        self.recorder.change(change)
        self._share_state()
