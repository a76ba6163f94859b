"""Edits: transactions on a cell's database, and what is visible of them before they end."""

from __future__ import annotations

from collections.abc import Callable

from workcell.world.catalogue import Catalogue
from workcell.world.journal import Journal
from workcell.world.row_change import RowChange
from workcell.world.row_writer import Writer


class Step:
    """An unfinished script: one transaction, which becomes one step of the history."""

    def __init__(self, who: str, when: float | None) -> None:
        self.who = who
        self.when = when
        self.commands: list[str] = []
        self.typed: list[str] = []
        self.changes: list[RowChange] = []
        self.always = False

    def mark(self) -> tuple[int, int, int, bool]:
        """Return how far the step is, for :meth:`forget`."""
        return len(self.commands), len(self.typed), len(self.changes), self.always

    def forget(self, mark: tuple[int, int, int, bool]) -> None:
        """Forget everything since a mark."""
        commands, typed, changes, self.always = mark
        del self.commands[commands:], self.typed[typed:], self.changes[changes:]


class Pending:
    """Changes that are visible and may still be rolled back."""

    __slots__ = ("_stamp", "dirty", "step", "world_dirty", "writers")

    def __init__(self) -> None:
        self.step: Step | None = None
        """The unfinished script."""
        self.writers: list[Writer] = []
        """The changes of the unfinished command and preview."""
        self.dirty = 0
        """Not 0 while the visible content is not the committed one (the replay of a group, a preview)."""
        self.world_dirty = 0
        """The same for what exists: a run that only simulates does not change the snapshot."""
        self._stamp = 0

    @property
    def changes(self) -> list[RowChange]:
        """The changes of the unfinished step, command and preview."""
        written = [change for writer in self.writers for change in writer.changes]
        return written if self.step is None else [*self.step.changes, *written]

    @property
    def writing(self) -> bool:
        """Whether an unfinished command or preview has changed anything."""
        return any(writer.changes for writer in self.writers)

    def touched(self) -> int:
        """A number that was not used before."""
        self._stamp += 1
        return self._stamp

    def end_step(self) -> None:
        """The visible content is the committed one."""
        self.step, self.dirty, self.world_dirty = None, 0, 0


class Edit(Writer):
    """The transaction of one command, and its writer."""

    __slots__ = ("_always", "_command", "_history", "_pending", "_typed", "_when", "_who")

    def __init__(
        self,
        database: Catalogue,
        history: Journal,
        pending: Pending,
        command: Callable[[], str],
        who: str,
        when: float | None,
        typed: str,
        always: bool,
    ) -> None:
        super().__init__(database.store.connection, database.named)
        self._history = history
        self._pending = pending
        self._always = always
        self._command = command
        self._who = who
        self._when = when
        self._typed = typed

    def __enter__(self) -> Writer:
        self._write("BEGIN IMMEDIATE" if self._pending.step is None else "SAVEPOINT command")
        self._pending.writers.append(self)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        pending = self._pending
        pending.writers.remove(self)
        if pending.step is not None:
            self._end_in(pending.step, kind is None)
        elif kind is None and (self.changes or self._always):
            history = self._history
            try:
                seq = history.append(self._who, self._command(), self.changes, self._when, self._typed)
                self._write("COMMIT")
            except BaseException:
                self._connection.rollback_if_open()
                raise
            history.appended(seq)
        else:
            self._connection.rollback_if_open()

    def _end_in(self, step: Step, made: bool) -> None:
        """End as a part of a step, whose transaction continues."""
        if not made:
            self._connection.roll_back_to("command")
            return
        step.commands.append(self._command())
        step.typed.append(self._typed)
        step.changes += self.changes
        step.always |= self._always
        self._pending.dirty = self._pending.touched()
        if any(change[0] != "state" for change in self.changes):
            self._pending.world_dirty = self._pending.dirty
            self._history.settings_stamp += 1
        self._write("RELEASE command")


class Preview(Writer):
    """Changes that are visible inside and rolled back afterwards."""

    __slots__ = ("_before", "_pending")

    def __init__(self, database: Catalogue, pending: Pending) -> None:
        super().__init__(database.store.connection, database.named)
        self._pending = pending

    def __enter__(self) -> Writer:
        self._write("SAVEPOINT preview")
        pending = self._pending
        self._before = pending.dirty, pending.world_dirty
        pending.dirty = pending.world_dirty = pending.touched()
        pending.writers.append(self)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._pending.writers.remove(self)
        self._connection.roll_back_to("preview")
        self._pending.dirty, self._pending.world_dirty = self._before
