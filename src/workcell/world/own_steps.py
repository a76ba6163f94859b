"""Undoing one's own last step while others work on the same cell.

The history is one line. A step in its middle can be undone if no later step depends on it: then the order does not
matter, the step is put last, and undone as the last one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from workcell.errors import NothingToUndo, Refused
from workcell.world.entry import Entry

if TYPE_CHECKING:
    from workcell.world.journal import Journal
    from workcell.world.row_change import RowChange

ANY = "`undo --any` reverts the last step, whoever made it"
_NAME = 2
"""The place of the name in a whole row of an entity or relation."""


def own_last(history: Journal, company: Collection[str]) -> tuple[Entry, list[Entry]]:
    """Return the last step that nobody of the company made, and the later steps, the newest first.

    Raises:
        NothingToUndo: there is no step.
        Refused: all steps are theirs, or a later one depends on the step.
    """
    later: list[Entry] = []
    for entry in history.backwards():
        if entry.who not in company:
            other = next((one for one in reversed(later) if depends(one, entry)), None)
            if other is not None:
                raise Refused(
                    f"Your last step `{entry.label}` cannot be undone alone: `{other.label}` (by {other.who}) came "
                    f"after it and touches the same things. {ANY}.",
                    step=entry.seq,
                    other=other.seq,
                    who=other.who,
                )
            return entry, later
        later.append(entry)
    if not later:
        raise NothingToUndo(history.nothing_to_undo())
    raise Refused(
        f"You have made no step that can be undone; the last one is `{later[0].label}` (by {later[0].who}). {ANY}.",
        other=later[0].seq,
        who=later[0].who,
    )


def depends(later: Entry, earlier: Entry) -> bool:
    """Whether a later step may depend on an earlier one, so that their order matters.

    It does if both change the same row, if it refers to something that the earlier step made or removed, or if its
    command names something that the earlier step made, removed or renamed. A step that only might depend counts.
    """
    if _keys(later.changes) & _keys(earlier.changes):
        return True
    ids = {key for table, key in _whole_rows(earlier.changes) if table != "setting"}
    if any(value in ids for change in later.changes for row in change[2:] if row is not None for value in row[1:]):
        return True
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", later.command) for name in _names(earlier.changes))


def _keys(changes: list[RowChange]) -> set[tuple[str, object]]:
    """Table and key of every changed row."""
    rows = ((table, after if before is None else before) for table, _, before, after in changes)
    return {(table, row[0]) for table, row in rows if row is not None}


def _whole_rows(changes: list[RowChange]) -> Iterator[tuple[str, object]]:
    """Table and key of the rows that were made or removed."""
    for table, _, before, after in changes:
        row = after if before is None else before if after is None else None
        if row is not None:
            yield table, row[0]


def _names(changes: list[RowChange]) -> set[str]:
    """The names of entities that were made, removed or renamed; both names of a renamed one."""
    found: set[str] = set()
    for table, columns, before, after in changes:
        if table != "entity":
            continue
        for row in (before, after):
            if row is None:
                continue
            if before is None or after is None:
                found.add(str(row[_NAME]))
            elif "name" in columns:
                found.add(str(row[columns.index("name")]))
    return found
