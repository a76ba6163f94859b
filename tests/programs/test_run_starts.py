"""A run starts from the initial state and names what was elsewhere, or it starts from the present state."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused, WorkcellError

STAGE = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 500 800 100 at 350,0,-50",
    "add solid brick box 40 60 30 at 450,100,15 --movable",
    "create signal ready",
    "program turn\nparameter amount angle = 20\nmove-joints-relative Puma amount,0,0,0,0,0\nwait 1\nend",
)


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in STAGE:
            made.do(line)
        yield made


def first_joint(cell):
    return float(np.rad2deg(cell.state.joints["Puma"][0]))


@pytest.mark.parametrize("command", ["run turn", "run-together turn", "debug turn"])
def test_a_run_from_the_initial_state_names_what_was_elsewhere(cell, command):
    assert not cell.do(command).notes
    cell.do("undo --any")
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    cell.do("set-signal ready 1")
    (note,) = cell.do(command).notes
    assert "initial state" in note
    assert "Puma, ready = 1." in note
    assert "--from-present" in note


def test_a_part_in_the_hand_is_elsewhere_and_so_is_the_gripper(cell):
    cell.do("pick brick with Puma")
    (note,) = cell.do("run turn").notes
    assert "brick" in note
    assert "1 more" in note


def test_a_robot_that_came_back_is_not_elsewhere(cell):
    cell.do("move-joints-relative Puma 30,10,0,0,0,0")
    cell.do("move-joints-relative Puma -30,-10,0,0,0,0")
    assert not cell.do("run turn").notes


@pytest.mark.parametrize("command", ["run turn", "run-together turn"])
def test_a_run_from_the_present_state_starts_where_everything_is(cell, command):
    cell.do("pick brick with Puma")
    before = cell.state
    ran = cell.do(f"{command} with 20deg --from-present")
    assert not ran.notes
    recording = cell.session.recording
    assert recording.start == before.with_(time=0.0)
    assert ran.time == pytest.approx(recording.end)
    assert first_joint(cell) == pytest.approx(np.rad2deg(before.joints["Puma"][0]) + 20)
    assert cell.state.attached["brick"] == before.attached["brick"]


def test_it_is_one_step_that_is_undone_redone_and_replayed(cell):
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    before, recorded = cell.state, cell.session.recording.to_bytes()
    cell.do("run turn --from-present")
    after, ran = cell.state, cell.session.recording.to_bytes()
    assert list(cell.journal)[-1].command == "run program:turn --from-present"
    cell.do("undo")
    assert cell.state == before
    assert cell.session.recording.to_bytes() == recorded
    cell.do("redo")
    assert cell.state == after
    assert cell.session.recording.to_bytes() == ran
    again = cell.replayed()
    assert again.state == after
    assert again.session.recording.to_bytes() == ran


def test_a_paused_run_from_the_present_state_gives_the_same_recording(cell):
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    cell.do("run turn --from-present")
    whole = cell.session.recording.to_bytes()
    cell.do("undo")
    cell.do("debug turn --from-present")
    assert first_joint(cell) == pytest.approx(30)
    cell.do("step-over")
    cell.do("step-back")
    cell.do("create signal other")  # an edit: the journal says on which cell the run is repeated
    cell.do("resume")
    assert list(cell.journal)[-1].command.startswith("as-of ")
    assert cell.replayed().state == cell.state
    cell.do("undo 2")
    cell.do("debug turn --from-present")
    cell.do("resume")
    assert cell.session.recording.to_bytes() == whole


def test_a_saved_run_is_restored_only_in_the_state_from_which_it_started(cell, tmp_path):
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    cell.do("debug turn --from-present")
    cell.do("step-over")
    cell.do(f'save-run "{tmp_path}/half.run"')
    cell.do("stop-run")
    cell.do(f'load-run "{tmp_path}/half.run"')
    cell.do("resume")
    assert first_joint(cell) == pytest.approx(50)
    assert cell.replayed().state == cell.state
    with pytest.raises(Refused, match="differs from the present one"):
        cell.do(f'load-run "{tmp_path}/half.run"')


def test_a_run_that_is_saved_under_new_names_starts_where_it_did(cell, tmp_path):
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    cell.do("debug turn --from-present")
    cell.do("step-over")
    cell.do("modify robot:Puma name Arm")
    cell.do(f'save-run "{tmp_path}/half.run"')
    cell.do("stop-run")
    cell.do(f'load-run "{tmp_path}/half.run"')
    cell.do("resume")
    assert np.rad2deg(cell.state.joints["Arm"][0]) == pytest.approx(50)


def test_reach_is_checked_from_the_state_in_which_the_run_starts(cell):
    """The part stands out of reach at first and within reach after it was moved."""
    cell.do("add solid far box 40 40 40 at 2500,0,20 --movable")
    cell.do("program go\nmove-end-effector Puma pose(far) translate 0,0,200 rotate 180,0,0\nend")
    cell.do("move-solid far through 450,0,100 in 1s")
    assert any("cannot reach" in one.message for one in cell.do("check program go").problems)
    assert not cell.do("check program go --from-present").problems
    with pytest.raises(WorkcellError, match="cannot reach"):
        cell.do("run go")
    cell.do("run go --from-present")
    assert cell.snapshot().tool_pose(cell.state, "Puma").xyz == pytest.approx([0.45, 0.0, 0.3], abs=1e-6)


def test_a_task_is_rehearsed_from_the_state_in_which_the_run_starts(cell):
    cell.do('write program put "put brick at 450,-100,15"')
    cell.do("pick brick with Puma")
    assert cell.do("check task put").problems
    assert not cell.do("check task put --from-present").problems
    cell.do("run put --from-present")
    assert not cell.state.attached


def test_home_is_the_initial_state_wherever_a_run_starts(cell):
    cell.do('write program back "home Puma"')
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    cell.do("run back --from-present")
    assert first_joint(cell) == pytest.approx(0, abs=1e-9)
