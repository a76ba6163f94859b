"""One step of the history of a cell: the resolved command, who gave it, and the rows that it changed."""

from __future__ import annotations

import re

import msgspec

from workcell.world.connection import damaged
from workcell.world.row_change import RowChange, decode

_AS_OF = re.compile(r"as-of \d+ ")
"""What the journal writes before a run that began before the last edits; files of older versions show it."""
_LATER_LINES = re.compile(r'(%0D)?%0A[^"]*"')
"""The lines of a quoted text behind its first one."""


class Entry(msgspec.Struct, frozen=True):
    """One step of the history."""

    seq: int
    who: str
    time: float
    command: str
    """Resolved: full words, SI values; one line per command, several in a group."""
    typed: str
    """As typed, for people."""
    difference: bytes
    world: bool
    """Whether it changed what exists, and not only the state."""
    undone: bool

    @property
    def label(self) -> str:
        """Its name for people: as typed, on one line, not too long."""
        return short(self.typed.strip() or _AS_OF.sub("", self.command))

    @property
    def changes(self) -> list[RowChange]:
        """The rows that it changed, in order."""
        try:
            return decode(self.difference)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise damaged("", f"step {self.seq} of the history cannot be read ({error})") from error

    @property
    def new_ids(self) -> list[int]:
        """The ids that it allocated, in order, so that a replay gives the same."""
        return [
            int(str(after[0]))
            for table, _, before, after in self.changes
            if before is None and after is not None and table in ("entity", "relation")
        ]


def short(text: str) -> str:
    """Return a command on one line that is not too long; of a quoted text of several lines it has the first."""
    lines = _LATER_LINES.sub(' …"', text).split("\n")
    first = lines[0] if len(lines[0]) <= 80 else f"{lines[0][:77]}…"
    return first if len(lines) == 1 else f"{first} and {len(lines) - 1} more"


def entry_of(row: tuple[int, str, float, str, str, bytes, int, int]) -> Entry:
    """An entry from its row of the table ``journal``."""
    seq, who, when, command, typed, difference, world, undone = row
    return Entry(seq, who, when, command, typed, difference, bool(world), bool(undone))
