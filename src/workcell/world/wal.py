"""Reads the write-ahead log of SQLite: which pages it contains, and where it is broken.

SQLite stops at the first frame with a wrong check sum and ignores what follows. That is right for the last
transaction of a killed process, but a silent loss if an older frame is damaged.
The format: https://www.sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

_HEADER = 32
_FRAME = 24


class Frame(NamedTuple):
    """One page of a transaction."""

    page: int
    size: int
    """The size of the database after the transaction [pages] in its last frame, otherwise 0."""
    data: bytes
    intact: bool
    """Whether its own check sum is right."""
    sound: bool
    """Whether all check sums up to here are right, so that SQLite reads it."""


class Wal(NamedTuple):
    """The frames of the present log."""

    frames: tuple[Frame, ...]
    page_size: int

    @property
    def lost_commits(self) -> int:
        """The number of transactions after the first broken frame, which SQLite does not read."""
        return sum(1 for frame in self.frames if frame.size and not frame.sound)

    @property
    def broken(self) -> bool:
        """Whether acknowledged transactions are lost.

        The transaction that was being written when the process ended may be broken; it was not acknowledged yet. A
        second one cannot be, because the next begins only after the one before is on the drive.
        """
        return self.lost_commits > 1


def wal_path(database: Path) -> Path:
    """The log of a database."""
    return database.with_name(database.name + "-wal")


def read_wal(path: Path) -> Wal:
    """The frames of a log, none if there is no log; a broken header is read by the salts of the first frame."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    if len(data) < _HEADER + _FRAME:
        return Wal((), 0)
    magic, _, page_size, _, salt1, salt2, sum1, sum2 = struct.unpack(">8I", data[:_HEADER])
    order = ">" if magic & 1 else "<"
    before = sum1, sum2
    sound = magic & ~1 == 0x377F0682 and _check_sum(order, data[: _HEADER - 8], (0, 0)) == before
    if not sound:
        page_size = page_size if 512 <= page_size <= 65536 and page_size & (page_size - 1) == 0 else 4096
        salt1, salt2 = struct.unpack(">2I", data[_HEADER + 8 : _HEADER + 16])
    frames = []
    for at in range(_HEADER, len(data) - _FRAME - page_size + 1, _FRAME + page_size):
        page, size, one, two, sum1, sum2 = struct.unpack(">6I", data[at : at + _FRAME])
        content = data[at + _FRAME : at + _FRAME + page_size]
        if (one, two) != (salt1, salt2):
            if sound and not _goes_on(data, at, _FRAME + page_size, (salt1, salt2)):
                break
            before, sound = (sum1, sum2), False
            continue
        intact = _check_sum(order, content, _check_sum(order, data[at : at + 8], before)) == (sum1, sum2)
        before = sum1, sum2
        sound = sound and intact
        frames.append(Frame(page, size, content, intact, sound))
    return Wal(tuple(frames), page_size)


def _goes_on(data: bytes, at: int, step: int, salts: tuple[int, int]) -> bool:
    """Whether frames of the present log follow one with other salts: it is damaged then, and not the end."""
    return any(
        struct.unpack(">2I", data[place + 8 : place + 16]) == salts for place in range(at + step, len(data) - 16, step)
    )


def _check_sum(order: str, data: bytes, start: tuple[int, int]) -> tuple[int, int]:
    a, b = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for x, y in zip(words[::2], words[1::2], strict=True):
        a = (a + x + b) & 0xFFFFFFFF
        b = (b + y + a) & 0xFFFFFFFF
    return a, b
