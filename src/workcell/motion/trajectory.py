"""A motion: joint values as exact piecewise polynomials of time."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, MotionError
from workcell.motion.joint_values import joint_values, numbers
from workcell.motion.polynomials import JOIN, are_plain, checked, differentiated, horner, raised, shifted

Array = NDArray[np.float64]

_MAGIC = b"WCTRAJ1\n"
_HEADER = struct.Struct("<8sIII")


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Joint values over [0, duration] as polynomials, one per piece and joint.

    Piece i applies for ``breaks[i] ≤ t < breaks[i+1]`` and is Σ coefficients[i, p] · (t − breaks[i])^p. The
    position is continuous; the velocity need not be. The arm stands still before the start and after the end.

    Attributes:
        breaks: times [s], (k+1,), from 0, rising; a motion of zero duration is one piece from 0 to 0.
        coefficients: (k, degree+1, n), lowest power first, [rad/s^p] or [m/s^p].
    """

    breaks: Array
    coefficients: Array

    def __post_init__(self) -> None:
        from workcell.motion import _kernels_joint_moves

        if are_plain(self.breaks, self.coefficients):
            breaks, coefficients = self.breaks.copy(), self.coefficients.copy()
            if _kernels_joint_moves.fits(breaks, coefficients, JOIN):
                self._freeze(breaks, coefficients)
                return
        self._freeze(*checked(self.breaks, self.coefficients))

    def _freeze(self, breaks: Array, coefficients: Array) -> None:
        breaks.flags.writeable = coefficients.flags.writeable = False
        object.__setattr__(self, "breaks", breaks)
        object.__setattr__(self, "coefficients", coefficients)

    # ---- construction ---------------------------------------------------------------------------------

    @classmethod
    def constant(cls, q: ArrayLike, duration: float = 0.0) -> Trajectory:
        """Standing still at ``q`` for ``duration`` [s]."""
        values = joint_values(q, "The joint values")
        return cls(np.array([0.0, _seconds(duration)]), values[None, None, :])

    @classmethod
    def _made(cls, breaks: Array, coefficients: Array) -> Trajectory:
        """Make one from arrays that a kernel of this room made and that nobody else has; they are not checked again."""
        found = object.__new__(cls)
        breaks.flags.writeable = coefficients.flags.writeable = False
        object.__setattr__(found, "breaks", breaks)
        object.__setattr__(found, "coefficients", coefficients)
        return found

    @classmethod
    def from_bytes(cls, data: bytes) -> Trajectory:
        """Read what ``to_bytes`` wrote."""
        if len(data) < _HEADER.size or not data.startswith(_MAGIC):
            raise InvalidValue("These bytes are not a trajectory: they begin with another mark.")
        _, pieces, terms, joints = _HEADER.unpack_from(data)
        size = _HEADER.size + 8 * (pieces + 1 + pieces * terms * joints)
        if len(data) != size:
            raise InvalidValue(f"These bytes are not a complete trajectory: found {len(data)} of {size}.")
        found = np.frombuffer(data, dtype="<f8", offset=_HEADER.size)
        return cls(found[: pieces + 1], found[pieces + 1 :].reshape(pieces, terms, joints))

    def to_bytes(self) -> bytes:
        """The trajectory as bytes, the same on every machine."""
        head = _HEADER.pack(_MAGIC, *self.coefficients.shape)
        return head + self.breaks.astype("<f8").tobytes() + self.coefficients.astype("<f8").tobytes()

    # ---- values ---------------------------------------------------------------------------------------

    @property
    def duration(self) -> float:
        """The duration of the motion [s]."""
        return float(self.breaks[-1])

    @property
    def n(self) -> int:
        """The number of joints."""
        return int(self.coefficients.shape[2])

    @property
    def pieces(self) -> int:
        """The number of polynomial pieces."""
        return int(self.coefficients.shape[0])

    @property
    def degree(self) -> int:
        """The highest power in the coefficients."""
        return int(self.coefficients.shape[1]) - 1

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
        return self._at(t, 0)

    def velocity(self, t: float) -> Array:
        """Joint velocities at ``t`` [s] (n,) [1/s]: those of the later piece at a break, zero outside."""
        return self._at(t, 1)

    def acceleration(self, t: float) -> Array:
        """Joint accelerations at ``t`` [s] (n,) [1/s²]: those of the later piece at a break, zero outside."""
        return self._at(t, 2)

    def jerk(self, t: float) -> Array:
        """Third derivatives at ``t`` [s] (n,) [1/s³]: those of the later piece at a break, zero outside."""
        return self._at(t, 3)

    def sample(self, times: ArrayLike, derivative: int = 0) -> Array:
        """Joint values at many times (N,) [s] by the compiled kernel: (N, n); or one of their derivatives."""
        from workcell.motion import _kernels

        wanted = np.ascontiguousarray(numbers(times, 1, "Sample times"))
        out = np.empty((wanted.shape[0], self.n))
        _kernels.evaluate(self.breaks, self.coefficients, wanted, _order(derivative), out)
        return out

    def present(self, t: float) -> Array:
        """Position, velocity and acceleration at one time by the compiled kernel: (3, n), equal to ``sample``."""
        from workcell.motion import _kernels

        out = np.empty((3, self.coefficients.shape[2]))
        _kernels.present(self.breaks, self.coefficients, t, out)
        return out

    # ---- exact bounds ---------------------------------------------------------------------------------

    def range(self, t0: float = 0.0, t1: float | None = None) -> tuple[Array, Array]:
        """The least and greatest value of each joint over [t0, t1], exact to rounding: (n,), (n,)."""
        low, high = self.ranges([t0], [self.duration if t1 is None else t1])
        return low[0], high[0]

    def max_speed(self, t0: float = 0.0, t1: float | None = None) -> Array:
        """The greatest |velocity| of each joint over [t0, t1], exact to rounding (n,) [1/s]."""
        return self._largest(t0, t1, 1)

    def max_acceleration(self, t0: float = 0.0, t1: float | None = None) -> Array:
        """The greatest |acceleration| of each joint within the pieces over [t0, t1] (n,) [1/s²].

        A step of the velocity between two pieces is not an acceleration; ``velocity_jumps`` reports it.
        """
        return self._largest(t0, t1, 2)

    def max_jerk(self, t0: float = 0.0, t1: float | None = None) -> Array:
        """The greatest |jerk| of each joint within the pieces over [t0, t1] (n,) [1/s³]."""
        return self._largest(t0, t1, 3)

    @cached_property
    def peaks(self) -> Array:
        """The greatest |velocity|, |acceleration| and |jerk| of each joint over the whole motion (3, n)."""
        return np.stack([self._largest(0.0, None, derivative) for derivative in (1, 2, 3)])

    def ranges(self, starts: ArrayLike, ends: ArrayLike, derivative: int = 0) -> tuple[Array, Array]:
        """The least and greatest values over many intervals [starts, ends] (N,): two arrays (N, n).

        They come from the roots of the derivatives, not from samples. Outside the motion, the joints stand still
        at its ends.
        """
        from workcell.motion import _kernels

        first = numbers(starts, 1, "Interval starts")
        last = numbers(ends, 1, "Interval ends")
        if first.shape != last.shape or (last < first).any():
            raise InvalidValue(
                f"Intervals need as many ends as starts, each end at or after its start; found "
                f"{first.shape[0]} starts and {last.shape[0]} ends."
            )
        low = np.empty((first.shape[0], self.n))
        high = np.empty_like(low)
        _kernels.extrema(self.breaks, self.coefficients, first, last, _order(derivative), low, high)
        return low, high

    def covered(self, t0: float, t1: float, stretches: int) -> tuple[Array, Array]:
        """The same over equal stretches of the time from ``t0`` to ``t1`` [s]: two arrays (stretches, n)."""
        from workcell.motion import _kernels

        low = np.empty((stretches, self.coefficients.shape[2]))
        high = np.empty_like(low)
        _kernels.covered(self.breaks, self.coefficients, t0, t1, low, high)
        return low, high

    def stays(self, t0: float, t1: float, least: Array, most: Array) -> bool:
        """Whether every joint stays between two values (n,) from ``t0`` to ``t1`` [s], with a margin for rounding."""
        from workcell.motion import _kernels

        return bool(_kernels.stays(self.breaks, self.coefficients, t0, t1, least, most))

    def velocity_jumps(self) -> Array:
        """The step of each joint's velocity at each break, with standstill outside: (k+1, n) [1/s]."""
        steps = np.diff(self.breaks)[:, None]
        slopes = differentiated(self.coefficients)
        before = np.vstack([np.zeros((1, self.n)), horner(slopes, steps)])
        after = np.vstack([slopes[:, 0], np.zeros((1, self.n))])
        return np.asarray(after - before)

    def acceleration_jumps(self) -> Array:
        """The step of each joint's acceleration where pieces meet: (k−1, n) [1/s²]."""
        steps = np.diff(self.breaks)[:-1, None]
        bends = differentiated(differentiated(self.coefficients))
        return np.asarray(bends[1:, 0] - horner(bends[:-1], steps))

    @cached_property
    def turning(self) -> NDArray[np.bool_]:
        """Which joints move (n,)."""
        c = self.coefficients
        return np.asarray((c[:, 1:] != 0.0).any(axis=(0, 1)) | (c[:, 0] != c[0, 0]).any(axis=0))

    @cached_property
    def gaps(self) -> Array:
        """The total jump of each joint where the pieces meet, by rounding (n,)."""
        ends = horner(self.coefficients[:-1], np.diff(self.breaks)[:-1, None])
        return np.asarray(np.abs(self.coefficients[1:, 0] - ends).sum(axis=0))

    @cached_property
    def farthest(self) -> Array:
        """The greatest |value| of each joint at the beginnings of the pieces (n,)."""
        return np.asarray(np.abs(self.coefficients[:, 0]).max(axis=0))

    # ---- new trajectories from it ---------------------------------------------------------------------

    def then(self, other: Trajectory) -> Trajectory:
        """This motion followed by the other, which must start where this one ends."""
        if other.n != self.n:
            raise InvalidValue(f"A motion of {self.n} joints cannot be followed by one of {other.n} joints.")
        gaps = np.abs(other.start - self.end)
        if (gaps > JOIN * (1.0 + np.abs(self.end))).any():
            joint = int(gaps.argmax())
            raise MotionError(
                f"The second motion starts with joint {joint + 1} at {other.start[joint]:.9g}, but the first one "
                f"ends with it at {self.end[joint]:.9g}; motions that follow each other must meet.",
                joint=joint + 1,
                gap=float(gaps[joint]),
            )
        if other.duration == 0.0:
            return self
        if self.duration == 0.0:
            return other
        degree = max(self.degree, other.degree)
        return pieced(
            np.concatenate([self.breaks, self.duration + other.breaks[1:]]),
            np.concatenate([raised(self.coefficients, degree), raised(other.coefficients, degree)]),
        )

    def delayed(self, seconds: float) -> Trajectory:
        """Standing still at the start for ``seconds`` [s], then this motion."""
        return Trajectory.constant(self.start, seconds).then(self)

    def held(self, seconds: float) -> Trajectory:
        """This motion, then standing still at its end for ``seconds`` [s]."""
        return self.then(Trajectory.constant(self.end, seconds))

    def reversed(self) -> Trajectory:
        """The same motion backwards in time."""
        steps = np.diff(self.breaks)
        from_ends = shifted(self.coefficients, steps)
        signs = (-1.0) ** np.arange(self.degree + 1)
        backward = (from_ends * signs[None, :, None])[::-1]
        return pieced(self.duration - self.breaks[::-1], backward)

    def stretched(self, factor: float) -> Trajectory:
        """The same motion with ``factor`` times its duration; speeds fall by it, accelerations by its square."""
        if not (math.isfinite(factor) and factor > 0.0):
            raise InvalidValue(f"A motion can be stretched by a factor above 0, not by {factor}.")
        return Trajectory(*self.longer(factor))

    def longer(self, factor: float) -> tuple[Array, Array]:
        """Breaks and coefficients of the same motion with ``factor`` times its duration."""
        from workcell.motion import _kernels_joint_moves

        return _kernels_joint_moves.longer(self.breaks, self.coefficients, float(factor))

    def part(self, t0: float, t1: float) -> Trajectory:
        """The motion from ``t0`` to ``t1`` [s], as one that starts at time 0."""
        if not 0.0 <= t0 <= t1 <= self.duration:
            raise InvalidValue(
                f"A part must lie within the motion's 0 to {self.duration:.6g} s; found {t0} to {t1} s.",
            )
        if t0 == t1:
            return Trajectory.constant(self.position(t0))
        last = int(self.breaks.searchsorted(t1)) - 1
        if t0 == 0.0:
            kept, breaks = self.coefficients[: last + 1].copy(), self.breaks[: last + 2].copy()
            breaks[-1] = t1
            return Trajectory._made(breaks, kept)
        first = self._piece(t0)
        kept = self.coefficients[first : last + 1].copy()
        kept[:1] = shifted(kept[:1], np.array([t0 - self.breaks[first]]))
        edges = np.concatenate([[t0], self.breaks[first + 1 : last + 1], [t1]])
        return pieced(edges - t0, kept)

    # ---- internal -------------------------------------------------------------------------------------

    def _piece(self, t: float) -> int:
        return min(int(self.breaks.searchsorted(t, side="right")) - 1, self.pieces - 1)

    def _at(self, t: float, derivative: int) -> Array:
        if not math.isfinite(t):
            raise InvalidValue(f"A time must be a finite number of seconds, not {t}.")
        if derivative and not 0.0 <= t <= self.duration:
            return np.zeros(self.n)
        t = min(max(float(t), 0.0), self.duration)
        piece = self._piece(t)
        c = self.coefficients[piece : piece + 1]
        c = differentiated(c, derivative)
        return np.asarray(horner(c, np.array([[t - self.breaks[piece]]]))[0])

    def _largest(self, t0: float, t1: float | None, derivative: int) -> Array:
        if t0 == 0.0 and t1 is None:
            from workcell.motion import _kernels_joint_moves

            return np.asarray(_kernels_joint_moves.largest(self.breaks, self.coefficients, derivative))
        low, high = self.ranges([t0], [self.duration if t1 is None else t1], derivative)
        return np.asarray(np.maximum(-low[0], high[0]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trajectory):
            return NotImplemented
        return np.array_equal(self.breaks, other.breaks) and np.array_equal(self.coefficients, other.coefficients)

    def __hash__(self) -> int:
        return hash(((self.breaks + 0.0).tobytes(), (self.coefficients + 0.0).tobytes()))

    def __repr__(self) -> str:
        what = f"{self.n} joints, {self.duration:.6g} s, {self.pieces} pieces of degree {self.degree}"
        return f"<Trajectory: {what}>"


def _seconds(duration: float) -> float:
    if not (math.isfinite(duration) and duration >= 0.0):
        raise InvalidValue(f"A duration must be 0 or more seconds, not {duration}.")
    return float(duration)


def _order(derivative: int) -> int:
    if derivative not in (0, 1, 2, 3):
        raise InvalidValue(f"A derivative must be 0 (position), 1, 2 or 3, not {derivative!r}.")
    return derivative


def pieced(breaks: Array, coefficients: Array) -> Trajectory:
    """A trajectory without pieces whose duration rounding has reduced to zero."""
    rising = np.concatenate([[True], np.diff(np.maximum.accumulate(breaks)) > 0.0])
    if not rising[1:].any():
        return Trajectory.constant(coefficients[0, 0])
    return Trajectory(breaks[rising], coefficients[rising[1:]])
