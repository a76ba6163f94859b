"""The world database beside bare SQLite writing and reading the same rows, on a real disk and in memory.

Figures to reach: a durable command at most 1.5× the bare FULL transaction that writes the same rows, journal included;
in memory at most 5× a bare one; used-by on 100,000 relations at most 2× the bare recursive query; open and first
`show` at most 50 ms at any size; a full load of 100,000 entities at most 1.5× reading the rows.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from workcell.commands.cell import Cell
from workcell.spatial.transform import Transform
from workcell.world.database import Database
from workcell.world.queries import Query
from workcell.world.store import Store


def rows_of(lines: list[str]) -> list[list[tuple[str, tuple[object, ...]]]]:
    """Return for each command the rows that it writes: its own and its journal entry."""
    with Cell(who="bench") as cell:
        out = []
        for line in lines:
            cell.do(line)
            entry = cell.journal.entry(cell.journal.revision)
            written = [(table, after) for table, _, _, after in entry.changes if after is not None]
            journal = (entry.seq, entry.who, entry.time, entry.command, entry.typed, entry.difference, 1, 0)
            out.append([*written, ("journal", journal)])
        return out


def commands(count: int) -> list[str]:
    lines = ["create surface square contour (0,0) (1,0) (1,1) (0,1)", "create block whole"]
    for number in range(count // 2):
        lines.append(f"create block part{number} box 10 20 30 colour red")
        lines.append(f"attach square to part{number} as side rotate 90,0,0 translate 0,1,0")
    return lines


def bare(connection: sqlite3.Connection, batches: list[list[tuple[str, tuple[object, ...]]]]) -> list[float]:
    times = []
    execute = connection.execute
    for batch in batches:
        begin = time.perf_counter()
        execute("BEGIN IMMEDIATE")
        for table, row in batch:
            execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
        execute("COMMIT")
        times.append(time.perf_counter() - begin)
    return times


def ours(cell: Cell, lines: list[str]) -> list[float]:
    times = []
    for line in lines:
        begin = time.perf_counter()
        cell.do(line)
        times.append(time.perf_counter() - begin)
    return times


def commands_bench(folder: Path, count: int, rounds: int) -> None:
    lines = commands(count)
    batches = rows_of(lines)
    for where in ("file, FULL", "memory"):
        mine: list[float] = []
        peer: list[float] = []
        for turn in range(rounds):
            if where == "memory":
                store, cell = Store.memory(), Cell(who="bench")
            else:
                store, cell = (
                    Store.create(folder / f"bare{turn}.cell"),
                    Cell.create(folder / f"ours{turn}.cell", who="bench"),
                )
            peer += bare(store.connection, batches)
            mine += ours(cell, lines)
            store.close()
            cell.close()
        a, b = statistics.median(mine) * 1e6, statistics.median(peer) * 1e6
        limit = 5.0 if where == "memory" else 1.5
        print(
            f"a command, {where:11}: ours {a:8.1f} µs   bare rows {b:8.1f} µs   ratio {a / b:5.2f}   (at most {limit})"
        )


def large(path: Path, count: int) -> None:
    """Make a cell of ``count`` entities and as many relations: blocks in objects, objects in scenes."""
    database = Database.create(path)
    connection = database.store.connection
    connection.execute("BEGIN")
    ids = database.ids
    square = ids.new()
    connection.execute("INSERT INTO entity VALUES (?, 'block', 'shared', '', NULL, 0, NULL, '{}')", (square,))
    form, packed = Transform().to_json(), Transform().packed()
    scene = ids.new()
    connection.execute("INSERT INTO entity VALUES (?, 'scene', 'main', '', NULL, 0, NULL, '{}')", (scene,))
    for number in range(count // 2):
        whole = ids.new()
        connection.execute(
            "INSERT INTO entity VALUES (?, 'object', ?, '', NULL, 0, NULL, '{}')", (whole, f"object{number}")
        )
        part = ids.new()
        connection.execute(
            "INSERT INTO entity VALUES (?, 'block', ?, '', NULL, 0, NULL, '{}')", (part, f"block{number}")
        )
        for name, parent, child, kind in (
            ("part", whole, part if number % 2 else square, "transform-block"),
            (f"place{number}", scene, whole, "transform-object"),
        ):
            row = (ids.new(), kind, name, parent, child, number, form, packed, "", "{}")
            connection.execute("INSERT INTO relation VALUES (?,?,?,?,?,?,?,?,?,?)", row)
    connection.execute("COMMIT")
    database.close()


def interleaved(a: Callable[[], object], b: Callable[[], object], rounds: int) -> tuple[float, float]:
    first, second = [], []
    for _ in range(rounds):
        for run, times in ((a, first), (b, second)):
            begin = time.perf_counter()
            run()
            times.append(time.perf_counter() - begin)
    return statistics.median(first) * 1e3, statistics.median(second) * 1e3


USED_BY = """
WITH RECURSIVE below(id) AS (
  SELECT child FROM relation WHERE parent = (SELECT id FROM entity WHERE kind = 'scene')
  UNION SELECT child FROM relation JOIN below ON parent = below.id)
SELECT * FROM entity WHERE id IN (SELECT id FROM below) ORDER BY id
"""


def large_bench(folder: Path, count: int, rounds: int) -> None:
    path = folder / "large.cell"
    large(path, count)
    database = Database.open(path)
    connection = database.store.connection
    mine = Query(database, "used-by scene:main").entities()
    assert [tuple(getattr(e, f) for f in e.__struct_fields__) for e in mine] == connection.execute(USED_BY).fetchall()
    a, b = interleaved(
        lambda: Query(database, "used-by scene:main").entities(), lambda: connection.execute(USED_BY).fetchall(), rounds
    )
    print(
        f"used-by over {count} relations: ours {a:7.1f} ms   bare recursive query {b:7.1f} ms   ratio {a / b:5.2f}   (at most 2)"
    )
    a, b = interleaved(
        database.entities, lambda: connection.execute("SELECT * FROM entity ORDER BY id").fetchall(), rounds
    )
    print(
        f"load of {count} entities: ours {a:7.1f} ms   reading the rows {b:7.1f} ms   ratio {a / b:5.2f}   (at most 1.5)"
    )
    database.close()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        with Cell.open(path) as cell:
            cell.do("show block:block7")
        times.append(time.perf_counter() - begin)
    print(f"open and first show at {count} entities: {statistics.median(times) * 1e3:.1f} ms   (at most 50)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=600)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workcell-bench-") as name:
        commands_bench(Path(name), options.commands, options.rounds)
        large_bench(Path(name), options.entities, options.rounds)


if __name__ == "__main__":
    main()
