"""The segments of a file that is written while a run happens, as bytes, each after its length, checksum and times."""

from __future__ import annotations

import struct
import zlib
from io import BufferedReader
from pathlib import Path
from types import TracebackType

from workcell.errors import FileProblem, NotACell
from workcell.simulation.recording_bytes import MAGIC as WHOLE_MAGIC
from workcell.simulation.recording_bytes import SAMPLED_MAGIC

MAGIC = b"WCRECF01"
"""The first bytes of a file that is written in segments."""
_FRAME = struct.Struct("<QIdd")
"""Length, checksum, first and last time [s]."""


def framed(data: bytes, first: float, last: float) -> bytes:
    """Return a segment for writing, with its first and last time [s]."""
    return _FRAME.pack(len(data), zlib.crc32(data), first, last) + data


class Segments:
    """Reads the segments of a file, even if it was never closed; a file saved at once is one segment.

    Attributes:
        path: the file.
        starts: when each segment begins [s]; empty if the file was saved at once.
        end: when the last whole segment ends [s]; 0 if the file was saved at once.
        whole: whether the last segment is complete; it is not after a kill in the middle of writing.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._file: BufferedReader = open(path, "rb")  # noqa: SIM115 — closed by `close`
        except OSError as error:
            raise FileProblem(f"Cannot read {path}: {error.strerror}.") from error
        self._places: list[tuple[int, int, int]] = []
        self.starts: list[float] = []
        self.end = 0.0
        self.whole = True
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> None:
        mark = self._file.read(8)
        if mark not in (MAGIC, WHOLE_MAGIC, SAMPLED_MAGIC):
            raise NotACell(f"{self.path.name} is not a recording of Workcell.")
        if mark != MAGIC:
            self._file.seek(0)
            data = self._file.read()
            self._places = [(0, len(data), zlib.crc32(data))]
        else:
            self._index()
        if not self._places:
            raise NotACell(f"{self.path.name} has no whole segment.")

    def _index(self) -> None:
        size = self.path.stat().st_size
        at, ends = 8, []
        while at + _FRAME.size <= size:
            self._file.seek(at)
            length, check, first, last = _FRAME.unpack(self._file.read(_FRAME.size))
            at += _FRAME.size + length
            if at > size:
                break
            self._places.append((at - length, length, check))
            self.starts.append(first)
            ends.append(last)
        self.whole = at == size
        # Only the last segment can be incomplete; its checksum shows it.
        while self._places and not self._sound(len(self._places) - 1):
            self._places.pop()
            self.starts.pop()
            ends.pop()
            self.whole = False
        self.end = ends[-1] if ends else 0.0

    def _sound(self, place: int) -> bool:
        at, length, check = self._places[place]
        self._file.seek(at)
        return zlib.crc32(self._file.read(length)) == check

    def data(self, place: int) -> bytes:
        """Return the bytes of one segment."""
        at, length, check = self._places[place]
        self._file.seek(at)
        data = self._file.read(length)
        if zlib.crc32(data) != check:
            raise NotACell(f"Segment {place} of {self.path.name} is damaged.", segment=place)
        return data

    def __len__(self) -> int:
        return len(self._places)

    def __enter__(self) -> Segments:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
