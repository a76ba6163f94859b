"""How a server calls one of its cells."""

from __future__ import annotations

from pathlib import Path

import msgspec

FIRST = "1"
"""The id of the first cell."""


class CellAddress(msgspec.Struct, frozen=True):
    """The id of a cell in its server, a title in place of the name of its file, and where its files are.

    ``beside`` is the folder in which relative paths of a cell without a file begin, if not in a private one.
    """

    id: str = FIRST
    title: str = ""
    beside: Path | None = None
