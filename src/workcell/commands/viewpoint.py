"""A viewpoint: the cell as one user sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from workcell.commands.file_access import FileAccess
from workcell.geometry.glb_hash import glb_hash
from workcell.simulation.ongoing import Ongoing
from workcell.spatial.units import Units
from workcell.world.database import Database
from workcell.world.display_units import DisplayUnits
from workcell.world.flatten import snapshot_of
from workcell.world.present import Moment, Present
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.commands.running import PausedRun
    from workcell.geometry.solid import Solid
    from workcell.simulation.happenings import Move
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator
    from workcell.world.snapshot import Snapshot


class Viewpoint:
    """The cell, its state and its recording, with the units, the files and the name of a user."""

    def __init__(self, database: Database, who: str = "user", units: Units | None = None) -> None:
        self.database = database
        self.who = who
        self.files = FileAccess(own=database.store.path)
        """Which files commands may read and write, and how they do."""
        self.display = DisplayUnits(database, units)
        """The units of bare numbers."""
        self.sizes = self.display.sizes
        """For each quantity, the SI value of each unit; '' is the unit of bare numbers."""
        self.present: Present | Moment = Present(database)
        """The cell and its state: now or, for a reader in another thread, at one moment."""
        self.ongoing = Ongoing(self.present)
        """The simulator, and the recording that continues after edits."""
        self.progress: Callable[[float, str], None] = lambda _fraction, _label: None
        """Called by long commands with the fraction done and a label."""
        self.cancel: threading.Event | None = None
        """Set by the front end to stop the command that is running."""
        self.paused: PausedRun | None = None
        """The run that is paused or in progress."""
        self.announce: Callable[[Solid], str] = glb_hash
        """Lets clients of a server fetch a shape; returns the hash of its GLB."""
        self.reads_only = False
        """Whether it belongs to a reader in another thread."""
        self.editing = False
        """Whether the cell is being edited: edits are made on the cell, whatever run is paused."""

    @property
    def units(self) -> Units:
        """The units of bare numbers: those of the cell, unless this session has its own."""
        return self.display.now

    def snapshot(self) -> Snapshot:
        """Return the cell flattened at its current revision."""
        return self.present.snapshot()

    @property
    def _standing(self) -> PausedRun | None:
        """The paused run whose state reading commands see."""
        return None if self.editing or self.reads_only else self.paused

    @property
    def state(self) -> CellState:
        """The current state; while a run is paused, the state of the run."""
        run = self._standing
        return self.present.state if run is None else run.state_on(self.snapshot())

    @property
    def simulator(self) -> Simulator:
        """The simulator of this session with the current state, or that of the paused run."""
        run = self._standing
        return self.ongoing.simulator if run is None else run.simulator_on(self.snapshot())

    def seen(self) -> tuple[Snapshot, CellState]:
        """Return the current cell and its state, with what the running command has written."""
        if not self.database.writing:
            return self.snapshot(), self.state
        snapshot, text = snapshot_of(self.database), self.database.state_json()
        return snapshot, snapshot.fitted(CellState.from_json(text)) if text else snapshot.initial

    @property
    def recording(self) -> Recording:
        """The recording of this session, or a recording that was loaded."""
        shown = self.ongoing.shown
        return self.simulator.recording if shown is None else shown

    @property
    def moving(self) -> Simulator | None:
        """The simulator that moves, also while a command runs; None before anything was simulated."""
        return self.ongoing.begun if self.paused is None else self.paused.simulator

    @property
    def simulator_time(self) -> float:
        """The simulated time [s]; while a command runs, it is ahead of the stored state."""
        return self.state.shown_time if self.moving is None else self.moving.time

    @property
    def simulator_now(self) -> float:
        """The current instant of the recording [s]."""
        return self.state.time if self.moving is None else self.moving.now

    @property
    def simulator_moves(self) -> list[Move]:
        """The moves that the simulator has made, also while a command runs."""
        return [] if self.moving is None else self.moving.recording.moves
