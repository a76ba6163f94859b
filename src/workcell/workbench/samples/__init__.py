"""Sample cells, as scripts; `workcell` opens one if no file is named."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from workcell.errors import UnknownName

if TYPE_CHECKING:
    from workcell.commands.cell import Cell

ENDING = ".cellscript"


def sample_names() -> list[str]:
    """Return the names of the samples."""
    folder = resources.files(__name__)
    return sorted(item.name.removesuffix(ENDING) for item in folder.iterdir() if item.name.endswith(ENDING))


def sample_script(name: str) -> str:
    """Return the commands of a sample."""
    if name not in sample_names():
        raise UnknownName.among("sample cell", name, sample_names())
    return (resources.files(__name__) / f"{name}{ENDING}").read_text(encoding="utf-8")


def sample(name: str = "puma", cell: Cell | None = None) -> Cell:
    """Return a cell made by the commands of a sample: in memory, or in the given empty cell."""
    from workcell.commands.cell import Cell
    from workcell.commands.script import run_script

    made = cell or Cell(who="sample")
    run_script(made.session, sample_script(name))
    if cell is None:
        made.session.who = "user"
        made.journal.floor = made.journal.revision  # `undo` reverts what the user did, not the sample
    return made
