"""Chooses the inverse solution of a move: the nearest, the roomiest, the Agent's, or a branch by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, JointLimit, KinematicsError, Refused
from workcell.kinematics import branches
from workcell.kinematics.inverse import by_iteration, ik
from workcell.kinematics.nearby import continued, end_of_range
from workcell.kinematics.unreachable import unreachable_error
from workcell.robots.mechanism import KINDS as MECHANISMS
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.wording import an

Array = NDArray[np.float64]

POLICIES = {
    "nearest": "the solution nearest to the present joints",
    "roomiest": "the solution farthest from the joint limits",
    "agent": "the nearest, unless a joint would move by more than 45 degrees: then the roomiest",
}
FROZEN = "frozen"
"""The branch that the arm is in when the step is given. Not a rule, because it names one branch."""
_AGENT = re.compile(r"agent:(\d+(?:\.\d+)?)\Z")
_SIGNS = re.compile(r"[+-]{3}\Z")
_FAR, _CLOSE = 0.35, 0.05
"""Differences of joint values [rad or m]: above the first, another branch; below the second, the same motion."""


def has_hand(robot: Robot) -> bool:
    """Return whether a robot has a hand that can take a pose; a mechanism has only joints."""
    return robot.kind not in MECHANISMS


def require_hand(robot: Robot, name: str) -> None:
    """Refuse moves of the hand, and branches, for a mechanism."""
    if not has_hand(robot):
        joints = "joint" if robot.n == 1 else f"{robot.n} joints"
        raise Refused(
            f"{name} is {an(robot.kind)} and has no hand that could take a pose; move its {joints} instead: "
            f"move-joints-absolute, move-joints-relative or a table."
        )


def is_rule(branch: str) -> bool:
    """Return whether a policy is a rule that chooses a branch, not the name of a branch."""
    return branch in POLICIES or bool(_AGENT.match(branch))


def checked_policy(branch: str | int | tuple[int, int, int]) -> str:
    """Return a policy as text: a word, the Agent's index 0…7, or Ding's signs (A, E, W) such as ``-+-``.

    ``agent:60`` is the Agent's rule with a limit of 60° instead of 45°; ``frozen`` is the branch that the arm is in.
    """
    if isinstance(branch, tuple):
        text = "".join("+" if sign > 0 else "-" for sign in branch)
    else:
        text = str(branch)
    if is_rule(text) or text == FROZEN or _SIGNS.match(text) or text in {str(i) for i in range(8)}:
        return text
    raise InvalidValue(
        f"A branch is {', '.join(POLICIES)}, agent:60 (with its limit in degrees), {FROZEN}, an index 0…7, or three "
        f"signs such as -+-; found {text!r}.",
        branch=text,
    )


def resolved(robot: Robot, name: str, branch: str, q: Array) -> str:
    """Return the policy; for ``frozen``, the signs (A, E, W) of the branch that the arm is in.

    Raises:
        Refused: the branches of this arm have no names, so none can be kept.
    """
    if branch != FROZEN:
        return branch
    label = None
    if not by_iteration(robot.chain):
        label = branches.standing_in(ik(robot.chain, robot.fk(q)), q).label
    if label is None:
        raise Refused(f"The solutions of {name} have no names, so none of its branches can be frozen; use nearest.")
    return checked_policy(label)


def large_move_rule(limit: float) -> str:
    """Return the Agent's rule with this limit [rad] instead of 45°."""
    degrees = f"{np.degrees(limit):.6f}".rstrip("0").rstrip(".")
    return f"agent:{degrees}"


def standing_branches(robot: Robot, name: str, q: Array) -> tuple[int, tuple[int, ...]]:
    """Return the Agent's index of the branch that an arm is in, and those of all branches in the limits at this pose.

    Raises:
        Refused: the branches of this arm have no names.
    """
    if by_iteration(robot.chain):
        raise Refused(f"The solutions of {name} have no names, so it has no index of a branch.")
    found = robot.ik(robot.fk(q))
    valid = tuple(sorted({int(one.index) for one in found if one.within_limits}))
    return int(branches.standing_in(found, q).index), valid


def chosen(robot: Robot, pose: Pose, branch: str, near: Array, exact: bool = False) -> Array:
    """Return the joint values that bring the tool to a pose in the robot's base, chosen by the policy.

    If ``near`` already has this pose, these joint values are returned unchanged: by a rule that prefers the
    nearest solution and, with ``exact``, by any policy.

    Raises:
        Unreachable: there are none; the message gives the nearest pose and what limits it.
        JointLimit: the requested branch leaves the range of a joint.
    """
    near_first = branch == "nearest" or branch.startswith("agent")
    close = 1e-9 if exact else 1e-12
    if (near_first or exact) and robot.within_limits(near) and robot.fk(near).is_close(pose, close, close):
        return near
    with _in_units(robot, branch):
        return _within(robot, _chosen(robot, pose, branch, near))


def _chosen(robot: Robot, pose: Pose, branch: str, near: Array) -> Array:
    solutions = robot.ik(pose, near if is_rule(branch) else None)
    if not len(solutions) or not solutions.within_limits.any():
        raise unreachable_error(robot.chain, pose, robot.limits)
    if branch == "nearest":
        return branches.nearest(solutions, near)
    if branch == "roomiest":
        return branches.most_room(solutions)
    if is_rule(branch):
        return branches.agent_choice(solutions, near, branches.large_move(branch))
    if branch.isdigit():
        return _turned(robot, branches.fixed(solutions, int(branch)), near)
    a, e, w = (1 if sign == "+" else -1 for sign in branch)
    return _turned(robot, branches.fixed(solutions, (a, e, w)), near)


def nearest(robot: Robot, pose: Pose, near: Array) -> Array:
    """Return the solution within the limits that continues from given joints; for use along a curve.

    The message of the refusal is the end of a sentence.

    """
    if by_iteration(robot.chain):
        return continued(robot.chain, pose, near, robot.limits)
    solutions = robot.ik(pose)
    if not len(solutions):
        few = f"an arm of {robot.n} joints cannot bring the hand to this position in this orientation."
        raise KinematicsError(few if robot.n < 6 else "the pose is out of the arm's reach.")
    inside = solutions.within_limits.any()
    if inside:
        found = _within(robot, branches.nearest(solutions, near))
        if np.abs(found - near).max() <= _FAR:
            return found
    going_on = branches.nearest(ik(robot.chain, pose), near)
    ended = end_of_range(robot.chain, robot.limits, going_on)
    if ended is not None and np.abs(going_on - near).max() <= _CLOSE:
        raise ended
    if inside:
        return found
    with _in_units(robot, "nearest"):
        return branches.nearest(solutions, near)


@contextmanager
def _in_units(robot: Robot, branch: str) -> Iterator[None]:
    """Give the excess of a joint in degrees or millimetres; the solutions do not know the unit."""
    try:
        yield
    except JointLimit as error:
        found: dict[str, Any] = error.evidence
        joint, excess = int(found["joint"]), abs(float(found["excess"]))
        off = f"{excess * 1e3:.4g} mm" if robot.rows[joint - 1].prismatic else f"{np.degrees(excess):.4g}°"
        message = (
            f"Every solution leaves the range of a joint; in the nearest, joint {joint} is {off} outside."
            if is_rule(branch)
            else f"The solution of branch {branch} puts joint {joint} {off} outside its limits."
        )
        raise JointLimit(message, **found) from error


def _within(robot: Robot, q: Array) -> Array:
    """Return a solution clipped to the limits; it exceeds them only by rounding."""
    return np.clip(q, robot.limits[:, 0], robot.limits[:, 1])


def _turned(robot: Robot, q: Array, near: Array) -> Array:
    """Return a solution turned by whole turns towards given joints, as far as the limits allow."""
    turn = 2.0 * np.pi
    moved = np.where(robot.chain.prismatic, q, q + turn * np.round((near - q) / turn))
    inside = (moved >= robot.limits[:, 0]) & (moved <= robot.limits[:, 1])
    return np.asarray(np.where(inside, moved, q))
