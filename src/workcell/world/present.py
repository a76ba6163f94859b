"""The cell as it is: flattened once for each revision, with the state that it keeps."""

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
        """The revision that is seen."""

    def snapshot(self) -> Snapshot:
        """The cell flattened."""

    @property
    def state(self) -> CellState:
        """Where everything is."""


class Moment(NamedTuple):
    """The cell at one moment, for whoever reads it in another thread while the cell goes on."""

    revision: Revision
    flattened: Snapshot
    state: CellState

    def snapshot(self) -> Snapshot:
        """The cell flattened."""
        return self.flattened

    @property
    def made(self) -> Snapshot:
        """The same."""
        return self.flattened

    def kept(self, text: str, state: CellState) -> None:
        """A moment stays as it was."""
        raise AssertionError("what is seen at one moment does not change")


class Present:
    """The cell at its present revision. What was read for one revision is kept until the next."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.made: Snapshot | None = None
        """The snapshot that was made last, of whatever revision."""
        self._read: tuple[str, CellState] | None = None
        """The state that the cell keeps, as text and read."""
        self._fitted: tuple[tuple[object, ...], CellState] | None = None
        """The state of what exists, and what that follows from."""

    @property
    def revision(self) -> Revision:
        """Changes with every step of the history."""
        return self._database.revision

    def snapshot(self) -> Snapshot:
        """The cell flattened."""
        if self.made is not None and self.made.revision == self._database.world_revision:
            return self.made
        found = snapshot_of(self._database)
        # What a command has written may be taken back, and the revision does not tell.
        self.made = None if self._database.writing else found
        return found

    @property
    def state(self) -> CellState:
        """Where everything is: as the last run or move left it, or as the cell begins."""
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
        """The cell keeps a state as this text now, which need not be read again."""
        self._read = text, state
