"""Files that commands write: whole or not at all, and never over another one unless that is asked for."""

from __future__ import annotations

from pathlib import Path

from workcell.errors import FileProblem
from workcell.geometry.formats.files import write_whole


def refuse_existing(file: str | Path, replace: bool = False) -> Path:
    """The path, refused when something is there already; asked before the work begins.

    Args:
        file: where the command is to write.
        replace: whether ``--replace`` was given.
    """
    path = Path(file)
    if path.is_dir():
        raise FileProblem(f"{path.name} is a folder; give the name of a file.")
    if path.exists() and not replace:
        raise FileProblem(f"{path.name} exists already; choose another name, or add --replace.", path=str(path))
    if not path.parent.is_dir():
        raise FileProblem(f"{path.name} cannot be written: there is no folder {path.parent}; make it first.")
    return path


def write_file(file: str | Path, data: bytes, replace: bool = False) -> None:
    """Write a file whole or not at all; one that exists is refused unless ``replace``."""
    write_whole(refuse_existing(file, replace), data)
