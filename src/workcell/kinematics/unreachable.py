"""Why a pose cannot be reached: how far away it is, in which direction, and the nearest reachable pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import Unreachable
from workcell.kinematics.dh import Chain, FloatArray
from workcell.kinematics.inverse import ik
from workcell.kinematics.numeric import checked_limits
from workcell.kinematics.solutions import fitted
from workcell.kinematics.structure import reach_of
from workcell.spatial.message_units import said, said_angle, said_length
from workcell.spatial.pose import Pose


@dataclass(frozen=True)
class UnreachableReport:
    """What keeps an arm from a pose.

    Attributes:
        reachable: whether the pose can be reached within the limits after all.
        metres: the distance to the position of the nearest reachable pose [m].
        radians: the angle to its orientation [rad].
        direction: the unit vector from the nearest reachable position to the requested one (3,), zeros if none.
        nearest: the nearest reachable pose: the arm's own tool pose at ``q``.
        q: the joint values of that pose [rad or m], within the limits.
        constraint: the cause: ``reach`` (the pose is outside the arm's geometry), ``joint limit``,
            ``orientation`` (the position can be reached, but not with this orientation) or empty.
        joints: the joints at their limits, counted from 1, if limits are the cause.
        sentence: the same in words.
    """

    reachable: bool
    metres: float
    radians: float
    direction: FloatArray
    nearest: Pose
    q: FloatArray
    constraint: str
    joints: tuple[int, ...]
    sentence: str


def explain(
    chain: Chain, pose: Pose, limits: ArrayLike | None = None, radian: float | None = None, seed: int = 0
) -> UnreachableReport:
    """Find the nearest pose that the arm can reach, and what keeps it from the requested one.

    Args:
        chain: the arm.
        pose: the tool in the base.
        limits: (n, 2) [rad or m].
        radian: the length [m] that counts as one radian when distances are weighed; by default a quarter of the
            reach. A large value keeps the orientation and gives up position.
        seed: the seed of the search's starts.
    """
    array = checked_limits(chain, limits)
    solutions = ik(chain, pose, None if limits is None else array)
    if len(solutions) and solutions.within_limits.any():
        q = solutions.q[int(np.argmax(solutions.within_limits))]
        return UnreachableReport(
            True, 0.0, 0.0, np.zeros(3), pose, q, "", (), "The pose can be reached within the joint limits."
        )
    scale = reach_of(chain)
    worth = 0.25 * scale if radian is None else radian
    q = _nearest(chain, pose, array, worth, seed)
    nearest, metres, radians = _miss(chain, q, pose)
    gap = pose.xyz - nearest.xyz
    direction = gap / metres if metres > 1e-12 else np.zeros(3)
    at_limit = tuple(
        int(j) + 1 for j in np.flatnonzero((np.abs(q - array[:, 0]) < 1e-7) | (np.abs(q - array[:, 1]) < 1e-7))
    )
    place = f"{said_length(metres)} and {said_angle(radians)} away"
    if len(solutions):
        constraint = "joint limit"
        least = min(solutions, key=lambda s: sum(abs(e) for _, e in s.violations))
        parts = ", ".join(_amount(chain, joint, out) for joint, out in least.violations)
        at_limit = tuple(joint for joint, _ in least.violations)
        sentence = f"The arm's geometry reaches the pose, but {parts}; the nearest pose within the limits is {place}."
    elif metres < 1e-6 * scale and radians > 1e-6:
        constraint = "orientation"
        sentence = f"The position can be reached, but not with this orientation; the nearest pose is {place}."
    else:
        constraint = "reach"
        sentence = f"The pose is out of the arm's reach; the nearest reachable pose is {place}."
    q.flags.writeable = False
    direction.flags.writeable = False
    return UnreachableReport(False, metres, radians, direction, nearest, q, constraint, at_limit, sentence)


def unreachable_error(chain: Chain, pose: Pose, limits: ArrayLike | None = None) -> Unreachable:
    """The error for a pose that cannot be reached, with the facts of the report in its fields."""
    report = explain(chain, pose, limits)
    return Unreachable(
        report.sentence,
        metres=report.metres,
        radians=report.radians,
        direction=report.direction.tolist(),
        nearest=report.nearest,
        q=report.q.tolist(),
        constraint=report.constraint,
        joints=report.joints,
    )


def _amount(chain: Chain, joint: int, out: float) -> str:
    side = "above" if out > 0 else "below"
    return f"joint {joint} would be {said(abs(out), chain.prismatic[joint - 1])} {side} its range"


def _miss(chain: Chain, q: FloatArray, pose: Pose) -> tuple[Pose, float, float]:
    from workcell.kinematics.forward import tool_pose

    nearest = tool_pose(chain, q)
    metres, radians = nearest.distance(pose)
    return nearest, metres, radians


def _nearest(chain: Chain, pose: Pose, limits: FloatArray, worth: float, seed: int) -> FloatArray:
    """Joint values within the limits whose pose is nearest, from many starts of the compiled descent."""
    from workcell.kinematics import _kernels_numeric as kernel
    from workcell.kinematics.dh import arm_of

    arm, slides, base, tool = arm_of(chain)
    rng = np.random.default_rng(seed)
    far = reach_of(chain) + float(np.linalg.norm(pose.xyz - chain.X_base_0.xyz))
    spread = np.where(chain.prismatic, far, np.pi)
    low = np.maximum(limits[:, 0], -spread)
    high = np.minimum(limits[:, 1], spread)
    low, high = np.where(low > high, limits[:, 0], low), np.where(low > high, limits[:, 1], high)
    work = np.empty(chain.n * (10 + chain.n) + 24)
    lower, upper = np.ascontiguousarray(limits[:, 0]), np.ascontiguousarray(limits[:, 1])
    best, least = np.clip(np.zeros(chain.n), low, high), np.inf
    for start in rng.uniform(low, high, (48, chain.n)):
        q = start.copy()
        left, _ = kernel.descend(
            arm, slides, base, tool, np.array(pose.matrix), lower, upper, worth, 1e-24, 400, q, work
        )
        if left < least:
            best, least = q, left
    turned, _, inside = fitted(best[None], limits, chain.prismatic)
    return turned[0] if inside[0] else np.clip(best, limits[:, 0], limits[:, 1])
