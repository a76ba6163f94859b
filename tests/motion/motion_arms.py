"""Two small arms for these tests alone: forward by plain matrices, inverse by formula or Newton steps."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Unreachable
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

# A Puma-like arm: a, alpha, d of each row [m, rad].
ROWS = np.array(
    [
        [0.0, math.pi / 2, 0.67],
        [0.43, 0.0, 0.0],
        [0.02, -math.pi / 2, 0.15],
        [0.0, math.pi / 2, 0.43],
        [0.0, -math.pi / 2, 0.0],
        [0.0, 0.0, 0.06],
    ]
)
READY = np.array([0.3, 0.9, -2.2, 0.4, 0.8, -0.3])


def forward(q: Array) -> Array:
    """Poses (N, 4, 4) of the six-axis arm."""
    out = np.broadcast_to(np.eye(4), (q.shape[0], 4, 4)).copy()
    for i, (a, alpha, d) in enumerate(ROWS):
        c, s = np.cos(q[:, i]), np.sin(q[:, i])
        ca, sa = math.cos(alpha), math.sin(alpha)
        step = np.zeros((q.shape[0], 4, 4))
        step[:, 0] = np.stack([c, -s * ca, s * sa, a * c], axis=1)
        step[:, 1] = np.stack([s, c * ca, -c * sa, a * s], axis=1)
        step[:, 2, 1], step[:, 2, 2], step[:, 2, 3], step[:, 3, 3] = sa, ca, d, 1.0
        out = out @ step
    return out


def hand(q: Array) -> Pose:
    return Pose(forward(q[None])[0])


def _error(q: Array, want: Array) -> Array:
    got = forward(q[None])[0]
    turn = got[:3, :3].T @ want[:3, :3]
    skew = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate([got[:3, :3].T @ (want[:3, 3] - got[:3, 3]), skew])


def newton(pose: Pose, near: Array, /) -> Array:
    """Inverse kinematics by Newton steps from the joint values nearby."""
    q, want = near.copy(), pose.matrix
    for _ in range(40):
        e = _error(q, want)
        if np.abs(e).max() < 1e-13:
            break
        jacobian = np.empty((6, 6))
        for j in range(6):
            step = np.zeros(6)
            step[j] = 1e-6
            jacobian[:, j] = (_error(q - step, want) - _error(q + step, want)) / 2e-6
        dq = np.linalg.lstsq(jacobian, e, rcond=1e-9)[0]
        q = q + dq * min(1.0, 0.3 / max(float(np.abs(dq).max()), 1e-12))
    if np.abs(_error(q, want)).max() > 1e-9:
        raise Unreachable("no joint values reach the pose.")
    return q


def planar_forward(q: Array) -> Array:
    """Poses of a planar arm with links of 0.5 m and 0.4 m and a wrist that turns about z."""
    a, b, c = q[:, 0], q[:, 0] + q[:, 1], q.sum(axis=1)
    out = np.zeros((q.shape[0], 4, 4))
    out[:, 0, 0] = out[:, 1, 1] = np.cos(c)
    out[:, 0, 1], out[:, 1, 0] = -np.sin(c), np.sin(c)
    out[:, 2, 2] = out[:, 3, 3] = 1.0
    out[:, 0, 3] = 0.5 * np.cos(a) + 0.4 * np.cos(b)
    out[:, 1, 3] = 0.5 * np.sin(a) + 0.4 * np.sin(b)
    return out


def planar_solver(elbow: Callable[[float], float]) -> Callable[[Pose, Array], Array]:
    """The closed form, with the elbow's side (+1 or −1) as a function of x: a way to make it jump."""

    def solve(pose: Pose, near: Array, /) -> Array:
        x, y, _ = pose.xyz
        cosine = (x * x + y * y - 0.25 - 0.16) / 0.4
        if abs(cosine) > 1.0:
            raise Unreachable("the pose is out of reach.")
        q1 = elbow(float(x)) * math.acos(cosine)
        q0 = math.atan2(y, x) - math.atan2(0.4 * math.sin(q1), 0.5 + 0.4 * math.cos(q1))
        turn = math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])
        q = np.array([q0, q1, turn - q0 - q1])
        return q + 2.0 * math.pi * np.round((near - q) / (2.0 * math.pi))

    return solve
