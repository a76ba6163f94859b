"""Unit quaternions (w, x, y, z) of many rotations at once, and poses as seven numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SIGNS = np.array([[1, 1, 1, 1], [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=np.float64)
"""Row k turns (1, r00, r11, r22) into four times the square of quaternion component k."""


def of_rotations(rotations: Array) -> Array:
    """The quaternion with w ≥ 0 of each rotation: (…, 3, 3) to (…, 4)."""
    r = rotations
    diagonal = np.stack([np.ones(r.shape[:-2]), r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]], axis=-1)
    squares = diagonal @ _SIGNS.T  # 4w², 4x², 4y², 4z²
    wx, wy, wz = r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]
    xy, xz, yz = r[..., 1, 0] + r[..., 0, 1], r[..., 0, 2] + r[..., 2, 0], r[..., 2, 1] + r[..., 1, 2]
    products = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], axis=-1),
            np.stack([wx, squares[..., 1], xy, xz], axis=-1),
            np.stack([wy, xy, squares[..., 2], yz], axis=-1),
            np.stack([wz, xz, yz, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    # Divide by the largest component: it is at least one half, so nothing is lost by cancellation.
    largest = np.argmax(squares, axis=-1)
    quaternion = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    quaternion *= np.where(quaternion[..., :1] < 0.0, -1.0, 1.0)
    return np.asarray(quaternion)


def seven(poses: Array) -> Array:
    """Return x y z [m] and the quaternion w x y z (w ≥ 0) of each pose: (…, 4, 4) to (…, 7)."""
    return np.concatenate([poses[..., :3, 3], of_rotations(poses[..., :3, :3])], axis=-1)


def to_rotations(quaternions: Array) -> Array:
    """The rotation of each unit quaternion: (…, 4) to (…, 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def continuous(quaternions: Array) -> Array:
    """The same rotations (N, 4), each as the one of its two quaternions that is nearer to the one before."""
    turns = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return np.asarray(quaternions * np.concatenate([[1.0], np.cumprod(turns)])[:, None])
