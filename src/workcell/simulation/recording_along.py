"""A file to which a recording is written while it happens, so that it survives a killed process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator


class RecordingAlong:
    """Writes a recording to a file while it happens; to none before :meth:`begin` and after :meth:`end`."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._held_back = False
        self._written: Recording | None = None

    def begin(self, path: Path, simulator: Simulator, held_back: bool) -> None:
        """Write everything that is recorded from now on to a file.

        Args:
            path: the file.
            simulator: the simulator that records.
            held_back: whether the run may be paused for long, so that nothing should wait in memory.
        """
        self._path, self._held_back = path, held_back
        self.write(simulator)

    def write(self, simulator: Simulator) -> None:
        """Write what a simulator records from now on, replacing the file."""
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
        """Stop writing."""
        self._path = None
        self._end_file()

    def _end_file(self) -> None:
        if self._written is not None and self._written.also is not None:
            self._written.also.close()
            self._written.also = None
        self._written = None
