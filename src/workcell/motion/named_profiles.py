"""Motion profiles by name: how long a move takes, and how its speed grows and falls.

``linear`` is the constant speed of the thesis; the others keep speed and acceleration limits at every instant. Along a
path of the hand, a profile gives the way s over time; the joints are then polynomials of polynomials, again exact.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import MotionError, UnknownName
from workcell.motion import profiles
from workcell.motion.limits import Binding, Limits, bindings
from workcell.motion.path import JointPath
from workcell.motion.profile_names import PROFILES
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory, pieced
from workcell.robots.machine import Machine
from workcell.robots.robot import Robot
from workcell.wording import joint_words

Array = NDArray[np.float64]

_METHODS = {"time-optimal": "own", "toppra": "toppra"}
_STEADY = 1e-6
"""The fraction of its limit by which an acceleration may jump with limited jerk, due to rounding in splines."""
JERK_TIME = 0.1
"""The default jerk reaches full acceleration in this time [s]; robot files give no jerk."""


@dataclass(frozen=True)
class _Known:
    """The limits of a robot at a speed, kept for its moves."""

    robot: Robot | Machine
    all: Limits
    smooth: Limits
    """Speeds and accelerations."""
    speeds: Limits
    """Speeds only."""


_MOST_KEPT = 1024
_known: dict[tuple[int, float], _Known] = {}
"""Limits by the identity of the robot and its speed. Hashing a robot at every move would cost more than the limits."""


def _known_limits(robot: Robot | Machine, speed: float) -> _Known:
    found = _known.get((id(robot), speed))
    if found is None or found.robot is not robot:
        if len(_known) >= _MOST_KEPT:
            _known.clear()
        top = np.minimum(robot.speeds, speed)
        every = Limits(top, robot.accelerations, robot.accelerations / JERK_TIME, robot.limits)
        found = _Known(robot, every, Limits(every.speed, every.acceleration), Limits(every.speed))
        _known[id(robot), speed] = found
    return found


def limits_of(robot: Robot | Machine, speed: float) -> Limits:
    """Return the limits of the joints of a robot, none faster than the set speed [rad/s or m/s]."""
    return _known_limits(robot, speed).all


def asked_speeds(robot: Robot | Machine, speed: float) -> Array:
    """Return a nominal speed for every joint (n,); beside revolute joints, a sliding joint also keeps its own limit."""
    slides = np.array([row.prismatic for row in robot.rows])
    if slides.all():
        return np.full(len(slides), speed)
    return np.where(slides, np.minimum(robot.speeds, speed), speed)


def joint_line(robot: Robot | Machine, q0: Array, q1: Array, profile: str, speed: float) -> Trajectory:
    """Return the motion from one joint vector to another in which all joints arrive together."""
    checked_profile(profile)
    if profile == "linear" and isinstance(robot, Machine):
        taken = float((np.abs(q1 - q0) / np.minimum(robot.speeds, speed)).max())
        return profiles.linear(q0, q1, float(np.abs(q1 - q0).max()) / taken) if taken else Trajectory.constant(q0)
    if profile == "linear":
        return required_speeds(robot, profiles.linear(q0, q1, asked_speeds(robot, speed)), speed)
    smooth = _known_limits(robot, speed).smooth
    if profile == "345":
        return profiles.polynomial(q0, q1, smooth)
    if profile == "spline":
        return profiles.spline([q0, q1], smooth) if (q1 - q0).any() else Trajectory.constant(q0)
    if profile == "trapezoid":
        return profiles.straight_trapezoid(q0, q1, smooth)
    if profile == "jerk":
        return profiles.jerk_limited(q0, q1, limits_of(robot, speed))
    if not (q1 - q0).any():
        return Trajectory.constant(q0)
    return time_optimal(JointPath.polyline([q0, q1]), smooth, method=_METHODS[profile])


def along(
    robot: Robot | Machine, path: JointPath, profile: str, speed: float, hand_speed: float | None = None
) -> Trajectory:
    """Return a motion along a joint path whose parameter is the way of the hand.

    Args:
        robot: the robot whose limits are kept.
        path: joint values over the way s [m].
        profile: one of ``PROFILES``.
        speed: the greatest joint speed [rad/s or m/s].
        hand_speed: the greatest speed along the path [m/s], or None.
    """
    checked_profile(profile)
    limits = limits_of(robot, speed)
    if profile in _METHODS:
        smooth = _known_limits(robot, speed).smooth
        return time_optimal(path, smooth, path_speed=hand_speed, method=_METHODS[profile])
    if profile == "linear":
        v = _pace(path.curve, limits.speed, hand_speed)
        return path.curve.stretched(1.0 / v)
    # The hand stops where its direction jumps and, with limited jerk, where its curvature does.
    bends = _bends(path, limits, hand_speed) if profile == "jerk" else np.empty(0)
    rests = [0.0, *np.union1d(path.corners(), bends).tolist(), path.length]
    whole: Trajectory | None = None
    for a, b in itertools.pairwise(rests):
        part = _profiled(path.curve.part(a, b), profile, limits, hand_speed)
        whole = part if whole is None else whole.then(part)
    assert whole is not None
    return whole


def bound_by(robot: Robot | Machine, trajectory: Trajectory, profile: str, speed: float) -> tuple[Binding, ...]:
    """Return which joint is at which of its limits, and when."""
    if trajectory.duration == 0.0:
        return ()
    known = _known_limits(robot, speed)
    limits = known.speeds if profile == "linear" else known.all if profile == "jerk" else known.smooth
    return bindings(trajectory, limits, 0.99)


def limiting(trajectory: Trajectory, bound: tuple[Binding, ...], hand_speed: float | None = None) -> str:
    """Return what limited a motion, for people."""
    if trajectory.duration == 0.0:
        return "nothing moved"
    spent: dict[tuple[int, str], float] = {}
    for joint, limit, start, end in bound:
        spent[joint, limit] = spent.get((joint, limit), 0.0) + end - start
    if not spent:
        return "shape of its profile" if hand_speed is None else "speed of the hand"
    joint, kind = max(sorted(spent), key=spent.__getitem__)
    if hand_speed is not None and trajectory.duration - sum(spent.values()) > spent[joint, kind]:
        return "speed of the hand"  # no joint is at a limit for longer than that
    return f"{kind} of joint {joint}"


def checked_profile(profile: str) -> str:
    """Return the profile with this name; an unknown one is refused."""
    if profile not in PROFILES:
        raise UnknownName.among("motion profile", str(profile), PROFILES)
    return profile


def required_speeds(robot: Robot | Machine, trajectory: Trajectory, speed: float) -> Trajectory:
    """Return the motion if no joint is too fast; otherwise the refusal gives the possible speed."""
    found = trajectory.max_speed()
    over = found / robot.speeds
    joint = int(over.argmax())
    if over[joint] > 1.0 + 1e-9:
        size, unit = (1.0, "m/s") if robot.rows[joint].prismatic else (180.0 / np.pi, "°/s")
        raise MotionError(
            f"{joint_words(joint + 1, robot.joint_names[joint])} of {robot.name} would move at "
            f"{found[joint] * size:.6g} {unit}; its limit is {robot.speeds[joint] * size:.6g} {unit}. "
            f"Set a speed of {speed / over[joint] * 0.9999 * size:.4g} {unit} or less.",
            joint=joint + 1,
            speed=float(found[joint]),
            allowed=float(robot.speeds[joint]),
        )
    return trajectory


def _pace(curve: Trajectory, speeds: Array, hand_speed: float | None) -> float:
    """Return the greatest constant ṡ that keeps the joint speeds."""
    v = 1.0 / float((curve.max_speed() / speeds).max())
    return v if hand_speed is None else min(v, hand_speed)


def _profiled(curve: Trajectory, profile: str, limits: Limits, hand_speed: float | None) -> Trajectory:
    slope = curve.max_speed()
    v = _pace(curve, limits.speed, hand_speed)
    moving = slope > 0.0
    assert limits.acceleration is not None
    assert limits.jerk is not None
    a = float((limits.acceleration[moving] / slope[moving]).min())
    j = float((limits.jerk[moving] / slope[moving]).min())
    ends = [0.0], [curve.duration]
    if profile == "345":
        progress = profiles.polynomial(*ends, Limits.of(1, v, a))
    elif profile == "spline":
        progress = profiles.spline(ends, Limits.of(1, v, a))
    elif profile == "trapezoid":
        progress = profiles.trapezoid(*ends, Limits.of(1, v, a))
    else:
        progress = profiles.jerk_limited(*ends, Limits.of(1, v, a, j))
    motion = composed(curve, progress)
    keep = limits if profile == "jerk" else Limits(limits.speed, limits.acceleration)
    # Where the path bends, accelerations add up: the whole is stretched until the tightest limit is just kept.
    only = Limits(keep.speed, keep.acceleration, keep.jerk)
    factor = profiles.excess(motion, only)
    return profiles.within(motion.stretched(factor if hand_speed is None else max(factor, 1.0)), only)


def _bends(path: JointPath, limits: Limits, hand_speed: float | None) -> Array:
    """Return where the path bends so suddenly that, at speed, an acceleration would jump by a fraction of its limit."""
    v = _pace(path.curve, limits.speed, hand_speed)
    jumps = np.abs(path.curve.acceleration_jumps()) * v * v
    return np.asarray(path.curve.breaks[1:-1][(jumps > _STEADY * limits.required("acceleration", "Jerk")).any(axis=1)])


def composed(curve: Trajectory, progress: Trajectory) -> Trajectory:
    """Return joint values over time: the curve over s, with s from a rising motion of one joint."""
    knots = curve.breaks
    inner = times_at(progress, knots[1:-1])
    breaks = np.unique(np.concatenate([progress.breaks, inner]))
    breaks = breaks[np.concatenate([[True], np.diff(breaks) > 1e-12 * breaks[-1]])]
    breaks[-1] = progress.duration
    degree = curve.degree * progress.degree
    coefficients = np.zeros((len(breaks) - 1, degree + 1, curve.n))
    for i, (a, b) in enumerate(itertools.pairwise(breaks)):
        part = progress.part(float(a), float(b))
        # A break that rounding put beside one of the progress leaves a sliver of the piece before it.
        inside = int(np.searchsorted(part.breaks, 0.5 * (b - a), side="right")) - 1
        s = part.coefficients[inside, :, 0].copy()
        middle = float(progress.position(0.5 * (a + b))[0])
        piece = min(max(int(np.searchsorted(knots, middle, side="right")) - 1, 0), curve.pieces - 1)
        s[0] -= knots[piece]
        power = np.array([1.0])
        for order in range(curve.degree + 1):
            coefficients[i, : len(power)] += power[:, None] * curve.coefficients[piece, order]
            power = np.convolve(power, s)
    return pieced(breaks, coefficients)


def times_at(progress: Trajectory, places: Array) -> Array:
    """Return when a rising motion passes places (K,), by bisection."""
    low, high = np.zeros(len(places)), np.full(len(places), progress.duration)
    for _ in range(60 if len(places) else 0):
        middle = 0.5 * (low + high)
        before = progress.sample(middle)[:, 0] < places
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.asarray(0.5 * (low + high))
