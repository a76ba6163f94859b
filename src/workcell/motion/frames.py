"""The times at which the thesis shows a motion: whole steps of the joint that moves most, then the remainder.

Kahloun 1987, section 4.4: m = ⌊Δθ/δθ⌋ whole steps (eq 4.26), δT = δθ/θ̇ (eq 4.27), every joint at its share
(eq 4.28), and one last frame for the remainder, if there is one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.cost import SAMPLES
from workcell.errors import InvalidValue
from workcell.motion.joint_values import joint_values
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

_WHOLE = 1e-9
"""A remainder below this share of a step is rounding and gets no frame."""


def frame_times(trajectory: Trajectory, step: float) -> Array:
    """The times [s] of the frames after the start, the last one the end: (frames,).

    65° in steps of 10° gives 7 frames (six whole and 5°), 70° also gives 7. Standing still gives one frame at the
    end if it takes time, and none if it takes none.

    Args:
        trajectory: the motion; if it is not linear, its mean speed replaces θ̇.
        step: δθ, the distance between two frames of the joint that travels most [rad or m].
    """
    parts = _parts(float(_travel(trajectory).max()), step)
    if parts.size == 0:
        return np.array([trajectory.duration]) if trajectory.duration > 0.0 else parts
    return parts * trajectory.duration


def joint_by_joint(q0: ArrayLike, q1: ArrayLike, speed: float, step: float) -> tuple[Array, Array]:
    """The frames of the joint-by-joint mode: clock times (frames,) [s] and joint values (frames, n).

    The joints move one after the other, each in m_i whole steps and its remainder. The clock advances only
    while the joint with the most travel moves (section 4.4.3), so it ends at the time that the real arm would take.
    """
    first = joint_values(q0, "The joint values to start from")
    last = joint_values(q1, "The joint values to go to", first.shape[0])
    speed = positive(speed, "A joint speed", "rad/s")
    moves = last - first
    longest = int(np.abs(moves).argmax())
    times: list[float] = []
    rows: list[Array] = []
    clock, q = 0.0, first.copy()
    for joint in range(first.shape[0]):
        travel = abs(float(moves[joint]))
        for part in _parts(travel, step):
            q[joint] = last[joint] if part == 1.0 else first[joint] + part * moves[joint]
            rows.append(q.copy())
            times.append(part * travel / speed if joint == longest else clock)
        if joint == longest:
            clock = travel / speed
    return np.array(times), np.array(rows).reshape(len(rows), first.shape[0])


def positive(value: float, what: str, unit: str) -> float:
    """Return a finite number above zero; refuse any other with its name and unit."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InvalidValue(f"{what} must be a number of {unit}, not {value!r}.")
    if not (math.isfinite(value) and value > 0.0):
        raise InvalidValue(f"{what} must be above 0 {unit}, not {value:g}.", value=float(value))
    return float(value)


def _parts(travel: float, step: float) -> Array:
    """The fractions of a travel at which frames are: δ/Δ, 2δ/Δ, …, 1; empty if nothing moves."""
    step = positive(step, "A step between frames", "rad")
    if travel == 0.0:
        return np.empty(0)
    ratio = travel / step
    SAMPLES.check(ratio, f"A travel of {travel:.4g} with a frame every {step:.4g} (rad or m)")
    whole = round(ratio)
    if abs(ratio - whole) > _WHOLE * max(1.0, ratio):
        whole = math.floor(ratio) + 1
    parts: Array = np.arange(1.0, max(whole, 1) + 1.0) * (step / travel)
    parts[-1] = 1.0
    return parts


def _travel(trajectory: Trajectory) -> Array:
    """The distance of each joint, there and back counted twice (n,)."""
    if trajectory.degree <= 1:
        breaks = trajectory.breaks
    else:
        # Enough for a display: a joint that turns back inside a sub-interval is counted only by its ends.
        breaks = np.linspace(0.0, trajectory.duration, 64 * trajectory.pieces + 1)
    return np.asarray(np.abs(np.diff(trajectory.sample(breaks), axis=0)).sum(axis=0))
