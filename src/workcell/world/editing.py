"""An edit under way, as the functions that make edits see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from workcell.world.database import Database
    from workcell.world.row_writer import Writer
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


class Editing(Protocol):
    """The cell, where an edit writes, and what its step of the history keeps."""

    database: Database

    @property
    def rows(self) -> Writer:
        """Where the edit writes."""

    def seen(self) -> tuple[Snapshot, CellState]:
        """The cell and its state as they are now, with what the edit has written."""

    def resolve(self, **values: Any) -> None:
        """Let the journal keep values for parameters instead of what was typed."""
