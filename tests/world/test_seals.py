"""A large cell that is as it was left opens without being judged again; one other byte, and it is judged."""

from __future__ import annotations

import os

import pytest

from workcell.commands.cell import Cell
from workcell.errors import WorkcellError
from workcell.world import contents, seals


@pytest.fixture
def cell(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(seals, "SMALLEST", 1)
    path = tmp_path / "a.cell"
    with Cell.create(path) as made:
        for number in range(20):
            made.do(f"create block part{number} box 10 20 30")
    return path


@pytest.fixture
def judged(monkeypatch):
    """How often a cell was judged."""
    times = []
    original = contents.refuse_damaged
    monkeypatch.setattr(contents, "refuse_damaged", lambda database: (times.append(1), original(database)))
    return times


@pytest.mark.parametrize("read_only", [False, True])
def test_what_was_left_sound_is_not_judged_again(cell, judged, read_only):
    for _ in range(3):
        with Cell.open(cell, read_only=read_only) as opened:
            assert len(opened.database.entities()) == 20
    assert not judged


def test_what_was_edited_and_closed_is_known_too(cell, judged):
    with Cell.open(cell) as opened:
        opened.do("create block more box 1 2 3")
    with Cell.open(cell) as opened:
        assert opened.do("show more")
    assert not judged


def test_any_other_byte_is_judged(cell, judged):
    data = bytearray(cell.read_bytes())
    place = data.index(b"part7")
    data[place : place + 5] = b"part8"
    cell.write_bytes(data)
    with pytest.raises(WorkcellError, match="damaged"), Cell.open(cell):
        pass
    with pytest.raises(WorkcellError, match="damaged"), Cell.open(cell):
        pass


def test_a_cell_without_its_seal_is_judged_and_sealed(cell, judged):
    for one in (cell.parent / "cache" / "workcell" / "sound").iterdir():
        one.unlink()
    with Cell.open(cell):
        pass
    assert len(judged) == 1
    with Cell.open(cell):
        pass
    assert len(judged) == 1


def test_seals_do_not_pile_up(cell, monkeypatch):
    monkeypatch.setattr(seals, "MOST_SEALS", 3)
    for number in range(6):
        with Cell.open(cell) as opened:
            opened.do(f"create block again{number} box 1 2 3")
    assert len(list((cell.parent / "cache" / "workcell" / "sound").iterdir())) == 3


def test_a_cache_that_cannot_be_written_costs_only_time(cell, judged, tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    with Cell.open(cell) as opened:
        assert opened.do("show part3")
    assert judged


def test_a_file_that_nobody_wrote_to_is_read_once(cell, monkeypatch):
    """To seal it again when it is closed would read all of it a second time."""
    read = []
    original = seals._seal
    monkeypatch.setattr(seals, "_seal", lambda path: (read.append(path), original(path))[1])
    with Cell.open(cell) as opened:
        assert opened.do("show part3")
    assert len(read) == 1
    with Cell.open(cell) as opened:
        opened.do("create block more box 1 2 3")
    assert len(read) == 3


@pytest.mark.parametrize("closing", ["compact", "undo"])
def test_what_any_command_wrote_is_sealed(cell, judged, closing):
    with Cell.open(cell) as opened:
        opened.do(closing)
    with Cell.open(cell) as opened:
        assert opened.do("show part3")
    assert not judged


def test_a_seal_that_is_used_does_not_become_the_oldest(cell):
    (mark,) = (cell.parent / "cache" / "workcell" / "sound").iterdir()
    os.utime(mark, (0, 0))
    with Cell.open(cell):
        pass
    assert mark.stat().st_mtime > 0
