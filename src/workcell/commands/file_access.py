"""The files that commands may read and write, and the only way to do it.

A session has a :class:`FileAccess`. The console, pipes and Python have the user's own rights; clients of a server are
confined to some folders. A command never opens a path itself: it uses ``session.files``.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from workcell.commands.file_place import FilePlace
from workcell.errors import FileProblem
from workcell.world.lock import WriterLock, is_locked

LARGEST = 1 << 30
"""The largest file that is read [bytes]."""
_ATTEMPTS = 20
_LOGS = ("-wal", "-shm", "-journal")
"""The endings of the logs of a cell; SQLite applies them to any file with that name."""
Shelves: TypeAlias = Mapping[str, Callable[[], Path]]
"""Folders by their names in paths; a name ends with a colon, as no folder of a user does."""
_COMPANIONS = ("", *_LOGS, ".lock")
"""The endings of the files that belong to an open cell; the folder of its meshes ends in `.cache`."""


class FileAccess:
    """The files that may be used: all that the user may use, or those in some folders.

    Links are resolved before a path is checked. A confined path is then opened folder by folder without following
    links, so that it cannot be exchanged between check and use. Confined clients cannot use hidden files, devices,
    pipes, sockets and folders.

    Args:
        folders: the folders that may be used; None for all. Relative paths begin in the first one.
        own: the file of the open cell, which no command reads or writes.
        shelves: further folders that have names, such as ``dropped:``; a path that begins with such a name is there.
            Each is asked for when a path needs it.
        private: the one of the folders that is temporary; refusals do not name it.
    """

    def __init__(
        self,
        folders: Sequence[Path] | None = None,
        own: Path | None = None,
        shelves: Shelves | None = None,
        private: Path | None = None,
    ) -> None:
        self.folders = None if folders is None else tuple(Path(os.path.realpath(folder)) for folder in folders)
        self._shelves = shelves or {}
        self._own = None if own is None else Path(os.path.realpath(own))
        self._private = None if private is None else Path(os.path.realpath(private))

    @property
    def confined(self) -> bool:
        """Whether only some folders may be used."""
        return self.folders is not None

    def confined_to(
        self, folders: Sequence[Path], shelves: Shelves | None = None, private: Path | None = None
    ) -> FileAccess:
        """Return the access to the files of the same cell, but only in these folders and shelves."""
        return FileAccess(folders, self._own, shelves, private)

    def with_own(self) -> FileAccess:
        """Return the same access, with the files of the open cell."""
        return FileAccess(self.folders, None, self._shelves, self._private)

    # ---- reading -----------------------------------------------------------------------------------------

    def read(self, file: str | Path, most: int = LARGEST) -> bytes:
        """Return the bytes of a file; refused if there are more than ``most``."""
        with self.opened(file) as source:
            try:
                data = source.read(most + 1)
            except OSError as error:
                raise _problem(file, "read", error) from error
        _refuse_more(Path(file).name, data, most)
        return data

    def standard_input(self, most: int = LARGEST) -> bytes:
        """Return the standard input; it belongs to the person who started the program, not to clients."""
        if self.confined:
            raise FileProblem("Clients of a server cannot use its standard input (-); give the name of a file.")
        data = sys.stdin.buffer.read(most + 1)
        _refuse_more("The standard input", data, most)
        return data

    @contextmanager
    def opened(self, file: str | Path) -> Iterator[BinaryIO]:
        """Open a file for reading."""
        with self._source(file) as source:
            yield source

    @contextmanager
    def readable(self, file: str | Path, companions: Sequence[str] = ()) -> Iterator[Path]:
        """Return a path that a library may open: the file itself or, for a confined client, a private copy.

        Args:
            file: the file.
            companions: the endings of files that belong to it, such as ``-wal``; these may be missing.
        """
        if not self.confined:
            self._refuse_own(file, _real(file))
            yield Path(file)
            return
        with tempfile.TemporaryDirectory(prefix="workcell-") as folder:
            copy = Path(folder) / Path(file).name
            self._copy(file, copy, companions)
            yield copy

    def _copy(self, file: str | Path, copy: Path, companions: Sequence[str]) -> None:
        """Copy a file and its companions in the state of one moment."""
        data = self.read(file)
        for _ in range(_ATTEMPTS):
            copy.write_bytes(data)
            for end in companions:
                there = f"{file}{end}"
                Path(f"{copy}{end}").write_bytes(self.read(there) if self.is_file(there) else b"")
            before, data = data, self.read(file) if companions else data
            if data == before:
                return
        raise FileProblem(f"{Path(file).name} is being written continuously; try again later.")

    def is_file(self, file: str | Path) -> bool:
        """Whether there is a regular file that may be read."""
        if not self.confined:
            return os.path.isfile(file)
        try:
            with self._source(file):
                return True
        except FileProblem:
            return False

    def located(self, file: str | Path) -> Path:
        """Return the path of a file that may be used, without links; the file need not exist."""
        return self._real(file)

    def matching(self, prefix: str) -> list[tuple[str, bool]]:
        """Return the paths with this beginning, each with whether it is a folder; for completion."""
        head = prefix[: prefix.rfind("/") + 1]
        try:
            if not self.confined:
                with os.scandir(head or ".") as found:
                    names = sorted((one.name, one.is_dir()) for one in found)
            else:
                root, parts = self._below(head)
                with FilePlace.below(root, (*parts, ".")) as place:
                    names = [one for one in place.entries() if not one[0].startswith(".")]
        except (OSError, ValueError, FileProblem):
            return []
        return [(head + name, folder) for name, folder in names if (head + name).startswith(prefix)]

    def entries(self, folder: str | Path) -> list[tuple[str, bool]]:
        """Return what is in a folder that may be used, each with whether it is a folder; without hidden ones."""
        root, parts = self._below(folder)
        try:
            with FilePlace.below(root, (*parts, ".")) as place:
                return [one for one in place.entries() if not one[0].startswith(".")]
        except OSError as error:
            raise _problem(folder, "read", error) from error

    # ---- writing -----------------------------------------------------------------------------------------

    def check_output(self, file: str | Path, replace: bool | None = None) -> None:
        """Refuse a file that cannot be written, before the work begins.

        Args:
            file: the file.
            replace: whether an existing file is replaced; None if the command has no ``--replace``.
        """
        with self._place(file, writes=True) as place:
            place.refuse_taken(replace)
        real = self._real(file)
        if is_locked(real):
            WriterLock(real, replaces=True).release()  # the refusal names the process that has it open

    def refuse_twice(self, cell: str | Path, history: str | Path) -> None:
        """Refuse the same file for a cell and its history, because one would overwrite the other."""
        first, second = self._real(cell), self._real(history)
        if first == second or _same(first, second):
            raise FileProblem(
                f"{Path(history).name} is named twice, but a cell and its history need separate files. Choose "
                f"another name for the history, such as {Path(cell).with_suffix('.celljournal').name}.",
                file=str(history),
            )

    def write(self, file: str | Path, data: bytes, replace: bool | None = None) -> None:
        """Write a file completely or not at all; an existing file is refused unless ``replace``."""
        self._write(file, io.BytesIO(data), replace)

    @contextmanager
    def written(self, file: str | Path, replace: bool | None = None) -> Iterator[Path]:
        """Return a path of the same name for a library to write to; it becomes the file if the block succeeds."""
        self.check_output(file, replace)
        with tempfile.TemporaryDirectory(prefix="workcell-") as folder:
            draft = Path(folder) / Path(file).name
            yield draft
            with draft.open("rb") as source:
                self._write(file, source, replace)

    def _write(self, file: str | Path, source: BinaryIO, replace: bool | None) -> None:
        """Write a file; a cell replaces another one only while nobody writes that one, and its logs are removed."""
        real = self._real(file)
        cell = real.suffix == ".cell" or source.read(16) == b"SQLite format 3\0"
        source.seek(0)
        with self._place(file, writes=True) as place:
            place.refuse_taken(replace)
            lock = WriterLock(real, replaces=True) if cell or is_locked(real) else None
            try:
                place.write(source, replace, _LOGS if cell else ())
            finally:
                if lock is not None:
                    lock.release()

    def make_folder(self, folder: str | Path) -> None:
        """Make a folder unless it exists; the folder above must exist."""
        with self._place(folder, writes=True) as place:
            place.make_folder()

    # ---- the check ---------------------------------------------------------------------------------------

    @contextmanager
    def _source(self, file: str | Path) -> Iterator[BinaryIO]:
        if self.confined:
            with self._place(file) as place:
                source = place.open()
        else:
            self._refuse_own(file, _real(file))
            try:
                source = open(file, "rb")  # noqa: SIM115 — closed below; may be a pipe or a device
            except (OSError, ValueError) as error:
                raise _problem(file, "read", error) from error
        with source:
            yield source

    @contextmanager
    def _place(self, file: str | Path, writes: bool = False) -> Iterator[FilePlace]:
        """Return the place of a path, with links resolved."""
        if writes and not str(file).isprintable():
            raise FileProblem(f"The name of a file has no line ends or control characters; found {str(file)!r}.")
        root, parts = self._resolved(file)
        try:
            with FilePlace.below(root, parts) as place:
                yield place
        except (FileNotFoundError, NotADirectoryError) as error:
            if writes:
                folder = Path(file).parent
                raise FileProblem(
                    f"{Path(file).name} cannot be written: there is no folder {folder}; make it first."
                ) from error
            raise _problem(file, "read", error) from error
        except OSError as error:
            raise _problem(file, "written" if writes else "read", error) from error

    def _resolved(self, file: str | Path) -> tuple[Path, tuple[str, ...]]:
        """Return a folder that may be used, and the path from there without links."""
        root, parts = self._below(file)
        if not parts:
            raise FileProblem(f"{file or 'The path'} is a folder; give the name of a file.")
        self._refuse_own(file, root.joinpath(*parts))
        return root, parts

    def _real(self, file: str | Path) -> Path:
        """Return the path that may be used, without links."""
        root, parts = self._resolved(file)
        return root.joinpath(*parts)

    def _below(self, file: str | Path) -> tuple[Path, tuple[str, ...]]:
        shelf, _, rest = str(file).partition("/")
        if shelf in self._shelves:
            return self._on_shelf(shelf, rest)
        if self.folders is None:
            real = _real(file)
            return real.parent, (real.name,) if real.name else ()
        real = _real(self.folders[0] / file)
        for folder in self.folders:
            if folder in (real, *real.parents):
                return folder, _seen(file, real.relative_to(folder).parts)
        places = " or ".join(str(folder) for folder in dict.fromkeys(self.folders) if folder != self._private)
        raise FileProblem(
            f"{file} is outside {places or 'the private folder of the cell'}; clients of this server may use only "
            "files there. Give a file there, or start the server with --allow FOLDER.",
            file=str(file),
        )

    def _on_shelf(self, shelf: str, rest: str) -> tuple[Path, tuple[str, ...]]:
        """Return the folder of a shelf, and the path from there."""
        folder = Path(os.path.realpath(self._shelves[shelf]()))
        real = _real(folder / rest)
        if folder not in (real, *real.parents):
            raise FileProblem(f"{shelf}/{rest} is not in {shelf}; give the name of a file there.", file=rest)
        return folder, _seen(rest, real.relative_to(folder).parts)

    def _refuse_own(self, file: str | Path, real: Path) -> None:
        if self._own is None:
            return
        own = self._own
        cache = own.with_name(own.name + ".cache")
        taken = [own.with_name(own.name + end) for end in _COMPANIONS]
        if real in taken or cache in (real, *real.parents) or any(_same(real, one) for one in taken):
            raise FileProblem(
                f"{Path(file).name} belongs to the open cell {own.name}, which saves itself; choose another name."
            )


def _seen(file: str | Path, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts of a path; hidden ones are refused."""
    if any(part.startswith(".") for part in parts):
        raise FileProblem(
            f"{file} is hidden, because a name in it begins with a dot; clients of a server cannot use it."
        )
    return parts


def _same(first: Path, second: Path) -> bool:
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):
        return False


def _real(file: str | Path) -> Path:
    try:
        return Path(os.path.realpath(file))
    except (OSError, ValueError) as error:
        raise _problem(file, "used", error) from error


def _problem(file: str | Path, what: str, error: OSError | ValueError) -> FileProblem:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return FileProblem(f"{Path(file).name or file} cannot be {what}: {why}.", file=str(file))


def _refuse_more(name: str, data: bytes, most: int) -> None:
    if len(data) > most:
        raise FileProblem(f"{name} has more than {most // 2**20} MiB; reduce it, or split it.", most=most)
