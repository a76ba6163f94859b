"""Where a simulator writes what happens."""

from __future__ import annotations

from typing import Protocol

from workcell.simulation.events import Event, Issued
from workcell.simulation.happenings import Move, StateChange
from workcell.simulation.pieces import Piece
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


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

    def change(self, change: StateChange) -> None:
        """A change of the state."""

    def moved(self, move: Move) -> None:
        """A move that was made."""

    def reached(self, state: CellState) -> None:
        """All that happened up to this state is recorded."""


class FileRecorder(Recorder, Protocol):
    """A file that is written as it happens."""

    def flush(self) -> None:
        """Write what is held back."""

    def close(self) -> None:
        """Write what is left, and end the file."""
