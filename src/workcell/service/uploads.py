"""Files that clients send to be imported: they are kept in a temporary folder of the cell."""

from __future__ import annotations

import asyncio
import contextlib
import filecmp
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from workcell.errors import FileProblem

DROPPED = "dropped:"
"""The beginning of the paths of these files in commands: ``dropped:/peg.step``."""
LARGEST = 256 * 2**20
"""The most bytes of one upload."""
MOST_BYTES = 1024 * 2**20
"""The most bytes that the uploads of one cell take together; the oldest ones are removed for new ones."""
DEEPEST = 8
"""The most parts of the name of an upload: its folders and the file."""
_LONGEST, _LONGEST_PART = 500, 200
"""The most characters of the name of an upload, and the most bytes of each of its parts."""


class Uploads:
    """The temporary folder of a cell for what its clients send; removed at the end.

    Commands that read a file keep its bytes in the cell, so an upload is only needed until it was imported.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None

    def folder(self) -> Path:
        """Return the folder, which is made when it is first needed."""
        if self._folder is None:
            self._folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="workcell-uploads-")))
        return self._folder

    async def receive(self, name: str, body: AsyncIterator[bytes], size: int | None) -> Path:
        """Write what a client sends under a name; an upload that ends early or is too large leaves nothing.

        A name belongs to the bytes that were first sent under it, since commands that are still to come may mean them.

        Args:
            name: the name of the file, with folders for files that refer to each other.
            body: the bytes.
            size: how many bytes the client announced.
        """
        path = self.folder() / checked_name(name)
        _refuse_larger(name, size or 0)
        await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
        await asyncio.to_thread(self._make_room, size or 0, path)
        draft = path.with_name(f"{path.name}.part")
        received = 0
        try:
            with await asyncio.to_thread(draft.open, "xb") as file:
                async for chunk in body:
                    received += len(chunk)
                    _refuse_larger(name, received)
                    await asyncio.to_thread(file.write, chunk)
            if size is not None and received != size:
                raise FileProblem(f"{name} ended after {received} of {size} bytes; send it again.")
            if await asyncio.to_thread(_other_bytes, path, draft):
                raise FileProblem(f"Another file was sent as {name}; choose another name, or a folder.", taken=True)
            await asyncio.to_thread(draft.replace, path)
        except FileExistsError as error:
            raise FileProblem(f"{name} is being sent already; wait until it has arrived.", taken=True) from error
        except BaseException:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise
        return path

    def _make_room(self, size: int, path: Path) -> None:
        if path.is_dir():
            raise FileProblem(f"{path.name} is a folder of files that were sent; choose another name.")
        found = sorted(self._kept())
        total = sum(kept for _, kept, _ in found)
        for _, kept, oldest in found:
            if total + size <= MOST_BYTES:
                break
            oldest.unlink(missing_ok=True)
            total -= kept

    def _kept(self) -> Iterator[tuple[float, int, Path]]:
        """Yield when each file was last written, its bytes, and the file; not one that is being removed."""
        for one in self.folder().rglob("*"):
            with contextlib.suppress(FileNotFoundError):
                found = one.stat()
                if stat.S_ISREG(found.st_mode):
                    yield found.st_mtime, found.st_size, one

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def checked_name(name: str) -> Path:
    """Return the path of an upload below its folder; names that lead elsewhere are refused."""
    parts = name.split("/")
    wrong = _wrong(name, parts)
    if wrong:
        shown = name if len(name) <= 100 else f"{name[:100]}…"
        raise FileProblem(f"{shown!r} is not a name for a file: {wrong}.", file=name[:_LONGEST])
    return Path(*parts)


def _other_bytes(path: Path, draft: Path) -> bool:
    return path.exists() and not filecmp.cmp(path, draft, shallow=False)


def _wrong(name: str, parts: list[str]) -> str:
    """Say what is wrong with a name and what would be right; '' if nothing is."""
    if len(name) > _LONGEST:
        return f"it has {len(name)} characters, and at most {_LONGEST} are possible; shorten it"
    if len(parts) > DEEPEST:
        return f"it has {len(parts) - 1} folders, and at most {DEEPEST - 1} are possible; use fewer"
    if not name.isprintable() or "\\" in name:
        return "leave out \\ and characters that cannot be shown; / stands between folders"
    if not all(parts):
        return "a folder or the file has no name; give each one, with a single / between them"
    dotted = next((part for part in parts if part.startswith(".")), "")
    if dotted:
        return f"{dotted!r} begins with a dot; leave that out"
    longest = max(len(part.encode()) for part in parts)
    if longest > _LONGEST_PART:
        return f"a part of it takes {longest} bytes, and at most {_LONGEST_PART} are possible; shorten it"
    return ""


def _refuse_larger(name: str, size: int) -> None:
    if size > LARGEST:
        raise FileProblem(f"{name} has more than {LARGEST // 2**20} MiB; reduce it, or split it.")
