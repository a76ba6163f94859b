"""Runs that are saved while they stand before a step, and gone on with in another process.

A file holds where the run stands (threads, frames, moves under way, signals, the clock), what it recorded until there,
and the programs and tables themselves. The cell is not in it: the identity of its sections is, and a run goes on only
on a cell that has the same ones. Programs of the cell do not count here, since the run has its own; a session whose
history names them looks at them itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.errors import FileProblem, InvalidValue, NewerFile, Refused
from workcell.geometry.formats.files import write_whole
from workcell.simulation import plain
from workcell.simulation.interpreter import Moment, Run
from workcell.simulation.recording import Recording
from workcell.simulation.simulator import Moment as PlantMoment
from workcell.simulation.simulator import checked_mode
from workcell.world.sections import PROGRAMS

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator
    from workcell.world.snapshot import Snapshot

MAGIC = b"WCRUN"
VERSION = 1
_HEAD = len(MAGIC) + 1
_SUM = 32


@dataclass(frozen=True)
class SavedRun:
    """A run as it stood.

    Attributes:
        sections: the identity of every section of the cell but its programs.
        content: the run as plain data.
        recording: what it recorded.
        about: what whoever started the run wants to know when it goes on, as plain data.
    """

    sections: Mapping[str, str]
    content: Mapping[str, Any]
    recording: bytes
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, about: Mapping[str, Any] | None = None) -> SavedRun:
        """A run that stands before a step.

        Raises:
            Refused: it does not stand, or has something that is no data: a generator, a watch set in Python.
        """
        if run.standing is None:
            raise Refused("Only a run that stands before a step can be saved; pause it first.")
        simulator, moment = run.simulator, run.moment()
        if simulator.set_by_hand:
            what = " and the ".join(sorted(simulator.set_by_hand))
            raise Refused(
                f"The {what} of this simulator was set in Python and cannot be saved; let the cell have it (`watch "
                "yes`, a zone that slows down)."
            )
        plant = moment.plant
        content = {
            "known": dict(run.known),
            "files": dict(run.files),
            "threads": moment.threads,
            "round": moment.round,
            "counts": (moment.going, moment.position, moment.steps, moment.looks, moment.time),
            "ended": moment.ended,
            "state": plant.state,
            "under way": dict(plant.under_way),
            "settings": dict(plant.settings),
            "simulator": (simulator.mode, simulator.step, simulator.resolution),
        }
        return cls(_sections(simulator.snapshot), content, simulator.recording.to_bytes(sources=True), about or {})

    def on(self, simulator: Simulator) -> Run:
        """The run on a simulator of the same cell, standing where it stood.

        Raises:
            Refused: the cell is another one; the sentence names what differs.
        """
        here = _sections(simulator.snapshot)
        odd = [name for name in here if self.sections.get(name) != here[name]]
        if odd:
            raise Refused(
                f"The run was saved on another cell: {', '.join(odd)} differ here; open the cell as it was then.",
                sections=odd,
            )
        try:
            return self._on(simulator)
        except (KeyError, TypeError, ValueError, AttributeError, InvalidValue) as error:
            raise FileProblem(f"The saved run is damaged: {error}.") from error

    def _on(self, simulator: Simulator) -> Run:
        content = self.content
        mode, step, resolution = content["simulator"]
        simulator.mode, simulator.step, simulator.resolution = checked_mode(mode), step, resolution
        recording = Recording.from_bytes(self.recording)
        run = Run(simulator, (), content["known"], files=content["files"])
        going, position, steps, looks, time = content["counts"]
        plant = PlantMoment(content["state"], content["under way"], content["settings"], recording.mark())
        run.return_to(
            Moment(content["threads"], content["round"], going, position, steps, looks, time, content["ended"], plant),
            recording,
        )
        return run

    def to_bytes(self) -> bytes:
        """The run as bytes."""
        body = plain.to_bytes((self.sections, self.content, self.recording, self.about))
        return MAGIC + bytes([VERSION]) + hashlib.sha256(body).digest() + body

    @classmethod
    def from_bytes(cls, data: bytes) -> SavedRun:
        """What :meth:`to_bytes` wrote."""
        if not data.startswith(MAGIC):
            raise FileProblem("This is not a saved run; `save-run FILE` writes one.")
        if data[len(MAGIC) : _HEAD] > bytes([VERSION]):
            raise NewerFile("The run was saved by a later Workcell; update Workcell to go on with it.")
        body = data[_HEAD + _SUM :]
        if hashlib.sha256(body).digest() != data[_HEAD : _HEAD + _SUM]:
            raise FileProblem("The saved run is damaged: its check sum does not fit; save the run again.")
        try:
            return cls(*plain.from_bytes(body))
        except (InvalidValue, TypeError) as error:
            raise FileProblem(f"The saved run is damaged: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write it to a file, whole or not at all."""
        write_whole(Path(path), self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> SavedRun:
        """Read it from a file."""
        try:
            return cls.from_bytes(Path(path).read_bytes())
        except OSError as error:
            raise FileProblem(f"Cannot read {path}: {error.strerror}.") from error


def _sections(snapshot: Snapshot) -> dict[str, str]:
    return {name: one for name, one in snapshot.sections.items() if name != PROGRAMS}
