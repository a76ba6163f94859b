"""Moves along a smooth curve in which the axes that carry the arm or its work move along."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Unreachable
from workcell.motion.curve import HandCurve
from workcell.motion.frames import positive
from workcell.motion.named_profiles import along
from workcell.motion.seam import Seam
from workcell.motion.speeds import required_speed
from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.simulation import branch_policy
from workcell.simulation.external_axes import ExternalAxes, places_of
from workcell.simulation.machine_motion import make, perform, set_speeds
from workcell.simulation.machine_moves import HandMove
from workcell.spatial.pose import Pose
from workcell.world.axes_text import Axes

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MachineSeamMoves:
    """The moves along a curve with axes: all joints to a place before its start, to it, along it, and back off.

    Attributes:
        robot: the robot whose hand follows.
        machine: the name of its machine.
        names: the devices that move, in the order of their joints.
        motion: the values of all their joints along the curve.
        before: their values before the start.
        approach: the distance before the start, against the tool's z axis [m].
        deviation: the greatest distance of the tool from the curve [m].
        rounding: how far the curve leaves straight lines at corners [m].
    """

    robot: str
    machine: str
    names: tuple[str, ...]
    motion: Trajectory
    before: Array
    approach: float
    deviation: float
    rounding: float

    @property
    def count(self) -> int:
        """The number of moves."""
        return 4

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin one of the moves, counted from 0; return its duration [s]."""
        arm = simulator.robot(self.robot)
        members = tuple((name, simulator.snapshot.robot(name).robot) for name in self.names)
        machine = set_speeds(simulator, Machine(self.machine, members))
        if number == 0:
            return make(simulator, machine, self.before, arm.settings[1], "joints")
        if number == 2:
            ends, off = machine.parts(self.motion.end), {self.robot: self.deviation}
            return perform(simulator, machine, self.motion, ends, "time-optimal", "curve", off)
        return arm.move_hand(Pose.from_xyz(0.0, 0.0, self.approach if number == 1 else -self.approach))


def seam_moves(
    simulator: Simulator,
    robot: str,
    poses: Sequence[Pose],
    axes: Axes,
    work: str,
    *,
    speed: float,
    closed: bool,
    tolerance: float,
    angle_tolerance: float,
    approach: float,
) -> MachineSeamMoves:
    """Return the moves along a smooth curve through poses in the world while the axes move evenly; none has begun.

    Args:
        simulator: where everything is.
        robot: the robot whose hand follows.
        poses: the poses of the tool in the world, in order.
        axes: what is asked of the axes: best at the start and at the end, or fixed values.
        work: the body that the poses move with, or ''.
        speed: the speed along the curve [m/s].
        closed: whether it continues from the last pose to the first.
        tolerance: the tolerance of the tool from the curve [m].
        angle_tolerance: the tolerance of its orientation [rad].
        approach: the distance before the start from which it approaches, against the tool's z axis [m].
    """
    required_speed(speed, "The speed along a curve")
    positive(approach, "The approach distance", "m")
    placed, arm = simulator.snapshot.robot(robot), simulator.robot(robot)
    branch_policy.require_hand(arm.robot, robot)
    seam = Seam.through(poses, None, closed)
    curve = HandCurve((seam,))
    external = ExternalAxes(simulator, placed, work)
    first = external.placed(axes, curve.start.matrix[None], Pose.identity(), "nearest")
    there = Pose(external.in_base(first[None], curve.start.matrix[None])[0])
    inside = [np.asarray(one.q) for one in arm.robot.ik(there) if one.within_limits]
    if not inside:
        branch_policy.chosen(arm.robot, there, "nearest", arm.joints)  # refuses with the reason
    refusals: list[Exception] = []
    for q in sorted(inside, key=lambda q: float(np.abs(q - arm.joints).max())):
        standing = external.standing(first, q)
        move = HandMove(simulator, placed, Pose.identity(), axes, work)
        try:
            end = standing.placed(axes, places_of(curve), Pose.identity(), "nearest")
            path, machine, followed = move.fitted(standing, curve, end, tolerance, angle_tolerance, every=True)
            motion = along(machine, path, "time-optimal", math.inf, speed)
            move.require_inside(machine, motion)
            back = branch_policy.nearest(arm.robot, there @ Pose.from_xyz(0.0, 0.0, -approach), followed.path.start)
        except (MotionError, KinematicsError, Unreachable) as error:
            refusals.append(error)
            continue
        before = machine.whole({**standing.machine.parts(first), robot: back})
        return MachineSeamMoves(
            robot, machine.name, machine.names, motion, before, approach, followed.deviation, seam.rounding
        )
    raise refusals[0]
