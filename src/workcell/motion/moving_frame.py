"""Poses that move: position and orientation over time, with velocity and acceleration.

A state is 7 numbers, x, y, z [m] and a unit quaternion w, x, y, z, with their first and second derivatives by time.
Where an acceleration steps (a belt that starts), the state is read just before or just after the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workcell.motion.chained import Chained
from workcell.motion.time_law import PacedMotion
from workcell.motion.trajectory import Trajectory
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_STEP = 5e-3
"""Half of the stencil that differentiates frames along the course of their joints [s]."""
_BEFORE = 1e-9
"""How long before a step of the acceleration joints are read, to get their state just before it [s]."""


_SMOOTH = 1e-6
"""A step of the acceleration below this is rounding [rad/s² or m/s²]."""


class MovingPose(Protocol):
    """A pose in the world over time."""

    def states(self, times: Array, before: Flags) -> Array:
        """Pose, velocity and acceleration at times (N,) [s]: (3, N, 7); just before them if ``before``."""
        ...

    @property
    def steps(self) -> Array:
        """The times at which its acceleration steps (k,) [s]."""
        ...


@dataclass(frozen=True)
class StandingPose:
    """A pose that does not move in the world.

    Attributes:
        pose: the pose.
    """

    pose: Pose

    def states(self, times: Array, before: Flags) -> Array:
        """See :class:`MovingPose`."""
        out = np.zeros((3, len(times), 7))
        out[0, :, :3], out[0, :, 3:] = self.pose.xyz, self.pose.quaternion
        return out

    @property
    def steps(self) -> Array:
        """None."""
        return np.zeros(0)


class Course(Protocol):
    """Joint values over time: any motion of joints."""

    def sample(self, times: Array, derivative: int = 0) -> Array:
        """Joint values (N, n) at times (N,) [s], or their first or second derivative."""
        ...


@dataclass(frozen=True)
class CarriedPose:
    """A pose that joints move: on a belt, on a turntable, or the hand of an arm.

    Attributes:
        forward: its pose in the world for many joint values: (N, n) to (N, 4, 4).
        course: the joint values over time.
        late: the time of the course when the time of the pose is zero [s].
    """

    forward: Callable[[Array], Array]
    course: Course
    late: float

    def states(self, times: Array, before: Flags) -> Array:
        """See :class:`MovingPose`."""
        back = np.where(before, _BEFORE, 0.0)
        own = self.late + times - back
        q, v, a = (np.atleast_2d(self.course.sample(own, order)) for order in (0, 1, 2))
        q, v = q + back[:, None] * v, v + back[:, None] * a
        # Along the parabola of the present state there is no step of the acceleration.
        along = _STEP * np.arange(-2.0, 3.0)[None, :, None]
        rows = q[:, None] + along * v[:, None] + 0.5 * along**2 * a[:, None]
        seven = sevens(self.forward(rows.reshape(-1, q.shape[1]))).reshape(len(times), 5, 7)
        seven[..., 3:] *= np.where((seven[..., 3:] * seven[:, 2:3, 3:]).sum(axis=2) < 0.0, -1.0, 1.0)[..., None]
        m2, m1, x, p1, p2 = (seven[:, k] for k in range(5))
        first = (m2 - 8.0 * m1 + 8.0 * p1 - p2) / (12.0 * _STEP)
        second = (-m2 + 16.0 * m1 - 30.0 * x + 16.0 * p1 - p2) / (12.0 * _STEP**2)
        stands = ~(v.any(axis=1) | a.any(axis=1))
        first[stands], second[stands] = 0.0, 0.0
        return np.stack([x, first, second])

    @property
    def steps(self) -> Array:
        """See :class:`MovingPose`."""
        return breaks_of(self.course) - self.late


def breaks_of(course: Course) -> Array:
    """The times at which the acceleration of a course of joints may step (k,) [s]."""
    if isinstance(course, PacedMotion):
        return course.law.curve.breaks
    if isinstance(course, Chained):
        return np.concatenate(
            [begin + breaks_of(part) for begin, part in zip(course.begins, course.parts, strict=False)]
        )
    if not isinstance(course, Trajectory):
        return np.zeros(0)
    steps = np.abs(course.acceleration_jumps()).max(axis=1) > _SMOOTH
    ends = np.abs(course.sample(course.breaks[[0, -1]], 2)).max(axis=1) > _SMOOTH
    return np.asarray(course.breaks[np.concatenate([ends[:1], steps, ends[1:]])])


@dataclass(frozen=True)
class Blend:
    """A blend from one moving pose to another: it starts with the motion of the first and ends with that of the second.

    The weight of the second grows by the quintic whose first two derivatives are zero at both ends. The
    orientation turns the short way, along the chord between the quaternions.

    Attributes:
        first: the pose that it comes from.
        second: the pose that it goes to.
        begin: the time at which it leaves the first [s].
        took: the duration [s].
    """

    first: MovingPose
    second: MovingPose
    begin: float
    took: float

    def states(self, times: Array, before: Flags) -> Array:
        """See :class:`MovingPose`."""
        a, b = self.first.states(times, before), self.second.states(times, before)
        sign = 1.0 if a[0, 0, 3:] @ b[0, 0, 3:] >= 0.0 else -1.0
        for one in (a, b):
            _unroll(one)
        b[:, :, 3:] *= sign
        u = np.clip((times - self.begin) / self.took, 0.0, 1.0)
        s0 = (u**3 * (10.0 - 15.0 * u + 6.0 * u**2))[:, None]
        s1 = (30.0 * u**2 * (1.0 - u) ** 2 / self.took)[:, None]
        s2 = (60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / self.took**2)[:, None]
        gap = b - a
        mixed = np.stack(
            [
                a[0] + s0 * gap[0],
                a[1] + s0 * gap[1] + s1 * gap[0],
                a[2] + s0 * gap[2] + 2.0 * s1 * gap[1] + s2 * gap[0],
            ]
        )
        mixed[:, :, 3:] = _unit(mixed[:, :, 3:])
        return mixed

    @property
    def steps(self) -> Array:
        """See :class:`MovingPose`."""
        return np.concatenate([self.first.steps, self.second.steps])


@dataclass(frozen=True)
class Approach:
    """An approach from a present motion to a moving pose, the shortest way as seen from that pose.

    The difference goes to zero, with its speed and acceleration, by one quintic. If it is a line already, it
    stays one, so an approach that is planned again on the way to the same goal is the same. Before that it may ease:
    its acceleration and a share of its speed go to zero.

    Attributes:
        start: pose, velocity and acceleration at time zero (3, 7).
        goal: the pose that it goes to.
        took: the duration [s].
        ease: the part of the duration in which it eases [s].
        kept: the share of its speed that is left then.
    """

    start: Array
    goal: MovingPose
    took: float
    ease: float = 0.0
    kept: float = 1.0

    def states(self, times: Array, before: Flags) -> Array:
        """See :class:`MovingPose`."""
        now = self.goal.states(np.zeros(1), np.zeros(1, dtype=np.bool_))[:, 0]
        mixed = self.goal.states(times, before)
        _unroll(mixed)
        mixed[:, :, 3:] *= 1.0 if mixed[0, 0, 3:] @ now[0, 3:] >= 0.0 else -1.0
        start = self.start.copy()
        start[:, 3:] *= 1.0 if start[0, 3:] @ now[0, 3:] >= 0.0 else -1.0
        off, eased = start - now, times < self.ease
        if self.ease > 0.0:
            mixed[:, eased] += _along(eased_to(off, self.ease, self.kept), times[eased])
            off = _along(eased_to(off, self.ease, self.kept), np.array([self.ease]))[:, 0]
        mixed[:, ~eased] += _landing(off, self.took - self.ease, times[~eased] - self.ease)
        mixed[:, :, 3:] = _unit(mixed[:, :, 3:])
        return mixed

    @property
    def steps(self) -> Array:
        """See :class:`MovingPose`; also the time at which it has eased."""
        return np.append(self.goal.steps, self.ease) if self.ease > 0.0 else self.goal.steps


def eased_to(state: Array, took: float, kept: float) -> Array:
    """Coefficients (5, n) that bring accelerations to zero and reduce velocities, from a state (3, n)."""
    x, v, a = state
    change = (kept - 1.0) * v
    return np.stack(
        [x, v, 0.5 * a, change / took**2 - 2.0 * a / (3.0 * took), 0.25 * a / took**2 - 0.5 * change / took**3]
    )


def _along(rows: Array, times: Array) -> Array:
    """A polynomial (k, n), and its first two derivatives, at times (N,): (3, N, n)."""
    out = []
    for _ in range(3):
        powers = np.arange(len(rows))
        out.append((times[:, None] ** powers) @ rows)
        rows = (rows * powers[:, None])[1:]
    return np.stack(out)


def _landing(state: Array, took: float, times: Array) -> Array:
    """Quintics from values, velocities and accelerations (3, n) to zero, at times (N,): (3, N, n)."""
    x, v, a = state[0], took * state[1], took**2 * state[2]
    u = np.clip(times / took, 0.0, 1.0)[:, None]
    # (1 - u)³ times a parabola, with its derivatives by u.
    p1, p2 = 3.0 * x + v, 6.0 * x + 3.0 * v + 0.5 * a
    f0, f1, f2 = x + u * p1 + u**2 * p2, p1 + 2.0 * u * p2, 2.0 * p2
    c, d, e = (1.0 - u) ** 3, -3.0 * (1.0 - u) ** 2, 6.0 * (1.0 - u)
    return np.stack([c * f0, (d * f0 + c * f1) / took, (e * f0 + 2.0 * d * f1 + c * f2) / took**2])


def _unroll(states: Array) -> None:
    """Give successive quaternions the same sign."""
    quaternions = states[0, :, 3:]
    signs = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    states[:, 1:, 3:] *= signs.cumprod()[None, :, None]


def _unit(u: Array) -> Array:
    """Normalise quaternions (3, N, 4) of any length and their derivatives."""
    size = np.linalg.norm(u[0], axis=1, keepdims=True)
    q = u[0] / size
    first = (q * u[1]).sum(axis=1, keepdims=True)
    dq = (u[1] - q * first) / size
    second = (dq * u[1] + q * u[2]).sum(axis=1, keepdims=True)
    ddq = (u[2] - 2.0 * dq * first - q * second) / size
    return np.stack([q, dq, ddq])


def sevens(poses: Array) -> Array:
    """Poses (N, 4, 4) as positions and unit quaternions (N, 7)."""
    R = poses[:, :3, :3]
    # Find the largest of the four first, so that nothing is divided by a small number.
    trace = R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2]
    size = np.stack([trace, R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]], axis=1)
    most = size.argmax(axis=1)
    out = np.empty((len(poses), 7))
    out[:, :3] = poses[:, :3, 3]
    skew = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    for k in range(4):
        mine = most == k
        if not mine.any():
            continue
        M, q = R[mine], np.empty((int(mine.sum()), 4))
        if k == 0:
            q[:, 0], q[:, 1:] = 1.0 + trace[mine], skew[mine]
        else:
            i, j, m = k - 1, k % 3, (k + 1) % 3
            q[:, 0] = skew[mine][:, i]
            q[:, 1 + i] = 1.0 + M[:, i, i] - M[:, j, j] - M[:, m, m]
            q[:, 1 + j] = M[:, i, j] + M[:, j, i]
            q[:, 1 + m] = M[:, i, m] + M[:, m, i]
        out[mine, 3:] = q / np.linalg.norm(q, axis=1, keepdims=True)
    return out


def matrices(sevens: Array) -> Array:
    """Positions and unit quaternions (N, 7) as poses (N, 4, 4)."""
    w, x, y, z = sevens[:, 3:].T
    out = np.zeros((len(sevens), 4, 4))
    out[:, 0, 0], out[:, 1, 1], out[:, 2, 2] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z), 1 - 2 * (x * x + y * y)
    out[:, 0, 1], out[:, 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    out[:, 0, 2], out[:, 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    out[:, 1, 2], out[:, 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    out[:, :3, 3], out[:, 3, 3] = sevens[:, :3], 1.0
    return out


def twists(states: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (N, 6), linear first, in world axes of states (3, N, 7)."""
    q, dq, ddq = states[:, :, 3:]
    return (
        np.hstack([states[1, :, :3], 2.0 * _times_conjugate(dq, q)]),
        np.hstack([states[2, :, :3], 2.0 * _times_conjugate(ddq, q)]),
    )


def _times_conjugate(p: Array, q: Array) -> Array:
    """The vector parts (N, 3) of the products p·q* of quaternions (N, 4)."""
    return np.asarray(q[:, :1] * p[:, 1:] - p[:, :1] * q[:, 1:] - np.cross(p[:, 1:], q[:, 1:]))
