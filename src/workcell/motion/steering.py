"""Motions from any present state of the joints to rest: at new joint values (supersede), or as soon as possible (stop).

With a jerk limit, the motion consists of cubic pieces and its acceleration is continuous; without one, of quadratic
pieces. A joint above a limit brakes first. Ruckig finds the fastest motion from state to state (it never gets
intermediate way points, see ``jerk``). If that leaves a joint's range, all joints brake to rest first, and if
that still leaves it, the joint reverses first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import JointLimit, MotionError
from workcell.motion.jerk import fastest_segments
from workcell.motion.joint_values import joint_values
from workcell.motion.limits import Limits
from workcell.motion.trajectory import Trajectory
from workcell.spatial.message_units import said

Array = NDArray[np.float64]

_MARGINS = (1e-11, 1e-9, 3e-9, 1e-8, 1e-7, 1e-6)
"""Ruckig gets limits lower by these shares in turn, until its rounding stays below the true ones.

Its rounding is some 1e-9 of the jerk. The steps there are small, because a joint that is about to reach its speed
limit passes it with a lower jerk.
"""
_COARSE = (1e-4, 1e-2, 0.2, 0.6)
"""The same for the remaining cases: moves of almost no duration, compared with which its tolerances are large."""
_EXCESS = 1e-9
"""The share by which a joint may pass its speed limit because Ruckig gets a lower jerk."""
_OUT_OF_RANGE = 1
"""The answer of the kernel if a joint leaves its range."""
_ROUNDING = 1e-12
"""An excess below this share of a limit is rounding."""

Segments = list[tuple[float, float]]
"""The duration of each segment [s] and its drive: the jerk, or without a jerk limit the acceleration."""


@dataclass(frozen=True)
class _Course:
    """The segments of all joints: times and drives (n, m), and how many of each joint's first ones brake (n,)."""

    steps: Array
    drives: Array
    braking: NDArray[np.int64]

    @classmethod
    def of(cls, joints: list[Segments], braking: Iterable[int]) -> _Course:
        count = max(1, *(len(segments) for segments in joints))
        table = np.zeros((2, len(joints), count))
        for j, segments in enumerate(joints):
            if segments:
                table[:, j, : len(segments)] = np.array(segments).T
        return cls(table[0], table[1], np.array(list(braking), dtype=np.int64))

    def then(self, other: _Course) -> _Course:
        """The other course after this one; each joint waits until the last one has arrived."""
        times = self.steps.sum(axis=1)
        wait = (times.max() - times)[:, None]
        return _Course(
            np.hstack([self.steps, wait, other.steps]),
            np.hstack([self.drives, np.zeros_like(wait), other.drives]),
            self.braking,
        )


@dataclass(frozen=True)
class _Task:
    """The present state, the target and the limits of the joints.

    Attributes:
        states: position, speed and acceleration of each joint (n, 3).
        target: (n,).
        limits: the limits of the joints.
        top: the acceleration limits (n,).
        order: 3 with a jerk limit, 2 without.
    """

    states: Array
    target: Array
    limits: Limits
    top: Array
    order: int

    @property
    def drive(self) -> Array:
        """The limits of the highest derivative (n,)."""
        return self.top if self.limits.jerk is None else self.limits.jerk


def supersede(q0: ArrayLike, v0: ArrayLike | None, a0: ArrayLike | None, q1: ArrayLike, limits: Limits) -> Trajectory:
    """The motion from the present state to rest at new joint values, with the joints arriving together.

    It takes whole nanoseconds: it waits at its end for the missing part of one.
    The limits are kept at every instant, except while a joint brakes that starts above one, or so near to one that it
    must pass it. Joint ranges are kept at every instant; a joint that starts outside its range goes no farther out.

    Args:
        q0: present joint values (n,).
        v0: present velocities (n,) [1/s]; by default at rest.
        a0: present accelerations (n,) [1/s²]; without a jerk limit they may step and do not matter.
        q1: joint values to come to rest at (n,).
        limits: speed and acceleration of each joint, and its range and jerk if they are limited.

    Raises:
        JointLimit: the new joint values, or every way to reverse, lie outside a joint's range.
    """
    task = _task(q0, v0, a0, q1, limits, "A move that supersedes another")
    _require_target(task)
    return _to_rest(task)


def in_range(values: Array, limits: Limits) -> bool:
    """Whether joint values are within their ranges; the quick version for frequent calls."""
    from workcell.motion import _kernels_steering as kernels

    return bool(kernels.within(values, limits.table))


def go_on_to(present: Array, target: Array, limits: Limits) -> Trajectory:
    """The same as ``supersede`` for a checked target and a known present state.

    Args:
        present: position, speed and acceleration (3, n).
        target: joint values within their ranges (n,).
        limits: limits with an acceleration.
    """
    states = present.T.copy()
    if limits.jerk is None:
        states[:, 2] = 0.0
    assert limits.acceleration is not None
    return _to_rest(_Task(states, target, limits, limits.acceleration, 2 if limits.jerk is None else 3))


def _to_rest(task: _Task) -> Trajectory:
    for margins, excess in ((_MARGINS, _EXCESS), (_COARSE, 10.0)):
        for plan in (_direct, _stopped_first, _turned_first):
            found = _attempt(task, plan, margins, excess)
            if found is not None:
                return found
        _require_room(task)
    raise MotionError(
        "No move from the present speeds to these joint values stays within the limits and joint ranges; "
        "stop first, then move."
    )


def stop(q0: ArrayLike, v0: ArrayLike | None, a0: ArrayLike | None, limits: Limits) -> Trajectory:
    """The stop that ends soonest, each joint on its own: an emergency stop, which leaves the path.

    It cannot be refused, so joint ranges are not checked; ``limits.violations`` reports a range that is left.
    """
    task = _task(q0, v0, a0, q0, limits, "A stop")
    course = _stopping(task, _MARGINS[0])
    return _trajectory(task, course, np.full(limits.n, math.nan))


# ---- the plans ----------------------------------------------------------------------------------------


def _attempt(
    task: _Task, plan: Callable[[_Task, float], _Course | None], margins: tuple[float, ...], excess: float
) -> Trajectory | None:
    """The motion of a plan, with the least margin that keeps the limits; None if there is none within the ranges."""
    from workcell.motion import _kernels_steering as kernels

    for margin in margins:
        course = plan(task, margin)
        if course is None:
            continue
        code, breaks, coefficients = kernels.settle(
            task.states, task.target, course.steps, course.drives, course.braking, task.limits.table, task.order,
            margin, _ROUNDING, excess,
        )  # fmt: skip
        if code == _OUT_OF_RANGE:
            return None
        if code == 0:
            if len(breaks) < 2:
                return Trajectory.constant(task.states[:, 0])
            return Trajectory._made(breaks, coefficients)
    return None


def _direct(task: _Task, margin: float) -> _Course | None:
    return _fastest(task, task.states, margin)


def _stopped_first(task: _Task, margin: float) -> _Course | None:
    stopping = _stopping(task, margin)
    rest = _after(task, stopping)
    moving = _fastest(task, rest, margin)
    return None if moving is None else stopping.then(moving)


def _turned_first(task: _Task, margin: float) -> _Course | None:
    """Braking through zero speed takes less room than braking to rest, which eases off at the end."""
    box = task.limits.position
    if task.order == 2 or box is None:
        return None
    joints = _halts(task, margin)
    for j, (q, v, a) in enumerate(task.states):
        side = 1.0 if _reach(task, j, 1.0, joints[j]) > box[j, 1] - q else -1.0
        left = max(side * (box[j, 0 if side < 0.0 else 1] - q), 0.0)
        top, jerk = float(task.top[j]) * (1.0 - margin), float(task.drive[j]) * (1.0 - margin)
        for share in (0.125, 0.25, 0.5, 1.0):
            if _reach(task, j, side, joints[j]) <= left:
                break
            back = -side * share * float(task.limits.speed[j]) * (1.0 - margin)
            joints[j] = [*_halt(float(v) - back, float(a), top, jerk, 3), *_halt(back, 0.0, top, jerk, 3)]
    turning = _Course.of(joints, [min(len(segments), 3) for segments in joints])
    moving = _fastest(task, _after(task, turning), margin)
    return None if moving is None else turning.then(moving)


def _fastest(task: _Task, states: Array, margin: float) -> _Course | None:
    """Ruckig's motion to rest at the target; None if it finds none."""
    from workcell.motion import _kernels_steering as kernels

    asked = np.empty((6, len(states)))
    unit = kernels.request(states, task.target, task.limits.table, task.order, margin, asked)
    found = fastest_segments(asked.tolist(), task.order)
    return None if found is None else _Course(found[0] * unit, *found[1:])


def _stopping(task: _Task, margin: float) -> _Course:
    joints = _halts(task, margin)
    return _Course.of(joints, [len(segments) for segments in joints])


def _halts(task: _Task, margin: float) -> list[Segments]:
    """The segments that bring each joint to rest soonest."""
    return [
        _halt(float(v), float(a), float(top) * (1.0 - margin), float(drive) * (1.0 - margin), task.order)
        for (_, v, a), top, drive in zip(task.states, task.top, task.drive, strict=True)
    ]


def _halt(v: float, a: float, top: float, jerk: float, order: int) -> Segments:
    """The segments that bring one joint to rest soonest."""
    if order == 2:
        return [(abs(v) / top, -math.copysign(top, v))]
    # The speed that remains if the acceleration falls to zero at once shows in which direction to push.
    left = v + a * abs(a) / (2.0 * jerk)
    side = math.copysign(1.0, left)
    v, a = side * v, side * a
    if a <= -top:
        first, drive, peak = (-top - a) / jerk, jerk, top
        gone = -(a * a - top * top) / (2.0 * jerk)
    else:
        peak = min(top, math.sqrt(max(jerk * v + 0.5 * a * a, 0.0)))
        first, drive = (a + peak) / jerk, -jerk
        gone = (a * a - peak * peak) / (2.0 * jerk)
    held = max(v + gone - peak * peak / (2.0 * jerk), 0.0) / peak if peak > 0.0 else 0.0
    return [(max(first, 0.0), side * drive), (held, 0.0), (peak / jerk, side * jerk)]


# ---- checks and messages ------------------------------------------------------------------------------


def _require_target(task: _Task) -> None:
    box = task.limits.position
    if box is None:
        return
    slack = _ROUNDING * (1.0 + np.abs(box))
    outside = (task.target < box[:, 0] - slack[:, 0]) | (task.target > box[:, 1] + slack[:, 1])
    if outside.any():
        j = int(outside.argmax())
        over = max(box[j, 0] - task.target[j], task.target[j] - box[j, 1])
        raise JointLimit(
            f"Joint {j + 1} cannot go to {_figure(task, j, task.target[j])}: its range is "
            f"{_figure(task, j, box[j, 0])} to {_figure(task, j, box[j, 1])}.",
            joint=j + 1,
            excess=float(over),
        )


def _require_room(task: _Task) -> None:
    """Refuse, by name, a joint that leaves its range however it brakes."""
    box = task.limits.position
    if box is None:
        return
    for j, (q, v, _) in enumerate(task.states):
        for side, edge in ((1.0, box[j, 1]), (-1.0, box[j, 0])):
            needed, left = _room(task, j, side), max(side * (edge - q), 0.0)
            if needed > left + _ROUNDING * (1.0 + abs(edge)):
                raise JointLimit(
                    f"Joint {j + 1} cannot stay within its range of {_figure(task, j, box[j, 0])} to "
                    f"{_figure(task, j, box[j, 1])}: at {_figure(task, j, q)} and {_figure(task, j, v)}/s it needs "
                    f"{_figure(task, j, needed)} to reverse, and {_figure(task, j, left)} are left.",
                    joint=j + 1,
                    needed=float(needed),
                    left=float(left),
                    excess=float(needed - left),
                )


def _room(task: _Task, j: int, side: float) -> float:
    """How far joint ``j`` continues towards one side when it brakes with its full limits."""
    v, a = side * float(task.states[j, 1]), side * float(task.states[j, 2])
    top, jerk = float(task.top[j]), float(task.drive[j])
    if task.order == 2:
        return max(v, 0.0) ** 2 / (2.0 * top)
    # Beyond zero speed it may move back no faster than its speed limit.
    back = side * float(task.limits.speed[j])
    return _reach(task, j, side, _halt(side * v + back, side * a, top, jerk, 3))


def _reach(task: _Task, j: int, side: float, segments: Segments) -> float:
    """How far segments take joint ``j`` beyond its present value, towards one side."""
    from workcell.motion import _kernels_steering as kernels

    row = np.array(segments).T.copy()
    found = np.empty((1, 7))
    kernels.extremes(task.states[j : j + 1], row[:1], row[1:], np.zeros(1, dtype=np.int64), task.order, found)
    return float(found[0, 1] - task.states[j, 0] if side > 0.0 else task.states[j, 0] - found[0, 0])


def _figure(task: _Task, j: int, value: float) -> str:
    """A joint value with its unit, for messages."""
    slides = task.limits.slides
    if slides is None:
        return f"{value:.6g}"
    return said(value, bool(slides[j]), 6)


# ---- internal -----------------------------------------------------------------------------------------


def _task(
    q0: ArrayLike, v0: ArrayLike | None, a0: ArrayLike | None, q1: ArrayLike, limits: Limits, asker: str
) -> _Task:
    n = limits.n
    states = np.zeros((n, 3))
    states[:, 0] = joint_values(q0, "The present joint values", n)
    if v0 is not None:
        states[:, 1] = joint_values(v0, "The present velocities", n)
    if a0 is not None and limits.jerk is not None:
        states[:, 2] = joint_values(a0, "The present accelerations", n)
    target = joint_values(q1, "The joint values to go to", n)
    return _Task(states, target, limits, limits.required("acceleration", asker), 2 if limits.jerk is None else 3)


def _after(task: _Task, course: _Course) -> Array:
    """The states (n, 3) at rest after a course."""
    from workcell.motion import _kernels_steering as kernels

    out = np.empty_like(task.states)
    kernels.ends(task.states, course.steps, course.drives, task.order, out)
    out[:, 1:] = 0.0
    return out


def _trajectory(task: _Task, course: _Course, target: Array) -> Trajectory:
    from workcell.motion import _kernels_steering as kernels

    breaks, coefficients = kernels.assemble(task.states, course.steps, course.drives, task.order, target)
    if breaks.shape[0] < 2:
        return Trajectory.constant(task.states[:, 0])
    return Trajectory(breaks, coefficients)
