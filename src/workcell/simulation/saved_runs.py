"""Runs that are saved while they are paused before a step, and continued in another process.

A file holds the position of the run (threads, frames, moves under way, signals, the clock), its recording so far,
and the programs and tables themselves. It does not hold the cell, only the identity of its sections; a run continues
only on a cell with the same sections. Programs of the cell do not count, because the run has its own. A session
whose history names them checks them itself. Only a Workcell whose classes have the same fields can read identities
and frames; the file names the Workcell that wrote it.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workcell.errors import FileProblem, InvalidValue, NewerFile, Refused
from workcell.geometry.formats.whole_file import write_whole
from workcell.simulation import plain
from workcell.simulation.modes import checked_mode
from workcell.simulation.moments import Moment as PlantMoment
from workcell.simulation.recording import Mark, Recording
from workcell.simulation.run_moments import Moment
from workcell.world.cell_print import CellPrint, cell_print, differences, listed
from workcell.world.layout import layout, workcell_version
from workcell.world.sections import PROGRAMS
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.programs.program import Program
    from workcell.simulation.simulator import Simulator

MAGIC = b"WCRUN"
VERSION = 3
_HEADED = 2
"""From this version on, a file names its writer."""
_HEAD = len(MAGIC) + 1
_SUM = 32
_LENGTH = struct.Struct("<I")
_CALLED = {
    "state": "places and joint values of the initial state", "scene": "scenes", "motion": "motion settings",
    "watch": "watch settings", "robot set-up": "speeds, profiles or branches of robots",
}  # fmt: skip
"""Names of sections in messages, where another word than their own is clearer."""
_AGAIN = "carry the run out again with `debug`"


class Maker(msgspec.Struct, frozen=True):
    """The writer of a file: the version of Workcell, and the layout of the content."""

    workcell: str
    layout: str

    @classmethod
    def here(cls) -> Maker:
        """Return the description of this Workcell."""
        return cls(workcell_version(), layout((Snapshot, *plain.kinds())))

    def require_same(self) -> None:
        """Refuse a file whose content cannot be compared here."""
        here = self.here()
        if self.layout != here.layout:
            theirs, mine = f"Workcell {self.workcell}", f"Workcell {here.workcell}"
            if theirs == mine:
                theirs, mine = f"another build of {mine}", "this one"
            raise Refused(
                f"The run was saved by {theirs}, and {mine} stores cells and runs differently, so it cannot check "
                f"that the cell is the same; {_AGAIN}, or use the Workcell that saved it.",
                workcell=self.workcell,
            )


@dataclass(frozen=True)
class SavedRun:
    """A paused run as data.

    Attributes:
        sections: the identity of every section of the cell but its programs.
        content: the run as plain data.
        recording: what it recorded.
        about: information for whoever continues the run, as plain data.
        cell: the print of the cell, to name differences; None in older files.
    """

    sections: Mapping[str, str]
    content: Mapping[str, Any]
    recording: bytes
    about: Mapping[str, Any] = field(default_factory=dict)
    cell: CellPrint | None = None

    @classmethod
    def of(
        cls,
        moment: Moment,
        simulator: Simulator,
        known: Mapping[str, Program],
        files: Mapping[str, bytes],
        about: Mapping[str, Any],
    ) -> SavedRun:
        """Return a run at a moment, with its programs and the tables that it reads.

        Raises:
            Refused: it holds something that is not data: a generator, a watch set in Python.
        """
        if simulator.set_by_hand:
            what = " and the ".join(sorted(simulator.set_by_hand))
            raise Refused(
                f"The {what} of this simulator was set in Python and cannot be saved; set it in the cell (`watch "
                "yes`, a slow-down zone)."
            )
        plant = moment.plant
        content = {
            "known": dict(known),
            "files": dict(files),
            "threads": moment.threads,
            "round": moment.round,
            "counts": (moment.going, moment.position, moment.steps, moment.looks, moment.time),
            "ended": moment.ended,
            "state": plant.state,
            "under way": dict(plant.under_way),
            "settings": dict(plant.settings),
            "steered": (dict(plant.rates), dict(plant.given_up), plant.issued, plant.callbacks, dict(plant.faults)),
            "simulator": (simulator.mode, simulator.step, simulator.resolution),
        }
        recording, snapshot = simulator.recording.to_bytes(sources=True), simulator.snapshot
        return cls(_sections(snapshot), content, recording, about, cell_print(snapshot))

    def require_same_cell(self, snapshot: Snapshot) -> None:
        """Refuse a cell on which the run cannot continue.

        Raises:
            Refused: the cell is another one; the message names the difference.
        """
        here = _sections(snapshot)
        odd = [name for name in here if self.sections.get(name) != here[name]]
        if odd:
            self._refuse(snapshot, odd)

    @property
    def known(self) -> Mapping[str, Program]:
        """The programs of the run, by name."""
        found: Mapping[str, Program] = self.content["known"]
        return found

    @property
    def files(self) -> Mapping[str, bytes]:
        """The tables that its steps read, by name."""
        found: Mapping[str, bytes] = self.content["files"]
        return found

    def recorded(self) -> Recording:
        """Return its recording."""
        return Recording.from_bytes(self.recording)

    def set_up(self, simulator: Simulator) -> None:
        """Give a simulator the settings of the run."""
        mode, step, resolution = self.content["simulator"]
        simulator.mode, simulator.step, simulator.resolution = checked_mode(mode), step, resolution

    def moment(self, mark: Mark) -> Moment:
        """Return the moment of the run, with this much recorded."""
        content = self.content
        going, position, steps, looks, time = content["counts"]
        plant = PlantMoment(
            content["state"], content["under way"], content["settings"], mark, *content.get("steered", ())
        )
        return Moment(
            content["threads"], content["round"], going, position, steps, looks, time, content["ended"], plant
        )

    def _refuse(self, snapshot: Snapshot, odd: list[str]) -> None:
        """Refuse the cell and name the differences."""
        what = ", ".join(_CALLED.get(name, name) for name in odd)
        if self.cell is None:
            raise Refused(
                "The run was saved on another cell, or by an earlier Workcell that stored cells differently: "
                f"{what} differ here; open the cell that it was saved on, or {_AGAIN}.",
                sections=odd,
            )
        moved = _moved(self.recorded().start, snapshot.initial)
        things = tuple(dict.fromkeys([*(differences(self.cell, snapshot) or ()), *moved]))
        named = f" ({listed(things)})" if things else ""
        raise Refused(
            f"The run was saved on another cell: {what} differ here{named}; open the cell that it was saved on.",
            sections=odd,
            things=things,
        )

    def to_bytes(self) -> bytes:
        """Return the run as bytes."""
        head = msgspec.msgpack.encode((Maker.here(), self.cell))
        data = plain.to_bytes((self.sections, self.content, self.recording, self.about))
        body = _LENGTH.pack(len(head)) + head + data
        return MAGIC + bytes([VERSION]) + hashlib.sha256(body).digest() + body

    @classmethod
    def from_bytes(cls, data: bytes) -> SavedRun:
        """Return the run from what :meth:`to_bytes` returned.

        Raises:
            Refused: a Workcell wrote it that stores cells and runs differently.
            FileProblem: it is damaged, or not a saved run.
        """
        if not data.startswith(MAGIC):
            raise FileProblem("This is not a saved run; `save-run FILE` writes one.")
        if data[len(MAGIC) : _HEAD] > bytes([VERSION]):
            raise NewerFile("The run was saved by a later Workcell; update Workcell to continue it.")
        body = data[_HEAD + _SUM :]
        if hashlib.sha256(body).digest() != data[_HEAD : _HEAD + _SUM]:
            raise FileProblem("The saved run is damaged: its checksum does not match; save the run again.")
        old = data[len(MAGIC)] < _HEADED
        cell = None
        try:
            if not old:
                maker, cell, body = _head(body)
                maker.require_same()
            sections, content, recording, about = plain.from_bytes(body)
            return cls(sections, content, recording, about, cell)
        except (InvalidValue, TypeError, ValueError, struct.error, msgspec.MsgspecError) as error:
            if old:
                raise Refused(
                    f"The run was saved by an earlier Workcell that stored runs differently; {_AGAIN}."
                ) from error
            raise FileProblem(f"The saved run is damaged: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the run to a file, whole or not at all."""
        write_whole(Path(path), self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> SavedRun:
        """Read a run from a file."""
        try:
            return cls.from_bytes(Path(path).read_bytes())
        except OSError as error:
            raise FileProblem(f"Cannot read {path}: {error.strerror}.") from error


_MADE = msgspec.msgpack.Decoder(tuple[Maker, CellPrint | None])


def _moved(then: CellState, now: CellState) -> Iterator[str]:
    """Yield what is elsewhere at the start."""
    for name in sorted(then.poses.keys() & now.poses.keys()):
        if then.poses[name] != now.poses[name]:
            yield f"{name} stands elsewhere"
    for name in sorted(then.joints.keys() & now.joints.keys()):
        if not np.array_equal(then.joints[name], now.joints[name]):
            yield f"robot {name} begins with other joint values"


def _head(body: bytes) -> tuple[Maker, CellPrint | None, bytes]:
    """Return the writer, the print of the cell, and the rest."""
    (length,) = _LENGTH.unpack_from(body)
    until = _LENGTH.size + length
    maker, cell = _MADE.decode(body[_LENGTH.size : until])
    return maker, cell, body[until:]


def _sections(snapshot: Snapshot) -> dict[str, str]:
    return {name: one for name, one in snapshot.sections.items() if name != PROGRAMS}
