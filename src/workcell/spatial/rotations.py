"""Rotations as 3×3 matrices, and the named conventions for writing them as three numbers.

A convention is never assumed: every function that takes an angle triple also takes the name of its convention. Poses
are compared as matrices, because at the gimbal angle many triples describe one rotation.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, UnknownName
from workcell.spatial import quaternions

Matrix = NDArray[np.float64]


class EulerOrder(NamedTuple):
    """How three angles make a rotation.

    ``axes`` are the intrinsic axes in the order of multiplication (R = R_axes[0]·R_axes[1]·R_axes[2]), and
    ``places[i]`` is the index of the given number that turns about ``axes[i]``.
    """

    axes: str
    places: tuple[int, int, int]
    meaning: str


def _general() -> dict[str, EulerOrder]:
    orders = ["".join(o) for o in itertools.product("xyz", repeat=3) if o[0] != o[1] and o[1] != o[2]]
    named: dict[str, EulerOrder] = {}
    for order in orders:
        named[f"{order}_intrinsic"] = EulerOrder(order, (0, 1, 2), f"about the moving axes {', '.join(order)}")
        named[f"{order}_extrinsic"] = EulerOrder(order[::-1], (2, 1, 0), f"about the fixed axes {', '.join(order)}")
    return named


EULER: dict[str, EulerOrder] = {
    "ding_ypr": EulerOrder("xyz", (0, 1, 2), "yaw, pitch, roll: R = Rx(yaw)·Ry(pitch)·Rz(roll)"),
    "agent_rpy": EulerOrder("xyz", (2, 1, 0), "roll, pitch, yaw: R = Rx(yaw)·Ry(pitch)·Rz(roll)"),
    "kuka_abc": EulerOrder("zyx", (0, 1, 2), "A, B, C: R = Rz(A)·Ry(B)·Rx(C)"),
    "fanuc_wpr": EulerOrder("zyx", (2, 1, 0), "W, P, R: R = Rz(R)·Ry(P)·Rx(W)"),
    "urdf_rpy": EulerOrder("zyx", (2, 1, 0), "roll, pitch, yaw: R = Rz(yaw)·Ry(pitch)·Rx(roll)"),
    "yaskawa_xyz": EulerOrder("zyx", (2, 1, 0), "Rx, Ry, Rz: R = Rz(Rz)·Ry(Ry)·Rx(Rx)"),
    "staubli_xyz": EulerOrder("xyz", (0, 1, 2), "Rx, Ry, Rz: R = Rx·Ry·Rz"),
    "abb_zyx": EulerOrder("zyx", (0, 1, 2), "rz, ry, rx: R = Rz·Ry·Rx"),
    "kawasaki_oat": EulerOrder("zyz", (0, 1, 2), "O, A, T: R = Rz(O)·Ry(A)·Rz(T)"),
    "paul_zyz": EulerOrder("zyz", (0, 1, 2), "phi, theta, psi: R = Rz·Ry·Rz"),
    **_general(),
}
"""The conventions that are three turns about axes."""

ROTATION_VECTORS = ("ur_rotvec", "rotation_vector")
"""The conventions whose three numbers are axis × angle."""

CONVENTIONS: tuple[str, ...] = (*EULER, *ROTATION_VECTORS)
"""Every name that ``Pose.from_xyz_angles`` takes."""

_ORTHONORMAL = 1e-6
_ROUNDING = 1e-14
"""Rounding error of products of rotations; such a matrix is kept unchanged, so that a pose read again is the same."""
"""How far from orthonormal a typed matrix may be before it is refused."""


def finite(values: ArrayLike, shape: tuple[int, ...], what: str) -> Matrix:
    """Return the values as a float64 array of the given shape; refuse a wrong shape or number."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"{what} must be numbers of shape {shape}; found {values!r}.") from error
    if array.shape != shape:
        raise InvalidValue(f"{what} must have shape {shape}; found {array.shape}.", shape=array.shape)
    if not np.isfinite(array).all():
        raise InvalidValue(f"{what} must be finite; found {array.tolist()}.")
    return array


def about(axis: str, angle: float) -> Matrix:
    """The rotation about one coordinate axis 'x', 'y' or 'z' by ``angle`` [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    matrix = np.zeros((3, 3))
    matrix[i, i] = 1.0
    matrix[j, j] = matrix[k, k] = c
    matrix[k, j], matrix[j, k] = s, -s
    return matrix


def about_vector(axis: ArrayLike, angle: float) -> Matrix:
    """The rotation about any axis through the origin by ``angle`` [rad] (Rodrigues)."""
    u = unit(axis, "a rotation axis")
    if not math.isfinite(angle):
        raise InvalidValue(f"A rotation angle must be finite, not {angle}.")
    cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross))


def unit(vector: ArrayLike, what: str) -> Matrix:
    """The vector scaled to length one. A zero vector is refused, because it has no direction."""
    v = finite(vector, (3,), what)
    largest = float(np.abs(v).max())
    if largest == 0.0:
        raise InvalidValue(f"{what[0].upper()}{what[1:]} is the zero vector, which has no direction.")
    v = v / largest
    return np.asarray(v / float(np.linalg.norm(v)))


def from_angles(angles: ArrayLike, convention: str) -> Matrix:
    """The rotation that three angles [rad] describe in a convention of ``CONVENTIONS``."""
    triple = finite(angles, (3,), "Angles")
    if convention in EULER:
        order = EULER[convention]
        a, b, c = (about(axis, float(triple[place])) for axis, place in zip(order.axes, order.places, strict=True))
        return np.asarray(a @ b @ c)
    if convention in ROTATION_VECTORS:
        angle = float(np.linalg.norm(triple))
        return about_vector(triple, angle) if angle > 0.0 else np.eye(3)
    raise UnknownName.among("angle convention", str(convention), CONVENTIONS)


def to_angles(rotation: Matrix, convention: str) -> Matrix:
    """Three angles [rad] that describe the rotation. At the gimbal angle the last turn is zero."""
    if convention in ROTATION_VECTORS:
        return to_rotation_vector(rotation)
    if convention not in EULER:
        raise UnknownName.among("angle convention", str(convention), CONVENTIONS)
    order = EULER[convention]
    turns = _euler_turns(rotation, order.axes)
    angles = np.empty(3)
    for place, turn in zip(order.places, turns, strict=True):
        angles[place] = turn
    return angles


def _euler_turns(rotation: Matrix, axes: str) -> tuple[float, float, float]:
    """The three intrinsic turns about ``axes``: project the middle axis out, then undo the first turn."""
    i, j, k = ("xyz".index(a) for a in axes)
    proper = i == k
    other = 3 - i - j
    if proper:
        # The third axis meets the first at the middle angle.
        parity = 1.0 if (j - i) % 3 == 1 else -1.0
        sine = math.hypot(rotation[i, j], rotation[i, other])
        middle = math.atan2(sine, rotation[i, i])
        if sine > 1e-14:
            first = math.atan2(rotation[j, i], -parity * rotation[other, i])
        else:
            first = math.atan2(parity * rotation[other, j], rotation[j, j])
    else:
        parity = 1.0 if (j - i) % 3 == 1 else -1.0
        cosine = math.hypot(rotation[i, i], rotation[i, j])
        middle = math.atan2(parity * rotation[i, k], cosine)
        if cosine > 1e-14:
            first = math.atan2(-parity * rotation[j, k], rotation[k, k])
        else:
            first = math.atan2(parity * rotation[k, j], rotation[j, j])
    # After the first two turns are undone, the third is left: exact also near the gimbal angle.
    left = about(axes[1], -middle) @ about(axes[0], -first) @ rotation
    p, q = (k + 1) % 3, (k + 2) % 3
    return first, middle, math.atan2(left[q, p], left[p, p])


def to_rotation_vector(rotation: Matrix) -> Matrix:
    """Axis × angle [rad], the angle in [0, π]."""
    w, x, y, z = to_quaternion(rotation)
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-300:
        return np.zeros(3)
    return np.array([x, y, z]) * (2.0 * math.atan2(sine, w) / sine)


def from_quaternion(wxyz: ArrayLike) -> Matrix:
    """The rotation of a quaternion (w, x, y, z), which need not have length one."""
    q = finite(wxyz, (4,), "A quaternion (w, x, y, z)")
    largest = float(np.abs(q).max())
    if largest == 0.0:
        raise InvalidValue("The quaternion (0, 0, 0, 0) is not a rotation; the identity is (1, 0, 0, 0).")
    return quaternions.to_rotations(q / largest / np.linalg.norm(q / largest))


def to_quaternion(rotation: Matrix) -> Matrix:
    """The unit quaternion (w, x, y, z) with w ≥ 0."""
    return quaternions.of_rotations(rotation)


def checked(rotation: Matrix, what: str = "The matrix") -> Matrix:
    """Return the rotation nearest to a typed matrix; refuse a matrix that is not a rotation, with the reason.

    Rounding to six printed decimals is accepted.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # huge numbers are no rotation either
        gram = rotation.T @ rotation
        error = float(np.abs(gram - np.eye(3)).max())
    if not error <= _ORTHONORMAL:
        lengths = np.array([math.hypot(*column) for column in rotation.T])
        if np.abs(lengths - 1.0).max() > _ORTHONORMAL:
            column = int(np.abs(lengths - 1.0).argmax())
            reason = f"column {column + 1} has length {lengths[column]:.6g} instead of 1 (it scales)"
        else:
            off = np.abs(gram - np.diag(np.diag(gram)))
            i, j = sorted(int(n) for n in np.unravel_index(int(off.argmax()), (3, 3)))
            angle = math.degrees(math.acos(max(-1.0, min(1.0, gram[i, j]))))
            reason = f"columns {i + 1} and {j + 1} are at {angle:.6g}° instead of 90° (it shears)"
        raise InvalidValue(f"{what} is not a rotation: {reason}.", error=error)
    if np.linalg.det(rotation) < 0.0:
        raise InvalidValue(f"{what} is not a rotation: its determinant is −1 (it mirrors).", error=2.0)
    if error <= _ROUNDING:
        return rotation
    u, _, vt = np.linalg.svd(rotation)
    return np.asarray(u @ vt)
