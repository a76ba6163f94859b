"""How joint speeds move the tool: Jacobians, velocities, accelerations and their conditioning."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import InvalidValue, UnknownName
from workcell.kinematics.dh import Chain, FloatArray, arm_of
from workcell.kinematics.structure import reach_of
from workcell.spatial import rotations


def jacobian(chain: Chain, q: ArrayLike, frame: str = "base") -> FloatArray:
    """The geometric Jacobian of the tool (6, n): rows vx, vy, vz [m/s], then wx, wy, wz [rad/s].

    Args:
        chain: the arm.
        q: joint values [rad or m].
        frame: the axes of the rows: ``base`` or ``tool``. The point is the tool's origin in both.
    """
    from workcell.kinematics._pinocchio import model_of

    values = chain.joints(q)
    matrix = model_of(chain).jacobian(values)
    if frame == "base":
        return matrix
    if frame != "tool":
        raise UnknownName.among("frame for a Jacobian", frame, ("base", "tool"))
    turn = model_of(chain).tool(values)[:3, :3].T
    return np.vstack([turn @ matrix[:3], turn @ matrix[3:]])


def jacobian_batch(chain: Chain, Q: ArrayLike) -> FloatArray:
    """The geometric Jacobians (N, 6, n) in base axes of many joint vectors (N, n)."""
    from workcell.kinematics import _kernels_numeric as kernel

    joints = chain.joints_batch(Q)
    out = np.empty((len(joints), 6, chain.n))
    kernel.jacobians(*arm_of(chain), joints, out)
    return out


def analytic_jacobian(chain: Chain, q: ArrayLike, convention: str) -> FloatArray:
    """The derivative of (x, y, z, angle 1, angle 2, angle 3) by the joints (6, n), angles in a named convention.

    Raises:
        InvalidValue: the convention itself is singular here (gimbal lock).
    """
    from workcell.kinematics._pinocchio import model_of

    values = chain.joints(q)
    matrix = jacobian(chain, values)
    rates = _angle_rates(model_of(chain).tool(values)[:3, :3], convention)
    size = np.linalg.svd(rates, compute_uv=False)
    if size[-1] < 1e-9 * size[0]:
        raise InvalidValue(f"The angles of {convention!r} are singular at this orientation (gimbal lock).")
    return np.vstack([matrix[:3], np.linalg.solve(rates, matrix[3:])])


def _angle_rates(rotation: FloatArray, convention: str) -> FloatArray:
    """The matrix that takes the rates of three angles to the angular velocity in base axes."""
    angles = rotations.to_angles(rotation, convention)
    columns = np.empty((3, 3))
    if convention in rotations.ROTATION_VECTORS:
        angle = float(np.linalg.norm(angles))
        skew = np.array([[0.0, -angles[2], angles[1]], [angles[2], 0.0, -angles[0]], [-angles[1], angles[0], 0.0]])
        if angle < 1e-8:
            return np.asarray(np.eye(3) + 0.5 * skew)
        first = (1.0 - math.cos(angle)) / angle**2
        second = (angle - math.sin(angle)) / angle**3
        return np.asarray(np.eye(3) + first * skew + second * skew @ skew)
    order = rotations.EULER[convention]
    turned = np.eye(3)
    for axis, place in zip(order.axes, order.places, strict=True):
        unit = np.eye(3)["xyz".index(axis)]
        columns[:, place] = turned @ unit
        turned = turned @ rotations.about_vector(unit, float(angles[place]))
    return columns


def velocity(chain: Chain, q: ArrayLike, qd: ArrayLike) -> FloatArray:
    """The tool's velocity in base axes (6,): linear [m/s], then angular [rad/s]."""
    return np.asarray(jacobian(chain, q) @ chain.joints(qd))


def acceleration(chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> FloatArray:
    """The tool's acceleration in base axes (6,): linear [m/s²], then angular [rad/s²]."""
    from workcell.kinematics._pinocchio import model_of

    return model_of(chain).acceleration(chain.joints(q), chain.joints(qd), chain.joints(qdd))


def joint_velocity(chain: Chain, q: ArrayLike, twist: ArrayLike) -> FloatArray:
    """The least joint speeds (n,) that move the tool with a twist (6,) in base axes, as nearly as possible."""
    wanted = rotations.finite(twist, (6,), "A twist")
    return np.asarray(np.linalg.pinv(jacobian(chain, q), rcond=1e-12) @ wanted)


def manipulability(chain: Chain, q: ArrayLike) -> float:
    """Yoshikawa's measure: the volume √det(J·Jᵀ) of the velocity ellipsoid; 0 at a singularity.

    For an arm with fewer than six joints it is the volume in the directions in which it can move: √det(Jᵀ·J).
    """
    return float(np.prod(np.linalg.svd(jacobian(chain, q), compute_uv=False)))


def condition_number(chain: Chain, q: ArrayLike, length: float | None = None) -> float:
    """The largest singular value of the Jacobian divided by the smallest; 1 is best, infinite is singular.

    Args:
        chain: the arm.
        q: joint values [rad or m].
        length: the length [m] that counts as one radian; by default half the arm's reach.
    """
    matrix = np.array(jacobian(chain, q))
    unit = reach_of(chain) / 2.0 if length is None else length
    if not unit > 0.0:
        raise InvalidValue(f"The characteristic length must be positive; found {unit}.")
    matrix[:3] /= unit
    values = np.linalg.svd(matrix, compute_uv=False)
    return float("inf") if values[-1] <= 1e-14 * values[0] else float(values[0] / values[-1])
