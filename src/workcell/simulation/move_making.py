"""A plant that makes moves: alone or together, slowed and watched, with everything that stands on a moving part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.simulation.company import rate_of
from workcell.simulation.drives import Follow
from workcell.simulation.equipped import Equipped
from workcell.simulation.events import WaitBegan, Waited
from workcell.simulation.gliding import Glide, Pace, glide
from workcell.simulation.instants import later
from workcell.simulation.planned import Planned
from workcell.simulation.rate_changes import FAULT, OVERRIDE, paced
from workcell.simulation.required import required_wait
from workcell.simulation.tethers import in_time, may_be_left, tracker_on

if TYPE_CHECKING:
    from workcell.motion.curve import HandCurve
    from workcell.spatial.pose import Pose

Array = NDArray[np.float64]


@dataclass
class Together:
    """Moves that start together; ``duration`` [s] is that of the slowest, known when all are commanded."""

    duration: float = 0.0


class MoveMaking(Equipped):
    """Begins moves and, if no other program runs, advances the time until they are over."""

    def read_joints(self, robot: str) -> Array:
        """Return joint values of a robot now, as it reads them [rad or m].

        If it drifts, they differ from the true ones.
        """
        drift = None if self.faults is None else self.faults.drift(robot)
        true = self.joints_of(robot)
        return true if drift is None else true - drift

    def settings_of(self, robot: str) -> tuple[float, str, str]:
        """Return the speed, profile and branch of a robot for later moves."""
        found = self.settings.get(robot)
        if found is None:
            placed = self.snapshot.robot(robot)
            found = placed.speed, placed.profile, placed.branch
        return found

    def wait(self, seconds: float) -> None:
        """Advance simulated time."""
        seconds = required_wait(seconds)
        self.alone("wait")
        if self._calling:
            raise Refused("A callback cannot wait: it is called again at its next instant.")
        if self._among:
            raise Refused(f"A program that runs beside others waits with `yield {seconds:g}`.")
        self.recorder.event(WaitBegan(self.now, float(seconds)))
        self._go_on_until(later(self.time, seconds))
        self.recorder.event(Waited(self.now, float(seconds)))
        self.reached()

    def take(self, seconds: float, what: str) -> None:
        """Advance the time that something takes. A program that runs beside others waits for it itself."""
        self.alone(what)
        if seconds > 0.0 and not self._among:
            self._go_on_until(later(self.time, seconds))

    @contextmanager
    def together(self) -> Iterator[Together]:
        """Moves commanded inside start together; the next command waits for the slowest.

        Every robot may move once. If one of the moves is refused, none is made. A program beside others yields
        the ``duration`` of the value that this gives.
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

    @property
    def to_begin(self) -> Sequence[Planned | Glide]:
        """The moves commanded so far that start together; none outside :meth:`together`."""
        return self._waiting or ()

    def require_idle(self, name: str, what: str) -> None:
        """Refuse what is not a move while a robot or solid moves in a program that runs beside others."""
        drive = self.drives.get(name)
        if drive is not None and drive.runs:
            raise Refused(f"{name} runs; `stop-conveyor {name} --reached` first, then {what}.", robot=name)
        if drive is not None:
            raise Refused(f"{name} moves until {drive.end:.4f} s; {what} after that.", robot=name)
        if tracker := tracker_on(self, name):
            raise Refused(f"{tracker}; let it stop tracking first, then {what}.", robot=name)

    def perform(self, planned: Planned | Glide) -> float:
        """Make a move, or keep it until all moves that start together are known; return its duration [s]."""
        planned = planned.whole()
        if self._waiting is None:
            return self._make([planned])
        if any(other.name == planned.name for other in self._waiting):
            raise Refused(f"{planned.name} cannot make two moves at once; put the second one after the first.")
        self._waiting.append(planned)
        return planned.duration

    def perform_together(self, moves: Sequence[Planned]) -> float:
        """Make moves in one timing, or keep them until all that start together are known; return the duration [s]."""
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
        """Move a free solid along a curve, or straight from pose to pose; return the duration [s].

        Args:
            body: the solid; it must be movable, and nothing may hold it.
            curve: its way, from where it is.
            speed: its greatest speed [m/s; rad/s if it only turns].
            duration: the duration [s]; refused if that needs more than the given speed.
            acceleration: its greatest acceleration [m/s²]; by default, it starts and stops at once.
            blend: the distance from a corner at which its rounding begins [m]; by default, corners are sharp.
        """
        return self.perform(glide(self, body, curve, Pace(speed, duration, acceleration), blend))

    def _paced(self, planned: Planned | Glide) -> Planned | Glide:
        """Return a move at the speed that its override and faults leave."""
        rate = rate_of(self.paces, planned)
        return paced(planned, rate, FAULT if rate < rate_of(self.rates, planned) else OVERRIDE)

    def _make(self, moves: Sequence[Planned | Glide]) -> float:
        if self.faults is not None:
            moves = self.faults.at_work(moves)
        moves = [one if in_time(one) else self._paced(one.whole()) for one in self._slowed(moves)]
        for planned in moves:
            drive = self.drives.get(planned.name)
            if drive is not None and drive.runs:
                self.require_idle(planned.name, "move its joint")
            if drive is not None and may_be_left(drive) and isinstance(planned, Planned):
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
            if may_be_left(before := self.drives.get(planned.name)):
                assert before is not None
                self.end_here(before)
        drives = [self.begin(planned) for planned in moves]
        if self.faults is not None:
            self.faults.hold_stopped()
        if self._among or self._calling:
            # A move that takes no time is over at once, so that the next move at the same instant can begin.
            for drive in drives:
                if drive.planned.duration <= 0.0:
                    self.at_once(drive)
        else:
            self._finish(drives)
            self.require_made([drive.number for drive in drives])
        return max(planned.duration for planned in moves)

    def _finish(self, drives: Sequence[Follow]) -> None:
        """Advance the time until moves are over."""
        numbers = {drive.number for drive in drives}
        try:
            while going := self.moving(numbers):
                until = max(drive.end for drive in going)
                if math.isinf(until):
                    until = self.next_event
                if math.isinf(until):
                    raise Refused(f"{going[0].name} is held, and nothing else runs that could resume it.")
                self.advance(until)
        except BaseException:
            self.halt()
            raise
        self.reached()

    def _go_on_until(self, time: float) -> None:
        """Advance the time to an instant, whatever happens meanwhile."""
        while self.time < time:
            self.advance(time)

    def come_to_rest(self, body: str) -> None:
        """Put what moved with a solid back onto it, now that the solid is at rest."""
        from workcell.simulation.piles import leave_behind

        leave_behind(self, body)

    @property
    def pose_step(self) -> float:
        """The greatest motion between two frames [rad or m]."""
        return self.step

    def _leave(self, bodies: Sequence[str], away: Sequence[str]) -> None:
        """Report parts that lose their support when bodies move away. If moves are watched, the moves do not start.

        Args:
            bodies: the bodies that begin to move on their own now.
            away: the bodies that already move on their own.
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
