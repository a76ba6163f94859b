"""What the computer reads is not where the arm is: encoders have a resolution, and links give under their load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.planning.guidance.links import LinkArm

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measuring:
    """Encoders and deflection.

    Attributes:
        resolution: the step of each encoder, or of all (3N+3,) [rad or length]; 0 reads exactly.
        compliance: how far each rotation gives for each unit of moment about it (N,) [rad]; 0 is stiff.
        load: the weight at the tip; it pulls along −z.
    """

    resolution: ArrayLike = 0.0
    compliance: ArrayLike = 0.0
    load: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("resolution", self.resolution), ("compliance", self.compliance), ("load", self.load)):
            found = np.asarray(value, dtype=float)
            if not np.all(np.isfinite(found)) or np.any(found < 0.0):
                raise InvalidValue(f"The {name} of a measurement is zero or more and finite; found {value!r}.")

    def read(self, x: Array) -> Array:
        """Return what the encoders show: the nearest of their steps."""
        steps = np.broadcast_to(np.asarray(self.resolution, dtype=float), x.shape)
        found: Array = np.where(steps > 0.0, np.round(x / np.where(steps > 0.0, steps, 1.0)) * steps, x)
        return found

    def bent(self, arm: LinkArm, x: Array) -> Array:
        """Return the parameters that the arm truly has under its load: encoders sit on the motors and do not see it."""
        if self.load == 0.0 or not np.any(self.compliance):
            return x
        n = arm.n
        points, frames = arm.placed(x)
        gives = np.broadcast_to(np.asarray(self.compliance, dtype=float), (n,))
        out = x.copy()
        for i in range(n):
            alpha = x[n + 1 + i]
            axis = -np.sin(alpha) * frames[i, :, 1] + np.cos(alpha) * frames[i, :, 2]
            moment = float(np.cross(points[-1] - points[i], [0.0, 0.0, -self.load]) @ axis)
            out[2 * n + 1 + i] += gives[i] * moment
        return out
