"""Arms that meet what moves and follow it: planning, following on, and what to do when the belt does something else.

A move that tracks ends, for its program, when the hand is on its place with the speed of it. The arm then follows by a
drive of its own that always comes to rest by itself: it goes on as long as reach, ranges and limits allow, and brakes.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Refused, Unreachable, WorkcellError
from workcell.motion import meeting
from workcell.motion import steering as joint_steering
from workcell.motion.limits import Limits
from workcell.motion.meeting import Choose, Met
from workcell.motion.moving_frame import CarriedPose, MovingPose, StandingPose
from workcell.motion.time_law import whole_nanoseconds
from workcell.motion.tracking_hand import TrackingHand
from workcell.motion.trajectory import Trajectory
from workcell.simulation import branch_policy
from workcell.simulation.drives import Follow
from workcell.simulation.events import TrackingChanged, TrackingEnded
from workcell.simulation.planned import Planned
from workcell.simulation.steered import Steered
from workcell.simulation.tethers import FOLLOW, Tether, bases_of, carrier_of, tether_of
from workcell.simulation.timing import limits_of
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant
    from workcell.world.snapshot import PlacedRobot

Array = NDArray[np.float64]

Caught: TypeAlias = tuple[Follow, Follow, TrackingChanged | TrackingEnded]
"""An arm whose belt does something else: its drive, the one that takes its place, and what to record."""
TURN = 1e-5
"""How far the orientation of the hand may be off [rad]."""
_QUINTIC = "345"
"""The profile whose moves are one quintic."""
_STANDS = 3600.0
"""For how long an arm waits at once on a place that stands still [s]."""
_SAME = (1e-7, 1e-6, 1e-4)
"""Places, speeds and accelerations of two motions that are nearer than this are one motion [m, m/s, m/s²]."""


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
    """The move by which an arm meets a place, and the following that comes after it.

    Args:
        plant: where it happens.
        placed: the arm.
        tether: where its hand goes.
        profile: with ``jerk`` the jerk is limited, too.
        branch: which inverse solution a move of the joints takes.
        step: how finely it is shown [rad or m].
        resolution: the same, for what is between.

    Raises:
        Unreachable: it cannot; the sentence says until when and where the place is in reach.
    """
    drive, name = plant.drives.get(placed.name), placed.name
    tether = dataclasses.replace(tether, bases=bases_of(plant, name, tether.carrier))
    if shaken := tether.shaken(plant, name):
        raise Refused(f"{name} cannot track {tether.on}: {shaken}; let it come to rest first.", robot=name)
    hand, goal = hand_of(plant, placed, tether.X_tool_hand), tether.goal(plant)
    limits = _limits(placed, tether.speed, profile, tether.rate)
    present = state_of(plant, placed.name)
    try:
        if tether.straight:
            found = meeting.meet_along_line(
                hand, present, _first(plant, drive, hand, present), goal, limits, tolerance=tether.tolerance,
                angle_tolerance=max(TURN, tether.tolerance), hand_speed=tether.hand_speed,
            )  # fmt: skip
        else:
            found = meeting.meet_by_joints(
                hand, present, goal, _choice(placed, branch), limits, quintic=profile == _QUINTIC
            )
    except Unreachable as error:
        slower = f" at {100.0 * tether.rate:.3g} % of its speed" if tether.rate < 1.0 else ""
        raise Unreachable(
            f"{name} cannot meet this place on {tether.on}{slower}: {error.message}.", **error.evidence
        ) from error
    kind = "line" if tether.straight else "end effector"
    return _tracked(plant, placed, hand, goal, found, tether, kind, profile, step, resolution)


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
    """The straight move of a hand that follows something to a pose in the world, from how it moves now.

    Where the place that it follows leaves the reach too soon, the arm comes to rest first.
    """
    hand, present = hand_of(plant, placed, X_tool_hand), state_of(plant, placed.name)
    drive, limits, goal = plant.drives[placed.name], _limits(placed, speed, profile, rate), StandingPose(pose)
    tolerances = {"tolerance": tolerance, "angle_tolerance": max(TURN, tolerance)}
    try:
        return meeting.meet_along_line(hand, present, _first(plant, drive, hand, present), goal, limits, **tolerances)
    except Unreachable as refused:
        stop = braking(plant, drive)[1]
        rest = np.stack([stop.end, np.zeros_like(stop.end), np.zeros_like(stop.end)])
        try:
            met = meeting.meet_along_line(
                hand, rest, StandingPose(Pose(hand.poses(rest[:1])[0])), goal, limits, **tolerances
            )
        except Unreachable:
            told = f"{placed.name} cannot go straight to this pose: {refused.message}."
            raise Unreachable(told, **refused.evidence) from refused
    return Met(meeting.joined(stop, met.motion), met.deviation)


def joints_from(
    plant: Plant, placed: PlacedRobot, values: Array, speed: float, profile: str, rate: float = 1.0
) -> Trajectory:
    """The move of the joints of an arm that follows something to joint values, from how it moves now."""
    q, v, a = state_of(plant, placed.name)
    return joint_steering.supersede(q, v, a, values, _limits(placed, speed, profile, rate))


def state_of(plant: Plant, robot: str) -> Array:
    """Joint values, velocities and accelerations of a robot now (3, n)."""
    drive = plant.drives.get(robot)
    if drive is not None and drive.since is not None:
        return drive.present(plant.now)
    q = plant.joints_of(robot)
    return np.stack([q, np.zeros_like(q), np.zeros_like(q)])


def hand_of(plant: Plant, placed: PlacedRobot, X_tool_hand: Pose) -> TrackingHand:
    """The hand of an arm, to be led."""
    return TrackingHand(placed.robot, plant.snapshot.base_pose(plant.around, placed.name), X_tool_hand)


# ---- while it follows -----------------------------------------------------------------------------------


def await_end(plant: Plant, drive: Follow) -> None:
    """Let the plant see to an arm when what is planned of its following is over."""
    from workcell.simulation.agenda import Kind
    from workcell.simulation.instants import later

    tether = tether_of(drive)
    if tether is not None and tether.met and tether.until > 0.0 and drive.then is None:
        plant.schedule(later(drive.begin, tether.until), Kind.END, lambda: _due(plant, drive))


def _due(plant: Plant, drive: Follow) -> None:
    """An arm followed as far as was planned: it goes on, or an event says that it cannot."""
    tether = tether_of(drive)
    if plant.drives.get(drive.name) is not drive or tether is None:
        return
    if tether.ends:
        plant.recorder.event(TrackingEnded(plant.now, drive.name, tether.on, tether.ends, tether.place))
        return
    plant.replace(drive, _pursuing(plant, drive, tether))


def changed(plant: Plant) -> list[Caught]:
    """What arms do from now on whose belts do something else."""
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
    """The tether, on what carries its part now; the same where that has not changed, or the arm itself took it."""
    if not tether.part:
        return tether
    carrier, link, X = carrier_of(plant.snapshot, plant.around, tether.part)
    if carrier == robot or (carrier, link) == (tether.carrier, tether.link) or tether.X_part_hand is None:
        return tether
    bases = bases_of(plant, robot, carrier)
    return dataclasses.replace(tether, carrier=carrier, link=link, X_link_hand=X @ tether.X_part_hand, bases=bases)


def _caught_up(plant: Plant, drive: Follow, tether: Tether) -> Caught:
    """The drive that goes on with an arm whose belt does something else."""
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
        new = _tracked(
            plant, placed, hand, goal, met, tether, planned.kind, planned.profile, planned.step, planned.resolution
        )
    except (KinematicsError, MotionError) as error:
        return _left(plant, drive, tether, str(error).rstrip("."))
    by = successor(plant, drive, new)
    by.then = new.onward
    return drive, by, TrackingChanged(plant.now, drive.name, tether.on, new.duration)


def _left(plant: Plant, drive: Follow, tether: Tether, reason: str) -> Caught:
    """The drive that brings an arm to rest which cannot track any more, and why."""
    hand = hand_of(plant, plant.snapshot.robot(drive.name), tether.X_tool_hand)
    place = _place(hand, state_of(plant, drive.name))
    return drive, braking(plant, drive)[0], TrackingEnded(plant.now, drive.name, tether.on, reason, place)


def _met_anew(plant: Plant, drive: Follow, hand: TrackingHand, goal: MovingPose, tether: Tether) -> Met:
    """The motion to a place that moves in another way than was planned, within the limits of the first plan.

    An arm that was there already is quicker than its speed setting where it could not come back otherwise.
    """
    placed, present, planned = plant.snapshot.robot(drive.name), state_of(plant, drive.name), drive.planned
    assert isinstance(planned, Planned)
    limits = _limits(placed, tether.speed, planned.profile, tether.rate)
    if not (tether.straight or tether.met):
        return meeting.meet_by_joints(
            hand, present, goal, _choice(placed, "nearest"), limits, quintic=planned.profile == _QUINTIC
        )
    tolerances = {"tolerance": tether.tolerance, "angle_tolerance": max(TURN, tether.tolerance)}
    tolerances["hand_speed"] = math.inf if tether.met else tether.hand_speed
    start = _own(plant, drive, hand).states(np.zeros(1), np.zeros(1, dtype=np.bool_))[:, 0]
    try:
        return meeting.meet_anew(hand, present, start, goal, limits, **tolerances)
    except Unreachable:
        if tether.met:
            limits = _limits(placed, math.inf, planned.profile)
        return meeting.meet_along_line(hand, present, _first(plant, drive, hand, present), goal, limits, **tolerances)


def _goes_on(hand: TrackingHand, goal: MovingPose, present: Array) -> bool:
    """Whether an arm is on its place already, and moves as it does."""
    state = goal.states(np.zeros(1), np.zeros(1, dtype=np.bool_))
    tools, velocity, acceleration = hand.tools(state)
    q, why = hand.along(tools, present[0])
    if why:
        return False
    rates = hand.rates(q, velocity, acceleration)
    off = [float(np.abs(one[0] - here).max()) for one, here in zip((q, *rates), present, strict=True)]
    return all(value <= most for value, most in zip(off, _SAME, strict=True))


def _pursuing(plant: Plant, drive: Follow, tether: Tether) -> Follow:
    """The drive that follows on from how an arm moves now."""
    placed = plant.snapshot.robot(drive.name)
    hand, goal = hand_of(plant, placed, tether.X_tool_hand), tether.goal(plant)
    old = drive.planned
    assert isinstance(old, Planned)
    new = _following(plant, placed, hand, goal, 0.0, state_of(plant, drive.name)[0], tether, old)
    return successor(plant, drive, new)


def braking(plant: Plant, drive: Follow) -> tuple[Follow, Trajectory]:
    """The drive that brings an arm which tracks to rest as soon as its limits allow."""
    planned = drive.planned
    assert isinstance(planned, Planned)
    limits = _limits(plant.snapshot.robot(drive.name), math.inf, planned.profile)
    present = state_of(plant, drive.name)
    motion, _ = whole_nanoseconds(joint_steering.stop(present[0], present[1], present[2], limits), keep_start=True)
    new = dataclasses.replace(
        planned, motion=motion, start=present[0], end=motion.end, limited="stopped", deviation=None, bound=(),
        frames=None, goal=None, tether=None, onward=None,
    )  # fmt: skip
    return successor(plant, drive, new), motion


def set_rate(plant: Plant, drive: Follow, rate: float, give_up: str) -> Steered:
    """Hold an arm that tracks, so that it leaves its belt and comes to rest, or slow it on its way there.

    An arm that is there already cannot be slower than its belt.
    """
    tether, n = tether_of(drive), plant.snapshot.robot(drive.name).robot.n
    assert tether is not None
    if rate > 0.0 and not tether.met:
        return _meet_at_rate(plant, drive, tether, rate)
    if rate > 0.0:
        reason = f"{drive.name} tracks {tether.on} at its speed; the override holds for its other moves."
        return Steered(drive.name, 0.0, np.zeros(n), False, reason)
    by, motion = braking(plant, drive)
    place = _place(hand_of(plant, plant.snapshot.robot(drive.name), tether.X_tool_hand), state_of(plant, drive.name))
    plant.replace(drive, by)
    plant.recorder.event(TrackingEnded(plant.now, drive.name, tether.on, give_up or "it was held", place))
    if not tether.met:
        plant.give_up(drive, give_up or f"it was held on its way to {tether.on}")
    low, high = motion.range()
    return Steered(drive.name, motion.duration, high - low)


def _meet_at_rate(plant: Plant, drive: Follow, tether: Tether, rate: float) -> Steered:
    """Let an arm on its way to a meeting go on at another part of its speed; it arrives later then, or sooner."""
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


def successor(plant: Plant, drive: Follow, planned: Planned) -> Follow:
    """The drive that goes on with a move in another way from now on."""
    found = drive.motion
    peaks = drive.peaks
    if isinstance(found, Trajectory):
        fastest = found.part(0.0, min(max(drive.own(plant.now), 0.0), found.duration)).max_speed()
        peaks = fastest if peaks is None else np.maximum(peaks, fastest)
    return dataclasses.replace(
        drive, begin=plant.time, planned=planned, motion=planned.motion, since=plant.now, rate=1.0, peaks=peaks,
        then=None,
    )  # fmt: skip


# ---- inside ---------------------------------------------------------------------------------------------


def _tracked(
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
    tether = tether.known(plant)
    start, end = state_of(plant, placed.name)[0], met.motion.end
    planned = Planned(
        placed.name, met.motion, start, end, step, resolution, kind, profile, f"meeting {tether.on}", met.deviation,
        tether=tether,
    )  # fmt: skip
    try:
        onward = _following(plant, placed, hand, goal, met.motion.duration, end, tether, planned)
    except WorkcellError as error:
        raise MotionError(f"{placed.name} cannot follow {tether.on} once it has met it: {error.message}") from error
    return dataclasses.replace(planned, onward=onward)


def _following(
    plant: Plant,
    placed: PlacedRobot,
    hand: TrackingHand,
    goal: MovingPose,
    begin: float,
    near: Array,
    tether: Tether,
    like: Planned,
) -> Planned:
    """The motion that follows a place from a time on, and comes to rest."""
    stands = isinstance(goal, StandingPose)
    limits = _limits(placed, math.inf, like.profile, tether.slow)
    if stands:
        motion = Trajectory.constant(near, _STANDS)
        x, y, z = hand.poses(near[None])[0, :3, 3].tolist()
        found = meeting.Pursuit(motion, _STANDS, "", (x, y, z))
    else:
        found = meeting.pursue(
            hand, goal, begin, near, limits, tolerance=tether.tolerance, angle_tolerance=max(TURN, tether.tolerance)
        )
    tether = dataclasses.replace(tether.known(plant), met=True, until=found.until, ends=found.ends, place=found.place)
    return dataclasses.replace(
        like, motion=found.motion, start=near, end=found.motion.end, kind=FOLLOW, limited=f"following {tether.on}",
        deviation=None, bound=(), frames=None, goal=None, tether=tether, onward=None,
    )  # fmt: skip


def _first(plant: Plant, drive: Follow | None, hand: TrackingHand, present: Array) -> MovingPose:
    """Where the hand would go on to, if nothing new were asked of it: with its belt, also beyond its reach."""
    here, tether = Pose(hand.poses(present[:1])[0]), tether_of(drive)
    if drive is None or drive.since is None:
        return StandingPose(here)
    if tether is not None and tether.met and drive.then is None and drive.own(plant.now) <= tether.until:
        return tether.passing(plant, here)
    return _own(plant, drive, hand)


def _own(plant: Plant, drive: Follow, hand: TrackingHand) -> MovingPose:
    """Where the hand goes on to by what is planned: it follows, and comes to rest."""
    assert drive.since is not None
    return CarriedPose(hand.poses, drive.course, plant.now - drive.since)  # type: ignore[arg-type]


def _choice(placed: PlacedRobot, branch: str) -> Choose:
    return lambda tool, near: branch_policy.chosen(placed.robot, Pose(tool), branch, near)


def _limits(placed: PlacedRobot, speed: float, profile: str, rate: float = 1.0) -> Limits:
    found = limits_of(placed.robot, speed)
    slides = tuple(row.prismatic for row in placed.robot.rows)
    jerk = found.jerk if profile == "jerk" else None
    return Limits(rate * found.speed, found.acceleration, jerk, placed.robot.limits, slides)


def _place(hand: TrackingHand, present: Array) -> tuple[float, float, float]:
    x, y, z = hand.poses(present[:1])[0, :3, 3].tolist()
    return x, y, z
