"""Shape files that commands read: their bytes, which the cell keeps, and their names in answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workcell.errors import Refused, UnknownName
from workcell.world.kept_files import BLOB

if TYPE_CHECKING:
    from workcell.commands.session import Session

WRITTEN = (".step", ".stp", ".stl", ".obj", ".glb", ".gltf")
READ = (*WRITTEN, ".dae")


def read_shape(session: Session, file: str) -> tuple[bytes, str]:
    """Return the bytes of a file and its ending."""
    if file.startswith(BLOB):
        digest, _, ending = file[len(BLOB) :].partition(".")
        return session.database.blob(digest), f".{ending}"
    path = Path(file)
    ending = path.suffix.lower()
    if ending == ".robosim":
        raise Refused(f"{path.name} is ROBOSIM source, which may hold several things; `import robosim` reads it.")
    if ending not in READ:
        raise UnknownName.among("kind of shape file", ending or path.name, READ)
    return session.files.read(file), ending


def keep_shape(session: Session, file: str, data: bytes, ending: str) -> None:
    """Keep the bytes of a file in the cell; the journal gets their hash."""
    if not file.startswith(BLOB):
        session.resolve(file=BLOB + session.database.keep_blob(data) + ending)


def read_kept(session: Session, file: str) -> bytes:
    """Return the bytes of a file that a command reads, and keep them; the journal gets their hash."""
    if file.startswith(BLOB):
        return session.database.blob(file[len(BLOB) :])
    data = session.files.read(file)
    session.resolve(file=BLOB + session.database.keep_blob(data))
    return data


def shown_file(file: str) -> str:
    """Return the name of a file for answers."""
    return "the file kept in the cell" if file.startswith(BLOB) else Path(file).name
