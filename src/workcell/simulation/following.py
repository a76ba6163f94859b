"""The motion of an arm that follows a place: from now on, after a meeting, and until rest."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import MotionError, WorkcellError
from workcell.motion import steering as joint_steering
from workcell.motion.moving_frame import CarriedPose, MovingPose, StandingPose
from workcell.motion.pursuit import Pursuit, pursue
from workcell.motion.soonest import Met
from workcell.motion.time_law import whole_nanoseconds
from workcell.motion.tracking_hand import TrackingHand
from workcell.motion.trajectory import Trajectory
from workcell.simulation.drives import Follow
from workcell.simulation.planned import Planned
from workcell.simulation.succession import steering_limits, successor
from workcell.simulation.tethers import FOLLOW, Tether, tether_of
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]

TURN = 1e-5
"""The tolerance of the orientation of the hand [rad]."""

_STANDS = 3600.0
"""How long an arm waits at once on a place that does not move [s]."""


def state_of(plant: Plant, robot: str) -> Array:
    """Return joint values, velocities and accelerations of a robot now (3, n)."""
    drive = plant.drives.get(robot)
    if drive is not None and drive.since is not None:
        return drive.present(plant.now)
    q = plant.joints_of(robot)
    return np.stack([q, np.zeros_like(q), np.zeros_like(q)])


def hand_of(plant: Plant, placed: PlacedRobot, X_tool_hand: Pose) -> TrackingHand:
    """Return the hand of an arm for tracking."""
    return TrackingHand(placed.robot, plant.snapshot.base_pose(plant.around, placed.name), X_tool_hand)


def braking(plant: Plant, drive: Follow) -> tuple[Follow, Trajectory]:
    """Return the drive that brings a tracking arm to rest as soon as its limits allow."""
    planned = drive.planned
    assert isinstance(planned, Planned)
    present = state_of(plant, drive.name)
    motion = stopping(plant.snapshot.robot(drive.name), planned.profile, present)
    new = dataclasses.replace(
        planned, motion=motion, start=present[0], end=motion.end, limited="stopped", deviation=None, bound=(),
        frames=None, goal=None, tether=None, onward=None,
    )  # fmt: skip
    return successor(plant, drive, new, 1.0), motion


def stopping(placed: PlacedRobot, profile: str, present: Array) -> Trajectory:
    """Return the motion that brings an arm to rest as soon as its limits allow, from its present motion (3, n)."""
    limits = steering_limits(placed, math.inf, profile)
    motion, _ = whole_nanoseconds(joint_steering.stop(present[0], present[1], present[2], limits), keep_start=True)
    return motion


def tracked(
    plant: Plant,
    placed: PlacedRobot,
    hand: TrackingHand,
    goal: MovingPose,
    met: Met,
    tether: Tether,
    kind: str,
    profile: str,
    step: float,
    resolution: float,
) -> Planned:
    """Return the move that brings an arm to a place, with the following after it."""
    tether = tether.known(plant)
    start, end = state_of(plant, placed.name)[0], met.motion.end
    planned = Planned(
        placed.name, met.motion, start, end, step, resolution, kind, profile, f"meeting {tether.on}", met.deviation,
        tether=tether,
    )  # fmt: skip
    try:
        onward = following(plant, placed, hand, goal, met.motion.duration, end, tether, planned)
    except WorkcellError as error:
        raise MotionError(f"{placed.name} cannot follow {tether.on} once it has met it: {error.message}") from error
    return dataclasses.replace(planned, onward=onward)


def following(
    plant: Plant,
    placed: PlacedRobot,
    hand: TrackingHand,
    goal: MovingPose,
    begin: float,
    near: Array,
    tether: Tether,
    like: Planned,
) -> Planned:
    """Return the motion that follows a place from a time on, and comes to rest."""
    stands = isinstance(goal, StandingPose)
    limits = steering_limits(placed, math.inf, like.profile, tether.slow)
    if stands:
        motion = Trajectory.constant(near, _STANDS)
        x, y, z = hand.poses(near[None])[0, :3, 3].tolist()
        found = Pursuit(motion, _STANDS, "", (x, y, z))
    else:
        found = pursue(
            hand, goal, begin, near, limits, tolerance=tether.tolerance, angle_tolerance=max(TURN, tether.tolerance)
        )
    tether = dataclasses.replace(tether.known(plant), met=True, until=found.until, ends=found.ends, place=found.place)
    return dataclasses.replace(
        like, motion=found.motion, start=near, end=found.motion.end, kind=FOLLOW, limited=f"following {tether.on}",
        deviation=None, bound=(), frames=None, goal=None, tether=tether, onward=None,
    )  # fmt: skip


def first_pose(plant: Plant, drive: Follow | None, hand: TrackingHand, present: Array) -> MovingPose:
    """Return where the hand would continue if nothing new were asked of it: with its belt, even beyond its reach."""
    here, tether = Pose(hand.poses(present[:1])[0]), tether_of(drive)
    if drive is None or drive.since is None:
        return StandingPose(here)
    if tether is not None and tether.met and drive.then is None and drive.own(plant.now) <= tether.until:
        return tether.passing(plant, here)
    return own_pose(plant, drive, hand)


def own_pose(plant: Plant, drive: Follow, hand: TrackingHand) -> MovingPose:
    """Return where the hand continues by its plan: it follows, and comes to rest."""
    assert drive.since is not None
    return CarriedPose(hand.poses, drive.course, plant.now - drive.since)  # type: ignore[arg-type]


def hand_place(hand: TrackingHand, present: Array) -> tuple[float, float, float]:
    """Return where the hand is in the world [m]."""
    x, y, z = hand.poses(present[:1])[0, :3, 3].tolist()
    return x, y, z
