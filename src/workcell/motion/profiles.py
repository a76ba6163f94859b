"""Profiles from one joint vector to another at rest: how position grows with time.

Every profile moves all joints along the straight line between the two joint vectors, so one function of
time s(t) from 0 to 1 serves all; its limits are the least of limit_j / |Δ_j| over the joints. With ``trapezoid``
and ``jerk_limited``, each joint can also move on its own and only arrive together with the others.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.motion.frames import frame_times as frame_times
from workcell.motion.joint_values import joint_values
from workcell.motion.limits import Limits, per_joint
from workcell.motion.trajectory import Trajectory, pieced

Array = NDArray[np.float64]

SYNCHRONISED = ("path", "time")
"""Ways of arriving together: along the straight joint line, or only at the same time."""


def linear(q0: ArrayLike, q1: ArrayLike, speed: float | ArrayLike) -> Trajectory:
    """Constant velocity, with all joints arriving together (Kahloun 1987, eq 4.27).

    Args:
        q0: joint values at the start (n,) [rad or m].
        q1: joint values at the end (n,).
        speed: the speed of the joint that moves most [rad/s]; or one speed per joint (n,), none of which is exceeded.

    Returns:
        A trajectory with the duration max |q1 − q0| / speed; zero if nothing moves.
    """
    first, travel = _ends(q0, q1)
    duration = float((np.abs(travel) / per_joint(speed, first.shape[0], "A joint speed", "rad/s")).max())
    if duration == 0.0:
        return Trajectory.constant(first)
    return Trajectory(np.array([0.0, duration]), np.stack([first, travel / duration])[None])


def linear_through(points: ArrayLike, speed: float | ArrayLike) -> Trajectory:
    """Linear moves through joint vectors (m, n) without a stop, each timed like ``linear``."""
    stations = way_points(points, None)
    top = per_joint(speed, stations.shape[1], "A joint speed", "rad/s")
    steps = np.diff(stations, axis=0)
    times = (np.abs(steps) / top).max(axis=1)
    coefficients = np.stack([stations[:-1], steps / times[:, None]], axis=1)
    return pieced(np.concatenate([[0.0], np.cumsum(times)]), coefficients)


def polynomial(q0: ArrayLike, q1: ArrayLike, limits: Limits) -> Trajectory:
    """The 3-4-5 polynomial 10τ³ − 15τ⁴ + 6τ⁵, at rest and without acceleration at both ends.

    Its greatest speed is 15/8 Δ/T, its greatest acceleration 10/√3 Δ/T², its greatest jerk 60 Δ/T³: the
    duration T is the least that keeps every limit.
    """
    first, travel = _ends(q0, q1, limits)
    size = np.abs(travel)
    duration = float((1.875 * size / limits.speed).max())
    if limits.acceleration is not None:
        duration = max(duration, math.sqrt(float((size / limits.acceleration).max()) * 10.0 / math.sqrt(3.0)))
    if limits.jerk is not None:
        duration = max(duration, math.cbrt(60.0 * float((size / limits.jerk).max())))
    if duration == 0.0:
        return Trajectory.constant(first)
    shape = np.array([0.0, 0.0, 0.0, 10.0, -15.0, 6.0]) / duration ** np.arange(6)
    coefficients = shape[:, None] * travel[None, :]
    coefficients[0] = first
    return within(Trajectory(np.array([0.0, duration]), coefficients[None]), limits)


def trapezoid(q0: ArrayLike, q1: ArrayLike, limits: Limits, synchronise: str = "path") -> Trajectory:
    """Constant acceleration, constant speed, constant deceleration.

    The closed form: T = Δ/v + v/a when Δ ≥ v²/a, and 2√(Δ/a) otherwise (no constant part).

    Args:
        q0: joint values at the start (n,).
        q1: joint values at the end (n,).
        limits: speed and acceleration of each joint.
        synchronise: 'path' keeps the straight line in joint space; 'time' gives every joint its own
            acceleration, and the slowest joint alone determines the duration.
    """
    from workcell.motion import _kernels_joint_moves

    first, travel = _ends(q0, q1, limits)
    top = limits.required("acceleration", "A trapezoid")
    if synchronise not in SYNCHRONISED:
        raise InvalidValue(f"A trapezoid must be synchronised by 'path' or 'time', not by {synchronise!r}.")
    if not travel.any():
        return Trajectory.constant(first)
    if synchronise == "path":
        duration, ramps = _kernels_joint_moves.shared_ramps(travel, limits.speed, top)
    else:
        size = np.abs(travel)
        moving = size > 0.0
        duration = max(
            trapezoid_duration(float(size[j]), float(limits.speed[j]), float(top[j])) for j in np.flatnonzero(moving)
        )
        # Cruise at v with ramps r = v/a so that Δ = v (T − r): r² − T r + Δ/a = 0, the smaller root.
        root = np.sqrt(np.maximum(duration**2 - 4.0 * size / top, 0.0))
        ramps = np.where(moving, 2.0 * size / top / (duration + root), 0.0)
    return within(Trajectory._made(*_kernels_joint_moves.ramped(first, travel, ramps, duration)), limits)


def straight_trapezoid(q0: Array, q1: Array, limits: Limits) -> Trajectory:
    """The trapezoid along the straight joint line, for joint values that are already checked."""
    from workcell.motion import _kernels_joint_moves

    moves, breaks, coefficients = _kernels_joint_moves.straight_trapezoid(
        np.array(q0), np.array(q1), limits.table, limits.orders
    )
    return Trajectory._made(breaks, coefficients) if moves else Trajectory.constant(q0)


def trapezoid_duration(travel: float, speed: float, acceleration: float) -> float:
    """The duration of a trapezoid [s], in closed form."""
    if travel * acceleration >= speed * speed:
        return travel / speed + speed / acceleration
    return 2.0 * math.sqrt(travel / acceleration)


def jerk_limited(q0: ArrayLike, q1: ArrayLike, limits: Limits, synchronise: str = "path") -> Trajectory:
    """Seven pieces of constant jerk: speed, acceleration and jerk limited, at rest at both ends.

    Args:
        q0: joint values at the start (n,).
        q1: joint values at the end (n,).
        limits: speed, acceleration and jerk of each joint.
        synchronise: 'path' keeps the straight line in joint space; 'time' only makes all joints arrive together.
    """
    from workcell.motion.jerk import state_to_state

    first, travel = _ends(q0, q1, limits)
    top, jerk = (
        limits.required("acceleration", "A jerk-limited move"),
        limits.required("jerk", "A jerk-limited move"),
    )
    if synchronise not in SYNCHRONISED:
        raise InvalidValue(f"A jerk-limited move must be synchronised by 'path' or 'time', not by {synchronise!r}.")
    size = np.abs(travel)
    if not size.any():
        return Trajectory.constant(first)
    if synchronise == "time":
        return within(state_to_state(first, first + travel, limits), limits)
    moving = size > 0.0
    v, a, j = (np.array([(values[moving] / size[moving]).min()]) for values in (limits.speed, top, jerk))
    unit = Limits(v, a, j)
    progress = state_to_state([0.0], [1.0], unit)
    coefficients = progress.coefficients * travel[None, None, :]
    coefficients[:, 0] += first
    return within(Trajectory(progress.breaks, coefficients), limits)


def spline(points: ArrayLike, limits: Limits, times: ArrayLike | None = None) -> Trajectory:
    """A cubic spline through joint vectors, at rest at both ends, continuous to the acceleration.

    Args:
        points: the joint vectors (m, n), at least two; neighbours differ.
        limits: the limits of the joints.
        times: the time at each point [s] (m,); by default, they are spaced by travel and stretched until the
            tightest limit is just kept. Given times are kept or refused.
    """
    from workcell.motion.fitting import clamped_spline
    from workcell.motion.limits import require

    stations = way_points(points, limits.n)
    if times is None:
        # Centripetal spacing: the square root keeps short segments from being rushed through.
        shares = np.sqrt((np.abs(np.diff(stations, axis=0)) / limits.speed).max(axis=1))
        knots = np.concatenate([[0.0], np.cumsum(shares)])
    else:
        knots = joint_values(times, "The times of the points", stations.shape[0])
        if knots[0] != 0.0 or not (np.diff(knots) > 0.0).all():
            raise InvalidValue(f"The times of a spline must start at 0 and rise; found {knots.tolist()}.")
    rest = np.zeros(stations.shape[1])
    motion = Trajectory(knots, clamped_spline(knots, stations, rest, rest))
    if times is not None:
        return require(motion, limits, "The spline with the given times")
    return within(motion.stretched(excess(motion, limits)), limits)


def excess(trajectory: Trajectory, limits: Limits) -> float:
    """The factor that stretches a motion so that its tightest limit is just kept (below 1: it shrinks)."""
    from workcell.motion import _kernels_joint_moves

    return _kernels_joint_moves.stretch(trajectory.breaks, trajectory.coefficients, limits.table, limits.orders)


def within(trajectory: Trajectory, limits: Limits) -> Trajectory:
    """The motion, stretched by the least factor for which no exact extremum passes a limit."""
    from workcell.motion import _kernels_joint_moves

    over, breaks, coefficients = _kernels_joint_moves.within(
        trajectory.breaks, trajectory.coefficients, limits.table, limits.orders
    )
    return Trajectory._made(breaks, coefficients) if over else trajectory


def way_points(points: ArrayLike, n: int | None) -> Array:
    """At least two joint vectors (m, n), with different neighbours."""
    try:
        stations = np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"Points must be joint vectors of equal length; found {points!r}.") from error
    if stations.ndim != 2 or stations.shape[0] < 2 or (n is not None and stations.shape[1] != n):
        raise InvalidValue(
            f"At least two joint vectors{'' if n is None else f' of {n} joints'} are needed; found the shape "
            f"{stations.shape}.",
            shape=stations.shape,
        )
    if not np.isfinite(stations).all():
        row = int((~np.isfinite(stations)).any(axis=1).argmax())
        raise InvalidValue(f"Point {row + 1} is not finite: {stations[row].tolist()}.", point=row + 1)
    same = ~np.diff(stations, axis=0).any(axis=1)
    if same.any():
        row = int(same.argmax())
        raise InvalidValue(f"Points {row + 1} and {row + 2} are the same; leave one out.", point=row + 2)
    return stations


def _ends(q0: ArrayLike, q1: ArrayLike, limits: Limits | None = None) -> tuple[Array, Array]:
    first = joint_values(q0, "The joint values to start from", None if limits is None else limits.n)
    last = joint_values(q1, "The joint values to go to", first.shape[0])
    return first, last - first
