"""Breakpoints belong to the cell: they are there after `save` as, in another session and when the file is reopened."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

import workcell as wc

STAGE = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "create signal ready",
    "program turn\nlet n = 2\nmove-joints-relative Puma 20,0,0,0,0,0\nwait 1\nend",
)


@pytest.fixture
def cell(tmp_path):
    made = wc.Cell.create(tmp_path / "first.cell")
    for line in STAGE:
        made.do(line)
    made.do("break turn 2")
    made.do("break turn 3 when n = 2 and ready = 0")
    yield made
    with contextlib.suppress(sqlite3.ProgrammingError):  # most tests close it themselves
        made.close()


def kept(cell):
    return cell.do("breakpoints").rows


ALL = (("turn", 2, ""), ("turn", 3, "n = 2 and ready = 0"))


def test_a_copy_of_the_cell_has_the_breakpoints(cell, tmp_path):
    cell.do(f'save "{tmp_path}/second.cell"')
    with wc.Cell.open(tmp_path / "second.cell") as copy:
        assert kept(copy) == ALL
        assert copy.do("run turn").line == 2
        assert copy.do("resume").condition == "n = 2 and ready = 0"


def test_they_are_there_when_the_file_is_opened_again(cell, tmp_path):
    cell.do("unbreak turn 2")
    cell.close()
    with wc.Cell.open(tmp_path / "first.cell") as again:
        assert kept(again) == ALL[1:]
        again.do("unbreak")
    with wc.Cell.open(tmp_path / "first.cell") as last:
        assert kept(last) == ()


def test_they_follow_their_lines_and_the_name_of_the_program(cell, tmp_path):
    cell.do("modify program:turn name spin")
    cell.do('insert-step spin 1 "wait 0.5"')
    assert kept(cell) == (("spin", 3, ""), ("spin", 4, "n = 2 and ready = 0"))
    cell.close()
    with wc.Cell.open(tmp_path / "first.cell") as again:
        assert kept(again) == (("spin", 3, ""), ("spin", 4, "n = 2 and ready = 0"))
        again.do("undo 2")
        assert kept(again) == ALL


def test_they_follow_lines_that_were_edited_before_anybody_asked(cell, tmp_path):
    cell.do('insert-step turn 1 "wait 0.5"')
    cell.close()
    with wc.Cell.open(tmp_path / "first.cell") as again:
        assert kept(again) == (("turn", 3, ""), ("turn", 4, "n = 2 and ready = 0"))


def test_they_are_no_part_of_the_history_of_a_replay_or_of_the_text_form(cell, tmp_path):
    steps = len(list(cell.journal))
    cell.do("break turn 1")
    assert len(list(cell.journal)) == steps
    again = cell.replayed()
    assert again.database.rows() == cell.database.rows()
    assert kept(again) == ()
    cell.do(f'save "{tmp_path}/text.celltext"')
    assert "breakpoint" not in (tmp_path / "text.celltext").read_text()


def test_a_file_that_is_open_to_read_is_left_as_it_is(cell, tmp_path):
    cell.close()
    before = (tmp_path / "first.cell").read_bytes()
    with wc.Cell.open(tmp_path / "first.cell", read_only=True) as reader:
        reader.do("break turn 1")
        assert len(kept(reader)) == 3
    assert (tmp_path / "first.cell").read_bytes() == before


def test_damaged_breakpoints_do_not_keep_a_cell_from_opening(cell, tmp_path):
    cell.database.keep_aside("breakpoints", '[{"program": "x"}]')
    cell.close()
    with wc.Cell.open(tmp_path / "first.cell") as again:
        assert kept(again) == ()
        again.do("break turn 2")
        assert kept(again) == ALL[:1]
