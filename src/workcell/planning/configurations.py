"""All joint values of an arm for many poses of its tool, whole turns of its joints included."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from workcell.robots.robot import Robot

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_ALIKE = 1e-6
"""Joint values as near as this are one configuration [rad or m]."""
_TURN = 2.0 * np.pi


def configurations(robot: Robot, poses: Array, near: Array | None = None) -> tuple[Array, Indices]:
    """Joint values (M, n) within the limits that bring the tool to poses, and which pose (M,) each is for.

    Args:
        robot: the arm.
        poses: of its tool in its base (K, 4, 4).
        near: joint values (n,); configurations that are a whole turn of a joint away are listed too, the nearest
            to these first. Without them every solution is listed once.
    """
    if not len(poses):
        return np.empty((0, robot.n)), np.empty(0, dtype=np.int64)
    Q, valid = robot.ik_batch(poses, within_limits=True)
    which, slot = np.nonzero(valid)
    low, high = robot.limits[:, 0], robot.limits[:, 1]
    turning = np.array([not row.prismatic for row in robot.rows])
    found = np.clip(Q[which, slot], low, high)
    keep = _different(found, which, turning)
    found, which = found[keep], which[keep]
    if near is None:
        return found, which.astype(np.int64)
    for joint in np.flatnonzero(turning):
        parts, owners = [found], [which]
        for turn in (-_TURN, _TURN):
            fits = (found[:, joint] + turn >= low[joint]) & (found[:, joint] + turn <= high[joint])
            moved = found[fits].copy()
            moved[:, joint] += turn
            parts.append(moved)
            owners.append(which[fits])
        found, which = np.concatenate(parts), np.concatenate(owners)
    order = np.lexsort((np.abs(found - near).max(axis=1), which))
    return found[order], which[order].astype(np.int64)


def _different(Q: Array, which: Indices, turning: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which rows are unlike every earlier row of the same pose, whole turns aside; poses are in order."""
    keep = np.ones(len(Q), dtype=bool)
    edges = [0, *(np.flatnonzero(np.diff(which)) + 1).tolist(), len(Q)]
    for a, b in itertools.pairwise(edges):
        gap = Q[a:b, None] - Q[None, a:b]
        gap = np.where(turning, gap - _TURN * np.round(gap / _TURN), gap)
        keep[a:b] = ~np.tril(np.abs(gap).max(axis=2, initial=0.0) <= _ALIKE, -1).any(axis=1)
    return keep
