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
from workcell.service.cell_messages import FolderList
from workcell.service.downloads import DOWNLOAD, Downloads
from workcell.service.uploads import DROPPED, Uploads

if TYPE_CHECKING:
    from workcell.commands.file_access import FileAccess
    from workcell.commands.session import Session


class ClientFiles:
    """Confines every command of a client; a Python program that serves the session keeps the user's rights.

    A cell without a file has a private folder. It is removed at the end, unless something was written there.

    Args:
        session: the session to serve.
        allowed: further folders.
        beside: for a cell without a file, where relative paths begin instead of the private folder.
    """

    def __init__(self, session: Session, allowed: Sequence[Path] = (), beside: Path | None = None) -> None:
        path = session.database.store.path
        self.cell = None if path is None else Path(os.path.realpath(path))
        """The file of the cell, without links."""
        self._private = Path(tempfile.mkdtemp(prefix="workcell-files-")) if path is None else None
        home = self._private or Path(os.path.realpath(str(path))).parent
        first = [beside] if beside is not None and path is None else []
        self.uploads = Uploads()
        """What clients send; the shelf ``dropped:`` of their paths."""
        self.downloads = Downloads()
        """What commands write for clients to fetch; the shelf ``download:``."""
        shelves = {DROPPED: self.uploads.folder, DOWNLOAD: self.downloads.folder}
        self.access: FileAccess = session.files.confined_to([*first, home, *allowed], shelves, self._private)

    @property
    def shared(self) -> tuple[Path, ...]:
        """The folders that another cell of the same server may use, too: all but the private ones."""
        own = None if self._private is None else Path(os.path.realpath(self._private))
        return tuple(folder for folder in self.access.folders or () if folder != own)

    @property
    def home(self) -> Path:
        """The folder where relative paths begin."""
        assert self.access.folders is not None
        return self.access.folders[0]

    @property
    def reading(self) -> FileAccess:
        """The same folders, with the files of the open cell."""
        return self.access.with_own()

    def path(self, file: str) -> Path:
        """Return the path of an existing file that clients may use."""
        found = self.reading.located(file)
        if not self.reading.is_file(file):
            raise FileProblem(f"There is no file {file} in {found.parent}.", path=file)
        return found

    def new_path(self, file: str) -> Path:
        """Return the path of a file that does not exist yet, where clients may write."""
        self.reading.check_output(file)
        found = self.reading.located(file)
        if found.exists():
            raise FileProblem(f"{file} already exists; open it, or choose another name.", path=file)
        return found

    def listed(self, request: int, name: str, endings: Sequence[str]) -> FolderList:
        """Return the folders and the files with some endings in a folder that clients may use; "" is the first one."""
        roots = self.shared or (self.home,)
        folder = Path(os.path.realpath(roots[0] / name)) if name else roots[0]
        entries = self.reading.entries(folder)
        folders = [one for one, is_folder in entries if is_folder and not one.endswith(".cache")]
        files = [one for one, is_folder in entries if not is_folder and Path(one).suffix.lower() in endings]
        above = "" if folder in roots else str(folder.parent)
        return FolderList(request, str(folder), above, [str(root) for root in roots], folders, files)

    def may_use(self, path: Path) -> bool:
        """Whether clients may use a path."""
        try:
            self.reading.located(str(path))
        except FileProblem:
            return False
        return True

    @contextmanager
    def confining(self, session: Session) -> Iterator[None]:
        """Confine the files while a command of a client is carried out."""
        before, session.files = session.files, self.access
        try:
            yield
        finally:
            session.files = before

    def close(self) -> Path | None:
        """Remove the private folder, uploads and downloads; return the private folder if there is something in it."""
        self.uploads.close()
        self.downloads.close()
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
