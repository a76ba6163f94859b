"""An arm that keeps its tool on a curve of the world: inverse kinematics near known joint values, and forward."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError
from workcell.kinematics import branches
from workcell.kinematics.inverse import by_iteration
from workcell.kinematics.nearby import continued
from workcell.motion.curve import HandCurve
from workcell.motion.follow import Followed, follow
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HandFollowing:
    """An arm at its place.

    Attributes:
        robot: the arm.
        X_base_world: the world in its base.
    """

    robot: Robot
    X_base_world: Pose

    def along(self, curve: HandCurve, start: Array) -> Followed:
        """The joint path along a curve of the tool, on the branch of the joint values that it starts from (n,)."""
        return follow(curve, self.solve, self.forward, start, limits=self.robot.limits)

    def solve(self, pose: Pose, near: Array, /) -> Array:
        """Joint values for a pose of the tool, near others (n,)."""
        there = self.X_base_world @ pose
        if by_iteration(self.robot.chain):
            return continued(self.robot.chain, there, near, self.robot.limits)
        solutions = self.robot.ik(there)
        if not len(solutions):
            raise KinematicsError("the pose is out of the arm's reach.")
        return np.clip(branches.nearest(solutions, near), self.robot.limits[:, 0], self.robot.limits[:, 1])

    def forward(self, Q: Array) -> Array:
        """The poses of the tool for joint values (N, n), as (N, 4, 4)."""
        return np.asarray(self.X_base_world.inverse().matrix @ self.robot.fk_batch(Q))
