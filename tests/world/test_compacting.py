"""A cell file does not keep the states of all runs for ever, and what remains stays right."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import NothingToUndo
from workcell.world import database as worlds


def line(cell, robots=3):
    for number in range(robots):
        cell.do(f"create robot R{number} puma560 at 0,{number * 2000},0 joints 0,0,-90,0,90,0")
    cell.do(
        "program p\nparameter n number\n"
        + "".join(f"move-joints-relative R{k} n,0,0,0,0,0\n" for k in range(robots))
        + "end"
    )


def sizes(cell):
    return [len(entry.difference) for entry in cell.journal]


def states(cell, count):
    """The state after each of the last steps, found by undoing them and doing them again."""
    found = []
    for _ in range(count):
        found.append((cell.journal.revision, cell.state))
        cell.undo()
    for _ in range(count):
        cell.redo()
    return found


def test_compact_removes_old_states_and_says_what(tmp_path):
    with wc.Cell.create(tmp_path / "one.cell") as cell:
        line(cell)
        for n in range(1, 31):
            cell.do(f"run p with {n}")
        cell.do("create block extra")
        cell.do("undo")
        rows, known = cell.database.rows(), states(cell, 8)
        before = sizes(cell)
        answer = cell.do("compact 8")
        assert (answer.steps, answer.undone, answer.undoable) == (22, 1, 8)
        assert answer.states == sum(before[4:26]) - 22
        assert answer.after < answer.before
        assert "removed: the states of 22 steps (" in str(answer)
        assert "the last 8 steps can be undone" in str(answer)
        after = cell.database.rows()
        assert {name: after[name] for name in ("entity", "relation", "state")} == {
            name: rows[name] for name in ("entity", "relation", "state")
        }
        assert states(cell, 8) == known
        for _ in range(8):
            cell.do("undo")
        with pytest.raises(NothingToUndo, match="steps up to 26 can be read and replayed, but not undone"):
            cell.do("undo")
        for _ in range(8):
            cell.do("redo")
        assert cell.replayed().state == cell.state
        assert str(cell.do("compact 8")).startswith("removed: nothing.")
    with wc.Cell.open(tmp_path / "one.cell") as cell:
        assert states(cell, 8) == known
        assert len(cell.journal) == 34


def test_the_history_keeps_a_bound_of_states_by_itself(monkeypatch):
    monkeypatch.setattr(worlds, "MOST_STATES", 20_000)
    with wc.Cell() as cell:
        line(cell, robots=4)
        for n in range(1, 121):
            cell.do(f"run p with {1 + n % 40}")
        kept = sizes(cell)[-120:]
        assert sum(kept) < 20_000 + 5_000
        assert kept[0] < 10
        assert all(size > 100 for size in kept[-20:])
        turned = [np.degrees(state.joints["R0"][0]) for _, state in states(cell, 20)]
        assert turned == pytest.approx([1 + n % 40 for n in range(120, 100, -1)])
        assert len(cell.journal) == 125
        assert cell.replayed().state == cell.state


def test_an_open_group_can_be_given_up_after_the_bound_was_reached(monkeypatch):
    monkeypatch.setattr(worlds, "MOST_STATES", 4_000)
    monkeypatch.setattr(worlds, "KEPT", 2)
    with wc.Cell() as cell:
        line(cell, robots=2)
        cell.do("run p with 1")
        before = cell.state
        cell.do("group")
        for n in range(2, 40):
            cell.do(f"run p with {n}")
        cell.do("cancel-group")
        assert cell.state == before
        with pytest.raises(NothingToUndo):
            cell.do("undo")


def test_a_run_that_was_edited_in_its_pause_is_replayed_after_compacting():
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560", 'write program p "wait 1%0Await 1"', "debug p", "step-into",
            "modify Puma name Arm", "resume", "compact 1",
        ):  # fmt: skip
            cell.do(line)
        with cell.replayed() as again:
            assert again.session.recording.to_bytes() == cell.session.recording.to_bytes()
