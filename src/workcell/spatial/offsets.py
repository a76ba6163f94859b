"""Offsets of a pose along axes other than its own."""

from __future__ import annotations

import numpy as np

from workcell.spatial.pose import Pose


def offset(pose: Pose, by: Pose, axes: Pose) -> Pose:
    """Return a pose shifted and turned along the axes of another; turns are about its own origin.

    Args:
        pose: ``X_world_place``.
        by: the shift and the turn, as seen along the axes.
        axes: the pose whose axes count; where it is does not matter.
    """
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = axes.rotation, pose.xyz
    X_world_axes = Pose(frame)
    return X_world_axes @ by @ X_world_axes.inverse() @ pose
