"""The joints of a robot along a seam: the branch that reaches the whole seam, and what limits the speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import JointLimit, KinematicsError, MotionError
from workcell.motion.curve import HandCurve
from workcell.motion.follow import Followed, follow
from workcell.motion.limits import Binding, Limits, bindings
from workcell.motion.trajectory import Trajectory
from workcell.robots.robot import Robot
from workcell.simulation import branch_policy

if TYPE_CHECKING:
    pass

Array = NDArray[np.float64]


def binding_rows(found: Sequence[Binding]) -> tuple[tuple[int, str, float, float], ...]:
    """Return which joint is at which limit, from when to when [s], for a report."""
    return tuple((one.joint, one.limit, one.start, one.end) for one in found)


def first_branch(robot: Robot, name: str, curve: HandCurve, now: Array, tolerance: float, angle: float) -> Followed:
    """Return joints along a curve in the robot's base, by the nearest branch that reaches all of it."""
    inside = [np.asarray(one.q) for one in robot.ik(curve.start) if one.within_limits]
    if not inside:
        branch_policy.chosen(robot, curve.start, "nearest", now)
    refusals: list[Exception] = []
    for q in sorted(inside, key=lambda q: float(np.abs(q - now).max())):
        try:
            found = follow(
                curve,
                lambda pose, near: branch_policy.nearest(robot, pose, near),
                robot.fk_batch,
                q,
                tolerance=tolerance,
                angle_tolerance=angle,
            )
            _within(robot.limits, found.path.curve, name)
        except (MotionError, KinematicsError) as error:
            refusals.append(error)
        else:
            return found
    raise refusals[0]


def _within(limits: Array, motion: Trajectory, name: str) -> None:
    low, high = motion.range()
    slack = 1e-9 * (1.0 + np.abs(limits))
    out = np.maximum(limits[:, 0] - slack[:, 0] - low, high - limits[:, 1] - slack[:, 1])
    joint = int(out.argmax())
    if out[joint] > 0.0:
        raise JointLimit(f"Joint {joint + 1} of {name} would leave its range along the seam.", joint=joint + 1)


def steady_share(progress: Trajectory, speed: float) -> float:
    """Return the share of the way that is covered at 99 % or more of the speed."""
    low, _ = progress.ranges(progress.breaks[:-1], progress.breaks[1:], 1)
    gone = np.diff(progress.sample(progress.breaks)[:, 0])
    return float(gone[low[:, 0] >= 0.99 * speed].sum() / gone.sum())


def what_limits(motion: Trajectory, limits: Limits, names: list[str]) -> str:
    """Return the limit that the motion is at for most of its time."""
    spent: dict[tuple[int, str], float] = {}
    for binding in bindings(motion, limits, 0.99):
        key = (binding.joint, binding.limit)
        spent[key] = spent.get(key, 0.0) + binding.end - binding.start
    joint, kind = max(sorted(spent), key=lambda key: spent[key], default=(0, ""))
    return f"{kind} of {names[joint - 1]}" if 0 < joint <= len(names) else "speed of the weld"
