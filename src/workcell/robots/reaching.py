"""How an arm reaches a pose, and whether another arm reaches it in the same way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import WorkcellError
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

_SAME = 1e-6
"""Joint values as near as this [rad or m] are one way to stand."""


@dataclass(frozen=True)
class Way:
    """One way of an arm to take a pose.

    Attributes:
        label: Ding's signs of A, E, W such as ``-+-``; '' where the arm has no such branches.
        index: the Agent's 0…7, or its place in the list.
        words: the configuration in words; '' where it has none.
        outside: the joints out of their range, counted from 1, and by how much [rad or m].
    """

    label: str
    index: int
    words: str
    outside: tuple[tuple[int, float], ...] = ()

    @property
    def name(self) -> str:
        """What people call it: its words, its signs, or its number."""
        return self.words or self.label or f"way {self.index}"

    def called(self, branch: str) -> bool:
        """Whether this is the branch of that name: signs, an index, or the words."""
        return branch in (self.label, str(self.index), self.words) and bool(branch)


@dataclass(frozen=True)
class Fit:
    """Whether an arm takes a pose as asked.

    Attributes:
        reached: whether it takes the pose within its joint limits, in any way.
        kept: whether it does so in the way that was asked for; true when none was.
        branch: the way taken: the one asked for where it is there, else the first within the limits; '' without any.
        ways: how many ways are within the limits.
        short: how far the hand stays away where the pose is out of reach [m]; None where that was not looked for.
        problem: why it does not fit, as a clause; '' when it does.
    """

    reached: bool
    kept: bool
    branch: str
    ways: int
    short: float | None = None
    problem: str = ""

    @property
    def fits(self) -> bool:
        """Whether nothing has changed for whoever uses the pose."""
        return self.reached and self.kept


def ways_to(robot: Robot, pose: Pose) -> tuple[Way, ...]:
    """Every way of an arm to take a pose of its tool in its base; none where the pose is out of reach."""
    try:
        found = robot.ik(pose)
    except WorkcellError:  # an arm that has no inverse for such poses reaches none of them
        return ()
    return tuple(
        Way("".join("+" if sign > 0 else "-" for sign in one.label or ()), int(one.index), one.words, one.violations)
        for one in found
    )


def taught_way(robot: Robot, joints: ArrayLike) -> str:
    """The branch that joint values are on: its signs or words, else its number; '' where that cannot be found."""
    try:
        q = robot.checked(joints)
        solutions = robot.ik(robot.fk(q))
    except WorkcellError:
        return ""
    turning = np.array([not row.prismatic for row in robot.rows])
    for one in solutions:
        gap = one.q - q
        gap = np.where(turning, np.angle(np.exp(1j * gap)), gap)
        if float(np.abs(gap).max()) < _SAME:
            label = "".join("+" if sign > 0 else "-" for sign in one.label or ())
            return label or one.words or str(one.index)
    return ""


def fit(robot: Robot, pose: Pose, branch: str = "", explained: bool = True) -> Fit:
    """Whether an arm takes a pose of its tool in its base within its limits, and on a branch.

    Args:
        robot: the arm.
        pose: of its tool, in its base.
        branch: the branch asked for by signs, index or words; any when empty.
        explained: whether to look for the nearest pose where this one is out of reach, which takes longer.
    """
    ways = ways_to(robot, pose)
    inside = [way for way in ways if not way.outside]
    asked = [way for way in ways if way.called(branch)]
    if not inside:
        short, problem = _why_not(robot, pose, ways, explained)
        return Fit(False, False, "", 0, short, problem)
    if not branch:
        return Fit(True, True, inside[0].name, len(inside))
    if not asked:
        named = any(way.label or way.words for way in ways)
        why = f"the branch {branch} is gone" if named else f"this arm has no branch {branch}"
        return Fit(True, False, inside[0].name, len(inside), None, why)
    if asked[0].outside:
        why = f"on the branch {branch} {_out(robot, asked[0].outside)}"
        return Fit(True, False, inside[0].name, len(inside), None, why)
    return Fit(True, True, asked[0].name, len(inside))


def _why_not(robot: Robot, pose: Pose, ways: Sequence[Way], explained: bool) -> tuple[float | None, str]:
    if ways:
        nearest = min(ways, key=lambda way: max(abs(excess) for _, excess in way.outside))
        return 0.0, _out(robot, nearest.outside)
    if not explained:
        return None, "out of reach"
    from workcell.kinematics.unreachable import explain

    try:
        report = explain(robot.chain, pose, robot.limits)
    except WorkcellError:
        return None, "out of reach"
    if report.metres > 1e-6:
        return report.metres, f"out of reach by {report.metres * 1e3:.4g} mm"
    return report.metres, f"cannot be so turned: {math.degrees(report.radians):.4g}° off"


def _out(robot: Robot, outside: Sequence[tuple[int, float]]) -> str:
    told = []
    for joint, excess in outside:
        size, unit = (1e3, " mm") if robot.rows[joint - 1].prismatic else (180.0 / math.pi, "°")
        told.append(f"joint {joint} would be {abs(excess) * size:.4g}{unit} out of its range")
    return " and ".join(told)


def hand_in_tool(robot: Robot, point: str) -> Pose | None:
    """``X_tool_hand`` of the tool or of the grip point; None where the arm has no gripper."""
    if point != "grip":
        return Pose.identity()
    return None if robot.gripper is None else robot.X_flange_tool.inverse() @ robot.gripper.X_flange_grip
