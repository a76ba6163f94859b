"""`workcell recover`: all that can be read, in a cell that opens; and damaged files of every kind without a traceback."""

from __future__ import annotations

import json
import random
import sqlite3
import traceback
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from damage_maker import PAGE, clear, damaged, make_whole

from workcell.cli import main
from workcell.commands.cell import Cell
from workcell.errors import DamagedCell, FileProblem, NotACell, WorkcellError
from workcell.world.recovery import recover
from workcell.world.text_form import to_text
from workcell.world.wal import wal_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, Path]:
    return make_whole(tmp_path_factory.mktemp("whole"))


def text_of(path: Path) -> str:
    with Cell.open(path, read_only=True) as cell:
        return to_text(cell.database, journal=True)


def test_nothing_is_lost_of_what_is_whole(whole, tmp_path):
    before = {path: path.read_bytes() for path in whole["cell"].parent.iterdir() if path.is_file()}
    for kind in ("cell", "killed", "text"):
        out = tmp_path / f"{kind}.cell"
        found = recover(whole[kind], out)
        assert found.lost == (), kind
        expected = whole["text"].read_text() if kind == "text" else None
        if kind != "killed":
            assert text_of(out) == (expected or text_of(whole[kind]))
    assert {path: path.read_bytes() for path in before} == before
    copy = tmp_path / "copy.cell"
    copy.write_bytes(whole["killed"].read_bytes())
    wal_path(copy).write_bytes(wal_path(whole["killed"]).read_bytes())
    with Cell.open(copy) as cell:
        assert text_of(tmp_path / "killed.cell") == to_text(cell.database, journal=True)


def pages_of(path: Path, name: str) -> list[int]:
    with sqlite3.connect(path) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    connection.close()
    return [root]


@pytest.mark.parametrize("table", ["entity", "relation", "setting", "state", "sqlite_master"])
def test_a_table_whose_root_is_gone_is_found_page_by_page_or_in_the_history(whole, tmp_path, table):
    path = tmp_path / "a.cell"
    data = bytearray(whole["cell"].read_bytes())
    at = 0 if table == "sqlite_master" else (pages_of(whole["cell"], table)[0] - 1) * PAGE
    data[at : at + PAGE] = bytes(PAGE)
    path.write_bytes(data)
    with pytest.raises(FileProblem):
        Cell.open(path)
    recover(path, tmp_path / "out.cell")
    with Cell.open(tmp_path / "out.cell") as back, Cell.open(whole["cell"], read_only=True) as there:
        assert back.database.rows() == there.database.rows()


def test_a_lost_history_leaves_the_rows_and_says_what_cannot_be_undone(whole, tmp_path):
    path = tmp_path / "a.cell"
    data = bytearray(whole["cell"].read_bytes())
    at = (pages_of(whole["cell"], "journal")[0] - 1) * PAGE
    data[at + 8 : at + PAGE] = bytes(PAGE - 8)
    path.write_bytes(data)
    recover(path, tmp_path / "out.cell")
    with Cell.open(tmp_path / "out.cell") as back, Cell.open(whole["cell"], read_only=True) as there:
        expected = there.database.rows()
        rows = back.database.rows()
        assert [rows[name] for name in ("entity", "relation", "state")] == [
            expected[name] for name in ("entity", "relation", "state")
        ]
        while back.journal.can_undo:
            back.undo()
        back.do("create block after-all")
        back.undo()


@pytest.mark.parametrize("spoilt", [16, 100, PAGE])
@pytest.mark.parametrize("fill", [b"\0", b"x"])
def test_a_damaged_header_names_the_command_that_recovers(whole, tmp_path, spoilt, fill):
    path = tmp_path / "a.cell"
    path.write_bytes(fill * spoilt + whole["cell"].read_bytes()[spoilt:])
    for line in (["render", "{}", "-o", "{}.png"], ["shell", "{}"], ["convert", "{}", "{}text"]):
        done = CliRunner().invoke(main, [word.format(path) for word in line])
        assert done.exit_code == 1
        assert "`workcell recover a.cell` copies everything readable into a new cell" in done.output
    recover(path, tmp_path / "out.cell")
    assert "\n[object " in text_of(tmp_path / "out.cell")


def test_a_file_without_its_pages_is_damaged_when_its_log_has_them(whole, tmp_path):
    path = tmp_path / "a.cell"
    path.write_bytes(b"")
    with pytest.raises(NotACell, match=r"a\.cell is empty; `workcell shell"):
        Cell.open(path)
    wal_path(path).write_bytes(wal_path(whole["killed"]).read_bytes())
    with pytest.raises(DamagedCell, match=r"`workcell recover a\.cell`"):
        Cell.open(path)


@pytest.mark.parametrize(("name", "data"), [("a.cell", b"a letter"), ("a.png", b"\x89PNG\0" * 4096)])
def test_a_file_of_another_program_is_not_called_a_damaged_cell(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(NotACell, match=f"{name} is not a database") as refused:
        Cell.open(path)
    assert not isinstance(refused.value, DamagedCell)


def test_a_file_that_is_cut_counts_the_pages_that_are_gone_and_says_that_the_history_is(whole, tmp_path):
    path, data = tmp_path / "a.cell", whole["cell"].read_bytes()
    kept = pages_of(whole["cell"], "journal")[0] - 1
    for end in (kept * PAGE, kept * PAGE + 100):
        path.write_bytes(data[:end])
        found = recover(path, tmp_path / f"out-{end}.cell")
        assert found.pages == len(data) // PAGE
        assert found.damaged_pages >= found.pages - kept
        assert found.kept["journal"] == 0
        assert "the history is lost: no step can be read" in found.lost
        assert "nothing is lost" not in str(found)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("SET command = CAST(x'6d6f76ff20' AS TEXT)", r"step 3 is kept with characters that nobody types ('\ufffd')"),
        ("SET typed = char(1, 2, 109)", r"step 3 is kept with characters that nobody types ('\x01', '\x02')"),
        ("SET time = 1e200", "step 3 is kept with a time that is not in the past"),
        ("SET time = 1000", "step 3 is kept with a time before that of step 2"),
    ],
)
def test_a_step_with_garbage_is_named_and_kept(whole, tmp_path, spoil, said):
    path = tmp_path / "a.cell"
    path.write_bytes(whole["cell"].read_bytes())
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE journal {spoil} WHERE seq = 3")
    connection.close()
    found = recover(path, tmp_path / "out.cell")
    assert found.lost == (said,)
    with Cell.open(tmp_path / "out.cell") as back, Cell.open(whole["cell"], read_only=True) as there:
        assert len(back.journal) == len(there.journal)


def test_a_broken_log_is_read_beyond_the_break(whole, tmp_path):
    path = tmp_path / "a.cell"
    path.write_bytes(whole["killed"].read_bytes())
    frames = bytearray(wal_path(whole["killed"]).read_bytes())
    frames[32 + 24 + 200] ^= 255
    wal_path(path).write_bytes(frames)
    with pytest.raises(FileProblem, match="its log is broken"):
        Cell.open(path)
    found = recover(path, tmp_path / "out.cell")
    assert "of the log are damaged" in found.lost[0]
    assert found.kept["entity"] > 5


def test_dangling_relations_and_circles_are_dropped_and_named(tmp_path):
    path = tmp_path / "a.cell"
    with Cell.create(path) as cell:
        for line in ("create block a", "create block b", "create object o", "attach a to o as r", "attach b to a as s"):
            cell.do(line)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM journal")
        connection.execute("UPDATE relation SET child = 99 WHERE name = 'r'")
        connection.execute("UPDATE relation SET child = parent WHERE name = 's'")
        connection.execute("UPDATE entity SET properties = '{' WHERE name = 'b'")
    connection.close()
    found = recover(path, tmp_path / "out.cell")
    said = "\n".join(found.lost)
    assert "relation 'r' is lost: the child of relation 'r' is the id 0000000000000063, which no entity has" in said
    assert "relation 's' is lost: relation 's' makes block 'a' a part of itself" in said
    assert "block 'b' was repaired (without its properties)" in said
    with Cell.open(tmp_path / "out.cell") as cell:
        assert cell.database.names() == ["a", "b", "o"]
        cell.do("attach b to a as s")


def test_the_command_makes_a_new_file_and_answers_in_json(whole, tmp_path):
    path = tmp_path / "a.cell"
    path.write_bytes(whole["cell"].read_bytes())
    done = CliRunner().invoke(main, ["recover", str(path), "--json"], standalone_mode=False)
    told = json.loads(done.output)
    assert told["lost"] == []
    assert told["output"] == "a-recovered.cell"
    assert text_of(tmp_path / "a-recovered.cell") == text_of(path)
    with pytest.raises(FileProblem, match="already exists"):
        recover(path, tmp_path / "a-recovered.cell")
    with pytest.raises(FileProblem, match="no file"):
        recover(tmp_path / "missing.cell", tmp_path / "x.cell")
    (tmp_path / "noise.cell").write_bytes(random.Random(1).randbytes(20_000))
    with pytest.raises(NotACell, match="Nothing of a cell can be read"):
        recover(tmp_path / "noise.cell", tmp_path / "x.cell")
    assert not (tmp_path / "x.cell").exists()


def tried(path: Path, most: int, figures: Counter[str]) -> None:
    """Every way into a damaged file: each ends well or with one sentence, and the file stays as it is."""
    before = path.read_bytes()

    def attempt(name: str, *arguments: str) -> bool:
        done = CliRunner().invoke(main, list(arguments), standalone_mode=False)
        error = done.exception
        if error is not None and not isinstance(error, SystemExit):
            shown = "".join(traceback.format_exception(error))
            assert isinstance(error, WorkcellError), f"{path.name} {name}: {shown}"
            assert len(str(error)) < 2000
            assert "Traceback" not in str(error)
        fine = error is None or (isinstance(error, SystemExit) and not error.code)
        figures[f"{name} {'done' if fine else 'refused'}"] += 1
        return fine

    if path.suffix == ".rec":
        script = path.with_suffix(".txt")
        script.write_text(f"create robot R puma560\nload-recording {path}\nreport\n")
        attempt("load-recording", "shell", "--script", str(script))
        return
    opened = attempt("convert", "convert", str(path), f"{path}.celltext")
    if path.suffix == ".cell":
        script = path.with_suffix(".txt")
        script.write_text("show R\nhistory\n")
        attempt("shell", "shell", str(path), "--script", str(script), "--read-only")
    recovered = attempt("recover", "recover", str(path), "-o", f"{path}.out.cell")
    assert path.read_bytes() == before
    assert recovered or not Path(f"{path}.out.cell").exists()
    assert opened or not Path(f"{path}.celltext").exists()
    if recovered:
        with Cell.open(f"{path}.out.cell") as cell:
            figures["entities"] += len(cell.database.entities())
            figures["entities there were"] += most
            cell.snapshot()
            while cell.journal.can_undo:
                cell.undo()
    elif opened:
        raise AssertionError(f"{path.name} can be opened and not be recovered")


def sentence(figures: Counter[str]) -> str:
    share = figures["entities"] / max(1, figures["entities there were"])
    parts = ", ".join(f"{name} {count}" for name, count in sorted(figures.items()))
    return f"{parts}; recovered files hold {share:.1%} of the entities of the whole ones"


def tried_all(whole: dict[str, Path], seeds: range, folder: Path) -> Counter[str]:
    figures: Counter[str] = Counter()
    most = {"recording": 0}
    for kind in ("cell", "killed", "text"):
        recover(whole[kind], folder / f"{kind}.cell")
        with Cell.open(folder / f"{kind}.cell", read_only=True) as cell:
            most[kind] = len(cell.database.entities())
    for seed in seeds:
        clear(folder)
        path, kind = damaged(whole, seed, folder)
        tried(path, most[kind], figures)
    return figures


def test_damaged_files_open_right_or_are_refused_in_one_sentence(whole, tmp_path):
    figures = tried_all(whole, range(25), tmp_path)
    assert figures["recover done"] >= 15, sentence(figures)


def test_an_empty_cell_is_recovered_as_one(tmp_path):
    Cell.create(tmp_path / "a.cell").close()
    assert recover(tmp_path / "a.cell", tmp_path / "b.cell").lost == ()
    with Cell.open(tmp_path / "b.cell") as cell:
        assert cell.database.entities() == []


@pytest.mark.soak
def test_five_hundred_damaged_files_give_no_traceback(whole, tmp_path):
    figures = tried_all(whole, range(1000, 1500), tmp_path)
    assert figures["recover done"] >= 350
    print(f"\n500 damaged files without a traceback: {sentence(figures)}")
