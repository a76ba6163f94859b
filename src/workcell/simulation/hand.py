"""The hand of a robot in a simulator: where it is, and where it could be."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from workcell.errors import InvalidValue, Refused, Unreachable
from workcell.simulation import branch_policy
from workcell.simulation.joint_mover import JointMover
from workcell.spatial.message_units import typed_pose
from workcell.spatial.pose import Pose
from workcell.world.placed import no_hand_text

Point: TypeAlias = Literal["tool", "grip"] | Pose
"""What a pose of the hand is about: the tool of the robot, the grip point between the fingers, or any point in the
frame of the flange (X_flange_point)."""


class Hand(JointMover):
    """A robot with the points of its hand."""

    @property
    def has_hand(self) -> bool:
        """Whether its hand can take a pose; a rail, positioner or conveyor has only joints."""
        return branch_policy.has_hand(self.robot)

    @property
    def tool_pose(self) -> Pose:
        """``X_world_tool`` now, by its joint readings."""
        return self._simulator.snapshot.tool_pose(self._simulator.believed, self.name)

    @property
    def own_point(self) -> Literal["tool", "grip"]:
        """The point that stands for the hand: the grip point of its gripper, or the tool if it has none."""
        return "tool" if self.robot.gripper is None else "grip"

    def hand_pose(self, point: Point = "tool") -> Pose:
        """Return ``X_world_hand`` now: of the tool, or of the grip point between the fingers."""
        return self.tool_pose @ self.point_of_hand(point)

    @property
    def grip_pose(self) -> Pose:
        """``X_world_grip`` now, where it truly is: z is the approach, x the closing direction."""
        true = self._simulator.snapshot.tool_pose(self._simulator.state, self.name)
        return true @ self.point_of_hand("grip")

    def _in_base(self, pose: Pose, point: Point) -> Pose:
        base = self._simulator.snapshot.base_pose(self._simulator.state, self.name)
        return base.inverse() @ pose @ self.point_of_hand(point).inverse()

    def _unreachable(self, error: Unreachable, point: Point) -> Unreachable:
        """Return the error with the nearest reachable pose in the world."""
        nearest = error.evidence.get("nearest")
        if not isinstance(nearest, Pose):
            return error
        base = self._simulator.snapshot.base_pose(self._simulator.state, self.name)
        q, home = np.array(error.evidence["q"]), self.robot.home
        for inwards in (0.0, 1e-5, 1e-4, 1e-3, 1e-2):
            # A pose at the edge of the range is offered a little inside, so that it is valid when it is typed.
            there = base @ self.robot.fk(q + inwards * (home - q)) @ self.point_of_hand(point)
            lengths, turns, words = typed_pose(there.xyz.tolist(), list(there.angles("fanuc_wpr")), "fanuc_wpr")
            typed = Pose.from_xyz_angles(np.array(lengths), np.array(turns), "fanuc_wpr")
            if self.robot.ik(self._in_base(typed, point)).within_limits.any():
                break
        text = f"{error.message} That pose is {words} in the world."
        return Unreachable(text, **{**error.evidence, "nearest": there})

    def point_of_hand(self, point: Point) -> Pose:
        """``X_tool_hand``: a point of the hand in the frame of the tool."""
        if isinstance(point, Pose):
            return self.robot.X_flange_tool.inverse() @ point
        if point == "tool":
            return Pose.identity()
        if point != "grip":
            raise InvalidValue(f"The point of the hand must be 'tool' or 'grip'; found {point!r}.")
        gripper = self.robot.gripper
        if gripper is None:
            raise Refused(no_hand_text(self._placed))
        return self.robot.X_flange_tool.inverse() @ gripper.X_flange_grip
