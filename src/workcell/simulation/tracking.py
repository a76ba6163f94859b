"""Arms that follow something that moves, and what they do when the belt changes its motion.

For its program, a move that tracks ends when the hand is at its place with the same speed. The arm then follows by a
drive of its own that always comes to rest: it continues as long as reach, ranges and limits allow, and then brakes.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Unreachable
from workcell.motion import meeting
from workcell.motion.moving_frame import MovingPose
from workcell.motion.soonest import Met
from workcell.motion.tracking_hand import TrackingHand
from workcell.simulation.agenda import Kind
from workcell.simulation.drives import Follow
from workcell.simulation.events import TrackingChanged, TrackingEnded
from workcell.simulation.following import (
    TURN,
    braking,
    first_pose,
    following,
    hand_of,
    hand_place,
    own_pose,
    state_of,
    tracked,
)
from workcell.simulation.instants import later
from workcell.simulation.meetings import QUINTIC, choice
from workcell.simulation.planned import Planned
from workcell.simulation.steered import Steered
from workcell.simulation.succession import steering_limits, successor
from workcell.simulation.tethers import Tether, bases_of, carrier_of, tether_of

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant

Array = NDArray[np.float64]

Caught: TypeAlias = tuple[Follow, Follow, TrackingChanged | TrackingEnded]
"""An arm whose belt changed its motion: its drive, the new drive, and the event to record."""

_SAME = (1e-7, 1e-6, 1e-4)
"""Two motions whose places, speeds and accelerations differ by less are the same [m, m/s, m/s²]."""


def await_end(plant: Plant, drive: Follow) -> None:
    """Let the plant handle an arm when its planned following is over."""
    tether = tether_of(drive)
    if tether is not None and tether.met and tether.until > 0.0 and drive.then is None:
        plant.schedule(later(drive.begin, tether.until), Kind.END, lambda: _due(plant, drive))


def _due(plant: Plant, drive: Follow) -> None:
    """Continue an arm that has followed as far as planned, or record an event that it cannot."""
    tether = tether_of(drive)
    if plant.drives.get(drive.name) is not drive or tether is None:
        return
    if tether.ends:
        plant.recorder.event(TrackingEnded(plant.now, drive.name, tether.on, tether.ends, tether.place))
        return
    plant.replace(drive, _pursuing(plant, drive, tether))


def changed(plant: Plant) -> list[Caught]:
    """Return the new drives of arms whose belts changed their motion."""
    found: list[Caught] = []
    for drive in list(plant.drives.values()):
        tether = tether_of(drive)
        if tether is None or drive.since is None:
            continue
        now = _carried_now(plant, drive.name, tether)
        if shaken := tether.shaken(plant, drive.name):
            found.append(_left(plant, drive, tether, shaken))
            continue
        if now is tether and tether.holds(plant):
            continue
        found.append(_caught_up(plant, drive, now))
    return found


def _carried_now(plant: Plant, robot: str, tether: Tether) -> Tether:
    """Return the tether with the present carrier of its part; unchanged if the arm itself took the part."""
    if not tether.part:
        return tether
    carrier, link, X = carrier_of(plant.snapshot, plant.around, tether.part)
    if carrier == robot or (carrier, link) == (tether.carrier, tether.link) or tether.X_part_hand is None:
        return tether
    bases = bases_of(plant, robot, carrier)
    return dataclasses.replace(tether, carrier=carrier, link=link, X_link_hand=X @ tether.X_part_hand, bases=bases)


def _caught_up(plant: Plant, drive: Follow, tether: Tether) -> Caught:
    """Return the drive that continues an arm whose belt changed its motion."""
    placed = plant.snapshot.robot(drive.name)
    hand, goal = hand_of(plant, placed, tether.X_tool_hand), tether.goal(plant)
    present = state_of(plant, drive.name)
    planned = drive.planned
    assert isinstance(planned, Planned)
    try:
        if tether.met and _goes_on(hand, goal, present):
            by = _pursuing(plant, drive, tether)
            return drive, by, TrackingChanged(plant.now, drive.name, tether.on, 0.0)
        met = _met_anew(plant, drive, hand, goal, tether)
        new = tracked(
            plant, placed, hand, goal, met, tether, planned.kind, planned.profile, planned.step, planned.resolution
        )
    except (KinematicsError, MotionError) as error:
        return _left(plant, drive, tether, str(error).rstrip("."))
    by = successor(plant, drive, new, 1.0)
    by.then = new.onward
    return drive, by, TrackingChanged(plant.now, drive.name, tether.on, new.duration)


def _left(plant: Plant, drive: Follow, tether: Tether, reason: str) -> Caught:
    """Return the drive that brings an arm to rest that can no longer track, and why."""
    hand = hand_of(plant, plant.snapshot.robot(drive.name), tether.X_tool_hand)
    place = hand_place(hand, state_of(plant, drive.name))
    return drive, braking(plant, drive)[0], TrackingEnded(plant.now, drive.name, tether.on, reason, place)


def _met_anew(plant: Plant, drive: Follow, hand: TrackingHand, goal: MovingPose, tether: Tether) -> Met:
    """Return the motion to a place that moves otherwise than planned, within the limits of the first plan.

    An arm that was already there may exceed its speed setting if it could not return otherwise.
    """
    placed, present, planned = plant.snapshot.robot(drive.name), state_of(plant, drive.name), drive.planned
    assert isinstance(planned, Planned)
    limits = steering_limits(placed, tether.speed, planned.profile, tether.rate)
    if not (tether.straight or tether.met):
        return meeting.meet_by_joints(
            hand, present, goal, choice(placed, "nearest"), limits, quintic=planned.profile == QUINTIC
        )
    tolerances = {"tolerance": tether.tolerance, "angle_tolerance": max(TURN, tether.tolerance)}
    tolerances["hand_speed"] = math.inf if tether.met else tether.hand_speed
    start = own_pose(plant, drive, hand).states(np.zeros(1), np.zeros(1, dtype=np.bool_))[:, 0]
    try:
        return meeting.meet_anew(hand, present, start, goal, limits, **tolerances)
    except Unreachable:
        if tether.met:
            limits = steering_limits(placed, math.inf, planned.profile)
        return meeting.meet_along_line(
            hand, present, first_pose(plant, drive, hand, present), goal, limits, **tolerances
        )


def _goes_on(hand: TrackingHand, goal: MovingPose, present: Array) -> bool:
    """Return whether an arm is already at its place and moves with it."""
    state = goal.states(np.zeros(1), np.zeros(1, dtype=np.bool_))
    tools, velocity, acceleration = hand.tools(state)
    q, why = hand.along(tools, present[0])
    if why:
        return False
    rates = hand.rates(q, velocity, acceleration)
    off = [float(np.abs(one[0] - here).max()) for one, here in zip((q, *rates), present, strict=True)]
    return all(value <= most for value, most in zip(off, _SAME, strict=True))


def _pursuing(plant: Plant, drive: Follow, tether: Tether) -> Follow:
    """Return the drive that follows on from the present motion of an arm."""
    placed = plant.snapshot.robot(drive.name)
    hand, goal = hand_of(plant, placed, tether.X_tool_hand), tether.goal(plant)
    old = drive.planned
    assert isinstance(old, Planned)
    new = following(plant, placed, hand, goal, 0.0, state_of(plant, drive.name)[0], tether, old)
    return successor(plant, drive, new, 1.0)


def set_rate(plant: Plant, drive: Follow, rate: float, give_up: str) -> Steered:
    """Hold an arm that tracks, so that it leaves its belt and comes to rest, or slow it on its way there.

    An arm that is already there cannot be slower than its belt.
    """
    tether, n = tether_of(drive), plant.snapshot.robot(drive.name).robot.n
    assert tether is not None
    if rate > 0.0 and not tether.met:
        return _meet_at_rate(plant, drive, tether, rate)
    if rate > 0.0:
        reason = f"{drive.name} tracks {tether.on} at its speed; the override applies to its other moves."
        return Steered(drive.name, 0.0, np.zeros(n), False, reason)
    by, motion = braking(plant, drive)
    place = hand_place(
        hand_of(plant, plant.snapshot.robot(drive.name), tether.X_tool_hand), state_of(plant, drive.name)
    )
    plant.replace(drive, by)
    plant.recorder.event(TrackingEnded(plant.now, drive.name, tether.on, give_up or "it was held", place))
    if not tether.met:
        plant.give_up(drive, give_up or f"it was held on its way to {tether.on}")
    low, high = motion.range()
    return Steered(drive.name, motion.duration, high - low)


def _meet_at_rate(plant: Plant, drive: Follow, tether: Tether, rate: float) -> Steered:
    """Let an arm on its way to a meeting continue at another fraction of its speed.

    It then arrives later, or sooner.
    """
    _, by, event = _caught_up(plant, drive, dataclasses.replace(tether, rate=rate))
    zeros = np.zeros(plant.snapshot.robot(drive.name).robot.n)
    if isinstance(event, TrackingEnded):
        reason = f"{drive.name} cannot meet {tether.on} at {100.0 * rate:.3g} % of its speed: {event.reason}."
        return Steered(drive.name, 0.0, zeros, False, reason)
    refused = plant.accept_all([(drive, by)])
    if refused is not None:
        return Steered(drive.name, 0.0, zeros, False, refused.message)
    plant.recorder.event(event)
    return Steered(drive.name, event.delay, zeros)
