"""Moves of a simulated robot that begin or end on something that moves, and how well it gripped a part there."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, WorkcellError
from workcell.simulation.drives import Follow
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Event, GraspMissed, TrackingEnded
from workcell.simulation.meetings import planned_meeting
from workcell.simulation.planned import Planned
from workcell.simulation.tethers import Tether, follows, may_be_left, tether_of, tether_to
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped
    from workcell.simulation.plant import Plant
    from workcell.world.grasps import Grasp
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]

_SAME_SPEED = 1e-6
"""Joint speeds that differ by less are the same [rad/s or m/s]."""


def meeting_move(
    simulator: Equipped,
    placed: PlacedRobot,
    pose: Pose,
    on: str,
    when: float | None,
    X_tool_hand: Pose,
    *,
    straight: bool,
    keep: bool = False,
    tolerance: float = 1e-6,
    hand_speed: float = math.inf,
    settings: tuple[float, str, str],
) -> Planned:
    """Return the move that brings a hand to a pose on a belt or part, and lets it follow.

    Args:
        simulator: the simulator.
        placed: the robot.
        pose: the goal of the hand; see :func:`~workcell.simulation.tethers.tether_to`.
        on: the belt or part.
        when: the reading of the belt at which the pose was measured in the world [m or rad].
        X_tool_hand: the point of the hand.
        straight: whether the hand moves there in a straight line.
        keep: whether it keeps its present orientation in the world.
        tolerance: the tolerance of the hand from its way, and from the place while it follows [m].
        hand_speed: the greatest speed of the hand in the world on a straight way [m/s].
        settings: the speed, profile and branch of the robot's moves.
    """
    if simulator.mode == "joint-by-joint":
        raise Refused("Tracking works only if all joints move together; use `mode path`.")
    drive = simulator.drives.get(placed.name)
    if drive is not None and not may_be_left(drive):
        raise Refused(
            f"{placed.name} cannot make two moves at once; it moves until {drive.end:.4f} s.", robot=placed.name
        )
    tether = tether_to(simulator.snapshot, simulator.state, placed.name, on, pose, when, X_tool_hand)
    speed, profile, branch = settings
    tether = dataclasses.replace(
        tether, straight=straight, tolerance=tolerance, speed=speed, rate=simulator.paces.get(placed.name, 1.0),
        hand_speed=hand_speed,
    )  # fmt: skip
    if keep:
        there = tether.wanted(simulator)
        hand = simulator.snapshot.tool_pose(simulator.state, placed.name) @ X_tool_hand
        turned = there.inverse() @ Pose.from_rotation(hand.rotation, there.xyz)
        tether = dataclasses.replace(tether, X_link_hand=tether.X_link_hand @ turned)

    def planned(tether: Tether) -> Planned:
        return planned_meeting(
            simulator, placed, tether, profile=profile, branch=branch, step=simulator.step,
            resolution=simulator.resolution,
        )  # fmt: skip

    return _slow_in_zones(simulator, tether, planned)


def _slow_in_zones(simulator: Equipped, tether: Tether, planned: Callable[[Tether], Planned]) -> Planned:
    """Return a meeting that is slow on its whole way if it enters a slow-down zone, and follows slowly there."""
    found = planned(tether)
    if simulator.slowing is None:
        return found
    state, ahead = simulator.state, found.onward
    way, names = simulator.slowing.least(state, found)
    then, more = (1.0, []) if ahead is None else simulator.slowing.least(state, ahead)
    if way >= 1.0 and then >= 1.0:
        return found
    zones = ", ".join(dict.fromkeys([*names, *more]))
    try:
        slower = planned(dataclasses.replace(tether, rate=tether.rate * way, slow=min(way, then)))
    except WorkcellError as error:
        raise type(error)(f"In the slow-down zone {zones}: {error.message}", **error.evidence) from error
    return dataclasses.replace(slower, limited=f"slow-down zone {zones}") if way < 1.0 else slower


def leaving(simulator: Equipped, name: str, planned: Callable[[float], Planned]) -> Planned:
    """Return a move that leaves a belt, at the fraction of its speeds that the override and slow-down zones leave."""
    rate = simulator.paces.get(name, 1.0)
    found = dataclasses.replace(planned(rate), leaves=True)
    if simulator.slowing is None:
        return found
    factor, zones = simulator.slowing.least(simulator.state, found)
    if factor >= 1.0:
        return found
    return dataclasses.replace(planned(rate * factor), leaves=True, limited=f"slow-down zone {', '.join(zones)}")


def require_continuous(plant: Plant, drive: Follow, planned: Planned) -> None:
    """Refuse a move that begins at rest for an arm that follows something and moves."""
    tether, speeds = tether_of(drive), drive.velocities(plant.now)
    if np.abs(planned.motion.present(0.0)[1] - speeds).max(initial=0.0) > _SAME_SPEED:
        what = "comes to rest" if tether is None else f"follows {tether.on}"
        raise Refused(
            f"{drive.name} {what} and is in motion; use a joint move, a move to a pose or a straight line before "
            f"{planned.kind} moves.",
            robot=drive.name,
        )


def note_miss(simulator: Equipped, placed: PlacedRobot, part: str, grasp: Grasp | None, X_world_grip: Pose) -> None:
    """Record how far a hand that follows something is from the right place on a part that it grips now."""
    drive = simulator.drives.get(placed.name)
    tether = tether_of(drive)
    if tether is None or not follows(drive):
        return
    hand = simulator.snapshot.tool_pose(simulator.state, placed.name) @ tether.X_tool_hand
    X_world_part = simulator.snapshot.body_pose(simulator.state, part)
    if grasp is not None:
        of, (distance, angle) = "grasp", _from_grasp(X_world_part @ grasp.X_body_hand, X_world_grip)
    elif tether.part == part and tether.X_part_hand is not None:
        of, (distance, angle) = "part", (X_world_part @ tether.X_part_hand).distance(hand)
    else:
        of, (distance, angle) = "belt", tether.wanted(simulator).distance(hand)
    simulator.recorder.event(GraspMissed(simulator.now, placed.name, part, float(distance), float(angle), of))


def tracking_lines(events: Sequence[Event]) -> tuple[str, ...]:
    """Return the text about parts that were gripped while they moved, and arms that lost their belts, with times."""
    reported = (GraspMissed, TrackingEnded)
    return tuple(f"at {event.time:.4f} s: {text_of(event)}" for event in events if isinstance(event, reported))


def _from_grasp(wanted: Pose, grip: Pose) -> tuple[float, float]:
    """Return how far a grip is from a grasp; parallel fingers are symmetric under half a turn about the approach."""
    half = Pose.from_axis_angle((0.0, 0.0, 1.0), math.pi)
    (distance, angle), (_, other) = wanted.distance(grip), (wanted @ half).distance(grip)
    return float(distance), float(min(angle, other))
