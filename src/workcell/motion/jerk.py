"""Moves of limited jerk between two states, through Ruckig, as exact cubic pieces.

Only state to state: the community build of Ruckig sends intermediate way points to a network service,
so this module never gives it any. Moves through points are splines or time-optimal paths.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, MotionError
from workcell.motion.joint_values import joint_values
from workcell.motion.limits import Limits, violations
from workcell.motion.trajectory import Trajectory, pieced

Array = NDArray[np.float64]

_MARGINS = (1e-11, 1e-9, 1e-7, 1e-6)
"""Ruckig gets limits lower by these shares in turn, until its rounding stays below the true ones."""

_SAME_TIME = 1e-12
"""Durations count as equal if they differ by less than this share."""

_of_thread = threading.local()


def state_to_state(
    q0: ArrayLike,
    q1: ArrayLike,
    limits: Limits,
    *,
    v0: ArrayLike | None = None,
    a0: ArrayLike | None = None,
    v1: ArrayLike | None = None,
    a1: ArrayLike | None = None,
    duration: float | None = None,
    within: Limits | None = None,
) -> Trajectory:
    """The fastest motion from one state to another with limited speed, acceleration and jerk.

    The joints arrive together; those with spare time move slower.

    Args:
        q0: joint values at the start (n,).
        q1: joint values at the end (n,).
        limits: speed, acceleration and jerk of each joint.
        v0: velocities at the start (n,) [1/s]; by default at rest.
        a0: accelerations at the start (n,) [1/s²].
        v1: velocities at the end (n,) [1/s].
        a1: accelerations at the end (n,) [1/s²].
        duration: the duration [s]; by default as short as the limits allow.
        within: the limits for joints that start above ``limits``, until they have braked; by default ``limits``.

    Raises:
        MotionError: there is no such motion, or none of that duration. If the time is too short, its evidence contains
            ``duration``, the next longer one, and ``limit``, which holds the slowest joint: speed or acceleration.
    """
    import ruckig

    n = limits.n
    top = limits.required("acceleration", "A jerk-limited move")
    jerk = limits.required("jerk", "A jerk-limited move")
    request = ruckig.InputParameter(n)
    start = joint_values(q0, "The joint values to start from", n)
    free = Limits(limits.speed, top, jerk) if within is None else within
    velocity = _state(v0, n, "The velocities at the start", free.speed, 0.0)
    acceleration = _state(a0, n, "The accelerations at the start", free.required("acceleration", "A move"), 0.0)
    last = joint_values(q1, "The joint values to go to", n)
    request.current_position, request.target_position = start, last
    request.current_velocity, request.current_acceleration = velocity, acceleration
    end_velocity = _state(v1, n, "The velocities at the end", limits.speed)
    request.target_velocity = end_velocity
    request.target_acceleration = _state(a1, n, "The accelerations at the end", top)
    free = Limits(free.speed, free.acceleration, free.jerk)  # ranges are not checked here
    if duration is not None:
        request.minimum_duration = duration
    for margin in _MARGINS:
        request.max_velocity = limits.speed * (1.0 - margin)
        request.max_acceleration = top * (1.0 - margin)
        request.max_jerk = jerk * (1.0 - margin)
        answer = ruckig.Trajectory(n)
        try:
            result = ruckig.Ruckig(n).calculate(request, answer)
        except ruckig.RuckigError as error:
            raise MotionError(f"There is no jerk-limited move between these two states: {error}") from error
        if int(result) < 0:
            raise MotionError(f"There is no jerk-limited move between these two states ({result}).")
        if duration is not None and answer.duration > duration * (1.0 + _SAME_TIME):
            raise _too_short(answer, duration, limits)
        if answer.duration == 0.0:
            return Trajectory.constant(start)
        motion = _landed(_cubics(answer, start, velocity, acceleration), last, end_velocity)
        broken = violations(motion, free)
        if not broken:
            return motion
    raise MotionError(
        f"There is no jerk-limited move between these two states: {broken[0]}.",
        joint=broken[0].joint,
        limit=broken[0].limit,
        time=broken[0].time,
    )


def _too_short(answer: Any, duration: float, limits: Limits) -> MotionError:
    """The error for a duration that is too short between two states."""
    alone = answer.independent_min_durations
    slowest = max(range(len(alone)), key=alone.__getitem__)
    peak = max(abs(v) for v in answer.profiles[0][slowest].v)
    limit = "speed" if peak >= 0.999 * float(limits.speed[slowest]) else "acceleration"
    return MotionError(
        f"There is no move between these two states in {duration:.6g} s; joint {slowest + 1} takes "
        f"{answer.duration:.6g} s because of its {limit}.",
        joint=slowest + 1, limit=limit, duration=float(answer.duration),
    )  # fmt: skip


def fastest_segments(asked: list[list[float]], order: int) -> tuple[Array, Array, NDArray[np.int64]] | None:
    """The fastest motion to rest at zero, with the joints arriving together, as segments; None if there is none.

    States above a limit are first brought back within it.

    Args:
        asked: positions, velocities and accelerations of the joints, and their limits of speed, acceleration and jerk.
        order: 3 if the jerk is limited, 2 if the acceleration may step.

    Returns:
        The duration of each segment (n, 9) [s], its jerk (or acceleration, if that may step), and the number of each
            joint's first segments that bring it back within the limits (n,).
    """
    import ruckig

    n = len(asked[0])
    engine, request, answer = _engine(n)
    request.current_position, request.current_velocity, request.current_acceleration = asked[:3]
    request.max_velocity, request.max_acceleration = asked[3], asked[4]
    request.max_jerk = asked[5] if order == 3 else [math.inf] * n
    try:
        result = engine.calculate(request, answer)
    except (ruckig.RuckigError, ValueError):  # the latter for a motion that takes too long: a code without a name
        return None
    if int(result) < 0:
        return None
    braking = np.zeros(n, dtype=np.int64)
    rows = []
    for j, profile in enumerate(answer.profiles[0]):
        brake = profile.brake
        drives = profile.j if order == 3 else profile.a[:7]
        if brake.duration > 0.0:
            rows.append([*brake.t, *profile.t, *(brake.j if order == 3 else brake.a), *drives])
            braking[j] = 2
        else:
            rows.append([0.0, 0.0, *profile.t, 0.0, 0.0, *drives])
    table = np.array(rows)
    return table[:, :9].copy(), table[:, 9:].copy(), braking


def _engine(n: int) -> tuple[Any, Any, Any]:
    """Ruckig for n joints, a request to rest and an answer, reused; one set per thread."""
    import ruckig

    engines: dict[int, tuple[Any, Any, Any]] = _of_thread.__dict__.setdefault("engines", {})
    if n not in engines:
        engines[n] = ruckig.Ruckig(n), ruckig.InputParameter(n), ruckig.Trajectory(n)
    return engines[n]


def _state(given: ArrayLike | None, n: int, what: str, limit: Array, margin: float = _MARGINS[-1]) -> Array:
    if given is None:
        return np.zeros(n)
    values = joint_values(given, what, n)
    over = np.abs(values) > limit * (1.0 - margin)
    if over.any():
        joint = int(over.argmax())
        raise InvalidValue(
            f"{what} must stay below the limits; joint {joint + 1} has {values[joint]:g}, its limit is "
            f"{limit[joint]:g}.",
            joint=joint + 1,
        )
    return values


def _landed(motion: Trajectory, q: Array, v: Array) -> Trajectory:
    """The motion with a cubic added that removes the error at its end (some 1e-9 at most)."""
    t, end = motion.breaks[:-1, None], motion.duration
    miss = q - motion.end
    lag = v - motion.velocity(end)
    # miss·(3τ² − 2τ³) + lag·T·(τ³ − τ²): nothing at the start, all of both at the end.
    square = (3.0 * miss - lag * end) / end**2
    cube = (lag * end - 2.0 * miss) / end**3
    c = motion.coefficients.copy()
    c[:, 0] += t * t * (square + t * cube)
    c[:, 1] += t * (2.0 * square + 3.0 * t * cube)
    c[:, 2] += square + 3.0 * t * cube
    c[:, 3] += cube
    return Trajectory(motion.breaks, c)


def _cubics(answer: object, start: Array, velocity: Array, acceleration: Array) -> Trajectory:
    """The pieces of constant jerk of all joints, cut at every joint's edges."""
    columns = [
        _joint_cubics(profile, float(start[j]), float(velocity[j]), float(acceleration[j]))
        for j, profile in enumerate(answer.profiles[0])  # type: ignore[attr-defined]
    ]
    duration = float(answer.duration)  # type: ignore[attr-defined]
    edges = np.unique(np.concatenate([[0.0, duration], *(times for times, _ in columns)]))
    edges = edges[edges <= duration]
    # Edges of two joints that differ only by rounding are one edge.
    edges = edges[np.concatenate([[True], np.diff(edges) > 1e-13 * duration])]
    edges[-1] = duration
    coefficients = np.empty((edges.shape[0] - 1, 4, len(columns)))
    middles = 0.5 * (edges[:-1] + edges[1:])
    for j, (times, cubics) in enumerate(columns):
        which = np.clip(np.searchsorted(times, middles, side="right") - 1, 0, len(cubics) - 1)
        u = edges[:-1] - times[which]
        c = cubics[which]
        coefficients[:, 0, j] = c[:, 0] + u * (c[:, 1] + u * (c[:, 2] + u * c[:, 3]))
        coefficients[:, 1, j] = c[:, 1] + u * (2.0 * c[:, 2] + u * 3.0 * c[:, 3])
        coefficients[:, 2, j] = c[:, 2] + 3.0 * u * c[:, 3]
        coefficients[:, 3, j] = c[:, 3]
    return pieced(edges, coefficients)


def _joint_cubics(profile: object, q: float, v: float, a: float) -> tuple[Array, Array]:
    """Start times (m,) and coefficients (m, 4) of one joint's pieces, integrated from its first state."""
    brake = profile.brake  # type: ignore[attr-defined]
    steps = [*zip(brake.t, brake.j, strict=True)] if brake.duration > 0.0 else []
    steps += [*zip(profile.t, profile.j, strict=True)]  # type: ignore[attr-defined]
    times, rows, clock = [], [], 0.0
    for step, jerk in steps:
        if step <= 0.0:
            continue
        times.append(clock)
        rows.append((q, v, 0.5 * a, jerk / 6.0))
        q += step * (v + step * (0.5 * a + step * jerk / 6.0))
        v += step * (a + 0.5 * step * jerk)
        a += step * jerk
        clock += step
    if not rows:
        return np.zeros(1), np.array([[q, v, 0.5 * a, 0.0]])
    return np.array(times), np.array(rows)
