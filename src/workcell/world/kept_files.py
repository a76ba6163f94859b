"""Files that a cell stores, as commands of the journal name them."""

from __future__ import annotations

import hashlib

BLOB = "blob:"
"""The beginning of such a name; the hash of the bytes follows."""


def kept_name(data: bytes) -> str:
    """The name of a file with these bytes."""
    return BLOB + hashlib.sha256(data).hexdigest()
