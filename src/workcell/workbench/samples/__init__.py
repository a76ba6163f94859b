"""Sample cells: scripts, and archives made from the examples; `workcell` opens one if no file is named."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from workcell.errors import UnknownName
from workcell.workbench.samples.archive import ENDING as ARCHIVE
from workcell.workbench.samples.archive import Archive

if TYPE_CHECKING:
    from workcell.commands.cell import Cell

ENDING = ".cellscript"


def sample_names() -> list[str]:
    """Return the names of the samples."""
    files = [item.name for item in resources.files(__name__).iterdir()]
    return sorted({name.removesuffix(end) for name in files for end in (ENDING, ARCHIVE) if name.endswith(end)})


def script_names() -> list[str]:
    """Return the names of the samples that are scripts."""
    folder = resources.files(__name__)
    return sorted(item.name.removesuffix(ENDING) for item in folder.iterdir() if item.name.endswith(ENDING))


def sample_script(name: str) -> str:
    """Return the commands of a sample that is a script."""
    if name not in script_names():
        raise UnknownName.among("sample cell", name, script_names())
    return (resources.files(__name__) / f"{name}{ENDING}").read_text(encoding="utf-8")


def archives() -> list[Archive]:
    """Return all samples that are archives."""
    files = [item for item in resources.files(__name__).iterdir() if item.name.endswith(ARCHIVE)]
    return [Archive.from_bytes(item.read_bytes()) for item in files]


def sample(name: str = "puma", cell: Cell | None = None) -> Cell:
    """Return the cell of a sample, in memory; the commands of a script may go to a given empty cell."""
    from workcell.commands.cell import Cell
    from workcell.commands.script import run_script

    if name not in sample_names():
        raise UnknownName.among("sample cell", name, sample_names())
    if cell is None and name not in script_names():
        return Archive.from_bytes((resources.files(__name__) / f"{name}{ARCHIVE}").read_bytes()).opened()
    made = cell or Cell(who="sample")
    run_script(made.session, sample_script(name))
    if cell is None:
        made.session.who = "user"
        made.journal.floor = made.journal.revision  # `undo` reverts what the user did, not the sample
    return made
