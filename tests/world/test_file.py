"""The file: durable, one writer, versions, damage, read-only."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from script_maker import ScriptMaker

from workcell.commands.cell import Cell
from workcell.errors import CellLocked, FileProblem, NewerFile, NotACell, WorkcellError
from workcell.world.store import SCHEMA, Store

WORKER = """
import sys
from workcell.commands.cell import Cell
from workcell.errors import WorkcellError
with Cell.create(sys.argv[1], who="worker") as cell:
    for number, line in enumerate(sys.stdin):
        try:
            cell.do(line)
            print(number, "done", flush=True)
        except WorkcellError:
            print(number, "refused", flush=True)
"""


def states_after(lines: list[str]) -> list[dict[str, list[tuple[object, ...]]]]:
    """The rows after each line, without what depends on the run: ids."""
    out = []
    with Cell() as cell:
        out.append(plain(cell))
        for line in lines:
            with contextlib.suppress(WorkcellError):
                cell.do(line)
            out.append(plain(cell))
    return out


def plain(cell: Cell) -> dict[str, list[object]]:
    """The cell's content with ids replaced by the order of creation."""
    rows = cell.database.rows()
    order = {row[0]: place for place, row in enumerate(rows["entity"])}
    relations = sorted(rows["relation"], key=lambda row: (row[5], row[0]))
    return {
        "entity": [row[1:] for row in rows["entity"]],
        "relation": [(order[row[3]], order[row[4]], *row[1:3], *row[6:]) for row in relations],
        "setting": rows["setting"],
        "state": rows["state"],
    }


def killed_run(folder: Path, seed: int) -> tuple[Path, int, list[str]]:
    """A process that is killed while it applies commands; returns the file, the last acknowledged line, the lines."""
    path = folder / f"killed{seed}.cell"
    chance = random.Random(seed)
    lines = ScriptMaker(seed).lines(400)
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    wanted = chance.randrange(1, 250)
    acknowledged = -1
    for answer in process.stdout:
        acknowledged = int(answer.split()[0])
        if acknowledged >= wanted:
            break
    time.sleep(chance.random() * 0.003)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read().split("\n")
    for answer in rest:
        if answer.endswith(("done", "refused")):
            acknowledged = int(answer.split()[0])
    process.wait()
    process.stdin.close()
    process.stdout.close()
    return path, acknowledged, lines


def check_killed(folder: Path, seed: int) -> None:
    path, acknowledged, lines = killed_run(folder, seed)
    wal = path.with_name(path.name + "-wal")
    copy = folder / f"cut{seed}.cell"
    shutil.copy(path, copy)
    if wal.exists():
        data = wal.read_bytes()
        copy.with_name(copy.name + "-wal").write_bytes(data[: random.Random(seed).randrange(len(data) + 1)])
    states = states_after(lines[: acknowledged + 3])
    with Cell.open(path) as cell:
        found = plain(cell)
        assert found in states[acknowledged + 1 :], f"seed {seed}: an acknowledged command is lost"
        assert cell.database.store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Cell.open(copy) as cell:
        assert plain(cell) in states, f"seed {seed}: a truncated WAL gives no prefix"


@pytest.mark.parametrize("batch", range(3))
def test_a_killed_process_loses_no_acknowledged_command(tmp_path, batch):
    for seed in range(batch * 5, batch * 5 + 3):
        check_killed(tmp_path, seed)


@pytest.mark.soak
def test_a_thousand_killed_processes_lose_no_acknowledged_command(tmp_path):
    for seed in range(1000, 2000):
        check_killed(tmp_path, seed)
        for file in tmp_path.iterdir():
            if file.is_file():
                file.unlink()
            else:
                shutil.rmtree(file)
    print("\n1,000 kills and 1,000 truncated WALs: every acknowledged command kept, every file a prefix")


def test_every_commit_is_synchronous(tmp_path):
    with Cell.create(tmp_path / "a.cell") as cell:
        execute = cell.database.store.connection.execute
        assert execute("PRAGMA synchronous").fetchone() == (2,), "2 is FULL"
        assert execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with Cell.open(tmp_path / "a.cell") as cell:
        assert cell.database.store.connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_second_writer_is_refused_with_the_holder_and_readers_are_not(tmp_path):
    path = tmp_path / "a.cell"
    with Cell.create(path) as writer:
        writer.do("create block one")
        with pytest.raises(CellLocked, match=rf"being written by .* \(process {os.getpid()} on ") as refused:
            Cell.open(path)
        assert refused.value.holder["process"] == os.getpid()
        with Cell.open(path, read_only=True) as reader:
            assert reader.database.names("block") == ["one"]
            writer.do("create block two")
            assert reader.database.names("block") == ["one", "two"]
            with pytest.raises(FileProblem, match="open read-only"):
                reader.do("create block three")
            with pytest.raises(FileProblem, match="open read-only"):
                reader.do("group")
    with Cell.open(path) as writer:
        assert len(writer.journal) == 2
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["a.cell"]


def test_the_lock_of_a_dead_process_does_not_matter(tmp_path):
    path = tmp_path / "a.cell"
    code = f"import os; from workcell.commands.cell import Cell; c = Cell.create({str(path)!r}); c.do('create block x'); os._exit(9)"
    subprocess.run([sys.executable, "-c", code], check=False)
    assert path.with_name("a.cell.lock").exists()
    with Cell.open(path) as cell:
        assert cell.database.names("block") == ["x"]


def test_newer_foreign_empty_and_damaged_files_are_refused(tmp_path):
    newer = tmp_path / "newer.cell"
    Cell.create(newer).close()
    connection = sqlite3.connect(newer)
    connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.commit()
    connection.close()
    with pytest.raises(NewerFile, match=f"later Workcell .schema {SCHEMA + 1}"):
        Cell.open(newer)
    foreign = tmp_path / "foreign.cell"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE t(x)")
    connection.commit()
    connection.close()
    with pytest.raises(NotACell, match="another program"):
        Cell.open(foreign)
    text = tmp_path / "text.cell"
    text.write_text("this is text")
    with pytest.raises(
        NotACell, match=r"not a database; `workcell shell \w+\.cell` or `workcell convert` makes a cell"
    ):
        Cell.open(text)
    program = tmp_path / "program.py"
    program.write_text("print('a program of Python')")
    with pytest.raises(NotACell, match=r"`workcell shell program\.cell`"):
        Cell.open(program)
    empty = tmp_path / "empty.cell"
    empty.touch()
    with pytest.raises(NotACell, match="empty"):
        Cell.open(empty)
    with pytest.raises(FileProblem, match="no file"):
        Cell.open(tmp_path / "missing.cell")
    with pytest.raises(FileProblem, match="already exists"):
        Cell.create(newer)
    with pytest.raises(FileProblem, match="no folder"):
        Cell.create(tmp_path / "nowhere" / "a.cell")
    assert not list(tmp_path.glob("*.lock"))


def test_older_files_are_migrated_forward(tmp_path, monkeypatch):
    path = tmp_path / "old.cell"
    with Cell.create(path) as cell:
        cell.do("create block one")
    monkeypatch.setattr("workcell.world.store.SCHEMA", SCHEMA + 1)
    monkeypatch.setitem(
        Store.open.__func__.__globals__["MIGRATIONS"], SCHEMA, lambda c: c.execute("CREATE TABLE extra(x INTEGER)")
    )
    with pytest.raises(FileProblem, match="older schema"):
        Cell.open(path, read_only=True)
    with Cell.open(path) as cell:
        assert cell.database.names("block") == ["one"]
        assert cell.database.store.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA + 1,)
        cell.database.store.connection.execute("SELECT * FROM extra")


def test_save_makes_another_file_and_convert_keeps_everything(tmp_path):
    from workcell.world.text_form import to_text

    with Cell.create(tmp_path / "a.cell") as cell:
        for line in ScriptMaker(7).lines(40):
            try:
                cell.do(line)
            except WorkcellError:
                continue
        cell.do(f"save {tmp_path / 'b.cell'}")
        text, whole = to_text(cell.database), to_text(cell.database, journal=True)
    with Cell.open(tmp_path / "b.cell") as copy:
        assert to_text(copy.database, journal=True) == whole
    run = [sys.executable, "-m", "workcell", "convert"]
    history = ["--journal", tmp_path / "a.celljournal"]
    subprocess.run([*run, tmp_path / "a.cell", tmp_path / "a.celltext", *history], check=True, capture_output=True)
    assert (tmp_path / "a.celltext").read_text() == text
    for line in (tmp_path / "a.celljournal").read_text().splitlines():
        json.loads(line)
    subprocess.run([*run, tmp_path / "a.celltext", tmp_path / "c.cell", *history], check=True, capture_output=True)
    with Cell.open(tmp_path / "c.cell") as back:
        assert to_text(back.database, journal=True) == whole


def test_a_damaged_text_form_is_refused_and_leaves_no_file(tmp_path):
    with Cell() as cell:
        cell.do("create block one")
        cell.do(f"save {tmp_path / 'a.celltext'}")
    text = (tmp_path / "a.celltext").read_text()
    (tmp_path / "bad.celltext").write_text(text.replace('name = "one"', 'nmae = "one"'))
    run = [sys.executable, "-m", "workcell", "convert", tmp_path / "bad.celltext", tmp_path / "bad.cell"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Line 6 of bad.celltext cannot be read: the field 'name' is missing" in done.stderr
    assert not (tmp_path / "bad.cell").exists()


def test_converting_to_an_unknown_ending_is_refused(tmp_path):
    with Cell() as cell:
        cell.do(f"save {tmp_path / 'a.celltext'}")
    run = [sys.executable, "-m", "workcell", "convert", tmp_path / "a.celltext", tmp_path / "a.step"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "can be converted to a .cell, .celltext, .wld or .robosim file; found 'a.step'" in done.stderr
    assert not (tmp_path / "a.step").exists()
