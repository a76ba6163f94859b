"""Every way in which an arm can bring its tool to a pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.kinematics.closed_form import GeneralForm, ManyStarts, solve_batch, solver_of
from workcell.kinematics.dh import Chain, FloatArray
from workcell.kinematics.nearby import closest
from workcell.kinematics.numeric import checked_limits
from workcell.kinematics.solutions import VALID, IKSolutions, fitted
from workcell.spatial.pose import Pose


def by_iteration(chain: Chain) -> bool:
    """Whether an arm has no closed form: its solutions may be a continuum, and a list contains only some of them."""
    return isinstance(solver_of(chain), ManyStarts | GeneralForm)


def ik(
    chain: Chain, pose: Pose | ArrayLike, limits: ArrayLike | None = None, near: ArrayLike | None = None
) -> IKSolutions:
    """All joint values that bring the tool to the pose, within the limits or not.

    Args:
        chain: the arm.
        pose: the tool in the base.
        limits: (n, 2) [rad or m]; solutions then report whether they are within, and how far they are outside. An arm
            with a continuum of solutions lists only those within, if there are any.
        near: joint values (n,) [rad or m]; an arm without a closed form then lists first the solutions
            closest to them, found from them and from every other solution.
    """
    if not isinstance(pose, Pose):
        pose = Pose(pose)
    solver = solver_of(chain)
    checked = None if limits is None else checked_limits(chain, limits)
    matrices = np.array(pose.matrix[None])
    Q, flags = solver.solve(matrices, checked) if isinstance(solver, ManyStarts) else solver.solve(matrices)
    rows, marks = Q[0], flags[0]
    if near is not None and by_iteration(chain):
        starts = [chain.joints(near), *rows[marks > 0]]
        found = [closest(chain, pose, near, checked, start) for start in starts]
        closer = [q for q in found if q is not None]
        rows = np.concatenate([np.array(closer).reshape(-1, chain.n), rows])
        marks = np.concatenate([np.full(len(closer), VALID, dtype=np.uint8), marks])
    return IKSolutions(chain, rows, marks, solver.naming, checked)


def ik_batch(
    chain: Chain, poses: Sequence[Pose] | ArrayLike, limits: ArrayLike | None = None, threads: int | None = None
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """All branches of many poses: joint values (N, B, n), NaN if there is none, and which are valid (N, B).

    For arms with named branches, a slot is the same branch in every row. With limits, a solution outside them is not
    valid, but its values can be read.

    Args:
        chain: the arm.
        poses: the tool in the base (N, 4, 4), or a sequence of poses.
        limits: (n, 2) [rad or m].
        threads: the number of threads; by default one per processor.
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
    """Return poses as contiguous matrices (N, 4, 4); refuse a wrong shape or number, or a pose that is not rigid."""
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
        raise InvalidValue(f"Pose {bad} of the batch is not rigid: its upper left 3×3 is not a rotation.", row=bad)
    return array
