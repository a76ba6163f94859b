"""The limits of joints, whether a motion keeps them, and which joint holds the motion back where."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, JointLimit, MotionError
from workcell.motion.frames import positive
from workcell.motion.joint_values import joint_values
from workcell.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from workcell.robots.robot import Robot

Array = NDArray[np.float64]

_ROUNDING = 1e-12
"""An excess below this share of a limit is rounding."""
_NEAR = 0.9
"""Two intervals at a limit are one if the joint stays above this share of it between them."""
_KINDS = ("speed", "acceleration", "jerk")
_EARLIEST = operator.itemgetter(2, 0, 1)
_UNITS = ("rad/s", "rad/s²", "rad/s³")


@dataclass(frozen=True, eq=False)
class Limits:
    """The greatest speed, acceleration and jerk of each joint, and the range of its values.

    Attributes:
        speed: (n,) [rad/s or m/s].
        acceleration: (n,) [1/s²]; None if it is not limited.
        jerk: (n,) [1/s³]; None if it is not limited.
        position: (n, 2) least and greatest joint values; None if they are not limited.
        slides: for each joint, whether it slides, so that messages use degrees or millimetres; None if not known.
    """

    speed: Array
    acceleration: Array | None = None
    jerk: Array | None = None
    position: Array | None = None
    slides: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        speed = joint_values(self.speed, "The speed limits")
        n = speed.shape[0]
        for kind, unit in zip(_KINDS, _UNITS, strict=True):
            value = getattr(self, kind)
            if value is not None:
                array = per_joint(value, n, f"A limit of the {kind}", unit)
                array.flags.writeable = False
                object.__setattr__(self, kind, array)
        if self.position is not None:
            try:
                box = np.array(self.position, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise InvalidValue(f"The joint ranges must be numbers; found {self.position!r}.") from error
            if box.shape != (n, 2) or not (box[:, 0] <= box[:, 1]).all():
                raise InvalidValue(
                    f"The joint ranges must be {n} pairs (least, greatest); found {box.tolist()}.",
                    shape=box.shape,
                )
            box.flags.writeable = False
            object.__setattr__(self, "position", box)

    @classmethod
    def of(
        cls,
        n: int,
        speed: float | ArrayLike,
        acceleration: float | ArrayLike | None = None,
        jerk: float | ArrayLike | None = None,
    ) -> Limits:
        """Limits of ``n`` joints from one number for all or one number per joint."""
        given = (speed, acceleration, jerk)
        arrays = [
            None if value is None else per_joint(value, n, f"A limit of the {kind}", unit)
            for value, kind, unit in zip(given, _KINDS, _UNITS, strict=True)
        ]
        assert arrays[0] is not None
        return cls(arrays[0], arrays[1], arrays[2])

    @classmethod
    def of_robot(cls, robot: Robot, jerk: float | ArrayLike | None = None) -> Limits:
        """The limits of a robot's joints; robots do not state a jerk, so it is given if it is needed."""
        n = len(robot.speeds)
        top = None if jerk is None else per_joint(jerk, n, "A limit of the jerk", _UNITS[2])
        return cls(robot.speeds, robot.accelerations, top, robot.limits, tuple(row.prismatic for row in robot.rows))

    @property
    def n(self) -> int:
        """The number of joints."""
        return int(self.speed.shape[0])

    def scaled(self, speed: float = 1.0, acceleration: float = 1.0) -> Limits:
        """The same limits with speeds and accelerations multiplied by factors above 0."""
        v = positive(speed, "A speed factor", "")
        a = positive(acceleration, "An acceleration factor", "")
        return Limits(
            self.speed * v,
            None if self.acceleration is None else self.acceleration * a,
            self.jerk,
            self.position,
            self.slides,
        )

    @property
    def orders(self) -> int:
        """The highest limited derivative: 1, 2 or 3."""
        return 3 if self.jerk is not None else 2 if self.acceleration is not None else 1

    @cached_property
    def table(self) -> Array:
        """For kernels, one row per joint (n, 5): the limits of speed, acceleration, highest derivative, and the range.

        The highest derivative is the jerk, or the acceleration if no jerk is limited. A missing limit is infinite.
        """
        found = np.full((self.n, 5), math.inf)
        found[:, 0] = self.speed
        if self.acceleration is not None:
            found[:, 1] = found[:, 2] = self.acceleration
        if self.jerk is not None:
            found[:, 2] = self.jerk
        if self.position is None:
            found[:, 3] = -math.inf
        else:
            found[:, 3:] = self.position
        found.flags.writeable = False
        return found

    def required(self, kind: str, asker: str) -> Array:
        """The limits of one kind; refused with the name of the caller if there are none."""
        value: Array | None = getattr(self, kind)
        if value is None:
            raise InvalidValue(
                f"{asker} needs a limit of the {kind} for each joint; these limits have none.", kind=kind
            )
        return value

    def derivatives(self) -> Iterator[tuple[int, str, Array]]:
        """The existing limits, as (derivative, kind, values)."""
        for derivative, kind in enumerate(_KINDS, start=1):
            value = getattr(self, kind)
            if value is not None:
                yield derivative, kind, value


class Binding(NamedTuple):
    """An interval of time in which one joint is at one of its limits.

    Attributes:
        joint: counted from 1.
        limit: 'speed', 'acceleration' or 'jerk'.
        start: when it begins [s].
        end: when it ends [s].
    """

    joint: int
    limit: str
    start: float
    end: float

    def __str__(self) -> str:
        return f"joint {self.joint} at its {self.limit} limit from {self.start:.4g} to {self.end:.4g} s"


@dataclass(frozen=True)
class Violation:
    """A joint that exceeds a limit.

    Attributes:
        joint: counted from 1.
        limit: 'position', 'speed', 'acceleration' or 'jerk'.
        time: the last instant at which the limit is kept [s].
        value: the worst value of the whole motion.
        allowed: the limit.
        slides: whether the joint slides; None if that is not known, and messages then contain bare numbers.
    """

    joint: int
    limit: str
    time: float
    value: float
    allowed: float
    slides: bool | None = None

    def __str__(self) -> str:
        size, unit = {None: (1.0, ""), True: (1e3, " mm"), False: (180.0 / np.pi, "°")}[self.slides]
        if unit:
            unit += {"position": "", "speed": "/s", "acceleration": "/s²", "jerk": "/s³"}[self.limit]
        return (
            f"joint {self.joint} passes its {self.limit} limit {self.allowed * size:.6g}{unit} at {self.time:.4g} s "
            f"and reaches {self.value * size:.6g}{unit}"
        )


def violations(trajectory: Trajectory, limits: Limits) -> tuple[Violation, ...]:
    """Every joint and limit that the motion does not keep at some instant, earliest first.

    The check uses the extrema of the polynomials, not samples; the result is empty if the motion keeps all limits.
    """
    _same_joints(trajectory, limits)
    found: list[Violation] = []
    if limits.position is not None:
        low, high = trajectory.range()
        slack = _ROUNDING * (1.0 + np.abs(limits.position))
        least, most = limits.position[:, 0] - slack[:, 0], limits.position[:, 1] + slack[:, 1]
        for joint in np.flatnonzero((low < least) | (high > most)):
            below = low[joint] < least[joint]
            found.append(
                Violation(
                    int(joint) + 1,
                    "position",
                    _first(trajectory, int(joint), 0, float(least[joint]), float(most[joint])),
                    float(low[joint] if below else high[joint]),
                    float(limits.position[joint, 0 if below else 1]),
                    limits.slides[joint] if limits.slides is not None else None,
                )
            )
    for derivative, kind, values in limits.derivatives():
        (low,), (high,) = trajectory.ranges([0.0], [trajectory.duration], derivative)
        worst = np.maximum(-low, high)
        for joint in np.flatnonzero(worst > values * (1.0 + _ROUNDING)):
            bound = float(values[joint] * (1.0 + _ROUNDING))
            when = _first(trajectory, int(joint), derivative, -bound, bound)
            slides = limits.slides[joint] if limits.slides is not None else None
            found.append(Violation(int(joint) + 1, kind, when, float(worst[joint]), float(values[joint]), slides))
    return tuple(sorted(found, key=lambda violation: (violation.time, violation.joint)))


def require(trajectory: Trajectory, limits: Limits, what: str = "The motion") -> Trajectory:
    """Return the trajectory if it keeps all limits; raise an error with the first violation otherwise."""
    found = violations(trajectory, limits)
    if not found:
        return trajectory
    first = found[0]
    kind = JointLimit if first.limit == "position" else MotionError
    raise kind(
        f"{what} cannot be made: {first}.",
        joint=first.joint,
        limit=first.limit,
        time=first.time,
        value=first.value,
        excess=abs(first.value - first.allowed),
    )


def bindings(trajectory: Trajectory, limits: Limits, share: float = 0.999) -> tuple[Binding, ...]:
    """Which joint is at which limit (at ``share`` of it or more), and when; earliest first."""
    from workcell.motion import _kernels_joint_moves

    _same_joints(trajectory, limits)
    if trajectory.duration == 0.0:
        return ()
    known, rows = _kernels_joint_moves.at_limits(
        trajectory.breaks, trajectory.coefficients, limits.table, limits.orders, share, _NEAR
    )
    found = (
        [Binding(int(joint) + 1, _KINDS[int(order)], start, end) for order, joint, start, end in rows.tolist()]
        if known
        else [one for kind in limits.derivatives() for one in _bindings(trajectory, *kind, share)]
    )
    found.sort(key=_EARLIEST)
    return tuple(found)


def _bindings(trajectory: Trajectory, derivative: int, kind: str, values: Array, share: float) -> Iterator[Binding]:
    """The bindings of one kind of limit, for polynomials of any degree."""
    starts, ends = trajectory.breaks[:-1], trajectory.breaks[1:]
    low, high = trajectory.ranges(starts, ends, derivative)
    worst = np.maximum(-low, high)
    least = np.where((low > 0.0) | (high < 0.0), np.minimum(np.abs(low), np.abs(high)), 0.0)
    bound = share * values
    for joint in range(trajectory.n):
        spans: list[tuple[float, float]] = []
        for piece in np.flatnonzero(worst[:, joint] >= bound[joint]):
            if least[piece, joint] >= bound[joint]:
                inside = [(float(starts[piece]), float(ends[piece]))]
            else:
                inside = _stretches(trajectory, int(piece), joint, derivative, float(bound[joint]))
            for start, end in inside:
                if spans and _close(trajectory, (spans[-1][1], start), joint, derivative, values[joint]):
                    spans[-1] = (spans[-1][0], end)
                else:
                    spans.append((start, end))
        yield from (Binding(joint + 1, kind, start, end) for start, end in spans)


def _close(trajectory: Trajectory, gap: tuple[float, float], joint: int, derivative: int, limit: float) -> bool:
    """Whether a joint stays near its limit between two intervals, so that they are one."""
    if gap[1] - gap[0] <= 1e-12:
        return True
    (low,), (high,) = trajectory.ranges([gap[0]], [gap[1]], derivative)
    return bool(low[joint] >= _NEAR * limit or high[joint] <= -_NEAR * limit)


def per_joint(value: float | ArrayLike, n: int, what: str, unit: str) -> Array:
    """One positive number per joint, from one number for all or from n of them."""
    if np.ndim(value) == 0:
        return np.full(n, positive(value, what, unit))  # type: ignore[arg-type]
    values = joint_values(value, f"{what} for each joint", n)
    if not (values > 0.0).all():
        joint = int((values <= 0.0).argmax())
        raise InvalidValue(f"{what} must be above 0 {unit}; joint {joint + 1} has {values[joint]:g}.", joint=joint + 1)
    return values


def _same_joints(trajectory: Trajectory, limits: Limits) -> None:
    if trajectory.n != limits.n:
        raise InvalidValue(f"The motion has {trajectory.n} joints and the limits are for {limits.n}.")


def _first(trajectory: Trajectory, joint: int, derivative: int, low: float, high: float) -> float:
    """The end of the longest start of the motion within [low, high], by bisection on exact ranges."""
    kept, left = 0.0, trajectory.duration
    for _ in range(60):
        middle = 0.5 * (kept + left)
        (least,), (most,) = trajectory.ranges([kept], [middle], derivative)
        if least[joint] < low or most[joint] > high:
            left = middle
        else:
            kept = middle
    return kept


def _stretches(
    trajectory: Trajectory, piece: int, joint: int, derivative: int, bound: float
) -> list[tuple[float, float]]:
    """The intervals within one piece where |derivative| ≥ bound."""
    start, end = float(trajectory.breaks[piece]), float(trajectory.breaks[piece + 1])
    p = np.polynomial.Polynomial(trajectory.coefficients[piece, :, joint]).deriv(derivative)
    edges = [0.0, end - start]
    for level in (bound, -bound):
        roots = np.asarray((p - level).roots(), dtype=complex)
        real = roots.real[np.abs(roots.imag) <= 1e-9 * (1.0 + np.abs(roots.real))]
        edges.extend(float(root) for root in real if 0.0 < root < end - start)
    edges.sort()
    return [(start + a, start + b) for a, b in itertools.pairwise(edges) if abs(float(p(0.5 * (a + b)))) >= bound]
