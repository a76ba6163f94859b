"""A file that a recording is written to while it happens, so that it outlives a kill."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator


class RecordingAlong:
    """Where a recording is written to while it happens; nowhere before :meth:`begin` and after :meth:`end`."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._held_back = False
        self._written: Recording | None = None

    def begin(self, path: Path, simulator: Simulator, held_back: bool) -> None:
        """Write what is recorded to a file from now on.

        Args:
            path: of the file.
            simulator: what records.
            held_back: whether somebody may hold the run back for long, so that nothing may wait in memory.
        """
        self._path, self._held_back = path, held_back
        self.write(simulator)

    def write(self, simulator: Simulator) -> None:
        """Write what a simulator records from now on, in place of what is there."""
        if self._path is None:
            return
        if simulator.recording.also is not None:
            if self._held_back:
                simulator.recording.also.flush()
            return
        from workcell.simulation.recording_file import RecordingWriter

        self._end_file()
        RecordingWriter.beside(simulator.recording, simulator.state, self._path)
        self._written = simulator.recording

    def end(self) -> None:
        """Write no longer."""
        self._path = None
        self._end_file()

    def _end_file(self) -> None:
        if self._written is not None and self._written.also is not None:
            self._written.also.close()
            self._written.also = None
        self._written = None
