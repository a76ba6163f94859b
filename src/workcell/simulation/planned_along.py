"""Moves along a curve that were planned: to its start by a path that touches nothing, then along it, proved free."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workcell.cost import current_cancel
from workcell.errors import Refused
from workcell.motion.curve import HandCurve
from workcell.motion.seam import Seam
from workcell.motion.speeds import required_speed
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory
from workcell.planning.cartesian import CartesianPlan, cartesian_path
from workcell.planning.tool_freedom import ToolFreedom
from workcell.planning.turned_curve import rotations_of
from workcell.simulation.curve_move import CurveMove
from workcell.simulation.found_paths import path_to_joints

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

STEP = math.radians(15.0)
"""The angle between the spins and leans of the tool that are looked at [rad]."""


@dataclass(frozen=True, eq=False)
class AlongWish:
    """What is asked of a motion along the targets of a path.

    Attributes:
        robot: the robot that follows.
        path: the name of the path.
        speed: of the tool along it [m/s]; as fast as the joints allow without one.
        spin: how far the tool may spin about its own z, to either side [rad].
        tilt: how far that axis may lean to all sides [rad].
        touching: what the robot may touch; '' for nothing.
    """

    robot: str
    path: str
    speed: float | None = None
    spin: float = 0.0
    tilt: float = 0.0
    touching: str = ""


def planned_along(
    snapshot: Snapshot, state: CellState, wish: AlongWish, start: Sequence[float] | None = None
) -> tuple[CartesianPlan, Seam]:
    """Return the motion along a path, branch and turns of the tool chosen over the whole of it, and its curve.

    Raises:
        Unreachable, Refused, MotionError: the first place where the path cannot be followed, and why.
    """
    if wish.speed is not None:
        required_speed(wish.speed, "The speed along a path")
    poses, known = snapshot.path_poses(state, wish.path), snapshot.places.path(wish.path)
    if len(poses) < 2:
        raise Refused(f"A seam needs two or more targets; {wish.path!r} has {len(poses)}.")
    seam = Seam.through(poses, None, known.ring)
    plan = cartesian_path(
        snapshot,
        state,
        wish.robot,
        HandCurve((seam,)),
        freedom=ToolFreedom(wish.spin, wish.tilt, STEP),
        start=start,
        speed=wish.speed,
        allow=((wish.robot, wish.touching),) if wish.touching else (),
        cancel=current_cancel(),
    )
    return plan, seam


@dataclass(frozen=True, eq=False)
class PlannedMoves:
    """The two moves of a planned motion along a curve.

    Attributes:
        there: joint values over time, to the start of the curve.
        curve: the move along it.
    """

    there: Trajectory
    curve: CurveMove

    @property
    def deviation(self) -> float:
        """The greatest distance of the tool from the curve [m]."""
        return self.curve.deviation

    @property
    def rounding(self) -> float:
        """How far the curve leaves straight lines at corners [m]."""
        return self.curve.rounding

    @property
    def count(self) -> int:
        """The number of moves."""
        return 2

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin one of the moves, counted from 0; return its duration [s]."""
        if number == 0:
            return simulator.robot(self.curve.robot).follow_path(self.there)
        return self.curve.begin(simulator)


def planned_moves(simulator: Simulator, wish: AlongWish) -> PlannedMoves:
    """Return the moves of a robot along a path from where it stands; none has begun."""
    arm = simulator.robot(wish.robot)
    plan, seam = planned_along(simulator.snapshot, simulator.state, wish, arm.joints.tolist())
    # The proof is about the configurations on the way, so it holds for the speeds that are set now, too.
    motion = time_optimal(plan.path, arm.limits, path_speed=wish.speed)
    there = path_to_joints(simulator, wish.robot, motion.start, wish.touching)
    return PlannedMoves(there.trajectory, CurveMove.timed(simulator, wish.robot, motion, plan.deviation, seam.rounding))


def spins_of(plan: CartesianPlan) -> tuple[float, float]:
    """Return the least and the greatest spin of the tool along a plan [rad]."""
    turns = rotations_of(plan.turns)
    spins = np.arctan2(turns[:, 1, 0], turns[:, 0, 0])
    return float(spins.min()), float(spins.max())
