"""Poses of bodies for the wire: seven numbers each, along a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.service.protocol import MAX_SAMPLES
from workcell.simulation.playback import body_poses

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.world.snapshot import Snapshot

_SIGNS = np.array([[1, 1, 1, 1], [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=np.float64)
"""Row k turns (1, r00, r11, r22) into four times the square of quaternion component k."""


def seven(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """X y z [m] and the quaternion w x y z (w ≥ 0) of each matrix [..., 4, 4]."""
    rotation = matrices[..., :3, :3]
    diagonal = np.stack(
        [np.ones(matrices.shape[:-2]), rotation[..., 0, 0], rotation[..., 1, 1], rotation[..., 2, 2]], axis=-1
    )
    squares = diagonal @ _SIGNS.T  # 4w², 4x², 4y², 4z²
    # Divide by the largest component: it is at least one half, so nothing is lost by cancellation.
    r = rotation
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
    largest = np.argmax(squares, axis=-1)
    quaternion = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    quaternion *= np.where(quaternion[..., :1] < 0.0, -1.0, 1.0)
    return np.concatenate([matrices[..., :3, 3], quaternion], axis=-1)


def along(
    snapshot: Snapshot,
    recording: Recording,
    start: float,
    step: float,
    count: int,
    *,
    bodies: Sequence[int] = (),
) -> NDArray[np.float32]:
    """Body poses [count, bodies, 7] at ``start + i·step`` [s], held at the ends of the recording."""
    known = len(snapshot.bodies)
    wrong = [place for place in bodies if not 0 <= place < known]
    if wrong:
        raise InvalidValue(f"The scene has bodies 0 to {known - 1}; {wrong[0]} is not one of them.")
    times = sample_times(recording, start, step, count)
    matrices = body_poses(snapshot, recording, times)
    return seven(matrices[:, list(bodies)] if bodies else matrices).astype(np.float32)


def joints_along(
    snapshot: Snapshot, recording: Recording, start: float, step: float, count: int
) -> NDArray[np.float32]:
    """Joint values [count, columns] of every robot, one after the other, at the same times as :func:`along`."""
    times = sample_times(recording, start, step, count)
    moved = recording.joints_at(times)
    columns = [
        moved[placed.name] if placed.name in moved else np.tile(recording.start.joints[placed.name], (count, 1))
        for placed in snapshot.robots
    ]
    return np.hstack([np.empty((count, 0)), *columns]).astype(np.float32)


def sample_times(recording: Recording, start: float, step: float, count: int) -> NDArray[np.float64]:
    """The times ``start + i·step`` [s], held at the ends of the recording."""
    if not (np.isfinite(start) and np.isfinite(step) and step > 0.0):
        raise InvalidValue(f"Poses need a finite start and a positive step [s]; got {start} and {step}.")
    if not 1 <= count <= MAX_SAMPLES:
        raise InvalidValue(f"Poses can be asked for 1 to {MAX_SAMPLES} samples at once, not {count}.")
    return np.clip(start + step * np.arange(count), recording.start.time, recording.end)
