"""Pieces of the recording of one robot or solid: exact motions, and samples of what has no formula.

A piece gives where its device is from one instant to another. Before the first piece and between two, the device is
at rest. The values at both ends are kept as they were commanded, without rounding.
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.motion.chained import JointMotion
from workcell.motion.curve_data import curve_data
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.running import runs_on
from workcell.motion.time_law import PacedMotion, TimeLaw
from workcell.motion.trajectory import Trajectory, pieced
from workcell.simulation.columns import Column, pose_between
from workcell.simulation.sampling import pose_times, running_times, sample_times

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Exact:
    """A motion that a device makes, or a part of one. The motion itself stays whole.

    Attributes:
        since: when the motion's own time is zero [s].
        begin: when the device begins to make it [s].
        end: when the device ends it [s]; equal to ``begin`` if the device only jumps.
        motion: where the device is over the motion's own time.
        first: where it is when the piece begins: joint values (n,), or three rows of a pose (12,).
        last: where it is when the piece ends.
        step: how far the joint that moves most goes between two frames [rad or m].
        resolution: the tolerance of linear interpolation between two frames [rad or m].
        frames: when it is shown, in the motion's own time (N,); by default, found from step and resolution.
    """

    since: float
    begin: float
    end: float
    motion: Trajectory | PacedMotion | PoseMotion
    first: Array
    last: Array
    step: float
    resolution: float
    frames: Array | None = None

    @property
    def jumps(self) -> bool:
        """Whether it takes no time and puts the device elsewhere at once."""
        return self.begin == self.end

    @property
    def solid(self) -> bool:
        """Whether it is the motion of a solid, given by poses."""
        return isinstance(self.motion, PoseMotion)

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""
        frames = 0 if self.frames is None else self.frames.nbytes
        numbers = sum(one.breaks.nbytes + one.coefficients.nbytes for one in polynomials(self.motion))
        return numbers + 16 * len(self.first) + frames + 64

    @cached_property
    def times(self) -> Array:
        """When it is shown, with its end and without its beginning (N,) [s]."""
        if self.jumps:
            return np.array([self.end])
        if self.frames is not None:
            own = self.frames
        elif isinstance(self.motion, PoseMotion):
            own = pose_times(self.motion, self.resolution)
        elif isinstance(self.motion, Trajectory) and runs_on(self.motion):
            spans = self.begin - self.since, self.end - self.since
            own = running_times(self.motion, *spans, self.step, self.resolution)
        else:
            own = sample_times(self.motion, self.step, self.resolution)
        times = self.since + own
        inside = times[(times > self.begin + 1e-12) & (times < self.end - 1e-12)]
        return np.append(inside, self.end)

    def at(self, times: Array) -> Array:
        """Return where the device is at times of the piece (N, width); times outside are held at the ends."""
        own = times - self.since
        if isinstance(self.motion, PoseMotion):
            rows = np.ascontiguousarray(self.motion.sample(own)[:, :3].reshape(-1, 12))
        else:
            rows = self.motion.sample(own)
        rows[times <= self.begin] = self.first
        rows[times >= self.end] = self.last
        return rows

    def one(self, time: float) -> Array:
        """Return where the device is at a time (width,)."""
        if time <= self.begin and not self.jumps:
            return self.first
        return self.last if time >= self.end else np.asarray(self.at(np.array([time]))[0])

    def goes_on(self, later: Piece) -> bool:
        """Return whether a later piece is the same motion, continued where this one ends."""
        if not isinstance(later, Exact) or later.since != self.since or later.begin > self.end or self.jumps:
            return False
        return later.motion is self.motion or same_motion(later.motion, self.motion)

    def with_end(self, later: Piece) -> Exact:
        """Return this piece extended to the end of a later one that continues it."""
        frames = later.frames if isinstance(later, Exact) else None
        return dataclasses.replace(self, end=later.end, last=later.last, frames=frames)

    def cut(self, end: float) -> Exact:
        """Return this piece up to an instant [s]."""
        return dataclasses.replace(self, end=end, last=self.at(np.array([end]))[0])

    def from_(self, begin: float, first: Array) -> Exact:
        """Return this piece from an instant [s] on, at which the device is at ``first``."""
        return dataclasses.replace(self, begin=begin, first=first)

    def window(self, begin: float, end: float) -> JointMotion:
        """Return the joints from an instant to a later one, both in the piece, as a motion that starts at time 0."""
        assert not isinstance(self.motion, PoseMotion)
        if isinstance(self.motion, PacedMotion):
            law = TimeLaw(_part(self.motion.law.curve, begin - self.since, end - self.since))
            return PacedMotion(self.motion.path, law)
        return _part(self.motion, begin - self.since, end - self.since)

    def pose_window(self, begin: float, end: float) -> PoseMotion:
        """Return the pose from an instant to a later one, both in the piece, as a motion that starts at time 0."""
        assert isinstance(self.motion, PoseMotion)
        return PoseMotion(self.motion.curve, _part(self.motion.progress, begin - self.since, end - self.since))


@dataclass(frozen=True, eq=False)
class Sampled:
    """Samples of a device, linear in between: for motions without a formula, and from older recordings.

    Attributes:
        column: times [s] and joint values (N, n), or three rows of a pose (N, 12); the first when the piece begins.
        solid: whether they are poses.
    """

    column: Column
    solid: bool = False
    jumps: bool = False

    @classmethod
    def of(cls, times: Array, rows: Array, solid: bool = False) -> Sampled:
        """Make a piece from arrays, which it keeps."""
        column = Column(rows.shape[1])
        column.add(times, rows)
        return cls(column, solid)

    @property
    def begin(self) -> float:
        """When it begins [s]."""
        return float(self.column.times[0])

    @property
    def end(self) -> float:
        """When it ends [s]."""
        return float(self.column.times[-1])

    @property
    def first(self) -> Array:
        """Where the device is when the piece begins."""
        return np.asarray(self.column.rows[0])

    @property
    def last(self) -> Array:
        """Where the device is when the piece ends."""
        return np.asarray(self.column.rows[-1])

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""
        return self.column.times.nbytes + self.column.rows.nbytes

    @property
    def times(self) -> Array:
        """When it is shown, with its end and without its beginning (N,) [s]."""
        return self.column.times[1:]

    def at(self, times: Array) -> Array:
        """Return where the device is at times of the piece (N, width), with linear position and even rotation."""
        if not self.solid:
            return self.column.at(times)
        return np.array([pose_between(self.column, float(time)) for time in times]).reshape(-1, 12)

    def one(self, time: float) -> Array:
        """Return where the device is at a time (width,)."""
        return np.asarray(self.at(np.array([time]))[0])

    def goes_on(self, later: Piece) -> bool:
        """Return whether later samples continue where these end."""
        return isinstance(later, Sampled) and later.begin == self.end and np.array_equal(later.first, self.last)

    def with_end(self, later: Piece) -> Sampled:
        """Return these samples and the later ones. Both share memory until another piece grows from here."""
        assert isinstance(later, Sampled)
        column = self.column.copy()
        column.add(later.column.times[1:], later.column.rows[1:])
        return Sampled(column, self.solid)

    def cut(self, end: float) -> Sampled:
        """Return the samples up to an instant [s]."""
        kept = self.column.copy(int(np.searchsorted(self.column.times, end, side="right")))
        if kept.times[-1] < end:
            kept.add(np.array([end]), self.at(np.array([end])))
        return Sampled(kept, self.solid)

    def from_(self, begin: float, first: Array) -> Sampled:
        """Return the samples from an instant [s] on, at which the device is at ``first``."""
        later = int(np.searchsorted(self.column.times, begin, side="right"))
        times, rows = self.column.times[later:], self.column.rows[later:]
        return Sampled.of(np.concatenate([[begin], times]), np.vstack([first, rows]), self.solid)

    def window(self, begin: float, end: float) -> Trajectory:
        """Return the joints from an instant to a later one, both in the piece, as a motion that starts at time 0."""
        assert not self.solid
        known = self.column.times
        times = np.concatenate([[begin], known[(known > begin) & (known < end)], [end]])
        rows = self.column.at(times)
        if end <= begin:
            return Trajectory.constant(rows[0])
        slopes = np.diff(rows, axis=0) / np.diff(times)[:, None]
        return pieced(times - begin, np.stack([rows[:-1], slopes], axis=1))


Piece: TypeAlias = Exact | Sampled


def jump(time: float, first: Array, last: Array) -> Exact:
    """Return a piece that puts a device elsewhere at once."""
    return Exact(time, time, time, Trajectory.constant(last), first, last, 1.0, 1.0)


def samples_of(times: Array, rows: Array, solid: bool = False) -> list[Sampled]:
    """Return samples as pieces. If two share an instant, the device jumps, and another piece begins."""
    edges = [0, *(np.flatnonzero(np.diff(times) <= 0.0) + 1).tolist(), len(times)]
    return [Sampled.of(times[a:b], rows[a:b], solid) for a, b in itertools.pairwise(edges) if b > a]


def samples_after(at: float, before: Array | None, times: Array, rows: Array) -> list[Sampled]:
    """Return samples of a robot that moves straight to the first one from ``before`` at an instant, if known."""
    if before is not None and len(times):
        times, rows = np.concatenate([[at], times]), np.vstack([before, rows])
    return samples_of(times, rows)


def polynomials(motion: Trajectory | PacedMotion | PoseMotion) -> tuple[Trajectory, ...]:
    """Return the polynomials of a motion: its own, those of its path and its law, or the distance along its curve."""
    if isinstance(motion, PacedMotion):
        return motion.path, motion.law.curve
    return (motion.progress if isinstance(motion, PoseMotion) else motion,)


def same_motion(one: Trajectory | PacedMotion | PoseMotion, other: Trajectory | PacedMotion | PoseMotion) -> bool:
    """Return whether two motions are the same to the last bit."""
    if not (isinstance(one, PoseMotion) and isinstance(other, PoseMotion)):
        return one == other
    if one.progress != other.progress:
        return False
    return one.curve is other.curve or curve_data(one.curve) == curve_data(other.curve) is not None


def _part(motion: Trajectory, begin: float, end: float) -> Trajectory:
    """Return the motion between two of its own times, clipped to its duration."""
    first = min(max(begin, 0.0), motion.duration)
    last = min(max(end, first), motion.duration)
    found = motion if first == 0.0 and last == motion.duration else motion.part(first, last)
    # Rounding of the clock may leave a tiny rest.
    left = (end - begin) - (last - first)
    return found.held(left) if left > 1e-12 else found
