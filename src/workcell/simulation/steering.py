"""Changes where moving devices go: a new target in the middle of a move, set-points, and emergency stops.

A move to a new target begins at the present position, speed and acceleration. If collisions are watched, a change is
made only if the device is proved to come to rest without a contact; otherwise it continues, and an event reports it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.motion import rate_following
from workcell.motion import steering as joint_steering
from workcell.motion.limits import Limits, violations
from workcell.motion.time_law import PacedMotion, whole_nanoseconds
from workcell.motion.trajectory import Trajectory
from workcell.simulation import conveyors
from workcell.simulation.company import companions
from workcell.simulation.drives import RUN, Follow
from workcell.simulation.events import RateChanged, SteeringRefused, StoppedAtLimit, Superseded
from workcell.simulation.gliding import Glide
from workcell.simulation.planned import SET_POINTS, TRACK, Planned
from workcell.simulation.rate_changes import set_rates
from workcell.simulation.steered import Steered
from workcell.simulation.succession import (
    as_paced,
    begun,
    braking_law,
    braking_to,
    present,
    require_plain,
    steering_limits,
    successor,
)

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant
    from workcell.simulation.slowing import Slowing
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]

_UNLIMITED = 1e12

_THERE = 1e-12
"""Joint values that differ by less are the same [rad or m]."""

JOINT_MOVES = ("joints", "end effector", "table", *SET_POINTS, RUN)
"""Kinds of moves whose hand follows no curve; they may be left at once."""


def supersede(
    plant: Plant,
    drive: Follow,
    placed: PlacedRobot,
    target: ArrayLike,
    speed: float,
    rate: float = 1.0,
    slowing: Slowing | None = None,
) -> Steered:
    """Send a robot to other joint values in the middle of a move; a move of the hand stops on its path first.

    Args:
        plant: the plant.
        drive: its present drive.
        placed: the robot.
        target: joint values to come to rest at (n,).
        speed: the greatest speed of a joint [rad/s or m/s].
        rate: the fraction of its speeds that the override leaves.
        slowing: zones in which it moves slowly; if it enters one, it is slow on its whole way.
    """
    require_plain(drive)
    planned, now = drive.planned, plant.now
    assert isinstance(planned, Planned)
    goal = placed.robot.checked(target)
    placed.robot.require_limits(goal)
    limits = steering_limits(placed, speed, planned.profile, rate)
    company = companions(plant, drive)
    braking: PacedMotion | None = None
    if (planned.kind in JOINT_MOVES or planned.tether is not None) and len(company) == 1:
        q, v, a = present(drive, now)
    else:
        law = braking_law(plant, company)
        braking = PacedMotion(as_paced(planned).path, law)
        q, v, a = braking.end, np.zeros(len(goal)), np.zeros(len(goal))
    onward = joint_steering.supersede(q, v, a, goal, limits)
    kind = "joints"
    new = dataclasses.replace(
        planned,
        motion=onward,
        start=q,
        end=goal,
        kind=kind,
        limited="",
        deviation=None,
        bound=(),
        frames=None,
        goal=None,
        company=(),
        tether=None,
        onward=None,
    )
    factor, zones = (1.0, []) if slowing is None else slowing.least(plant.state, new)
    if factor < 1.0:
        onward = joint_steering.supersede(q, v, a, goal, limits.scaled(factor))
        new = dataclasses.replace(new, motion=onward, limited=f"slow-down zone {', '.join(zones)}")
    follow: Follow
    if braking is not None and braking.duration > 0.0:
        follow = braking_to(plant, drive, braking.law, drive.rate or 1.0)
        follow.then = new
        delay = braking.duration + onward.duration
    else:
        follow = begun(plant, drive, new)
        delay = onward.duration
    others = [one for one in company if one is not drive]
    changes = [(drive, follow)]
    if braking is not None:
        changes += [(one, braking_to(plant, one, braking.law, 1.0)) for one in others]
    refused = plant.accept_all(changes)
    if refused is not None:
        plant.recorder.event(SteeringRefused(now, drive.name, "target", refused.message))
        return Steered(drive.name, 0.0, np.zeros(len(goal)), False, refused.message)
    plant.recorder.event(Superseded(now, drive.name, tuple(goal.tolist()), delay))
    for one in others:
        plant.give_up(one, f"{drive.name} goes elsewhere")
    return Steered(drive.name, delay, np.abs(goal - plant.joints_of(drive.name)))


def track(plant: Plant, placed: PlacedRobot, target: ArrayLike, limits: Limits, slowing: Slowing | None = None) -> bool:
    """Give a robot another set-point: it moves there from its present motion and rests there.

    Returns whether it was accepted. If collisions are watched, it is accepted only if the whole way to rest is free.
    """
    goal = placed.robot.checked(target).copy()
    if not joint_steering.in_range(goal, limits):
        placed.robot.require_limits(goal)
    if placed.name not in plant.drives and np.abs(goal - plant.joints_of(placed.name)).max() <= _THERE:
        return True
    return _tracked(plant, placed, lambda state, factor: (_onward(state, goal, limits, factor), goal), slowing)


def take_on(
    plant: Plant,
    placed: PlacedRobot,
    rates: Array,
    period: float,
    accelerations: Array,
    slowing: Slowing | None = None,
    tail: float = 0.0,
    kind: str = TRACK,
) -> bool:
    """Let the joints of a robot take on rates for a period and then come to rest, unless they get others before.

    Returns whether that was accepted; where collisions are watched it is only if the whole way to rest is free.

    Args:
        plant: where it moves.
        placed: the robot.
        rates: of the joints (n,) [rad/s or m/s].
        period: how long they hold [s].
        accelerations: the greatest ones (n,).
        slowing: zones in which it goes slowly.
        tail: how long the move goes on at rest [s], so that it can be held.
        kind: what the move is called: one of those of set-points.
    """

    def onward(state: Array, factor: float) -> tuple[Trajectory, Array]:
        motion = rate_following.take_on(state, factor * rates, period, accelerations, tail)
        return motion, motion.end

    return _tracked(plant, placed, onward, slowing, kind)


def _onward(state: Array, goal: Array, limits: Limits, factor: float) -> Trajectory:
    return joint_steering.go_on_to(state, goal, limits if factor == 1.0 else limits.scaled(factor))


def _tracked(
    plant: Plant,
    placed: PlacedRobot,
    make: Callable[[Array, float], tuple[Trajectory, Array]],
    slowing: Slowing | None,
    kind: str = TRACK,
) -> bool:
    """Let a robot go on by a motion that is made from its present state and a part of its speed."""
    name, now = placed.name, plant.now
    drive = plant.drives.get(name)
    if drive is None:
        state = np.zeros((3, placed.robot.n))
        state[0] = plant.joints_of(name)
    else:
        require_plain(drive)
        state = drive.present(now)
    onward, goal = make(state, 1.0)
    planned = Planned.tracking(name, onward, state[0], goal, plant.pose_step, kind)
    if slowing is not None and (factor := slowing.least(plant.state, planned)[0]) < 1.0:
        onward, goal = make(state, factor)
        planned = dataclasses.replace(planned, motion=onward, end=goal)
    follow: Follow
    if drive is None:
        follow = plant.new_drive(planned)
    elif drive.planned.kind in SET_POINTS:
        fastest = np.abs(state[1])
        follow = drive.going_on(planned, plant.time, now)
        follow.peaks = fastest if drive.peaks is None else np.maximum(drive.peaks, fastest)
    else:
        follow = begun(plant, drive, planned)
    refused = plant.accept(drive, follow)
    if refused is not None:
        plant.recorder.event(SteeringRefused(now, name, "set-point", refused.message))
    elif drive is not None and isinstance(drive.planned, Planned) and drive.planned.company:
        for one in [other for other in companions(plant, drive) if other is not drive][:1]:
            set_rates(plant, one, 0.0, give_up=f"{name} follows set-points", force=True)
    return refused is None


def emergency_stop(plant: Plant, drive: Follow, placed: PlacedRobot | None) -> list[Steered]:
    """Bring a device to rest as fast as its limits allow, each joint on its own; its move is then over.

    Devices that move in one timing stay on their path, so that a tool does not leave its work. They stop as fast as
    the limits of all their joints allow there. Returns the results of all of them.
    """
    require_plain(drive)
    planned, now = drive.planned, plant.now
    if drive.runs:
        return [conveyors.emergency_stop(plant, drive)]
    if isinstance(planned, Glide) or placed is None or planned.company:
        return set_rates(plant, drive, 0.0, give_up="emergency stop", force=True)
    q, v, a = present(drive, now)
    limits = steering_limits(placed, math.inf, planned.profile)
    braking, _ = whole_nanoseconds(joint_steering.stop(q, v, a, limits), keep_start=True)
    new = dataclasses.replace(
        planned, motion=braking, start=q, end=braking.end, limited="emergency stop", deviation=None, bound=(),
        frames=None, goal=None, tether=None, onward=None,
    )  # fmt: skip
    follow = successor(plant, drive, new, 1.0)
    follow.motion = braking
    follow.then = None
    plant.replace(drive, follow)  # an emergency stop is never refused
    ranges = Limits(np.full(len(q), _UNLIMITED), position=placed.robot.limits, slides=limits.slides)
    for one in violations(braking, ranges)[:1]:
        event = StoppedAtLimit(now + one.time, drive.name, one.joint, one.limit, one.value, one.allowed, one.slides)
        plant.recorder.event(event)
    low, high = braking.range()
    travel = tuple((high - low).tolist())
    plant.recorder.event(RateChanged(now, drive.name, 0.0, braking.duration, travel, off_path=True))
    plant.give_up(drive, "emergency stop")
    return [Steered(drive.name, braking.duration, high - low)]
