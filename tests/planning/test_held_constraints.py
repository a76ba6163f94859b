"""A part that rests on something is lifted off, carried and put down while a constraint holds."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import GoalBlocked, StartBlocked

DOWN = "euler fanuc_wpr 180,0,180 of grip"
OVER = f"500,200,240 {DOWN}"


@pytest.fixture(scope="module")
def held():
    """A Puma that has taken a cup from a table."""
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560 joints -30,20,-120,0,100,0", "add solid table box 700 900 20 at 550,0,190",
            "add solid cup box 40 40 60 at 500,-200,230 --movable", f"move-end-effector Puma 500,-200,330 {DOWN}",
            f"move-straight-line Puma 500,-200,240 {DOWN}", "close-gripper Puma",
        ):  # fmt: skip
            cell.do(line)
        yield cell


@pytest.mark.parametrize(("lines", "cone"), [((), 0.0), (("add solid post box 60 60 500 at 560,0,450",), 5.0)])
def test_an_upright_hand_lifts_its_part_upright(held, lines, cone):
    """The lean of the hand is measured on the recording, from the start to the end, by the matrices alone."""
    for line in lines:
        held.do(line)
    began = held.state.time
    before = held.snapshot().tool_pose(held.state, "Puma").rotation[:, 2]
    held.do(f"find-path Puma to {OVER} upright {cone:g}")
    recording = held.session.recording
    axes = [
        held.snapshot().tool_pose(recording.state_at(time), "Puma").rotation[:, 2]
        for time in np.linspace(began, recording.duration, 200)
    ]
    leans = np.degrees(np.arccos(np.clip(np.array(axes) @ before, -1.0, 1.0)))
    assert leans.max() <= cone + 0.5
    times = np.linspace(began, recording.duration, 200)
    heights = [held.snapshot().body_pose(recording.state_at(time), "cup").xyz[2] for time in times]
    assert max(heights) > heights[0] + 5e-3
    assert heights[-1] == pytest.approx(heights[0], abs=1e-4)
    assert "nothing touches" in str(held.do("check recording"))
    for _ in range(1 + len(lines)):
        held.do("undo")


def test_a_plane_that_forbids_the_lift_is_named(held):
    with pytest.raises(StartBlocked, match=r"cup lies on table, and no way off it keeps the constraints"):
        held.do(f"find-path Puma to {OVER} plane 0,0,1")


def test_a_goal_onto_which_nothing_can_be_put_is_named(held):
    held.do("move-hand Puma 0,0,50 along world")
    with pytest.raises(GoalBlocked, match=r"cup would lie on table, and no way onto it"):
        held.do(f"find-path Puma to {OVER} line 0,1,-0.125")
    held.do("undo")
