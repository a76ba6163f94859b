"""A file as an open folder and a name in it, so that a rename between check and use has no effect."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workcell.errors import FileProblem

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP)


class FilePlace:
    """A name in an open folder; links are never followed from here.

    Args:
        folder: the descriptor of the folder.
        name: a single component, not a path.
    """

    def __init__(self, folder: int, name: str) -> None:
        self._folder = folder
        self.name = name

    @classmethod
    @contextmanager
    def below(cls, root: Path, parts: Sequence[str]) -> Iterator[FilePlace]:
        """Return the place ``root/parts``, reached folder by folder without following a link.

        Raises:
            OSError: a folder is missing or is a link.
        """
        with contextlib.ExitStack() as stack:
            folder = os.open(root, _FOLDER | os.O_NOFOLLOW)
            stack.callback(os.close, folder)
            for part in parts[:-1]:
                folder = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
                stack.callback(os.close, folder)
            yield cls(folder, parts[-1])

    def stat(self) -> os.stat_result | None:
        """Return the status of the file; None if it does not exist."""
        try:
            return os.stat(self.name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self) -> BinaryIO:
        """Open a regular file for reading; devices, pipes, sockets, folders and links are refused at once."""
        found = self.stat()
        if found is not None:  # checked before opening, because opening some devices has effects
            self._refuse_special(found)
        file = os.open(self.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            self._refuse_special(os.fstat(file))
            return os.fdopen(file, "rb")
        except BaseException:
            os.close(file)
            raise

    def _refuse_special(self, found: os.stat_result) -> None:
        if not stat.S_ISREG(found.st_mode):
            kind = _KINDS.get(stat.S_IFMT(found.st_mode), "not a regular file")
            raise FileProblem(f"{self.name} is {kind}; give the name of a file.", name=self.name)

    def refuse_taken(self, replace: bool | None) -> os.stat_result | None:
        """Return the status of a file that may be replaced; refused if it may not.

        Args:
            replace: whether ``--replace`` was given; None for a command that does not have it.
        """
        found = self.stat()
        if found is None:
            return None
        self._refuse_special(found)
        if not replace:
            hint = "" if replace is None else ", or add --replace"
            raise FileProblem(f"{self.name} already exists; choose another name{hint}.", name=self.name, taken=True)
        return found

    def write(self, source: BinaryIO, replace: bool | None, logs: Sequence[str] = ()) -> None:
        """Write a file completely or not at all; a replaced file keeps its permissions.

        Args:
            source: the content.
            replace: whether an existing file is replaced.
            logs: the endings of the logs of the old file, which would be applied to the new one.
        """
        before = self.refuse_taken(replace)
        part = f".workcell-{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(part, flags, 0o666, dir_fd=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
                if before is not None:
                    os.fchmod(target.fileno(), stat.S_IMODE(before.st_mode))
                target.flush()
                os.fsync(
                    target.fileno()
                )  # on the drive before it replaces the old one, so that a power cut leaves one of them
            for end in logs:  # only now: without a new file, the old one would need them
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.name + end, dir_fd=self._folder)
            if replace:
                os.replace(part, self.name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            else:
                self._put(part)
            self._flush_names()
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part, dir_fd=self._folder)

    def _flush_names(self) -> None:
        """Wait until the names in the folder are on the drive; skipped for a folder that may not be read."""
        with contextlib.suppress(PermissionError):
            folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._folder)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _put(self, part: str) -> None:
        """Give the finished file its name, which must be free at that moment."""
        try:
            os.link(part, self.name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except FileExistsError:
            self.refuse_taken(None)
            raise
        except OSError as error:
            if error.errno not in _NO_LINKS:  # drives such as FAT have no hard links
                raise
            self.refuse_taken(None)
            os.rename(part, self.name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def make_folder(self) -> None:
        """Make a folder of that name, unless there is one."""
        try:
            os.mkdir(self.name, dir_fd=self._folder)
        except FileExistsError:
            found = self.stat()
            if found is None or not stat.S_ISDIR(found.st_mode):
                raise FileProblem(f"{self.name} already exists and is not a folder; choose another name.") from None

    def entries(self) -> list[tuple[str, bool]]:
        """Return the files and folders in the folder of that name (`.` for itself), and whether each is a folder."""
        folder = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            with os.scandir(folder) as found:
                kept = [one for one in found if not one.is_symlink()]
                return sorted((one.name, one.is_dir(follow_symlinks=False)) for one in kept)
        finally:
            os.close(folder)
