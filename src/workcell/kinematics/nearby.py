"""Solutions near given joint values, for arms that are solved by iteration, above all redundant ones.

An arm with more joints than its hand needs reaches a pose in a continuum of ways. The chosen one has its joints
closest to the given ones, in a measure that grows towards the ends of the ranges: a joint slows down before its
end, and the others compensate. The answer is a smooth function of the pose and of the given joints.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import JointLimit, KinematicsError, Unreachable
from workcell.kinematics.dh import Chain, FloatArray, arm_of
from workcell.kinematics.numeric import checked_limits, multi_start
from workcell.kinematics.singularity import is_singular
from workcell.kinematics.structure import reach_of
from workcell.spatial.message_units import said
from workcell.spatial.pose import Pose

_REACHED = 1e-20
"""The pose is reached if the square of the error (lengths in parts of the reach) is below this."""
_STILL = 1e-11
"""A step shorter than this is the last one [rad or m]."""
_IDLE = 8
"""The iteration gives up after this many steps that do not halve the error."""
_STRIDE = 0.2
"""The longest step of the iteration [rad or m]."""
_PIECE = 0.05
"""The longest distance that a joint moves at once [rad or m]; a longer one is divided."""
_MARGIN, _SOFT = 0.01, 0.00001
"""Where the measure begins to grow before the end of a range, and a bound that keeps it finite there, in ranges."""
_SINGULAR = 1e-7
"""Singular values below this share of the largest count as zero."""


def closest(
    chain: Chain, pose: Pose, near: ArrayLike, limits: ArrayLike | None = None, start: ArrayLike | None = None
) -> FloatArray | None:
    """The joint values (n,) within the limits that reach the pose and are closest to ``near``; None if not found.

    Args:
        chain: the arm.
        pose: the tool in the base.
        near: joint values to be close to [rad or m].
        limits: (n, 2) [rad or m].
        start: where the iteration begins; by default at ``near``.
    """
    from workcell.kinematics import _kernels_numeric as kernel

    box = checked_limits(chain, limits)
    arm, slides, base, tool = arm_of(chain)
    target, unit = np.array(pose.matrix), reach_of(chain)
    here, jac, e = np.empty((3, 4)), np.empty((6, chain.n)), np.empty(6)
    wanted = np.clip(chain.joints(near), box[:, 0], box[:, 1])
    q = wanted.copy() if start is None else np.clip(chain.joints(start), box[:, 0], box[:, 1])
    least, idle, gain, before = np.inf, 0, 1.0, np.zeros(chain.n)
    for _ in range(80):
        kernel.place(arm, slides, base, tool, q, here, jac)
        left = kernel.difference(here, target, unit, e)
        jac[:3] /= unit
        hand, back = _steps(jac, e, q, wanted, box)
        if float(back @ before) < 0.0:  # it went too far: use the point where the two would have met
            gain *= float(np.linalg.norm(before) / (np.linalg.norm(before) + np.linalg.norm(back)))
        before = back
        step = hand + gain * back
        size = float(np.abs(step).max())
        if size < _STILL and left < _REACHED:
            return np.clip(q + step, box[:, 0], box[:, 1])
        least, idle = (left, 0) if left < 0.5 * least else (least, idle + 1)
        if size < _STILL or (idle > _IDLE and left > _REACHED):
            return None
        q = np.clip(q + min(1.0, _STRIDE / size) * step, box[:, 0], box[:, 1])
    return q if left < _REACHED else None


def _steps(
    jac: FloatArray, e: FloatArray, q: FloatArray, wanted: FloatArray, box: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The step that brings the hand to its place, and the step that keeps it there and moves the joints back."""
    damping = min(1e-3 * float(e @ e), 1e-3)
    pull = _measure(wanted, box) - _measure(q, box)
    scale = 1.0 / _growth(q, box)
    hand = back = np.zeros(q.shape)
    for _ in range(q.shape[0]):
        u, values, rows = np.linalg.svd(jac * scale)
        kept = int((values > _SINGULAR * max(float(values[0]), _SINGULAR)).sum())
        s, free = values[:kept], rows[kept:]
        hand = scale * (rows[:kept].T @ (s / (s * s + damping) * (u[:, :kept].T @ e)))
        back = scale * (free.T @ (free @ pull))
        step = hand + back
        out = ((q <= box[:, 0]) & (step < 0.0)) | ((q >= box[:, 1]) & (step > 0.0))
        if not out.any():
            break
        scale, pull = np.where(out, 0.0, scale), np.where(out, 0.0, pull)
    return hand, back


def _measure(q: FloatArray, box: FloatArray) -> FloatArray:
    """Joint values stretched towards the ends of their ranges."""
    part, size = _part(q, box)
    return np.asarray(q + _MARGIN * size * np.log((part + _SOFT) / (1.0 - part + _SOFT)))


def _growth(q: FloatArray, box: FloatArray) -> FloatArray:
    """The derivative of the measure."""
    part, size = _part(q, box)
    return np.asarray(1.0 + _MARGIN * (size > 0.0) * (1.0 / (part + _SOFT) + 1.0 / (1.0 - part + _SOFT)))


def _part(q: FloatArray, box: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The positions of joints in their ranges, 0…1, and the ranges' sizes; half and zero if a range has no end."""
    size = box[:, 1] - box[:, 0]
    bounded = np.isfinite(size) & (size > 0.0)
    low = np.where(bounded, box[:, 0], q - 0.5)
    return np.asarray((q - low) / np.where(bounded, size, 1.0)), np.where(bounded, size, 0.0)


def continued(chain: Chain, pose: Pose, near: ArrayLike, limits: ArrayLike | None = None) -> FloatArray:
    """The joint values (n,) that reach the pose when the hand goes there in a straight line from its pose at ``near``.

    The joints move no more than the hand needs, so solutions for poses along a curve form a smooth joint
    path, however many poses there are.

    Args:
        chain: the arm.
        pose: the tool in the base.
        near: joint values to start from [rad or m].
        limits: (n, 2) [rad or m].

    Raises:
        JointLimit: a joint would leave its range.
        Unreachable: the arm reaches a singularity or the end of its reach; the Jacobian decides which.
    """
    from workcell.kinematics.forward import tool_pose

    begin = chain.joints(near)
    origin = tool_pose(chain, begin)
    found = closest(chain, pose, begin, limits)
    if found is None:
        metres, radians = origin.distance(pose)
        way = max(metres / reach_of(chain), radians)
    else:
        way = float(np.abs(found - begin).max())
        if way <= _PIECE:
            return found
    q, done, piece = begin, 0.0, 1.0 / (1 + int(min(way, 1.0) / _PIECE))
    least = piece / 32.0
    while done < 1.0:
        part = 1.0 if done + piece > 1.0 - 1e-9 else done + piece
        goal = pose if part == 1.0 else origin.interpolate(pose, part)
        found = closest(chain, goal, q, limits)
        if found is not None:
            q, done = found, part
        elif piece > least:
            piece *= 0.5
        else:
            raise _refusal(chain, pose, q, limits)
    return q


def end_of_range(chain: Chain, limits: FloatArray, beyond: FloatArray) -> JointLimit | None:
    """The refusal of joint values (n,) outside the limits (n, 2), for the joint farthest out; None if there is none."""
    excess = np.maximum(beyond - limits[:, 1], 0.0) - np.maximum(limits[:, 0] - beyond, 0.0)
    joint = int(np.abs(excess).argmax())
    if excess[joint] == 0.0:
        return None
    end = float(limits[joint, 1 if excess[joint] > 0.0 else 0])
    limit = said(end, chain.prismatic[joint], 6)
    return JointLimit(
        f"joint {joint + 1} is at the end of its range, {limit}.", joint=joint + 1, excess=float(excess[joint])
    )


def _refusal(chain: Chain, pose: Pose, q: FloatArray, limits: ArrayLike | None) -> KinematicsError:
    """The reason why an arm at ``q`` cannot continue to a pose nearby."""
    beyond = None if limits is None else closest(chain, pose, q)
    if beyond is not None:
        ended = end_of_range(chain, checked_limits(chain, limits), beyond)
        if ended is not None:
            return ended
    if not len(multi_start(chain, pose)):
        return Unreachable("the pose is out of the arm's reach.")
    if is_singular(chain, q):
        return Unreachable("the arm reaches a singularity there and cannot continue in this direction.")
    return Unreachable("no joint values nearby bring the hand there.")
