"""Whether a hand can follow a straight line from joint values that are known before the run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.kinematics.placing import turned
from workcell.motion.curve import HandCurve
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

_PLACES = 32
"""At how many places of a line inverse kinematics is solved, and of each part in which the joints turn far."""
_FAR = 1.0
"""Joints that differ by more than this between places [rad or m] are examined more closely."""


def followed(robot: Robot, start: Array, X_base_hand: Pose, X_hand_tool: Pose) -> float:
    """Return how much of a straight line a hand can follow, from 0 to 1.

    The line is tested at places, so 1 does not prove that it can be followed.

    Args:
        robot: an arm with six joints.
        start: its joint values at the start (6,) [rad].
        X_base_hand: the goal of the hand.
        X_hand_tool: the tool on the hand.
    """
    now = robot.fk(start) @ X_hand_tool.inverse()
    if now.is_close(X_base_hand, 1e-9, 1e-9):
        return 1.0
    curve = HandCurve.line(now, X_base_hand)

    def part(first: float, last: float, q: Array, finer: bool) -> tuple[float, Array | None]:
        """Return where the hand stops in a part of the line, and its joints at the end; None if it stops."""
        shares = np.linspace(first, last, _PLACES + 1)[1:]
        poses = curve.poses(shares * curve.length) @ X_hand_tool.matrix
        Q, valid = robot.ik_batch(np.ascontiguousarray(poses), within_limits=True, threads=1)
        before = first
        for share, rows, fits in zip(shares.tolist(), Q, valid, strict=True):
            if not fits.any():
                return before, None
            found = turned(robot.chain, robot.limits, rows[fits], q)
            change = np.abs(found - q).max(axis=1)
            if change.min() > _FAR:
                if finer:
                    return before, None
                stop, end = part(before, share, q, finer=True)
                if end is None:
                    return stop, None
                q = end
            else:
                q = found[int(np.argmin(change))]
            before = share
        return last, q

    return part(0.0, 1.0, np.asarray(start, dtype=np.float64), finer=False)[0]
