"""An unfinished edit, as the functions that make edits see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from workcell.world.database import Database
    from workcell.world.row_writer import Writer
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


class Editing(Protocol):
    """The cell, the writer of an edit, and what its step of the history stores."""

    database: Database

    @property
    def rows(self) -> Writer:
        """The writer of the edit."""

    def seen(self) -> tuple[Snapshot, CellState]:
        """The present cell and state, including what the edit has written."""

    def resolve(self, **values: Any) -> None:
        """Store these values of parameters in the journal instead of what was typed."""
