"""The cell files that were open lately, kept in a file of the user."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

MOST = 20
"""How many files are remembered."""


def default_file() -> Path | None:
    """Return where a server of the command line keeps the list; None if the user has no home folder."""
    state = os.environ.get("XDG_STATE_HOME")
    try:
        return (Path(state) if state else Path.home() / ".local" / "state") / "workcell" / "recent.json"
    except RuntimeError:
        return None


class RecentFiles:
    """Remembers files, the last one first.

    The list is a convenience: if it cannot be read or written, it is empty or only lasts as long as the server.

    Args:
        file: where it is kept; None to keep it in memory only.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._paths: list[str] = []

    def paths(self) -> list[Path]:
        """Return the files that still exist."""
        return [Path(path) for path in self._read() if os.path.isfile(path)]

    def add(self, path: Path) -> None:
        """Remember a file as the last one; files that no longer exist are forgotten, so that they take no place."""
        name = str(path)
        self._paths = [name, *(one for one in self._read() if one != name and os.path.isfile(one))][:MOST]
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                draft = self._file.with_suffix(f".{os.getpid()}")
                draft.write_bytes(msgspec.json.encode(self._paths))
                draft.replace(self._file)

    def _read(self) -> list[str]:
        if self._file is not None:
            with contextlib.suppress(OSError, msgspec.DecodeError):
                return msgspec.json.decode(self._file.read_bytes(), type=list[str])
        return self._paths
