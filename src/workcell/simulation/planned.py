"""A move that is worked out and not yet made: the exact motion, and how finely it is shown."""

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


@dataclass(frozen=True, eq=False)
class Planned:
    """A move of one robot: polynomials, exact at every instant.

    The time of the motion is the time of the clock, but for the joint-by-joint mode: there the clock stands still while
    joints other than the one with most travel move, and ``span`` says during which part of the motion it runs.

    Attributes:
        robot: who moves.
        motion: joint values over the time of the motion.
        start: joint values before it (n,).
        end: joint values after it (n,), those asked for.
        step: how far the joint that moves most goes between two frames of the recording [rad or m].
        resolution: how far a straight line between two frames may be from the motion [rad or m].
        kind: for the report.
        profile: for the report.
        limited: for the report.
        deviation: of the hand from its curve [m], or None.
        bound: for the report.
        span: from when on the clock runs, in the time of the motion, and for how long [s]; all the time when None.
        frames: when it is recorded, in the time of the motion (N,); found from step and resolution when None.
        goal: joint values at the end of its whole way (n,), where it is held before that; ``end`` when None.
        company: the devices that move in one timing, this one among them; none where it moves on its own.
        tether: what its hand goes to meet or follows, where that moves.
        leaves: whether it begins in the motion of what its arm followed, so that it keeps its time.
        onward: the motion that goes on at once when this one is over.
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
    def tracking(cls, robot: str, motion: Trajectory, start: Array, end: Array, step: float) -> Planned:
        """The move to a set-point; made without the constructor, since set-points come every millisecond."""
        found = object.__new__(cls)
        found.__dict__.update(
            _TRACKING, robot=robot, motion=motion, start=start, end=end, step=step, duration=motion.duration
        )
        return found

    @property
    def name(self) -> str:
        """Who moves."""
        return self.robot

    @cached_property
    def endless(self) -> bool:
        """Whether it runs on for good."""
        return runs_on(self.motion)

    def whole(self) -> Planned:
        """The move made longer until it takes whole nanoseconds; the thesis' moves take them joint by joint."""
        if self.span is not None or isinstance(self.motion, PacedMotion):
            return self
        motion, _ = whole_nanoseconds(self.motion)
        if motion is self.motion:
            return self
        found = object.__new__(Planned)  # quicker than `replace`, which every move would pay for
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
        """When it is looked at for collisions, in the time of the motion (N,); a degree apart at most."""
        return sample_times(self.motion, LOOK)

    def looks_within(self, first: float, last: float) -> Array:
        """Those between two times of the motion (N,); the only ones to ask for where it runs on for good."""
        if self.endless:
            assert isinstance(self.motion, Trajectory)
            found = running_times(self.motion, first, last, LOOK)
        else:
            found = self.looks
        return np.asarray(found[(found > first) & (found < last)])

    def clock(self, shown: Array) -> Array:
        """What the clock says at times of the motion, from 0 at the start (N,) [s]."""
        return shown if self.span is None else np.clip(shown - self.span[0], 0.0, self.duration)

    def at(self, time: float) -> Array:
        """Joint values when the clock says so much after the start [s] (n,), exact."""
        if time >= self.duration:
            return self.end
        begin = 0.0 if self.span is None else self.span[0]
        return np.asarray(self.at_shown(np.array([begin + max(time, 0.0)]))[0])

    def at_shown(self, shown: Array) -> Array:
        """Joint values at times of the motion (N, n); at its ends those asked for, without rounding."""
        rows = self.motion.sample(shown)
        rows[shown <= 0.0] = self.start
        rows[shown >= self.motion.duration] = self.end
        return rows

    def off(self, by: Array) -> Planned:
        """The move of a device whose joints are off by an amount (n,), which it does not know."""
        goal = None if self.goal is None else self.goal + by
        motion = shifted(self.motion, by)
        assert isinstance(motion, Trajectory | PacedMotion)
        return dataclasses.replace(self, motion=motion, start=self.start + by, end=self.end + by, goal=goal)

    def until(self, shown: float) -> Planned:
        """The move up to a time of the motion [s], stopped there."""
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
    "kind": "track",
    "profile": "jerk",
    "limited": "its set-points",
    "endless": False,
}
"""What the moves to all set-points have in common."""


def shifted(motion: JointMotion, by: Array) -> JointMotion:
    """A motion of joints with every value greater by an amount (n,)."""
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
    """The joint-by-joint mode of the thesis: the clock runs while the joint that takes longest moves."""
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
    # The frames of a joint follow each other by its travel; those of all joints come one after the other.
    gone = (np.abs(np.diff(np.vstack([start, rows]), axis=0)) * slower).sum(axis=1).cumsum() / speed
    gone = np.interp(gone, exact.breaks, breaks)
    gone[-1] = motion.duration
    return Planned(
        robot, motion, start, end, step, RESOLUTION, kind, "linear", f"speed of joint {longest + 1}",
        span=(before, runs), frames=gone,
    )  # fmt: skip
