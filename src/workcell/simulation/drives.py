"""What a device does now: it follows a motion by a time law."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workcell.motion.chained import Chained, JointMotion
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.time_law import PacedMotion
from workcell.motion.trajectory import Trajectory
from workcell.simulation.gliding import Glide
from workcell.simulation.instants import later
from workcell.simulation.planned import Planned
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

RUN = "run"
"""The kind of motion of a running conveyor."""


@dataclass
class Follow:
    """A motion that a device makes: a path and a time law, and its start.

    A change of speed gives it another law, and a new motion replaces it. The number stays the same, so that whoever
    began the move knows when it is over.

    Attributes:
        begin: when its own time is zero, by the shown clock [s].
        planned: the move, as far as it will be made.
        motion: the motion as it was planned, whole.
        since: when its own time is zero [s]; None in modes where the shown clock stops at times.
        number: the number of the command that began it.
        rate: the fraction of its own speed at which it runs; 0 while it is held.
        recorded: whether it is in the recording.
        started: when the move began [s].
        mark: the time up to which it is recorded [s].
        row: where the device is at that time: joint values (n,), or three rows of a pose (12,).
        peaks: the greatest speeds of the joints before the present law or motion (n,), if there was another.
        then: the next move, if a new target waits until the device is at rest.
    """

    begin: float
    planned: Planned | Glide
    motion: Trajectory | PacedMotion | PoseMotion
    since: float | None
    number: int = 0
    rate: float = 1.0
    recorded: bool = False
    started: float = 0.0
    mark: float = 0.0
    row: Array = field(default_factory=lambda: np.zeros(0))
    peaks: Array | None = None
    then: Planned | None = None
    _seen: tuple[float, Array] | None = field(default=None, init=False, repr=False, compare=False)
    _rests: tuple[Planned | Glide, float, float] | None = field(default=None, init=False, repr=False, compare=False)

    def going_on(self, planned: Planned, begin: float, since: float) -> Follow:
        """Return this drive with another move from an instant on."""
        found = object.__new__(Follow)  # faster than `copy` or `replace`: set-points come every millisecond
        found.__dict__.update(self.__dict__)
        found.planned, found.motion, found.begin, found.since, found._seen = planned, planned.motion, begin, since, None
        return found

    @property
    def name(self) -> str:
        """The name of the device."""
        return self.planned.name

    @property
    def rests(self) -> float:
        """When the device comes to rest, at the end of its way or on it, by the shown clock [s]."""
        known = self._rests
        if known is not None and known[0] is self.planned and known[1] == self.begin:
            return known[2]
        found = math.inf if self.endless else later(self.begin, self.planned.duration)
        self._rests = self.planned, self.begin, found
        return found

    @property
    def endless(self) -> bool:
        """Whether the device runs without end, as a conveyor does."""
        return isinstance(self.planned, Planned) and self.planned.endless

    @property
    def runs(self) -> bool:
        """Whether this is a conveyor that runs or comes to rest, not a move from place to place."""
        return self.planned.kind == RUN

    @property
    def course(self) -> JointMotion | PoseMotion:
        """Everything that the device is going to do, including the next move."""
        motion = self.planned.motion
        if self.then is None or isinstance(motion, PoseMotion):
            return motion
        return Chained.of([motion, self.then.motion])

    @property
    def final(self) -> float:
        """When the device is finally at rest, by the shown clock [s]."""
        return self.rests if self.then is None else later(self.rests, self.then.duration)

    def last(self, own: float) -> Array:
        """Return the joint values of a robot at a time of its course [s] (n,)."""
        assert isinstance(self.planned, Planned)
        if self.then is not None and own > self.planned.duration:
            return self.then.at(own - self.planned.duration)
        return self.planned.at(own)

    @property
    def end(self) -> float:
        """When it is over, by the shown clock [s]; infinite while it is held."""
        return math.inf if self.rate == 0.0 else self.rests

    def own(self, now: float) -> float:
        """Return the progress of the motion at an instant, in its own time [s]."""
        assert self.since is not None
        return now - self.since

    def joints(self, now: float) -> Array:
        """Return the joint values at an instant (n,)."""
        values: Array = self.present(now)[0]
        return values

    def velocities(self, now: float) -> Array:
        """Return the joint velocities at an instant (n,) [1/s]."""
        values: Array = self.present(now)[1]
        return values

    def present(self, now: float) -> Array:
        """Return joint values, velocities and accelerations at an instant (3, n), read-only."""
        if self._seen is not None and self._seen[0] == now:
            return self._seen[1]
        assert isinstance(self.planned, Planned)
        planned, own = self.planned, self.own(now)
        if own >= planned.duration:
            found = np.zeros((3, len(planned.end)))
            found[0] = planned.end
        else:
            found = planned.motion.present(max(own, 0.0))
            if own <= 0.0:
                found[0] = planned.start
        found.flags.writeable = False
        self._seen = now, found
        return found

    def pose(self, now: float) -> Pose:
        """Return the pose of a solid at an instant."""
        assert isinstance(self.planned, Glide)
        return self.planned.at(self.own(now))
