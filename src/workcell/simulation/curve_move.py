"""A timed motion of one device as a move: along a curve by itself, or in a weld together with others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import MotionError
from workcell.motion.limits import bindings
from workcell.motion.named_profiles import limiting
from workcell.motion.trajectory import Trajectory
from workcell.simulation.planned import Planned
from workcell.simulation.sampling import require_frames
from workcell.simulation.seam_following import binding_rows

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


@dataclass(frozen=True, eq=False)
class CurveMove:
    """The motion of a robot along a curve, planned and not yet made.

    Attributes:
        robot: the robot that follows.
        motion: joint values over time.
        limited: what limits its speed.
        deviation: the greatest distance of the tool from the curve [m].
        rounding: how far the curve leaves straight lines at corners [m].
        bound: which joint is at which limit, from when to when [s].
    """

    robot: str
    motion: Trajectory
    limited: str
    deviation: float
    rounding: float
    bound: tuple[tuple[int, str, float, float], ...]

    @classmethod
    def timed(
        cls, simulator: Simulator, robot: str, motion: Trajectory, deviation: float, rounding: float, steady: str = ""
    ) -> CurveMove:
        """Return the move of a timed motion; what limits it is found by the limits of the robot, unless it is known."""
        found = bindings(motion, simulator.robot(robot).limits, 0.99)
        return cls(robot, motion, steady or limiting(motion, found), deviation, rounding, binding_rows(found))

    def begin(self, simulator: Simulator) -> float:
        """Begin the move; return its duration [s]."""
        return perform_one(simulator, self.robot, self.motion, self.limited, self.deviation, "curve", self.bound)


def perform_one(
    simulator: Simulator,
    name: str,
    motion: Trajectory,
    limited: str,
    deviation: float | None,
    kind: str = "weld",
    bound: tuple[tuple[int, str, float, float], ...] = (),
    company: tuple[str, ...] = (),
) -> float:
    """Begin a motion of one device that starts where it stands; return its duration [s]."""
    now = simulator.state.joints[name]
    off = np.abs(motion.start - now)
    if off.max() > 1e-6:
        joint = int(off.argmax())
        raise MotionError(
            f"{name} is not where the motion begins: joint {joint + 1} is at {now[joint]:.6g} but must be at "
            f"{motion.start[joint]:.6g}; move there first.",
            joint=joint + 1,
        )
    require_frames(motion, simulator.step)
    return simulator.perform(
        Planned(
            name, motion, now, motion.end, simulator.step, simulator.resolution, kind, "time-optimal", limited,
            deviation, bound, company=company,
        )
    )  # fmt: skip
