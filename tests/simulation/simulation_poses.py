"""Poses that the tests of the simulation share."""

from __future__ import annotations

import numpy as np

from workcell.spatial.pose import Pose


def down(x: float, y: float, z: float) -> Pose:
    """A hand that points straight down [m]."""
    return Pose.from_xyz(x, y, z) @ Pose.from_axis_angle((0.0, 1.0, 0.0), np.pi)
