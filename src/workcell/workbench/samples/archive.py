"""A sample as one file: the cell as text, the recording of its run, a picture, and what the gallery tells about it.

``tools/samples.py`` makes the archives from the scripts in ``examples/``, so that nothing is written twice.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from workcell.errors import NotACell

if TYPE_CHECKING:
    from workcell.commands.cell import Cell

ENDING = ".sample"
_ABOUT, _CELL, _RUN, _PICTURE = "about.json", "cell.txt", "run.rec", "picture.webp"
_THEN = (2000, 1, 1, 0, 0, 0)
"""The time of every part, so that the same content gives the same file."""


class About(msgspec.Struct, frozen=True):
    """What the gallery tells about a sample."""

    name: str
    title: str
    text: str
    """One sentence."""
    source: str
    """The script that it was made from, without its folder."""
    script_hash: str
    """SHA-256 of the script; a test compares it."""
    duration: float
    """The length of the run [s]; 0 without one."""
    robots: list[str]
    programs: list[str]


_READER = msgspec.json.Decoder(About)


@dataclass(frozen=True)
class Archive:
    """The parts of a sample."""

    about: About
    cell: str
    recording: bytes
    """Empty without a run."""
    picture: bytes

    def to_bytes(self) -> bytes:
        """Return the archive as the bytes of a file; the same parts always give the same bytes."""
        out = io.BytesIO()
        parts = {_ABOUT: msgspec.json.encode(self.about), _CELL: self.cell.encode(), _RUN: self.recording}
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in (*parts.items(), (_PICTURE, self.picture)):
                part = zipfile.ZipInfo(name, _THEN)
                part.compress_type = zipfile.ZIP_STORED if name == _PICTURE else zipfile.ZIP_DEFLATED
                archive.writestr(part, data, compresslevel=9)
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Archive:
        """Read an archive; NotACell if it is none."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                about = _READER.decode(archive.read(_ABOUT))
                cell = archive.read(_CELL).decode()
                return cls(about, cell, archive.read(_RUN), archive.read(_PICTURE))
        except (zipfile.BadZipFile, KeyError, UnicodeError, msgspec.DecodeError, OSError) as error:
            raise NotACell(f"The file of a sample is damaged: {error}. Install Workcell again.") from error

    def opened(self) -> Cell:
        """Return a new cell in memory with the content of the sample and its recording, which goes on from its end.

        ``undo`` reverts what the user does, not the sample.
        """
        from workcell.commands.cell import Cell
        from workcell.simulation.ongoing import Ongoing
        from workcell.simulation.recording import Recording
        from workcell.world.database import Database
        from workcell.world.store import Store
        from workcell.world.text_form import from_text

        store = Store.memory()
        from_text(self.cell, Database(store))
        cell = Cell(Database(store), who="user")
        cell.journal.floor = cell.journal.revision
        if self.recording:
            session = cell.session
            session.ongoing = Ongoing(session.present, Recording.from_bytes(self.recording))
        return cell
