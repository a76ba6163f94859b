"""The simulation that goes on: in step with the cell, with a recording that outlives edits and comes back with undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.simulation.recording_along import RecordingAlong
from workcell.world.renaming import renaming

if TYPE_CHECKING:
    from workcell.simulation.continuing import Versions
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator
    from workcell.world.present import Revision, Seen
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


class Ongoing:
    """The simulator of a cell, and what it has recorded.

    Args:
        seen: the cell that is simulated.
        recorded: what was recorded until here.
    """

    def __init__(self, seen: Seen, recorded: Recording | None = None) -> None:
        self._seen = seen
        self._recorded = recorded
        self._versions: Versions | None = None
        self._in_step: tuple[Revision, CellState] | None = None
        """The revision and the state that the simulator is at, as they are kept."""
        self._shown: tuple[Recording, Snapshot] | None = None
        """A recording that was loaded to be looked at, and the cell as it was then."""
        self.begun: Simulator | None = None
        """The simulator, wherever it is; None before anything was simulated or asked for."""
        self.lost = ""
        """Why what was recorded could not go on with the last change of the cell; '' where it did."""
        self.along = RecordingAlong()
        """The file that is written while something happens, where one is."""

    @property
    def loss(self) -> str:
        """A sentence where what was recorded could not go on; else ''."""
        return f"What was recorded is forgotten: {self.lost}." if self.lost else ""

    @property
    def simulator(self) -> Simulator:
        """The simulator, in step with the cell's present state.

        Its recording goes on after edits and comes back with undo and redo, as long as that makes sense.
        """
        simulator, kept = self.begun, self._in_step
        revision = self._seen.revision
        if simulator is None or kept is None or kept[0] != revision or simulator.state is not kept[1]:
            return self.follow()
        return simulator

    def follow(self) -> Simulator:
        """Bring the simulator to where the cell is, with what was recorded until there."""
        from workcell.simulation.continuing import after_edit
        from workcell.simulation.simulator import Simulator

        before, snapshot, state = self.begun, self._seen.snapshot(), self._seen.state
        recording, self.lost = self._known().at(self._seen.revision), ""
        if recording is None and before is None:
            recording = self._recorded
        if recording is None and before is not None:
            self.begun, self.lost = after_edit(before, snapshot, state)
        else:
            self.begun = Simulator(snapshot, None, state, recording)
        self.keep()
        return self.begun

    def keep(self, simulator: Simulator | None = None) -> None:
        """Remember what is recorded at the present revision; by another simulator, which goes on from now."""
        self.begun = simulator or self.begun
        assert self.begun is not None
        revision = self._seen.revision
        self._in_step = revision, self.begun.state
        self._known().keep(revision, self.begun.recording)
        self.along.write(self.begun)

    def _known(self) -> Versions:
        from workcell.simulation.continuing import Versions

        if self._versions is None:
            self._versions = Versions()
        return self._versions

    def restart(self, state: CellState) -> None:
        """Begin a new recording at a state."""
        from workcell.simulation.simulator import Simulator

        self.begun = Simulator(self.simulator.snapshot, None, state)

    def show(self, recording: Recording | None) -> None:
        """Let another recording be looked at, of the cell as it is called now, until something is simulated again."""
        self._shown = None if recording is None else (recording, self._seen.snapshot())

    @property
    def shown(self) -> Recording | None:
        """What was loaded to be looked at, under the names of now."""
        if self._shown is None:
            return None
        (recording, then), now = self._shown, self._seen.snapshot()
        return recording.renamed(renaming(then, now)).on(now)

    def forget_shown(self, robot: str) -> None:
        """Let a loaded recording in which a robot moves be looked at no longer: the robot is another one now."""
        shown = self.shown
        if shown is not None and robot in shown.robots:
            self._shown = None

    def beside(self, seen: Seen, recorded: Recording | None) -> Ongoing:
        """The same for a reader in another thread, who sees what was recorded until a moment."""
        other = Ongoing(seen, recorded)
        other._shown = self._shown
        return other
