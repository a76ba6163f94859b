"""Goals from what a command or a step says: joint values, poses, a box, and what is free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.planning.goals import AXES, AllGoals, AnyGoal, Goal, JointGoal, PoseGoal, RegionGoal
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

NO_GOAL = "A path needs a goal: joints VALUES, to POSE, or between POINT and POINT."
FREE = {
    "x": "along its x axis", "y": "along its y axis", "z": "along its z axis",
    "rx": "in turns about its x axis", "ry": "in turns about its y axis", "rz": "in turns about its z axis",
    "turn": "in how it is turned",
}  # fmt: skip
"""In what the hand may be free at a goal, in the frame of the goal."""


def asked_goal(
    joints: Sequence[float] | Array | None,
    poses: Sequence[Pose],
    free: str = "",
    tolerance: float = 0.0,
    box: tuple[Array, Array] | None = None,
) -> Goal:
    """One goal of several wishes: any of the poses; joint values, poses and a box hold at once.

    Args:
        joints: joint values to arrive at.
        poses: of the hand in the world.
        free: one of ``FREE``.
        tolerance: how far off the position may be [m].
        box: two corners, in any order [m].
    """
    axes = AXES[3:] if free == "turn" else (free,) if free else ()
    if axes and not poses:
        raise InvalidValue("What is free at a goal is said of poses; give one with `to`.")
    wishes: list[Goal] = []
    if joints is not None:
        wishes.append(JointGoal(np.asarray(joints, dtype=float)))
    if poses:
        some = tuple(PoseGoal(pose, axes, tolerance) for pose in poses)
        wishes.append(some[0] if len(some) == 1 else AnyGoal(some))
    if box is not None:
        corners = np.sort(np.array(box), axis=0)
        low, high = (tuple(float(v) for v in corner) for corner in corners)
        wishes.append(RegionGoal((low[0], low[1], low[2]), (high[0], high[1], high[2])))
    if not wishes:
        raise InvalidValue(NO_GOAL)
    return wishes[0] if len(wishes) == 1 else AllGoals(tuple(wishes))
