"""Looks ahead along everything that moves, and keeps until when nothing touches."""

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
"""How far ahead to look if something runs without end [s]; the look is repeated before that is over."""


class Watched(Written):
    """Knows the coming actions and, if collisions are watched, tests everything that moves.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder) -> None:
        super().__init__(snapshot, state, recorder)
        self._agenda = Agenda()
        self.quick: tuple[Watch, int, Calms] | None = None
        """What the watch has prepared for the present scene."""
        self.cancel: threading.Event | None = None
        """Set to stop a move that takes long to plan."""
        self._stop: Stop | None = None
        self._unseen = False
        self._stood = False
        """Whether a move was begun during which the shown clock stops."""
        self._began: set[str] | None = None
        """The devices that changed their motion since the last look; None if all may have."""
        self._free = False
        """Whether everything that moves has been tested, and nothing touches."""
        self._clear_until = math.inf
        """Until when everything has been tested, if something runs without end [s]."""

    @property
    def watch(self) -> Watch | None:
        """The watch for collisions while devices move; None if there is none."""
        return None

    def changed(self, name: str = "") -> None:
        """Note that the motions or the carriers have changed: earlier tests are no longer valid.

        Args:
            name: the device that changed its motion; by default, all.
        """
        self._began = self._beginning(name) if name else None
        self._unseen, self._stop, self._free = True, None, False

    def _beginning(self, name: str) -> set[str] | None:
        """Return the devices that changed their motion since the last look, including this one.

        None if all may have.
        """
        return None if self._began is None or self._stop is not None else {*self._began, name}

    @property
    def unseen(self) -> bool:
        """Whether something has changed since the last look ahead."""
        return self._unseen

    def sense(self) -> None:
        """Locate changes of sensors after the motions or the carriers changed; nothing without sensors."""

    def convey(self) -> None:
        """Let parts on belts begin or stop riding, and find when one meets something; nothing without belts."""

    @property
    def conveyed_until(self) -> float:
        """Until when parts move with their present carriers [s]."""
        return math.inf

    def sense_over(self, time: float) -> None:
        """Record what sensors do until the clock of the thesis shows a time."""

    @property
    def _timed(self) -> Drives:
        """Return what moves by the clock: everything that does not wait for the clock of the thesis."""
        if not self._stood or all(one.since is not None for one in self.drives.values()):
            return self.drives
        return Drives.of(one for one in self.drives.values() if one.since is not None)

    def _looked(self, drives: Drives, names: set[str] | None) -> Stop | None:
        """Return where the motions must stop, if only these devices changed since the last look; all if None."""
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
        """Look further ahead if something runs without end and was tested up to now."""
        if self._clear_until <= self.time:
            self.changed()

    def horizon(self, drives: Drives) -> float:
        """Return until when to look along drives.

        Until all are at rest, or some seconds ahead if one is endless [s].
        """
        return self._until(drives.last, bool(drives.endless))

    def _until(self, last: float, endless: bool) -> float:
        return min(max(last, later(self.time, AHEAD)) if endless else last, self.conveyed_until)

    def _concerns(self, stop: Stop, devices: Sequence[str]) -> bool:
        """Return whether one of some devices, or what moves with them, would touch something."""
        from workcell.collision.supports import going

        pair = stop.event.pair
        return pair is None or self.watch is None or bool({*pair} & going(self.watch.model, self.state, devices))

    def schedule(self, time: float, kind: Kind, action: Callable[[], None]) -> None:
        """Enter an action for an instant of the shown clock [s], not before now."""
        self.schedule_ns(reached_at(time), kind, action)

    def schedule_ns(self, time: int, kind: Kind, action: Callable[[], None]) -> None:
        """Enter an action for an instant in whole nanoseconds."""
        self._agenda.enter(max(time, self._ns), kind, action)

    @property
    def next_event(self) -> float:
        """When the next action is due, by the shown clock [s]; infinite if there is none."""
        return self._agenda.next / 1e9
