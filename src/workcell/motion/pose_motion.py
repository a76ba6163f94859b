"""A free solid that moves along a curve: its pose as a function of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.motion.curve import HandCurve
from workcell.motion.limits import Limits
from workcell.motion.profiles import jerk_limited, linear, trapezoid
from workcell.motion.trajectory import Trajectory
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PoseMotion:
    """Poses over time: a curve, and the position of the solid on it.

    Attributes:
        curve: the curve.
        progress: the curve's parameter s over time, as a motion of one joint.
    """

    curve: HandCurve
    progress: Trajectory

    def __post_init__(self) -> None:
        if self.progress.n != 1:
            raise InvalidValue(f"Progress along a curve must be one number; found {self.progress.n}.")
        low, high = self.progress.range()
        slack = 1e-9 * (1.0 + self.curve.length)
        if low[0] < -slack or high[0] > self.curve.length + slack:
            raise InvalidValue(
                f"Progress must stay on the curve, from 0 to {self.curve.length:.6g}; it ranges "
                f"from {low[0]:.6g} to {high[0]:.6g}."
            )

    @classmethod
    def along(
        cls,
        curve: HandCurve,
        speed: float,
        acceleration: float | None = None,
        jerk: float | None = None,
    ) -> PoseMotion:
        """A motion from end to end of the curve: at constant speed, or with limited acceleration (and jerk)."""
        if acceleration is None:
            return cls(curve, linear([0.0], [curve.length], speed))
        limits = Limits.of(1, speed, acceleration, jerk)
        profile = trapezoid if jerk is None else jerk_limited
        return cls(curve, profile([0.0], [curve.length], limits))

    @property
    def duration(self) -> float:
        """The duration [s]."""
        return self.progress.duration

    def pose(self, t: float) -> Pose:
        """The pose at ``t`` [s]."""
        return self.curve.pose(float(self.progress.position(t)[0]))

    def reach(self, t0: float, t1: float) -> tuple[float, float]:
        """Bounds on the distance of the solid's origin [m] and its turn [rad] between any two instants of [t0, t1]."""
        low, high = self.progress.range(t0, t1)
        way, turn = self.curve.pace
        return way * float(high[0] - low[0]), turn * float(high[0] - low[0])

    def max_speed(self) -> tuple[float, float]:
        """Bounds on the speed of the origin [m/s] and the turning [rad/s] over the whole motion."""
        way, turn = self.curve.pace
        speed = float(self.progress.max_speed()[0])
        return way * speed, turn * speed

    def sample(self, times: ArrayLike) -> Array:
        """The poses at many times (N,) [s] as matrices (N, 4, 4)."""
        return self.curve.poses(self.progress.sample(times)[:, 0])
