"""The folders that clients of a server may use: the folder of the cell, and those that the user names."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workcell.errors import FileProblem

if TYPE_CHECKING:
    from workcell.commands.file_access import FileAccess
    from workcell.commands.session import Session


class ClientFiles:
    """Confines every command of a client; a Python program that serves the session keeps the user's rights.

    A cell without a file has a private folder. It is removed at the end, unless something was written there.

    Args:
        session: the session to serve.
        allowed: further folders.
    """

    def __init__(self, session: Session, allowed: Sequence[Path] = ()) -> None:
        path = session.database.store.path
        self._private = Path(tempfile.mkdtemp(prefix="workcell-files-")) if path is None else None
        home = self._private or Path(os.path.realpath(str(path))).parent
        self.access: FileAccess = session.files.confined_to([home, *allowed])

    @contextmanager
    def confining(self, session: Session) -> Iterator[None]:
        """Confine the files while a command of a client is carried out."""
        before, session.files = session.files, self.access
        try:
            yield
        finally:
            session.files = before

    def close(self) -> Path | None:
        """Remove the private folder; return it if there is something in it."""
        if self._private is None:
            return None
        with contextlib.suppress(OSError):
            self._private.rmdir()
            return None
        return self._private


def checked_folders(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return the folders; missing ones are refused."""
    for folder in folders:
        if not folder.is_dir():
            raise FileProblem(f"--allow needs a folder; there is no folder {folder}.", path=str(folder))
    return tuple(folders)
