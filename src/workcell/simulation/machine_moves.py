"""Moves of a hand in which the axes that carry the arm or its work move along, all joints in one timing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import MotionError, Unreachable
from workcell.motion.curve import HandCurve
from workcell.motion.follow import Followed, follow
from workcell.motion.limits import Limits, require
from workcell.motion.named_profiles import along
from workcell.motion.path import JointPath
from workcell.motion.stacking import columns, stacked
from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.simulation import branch_policy
from workcell.simulation.external_axes import ExternalAxes, places_of
from workcell.simulation.machine_motion import make, perform, set_speeds
from workcell.spatial.message_units import said
from workcell.spatial.pose import Pose
from workcell.world.axes_text import Axes

if TYPE_CHECKING:
    from workcell.simulation.move_making import MoveMaking
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]
_THERE = 1e-12
"""Values of axes that differ by less are the same [rad or m]."""
_LOOKS = 8
_TURN = 1e-5
"""The tolerance of the orientation of the hand along a curve [rad]."""


@dataclass(frozen=True)
class HandMove:
    """A move of a hand in which axes may move along.

    Attributes:
        simulator: the simulator.
        arm: the arm of the hand.
        X_hand_tool: the tool in the frame of the hand.
        axes: what is asked of the axes.
        work: the body or object that the poses move with, or ''.
    """

    simulator: MoveMaking
    arm: PlacedRobot
    X_hand_tool: Pose
    axes: Axes
    work: str = ""

    def to_pose(self, pose: Pose, policy: str, profile: str) -> float | None:
        """Move the hand to a pose in the world with all joints in one timing; None if no axis has to move."""
        external = self._external()
        end = external.placed(self.axes, pose.matrix[None], self.X_hand_tool, policy)
        if not _moves(external, end):
            return None
        there = Pose(external.in_base(end[None], pose.matrix[None])[0]) @ self.X_hand_tool
        robot = self.arm.robot
        try:
            q = branch_policy.chosen(robot, there, policy, self.simulator.joints_of(self.arm.name))
        except Unreachable as error:
            text = f"With {_shown(external, end)}: {error.message}"
            raise Unreachable(text, **{**error.evidence, "axes": end.tolist()}) from error
        machine = self._machine(external, end)
        goal = machine.whole({**external.machine.parts(end), self.arm.name: q})
        return make(self.simulator, machine, goal, profile, "end effector")

    def along(
        self, curve: HandCurve, tolerance: float, hand_speed: float | None, profile: str, kind: str
    ) -> float | None:
        """Move the hand along a curve in the world while the axes move evenly; None if no axis has to move."""
        external = self._external()
        end = external.placed(self.axes, places_of(curve), self.X_hand_tool, "nearest")
        if not _moves(external, end):
            return None
        path, machine, followed = self.fitted(external, curve, end, tolerance, max(_TURN, tolerance))
        lead, now = external.lead(curve.length, end), external.near
        off = np.abs(followed.path.start - now)
        if off.max() > 1e-6:
            joint = int(off.argmax()) + 1
            raise MotionError(f"{self.arm.name} is at a singularity; move joint {joint} a little first.", joint=joint)
        if hand_speed is not None and curve.pace[0] > 0.0:
            hand_speed /= self._quickest(external, followed, lead)
        motion = along(machine, path, profile, math.inf, hand_speed)
        self.require_inside(machine, motion)
        ends = {**external.machine.parts(end), self.arm.name: machine.parts(motion.end)[self.arm.name]}
        deviations = {self.arm.name: followed.deviation}
        return perform(self.simulator, machine, motion, ends, profile, kind, deviations, hand_speed)

    def fitted(
        self,
        external: ExternalAxes,
        curve: HandCurve,
        end: Array,
        tolerance: float,
        angle_tolerance: float,
        every: bool = False,
    ) -> tuple[JointPath, Machine, Followed]:
        """Return the path of all joints that keeps the hand on a curve in the world, the machine, and the arm's fit.

        Args:
            external: the axes, at their start.
            curve: the curve of the hand.
            end: the values of the axes at its end.
            tolerance: the tolerance of the hand from the curve [m].
            angle_tolerance: the tolerance of its orientation [rad].
            every: include all mechanisms, also those that do not move.
        """
        robot, X_tool_hand = self.arm.robot, self.X_hand_tool.inverse()
        lead = external.lead(curve.length, end)
        followed = follow(
            external.seen(curve, lead),
            lambda pose, near: branch_policy.nearest(robot, pose @ self.X_hand_tool, near),
            lambda Q: np.asarray(robot.fk_batch(Q) @ X_tool_hand.matrix),
            external.near,
            tolerance=tolerance,
            angle_tolerance=angle_tolerance,
            limits=robot.limits,
        )
        machine = self._machine(external, end, every)
        ways = dict(zip(external.machine.names, _columns(external, lead), strict=True))
        ways[self.arm.name] = followed.path.curve
        return JointPath(reduce(stacked, [ways[name] for name in machine.names])), machine, followed

    def _external(self) -> ExternalAxes:
        snapshot = self.simulator.snapshot
        known = {body.name for body in snapshot.bodies}
        work = self.work if not self.work or self.work in known else snapshot.object_body(self.work)
        return ExternalAxes(self.simulator, self.arm, work)

    def _machine(self, external: ExternalAxes, end: Array, every: bool = False) -> Machine:
        """Return the arm and the mechanisms that move, or all of them, at their set speeds."""
        placed = self.simulator.snapshot.machine_of(self.arm.name)
        assert placed is not None
        ends, nows = external.machine.parts(end), external.machine.parts(external.now)
        moving = {name for name in ends if every or np.abs(ends[name] - nows[name]).max() > _THERE} | {self.arm.name}
        members = tuple((name, robot) for name, robot in placed.robot.members if name in moving)
        return set_speeds(self.simulator, Machine(placed.name, members))

    def _quickest(self, external: ExternalAxes, followed: Followed, lead: Trajectory) -> float:
        """Return the greatest speed of the hand per unit of s. Its way on polynomials is a little longer than s."""
        curve = followed.path.curve
        breaks, step = curve.breaks, 1e-6 * followed.path.length
        shares = np.linspace(0.0, 1.0, _LOOKS, endpoint=False)
        s = (breaks[:-1, None] + np.diff(breaks)[:, None] * shares).ravel()
        low, high = np.maximum(s - step, 0.0), np.minimum(s + step, followed.path.length)
        X_tool_hand = self.X_hand_tool.inverse().matrix

        def hands(places: Array) -> Array:
            X = external.in_world(lead.sample(places), self.arm.robot.fk_batch(curve.sample(places)) @ X_tool_hand)
            return np.asarray(X[:, :3, 3])

        ways = np.linalg.norm(hands(high) - hands(low), axis=1)
        return max(float((ways / (high - low)).max()) * (1.0 + 1e-6), 1.0)

    def require_inside(self, machine: Machine, motion: Trajectory) -> None:
        """Refuse a motion that leaves the range of a joint."""
        slack = 1e-9 * (1.0 + np.abs(machine.limits))
        box = machine.limits + slack * np.array([-1.0, 1.0])
        slides = tuple(row.prismatic for row in machine.rows)
        limits = Limits(np.full(machine.n, 1e12), position=box, slides=slides)
        require(motion, limits, f"This move of {self.arm.name}")


def _moves(external: ExternalAxes, end: Array) -> bool:
    return bool(np.abs(end - external.now).max() > _THERE)


def _columns(external: ExternalAxes, lead: Trajectory) -> list[Trajectory]:
    return [columns(lead, place.start, place.stop) for _, place in external.machine.slices]


def _shown(external: ExternalAxes, end: Array) -> str:
    machine = external.machine
    return ", ".join(
        f"{name} at {said(value, row.prismatic, 6)}"
        for name, value, row in zip(machine.joint_names, end, machine.rows, strict=True)
    )
