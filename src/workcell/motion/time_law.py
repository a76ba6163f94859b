"""A path with a time law: q(s) and s(t) are separate, so that a change of speed never changes the path.

The path is a ``Trajectory`` over its own parameter s, usually a motion timed at full speed. The law gives s
at each time. Position, speed and acceleration follow by the chain rule. The two are never multiplied out, so the
degree stays the same however often the speed changes.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

_MAGIC = b"WCPACED1"
_HEADER = struct.Struct("<8sQ")
_ROUNDING = 1e-9


@dataclass(frozen=True)
class TimeLaw:
    """The position of a motion on its path at each time; it never runs backwards.

    Attributes:
        curve: s over t, a trajectory of one "joint" that starts at any s.
    """

    curve: Trajectory

    def __post_init__(self) -> None:
        if self.curve.n != 1:
            raise InvalidValue(f"A time law must be one function of time; found {self.curve.n}.")
        (low,), _ = self.curve.ranges([0.0], [self.curve.duration], 1)
        if low[0] < -_ROUNDING:
            raise InvalidValue(
                f"A time law must not run backwards; its rate falls to {low[0]:.6g}.", rate=float(low[0])
            )

    @classmethod
    def steady(cls, length: float, rate: float = 1.0, start: float = 0.0) -> TimeLaw:
        """The law that runs from ``start`` to ``length`` at one rate; 1 is the path's own speed."""
        if not (math.isfinite(rate) and rate > 0.0):
            raise InvalidValue(f"A steady rate must be above 0, not {rate}.")
        if not 0.0 <= start <= length < math.inf:
            raise InvalidValue(f"A law must run forwards within its path; found {start} to {length}.")
        if start == length:
            return cls.standing(length)
        return cls(Trajectory(np.array([0.0, (length - start) / rate]), np.array([[[start], [rate]]])))

    @classmethod
    def standing(cls, s: float) -> TimeLaw:
        """The law that stays at one place."""
        return cls(Trajectory.constant([s]))

    @property
    def duration(self) -> float:
        """The time after which nothing changes [s]."""
        return self.curve.duration

    @property
    def pieces(self) -> int:
        """The number of polynomial pieces."""
        return self.curve.pieces

    @property
    def end(self) -> float:
        """The last s."""
        return self.place(self.duration)

    def place(self, t: float) -> float:
        """The place on the path at ``t`` [s]."""
        return float(self.curve.position(t)[0])

    def rate(self, t: float) -> float:
        """ṡ at ``t``: 1 is the path's own speed; 0 outside the law."""
        return float(self.curve.velocity(t)[0])

    def push(self, t: float) -> float:
        """s̈ at ``t`` [1/s]; 0 outside the law."""
        return float(self.curve.acceleration(t)[0])


@dataclass(frozen=True)
class PacedMotion:
    """A path and its time law.

    Attributes:
        path: joint values over s.
        law: s over time.
    """

    path: Trajectory
    law: TimeLaw

    @classmethod
    def at_full_speed(cls, path: Trajectory) -> PacedMotion:
        """The path in its own time."""
        return cls(path, TimeLaw.steady(path.duration) if path.duration else TimeLaw.standing(0.0))

    @classmethod
    def from_bytes(cls, data: bytes) -> PacedMotion:
        """Read what ``to_bytes`` wrote."""
        if len(data) < _HEADER.size or not data.startswith(_MAGIC):
            raise InvalidValue("These bytes are not a paced motion: they begin with another mark.")
        size = _HEADER.size + _HEADER.unpack_from(data)[1]
        if size > len(data):
            raise InvalidValue(f"These bytes are not a complete paced motion: found {len(data)} of more than {size}.")
        return cls(Trajectory.from_bytes(data[_HEADER.size : size]), TimeLaw(Trajectory.from_bytes(data[size:])))

    def to_bytes(self) -> bytes:
        """The path and the law as bytes, the same on every machine."""
        path = self.path.to_bytes()
        return _HEADER.pack(_MAGIC, len(path)) + path + self.law.curve.to_bytes()

    # ---- values ---------------------------------------------------------------------------------------

    @property
    def duration(self) -> float:
        """The duration of the motion [s]."""
        return self.law.duration

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.path.n

    @property
    def start(self) -> Array:
        """The joint values at the start (n,)."""
        return self.position(0.0)

    @property
    def end(self) -> Array:
        """The joint values at the end (n,)."""
        return self.position(self.duration)

    def position(self, t: float) -> Array:
        """Joint values at ``t`` [s] (n,); before the start and after the end, those of the ends."""
        return self.path.position(self.law.place(t))

    def velocity(self, t: float) -> Array:
        """Joint velocities at ``t`` [s] (n,) [1/s]; zero outside the motion."""
        return self.path.velocity(self._place(t)) * self.law.rate(t)

    def acceleration(self, t: float) -> Array:
        """Joint accelerations at ``t`` [s] (n,) [1/s²]; zero outside the motion."""
        s, rate, push = self._place(t), self.law.rate(t), self.law.push(t)
        return np.asarray(self.path.acceleration(s) * rate**2 + self.path.velocity(s) * push)

    def sample(self, times: ArrayLike, derivative: int = 0) -> Array:
        """Joint values at many times (N,) [s] by the compiled kernel: (N, n); or their derivative 1 or 2."""
        s = np.clip(self.law.curve.sample(times)[:, 0], 0.0, self.path.duration)
        if derivative == 0:
            return self.path.sample(s)
        rate = self.law.curve.sample(times, 1)
        if derivative == 1:
            return np.asarray(self.path.sample(s, 1) * rate)
        if derivative == 2:
            push = self.law.curve.sample(times, 2)
            return np.asarray(self.path.sample(s, 2) * rate**2 + self.path.sample(s, 1) * push)
        raise InvalidValue(f"A derivative of a paced motion must be 0 (position), 1 or 2, not {derivative!r}.")

    def present(self, t: float) -> Array:
        """Position, velocity and acceleration at one time: (3, n), as ``sample`` computes them."""
        s, rate, push = self.law.curve.present(t)[:, 0].tolist()
        out = self.path.present(min(max(s, 0.0), self.path.duration))
        out[2] = out[2] * rate**2 + out[1] * push
        out[1] *= rate
        return out

    def part(self, t0: float, t1: float) -> PacedMotion:
        """The motion from ``t0`` to ``t1`` [s], as one that starts at time 0; the path stays complete."""
        return PacedMotion(self.path, TimeLaw(self.law.curve.part(t0, t1)))

    # ---- bounds ---------------------------------------------------------------------------------------

    @property
    def turning(self) -> NDArray[np.bool_]:
        """Which joints move (n,)."""
        return self.path.turning

    @property
    def gaps(self) -> Array:
        """The total jump of each joint where pieces of the path or of the law meet, by rounding (n,)."""
        return np.asarray(self.path.gaps + self.path.peaks[0] * self.law.curve.gaps)

    @property
    def farthest(self) -> Array:
        """The greatest |value| of each joint at the beginnings of the pieces of the path (n,)."""
        return self.path.farthest

    def max_speed(self) -> Array:
        """A bound on the greatest |velocity| of each joint, piece by piece of the law (n,) [1/s]."""
        low, high = self.ranges(self.law.curve.breaks[:-1], self.law.curve.breaks[1:], 1)
        return np.asarray(np.maximum(-low, high).max(axis=0))

    def range(self, t0: float = 0.0, t1: float | None = None) -> tuple[Array, Array]:
        """The least and greatest value of each joint over [t0, t1], exact to rounding: (n,), (n,)."""
        low, high = self.ranges([t0], [self.duration if t1 is None else t1])
        return low[0], high[0]

    def ranges(self, starts: ArrayLike, ends: ArrayLike, derivative: int = 0) -> tuple[Array, Array]:
        """Bounds of the values over many intervals [starts, ends] (N,): two arrays (N, n).

        For positions they are the least and greatest values, exact to rounding, because the law never runs backwards.
        For the derivatives 1 and 2 they are products of ranges: never too narrow, and tighter for shorter
        intervals.
        """
        if derivative not in (0, 1, 2):
            raise InvalidValue(f"A derivative of a paced motion must be 0 (position), 1 or 2, not {derivative!r}.")
        s0, s1 = self.law.curve.ranges(starts, ends)
        first, last = (np.clip(s[:, 0], 0.0, self.path.duration) for s in (s0, s1))
        if derivative == 0:
            return self.path.ranges(first, last)
        slope = self.path.ranges(first, last, 1)
        rate = self.law.curve.ranges(starts, ends, 1)
        if derivative == 1:
            return _product(slope, rate)
        rate = (np.maximum(rate[0], 0.0) ** 2, rate[1] ** 2)
        low, high = _product(self.path.ranges(first, last, 2), rate)
        more = _product(slope, self.law.curve.ranges(starts, ends, 2))
        return low + more[0], high + more[1]

    def _place(self, t: float) -> float:
        """The place at ``t``, kept within the path despite rounding."""
        return min(max(self.law.place(t), 0.0), self.path.duration)


def whole_nanoseconds(motion: Trajectory, keep_start: bool = False) -> tuple[Trajectory, int]:
    """The motion made longer until it takes whole nanoseconds, and their number.

    Args:
        motion: any motion.
        keep_start: do not change the motion, but wait at its end for the missing part of a nanosecond, for
            motions that begin with a speed; otherwise it is stretched evenly, which lowers all its speeds.
    """
    wanted = motion.duration
    count = round(wanted * 1e9)
    if count / 1e9 < wanted:
        count += 1
    whole = count / 1e9
    if whole == wanted:
        return motion, count
    if keep_start:
        rest = np.zeros((1, *motion.coefficients.shape[1:]))
        rest[0, 0] = motion.end
        breaks = np.append(motion.breaks, whole)
        return Trajectory(breaks, np.concatenate([motion.coefficients, rest])), count
    factor = whole / wanted
    while factor * wanted < whole:
        factor = math.nextafter(factor, math.inf)
    breaks, coefficients = motion.longer(factor)
    breaks[-1] = whole
    return Trajectory._made(breaks, coefficients), count


def _product(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    corners = np.stack([x * y for x in a for y in b])
    return corners.min(axis=0), corners.max(axis=0)
