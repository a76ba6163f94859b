"""A cell that takes the name of another one: the logs of the old one go, its writer is respected, readers leave nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from workcell.cli import main
from workcell.commands.cell import Cell
from workcell.commands.converting import contents_in
from workcell.commands.file_access import FileAccess
from workcell.errors import FileProblem

DIES = """
import os, sys
from workcell.commands.cell import Cell
cell = Cell.create(sys.argv[1], who="test")
for n in range(30):
    cell.do(f"create block old{n} box 1 2 3")
os._exit(9)
"""


def killed(place: Path) -> None:
    """A cell whose process died with all of its edits in the log."""
    done = subprocess.run([sys.executable, "-c", DIES, str(place)], check=False, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    assert place.with_name(place.name + "-wal").stat().st_size > 0


def names(place: Path) -> set[str]:
    return {str(row[2]) for row in contents_in(place).rows["entity"]}


def workcell(*words: object) -> None:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    if done.exit_code:
        raise FileProblem(done.output)


def converts(text: Path, target: Path) -> None:
    workcell("convert", text, target, "--replace")


def merges(text: Path, target: Path) -> None:
    workcell("merge", text, text, text, "-o", target, "--replace")


def saves(text: Path, target: Path) -> None:
    with Cell.copy_of(text) as cell:
        cell.do(f'save "{target}" --replace')


def saves_as_client(text: Path, target: Path) -> None:
    with Cell.copy_of(text) as cell:
        cell.session.files = FileAccess([target.parent])
        cell.do(f"save {target.name} --replace")


def saves_in_python(text: Path, target: Path) -> None:
    with Cell.copy_of(text) as cell:
        cell.database.store.save_as(target, replace=True)


def writes_a_program(text: Path, target: Path) -> None:
    with Cell.copy_of(text) as cell:
        cell.do("create program p")
        cell.do(f'save-program p "{target}" --replace')


WAYS = [converts, merges, saves, saves_as_client, saves_in_python]
Way = Callable[[Path, Path], None]


@pytest.fixture
def text(tmp_path) -> Path:
    place = tmp_path / "l.celltext"
    with Cell(who="test") as cell:
        cell.do("create block new box 1 2 3")
        cell.do(f'save "{place}"')
    return place


@pytest.mark.parametrize("gone", [False, True], ids=["replaced", "removed before"])
@pytest.mark.parametrize("way", WAYS)
def test_the_log_of_a_dead_process_does_not_get_into_the_cell_that_takes_its_name(tmp_path, text, way: Way, gone):
    folder = tmp_path / "cells"
    folder.mkdir()
    place = folder / "a.cell"
    killed(place)
    if gone:
        place.unlink()
    way(text, place)
    assert sorted(os.listdir(folder)) == ["a.cell"]
    with Cell.open(place, who="test") as cell:
        assert {one.name for one in cell.database.entities("block")} == {"new"}


def test_a_name_that_is_free_takes_no_replace(tmp_path, text):
    place = tmp_path / "a.cell"
    killed(place)
    place.unlink()
    workcell("convert", text, place)
    assert names(place) == {"new"}


@pytest.mark.parametrize("way", [*WAYS, writes_a_program])
def test_a_cell_that_is_open_is_not_replaced_and_its_edits_stay(tmp_path, text, way: Way):
    place = tmp_path / "a.cell"
    with Cell.create(place, who="test") as cell:
        cell.do("create block mine box 1 2 3")
        with pytest.raises(FileProblem, match=r"a\.cell is being written by .*close it there first"):
            way(text, place)
        cell.do("create block more box 1 2 3")
    assert names(place) == {"mine", "more"}
    if way is not writes_a_program:
        way(text, place)
        assert names(place) == {"new"}


def test_a_write_that_fails_leaves_the_log_of_the_old_cell(tmp_path, text, monkeypatch):
    place = tmp_path / "a.cell"
    killed(place)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileProblem, match="No space left"):
        converts(text, place)
    monkeypatch.undo()
    assert names(place) == {f"old{n}" for n in range(30)}


def test_a_history_is_not_written_when_the_cell_beside_it_cannot_be(tmp_path, text):
    place, other, history = tmp_path / "a.cell", tmp_path / "b.cell", tmp_path / "h.celljournal"
    converts(text, other)
    with Cell.create(place, who="test"), pytest.raises(FileProblem, match="is being written by"):
        workcell("convert", other, place, "--journal", history, "--replace")
    assert not history.exists()


def test_a_text_takes_no_file_away_that_only_sounds_like_a_log(tmp_path):
    (tmp_path / "notes-journal").write_text("mine")
    FileAccess().write(tmp_path / "notes", b"new", replace=True)
    assert (tmp_path / "notes-journal").read_text() == "mine"


@pytest.mark.parametrize("dead", [False, True], ids=["closed", "with a log"])
def test_what_is_only_read_stays_as_it_is_and_nothing_appears_beside_it(tmp_path, text, dead):
    folder = tmp_path / "cells"
    folder.mkdir()
    place = folder / "a.cell"
    if dead:
        killed(place)
    else:
        converts(text, place)
        with Cell.open(place, who="test") as cell:  # from here on its header asks for a log
            cell.do("create block more box 1 2 3")

    def there() -> dict[str, bytes]:
        return {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.endswith("-shm")}

    before, shown = there(), sorted(os.listdir(folder))
    workcell("convert", place)
    workcell("convert", place, tmp_path / "b.celltext")
    workcell("merge", place, place, place)
    with Cell(who="test") as cell:
        cell.do(f'load "{place}"')
    assert there() == before
    assert sorted(os.listdir(folder)) == shown
    assert names(place) == ({f"old{n}" for n in range(30)} if dead else {"new", "more"})


def test_a_cell_that_is_open_here_is_read_with_its_last_edit(tmp_path):
    place = tmp_path / "a.cell"
    with Cell.create(place, who="test") as cell:
        for name in ("one", "two"):
            cell.do(f"create block {name} box 1 2 3")
            assert name in names(place)


def test_one_name_for_the_text_and_its_history_is_refused_before_anything_is_written(tmp_path, text):
    same, link = tmp_path / "s.celltext", tmp_path / "link.celljournal"
    link.symlink_to(same)
    with Cell.copy_of(text) as cell:
        for history in (same, link):
            for end in ("", " --replace"):
                with pytest.raises(FileProblem, match=r"twice"):
                    cell.do(f'save "{same}" journal "{history}"{end}')
                assert not same.exists()


def test_converting_refuses_a_history_in_the_file_of_a_cell(tmp_path, text):
    cell, out = tmp_path / "a.cell", tmp_path / "out.celltext"
    converts(text, cell)
    kept = cell.read_bytes()
    for source, target, history in ((cell, out, out), (cell, out, cell), (text, tmp_path / "b.cell", text)):
        with pytest.raises(FileProblem, match=r"twice"):
            workcell("convert", source, target, "--journal", history, "--replace")
    assert not out.exists()
    assert cell.read_bytes() == kept
