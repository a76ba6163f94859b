"""Configurations that bring the tool of a robot or machine to poses: all branches and whole turns within limits."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Unreachable
from workcell.robots.machine import Machine
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.planning.space import Space

Array = NDArray[np.float64]

MOST = 96
"""How many configurations of one goal are kept, those nearest to the start first."""
_TURN = 2.0 * math.pi
_PLACES = 9
"""At how many values of each axis that carries an arm its inverse kinematics is asked."""

_LOOKS = 4096
"""At how many configurations it is looked where the tool can be."""


def solutions(space: Space, poses: Array, start: Array, what: object) -> Array:
    """All configurations (k, n) with the tool at one of many poses in the world (N, 4, 4), nearest to the start first.

    Raises:
        Unreachable: there are none; the error has the reason for the first pose.
    """
    Q = solved(space, poses, start)
    if not len(Q):
        raise unreachable(space, poses[0], start, what)
    return Q


def solved(space: Space, poses: Array, start: Array) -> Array:
    """The same; none (0, n) where no pose can be reached."""
    rows = _machine_rows(space, poses, start) if isinstance(space.device, Machine) else _arm_rows(space, poses)
    found = [turned(row, space.limits, space.turns, start) for row in rows]
    Q = np.concatenate([np.empty((0, space.n)), *found])
    order = np.argsort(((Q - start) ** 2 * space.weights**2).sum(axis=1), kind="stable")
    return np.asarray(Q[order[:MOST]])


def unreachable(space: Space, pose: Array, start: Array, what: object) -> Unreachable:
    """The error for a goal, with the reason for one pose in the world (4, 4)."""
    from workcell.kinematics.unreachable import unreachable_error

    robot, state = space.snapshot.robot(space.arm).robot, space.state_at(start)
    seen = space.snapshot.base_pose(state, space.arm).inverse() @ Pose(pose)
    error = unreachable_error(robot.chain, seen, robot.limits)
    return Unreachable(f"{space.robot} cannot reach {what}. {error.message}", **error.evidence)


def reached(space: Space, start: Array, seed: int) -> Array:
    """Poses of the tool in the world at configurations drawn within limits (N, 4, 4), that at the start first."""
    box = space.box(start[None])
    Q = np.random.default_rng(seed).uniform(box[:, 0], box[:, 1], (_LOOKS, space.n))
    Q[0] = start
    if isinstance(space.device, Machine):
        return np.array([space.hand(q).matrix for q in Q])
    base = space.snapshot.base_pose(space.state, space.arm).matrix
    return np.asarray(base @ space.device.fk_batch(Q))


def _arm_rows(space: Space, poses: Array) -> Array:
    robot = space.snapshot.robot(space.arm).robot
    back = space.snapshot.base_pose(space.state, space.arm).inverse().matrix
    Q, valid = robot.ik_batch(np.ascontiguousarray(back @ poses), within_limits=True, threads=1)
    return np.asarray(Q[valid])


def _machine_rows(space: Space, poses: Array, start: Array) -> Array:
    """The arm's solutions with the axes that carry it where they are, and at places all over their ranges."""
    assert isinstance(space.device, Machine)
    robot = space.snapshot.robot(space.arm).robot
    columns = space.hand_columns
    others = np.ones(space.n, dtype=bool)
    others[columns] = False
    box = space.box(start[None])[others]
    grids = [np.linspace(low, high, _PLACES if len(box) < 3 else 3) for low, high in box]
    places = [start[others], *(np.array(one) for one in itertools.product(*grids))]
    found = []
    for place in places:
        row = start.copy()
        row[others] = place
        back = space.snapshot.base_pose(space.state_at(row), space.arm).inverse().matrix
        Q, valid = robot.ik_batch(np.ascontiguousarray(back @ poses), within_limits=True, threads=1)
        rows = np.repeat(row[None], int(valid.sum()), axis=0)
        rows[:, columns] = Q[valid]
        found.append(rows)
    return np.concatenate([np.empty((0, space.n)), *found])


def turned(q: Array, limits: Array, turns: NDArray[np.bool_], start: Array) -> Array:
    """A configuration and those whole turns away from it that keep the limits (k, n).

    Of a joint without limits the turn nearest to the start is taken, and one more to either side.
    """
    choices = []
    for j, value in enumerate(q):
        if not turns[j]:
            choices.append([float(value)])
            continue
        nearest = value + _TURN * round((start[j] - value) / _TURN)
        low, high = limits[j]
        if not np.isfinite(low) or not np.isfinite(high):
            some = [nearest + _TURN * k for k in (-1, 0, 1)]
        else:
            first = math.ceil((low - 1e-9 - value) / _TURN)
            last = math.floor((high + 1e-9 - value) / _TURN)
            some = [value + _TURN * k for k in range(first, last + 1)]
        choices.append([min(max(float(one), low), high) for one in some if low - 1e-9 <= one <= high + 1e-9])
    return np.array(list(itertools.islice(itertools.product(*choices), 512))).reshape(-1, len(q))
