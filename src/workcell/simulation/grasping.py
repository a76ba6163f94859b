"""Hands that grip parts.

Closing fingers tests every movable part as the thesis does (Kahloun 1987, section 4.5): the approach axis is parallel
to an axis of the part's frame within an angle, the part fits between the fingers, and the grip point is near enough.
Objects may also have grasps of their own. Suction cups and magnets are tested one by one
(:mod:`workcell.simulation.clinging`). Whether a hand is closed is the signal ``ROBOT/gripper``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workcell.errors import GraspFailed, InvalidValue, Refused
from workcell.robots.gripper import Gripper
from workcell.robots.hand import Clinging, holds_by
from workcell.robots.payload import PayloadCheck
from workcell.simulation.clinging import clings, nothing_held, pad_fits, problems, too_weak
from workcell.simulation.events import Gripped
from workcell.simulation.falling import (
    left_behind,
    let_fall,
    stop_where_watched,
)  # fmt: skip
from workcell.simulation.finger_fits import fits_of, grasp_failure
from workcell.simulation.fingers import require_free_fingers, set_fingers
from workcell.simulation.happenings import Attached, Signalled, twelve
from workcell.simulation.held import Held, flange_of, held_by, holder_of
from workcell.simulation.loading import note_load
from workcell.simulation.piles import riders, take_along
from workcell.simulation.required import required_number
from workcell.spatial.pose import Pose
from workcell.world.gripper_names import gripper_signal, opening_signal
from workcell.world.placed import PlacedRobot

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

DISTANCE = 0.010
"""The default distance of the grip point from a part [m]."""

ANGLE = math.radians(5.0)
"""The default angle between the approach and an axis of a part [rad]."""

_NEARBY = 0.02
"""Parts that are farther than allowed by more than this are not measured finely [m]."""


def require_open(simulator: Equipped, placed: PlacedRobot, distance: float | None, angle: float | None) -> None:
    """Refuse to close a hand that is closed or holds something, or with invalid tolerances. This takes no time."""
    for value, what in ((distance, "distance"), (angle, "angle")):
        if value is None:
            continue
        if not (math.isfinite(required_number(value, f"The {what} allowed when closing")) and value >= 0.0):
            raise InvalidValue(f"The {what} allowed when closing must be zero or more; found {value}.")
    simulator.alone("close a gripper")
    state = simulator.state
    holding = held_by(state, placed.name, simulator.snapshot)
    closed = bool(state.signals.get(gripper_signal(placed.name)))
    if holding or closed:
        what = f"holds {holding}" if holding else "is closed"
        first = "open it first" if closed else f"`release {holding}` first, because it was gripped without the gripper"
        raise Refused(f"The gripper of {placed.name} already {what}; {first}.", held=holding)


def close(
    simulator: Equipped,
    placed: PlacedRobot,
    X_world_grip: Pose,
    distance: float | None,
    angle: float | None,
    part: str = "",
) -> Held:
    """Close a hand: fingers on the nearest part that passes the tests, pads on all parts that they hold.

    With a ``part``, only this body is tried.
    """
    require_open(simulator, placed, distance, angle)
    tilt = ANGLE if angle is None else angle
    gripper = placed.robot.gripper
    assert gripper is not None, "the grip pose needs one"
    if simulator.faults is not None:
        simulator.faults.closing(placed.name)
    if isinstance(gripper, Gripper):
        near = DISTANCE if distance is None else distance
        return _pinch(simulator, placed, gripper, X_world_grip, near, tilt, part)
    return _cling(simulator, placed, gripper, X_world_grip, distance, tilt, part)


def _pinch(
    simulator: Equipped,
    placed: PlacedRobot,
    gripper: Gripper,
    X_world_grip: Pose,
    near: float,
    tilt: float,
    part: str,
) -> Held:
    """Close fingers."""
    snapshot, state = simulator.snapshot, simulator.state
    gripper = dataclasses.replace(gripper, opening=state.signals.get(opening_signal(placed.name), gripper.opening))
    poses = snapshot.body_poses(state)
    tried = [
        fit
        for place, body in enumerate(snapshot.bodies)
        if body.movable and body.link < 0 and body.touchable and part in ("", body.name)
        for fit in fits_of(body, Pose(poses[place]), X_world_grip, simulator.grasps.get(body.name, ()), near + _NEARBY)
    ]
    good = [fit for fit in tried if not fit.failed(gripper, near, tilt)]
    if not good:
        raise grasp_failure(placed.name, tried, gripper, near, tilt)
    best = min(good, key=lambda fit: (fit.distance, fit.angle, fit.body, fit.grasp))
    opening = min(max(best.width, gripper.least), gripper.opening)
    require_free_fingers(
        simulator,
        placed.name,
        best.body,
        going_with_hand(simulator, placed, best.body),
        Signalled(simulator.now, opening_signal(placed.name), opening),
    )
    taken_from = holder_of(snapshot, state, best.body)
    taken = Gripped(simulator.now, placed.name, best.body, taken_from, best.grasp, best.width)
    load = take(simulator, placed, [taken], X_world_grip, opening)
    return Held(best.body, placed.name, taken_from, best.grasp, best.angle, best.width, best.distance, load)


def _cling(
    simulator: Equipped,
    placed: PlacedRobot,
    hand: Clinging,
    X_world_grip: Pose,
    near: float | None,
    tilt: float,
    part: str,
) -> Held:
    """Switch suction cups or magnets on."""
    snapshot, state, now = simulator.snapshot, simulator.state, simulator.now
    fits = pad_fits(snapshot, state, placed.name, hand, near, tilt)
    found = clings(snapshot, state, placed.name, hand, fits)
    if not found:
        raise nothing_held(placed.name, hand, fits)
    if part and part not in {one.part for one in found}:
        names = ", ".join(one.part for one in found)
        raise GraspFailed(f"{placed.name} would hold {names}, and not {part}.", test="part")
    weak = next((one for one in found if not one.enough), None)
    if weak is not None:
        raise too_weak(placed.name, hand, weak, fits)
    by = holds_by(hand)
    taken = [
        Gripped(
            now, placed.name, one.part, holder_of(snapshot, state, one.part), "", 0.0, by, one.pads, one.force,
            one.needed,
        )
        for one in found
    ]  # fmt: skip
    load = take(simulator, placed, taken, X_world_grip, None)
    first = found[0]
    return Held(
        first.part, placed.name, taken[0].taken_from, "", first.tilt, 0.0, abs(first.gap), load, by, tuple(found),
        tuple(fits), tuple(event.taken_from for event in taken), problems(hand, fits),
    )  # fmt: skip


def going_with_hand(simulator: Equipped, placed: PlacedRobot, part: str) -> Attached:
    """Return the change that attaches a part to a robot's flange, where it is."""
    snapshot, state = simulator.snapshot, simulator.state
    flange = flange_of(snapshot, placed)
    X_flange_part = snapshot.body_pose(state, flange).inverse() @ snapshot.body_pose(state, part)
    return Attached(simulator.now, part, flange, twelve(X_flange_part))


def take(
    simulator: Equipped,
    placed: PlacedRobot,
    taken: Sequence[Gripped],
    X_world_grip: Pose | None,
    opening: float | None,
) -> PayloadCheck:
    """Attach parts and everything on them to a hand; return what the arm carries then.

    Args:
        simulator: where everything is.
        placed: the robot of the hand.
        taken: the parts, as events.
        X_world_grip: where the hand grips; None if parts are only attached.
        opening: the distance between the finger pads then [m]; None for a hand without fingers.
    """
    for event in taken:
        simulator.recorder.event(event)
        if placed.name in simulator.drives and X_world_grip is not None:
            from workcell.simulation.tracked_moves import note_miss

            grasp = next((one for one in simulator.grasps.get(event.part, ()) if one.name == event.grasp), None)
            note_miss(simulator, placed, event.part, grasp, X_world_grip)
        simulator.apply(going_with_hand(simulator, placed, event.part))
    for event in taken:
        take_along(simulator, event.part)
    going = {one for event in taken for one in (event.part, *riders(simulator.state, event.part))}
    falls = let_fall(simulator, left_behind(simulator, going), going)
    if opening is not None:
        set_fingers(simulator, placed.name, opening)
    if X_world_grip is not None:
        simulator.apply(Signalled(simulator.now, gripper_signal(placed.name), 1.0))
    load = note_load(simulator, placed.name)
    stop_where_watched(simulator, placed.name, falls)
    if simulator.faults is not None:
        for event in taken:
            simulator.faults.gripped(event.part)
    return load
