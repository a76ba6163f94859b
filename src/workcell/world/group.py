"""A group: commands of one session that are one step of the history once it has ended."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workcell.world.journal import Journal


class Group:
    """The entries that one session has made since it began the group.

    Each command is committed as it is given, so that what was acknowledged outlives a kill; the group only remembers
    which entries are its own. What other sessions do meanwhile is not among them.
    """

    def __init__(self, journal: Journal, who: str) -> None:
        self.who = who
        self._journal = journal
        self._entries: set[int] = set()

    @contextmanager
    def taking(self) -> Iterator[None]:
        """The entries that are made inside belong to the group."""
        before = self._journal.top
        try:
            yield
        finally:
            self._entries.update(range(before + 1, self._journal.top + 1))

    def holds(self, seq: int) -> bool:
        """Whether an entry belongs to the group while it is open."""
        return seq in self._entries

    @property
    def first(self) -> int | None:
        """The first of its entries, if it has any."""
        return min(self._entries, default=None)

    def end(self) -> str:
        """Make the entries one step; says what became of them."""
        count, steps = self._journal.join(self._entries)
        self._entries = set()
        apart = f", as {steps} steps, since others gave commands in between" if steps > 1 else ""
        return f"group of {_commands(count)} committed{apart}"

    def cancel(self) -> str:
        """Take the entries back and forget them; refused where others gave commands in between."""
        count = self._journal.drop(self._entries)
        self._entries = set()
        return f"group given up; {_commands(count)} forgotten"


def _commands(count: int) -> str:
    return f"{count} command{'s' if count != 1 else ''}"
