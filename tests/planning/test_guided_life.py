"""What a guided arm leaves behind: where it stays clear, what its moves are called, and what the history keeps."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.clearance import clearance_of
from workcell.errors import DeadEnd, JointLimit, WorkcellError


def scene(*lines):
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    for line in lines:
        cell.do(line)
    return cell


@pytest.mark.parametrize("resolution", ["30", "5", "0.2"])
@pytest.mark.parametrize(
    ("ball", "goal"),
    [("450,250,300", "300,550,250 euler fanuc_wpr 180,0,180"), ("600,-100,300", "450,-350,300 --position")],
)
def test_coarse_encoders_never_let_the_arm_touch(resolution, ball, goal):
    """The truth is the distance of the exact solids along the recording, where the arm really was."""
    with scene(f"add solid ball sphere 80 at {ball}") as cell:
        with suppress(DeadEnd):  # it need not arrive
            cell.do(f"guide Puma {goal} within 8s resolution {resolution}")
        recording = cell.session.recording
        model = collision_model(cell.snapshot(), warn=False)
        for time in np.linspace(0.0, recording.duration, 120):
            assert clearance_of(model, recording.state_at(time), "Puma").distance > 0.0


def test_guided_moves_are_called_guided():
    with scene() as cell:
        cell.do("guide Puma 450,250,300 --position")
        (move,) = cell.session.recording.moves
        assert (move.kind, move.limited) == ("guided", "its guidance")
        assert "guided" in str(cell.do("report"))
        assert "track" not in str(cell.do("report"))


def test_a_dead_end_is_kept_with_its_motion_and_undone():
    with scene("add solid ball sphere 80 at 450,250,300") as cell:
        before = cell.state.to_json()
        with pytest.raises(DeadEnd, match="kept as one step of the history; `undo` takes it back"):
            cell.do("guide Puma 450,250,300 --position")
        assert len(cell.do("history").rows) == 3
        cell.do("undo")
        assert cell.state.to_json() == before


@pytest.mark.parametrize("asked", ["3000,0,300 --position", "500,0,300 on nobody", "500,0,300 method magic", "500,0"])
def test_a_refused_guide_is_no_step_of_the_history(asked):
    with scene("add solid ball sphere 80 at 450,250,300") as cell:
        before = cell.state.to_json()
        with pytest.raises(WorkcellError):
            cell.do(f"guide Puma {asked}")
        assert len(cell.do("history").rows) == 2
        assert cell.state.to_json() == before


def test_a_joint_without_a_name_of_its_own_is_named_once():
    made = scene("create robot kr10 kr10 at 0,2000,0")
    with made as cell, pytest.raises(JointLimit, match=r"^Joint 3 of kr10 would be"):
        cell.do("move-joints-absolute kr10 0,0,500,0,0,0")


def test_a_missing_word_comes_with_an_example():
    with scene() as cell, pytest.raises(WorkcellError, match="Expected `by`, as in `retract Puma by 50`; found '150'"):
        cell.do("retract Puma 150")
