"""Poses as data files keep them: millimetres and unit quaternions."""

from __future__ import annotations

import msgspec
import numpy as np

from workcell.spatial.pose import Pose
from workcell.spatial.units import mm


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A pose in a file: position [mm] and unit quaternion (w, x, y, z)."""

    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


def pose_of(frame: Frame) -> Pose:
    """A pose from a file's millimetres and quaternion."""
    return Pose.from_quaternion(np.array(frame.xyz) * mm, frame.wxyz)


def frame_of(pose: Pose) -> Frame:
    """A file's millimetres and quaternion from a pose."""
    x, y, z = (float(v) for v in np.round(pose.xyz / mm, 9) + 0.0)
    w, i, j, k = (float(v) for v in np.round(pose.quaternion, 15) + 0.0)
    return Frame((x, y, z), (w, i, j, k))
