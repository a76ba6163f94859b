"""A move that is planned and not yet made: the exact motion, and the sampling for display."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.motion.chained import Chained, JointMotion
from workcell.motion.frames import joint_by_joint
from workcell.motion.profiles import linear_through
from workcell.motion.running import runs_on
from workcell.motion.time_law import PacedMotion, whole_nanoseconds
from workcell.motion.trajectory import Trajectory
from workcell.simulation.instants import SECOND
from workcell.simulation.sampling import LOOK, RESOLUTION, running_times, sample_times
from workcell.simulation.tethers import Tether

Array = NDArray[np.float64]

TRACK, GUIDED = "track", "guided"
SET_POINTS = {TRACK: "its set-points", GUIDED: "its guidance"}
"""The kinds of moves that go on by set-points, and what limits them."""


@dataclass(frozen=True, eq=False)
class Planned:
    """A move of one robot: polynomials, exact at every instant.

    The time of the motion is the time of the clock, except in the mode joint-by-joint: there the clock stops while
    joints other than the one with most travel move, and ``span`` is the part of the motion during which it runs.

    Attributes:
        robot: the robot that moves.
        motion: joint values over the time of the motion.
        start: joint values before it (n,).
        end: joint values after it (n,), as requested.
        step: how far the joint that moves most goes between two frames of the recording [rad or m].
        resolution: the tolerance of linear interpolation between two frames [rad or m].
        kind: the kind of move, for the report.
        profile: the profile, for the report.
        limited: what limits it, for the report.
        deviation: the deviation of the hand from its curve [m], or None.
        bound: which joint is at which limit, and when, for the report.
        span: when the clock starts, in the time of the motion, and how long it runs [s]; None for the whole motion.
        frames: when it is recorded, in the time of the motion (N,); None to find it from step and resolution.
        goal: joint values at the end of its whole way (n,) if it is held before that; ``end`` if None.
        company: the devices that move in one timing, including this one; empty if it moves on its own.
        tether: what its hand meets or follows, if that moves.
        leaves: whether it begins while its arm follows something, so that its time cannot be stretched.
        onward: the motion that follows at once when this one is over.
    """

    robot: str
    motion: Trajectory | PacedMotion
    start: Array
    end: Array
    step: float
    resolution: float
    kind: str = "joints"
    profile: str = "linear"
    limited: str = ""
    deviation: float | None = None
    bound: tuple[tuple[int, str, float, float], ...] = ()
    span: tuple[float, float] | None = None
    frames: Array | None = None
    goal: Array | None = None
    company: tuple[str, ...] = ()
    tether: Tether | None = None
    leaves: bool = False
    onward: Planned | None = None

    @classmethod
    def tracking(
        cls, robot: str, motion: Trajectory, start: Array, end: Array, step: float, kind: str = TRACK
    ) -> Planned:
        """Return the move to a set-point. It bypasses the constructor, because set-points come every millisecond.

        Args:
            robot: the robot that moves.
            motion: joint values over time.
            start: joint values before it (n,).
            end: joint values after it (n,).
            step: between two frames of the recording [rad or m].
            kind: who gives the set-points: one of ``SET_POINTS``.
        """
        found = object.__new__(cls)
        found.__dict__.update(
            _TRACKING, robot=robot, motion=motion, start=start, end=end, step=step, duration=motion.duration,
            kind=kind, limited=SET_POINTS[kind],
        )  # fmt: skip
        return found

    @property
    def name(self) -> str:
        """The name of the robot."""
        return self.robot

    @cached_property
    def endless(self) -> bool:
        """Whether it runs without end."""
        return runs_on(self.motion)

    def whole(self) -> Planned:
        """Return the move extended to whole nanoseconds.

        In the mode of the thesis, each joint takes whole nanoseconds.
        """
        if self.span is not None or isinstance(self.motion, PacedMotion):
            return self
        motion, _ = whole_nanoseconds(self.motion)
        if motion is self.motion:
            return self
        found = object.__new__(Planned)  # faster than `replace`, for every move
        found.__dict__.update(self.__dict__)
        for known in ("duration", "looks", "endless"):
            found.__dict__.pop(known, None)
        found.__dict__["motion"] = motion
        return found

    @cached_property
    def duration(self) -> float:
        """How long it takes by the clock [s]."""
        return self.motion.duration if self.span is None else self.span[1]

    @cached_property
    def looks(self) -> Array:
        """When it is tested for collisions, in the time of the motion (N,); at most a degree apart."""
        return sample_times(self.motion, LOOK)

    def looks_within(self, first: float, last: float) -> Array:
        """Return the test times between two times of the motion (N,); for an endless motion, the only ones."""
        if self.endless:
            assert isinstance(self.motion, Trajectory)
            found = running_times(self.motion, first, last, LOOK)
        else:
            found = self.looks
        return np.asarray(found[(found > first) & (found < last)])

    def clock(self, shown: Array) -> Array:
        """Return the clock at times of the motion, from 0 at the start (N,) [s]."""
        return shown if self.span is None else np.clip(shown - self.span[0], 0.0, self.duration)

    def at(self, time: float) -> Array:
        """Return the exact joint values at this time of the clock after the start [s] (n,)."""
        if time >= self.duration:
            return self.end
        begin = 0.0 if self.span is None else self.span[0]
        return np.asarray(self.at_shown(np.array([begin + max(time, 0.0)]))[0])

    def at_shown(self, shown: Array) -> Array:
        """Return joint values at times of the motion (N, n); at its ends the requested ones, without rounding."""
        rows = self.motion.sample(shown)
        rows[shown <= 0.0] = self.start
        rows[shown >= self.motion.duration] = self.end
        return rows

    def off(self, by: Array) -> Planned:
        """Return the move of a device whose joints are off by an amount (n,) that it does not know."""
        goal = None if self.goal is None else self.goal + by
        motion = shifted(self.motion, by)
        assert isinstance(motion, Trajectory | PacedMotion)
        return dataclasses.replace(self, motion=motion, start=self.start + by, end=self.end + by, goal=goal)

    def until(self, shown: float) -> Planned:
        """Return the move up to a time of the motion [s], stopped there."""
        if shown >= self.motion.duration:
            return self
        part = self.motion.part(0.0, shown)
        begin, runs = self.span or (0.0, self.motion.duration)
        return dataclasses.replace(
            self,
            motion=part,
            end=np.asarray(self.at_shown(np.array([shown]))[0]),
            limited="stopped",
            bound=tuple((joint, kind, a, min(b, shown)) for joint, kind, a, b in self.bound if a < shown),
            span=None if self.span is None else (min(begin, shown), min(max(shown - begin, 0.0), runs)),
        )


_TRACKING = {one.name: one.default for one in dataclasses.fields(Planned)} | {
    "resolution": RESOLUTION,
    "profile": "jerk",
    "endless": False,
}
"""The common fields of moves to set-points."""


def shifted(motion: JointMotion, by: Array) -> JointMotion:
    """Return a motion of joints with every value increased by an amount (n,)."""
    if isinstance(motion, PacedMotion):
        return PacedMotion(_shifted(motion.path, by), motion.law)
    if isinstance(motion, Chained):
        return Chained.of([shifted(one, by) for one in motion.parts])
    return _shifted(motion, by)


def _shifted(path: Trajectory, by: Array) -> Trajectory:
    coefficients = path.coefficients.copy()
    coefficients[:, 0] += by
    return Trajectory(path.breaks, coefficients)


def one_by_one(robot: str, start: Array, end: Array, speeds: Array, step: float, kind: str) -> Planned:
    """Return a move in the joint-by-joint mode of the thesis: the clock runs while the slowest joint moves."""
    speed = float(speeds.max())
    slower = speed / speeds
    rows = joint_by_joint(start, end, speed, step)[1]
    travel = np.abs(end - start)
    longest = int((travel * slower).argmax())
    corners, q = [start], start.copy()
    for joint in np.flatnonzero(travel):
        q = q.copy()
        q[joint] = end[joint]
        corners.append(q)
    exact = linear_through(np.array(corners), speeds)
    # Each joint takes whole nanoseconds.
    counts = np.maximum(np.ceil(np.diff(exact.breaks) * SECOND - 1e-6), 1.0)
    breaks = np.concatenate([[0.0], counts.cumsum()]) / SECOND
    slopes = exact.coefficients[:, 1] * (np.diff(exact.breaks) / np.diff(breaks))[:, None]
    motion = Trajectory(breaks, np.stack([exact.coefficients[:, 0], slopes], axis=1))
    place = int(np.abs(exact.breaks[:-1] - (travel * slower)[:longest].sum() / speed).argmin())
    before, runs = float(breaks[place]), float(round((breaks[place + 1] - breaks[place]) * SECOND) / SECOND)
    # The frames of a joint are spaced by its travel. The joints follow one after the other.
    gone = (np.abs(np.diff(np.vstack([start, rows]), axis=0)) * slower).sum(axis=1).cumsum() / speed
    gone = np.interp(gone, exact.breaks, breaks)
    gone[-1] = motion.duration
    return Planned(
        robot, motion, start, end, step, RESOLUTION, kind, "linear", f"speed of joint {longest + 1}",
        span=(before, runs), frames=gone,
    )  # fmt: skip
