"""A conflict of a merge: something that both sides changed, each in its own way."""

from __future__ import annotations

from typing import Any

import msgspec

OURS, THEIRS = "ours", "theirs"


class Conflict(msgspec.Struct, frozen=True):
    """Something that both sides changed, each in its own way.

    Attributes:
        what: ``changed``, ``line`` (of a program), ``removed`` (against a change), ``missing`` (an end of a relation),
            ``name`` (of two things), ``circle``, ``fit`` or ``setting``, ``state``.
        kind: the kind of the entity; ``relation`` for a relation; empty for the cell itself.
        name: the name of the entity, or of the owner and the relation with a slash between.
        id: the id of the entity or the relation; 0 for the cell itself.
        field: the fact that differs: ``speed``, ``transform``, ``description`` and so on.
        base: its value in the base; None if it had none.
        ours: its value in ours.
        theirs: its value in theirs.
        line: the line of a program, from 1.
        removed: the side that removed it.
    """

    what: str
    kind: str
    name: str
    id: int = 0
    field: str = ""
    base: Any = None
    ours: Any = None
    theirs: Any = None
    line: int = 0
    removed: str = ""
