"""Cells that were judged sound: known by the check sum of their bytes, in the user's cache.

Judging every page and row of a large cell takes seconds, reading its bytes a few hundredths of one. A file that is byte
for byte the one that was judged, or that Workcell itself wrote and closed, needs no second look. Any other byte, and it
is judged again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

SMALLEST = 256 * 1024
"""A file below this is judged at once, without a seal [bytes]."""
MOST_SEALS = 200
"""How many seals are kept; the oldest go first."""
_JUDGE = b"1"
"""Changes when the judge becomes stricter."""


def sealed(path: Path) -> bool:
    """Whether a file is, byte for byte, one that was judged sound."""
    with contextlib.suppress(OSError):
        if path.stat().st_size >= SMALLEST:
            os.utime(_seal(path))  # which fails where there is none, and keeps it from being the oldest where there is
            return True
    return False


def stamp(path: Path) -> tuple[int, int, int]:
    """What a file has another one of once it was written: its number, its size and when that was."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def seal(path: Path) -> None:
    """Remember that a file is sound as it is now; where that cannot be kept, it is judged again next time."""
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
