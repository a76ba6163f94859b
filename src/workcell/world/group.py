"""A group: commands of one session that become one step of the history when it ends."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workcell.world.journal import Journal


class Group:
    """The entries that one session has made since it began the group.

    Each command is committed when it is given, so that everything acknowledged survives a kill; the group only
    remembers which entries are its own. Commands of other sessions in between are not among them.
    """

    def __init__(self, journal: Journal, who: str) -> None:
        self.who = who
        self._journal = journal
        self._entries: set[int] = set()
        self._began: int | None = None
        """The number of the next entry when a command began that is being carried out."""

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Add the entries that are made inside to the group."""
        outer, first = self._began, self._journal.top + 1
        self._began = first if outer is None else outer
        try:
            yield
        finally:
            self._began = outer
            self._entries.update(range(first, self._journal.top + 1))

    def holds(self, seq: int) -> bool:
        """Whether an entry belongs to the group while it is open."""
        return seq in self._entries

    @property
    def first(self) -> int | None:
        """The first of its entries, if it has any or may be making one."""
        return min(self._entries, default=self._began)

    def end(self, typed: str = "") -> str:
        """Make the entries one step; return what happened to them.

        Args:
            typed: what the history shows, if not each command.
        """
        count, steps = self._journal.join(self._entries, typed)
        self._entries = set()
        apart = f", as {steps} steps, because others gave commands in between" if steps > 1 else ""
        return f"group of {_commands(count)} committed{apart}"

    def cancel(self) -> tuple[str, dict[int, int]]:
        """Undo the entries and forget them; return what happened, and the new numbers of entries of others.

        Raises:
            Refused: a command of somebody else may depend on one of them.
        """
        count, renumbered = self._journal.drop(self._entries)
        self._entries = set()
        return f"group given up; {_commands(count)} forgotten", renumbered

    def renumber(self, numbers: Mapping[int, int]) -> None:
        """Follow entries that got new numbers."""
        self._entries = {numbers.get(seq, seq) for seq in self._entries}


def _commands(count: int) -> str:
    return f"{count} command{'s' if count != 1 else ''}"
