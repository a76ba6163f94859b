"""A recording survives edits of the cell, undo and redo; if it cannot, the answer reports it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import Refused
from workcell.simulation import continuing
from workcell.simulation.events import kind_of

HOME = "0,0,-90,0,90,0"
MOVE = "move-joints-relative Puma 10,0,0,0,0,0"
BACK = "move-joints-relative Puma -5,5,0,0,0,0"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        cell.do(f"create robot Puma puma560 joints {HOME}")
        cell.do("add solid cube box 40 40 40 at 900,0,20 --movable")
        yield cell


def recorded(cell):
    return cell.session.recording.to_bytes()


def test_undo_takes_the_last_move_only_and_redo_brings_it_back(cell):
    cell.do(MOVE)
    one = recorded(cell)
    cell.do(BACK)
    two = recorded(cell)
    cell.do("undo")
    assert recorded(cell) == one
    assert cell.session.recording.state_at(cell.state.time) == cell.state
    assert len(cell.do("report").moves) == 1
    cell.do("redo")
    assert recorded(cell) == two
    cell.do("undo 2")
    assert cell.session.recording.empty
    cell.undo()
    cell.do("redo 3")
    assert recorded(cell) == two
    # Another move in place of what was undone.
    cell.do("undo")
    cell.do("wait 1")
    assert [kind_of(event) for event in cell.session.recording.events] == ["move", "wait", "waited"]
    cell.do("undo")
    assert recorded(cell) == one


def test_undoing_a_reset_or_a_run_brings_back_what_was_recorded_before(cell):
    cell.do(MOVE)
    one = recorded(cell)
    cell.do("reset")
    assert cell.session.recording.empty
    cell.do("undo")
    assert recorded(cell) == one
    cell.do("create program demo")
    cell.do(f'modify demo text "{BACK}%0A{MOVE}"')
    cell.do("run demo")
    assert len(cell.session.recording.moves) == 2
    cell.do("undo")
    assert recorded(cell) == one
    cell.do("redo")
    assert len(cell.session.recording.moves) == 2
    cell.do("group")
    cell.do(MOVE)
    assert len(cell.session.recording.moves) == 3
    cell.do("cancel-group")
    assert len(cell.session.recording.moves) == 2


def test_edits_that_do_not_concern_it_keep_the_recording(cell):
    cell.do(MOVE)
    first = cell.state.time
    for line in (
        "add solid lamp box 20 20 20 at 2000,0,0",
        "add solid ball sphere 20 at 1500,0,0 --movable",
        "modify cube colour red",
        "place cube at 900,300,20",
        f"create robot Other puma560 at 0,3000,0 joints {HOME}",
        "create signal ready",
        "speed Puma 0.3rad/s",
    ):
        answer = cell.do(line)
        assert "forgotten" not in str(answer)
        assert len(cell.do("report").moves) == 1, line
        assert cell.session.recording.state_at(cell.state.time) == cell.state, line
    cell.do(BACK)
    report = cell.do("report")
    assert [move.start for move in report.moves] == [0.0, first]
    assert report.cycle_time == cell.state.time
    recording, snapshot = cell.session.recording, cell.snapshot()
    # The cube was put elsewhere after the first move, and the lamp stands in the past too.
    assert recording.state_at(0.5 * first).poses["cube"].xyz[1] == 0.0
    assert recording.state_at(cell.state.time).poses["cube"].xyz[1] == pytest.approx(0.3)
    assert {"lamp", "ball"} <= set(recording.state_at(0.0).poses)
    snapshot.body_poses(recording.state_at(0.0))
    # What is gone is left out of it, and comes back.
    whole = recorded(cell)
    cell.do("detach main/cube")
    assert "cube" not in cell.session.recording.state_at(0.0).poses
    cell.snapshot().body_poses(cell.session.recording.state_at(cell.state.time))
    cell.do("undo")
    assert recorded(cell) == whole


def test_what_a_robot_took_and_solids_that_moved_stay_in_the_recording(pick):
    for line in (
        "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
        "close-gripper Puma",
        "move-hand Puma 0,0,100 along world",
        "open-gripper Puma --settle",
    ):
        pick.do(line)
    before = [kind_of(event) for event in pick.session.recording.events]
    pick.do("add solid crate box 20 20 20 at 900,0,20 --movable")
    pick.do("move-solid crate through 900,100,20 speed 100mm/s")
    one = recorded(pick)
    pick.do("move-solid crate through 900,200,20 speed 100mm/s")
    pick.do("undo")
    assert recorded(pick) == one
    pick.do("add solid lamp box 20 20 20 at 2000,0,0")
    recording = pick.session.recording
    assert [kind_of(event) for event in recording.events] == [*before, "move"]
    assert len(pick.do("report").moves) == 3
    assert recording.state_at(pick.state.time - 0.5).poses["crate"].xyz[1] == pytest.approx(0.05)
    pick.do("detach main/crate")
    assert len(pick.do("report").moves) == 2
    pick.snapshot().body_poses(pick.session.recording.state_at(pick.state.time))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("place Puma at 0,100,0", "Puma moved in it and is now elsewhere"),
        ("detach main/Puma", "Puma moved in it and is gone"),
        ("keep state", "the clock jumps from 0.2778 to 0.0000 s"),
    ],
)
def test_where_it_cannot_go_on_the_answer_says_so(cell, line, why):
    cell.do("speed Puma 0.6283185307179586rad/s")
    cell.do("profile Puma linear")
    cell.do(MOVE)
    whole = recorded(cell)
    answer = str(cell.do(line)).splitlines()
    assert answer[-1] == f"The recording was dropped: {why}."
    assert cell.session.recording.empty
    answer = str(cell.do("undo"))
    assert "forgotten" not in answer
    assert recorded(cell) == whole


def test_after_opening_a_file_without_a_recording_the_message_says_so(tmp_path):
    with wc.Cell.create(tmp_path / "a.cell") as cell:
        cell.do(f"create robot Puma puma560 joints {HOME}")
        cell.do(MOVE)
        cell.do("compact --recording")
    with wc.Cell.open(tmp_path / "a.cell") as cell:
        assert str(cell.do("report")) == "nothing has been recorded since the cell was opened or reset"
        for line in (f"gantt {tmp_path / 'a.svg'}", f"plot Puma {tmp_path / 'a.svg'}"):
            with pytest.raises(Refused, match=r"^Nothing has been recorded since .*; move something first\.$"):
                cell.do(line)
        assert not (tmp_path / "a.svg").exists()
        cell.do(BACK)
        assert len(cell.do("report").moves) == 1
        # What was before the opening is undone, too.
        assert "The recording was dropped" in str(cell.do("undo 2"))


def test_old_recordings_are_let_go_when_they_take_too_much(cell, monkeypatch):
    cell.do(MOVE)
    monkeypatch.setattr(continuing, "MOST_BYTES", 1)
    cell.do("reset")
    cell.do(BACK)
    cell.do("undo 2")
    assert cell.session.recording.empty
    assert cell.state.time > 0.0


STEPS = st.one_of(
    st.sampled_from([MOVE, BACK, "wait 0.5", "set joints Puma 1,2,-90,0,90,0", "set-signal ready 1", "reset"]),
    st.sampled_from(["undo", "redo", "undo 2", "redo 2"]),
    st.sampled_from(["speed Puma 0.4rad/s", "modify cube colour red"]),
)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.lists(STEPS, min_size=2, max_size=14))
def test_the_recording_is_that_of_the_steps_in_force(lines):
    with wc.Cell() as cell:
        for line in (
            f"create robot Puma puma560 joints {HOME}",
            "add solid cube box 40 40 40 at 900,0,20 --movable",
            "create signal ready",
        ):
            cell.do(line)
        floor = len(cell.journal)
        for line in lines:
            if line.startswith("undo") and len(cell.journal) - int(line[5:] or 1) < floor:
                continue
            if line.startswith("redo") and not any(entry.undone for entry in cell.journal):
                continue
            cell.do(line)
            assert cell.session.recording.state_at(cell.state.time) == cell.state
        assert recorded(cell.replayed()) == recorded(cell)


def test_moves_and_undo_take_no_more_memory_than_what_is_recorded(cell):
    cell.do(MOVE)
    for _ in range(40):
        cell.do(BACK)
        cell.do("undo")
    assert len(cell.session.recording.way("Puma").pieces) == 1


@pytest.mark.parametrize(
    "step", ["set-signal ready 0", "wait 0", "wait-for ready 0", "move-joints-relative Puma 0,0,0,0,0,0"]
)
def test_a_step_that_changes_nothing_is_the_one_that_undo_takes_back(cell, step):
    cell.do("create signal ready")
    cell.do(MOVE)
    state, one = cell.state, recorded(cell)
    cell.do(step)
    two = recorded(cell)
    assert cell.undo().label == step
    assert cell.state == state
    assert recorded(cell) == one
    cell.redo()
    assert recorded(cell) == two
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_saved_recording_is_looked_at_until_something_moves(cell, tmp_path):
    cell.do(MOVE)
    cell.do(BACK)
    cell.do(f"save-recording {tmp_path / 'run.rec'}")
    kept = recorded(cell)
    cell.do("reset")
    state = cell.state
    answer = str(cell.do(f"load-recording {tmp_path / 'run.rec'}"))
    assert "shown until something moves" in answer
    assert recorded(cell) == kept
    assert len(cell.do("report").moves) == 2
    assert cell.state == state
    cell.do(MOVE)
    assert len(cell.do("report").moves) == 1
    with wc.Cell() as other:
        other.do("add conveyor Puma 1000")
        with pytest.raises(Refused, match="another cell: there Puma has 6 joints, here it has 1"):
            other.do(f"load-recording {tmp_path / 'run.rec'}")


PICK = (
    "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
    "close-gripper Puma",
    "move-hand Puma 0,0,100 along world",
)


@pytest.fixture
def carrying():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do("add solid table box 600 800 100 at 550,0,-50")
        cell.do("add solid cube box 40 40 40 at 500,-150,20 --movable")
        for line in PICK:
            cell.do(line)
        yield cell


def where(cell, name):
    names = [body.name for body in cell.snapshot().bodies]
    return cell.snapshot().body_poses(cell.state)[names.index(name)][:3, 3] * 1e3


def test_a_recording_follows_new_names_and_undo_takes_them_back(carrying):
    before, touching = recorded(carrying), carrying.do("check recording").touching
    for line in ("modify cube name part", "modify Puma name Arm"):
        assert "forgotten" not in str(carrying.do(line))
    recording = carrying.session.recording
    assert recording.robots == ("Arm",)
    assert recording.state_at(recording.end) == carrying.state
    assert carrying.do("check recording").touching == touching
    carrying.do("move-joints-relative Arm 5,0,0,0,0,0")
    assert [move.device for move in carrying.session.recording.moves] == ["Arm"] * 3
    carrying.do("undo 3")
    assert recorded(carrying) == before


def test_what_a_removed_robot_held_stays_where_it_is(carrying):
    at = where(carrying, "cube")
    carrying.do("remove Puma --deep")
    assert where(carrying, "cube") == pytest.approx(at)
    carrying.undo()
    assert carrying.state.attached["cube"].frame == "Puma/link 6"


def test_placing_a_robot_leaves_its_joints(carrying):
    joints = carrying.state.joints["Puma"]
    carrying.do("place Puma at 100,0,0")
    assert carrying.state.joints["Puma"] == pytest.approx(joints)


def test_a_loaded_recording_stays_through_edits(cell, tmp_path):
    cell.do(MOVE)
    cell.do(f"save-recording {tmp_path / 'run.rec'}")
    cell.do("reset")
    cell.do(f"load-recording {tmp_path / 'run.rec'}")
    for line in ("look v1 top", "modify cube colour red", "undo", "modify Puma name Arm"):
        cell.do(line)
    (move,) = cell.do("report").moves
    assert cell.session.recording.robots == ("Arm",)
    assert move is not None


def test_a_loaded_recording_follows_a_new_name_and_its_undo(cell, tmp_path):
    cell.do(MOVE)
    cell.do(f"save-recording {tmp_path / 'run.rec'}")
    cell.do("reset")
    cell.do(f"load-recording {tmp_path / 'run.rec'}")
    before = recorded(cell)
    for lines in (["modify Puma name Arm"], ["modify Puma name X", "modify X name Arm"]):
        for line in lines:
            cell.do(line)
        assert [move.robot for move in cell.do("report").moves] == ["Arm"]
        for _ in lines:
            cell.do("undo")
        assert [move.robot for move in cell.do("report").moves] == ["Puma"]
        assert recorded(cell) == before
    cell.do("redo")
    assert [move.robot for move in cell.do("report").moves] == ["X"]


def test_a_new_thing_does_not_stand_where_a_removed_one_of_its_name_was(carrying):
    carrying.do("create signal ready")
    carrying.do("set-signal ready 1")
    at = where(carrying, "cube")
    for line in (
        "remove Puma --deep", "create robot Puma puma560 joints 5,0,-90,0,90,0", "remove object:cube --deep",
        "add solid cube box 40 40 40 at 0,700,20 --movable", "remove signal:ready", "create signal ready",
    ):  # fmt: skip
        carrying.do(line)
    assert np.rad2deg(carrying.state.joints["Puma"]) == pytest.approx([5, 0, -90, 0, 90, 0])
    assert where(carrying, "cube") == pytest.approx([0, 700, 20])
    assert carrying.state.signals["ready"] == 0
    assert carrying.replayed().state == carrying.state
    carrying.do("undo 6")
    assert where(carrying, "cube") == pytest.approx(at)
    assert carrying.state.signals["ready"] == 1


def test_a_pile_that_came_to_rest_is_free_again():
    with wc.Cell() as cell:
        cell.do("add solid table box 500 600 100 at 500,0,50")
        cell.do("add solid tray box 100 60 10 at 500,0,105 --movable")
        cell.do("add solid p1 box 40 40 40 at 480,0,130 --movable")
        cell.do("move-solid tray through 500,100,105 speed 100mm/s")
        assert cell.state.attached == {}
        assert where(cell, "p1") == pytest.approx([480, 100, 130])
        recording = cell.session.recording
        middle = recording.state_at(0.5)
        assert recording.state_at(recording.end) == cell.state
        assert middle.attached["p1"].frame == "tray"
        cell.do("keep state")
        cell.do("move-solid p1 through 480,200,120 speed 100mm/s")
        assert cell.replayed().state == cell.state
