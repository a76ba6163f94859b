"""Every way an arm can bring its tool to a pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.kinematics.closed_form import solve_batch, solver_of
from workcell.kinematics.dh import Chain, FloatArray
from workcell.kinematics.numeric import checked_limits
from workcell.kinematics.solutions import IKSolutions, fitted
from workcell.spatial.pose import Pose


def ik(chain: Chain, pose: Pose | ArrayLike, limits: ArrayLike | None = None) -> IKSolutions:
    """All joint values that bring the tool to the pose, whether within the limits or not.

    Args:
        chain: the arm.
        pose: the tool in the base.
        limits: (n, 2) [rad or m]; solutions then say whether they keep them, and by how much they do not.
    """
    if not isinstance(pose, Pose):
        pose = Pose(pose)
    solver = solver_of(chain)
    Q, flags = solver.solve(np.array(pose.matrix[None]))
    checked = None if limits is None else checked_limits(chain, limits)
    return IKSolutions(chain, Q[0], flags[0], solver.naming, checked)


def ik_batch(
    chain: Chain, poses: Sequence[Pose] | ArrayLike, limits: ArrayLike | None = None, threads: int | None = None
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """All branches of many poses: joint values (N, B, n), NaN where there is none, and which are valid (N, B).

    A slot is the same branch in every row for arms with named branches. With limits, a solution outside them is not
    valid but its values stay readable.

    Args:
        chain: the arm.
        poses: the tool in the base (N, 4, 4), or a sequence of poses.
        limits: (n, 2) [rad or m].
        threads: how many to use; all processors when not given.
    """
    matrices = checked_poses(poses)
    Q, flags = solve_batch(chain, matrices, threads)
    valid = flags.view(np.bool_) if flags.size and flags.max() <= 1 else flags != 0
    if limits is not None:
        array = checked_limits(chain, limits)
        flat, _, inside = fitted(Q.reshape(-1, chain.n), array, chain.prismatic)
        Q = flat.reshape(Q.shape)
        valid = valid & inside.reshape(valid.shape)
    return Q, valid


def checked_poses(poses: Sequence[Pose] | ArrayLike) -> FloatArray:
    """Poses as contiguous matrices (N, 4, 4), refused when the shape or a number is wrong or one is not rigid."""
    if isinstance(poses, (list, tuple)) and poses and isinstance(poses[0], Pose):
        return np.array([pose.matrix if isinstance(pose, Pose) else Pose(pose).matrix for pose in poses])
    try:
        array = np.ascontiguousarray(poses, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValue("Poses must be numbers of shape (N, 4, 4).") from error
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise InvalidValue(f"Poses must have shape (N, 4, 4); found {array.shape}.", shape=array.shape)
    if not array.flags.writeable:
        array = array.copy()  # one compiled variant serves both
    from workcell.kinematics import _kernels

    bad = _kernels.first_bad_pose(array)
    if bad >= 0:
        if not np.isfinite(array[bad]).all():
            raise InvalidValue(f"Pose {bad} of the batch is not finite.", row=bad)
        raise InvalidValue(f"Pose {bad} of the batch is not rigid: its upper left 3×3 is no rotation.", row=bad)
    return array
