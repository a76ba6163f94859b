"""Undo, redo, replay and the text form give back what was there, for random histories."""

from __future__ import annotations

import gc
import random
import shutil

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from script_maker import ScriptMaker

from workcell.commands.cell import Cell
from workcell.commands.replaying import replay
from workcell.commands.session import Session
from workcell.errors import NothingToUndo, Refused, UnknownName, WorkcellError
from workcell.world.database import Database
from workcell.world.text_form import from_text, to_text

EMPTY = {"entity": [], "relation": [], "setting": [("profile", "trapezoid")], "state": []}
"""The rows of a new cell."""


def carried_out(cell: Cell, lines: list[str]) -> int:
    done = 0
    for line in lines:
        before = cell.database.rows(), cell.journal.entries()
        try:
            cell.do(line)
            done += 1
        except WorkcellError:
            assert (cell.database.rows(), cell.journal.entries()) == before, line
    return done


def random_cell(seed: int, count: int) -> Cell:
    cell = Cell(who="tester")
    done = carried_out(cell, ScriptMaker(seed).lines(count))
    assert done > count // 3, "most lines must be carried out, or this proves little"
    return cell


seeds = st.integers(0, 10_000)


@settings(max_examples=25)
@given(seeds)
def test_undo_all_is_the_empty_cell_and_redo_all_is_the_same_cell(seed):
    cell = random_cell(seed, 60)
    while any(entry.undone for entry in cell.journal):
        cell.redo()
    rows = cell.database.rows()
    steps = len(cell.journal)
    for _ in range(steps):
        cell.undo()
    assert cell.database.rows() == EMPTY
    with pytest.raises(NothingToUndo):
        cell.undo()
    for _ in range(steps):
        cell.redo()
    assert cell.database.rows() == rows


@settings(max_examples=25)
@given(seeds)
def test_replay_gives_identical_rows_and_an_identical_journal(seed):
    cell = random_cell(seed, 60)
    other = cell.replayed()
    assert other.database.rows() == cell.database.rows()
    assert other.journal.entries() == [entry for entry in cell.journal if not entry.undone]


@settings(max_examples=25)
@given(seeds)
def test_the_text_form_and_back_is_the_same_cell(seed):
    cell = random_cell(seed, 60)
    text = to_text(cell.database, journal=True)
    other = Database.memory()
    from_text(text, other)
    assert other.rows() == cell.database.rows()
    assert other.history.entries() == cell.journal.entries()
    assert to_text(other, journal=True) == text


def test_a_robot_replays_without_the_library(monkeypatch, cell):
    cell.do("create robot Puma puma560 at 100,0,0")
    cell.do("move-joints-relative Puma 10,0,0,0,0,0")

    def missing(name):
        raise AssertionError(f"the library was asked for {name}")

    monkeypatch.setattr("workcell.robots.catalogue.library_text", missing)
    other = cell.replayed()
    assert other.database.rows() == cell.database.rows()
    assert other.journal.entries() == cell.journal.entries()


def test_the_history_survives_closing_and_tells_who(tmp_path):
    path = tmp_path / "a.cell"
    with Cell.create(path, who="ann") as cell:
        cell.do("create block one")
        cell.do("create block two")
        cell.do("undo")
    with Cell.open(path, who="bob") as cell:
        assert [entry.undone for entry in cell.journal] == [False, True]
        assert "by ann" in str(cell.do("redo"))
        cell.do("create block three")
        assert [entry.who for entry in cell.journal] == ["ann", "ann", "bob"]
        assert "(by bob)" in str(cell.do("undo"))
        assert cell.database.names("block") == ["one", "two"]


def test_a_new_command_after_undo_ends_the_redo_line_and_never_reuses_a_revision(cell):
    cell.do("create block one")
    first = cell.database.revision
    cell.do("create block two")
    second = cell.database.revision
    cell.do("undo")
    assert cell.database.revision == first
    cell.do("create block other")
    assert cell.database.revision not in (first, second)
    with pytest.raises(NothingToUndo, match="nothing to redo"):
        cell.do("redo")


def test_a_group_is_one_step(cell):
    cell.do("group")
    cell.do("create block one")
    with pytest.raises(WorkcellError):
        cell.do("create block one")
    cell.do("create block two")
    with pytest.raises(Refused, match="while a group is open"):
        cell.do("undo")
    assert "2 commands" in str(cell.do("end"))
    assert len(cell.journal) == 1
    assert cell.replayed().database.rows() == cell.database.rows()
    cell.do("undo")
    assert cell.database.rows() == EMPTY


def test_a_group_of_moves_keeps_the_first_state_and_the_last(cell):
    cell.do("create robot A puma560")
    before = cell.database.rows()
    moves = [f"move-joints-relative A {angle},0,0,0,0,0" for angle in (5, 7, -3)]
    for line in ("group", *moves, "modify A description seen", "end"):
        cell.do(line)
    after = cell.database.rows()
    assert [change[0] for change in cell.journal.entries()[-1].changes].count("state") == 1
    assert cell.replayed().database.rows() == after
    for one, rows in (("undo", before), ("redo", after), ("undo", before)):
        cell.do(one)
        assert cell.database.rows() == rows
    cell.do(moves[0])
    for line in ("group", *moves, "reset", "end"):  # no state, as in the beginning
        cell.do(line)
    assert cell.replayed().database.rows() == cell.database.rows()
    cell.do("undo 2")
    assert cell.database.rows() == before


def test_a_cancelled_group_leaves_nothing(cell):
    cell.do("create block zero")
    before = cell.database.rows(), cell.journal.entries()
    cell.do("group")
    cell.do("create block one")
    cell.do("cancel-group")
    assert (cell.database.rows(), cell.journal.entries()) == before


def test_a_group_that_was_not_ended_keeps_what_was_acknowledged(tmp_path):
    path = tmp_path / "a.cell"
    cell = Cell.create(path)
    cell.do("create block zero")
    cell.do("group")
    cell.do("create block one")
    cell.do("create block two")
    shutil.copy(path, tmp_path / "killed.cell")  # what a kill would leave
    shutil.copy(f"{path}-wal", tmp_path / "killed.cell-wal")
    cell.close()
    for left, steps in (("a.cell", 2), ("killed.cell", 3)):
        with Cell.open(tmp_path / left) as again:
            assert again.database.names("block") == ["one", "two", "zero"]
            assert len(again.journal) == steps
            assert again.replayed().database.rows() == again.database.rows()


def two_sessions(cell: Cell) -> Session:
    """Another who works on the same cell."""
    return Session(cell.database, "bob")


def test_a_group_is_of_one_session_and_nobody_elses_command_enters_it(cell):
    bob = two_sessions(cell)
    cell.do("group")
    cell.do("create block one")
    bob.do("create block bobs")
    assert "undone: create block bobs (by bob)" in str(bob.do("undo"))
    bob.do("redo")
    with pytest.raises(Refused, match="no group to end"):
        bob.do("end")
    with pytest.raises(Refused, match="no group to cancel"):
        bob.do("cancel-group")
    bob.do("group")
    bob.do("create block second")
    cell.do("create block two")
    cell.do("create block three")
    assert str(cell.do("end")) == "group of 3 commands committed, as 2 steps, because others gave commands in between"
    assert str(bob.do("end")) == "group of 1 command committed"
    assert [entry.command.count("\n") + 1 for entry in cell.journal] == [1, 1, 1, 2]
    assert [entry.who for entry in cell.journal] == ["test", "bob", "bob", "test"]
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_group_is_given_up_only_while_nobody_builds_on_it(cell):
    bob = two_sessions(cell)
    cell.do("create block zero")
    cell.do("group")
    cell.do("create object one")
    bob.do("attach block zero to one as part")
    before = cell.database.rows(), cell.journal.entries()
    with pytest.raises(Refused, match=r"attach block zero to one as part` \(by bob\) was given after it began"):
        cell.do("cancel-group")
    assert (cell.database.rows(), cell.journal.entries()) == before
    bob.do("undo")
    assert "1 command forgotten" in str(cell.do("cancel-group"))
    assert cell.database.names() == ["zero"]
    assert [entry.label for entry in cell.journal] == ["create block zero"]


def test_nobody_else_takes_a_step_out_of_an_open_group(cell):
    bob = two_sessions(cell)
    bob.do("create block zero")
    cell.do("group")
    cell.do("create block one")
    bob.do("create block bobs")
    before = cell.database.rows(), cell.journal.entries()
    for count in ("2", "3", "99"):  # the first of them is bob's own: it stays too
        with pytest.raises(Refused, match=r"`create block one` cannot be undone: it belongs to an open group of test"):
            bob.do(f"undo {count}")
    assert (cell.database.rows(), cell.journal.entries()) == before
    bob.do("undo")
    with pytest.raises(Refused, match="create block one"):
        bob.do("undo")
    cell.do("create block two")
    assert str(cell.do("end")) == "group of 2 commands committed"
    assert "create block one and 1 more" in str(bob.do("undo"))
    assert cell.database.names() == ["zero"]
    bob.do("redo")
    assert cell.database.names() == ["one", "two", "zero"]


def test_a_group_that_was_given_up_or_forgotten_holds_nothing_back(cell):
    bob = two_sessions(cell)
    bob.do("create block zero")
    cell.do("group")
    cell.do("create block one")
    cell.do("cancel-group")
    assert "create block zero" in str(bob.do("undo"))
    ann = Session(cell.database, "ann")
    ann.do("group")
    ann.do("create block anns")
    del ann  # gone without a word: nobody works on its group any more
    gc.collect()
    assert "create block anns" in str(bob.do("undo"))


def test_a_revision_after_giving_up_a_group_is_the_one_before_it_and_none_is_used_twice(cell):
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    before, recorded = cell.database.revision, cell.session.recording.to_bytes()
    cell.do("group")
    cell.do("move-joints-relative Puma 20,0,0,0,0,0")
    inside = cell.database.revision
    cell.do("cancel-group")
    assert cell.database.revision == before
    assert cell.session.recording.to_bytes() == recorded
    cell.do("create block other")
    assert cell.database.revision not in (before, inside)


def test_a_program_neither_groups_nor_undoes(cell):
    for line in ("group", "undo", "redo"):
        cell.do("create program p" if not cell.database.names("program") else "list")
        cell.do(f"modify p text {line}")
        rows = cell.database.rows()
        with pytest.raises(Refused, match=f"`{line}` edits the cell, so it cannot be a step of a program"):
            cell.do("run p")
        assert cell.database.rows() == rows
    cell.do("modify p text end")
    cell.do("group")
    with pytest.raises(Refused, match="`end` closes nothing here"):
        cell.do("run p")
    cell.do("end")


@settings(max_examples=20)
@given(seeds)
def test_sessions_with_groups_in_turn_keep_the_laws(seed):
    chance = random.Random(seed)
    cell = Cell(who="0")
    sessions = [cell.session, Session(cell.database, "1"), Session(cell.database, "2")]
    makers = [ScriptMaker(seed + number) for number in range(3)]
    for _ in range(90):
        number = chance.randrange(3)
        line = chance.choice(["group", "end", "cancel-group"]) if chance.random() < 0.2 else makers[number].line()
        before = cell.database.rows(), cell.journal.entries(), sessions[number].group
        try:
            sessions[number].do(line)
        except WorkcellError:
            assert (cell.database.rows(), cell.journal.entries(), sessions[number].group) == before, line
    for session in sessions:
        rows = cell.database.rows()
        session.leave_group()
        assert cell.database.rows() == rows
    assert [entry.seq for entry in cell.journal] == sorted({entry.seq for entry in cell.journal})
    other = cell.replayed()
    assert other.database.rows() == cell.database.rows()
    assert other.journal.entries() == [entry for entry in cell.journal if not entry.undone]
    rows, steps = cell.database.rows(), len(cell.journal)
    for _ in range(steps):
        cell.undo()
    assert cell.database.rows() == EMPTY
    for _ in range(steps):
        cell.redo()
    assert cell.database.rows() == rows


def test_a_preview_is_seen_and_not_journalled(cell):
    cell.do("add solid box box 10 10 10")
    before = cell.database.rows(), cell.journal.entries(), cell.snapshot()
    assert "would be" in str(cell.do("preview place box at 0,0,500"))
    assert (cell.database.rows(), cell.journal.entries(), cell.snapshot()) == before
    with pytest.raises(UnknownName):
        cell.do("preview place bix at 0,0,500")
    with pytest.raises(Refused, match="Only commands that edit"):
        cell.do("preview list")


def test_the_history_shows_the_first_line_of_a_text_of_several_lines(cell):
    cell.do('write program work "wait 1%0Await 2"')
    assert cell.journal.entries()[-1].label == 'write program work "wait 1 …"'
    assert 'undone: write program work "wait 1 …"' in str(cell.do("undo"))


def test_undoing_a_run_restores_the_state(cell):
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    start = cell.state
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    moved = cell.state
    assert moved != start
    cell.do("undo")
    assert cell.state == start
    cell.do("redo")
    assert cell.state == moved


def test_a_replayed_step_neither_steps_through_the_history_nor_leaves_anything(cell):
    """A journal that was written by hand may name any command."""
    cell.do("create block a")
    entry = cell.journal.entry(cell.journal.revision)
    for command in ("undo", "redo", "group"):
        lines = {"command": f"create block b\n{command}", "typed": "\n", "difference": msgspec.msgpack.encode([])}
        forged = msgspec.structs.replace(entry, seq=9, **lines)
        with pytest.raises(Refused, match="already one step of the history"):
            replay(cell.session, forged)
        assert cell.database.names("block") == ["a"]
        assert cell.journal.revision == entry.seq
