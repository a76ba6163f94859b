"""Cells that were checked and found valid: identified by the check sum of their bytes, in the user's cache.

Checking every page and row of a large cell takes seconds, reading its bytes a few hundredths of one. A file that is
byte for byte the one that was checked, or that Workcell itself wrote and closed, is not checked again. If any byte
differs, it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

SMALLEST = 256 * 1024
"""A file smaller than this is checked at once, without a seal [bytes]."""
MOST_SEALS = 200
"""The number of seals that are kept; the oldest are removed first."""
_JUDGE = b"1"
"""Changes when the check becomes stricter."""


def sealed(path: Path) -> bool:
    """Whether a file is, byte for byte, one that was found valid."""
    with contextlib.suppress(OSError):
        if path.stat().st_size >= SMALLEST:
            os.utime(_seal(path))  # fails if there is none; otherwise it makes the seal the newest
            return True
    return False


def stamp(path: Path) -> tuple[int, int, int]:
    """Data that changes when a file is written: its number, its size and its time."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def seal(path: Path) -> None:
    """Remember that the present file is valid; if that cannot be stored, it is checked again next time."""
    with contextlib.suppress(OSError):
        if path.stat().st_size < SMALLEST:
            return
        mark = _seal(path)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
        kept = sorted(mark.parent.iterdir(), key=lambda one: one.stat().st_mtime)
        for old in kept[:-MOST_SEALS]:
            old.unlink(missing_ok=True)


def _seal(path: Path) -> Path:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    digest.update(_JUDGE)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "workcell" / "sound" / digest.hexdigest()
