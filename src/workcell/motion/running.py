"""Endless motions: from the present state to a steady speed that lasts for ever.

Such a motion is a plain trajectory whose last polynomial lasts for :data:`FOREVER`, longer than any simulation. So it
is evaluated, bounded, cut and written like any other, and it stays small however long it runs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.motion import steering
from workcell.motion.chained import JointMotion
from workcell.motion.joint_values import joint_values
from workcell.motion.limits import Limits
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

FOREVER = 2.0**30
"""The duration of the last polynomial of an endless motion [s]: 34 years."""


def running(q0: ArrayLike, v0: ArrayLike, a0: ArrayLike, speed: ArrayLike, limits: Limits) -> Trajectory:
    """The motion from a state to a steady speed, reached as soon as the limits allow, each joint on its own.

    Seen from something that already moves at the new speed, the joints come to rest.

    Args:
        q0: present joint values (n,).
        v0: present velocities (n,) [1/s].
        a0: present accelerations (n,) [1/s²]; without a jerk limit they may step and do not matter.
        speed: the velocities to reach (n,) [1/s], of either sign; zero for a stop.
        limits: acceleration of each joint, and its jerk if it is limited; speeds and ranges are not used.
    """
    start, wanted = joint_values(q0, "The present joint values"), joint_values(speed, "The speeds to reach")
    now = joint_values(v0, "The present velocities", len(start))
    change = steering.stop(np.zeros(len(start)), now - wanted, a0, limits)
    breaks, rows = change.breaks, change.coefficients
    terms = max(rows.shape[1], 2)
    ramp = change.duration > 0.0
    found = np.zeros((len(rows) * ramp + 1, terms, len(start)))
    if ramp:
        found[:-1, : rows.shape[1]] = rows
        found[:-1, 0] += start + wanted * breaks[:-1, None]
        found[:-1, 1] += wanted
    found[-1, 0] = start + change.end + wanted * change.duration
    found[-1, 1] = wanted
    times = np.concatenate([breaks if ramp else breaks[:1], [FOREVER]])
    return Trajectory(times, found)


def runs_on(motion: JointMotion) -> bool:
    """Whether a motion is endless."""
    return motion.duration >= FOREVER


def steady_from(motion: Trajectory) -> float:
    """The time from which an endless motion has its steady speed [s]."""
    return float(motion.breaks[-2])
