"""A valid cell from a damaged one: everything readable is kept, everything else is listed."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from workcell.errors import FileProblem, NotACell, WorkcellError
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.contents import TABLES, Contents, Problem, Row, problems
from workcell.world.database import Database
from workcell.world.journal import FLOOR
from workcell.world.kinds import relation_kind
from workcell.world.reader import copy_with_logs
from workcell.world.row_change import RowChange
from workcell.world.row_change import decode as changes_of
from workcell.world.salvage import Salvaged, salvage
from workcell.world.setup import FIRST_SETTINGS
from workcell.world.text_form import readable
from workcell.world.wal import read_wal, wal_path

_Tables = dict[str, dict[object, Row]]

_COUNTED = {
    "entity": ("entity", "entities"), "relation": ("relation", "relations"), "setting": ("setting", "settings"),
    "state": ("state", "states"), "journal": ("step", "steps"), "blob": ("kept file", "kept files"),
}  # fmt: skip
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
"""Traces of damage in a text: control characters, and the mark for bytes that are not text."""
_DAY = 86400.0
"""The greatest time by which a clock may have been set back between two steps [s]."""


class Recovered(msgspec.Struct, frozen=True):
    """The result of the recovery of a damaged file."""

    file: str
    output: str
    pages: int
    damaged_pages: int
    kept: dict[str, int]
    """The number of rows of each table in the new cell."""
    lost: tuple[str, ...]
    """What is missing or was changed, one sentence each."""

    def __str__(self) -> str:
        kept = ", ".join(counted(count, *_COUNTED[table]) for table, count in self.kept.items() if count)
        lines = [f"{self.output}: {kept or 'nothing'}"]
        if self.damaged_pages:
            lines.append(f"{self.damaged_pages} of {self.pages} pages cannot be read")
        lines += [f"  {text}" for text in self.lost] or ["nothing is lost"]
        return "\n".join(lines)


def recover(path: Path, output: Path, progress: Callable[[float], None] = lambda _: None) -> Recovered:
    """Make a new cell from everything readable in a damaged one, which is not changed."""
    if not path.is_file():
        raise FileProblem(f"There is no file {path} to recover.")
    if output.exists():
        raise FileProblem(f"{output} already exists; choose another name with -o.")
    found, lost = _read(path, progress)
    if not any(found.rows.values()) and (found.broken or not found.pages):
        raise NotACell(f"Nothing of a cell can be read in {path.name}.")
    repair = _Repair(found)
    repair.run()
    lost += repair.lost
    database = Database.memory()
    try:
        repair.contents.write_to(database.store)
        database.store.save_as(output)
    finally:
        database.close()
    progress(1.0)
    kept = {table: len(rows) for table, rows in repair.contents.rows.items()}
    return Recovered(path.name, output.name, found.pages, found.damaged_pages, kept, tuple(lost))


def _read(path: Path, progress: Callable[[float], None]) -> tuple[Salvaged, list[str]]:
    with tempfile.TemporaryDirectory(prefix="workcell-") as folder:
        copy = Path(folder) / "copy"
        copy_with_logs(path.resolve(), copy)
        if copy.with_name("copy-journal").exists():
            with contextlib.suppress(sqlite3.Error):  # rolls back what was half written on a drive without WAL
                sqlite3.connect(copy).execute("SELECT count(*) FROM sqlite_master").connection.close()
        data, wal = copy.read_bytes(), read_wal(wal_path(copy))
    head = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{") or (b'"workcell"' in head and not wal.frames):
        rows, faults = readable(data.decode(errors="replace"))
        broken = set(TABLES) if faults else set()
        return Salvaged(rows.rows, 0, 0, broken), [f"line {number}: {text}" for number, text in faults]
    spoilt = sum(1 for frame in wal.frames if not frame.intact)
    lost = [f"{spoilt} of {len(wal.frames)} pages of the log are damaged"] if spoilt else []
    return salvage(data, wal, progress), lost


class _Repair:
    """Repairs rows for a cell."""

    def __init__(self, found: Salvaged) -> None:
        self.contents = Contents(found.rows)
        self.lost: list[str] = []
        self._broken = found.broken
        self._pages = found.pages
        self._tries: dict[tuple[str, object], int] = {}
        self._lost_steps: set[int] = set()
        self._past = self._replayed()

    def run(self) -> None:
        """Fill in missing rows from the history, then repair or drop invalid rows until all are valid."""
        self._fill_in()
        if self._pages:  # the unreadable lines of a text are listed one by one
            self._report_gaps()
        self._report_garbage()
        while found := problems(self.contents):
            self._repair(found)
        self._cut_history()

    # ---- what the history contains ----------------------------------------------------------------------

    def _replayed(self) -> _Tables:
        """The rows that result from the steps in force, if all of these are there."""
        tables: _Tables = {table: {} for table in ("entity", "relation", "setting", "state")}
        steps = sorted((row for row in self.contents.rows["journal"] if type(row[0]) is int), key=lambda row: row[0])
        for row in steps:
            if row[7]:
                continue
            with contextlib.suppress(msgspec.MsgspecError, RecursionError, KeyError, ValueError, TypeError):
                for table, columns, before, after in changes_of(row[5]):
                    if after is None and before is not None:
                        tables[table].pop(before[0], None)
                    elif before is None and after is not None:
                        tables[table][after[0]] = tuple(after)
                    elif after is not None and after[0] in tables[table]:
                        values = dict(zip(TABLES[table], tables[table][after[0]], strict=True))
                        values |= dict(zip(columns, after, strict=True))
                        tables[table][after[0]] = tuple(values[name] for name in TABLES[table])
        return tables

    def _fill_in(self) -> None:
        for table, known in self._past.items():
            if table not in self._broken:
                continue
            there = {row[0] for row in self.contents.rows[table]}
            missing = [row for key, row in known.items() if key not in there]
            if missing:
                self.contents.rows[table] += missing
                self.lost.append(f"{len(missing)} {_COUNTED[table]} were taken from the history")
        kept = {row[0] for row in self.contents.rows["setting"]}
        if "setting" in self._broken and not kept & FIRST_SETTINGS.keys():
            self.contents.rows["setting"] += list(FIRST_SETTINGS.items())
            self.lost.append("the profile of the cell is not known; it gets that of a new cell")

    # ---- what only a reader can judge -------------------------------------------------------------------

    def _report_gaps(self) -> None:
        """Name the tables with unreadable pages: nobody knows how many rows were there."""
        found = {table: bool(self.contents.rows[table]) for table in _COUNTED if table in self._broken}
        if found.get("journal") is False:
            self.lost.append("the history is lost: no step can be read")
        some = [_COUNTED[table][1] for table, there in found.items() if there]
        none = [_COUNTED[table][1] for table, there in found.items() if not there and table != "journal"]
        if some:
            self.lost.append(f"some {', '.join(some)} may be missing: some of their pages cannot be read")
        if none:
            self.lost.append(f"no {', '.join(none)} can be read; all of them are lost")

    def _report_garbage(self) -> None:
        """Name texts and dates that nobody wrote; they are kept, because only a reader knows what they were."""
        for table, rows in self.contents.rows.items():
            for row in rows:
                odd = sorted({char for value in row if isinstance(value, str) for char in _ODD.findall(value)})
                if odd:
                    shown = ", ".join(map(ascii, odd[:3])) + (" …" if len(odd) > 3 else "")
                    self.lost.append(f"{_called(table, row)} is kept with characters that nobody types ({shown})")
        latest = time.time() + _DAY
        before: Row = ()
        for row in sorted((row for row in self.contents.rows["journal"] if _dated(row)), key=lambda row: row[0]):
            if not 0 <= row[2] <= latest:
                self.lost.append(f"step {row[0]} is kept with a time that is not in the past")
                continue
            if before and row[2] < before[2] - _DAY:
                self.lost.append(f"step {row[0]} is kept with a time before that of step {before[0]}")
            before = row

    # ---- repair -----------------------------------------------------------------------------------------

    def _repair(self, found: list[Problem]) -> None:
        worst: dict[tuple[str, int], Problem] = {}
        for one in found:
            worst.setdefault((one.table, one.place), one)
        if any(table == "entity" for table, _ in worst):  # relations are checked after their ends
            worst = {key: one for key, one in worst.items() if key[0] != "relation"}
        dropped: set[tuple[str, int]] = set()
        for (table, place), problem in worst.items():
            text, row = problem.text, self.contents.rows[table][place]
            key = table, row[0] if row else place
            tried = self._tries.get(key, 0)
            self._tries[key] = tried + 1
            ways = self._ways(table, row) if problem.mendable else []
            if tried < len(ways):
                self.contents.rows[table][place] = ways[tried][0]
                self.lost.append(f"{_called(table, row)} was repaired ({ways[tried][1]}): {text}")
            else:
                dropped.add((table, place))
                self.lost.append(f"{_called(table, row)} is lost: {text}")
                if table == "journal" and type(row[0]) is int:
                    self._lost_steps.add(row[0])
        for table, rows in self.contents.rows.items():
            self.contents.rows[table] = [row for place, row in enumerate(rows) if (table, place) not in dropped]

    def _ways(self, table: str, row: Row) -> list[tuple[Row, str]]:
        """Rows that may replace a row, best first."""
        ways: list[tuple[Row, str]] = []
        past = self._past.get(table, {}).get(row[0])
        if past is not None and past != row:
            ways.append((past, "as in the history"))
        if table == "entity" and len(row) == 8:
            number, kind, name, _, _, _, shape, _ = row
            spare = f"recovered-{number:x}" if type(number) is int and number > 0 else "recovered"
            ways.append(((*row[:4], None, int(row[5] == 1), shape, row[7]), "without its colour"))
            ways.append(((*row[:4], None, int(row[5] == 1), shape, "{}"), "without its properties"))
            ways.append(((number, kind, name, "", None, 0, None, "{}"), "without its shape"))
            ways.append(((number, kind, spare, "", None, 0, shape, row[7]), f"with the name {spare}"))
            ways.append(((number, kind, spare, "", None, 0, None, "{}"), f"with the name {spare} only"))
        if table == "relation" and len(row) == 10:
            mended = self._relation(row)
            if mended is not None:
                ways.append((mended, "by its steps and ends"))
                ways.append(((*mended[:8], "", "{}"), "without its properties"))
                ways.append(((*mended[:2], f"recovered-{row[0]:x}", *mended[3:]), "with another name"))
        return ways

    def _relation(self, row: Row) -> Row | None:
        kinds = {one[0]: one[1] for one in self.contents.rows["entity"]}
        try:
            kind = relation_kind(kinds[row[3]], kinds[row[4]])
            return (row[0], kind, *row[2:7], Transform.from_json(row[6]).packed(), *row[8:])
        except (WorkcellError, KeyError, ValueError, TypeError, msgspec.MsgspecError, RecursionError):
            return None

    # ---- the history ------------------------------------------------------------------------------------

    def _cut_history(self) -> None:
        """Allow undo and redo only for steps that fit the rows; older ones can still be read."""
        steps = sorted(self.contents.rows["journal"], key=lambda row: row[0])
        present: _Tables = {table: {row[0]: row for row in self.contents.rows[table]} for table in self._past}
        now = {table: dict(rows) for table, rows in present.items()}
        floor = gap = above = 0
        for row in reversed([row for row in steps if not row[7]]):
            seq = row[0]
            gap = gap or (seq if above and seq != above - 1 else 0)
            lost = any(seq < one for one in self._lost_steps)
            if lost or not all(_turn(now, change, back=True) for change in reversed(changes_of(row[5]))):
                floor = seq
                break
            above = seq
        left = any(rows for table, rows in now.items() if table != "setting")  # a cell begins with settings only
        if "journal" in self._broken and (floor or left):
            floor = max(floor, gap)  # the steps in between are lost, and later ones may depend on them
        if floor:
            settings = [row for row in self.contents.rows["setting"] if row[0] != FLOOR]
            self.contents.rows["setting"] = [*settings, (FLOOR, str(floor))]
            self.lost.append(f"steps up to {floor} can be read but not undone")
        redone = {table: dict(rows) for table, rows in present.items()}
        fits = not self._lost_steps
        for row in [row for row in steps if row[7]]:
            fits = fits and all(_turn(redone, change) for change in changes_of(row[5]))
            if not fits:
                self.contents.rows["journal"].remove(row)
                self.lost.append(f"step {row[0]}, which was undone, cannot be redone and is left out")


def _turn(tables: _Tables, change: RowChange, back: bool = False) -> bool:
    """Apply a row difference, or undo it; return whether it fits."""
    table, columns, before, after = change
    if back:
        before, after = after, before
    rows = tables[table]
    if before is None and after is None:
        return True
    if before is None or after is None:
        row = tuple(after or before or ())
        fits = row[0] not in rows if before is None else rows.get(row[0]) == row
        if before is None:
            rows[row[0]] = row
        else:
            rows.pop(row[0], None)
        return fits
    if before[0] not in rows:
        return False
    values: dict[str, Any] = dict(zip(TABLES[table], rows[before[0]], strict=True))
    fits = all(values[name] == value for name, value in zip(columns, before, strict=True))
    values |= dict(zip(columns, after, strict=True))
    rows[before[0]] = tuple(values[name] for name in TABLES[table])
    return fits


def _dated(row: Row) -> bool:
    return len(row) == len(TABLES["journal"]) and type(row[0]) is int and isinstance(row[2], int | float)


def _called(table: str, row: Row) -> str:
    if table == "entity" and len(row) > 2:
        return f"{row[1]} {row[2]!r}"
    if table == "relation" and len(row) > 2:
        return f"relation {row[2]!r}"
    if table == "journal" and row:
        return f"step {row[0]}"
    if table == "state":
        return "the state"
    return f"{'setting' if table == 'setting' else 'the kept file'} {row[0]!r}" if row else f"a row of {table}"
