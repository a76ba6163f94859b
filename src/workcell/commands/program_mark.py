"""The mark of the lines of a program: an edit that names the mark of the lines that were seen changes no others."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

from workcell.commands.program_store import TEXT, UNITS
from workcell.errors import Refused
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

SEEN_HELP = {"mark": "the mark of the lines that were seen (`outline` has it); if they are others now, it is refused"}
_FAR = 100
"""How many steps back a change of the lines is looked for."""


def mark_of(program: Entity) -> str:
    """Return the mark of a program, which changes with its lines and with the units of their numbers."""
    return _mark(str(program.properties.get(TEXT, "")), str(program.properties.get(UNITS, "")))


@lru_cache(maxsize=512)
def _mark(text: str, units: str) -> str:
    return f"{zlib.crc32(f'{units} {text}'.encode()):08x}{len(text):x}"


def require_seen(session: Session, program: Entity, mark: str | None) -> None:
    """Refuse to edit lines that are not those that were seen; the journal does not keep the mark.

    Raises:
        Refused: they were changed meanwhile; the sentence names the change.
    """
    if mark is None:
        return
    session.resolve(mark=None)
    if mark == mark_of(program):
        return
    last = _last_change(session, program)
    by = {} if last is None else {"step": last[0], "who": last[1]}
    what = "" if last is None else f": `{last[2]}` (by {last[1]})"
    raise Refused(
        f"Somebody changed program {program.name!r} meanwhile{what}. Its lines are not those that you saw, so nothing "
        "was edited. Look at them and try again.",
        program=program.name,
        **by,
    )


def _last_change(session: Session, program: Entity) -> tuple[int, str, str] | None:
    """Return the number, the author and the label of the last step that changed a program; None if it was undone."""
    for _, entry in zip(range(_FAR), session.database.history.backwards(), strict=False):
        rows = (after if before is None else before for table, _, before, after in entry.changes if table == "entity")
        if any(row is not None and row[0] == program.id for row in rows):
            return entry.seq, entry.who, entry.label
    return None
