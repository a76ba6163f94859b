"""Offsets of a pose, in its own axes or along others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workcell.spatial.pose import Pose
from workcell.spatial.transform import AnyStep, Transform


def offset(pose: Pose, by: Pose, axes: Pose) -> Pose:
    """Return a pose shifted and turned along the axes of another pose. Turns are about its own origin.

    Args:
        pose: ``X_world_place``.
        by: the shift and the turn, in those axes.
        axes: the pose whose axes are used; its position does not matter.
    """
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = axes.rotation, pose.xyz
    X_world_axes = Pose(frame)
    return X_world_axes @ by @ X_world_axes.inverse() @ pose


def own_offset(pose: Pose, steps: Sequence[AnyStep]) -> Pose:
    """Return a pose after a sequence of steps, each in the axes and about the origin that the step before left.

    Args:
        pose: ``X_world_place``.
        steps: in the order in which they are written.
    """
    return pose @ Transform(tuple(reversed(steps))).pose() if steps else pose
