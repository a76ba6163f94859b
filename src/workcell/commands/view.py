"""The cell at one moment, for a command that reads it in another thread while the cell goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


class View(NamedTuple):
    """What exists, where everything is, and what was recorded until now; nothing of it changes any more."""

    snapshot: Snapshot
    state: CellState
    recording: Recording | None

    def simulator(self) -> Simulator:
        """A simulator that begins here and that nobody else has."""
        from workcell.simulation.simulator import Simulator

        return Simulator(self.snapshot, None, self.state, self.recording)
