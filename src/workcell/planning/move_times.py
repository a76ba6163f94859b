"""How long the joint moves of a robot take, for many moves at once and before any is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.motion.named_profiles import asked_speeds, joint_line, limits_of
from workcell.motion.trajectory import Trajectory
from workcell.planning import _kernels_order as kernels
from workcell.robots.robot import Robot
from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]

_LAWS = {
    "linear": kernels.LINEAR,
    "345": kernels.POLYNOMIAL,
    "spline": kernels.SPLINE,
    "trapezoid": kernels.TRAPEZOID,
    "jerk": kernels.JERK,
    "time-optimal": kernels.TRAPEZOID,
    "toppra": kernels.TRAPEZOID,
}
_LEAST = {"linear": kernels.LINEAR}
"""The law that no motion beats; that of the trapezoid for all others, as paths around things are timed without jerk."""


@dataclass(frozen=True, eq=False)
class MoveTimes:
    """The time law of a robot's joint moves.

    Attributes:
        robot: whose limits are kept.
        profile: the motion profile.
        speed: the greatest joint speed [rad/s or m/s].
    """

    robot: Robot
    profile: str
    speed: float

    @classmethod
    def of(cls, placed: PlacedRobot) -> MoveTimes:
        """The time law of a robot that stands in a cell."""
        return cls(placed.robot, placed.profile, placed.speed)

    def between(self, starts: Array, ends: Array) -> Array:
        """The durations (A, B) of moves from each start (A, n) to each end (B, n) along straight joint lines [s]."""
        return self._times(starts, ends, _LAWS[self.profile], False)

    def least(self, starts: Array, ends: Array) -> Array:
        """Durations (A, B) that no motion from a start to an end falls short of, along whatever path [s]."""
        return self._times(starts, ends, _LEAST.get(self.profile, kernels.TRAPEZOID), True)

    def move(self, start: Array, end: Array) -> Trajectory:
        """The move itself."""
        return joint_line(self.robot, start, end, self.profile, self.speed)

    def _times(self, starts: Array, ends: Array, law: int, each: bool) -> Array:
        limits = limits_of(self.robot, self.speed)
        assert limits.acceleration is not None
        assert limits.jerk is not None
        speeds = asked_speeds(self.robot, self.speed) if self.profile == "linear" else limits.speed
        table = 1.0 / np.stack([speeds, limits.acceleration, limits.jerk], axis=1)
        out = np.empty((len(starts), len(ends)))
        kernels.move_times(np.ascontiguousarray(starts), np.ascontiguousarray(ends), table, law, each, out)
        return out
