"""A viewpoint: the cell as one who asks sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from workcell.commands.file_access import FileAccess
from workcell.simulation.ongoing import Ongoing
from workcell.spatial.units import Units
from workcell.world.database import Database
from workcell.world.display_units import DisplayUnits
from workcell.world.flatten import snapshot_of
from workcell.world.present import Moment, Present
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.commands.running import PausedRun
    from workcell.simulation.happenings import Move
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator
    from workcell.world.snapshot import Snapshot


class Viewpoint:
    """What exists, where everything is and what was recorded, with the units, the files and the name of who asks."""

    def __init__(self, database: Database, who: str = "user", units: Units | None = None) -> None:
        self.database = database
        self.who = who
        self.files = FileAccess(own=database.store.path)
        """Which files commands may read and write, and how they do."""
        self.display = DisplayUnits(database, units)
        """What a bare number means."""
        self.sizes = self.display.sizes
        """For each quantity the SI value of one of each unit, and without a name that of a bare number."""
        self.present: Present | Moment = Present(database)
        """What exists and where everything is: now, or at the moment that a reader in another thread sees."""
        self.ongoing = Ongoing(self.present)
        """The simulator, and the recording that goes on after edits."""
        self.progress: Callable[[float, str], None] = lambda _fraction, _label: None
        """Called by long commands with the fraction done and a label."""
        self.cancel: threading.Event | None = None
        """Set by the front end to stop the command that is running."""
        self.paused: PausedRun | None = None
        """The run that stands before a step, or goes on."""
        self.reads_only = False
        """Whether this is what a reader in another thread sees."""
        self.editing = False
        """Whether the cell is being edited: edits are made on the cell, whatever run is paused."""

    @property
    def units(self) -> Units:
        """What a bare number means: the cell's display units unless this session has its own."""
        return self.display.now

    def snapshot(self) -> Snapshot:
        """The cell flattened at its present revision."""
        return self.present.snapshot()

    @property
    def _standing(self) -> PausedRun | None:
        """The paused run that questions are answered from."""
        return None if self.editing or self.reads_only else self.paused

    @property
    def state(self) -> CellState:
        """Where everything is; while a run is paused, where everything is in it."""
        run = self._standing
        return self.present.state if run is None else run.state_on(self.snapshot())

    @property
    def simulator(self) -> Simulator:
        """The simulator of this session, in step with the cell's present state, or where a paused run stands."""
        run = self._standing
        return self.ongoing.simulator if run is None else run.simulator_on(self.snapshot())

    def seen(self) -> tuple[Snapshot, CellState]:
        """The cell and its state as they are now, with what the command under way has written."""
        if not self.database.writing:
            return self.snapshot(), self.state
        snapshot, text = snapshot_of(self.database), self.database.state_json()
        return snapshot, snapshot.fitted(CellState.from_json(text)) if text else snapshot.initial

    @property
    def recording(self) -> Recording:
        """What the simulator of this session has recorded, or what was loaded to be looked at."""
        shown = self.ongoing.shown
        return self.simulator.recording if shown is None else shown

    @property
    def moving(self) -> Simulator | None:
        """The simulator that moves, while a command runs too; None before anything was simulated."""
        return self.ongoing.begun if self.paused is None else self.paused.simulator

    @property
    def simulator_time(self) -> float:
        """What the clock of the simulator says [s]; while a command runs it is ahead of the state kept."""
        return self.state.shown_time if self.moving is None else self.moving.time

    @property
    def simulator_now(self) -> float:
        """The instant of the recording that the simulator is at [s]."""
        return self.state.time if self.moving is None else self.moving.now

    @property
    def simulator_moves(self) -> list[Move]:
        """The moves that the simulator has made, while a command runs too."""
        return [] if self.moving is None else self.moving.recording.moves
