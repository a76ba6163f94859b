"""From one joint vector to another: how position grows with time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.motion.frames import frame_times as frame_times
from workcell.motion.frames import positive
from workcell.motion.trajectory import Trajectory, joint_values

Array = NDArray[np.float64]


def linear(q0: ArrayLike, q1: ArrayLike, speed: float | ArrayLike) -> Trajectory:
    """Constant velocity, every joint arriving at once (Kahloun 1987, eq 4.27).

    Args:
        q0: joint values at the start (n,) [rad or m].
        q1: joint values at the end (n,).
        speed: of the joint that moves most [rad/s]; or one speed a joint (n,), of which none is exceeded.

    Returns:
        A trajectory of the duration max |q1 − q0| / speed; of no duration when nothing moves.
    """
    first = joint_values(q0, "The joint values to start from")
    last = joint_values(q1, "The joint values to go to", first.shape[0])
    travel = last - first
    duration = float((np.abs(travel) / per_joint(speed, first.shape[0], "A joint speed", "rad/s")).max())
    if duration == 0.0:
        return Trajectory.constant(first)
    return Trajectory(np.array([0.0, duration]), np.stack([first, travel / duration])[None])


def per_joint(value: float | ArrayLike, n: int, what: str, unit: str) -> Array:
    """One positive number a joint from one number for all or from n of them."""
    if np.ndim(value) == 0:
        return np.full(n, positive(value, what, unit))  # type: ignore[arg-type]
    values = joint_values(value, f"{what} for each joint", n)
    if not (values > 0.0).all():
        joint = int((values <= 0.0).argmax())
        raise InvalidValue(
            f"{what} must be above 0 {unit}; joint {joint + 1} has {values[joint]:g}.", joint=joint + 1
        )
    return values
