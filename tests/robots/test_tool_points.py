"""The tool frame of an arm is at the grip point of a gripper that is fitted, and of its own gripper on demand."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.robots.catalogue import robots
from workcell.robots.tool_catalogue import tool, tools

GRIPPERS = tuple(name for name in tools() if tool(name).hand is not None)


def between(cell, robot):
    """The pose of the grip point in the tool frame: the middle between the finger tips, or of the cups."""
    snapshot = cell.snapshot()
    one = snapshot.robot(robot).robot
    return one.X_flange_tool.inverse() @ one.gripper.X_flange_grip


def drawn(cell, robot, part):
    """The corners of a body of the hand, in the tool frame [m]."""
    snapshot, state = cell.snapshot(), cell.state
    body = snapshot.body(f"{robot}/{part}")
    pose = snapshot.tool_pose(state, robot).inverse() @ snapshot.body_pose(state, body.name)
    points = np.asarray(body.mesh().vertices) @ pose.matrix[:3, :3].T + pose.matrix[:3, 3]
    return points.min(axis=0), points.max(axis=0)


@pytest.mark.parametrize("arm", robots())
def test_the_tool_frame_is_at_the_grip_of_every_gripper_of_the_library(arm):
    with wc.Cell() as cell:
        cell.do(f"create robot Arm {arm}")
        for name in GRIPPERS:
            cell.do(f"create tool Hand {name}")
            cell.do("fit tool Hand to Arm")
            assert between(cell, "Arm").is_close(wc.Pose.identity()), name
            cell.do("undo 2")


@pytest.mark.parametrize("arm", ["ur10e", "arcmate120il", "puma560"])
def test_the_tool_frame_is_between_the_tips_of_the_fingers_as_they_are_drawn(arm):
    """A truth of its own: the drawn fingers, one to each side of the tool frame, reach a little beyond it."""
    with wc.Cell() as cell:
        cell.do(f"create robot Arm {arm}")
        cell.do("create tool Hand two-finger-85")
        cell.do("fit tool Hand to Arm")
        (left, right) = (drawn(cell, "Arm", f"{side} finger") for side in ("left", "right"))
        middle = (np.minimum(left[0], right[0]) + np.maximum(left[1], right[1])) / 2
        assert middle[:2] == pytest.approx([0.0, 0.0], abs=1e-9)
        assert left[1][2] == pytest.approx(0.010)
        assert left[0][2] < -0.05


@pytest.mark.parametrize("arm", [name for name in robots() if wc.robot(name).gripper is not None])
def test_an_arm_with_its_own_gripper_has_its_tool_frame_at_the_flange_or_at_the_grip(arm):
    with wc.Cell() as cell:
        cell.do(f"create robot Arm {arm}")
        assert "  grip x" in str(cell.do("where Arm"))
        flange = cell.snapshot().tool_pose(cell.state, "Arm")
        cell.do("modify Arm tool_point grip")
        assert between(cell, "Arm").is_close(wc.Pose.identity())
        grip = cell.snapshot().tool_pose(cell.state, "Arm")
        assert (flange.inverse() @ grip).is_close(wc.robot(arm).gripper.X_flange_grip)
        assert "  grip x" not in str(cell.do("where Arm"))
        cell.do("modify Arm tool_point flange")
        assert cell.snapshot().tool_pose(cell.state, "Arm").is_close(flange)


def test_moves_and_inverse_solutions_are_for_the_chosen_point():
    with wc.Cell() as cell:
        cell.do("create robot Arm ur10e")
        cell.do("modify Arm tool_point grip")
        cell.do("move-end-effector Arm 700,200,300 euler fanuc_wpr 180,0,0")
        snapshot, state = cell.snapshot(), cell.state
        assert snapshot.tool_pose(state, "Arm").xyz == pytest.approx([0.7, 0.2, 0.3], abs=1e-6)
        assert cell.do("hand Arm").point == "grip"
        link = snapshot.body_pose(state, "Arm/link 6").xyz
        assert link[2] - 0.3 == pytest.approx(wc.robot("ur10e").gripper.X_flange_grip.xyz[2], abs=1e-6)
        cell.do("undo 2")
        assert cell.snapshot().robot("Arm").robot.X_flange_tool.is_close(wc.Pose.identity())


def test_a_fitted_tool_comes_before_the_own_gripper():
    with wc.Cell() as cell:
        cell.do("create robot Arm ur10e")
        cell.do("modify Arm tool_point grip")
        cell.do("create tool torch welding-torch")
        cell.do("fit tool torch to Arm")
        expected = tool("welding-torch").X_flange_tcp
        assert cell.snapshot().robot("Arm").robot.X_flange_tool.is_close(expected)


def test_another_word_is_refused():
    with wc.Cell() as cell:
        cell.do("create robot Arm ur10e")
        with pytest.raises(wc.WorkcellError, match="flange"):
            cell.do("modify Arm tool_point finger")
