"""Inverse and forward kinematics of a hand in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.motion.path import JointPath
from workcell.robots.robot import Robot
from workcell.simulation import branch_policy
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    pass

Array = NDArray[np.float64]

_LOOKS = 8
"""At how many places of each polynomial of a path the speed of the hand is tested."""


class Solve:
    """Inverse kinematics of a hand in the world, near known joints."""

    def __init__(self, robot: Robot, X_base_world: Pose, X_hand_tool: Pose) -> None:
        self._robot, self._X_base_world, self._X_hand_tool = robot, X_base_world, X_hand_tool

    def __call__(self, pose: Pose, near: Array, /) -> Array:
        """Return joint values for a pose, near others (n,)."""
        return branch_policy.nearest(self._robot, self._X_base_world @ pose @ self._X_hand_tool, near)


class Forward:
    """Forward kinematics of a hand in the world, for many joint vectors."""

    def __init__(self, robot: Robot, X_base_world: Pose, X_hand_tool: Pose) -> None:
        self._robot = robot
        self._X_world_base = X_base_world.inverse().matrix
        self._X_tool_hand = X_hand_tool.inverse().matrix

    def __call__(self, Q: Array) -> Array:
        """Return the poses of many joint vectors (N, 4, 4)."""
        return np.asarray(self._X_world_base @ self._robot.fk_batch(Q) @ self._X_tool_hand)


def quickest(forward: Forward, path: JointPath) -> float:
    """Return the greatest speed of the hand per unit of s. Its way on joint polynomials is a little longer than s."""
    breaks, step = path.curve.breaks, 1e-6 * path.length
    shares = np.linspace(0.0, 1.0, _LOOKS, endpoint=False)
    s = (breaks[:-1, None] + np.diff(breaks)[:, None] * shares).ravel()
    low, high = np.maximum(s - step, 0.0), np.minimum(s + step, path.length)
    ways = forward(path.curve.sample(high))[:, :3, 3] - forward(path.curve.sample(low))[:, :3, 3]
    return max(float((np.linalg.norm(ways, axis=1) / (high - low)).max()) * (1.0 + 1e-6), 1.0)
