"""Which inverse solution a move takes: the nearest, the roomiest, the Agent's, or one by its name."""

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
    "roomiest": "the one farthest from its joint limits",
    "agent": "the nearest, unless a joint would move by more than 45 degrees: then the roomiest",
}
FROZEN = "frozen"
"""The branch that the arm stands in when this is asked for: no rule, for it names one branch."""
_AGENT = re.compile(r"agent:(\d+(?:\.\d+)?)\Z")
_SIGNS = re.compile(r"[+-]{3}\Z")
_FAR, _CLOSE = 0.35, 0.05
"""Joint values [rad or m] that are another way to stand, and those that go on from where the arm is."""


def has_hand(robot: Robot) -> bool:
    """Whether there is a hand to bring to a pose: a mechanism has joints only."""
    return robot.kind not in MECHANISMS


def require_hand(robot: Robot, name: str) -> None:
    """Refuse moves of the hand, and branches, for a mechanism."""
    if not has_hand(robot):
        joints = "joint" if robot.n == 1 else f"{robot.n} joints"
        raise Refused(
            f"{name} is {an(robot.kind)} and has no hand to bring to a pose; move its {joints} instead: "
            f"move-joints-absolute, move-joints-relative or a table."
        )


def is_rule(branch: str) -> bool:
    """Whether it is a rule that chooses among the branches, and not one of them by its name."""
    return branch in POLICIES or bool(_AGENT.match(branch))


def checked_policy(branch: str | int | tuple[int, int, int]) -> str:
    """The policy as text: a word, the Agent's index 0…7, or Ding's signs (A, E, W) such as ``-+-``.

    ``agent:60`` is the Agent's rule with a limit of 60° in place of 45°; ``frozen`` is the branch that the arm is in.
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
    """The policy, with the branch that the arm stands in for ``frozen``: its signs (A, E, W).

    Raises:
        Refused: the branches of this arm have no names, so none can be kept.
    """
    if branch != FROZEN:
        return branch
    label = None
    if not by_iteration(robot.chain):
        label = branches.standing_in(ik(robot.chain, robot.fk(q)), q).label
    if label is None:
        raise Refused(f"The solutions of {name} have no names, so no branch of it can be frozen; take nearest.")
    return checked_policy(label)


def chosen(robot: Robot, pose: Pose, branch: str, near: Array, exact: bool = False) -> Array:
    """The joint values that bring the tool to a pose in the robot's base, by the policy.

    Where the pose is that of the joint values ``near``, these are taken as they are: by a rule that prefers the
    nearest, and with ``exact`` by any.

    Raises:
        Unreachable: there are none; the sentence says how far the nearest pose is and what binds.
        JointLimit: the branch asked for leaves a joint's range.
    """
    near_first = branch == "nearest" or branch.startswith("agent")
    close = 1e-9 if exact else 1e-12
    if (near_first or exact) and robot.within_limits(near) and robot.fk(near).is_close(pose, close, close):
        return near
    with _told_in_units(robot, branch):
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
    """The solution within the limits that goes on from given joints; refused in few words, for use along a curve."""
    if by_iteration(robot.chain):
        return continued(robot.chain, pose, near, robot.limits)
    solutions = robot.ik(pose)
    if not len(solutions):
        few = f"an arm of {robot.n} joints cannot bring the hand to this place turned so."
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
    with _told_in_units(robot, "nearest"):
        return branches.nearest(solutions, near)


@contextmanager
def _told_in_units(robot: Robot, branch: str) -> Iterator[None]:
    """Tell how far a joint is outside in degrees or millimetres, which solutions themselves do not know."""
    try:
        yield
    except JointLimit as error:
        found: dict[str, Any] = error.evidence
        joint, excess = int(found["joint"]), abs(float(found["excess"]))
        off = f"{excess * 1e3:.4g} mm" if robot.rows[joint - 1].prismatic else f"{np.degrees(excess):.4g}°"
        told = (
            f"Every solution leaves a joint's range; the nearest has joint {joint} {off} outside."
            if is_rule(branch)
            else f"The solution of branch {branch} puts joint {joint} {off} outside its limits."
        )
        raise JointLimit(told, **found) from error


def _within(robot: Robot, q: Array) -> Array:
    """A solution that keeps the limits but for rounding, without that."""
    return np.clip(q, robot.limits[:, 0], robot.limits[:, 1])


def _turned(robot: Robot, q: Array, near: Array) -> Array:
    """A solution turned by whole turns towards given joints where the limits allow."""
    turn = 2.0 * np.pi
    moved = np.where(robot.chain.prismatic, q, q + turn * np.round((near - q) / turn))
    inside = (moved >= robot.limits[:, 0]) & (moved <= robot.limits[:, 1])
    return np.asarray(np.where(inside, moved, q))
