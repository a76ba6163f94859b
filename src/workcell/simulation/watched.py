"""What is to come of what moves: whether all of it was looked at, and up to when nothing touches."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workcell.simulation.agenda import Agenda, Kind
from workcell.simulation.instants import later, reached_at
from workcell.simulation.recorder import Recorder
from workcell.simulation.under_way import Drives
from workcell.simulation.written import Written
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.calm import Calms
    from workcell.simulation.watching import Stop, Watch

AHEAD = 4.0
"""How far ahead to look while something runs on for good [s]; before that is over it is looked again."""


class Watched(Written):
    """Knows what is to come, and looks along what moves where collisions are watched.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: where to write what happens.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder) -> None:
        super().__init__(snapshot, state, recorder)
        self._agenda = Agenda()
        self.quick: tuple[Watch, int, Calms] | None = None
        """What the watch has made ready for the present scene."""
        self.cancel: threading.Event | None = None
        """Set to stop a move that takes long to make."""
        self._stop: Stop | None = None
        self._unseen = False
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

    @property
    def _timed(self) -> Drives:
        """What moves by the clock: all but what waits for the clock of the thesis to go on."""
        if not self._stood or all(one.since is not None for one in self.drives.values()):
            return self.drives
        return Drives.of(one for one in self.drives.values() if one.since is not None)

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

    def _concerns(self, stop: Stop, devices: Sequence[str]) -> bool:
        """Whether one of some devices, or what goes with them, would touch something."""
        from workcell.collision.supports import going

        pair = stop.event.pair
        return pair is None or self.watch is None or bool({*pair} & going(self.watch.model, self.state, devices))

    def schedule(self, time: float, kind: Kind, action: Callable[[], None]) -> None:
        """Let something be done at an instant of the clock that is shown [s]; not before now."""
        self.schedule_ns(reached_at(time), kind, action)

    def schedule_ns(self, time: int, kind: Kind, action: Callable[[], None]) -> None:
        """The same, with the instant in whole nanoseconds."""
        self._agenda.enter(max(time, self._ns), kind, action)

    @property
    def next_event(self) -> float:
        """When something is to come next, by the clock that is shown [s]; never where nothing is."""
        return self._agenda.next / 1e9
