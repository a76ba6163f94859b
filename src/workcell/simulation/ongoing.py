"""The simulation that continues through edits: in step with the cell, with a recording that survives edits and undo."""

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
    """The simulator of a cell, and its recording.

    Args:
        seen: the cell that is simulated.
        recorded: the recording so far.
    """

    def __init__(self, seen: Seen, recorded: Recording | None = None) -> None:
        self._seen = seen
        self._recorded = recorded
        self._versions: Versions | None = None
        self._in_step: tuple[Revision, CellState] | None = None
        """The revision and the state of the simulator, as they are stored."""
        self._shown: tuple[Recording, Snapshot] | None = None
        """A recording that was loaded for viewing, and the cell at that time."""
        self.begun: Simulator | None = None
        """The simulator, at any revision; None before anything was simulated or asked for."""
        self.lost = ""
        """Why the recording could not continue after the last change of the cell; '' if it did."""
        self.along = RecordingAlong()
        """The file that is written during the simulation, if there is one."""

    @property
    def idle(self) -> bool:
        """Whether nothing was simulated or asked for, and no recording was given."""
        return self.begun is None and self._recorded is None

    @property
    def loss(self) -> str:
        """The message if the recording could not continue; else ''."""
        return f"The recording was dropped: {self.lost}." if self.lost else ""

    @property
    def simulator(self) -> Simulator:
        """The simulator, in step with the present state of the cell.

        Its recording continues after edits and returns with undo and redo, as long as that makes sense.
        """
        simulator, kept = self.begun, self._in_step
        revision = self._seen.revision
        if simulator is None or kept is None or kept[0] != revision or simulator.state is not kept[1]:
            return self.follow()
        return simulator

    def follow(self) -> Simulator:
        """Bring the simulator to the present cell, with the recording up to there."""
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
        """Keep the recording at the present revision; or that of another simulator, which continues from now on."""
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
        """Show another recording of the cell, under its present names, until something is simulated again."""
        self._shown = None if recording is None else (recording, self._seen.snapshot())

    @property
    def shown(self) -> Recording | None:
        """The recording that was loaded for viewing, under the present names."""
        if self._shown is None:
            return None
        (recording, then), now = self._shown, self._seen.snapshot()
        return recording.renamed(renaming(then, now)).on(now)

    @property
    def loaded(self) -> bool:
        """Whether a recording is shown that was loaded for viewing."""
        return self._shown is not None

    def forget_shown(self, robot: str) -> None:
        """Stop showing a loaded recording in which a robot moves that has been replaced."""
        shown = self.shown
        if shown is not None and robot in shown.robots:
            self._shown = None

    def beside(self, seen: Seen, recorded: Recording | None) -> Ongoing:
        """Return a copy for a reader in another thread, with the recording up to a moment."""
        other = Ongoing(seen, recorded)
        other._shown = self._shown
        return other
