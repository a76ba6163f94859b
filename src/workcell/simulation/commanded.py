"""Which command began which move, and which of these moves were abandoned on their way."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from workcell.errors import MotionStop
from workcell.simulation.drives import Follow
from workcell.simulation.events import GivenUp
from workcell.simulation.gliding import Glide
from workcell.simulation.planned import Planned
from workcell.simulation.recorder import Recorder
from workcell.simulation.watched import Watched
from workcell.simulation.written import plain
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


class Commanded(Watched):
    """Numbers the commands that begin moves, so that callers can wait for them.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder) -> None:
        super().__init__(snapshot, state, recorder)
        self.given_up: dict[int, str] = {}
        """Why moves were abandoned on their way, by the numbers of their commands."""
        self.issued = 0
        """The number of the last command that began a move."""
        self._movers: dict[int, str] = {}
        """The device that makes the move of a command, by its number; finished moves are forgotten now and then."""

    def new_drive(self, planned: Planned | Glide) -> Follow:
        """Return a drive that would begin now."""
        self.issued += 1
        if len(self._movers) > 2 * len(self.drives) + 64:
            self._movers = {drive.number: drive.name for drive in self.drives.values() if drive.number > 0}
        self._movers[self.issued] = planned.name
        self._stood = self._stood or not plain(planned)
        return Follow(
            self.time, planned, planned.motion, self.now if plain(planned) else None, self.issued,
            mark=self.now, row=self._row(planned), then=getattr(planned, "onward", None),
        )  # fmt: skip

    def number_after(self, drive: Follow) -> int:
        """Return the number of a move that replaces another: the same, unless that one was abandoned."""
        if drive.number not in self.given_up:
            return drive.number
        self.issued += 1
        return self.issued

    def give_up(self, drive: Follow, reason: str) -> None:
        """Note that a move was stopped on its way, for whoever waits for it."""
        self.given_up[drive.number] = f"{drive.name} was stopped on its way at {self.time:.4f} s: {reason}."
        self.recorder.event(GivenUp(self.now, drive.name, reason))

    def require_made(self, numbers: Collection[int]) -> None:
        """Refuse to continue if a move was stopped on its way.

        Raises:
            MotionStop: one was; the message gives the reason.
        """
        for number in numbers:
            reason = self.given_up.pop(number, "")
            if reason:
                raise MotionStop(reason, stopped=self.time)

    def moving(self, numbers: Iterable[int]) -> list[Follow]:
        """Return the drives of commands that are not finished, in the order of the commands."""
        found = []
        for number in sorted(numbers):
            drive = self.drives.get(self._movers.get(number, ""))
            if drive is not None and drive.number == number:
                found.append(drive)
        return found

    def begun_since(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the unfinished moves that began after a command, without conveyors."""
        return tuple(drive.number for drive in self.moving(range(number + 1, self.issued + 1)) if not drive.runs)
