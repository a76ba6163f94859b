"""Moves by which an arm meets something that moves, or leaves it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, Unreachable
from workcell.motion import meeting
from workcell.motion import steering as joint_steering
from workcell.motion.meeting import Choose
from workcell.motion.moving_frame import StandingPose
from workcell.motion.nanoseconds import joined
from workcell.motion.soonest import Met
from workcell.motion.trajectory import Trajectory
from workcell.simulation import branch_policy
from workcell.simulation.following import (
    TURN,
    braking,
    first_pose,
    hand_of,
    state_of,
    tracked,
)
from workcell.simulation.planned import Planned
from workcell.simulation.succession import steering_limits
from workcell.simulation.tethers import Tether, bases_of
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]

QUINTIC = "345"
"""The profile whose moves are one quintic."""


def planned_meeting(
    plant: Plant,
    placed: PlacedRobot,
    tether: Tether,
    *,
    profile: str,
    branch: str,
    step: float,
    resolution: float,
) -> Planned:
    """Return the move by which an arm meets a place, with the following after it.

    Args:
        plant: the plant.
        placed: the arm.
        tether: the place that its hand goes to.
        profile: with ``jerk``, the jerk is limited too.
        branch: the inverse solution that a move of the joints takes.
        step: the step between shown samples [rad or m].
        resolution: the tolerance of interpolation between them.

    Raises:
        Unreachable: it cannot; the message gives until when and where the place is within reach.
    """
    drive, name = plant.drives.get(placed.name), placed.name
    tether = dataclasses.replace(tether, bases=bases_of(plant, name, tether.carrier))
    if shaken := tether.shaken(plant, name):
        raise Refused(f"{name} cannot track {tether.on}: {shaken}; let it come to rest first.", robot=name)
    hand, goal = hand_of(plant, placed, tether.X_tool_hand), tether.goal(plant)
    limits = steering_limits(placed, tether.speed, profile, tether.rate)
    present = state_of(plant, placed.name)
    try:
        if tether.straight:
            found = meeting.meet_along_line(
                hand, present, first_pose(plant, drive, hand, present), goal, limits, tolerance=tether.tolerance,
                angle_tolerance=max(TURN, tether.tolerance), hand_speed=tether.hand_speed,
            )  # fmt: skip
        else:
            found = meeting.meet_by_joints(
                hand, present, goal, choice(placed, branch), limits, quintic=profile == QUINTIC
            )
    except Unreachable as error:
        slower = f" at {100.0 * tether.rate:.3g} % of its speed" if tether.rate < 1.0 else ""
        raise Unreachable(
            f"{name} cannot meet this place on {tether.on}{slower}: {error.message}.", **error.evidence
        ) from error
    kind = "line" if tether.straight else "end effector"
    return tracked(plant, placed, hand, goal, found, tether, kind, profile, step, resolution)


def straight_from(
    plant: Plant,
    placed: PlacedRobot,
    X_tool_hand: Pose,
    pose: Pose,
    *,
    speed: float,
    profile: str,
    tolerance: float,
    rate: float = 1.0,
) -> Met:
    """Return the straight move of a hand that follows something to a pose in the world, from its present motion.

    If the place that it follows leaves the reach too soon, the arm comes to rest first.
    """
    hand, present = hand_of(plant, placed, X_tool_hand), state_of(plant, placed.name)
    drive, limits, goal = plant.drives[placed.name], steering_limits(placed, speed, profile, rate), StandingPose(pose)
    tolerances = {"tolerance": tolerance, "angle_tolerance": max(TURN, tolerance)}
    try:
        return meeting.meet_along_line(
            hand, present, first_pose(plant, drive, hand, present), goal, limits, **tolerances
        )
    except Unreachable as refused:
        stop = braking(plant, drive)[1]
        rest = np.stack([stop.end, np.zeros_like(stop.end), np.zeros_like(stop.end)])
        try:
            met = meeting.meet_along_line(
                hand, rest, StandingPose(Pose(hand.poses(rest[:1])[0])), goal, limits, **tolerances
            )
        except Unreachable:
            text = f"{placed.name} cannot go straight to this pose: {refused.message}."
            raise Unreachable(text, **refused.evidence) from refused
    return Met(joined(stop, met.motion), met.deviation)


def joints_from(
    plant: Plant, placed: PlacedRobot, values: Array, speed: float, profile: str, rate: float = 1.0
) -> Trajectory:
    """Return the joint move of an arm that follows something to joint values, from its present motion."""
    q, v, a = state_of(plant, placed.name)
    return joint_steering.supersede(q, v, a, values, steering_limits(placed, speed, profile, rate))


def choice(placed: PlacedRobot, branch: str) -> Choose:
    """Return the inverse solution that an arm takes for a pose of its tool."""
    return lambda tool, near: branch_policy.chosen(placed.robot, Pose(tool), branch, near)
