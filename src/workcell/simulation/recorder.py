"""The interface through which a simulator records what happens."""

from __future__ import annotations

from typing import Protocol

from workcell.simulation.events import Event, Issued
from workcell.simulation.happenings import Move, StateChange
from workcell.simulation.pieces import Piece
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


class Recorder(Protocol):
    """Records what happens: in memory, or in a file."""

    made_in: Snapshot | None
    """The cell in which it happens."""

    @property
    def due(self) -> bool:
        """Whether it needs the whole state, as a file does now and then."""
        ...

    def drive(self, device: str, piece: Piece) -> bool:
        """Record a piece of the motion of a device, or more of the last piece; return whether it is a new piece."""
        ...

    def shows(self, time: float, clock: float) -> None:
        """Record the clock of the thesis at a time [s]; linear since the last record."""

    def event(self, event: Event) -> None:
        """Record an event."""

    def source(self, source: Issued) -> None:
        """Record the source of the step that begins."""

    def text(self, program: str, text: str, units: str, entity: int) -> None:
        """Record the lines of a program that runs from now on, and its id in the cell; 0 if it has none."""

    def change(self, change: StateChange) -> None:
        """Record a change of the state."""

    def moved(self, move: Move) -> None:
        """Record a finished move."""

    def reached(self, state: CellState) -> None:
        """Note that everything up to this state is recorded."""


class FileRecorder(Recorder, Protocol):
    """A file that is written during the simulation."""

    def flush(self) -> None:
        """Write what is buffered."""

    def close(self) -> None:
        """Write the rest, and close the file."""
