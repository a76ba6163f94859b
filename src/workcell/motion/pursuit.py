"""Following a moving pose: the motion that keeps the hand on it and then brakes to rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Unreachable
from workcell.motion import steering
from workcell.motion.limits import Limits
from workcell.motion.moving_frame import MovingPose
from workcell.motion.nanoseconds import ending_at, joined
from workcell.motion.time_law import whole_nanoseconds
from workcell.motion.tracking_hand import TrackingHand
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

WINDOW = 10.0
"""How far into the future a motion follows before it is planned further [s]."""
_SAMPLE = 0.05


@dataclass(frozen=True)
class Pursuit:
    """A motion that follows a moving pose and comes to rest by itself.

    Attributes:
        motion: joint values over time.
        until: how long it follows before it brakes [s].
        ends: why it stops following: 'reach', 'range', 'speed', 'acceleration', or '' if it could continue.
        place: the position of the hand then (3,) [m].
    """

    motion: Trajectory
    until: float
    ends: str
    place: tuple[float, float, float]


def pursue(
    hand: TrackingHand,
    goal: MovingPose,
    begin: float,
    near: Array,
    limits: Limits,
    *,
    tolerance: float = 1e-6,
    angle_tolerance: float = 1e-5,
    window: float = WINDOW,
) -> Pursuit:
    """The motion that keeps the hand on a moving pose from a time on, as long as possible, and then brakes to rest.

    Args:
        hand: the arm.
        goal: the pose for its hand.
        begin: the time at which it begins [s]; the hand is there then, with the speed of the pose.
        near: joint values then (n,).
        limits: the limits of the joints; the jerk is used only for braking.
        tolerance: the greatest distance of the hand from the pose [m].
        angle_tolerance: the greatest angle of the hand from the pose [rad].
        window: the longest time to follow [s].
    """
    count = math.ceil(window / _SAMPLE)
    after = np.round(window / count * np.arange(count + 1.0) * 1e9) / 1e9
    times = begin + after
    states = goal.states(times, np.zeros(len(times), dtype=np.bool_))
    tools, velocity, acceleration = hand.tools(states)
    q, why = hand.along(tools, near)
    if not len(q):
        raise Unreachable("the pose is out of the arm's reach", time=begin)
    qd, qdd = hand.rates(q, velocity[: len(q)], acceleration[: len(q)])
    good = len(q)
    for rows, top, kind in ((qd, limits.speed, "speed"), (qdd, limits.acceleration, "acceleration")):
        if top is not None and (over := (np.abs(rows) > top * (1.0 + 1e-6)).any(axis=1)).any():
            at = int(over.argmax())
            if at < good:
                good, why = at, kind
    jumps = np.abs(np.diff(q[:good], axis=0)).max(axis=1, initial=0.0) > 0.5
    if jumps.any():
        good, why = int(jumps.argmax()) + 1, "reach"
    last = max(good - 1, 0)
    while True:
        until = float(after[last])
        if last == 0:
            state = np.stack([q[0], qd[0], qdd[0]])
            followed: Trajectory | None = None
        else:
            try:
                led = hand.led(
                    goal, begin, begin + until, near, tolerance=tolerance, angle_tolerance=angle_tolerance,
                    knots=max(4, last // 4),
                )  # fmt: skip
            except (KinematicsError, MotionError):
                last, why = last - max(1, last // 10), why or "reach"
                continue
            followed = ending_at(led.motion, until)
            state = np.stack([followed.position(until), followed.velocity(until), followed.acceleration(until)])
        brake, _ = whole_nanoseconds(steering.stop(state[0], state[1], state[2], limits), keep_start=True)
        if last == 0 or _inside(brake, limits):
            break
        last, why = last - 1, why or "range"
    motion = brake if followed is None else followed if brake.duration == 0.0 else joined(followed, brake)
    x, y, z = states[0, last, :3].tolist()
    return Pursuit(motion, until, why, (x, y, z))


def _inside(motion: Trajectory, limits: Limits) -> bool:
    if limits.position is None:
        return True
    low, high = motion.range()
    slack = 1e-9 * (1.0 + np.abs(limits.position))
    return bool(
        (low >= limits.position[:, 0] - slack[:, 0]).all() and (high <= limits.position[:, 1] + slack[:, 1]).all()
    )
