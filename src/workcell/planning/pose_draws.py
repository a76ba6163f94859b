"""Poses drawn around others: shifts and turns, points in a ball, orientations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workcell.spatial.pose import Pose

Array = NDArray[np.float64]


def paired(shifts: Array, turns: Array) -> list[tuple[Array, Array]]:
    """Shifts and turns side by side; where there is only one of either it goes with all."""
    count = max(len(shifts), len(turns))
    return [(shifts[min(k, len(shifts) - 1)], turns[min(k, len(turns) - 1)]) for k in range(count)]


def offset(shift: Array, turn: Array) -> Array:
    """A shift and a turn by a rotation vector (4, 4)."""
    out = np.eye(4)
    angle = float(np.linalg.norm(turn))
    if angle > 0.0:
        x, y, z = turn / angle
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        out[:3, :3] += math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
    out[:3, 3] = shift
    return out


def in_ball(rng: np.random.Generator, count: int) -> Array:
    """Points in the unit ball (count, 3)."""
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    return np.asarray(way * rng.uniform(size=(count, 1)) ** (1.0 / 3.0))


def orientations(rng: np.random.Generator, count: int) -> Array:
    """Rotations drawn evenly (count, 3, 3)."""
    w = rng.normal(size=(count, 4))
    w /= np.linalg.norm(w, axis=1)[:, None]
    a, b, c, d = w.T
    return np.stack(
        [
            1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c),
            2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b),
            2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c),
        ],
        axis=1,
    ).reshape(-1, 3, 3)  # fmt: skip


def moved_to(pose: Pose, place: Pose) -> Pose:
    """A pose with the orientation of one and the position of another."""
    X = np.array(pose.matrix)
    X[:3, 3] = place.xyz
    return Pose(X)
