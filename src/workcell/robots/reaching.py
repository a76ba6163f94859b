"""How an arm reaches a pose, and whether another arm reaches it in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import WorkcellError
from workcell.robots.robot import Robot
from workcell.spatial.message_units import said, said_angle, said_length
from workcell.spatial.pose import Pose

_SAME = 1e-6
"""Joint values closer than this [rad or m] are one solution."""


@dataclass(frozen=True)
class Way:
    """One solution of an arm for a pose.

    Attributes:
        label: Ding's signs of A, E, W such as ``-+-``; '' if the arm has no such branches.
        index: the Agent's 0…7, or its position in the list.
        words: the configuration in words; '' if it has none.
        outside: the joints out of range, counted from 1, and the excess [rad or m].
    """

    label: str
    index: int
    words: str
    outside: tuple[tuple[int, float], ...] = ()

    @property
    def name(self) -> str:
        """Its name: its words, its signs, or its number."""
        return self.words or self.label or f"way {self.index}"

    def called(self, branch: str) -> bool:
        """Whether this is the branch with that name: signs, an index, or the words."""
        return branch in (self.label, str(self.index), self.words) and bool(branch)


@dataclass(frozen=True)
class Fit:
    """Whether an arm reaches a pose as asked.

    Attributes:
        reached: whether it reaches the pose within its joint limits, on any branch.
        kept: whether it reaches it on the branch that was asked for; true if none was.
        branch: the branch: the one asked for if it exists, otherwise the first within the limits; '' if there is none.
        ways: the number of branches within the limits.
        short: the remaining distance of the hand if the pose is out of reach [m]; None if it was not computed.
        problem: why it does not fit, as a clause; '' if it does.
    """

    reached: bool
    kept: bool
    branch: str
    ways: int
    short: float | None = None
    problem: str = ""

    @property
    def fits(self) -> bool:
        """Whether the pose is reached on the branch that was asked for."""
        return self.reached and self.kept


def ways_to(robot: Robot, pose: Pose) -> tuple[Way, ...]:
    """All solutions of an arm for a pose of its tool in its base; empty if the pose is out of reach."""
    try:
        found = robot.ik(pose)
    except WorkcellError:  # an arm without an inverse for such poses reaches none of them
        return ()
    return tuple(
        Way("".join("+" if sign > 0 else "-" for sign in one.label or ()), int(one.index), one.words, one.violations)
        for one in found
    )


def taught_way(robot: Robot, joints: ArrayLike) -> str:
    """The branch of joint values: its signs or words, otherwise its number; '' if it cannot be found."""
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
    """Whether an arm reaches a pose of its tool in its base within its limits, and on a branch.

    Args:
        robot: the arm.
        pose: the pose of its tool, in its base.
        branch: the branch, by signs, index or words; any if empty.
        explained: whether to search for the nearest reachable pose if this one is out of reach, which takes longer.
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
        why = f"the branch {branch} no longer exists" if named else f"this arm has no branch {branch}"
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
        return report.metres, f"out of reach by {said_length(report.metres)}"
    return report.metres, f"cannot be reached with this orientation: {said_angle(report.radians)} off"


def _out(robot: Robot, outside: Sequence[tuple[int, float]]) -> str:
    words = []
    for joint, excess in outside:
        how_far = said(abs(excess), robot.rows[joint - 1].prismatic)
        words.append(f"joint {joint} would be {how_far} out of its range")
    return " and ".join(words)


def hand_in_tool(robot: Robot, point: str) -> Pose | None:
    """``X_tool_hand`` of the tool or of the grip point; None if the arm has no gripper."""
    if point != "grip":
        return Pose.identity()
    return None if robot.gripper is None else robot.X_flange_tool.inverse() @ robot.gripper.X_flange_grip
