"""Mistakes in moves that track something, found before a program runs."""

from __future__ import annotations

import numpy as np

from workcell.programs.cell_names import CellNames
from workcell.programs.steps import MoveEndEffector, MoveStraightLine
from workcell.spatial.pose import Pose
from workcell.wording import counted
from workcell.world.placed import PlacedRobot
from workcell.world.places import WORLD

_APART = 0.02
"""The spacing at which a place is tested along the way of its belt [m]."""
_AROUND = 3.0
"""The distance from the arm within which it is tested [m]."""


def mistake(step: MoveEndEffector | MoveStraightLine, names: CellNames, pose: Pose | None) -> str:
    """Return what is wrong with a move that tracks something, or ''.

    Args:
        step: the move.
        names: what exists.
        pose: the pose of the hand, if it can be decided.
    """
    if step.on is None:
        return "" if step.when is None else "`when` is the reading of a belt; name the belt with `on`."
    if step.work is not None:
        return (
            f"A pose moves with what the hand meets (`on {step.on}`) or with an object (`with {step.work}`), not with "
            "both; leave one of them out."
        )
    if step.on == step.robot:
        return f"{step.robot} cannot follow itself; name a belt or a part."
    device = names.robots.get(step.on)
    if step.when is not None:
        if device is None:
            return f"{step.on!r} has no reading of its own; `when` is for a belt or another mechanism of one joint."
        if device.robot.n != 1:
            joints = counted(device.robot.n, "joint")
            return f"{step.on} has {joints} and no single reading; give the pose in its own frame."
        return ""
    arm = names.robots.get(step.robot)
    if pose is None or arm is None or device is None or device.robot.n != 1 or not device.robot.rows[0].prismatic:
        return ""
    if arm.parent != WORLD or device.parent != WORLD or _comes_into_reach(arm, device, pose, step.point):
        return ""
    return f"This place on {step.on} is out of reach of {step.robot}, however far {step.on} runs."


def _comes_into_reach(arm: PlacedRobot, belt: PlacedRobot, pose: Pose, point: str) -> bool:
    """Return whether a place on a belt comes within reach of an arm anywhere on its way."""
    robot = arm.robot
    gripper = robot.gripper
    if point == "grip" and gripper is None:
        return True  # refused elsewhere
    X_tool_hand = Pose.identity()
    if point == "grip" and gripper is not None:
        X_tool_hand = robot.X_flange_tool.inverse() @ gripper.X_flange_grip
    zero, one = (Pose(belt.robot.frames(np.array([value]))[1]) for value in (0.0, 1.0))
    start = belt.X_parent_base @ pose
    along = belt.X_parent_base.rotation @ (one.xyz - zero.xyz)
    middle = float(along @ (arm.X_parent_base.xyz - start.xyz))
    ways = middle + np.arange(-_AROUND, _AROUND, _APART)
    low, high = belt.robot.limits[0]
    ways = ways[(ways >= low) & (ways <= high)]
    hands = np.broadcast_to(start.matrix, (len(ways), 4, 4)).copy()
    hands[:, :3, 3] += ways[:, None] * along
    tools = arm.X_parent_base.inverse().matrix @ hands @ X_tool_hand.inverse().matrix
    _, valid = robot.ik_batch(tools, within_limits=True, threads=1)
    return bool(valid.any())
