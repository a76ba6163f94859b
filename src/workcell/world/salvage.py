"""Reads rows from a damaged database, page by page, without SQLite.

Every leaf page of a table contains whole rows, and the rows of each table of a cell have a form of their own. So a row
is found wherever its page is, even if the page that leads to it, or the description of the tables, is lost.
The format: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from workcell.world.contents import TABLES, Row
from workcell.world.wal import Wal

_LEAF, _INTERIOR = 0x0D, 0x05
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class Salvaged(NamedTuple):
    """The content of a file."""

    rows: dict[str, list[Row]]
    pages: int
    damaged_pages: int
    broken: set[str]
    """The tables with unreadable pages or rows."""


def salvage(data: bytes, wal: Wal, progress: Callable[[float], None] = lambda _: None) -> Salvaged:
    """The readable rows; of a row that occurs twice, the newest first."""
    sizes = dict.fromkeys((_page_size(data), wal.page_size or 4096, 4096))
    found = [_Pages(data, wal, size).salvage(progress) for size in sizes]
    return max(found, key=lambda one: sum(map(len, one.rows.values())))


def _page_size(data: bytes) -> int:
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    return size if 512 <= size <= 65536 and size & (size - 1) == 0 else 4096


def _stated_pages(data: bytes) -> int:
    """The number of pages in the header; 0 if it is not credible."""
    believed = data.startswith(b"SQLite format 3\0") and data[24:28] == data[92:96]
    return int.from_bytes(data[28:32], "big") if believed else 0


class _Pages:
    def __init__(self, data: bytes, wal: Wal, size: int) -> None:
        self._data, self._size = data, size
        self._count = -(-len(data) // size)
        self._newer: dict[int, bytes] = {}
        commits = [place for place, frame in enumerate(wal.frames) if frame.size and frame.intact]
        if wal.page_size == size and commits:
            intact = [frame for frame in wal.frames[: commits[-1] + 1] if frame.intact]
            self._newer = {frame.page: frame.data for frame in intact if 0 < frame.page <= 1 << 31}
            self._count = max(self._count, *self._newer, 0)
            self._stated = wal.frames[commits[-1]].size
        else:
            self._stated = _stated_pages(data)
        self._damaged: set[int] = set()
        if len(data) % size and self._count not in self._newer:
            self._damaged.add(self._count)  # the file ends within this page
        self._broken: set[str] = set()

    def _page(self, number: int) -> bytes:
        if number in self._newer:
            return self._newer[number]
        return self._data[(number - 1) * self._size : number * self._size].ljust(self._size, b"\0")

    def salvage(self, progress: Callable[[float], None]) -> Salvaged:
        """Read every leaf page."""
        linked = self._linked()
        free = self._free()
        kept: dict[str, dict[object, tuple[int, Row]]] = {table: {} for table in TABLES}
        for number in range(1, self._count + 1):
            if number % 256 == 0:
                progress(number / self._count)
            if number in free or self._page(number)[100 if number == 1 else 0] != _LEAF:
                continue
            for row in self._rows(number):
                table = None if row is None else _table_of(row[1])
                if row is None or table is None:
                    if number in linked:
                        self._broken.add(linked[number])
                        self._damaged.add(number)
                    continue
                full = (row[0], *row[1][1:]) if row[1][0] is None else row[1]
                rank = int(linked.get(number) == table)
                if number in linked and not rank:  # a page in another's place
                    self._broken.add(linked[number])
                known = kept[table].get(full[0])
                if known is None or rank > known[0]:
                    kept[table][full[0]] = (rank, full)
        rows: dict[str, list[Row]] = {}
        for table, found in kept.items():
            # Pages that nothing leads to are outdated if their table is complete.
            rows[table] = [row for rank, row in found.values() if rank or table in self._broken]
        missing = max(0, self._stated - self._count)
        return Salvaged(rows, self._count + missing, len(self._damaged) + missing, self._broken)

    def _linked(self) -> dict[int, str]:
        """The leaf pages of each table, from the pages above them; an incomplete tree marks its table as broken."""
        roots: dict[str, int] = {}
        for number in self._leaves(1, "sqlite_master"):
            for row in self._rows(number):
                if row is not None and len(row[1]) == 5 and row[1][0] == "table" and isinstance(row[1][3], int):
                    roots[str(row[1][1])] = row[1][3]
        linked: dict[int, str] = {}
        for table in TABLES:
            if table not in roots:
                self._broken.add(table)
                continue
            for number in self._leaves(roots[table], table):
                linked[number] = table
        return linked

    def _leaves(self, root: int, table: str) -> Iterator[int]:
        waiting, seen = [root], set[int]()
        while waiting:
            number = waiting.pop()
            if not 0 < number <= self._count or number in seen:
                self._broken.add(table)
                continue
            seen.add(number)
            page, base = self._page(number), 100 if number == 1 else 0
            if page[base] == _LEAF:
                yield number
            elif page[base] == _INTERIOR:
                waiting.append(int.from_bytes(page[base + 8 : base + 12], "big"))
                for at in self._cells(page, base, 12):
                    waiting.append(int.from_bytes(page[at : at + 4], "big"))
            else:
                self._broken.add(table)
                self._damaged.add(number)

    def _free(self) -> set[int]:
        """The unused pages."""
        free: set[int] = set()
        trunk = int.from_bytes(self._page(1)[32:36], "big")
        while 0 < trunk <= self._count and trunk not in free:
            free.add(trunk)
            page = self._page(trunk)
            following, count = struct.unpack(">2I", page[:8])
            count = min(count, self._size // 4 - 2)
            free |= set(struct.unpack(f">{count}I", page[8 : 8 + 4 * count]))
            trunk = following
        return free - {1}

    def _cells(self, page: bytes, base: int, head: int) -> tuple[int, ...]:
        count = min(int.from_bytes(page[base + 3 : base + 5], "big"), (self._size - base - head) // 2)
        return struct.unpack(f">{count}H", page[base + head : base + head + 2 * count])

    def _rows(self, number: int) -> Iterator[tuple[int, Row] | None]:
        """The row numbers and rows of a leaf page; None for an unreadable row."""
        page = self._page(number)
        for at in self._cells(page, 100 if number == 1 else 0, 8):
            try:
                length, at = _varint(page, at)
                key, at = _varint(page, at)
                yield _signed(key), _record(self._payload(page, at, length))
            except (ValueError, IndexError, struct.error, OverflowError):
                yield None

    def _payload(self, page: bytes, at: int, length: int) -> bytes:
        most = self._size - 35
        if length <= most:
            return _exactly(page[at : at + length], length)
        if length > len(self._data) + len(self._newer) * self._size:
            raise ValueError("longer than the file")
        least = (self._size - 12) * 32 // 255 - 23
        local = least + (length - least) % (self._size - 4)
        local = local if local <= most else least
        parts, left = [_exactly(page[at : at + local], local)], length - local
        following = int.from_bytes(page[at + local : at + local + 4], "big")
        while left > 0:
            if not 0 < following <= self._count:
                raise ValueError("a chain of pages that ends too early")
            more = self._page(following)
            parts.append(more[4 : 4 + left])
            left -= self._size - 4
            following = int.from_bytes(more[:4], "big")
        return _exactly(b"".join(parts), length)


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise ValueError("cut short")
    return data


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _record(data: bytes) -> Row:
    """The values of a record; a text that is not UTF-8 keeps its readable part."""
    size, at = _varint(data, 0)
    kinds = []
    while at < size:
        kind, at = _varint(data, at)
        kinds.append(kind)
    if at != size or not kinds:
        raise ValueError("a head that does not end")
    values: list[Any] = []
    for kind in kinds:
        if kind == 0:
            values.append(None)
        elif kind in _INTEGERS:
            length = _INTEGERS[kind]
            values.append(int.from_bytes(_exactly(data[at : at + length], length), "big", signed=True))
            at += length
        elif kind == 7:
            values.append(struct.unpack(">d", data[at : at + 8])[0])
            at += 8
        elif kind in (8, 9):
            values.append(kind - 8)
        elif kind >= 12:
            length = (kind - 12) // 2
            content = _exactly(data[at : at + length], length)
            values.append(content if kind % 2 == 0 else content.decode(errors="replace"))
            at += length
        else:
            raise ValueError("a value of no kind")
    if at != len(data):
        raise ValueError("values that do not fill the row")
    return tuple(values)


_NUMBER = (int, float)
_FORMS: dict[str, tuple[Any, ...]] = {
    "entity": (None, str, str, str, (str, type(None)), int, (str, type(None)), str),
    "relation": (None, str, str, int, int, int, str, bytes, str, str),
    "journal": (None, str, _NUMBER, str, str, bytes, int, int),
    "setting": (str, str),
    "state": (None, str),
    "blob": (str, bytes),
}
"""The types of the values of each table; None is the key, which is the number of the row."""


def _table_of(row: Row) -> str | None:
    """The table that a row belongs to, by its form."""
    for table, form in _FORMS.items():
        if len(row) == len(form) and all(
            value is None if kind is None else isinstance(value, kind) for value, kind in zip(row, form, strict=True)
        ):
            return table
    return None
