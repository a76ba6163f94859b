"""The present cell: flattened once for each revision, with its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from workcell.world.flatten import snapshot_of
from workcell.world.identity import same
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.world.database import Database
    from workcell.world.snapshot import Snapshot

Revision: TypeAlias = tuple[int, int]
"""A revision of the cell; equal ones mean equal content."""


class Seen(Protocol):
    """What exists and where everything is: now, or at one moment."""

    @property
    def revision(self) -> Revision:
        """The visible revision."""

    def snapshot(self) -> Snapshot:
        """The flattened cell."""

    @property
    def state(self) -> CellState:
        """The state: where everything is."""


class Moment(NamedTuple):
    """The cell at one moment, for a reader in another thread while the cell changes."""

    revision: Revision
    flattened: Snapshot
    state: CellState

    def snapshot(self) -> Snapshot:
        """The flattened cell."""
        return self.flattened

    @property
    def made(self) -> Snapshot:
        """The same snapshot."""
        return self.flattened

    def kept(self, text: str, state: CellState) -> None:
        """Refuse a change: a moment is fixed."""
        raise AssertionError("a moment of the cell does not change")


class Present:
    """The cell at its present revision. Data that was read for one revision is kept until the next."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.made: Snapshot | None = None
        """The last snapshot, of any revision."""
        self._read: tuple[str, CellState] | None = None
        """The stored state, as text and read."""
        self._fitted: tuple[tuple[object, ...], CellState] | None = None
        """The state of what exists, and its inputs."""

    @property
    def revision(self) -> Revision:
        """Changes with every step of the history."""
        return self._database.revision

    def snapshot(self) -> Snapshot:
        """The flattened cell."""
        if self.made is not None and self.made.revision == self._database.world_revision:
            return self.made
        found = snapshot_of(self._database)
        # Changes of an unfinished command may be rolled back, and the revision does not show that.
        self.made = None if self._database.writing else found
        return found

    @property
    def state(self) -> CellState:
        """Where everything is: after the last run or move, or in the initial state."""
        text, snapshot = self._database.state_json(), self.snapshot()
        if not text:
            return snapshot.initial
        if self._read is None or self._read[0] != text:
            self._read = text, CellState.from_json(text)
        made_from = self._read[1], snapshot.bodies, snapshot.robots, snapshot.initial
        if self._fitted is None or not same(self._fitted[0], made_from):
            self._fitted = made_from, snapshot.fitted(self._read[1])
        return self._fitted[1]

    def kept(self, text: str, state: CellState) -> None:
        """Note that the cell now stores a state as this text, so that it need not be read again."""
        self._read = text, state
