"""Changing what moves: hold, resume and override along the path, stop, and a new target in the middle of a move.

Along the path the speed changes as soon as the limits of the device allow, and the path stays what it is. A new target
is gone to from the present position, speed and acceleration. Where collisions are watched a change is made only if
the device is proved to come to rest without a contact; otherwise what it does goes on, and an event says so.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import Refused
from workcell.motion import steering as joint_steering
from workcell.motion.limits import Limits, violations
from workcell.motion.override import LEAST_RATE
from workcell.motion.pacing import Change
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.time_law import PacedMotion, TimeLaw, whole_nanoseconds
from workcell.motion.trajectory import Trajectory
from workcell.simulation import conveyors
from workcell.simulation.company import changed_law, companions
from workcell.simulation.drives import RUN, Follow
from workcell.simulation.events import RateChanged, SteeringRefused, StoppedAtLimit, Superseded
from workcell.simulation.gliding import Glide
from workcell.simulation.instants import SECOND
from workcell.simulation.planned import Planned
from workcell.simulation.steered import Steered
from workcell.simulation.tethers import tether_of
from workcell.simulation.timing import composed, limits_of

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant
    from workcell.simulation.slowing import Slowing
    from workcell.world.snapshot import PlacedRobot

Array = NDArray[np.float64]

_UNLIMITED = 1e12
_THERE = 1e-12
"""Joint values nearer than this are the same [rad or m]."""
JOINT_MOVES = ("joints", "end effector", "table", "track", RUN)
"""Kinds of moves whose hand follows no curve: they may be left at once."""


def paced(planned: Planned | Glide, rate: float) -> Planned | Glide:
    """A move that has not begun, run at a part of its speed."""
    if rate >= 1.0 or planned.duration <= 0.0:
        return planned
    if isinstance(planned, Planned) and planned.span is not None:
        raise Refused("The override holds for moves of all joints together; `mode path` has those.")
    took = math.ceil(round(planned.duration * SECOND) / rate) / SECOND
    if isinstance(planned, Glide):
        motion = PoseMotion(planned.motion.curve, planned.motion.progress.stretched(took / planned.duration))
        return dataclasses.replace(planned, motion=motion, limited="the override").whole()
    assert isinstance(planned.motion, Trajectory)
    law = TimeLaw.steady(planned.motion.duration, planned.motion.duration / took)
    return dataclasses.replace(planned, motion=PacedMotion(planned.motion, law), limited="the override", bound=())


@dataclass(frozen=True)
class _Next:
    """What a device is to do from now on, and what becomes of its change then."""

    drive: Follow
    follow: Follow
    steered: Steered


def set_rate(plant: Plant, drive: Follow, rate: float, *, give_up: str = "", force: bool = False) -> Steered:
    """Run the rest of a move at another part of its speed; see :func:`set_rates`, whose first answer this is."""
    return set_rates(plant, drive, rate, give_up=give_up, force=force)[0]


def set_rates(plant: Plant, drive: Follow, rate: float, *, give_up: str = "", force: bool = False) -> list[Steered]:
    """Run the rest of a move at another part of its speed; 0 holds it on its path.

    Devices that move in one timing with it keep it: they get the same time law. Returns what became of all of them,
    the one that is named first.

    Args:
        plant: where it moves.
        drive: the move.
        rate: 0, or from 0.01 to 1.
        give_up: with the rate 0, end the move where it comes to rest, for this reason.
        force: make the change in any case; a contact that is to come stops everything before it.
    """
    drive = plant.drives.get(drive.name, drive)
    require_plain(drive)
    if drive.number in plant.given_up:
        raise Refused(f"{drive.name} was stopped and comes to rest; command another move then.", device=drive.name)
    if drive.runs:
        return [conveyors.set_rate(plant, drive, rate, give_up, force)]
    if tether_of(drive) is not None:
        from workcell.simulation import tracking

        return [tracking.set_rate(plant, drive, rate, give_up)]
    found = _at_rate(plant, companions(plant, drive), rate, bool(give_up))
    stopping = drive.then is not None
    refused = plant.accept_all(
        [(one.drive, one.follow) for one in found], same_way=not stopping, force=force and not stopping
    )
    if refused is not None:
        return _named_first([_refused(plant, one, "rate", refused.message) for one in found], drive)
    for one in found:
        steered = one.steered
        plant.recorder.event(
            RateChanged(plant.now, steered.device, rate, steered.delay, tuple(steered.travel.tolist()))
        )
    for one in found if give_up else ():
        plant.give_up(one.drive, give_up)
    return _named_first([one.steered for one in found], drive)


def _named_first(found: list[Steered], drive: Follow) -> list[Steered]:
    return sorted(found, key=lambda one: one.device != drive.name)


def _refused(plant: Plant, one: _Next, what: str, message: str) -> Steered:
    """Record that a change was not made."""
    name = one.drive.name
    plant.recorder.event(SteeringRefused(plant.now, name, what, message))
    return Steered(name, 0.0, np.zeros_like(one.steered.travel), False, message)


def _at_rate(plant: Plant, drives: Sequence[Follow], rate: float, over: bool) -> list[_Next]:
    """The drives of one timing that go on at another rate; over where they come to rest on their way for good."""
    if drives[0].then is not None:
        return [_while_stopping(plant, one, rate, over) for one in drives]
    planned = drives[0].planned
    if isinstance(planned, Glide):
        glide, delay, travel, reached = _glide_at(drives[0], plant.now, rate)
        return [_paced_on(plant, drives[0], glide, rate, over, Steered(drives[0].name, delay, travel, reached))]
    return _joints_at(plant, drives, rate, over)


def _paced_on(plant: Plant, drive: Follow, new: Planned | Glide, rate: float, over: bool, steered: Steered) -> _Next:
    """A move that goes on in a new way."""
    resting = rate == 0.0 and not _ends(new)
    over = over and resting
    if over:
        new = dataclasses.replace(new, limited="stopped")
    follow = _successor(plant, drive, new, 1.0 if over else 0.0 if resting else max(rate, LEAST_RATE))
    return _Next(drive, follow, steered)


def _while_stopping(plant: Plant, drive: Follow, rate: float, over: bool) -> _Next:
    """The same while a device comes to rest before it goes elsewhere: it does so anyway, and what follows changes."""
    then = drive.then
    slower = paced(then, rate) if then is not None and rate > 0.0 else then
    assert slower is None or isinstance(slower, Planned)
    follow = dataclasses.replace(drive, rate=1.0 if over else rate, then=None if over else slower)
    delay = max(drive.rests - plant.time, 0.0)
    travel = (
        np.abs(drive.planned.end - plant.joints_of(drive.name)) if isinstance(drive.planned, Planned) else np.zeros(1)
    )
    return _Next(drive, follow, Steered(drive.name, delay, travel))


def supersede(
    plant: Plant,
    drive: Follow,
    placed: PlacedRobot,
    target: ArrayLike,
    speed: float,
    rate: float = 1.0,
    slowing: Slowing | None = None,
) -> Steered:
    """Let a robot go to other joint values in the middle of a move; one of the hand stops on its path first.

    Args:
        plant: where it moves.
        drive: what it does now.
        placed: the robot.
        target: joint values to come to rest at (n,).
        speed: the greatest speed of a joint [rad/s or m/s].
        rate: the part of its speeds that the override leaves.
        slowing: zones in which it goes slowly; it does so on its whole way where it comes to one.
    """
    require_plain(drive)
    planned, now = drive.planned, plant.now
    assert isinstance(planned, Planned)
    goal = placed.robot.checked(target)
    placed.robot.require_limits(goal)
    limits = _steering_limits(placed, speed, planned.profile, rate)
    company = companions(plant, drive)
    braking: PacedMotion | None = None
    if (planned.kind in JOINT_MOVES or planned.tether is not None) and len(company) == 1:
        q, v, a = present(drive, now)
    else:
        law = braking_law(plant, company)
        braking = PacedMotion(_as_paced(planned).path, law)
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


def braking_law(plant: Plant, drives: Sequence[Follow]) -> TimeLaw:
    """The time law by which drives of one timing come to rest on their path as soon as the limits allow."""
    moves = [one.planned for one in drives if isinstance(one.planned, Planned)]
    return _whole_law(_changed(plant, moves, drives[0].own(plant.now), 0.0).motion.law)


def braking_to(plant: Plant, drive: Follow, law: TimeLaw, rate: float) -> Follow:
    """The drive that comes to rest on its path by a law and is over then."""
    planned = drive.planned
    assert isinstance(planned, Planned)
    motion = PacedMotion(_as_paced(planned).path, law)
    stopping = dataclasses.replace(planned, motion=motion, end=motion.end, limited="superseded", bound=(), goal=None)
    return _successor(plant, drive, stopping, rate)


def track(plant: Plant, placed: PlacedRobot, target: ArrayLike, limits: Limits, slowing: Slowing | None = None) -> bool:
    """Give a robot another set-point: it goes there from where it is and as it moves, and rests there.

    Returns whether it was accepted; where collisions are watched it is only if the whole way to rest is free.
    """
    goal = placed.robot.checked(target).copy()
    if not joint_steering.in_range(goal, limits):
        placed.robot.require_limits(goal)
    name, now = placed.name, plant.now
    drive = plant.drives.get(name)
    if drive is None:
        q = plant.joints_of(name)
        if np.abs(goal - q).max() <= _THERE:
            return True
        state = np.zeros((3, len(goal)))
        state[0] = q
    else:
        require_plain(drive)
        state = drive.present(now)
    onward = joint_steering.go_on_to(state, goal, limits)
    planned = Planned.tracking(name, onward, state[0], goal, plant.pose_step)
    if slowing is not None and (factor := slowing.least(plant.state, planned)[0]) < 1.0:
        onward = joint_steering.go_on_to(state, goal, limits.scaled(factor))
        planned = dataclasses.replace(planned, motion=onward)
    follow: Follow
    if drive is None:
        follow = plant.new_drive(planned)
    elif drive.planned.kind == "track":
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
    """Let a device come to rest as fast as its limits allow, each joint on its own; its move is over then.

    Devices that move in one timing stay on their path, so that a tool does not leave its work: their stop is as fast as
    the limits of all their joints allow there. Returns what became of all of them.
    """
    require_plain(drive)
    planned, now = drive.planned, plant.now
    if drive.runs:
        return [conveyors.emergency_stop(plant, drive)]
    if isinstance(planned, Glide) or placed is None or planned.company:
        return set_rates(plant, drive, 0.0, give_up="emergency stop", force=True)
    q, v, a = present(drive, now)
    limits = _steering_limits(placed, math.inf, planned.profile)
    braking, _ = whole_nanoseconds(joint_steering.stop(q, v, a, limits), keep_start=True)
    new = dataclasses.replace(
        planned, motion=braking, start=q, end=braking.end, limited="emergency stop", deviation=None, bound=(),
        frames=None, goal=None, tether=None, onward=None,
    )  # fmt: skip
    follow = _successor(plant, drive, new, 1.0)
    follow.motion = braking
    follow.then = None
    plant.replace(drive, follow)  # nobody refuses an emergency stop
    ranges = Limits(np.full(len(q), _UNLIMITED), position=placed.robot.limits, slides=limits.slides)
    for one in violations(braking, ranges)[:1]:
        event = StoppedAtLimit(now + one.time, drive.name, one.joint, one.limit, one.value, one.allowed, one.slides)
        plant.recorder.event(event)
    low, high = braking.range()
    travel = tuple((high - low).tolist())
    plant.recorder.event(RateChanged(now, drive.name, 0.0, braking.duration, travel, off_path=True))
    plant.give_up(drive, "emergency stop")
    return [Steered(drive.name, braking.duration, high - low)]


def present(drive: Follow, now: float) -> tuple[Array, Array, Array]:
    """Position, speed and acceleration of the joints of a drive at an instant (n,)."""
    q, v, a = drive.present(now)
    return q, v, a


# ---- inside -------------------------------------------------------------------------------------------


def require_plain(drive: Follow) -> None:
    """Refuse to steer the moves of the thesis."""
    if drive.since is None or (isinstance(drive.planned, Planned) and drive.planned.span is not None):
        raise Refused(
            f"{drive.name} moves joint by joint, as in the thesis, and cannot be steered; `mode path` moves all joints "
            "together."
        )


def _steering_limits(placed: PlacedRobot, speed: float, profile: str, rate: float = 1.0) -> Limits:
    """The limits that hold from a change on; the jerk counts for moves that limit it."""
    found = limits_of(placed.robot, speed)
    slides = tuple(row.prismatic for row in placed.robot.rows)
    jerk = found.jerk if profile == "jerk" else None
    return Limits(rate * found.speed, found.acceleration, jerk, placed.robot.limits, slides)


def _as_paced(planned: Planned) -> PacedMotion:
    if isinstance(planned.motion, PacedMotion):
        return planned.motion
    return PacedMotion.at_full_speed(planned.motion)


def _joints_at(plant: Plant, drives: Sequence[Follow], rate: float, over: bool) -> list[_Next]:
    own = drives[0].own(plant.now)
    moves = [one.planned for one in drives if isinstance(one.planned, Planned)]
    change = _changed(plant, moves, own, rate)
    law, first, found = _whole_law(change.motion.law), 0, []
    for drive, planned in zip(drives, moves, strict=True):
        motion = PacedMotion(_as_paced(planned).path, law)
        travel = change.travel[first : first + motion.n]
        first += motion.n
        goal = planned.end if planned.goal is None else planned.goal
        end = goal if _runs_out(motion) else motion.end
        limited = planned.limited if rate >= 1.0 else "the override"
        new = dataclasses.replace(
            planned, motion=motion, start=planned.at(own), end=end, limited=limited, bound=(), frames=None, goal=goal
        )
        steered = Steered(drive.name, change.delay, travel, change.reached)
        found.append(_paced_on(plant, drive, new, rate, over, steered))
    return found


def _changed(plant: Plant, moves: Sequence[Planned], own: float, rate: float) -> Change:
    """The change of the rate of moves in one timing."""
    limits = [_steering_limits(plant.snapshot.robot(one.name), math.inf, one.profile) for one in moves]
    return changed_law([_as_paced(one) for one in moves], own, rate, limits)


def _glide_at(drive: Follow, now: float, rate: float) -> tuple[Glide, float, Array, bool]:
    """A solid that moves on its own has no limits: its speed changes at once."""
    planned = drive.planned
    assert isinstance(planned, Glide)
    whole = planned.full if planned.full is not None else planned.motion
    law = planned.law if planned.law is not None else TimeLaw.steady(whole.duration)
    own = drive.own(now)
    place = min(law.place(own), whole.duration)
    new = (
        TimeLaw.standing(place)
        if rate == 0.0 or place >= whole.duration
        else TimeLaw.steady(whole.duration, rate, place)
    )
    new = _whole_law(new)
    progress = (
        composed(whole.progress, new.curve) if new.duration else Trajectory.constant(whole.progress.position(place))
    )
    goal = planned.end if planned.goal is None else planned.goal
    end = goal if new.end >= whole.duration else whole.pose(place)
    limited = planned.limited if rate >= 1.0 else "the override"
    motion = PoseMotion(whole.curve, progress)
    start = planned.at(own)
    glide = dataclasses.replace(
        planned, motion=motion, start=start, end=end, limited=limited, full=whole, law=new, goal=goal
    )
    return glide, 0.0, np.zeros(1), True


def _whole_law(law: TimeLaw) -> TimeLaw:
    """The law made longer until it takes whole nanoseconds; its start stays."""
    return TimeLaw(whole_nanoseconds(law.curve, keep_start=True)[0])


def _runs_out(motion: PacedMotion) -> bool:
    """Whether the law comes to the end of the path."""
    return motion.law.end >= motion.path.duration * (1.0 - 1e-12)


def _ends(planned: Planned | Glide) -> bool:
    """Whether a move comes to the end of its way."""
    if isinstance(planned, Glide):
        return planned.law is None or planned.full is None or planned.law.end >= planned.full.duration
    return not isinstance(planned.motion, PacedMotion) or _runs_out(planned.motion)


def _successor(plant: Plant, drive: Follow, planned: Planned | Glide, rate: float) -> Follow:
    """The drive that goes on with a move in another way from now on."""
    peaks = drive.peaks
    if isinstance(drive.planned, Planned):
        motion = drive.planned.motion
        found = motion.part(0.0, min(drive.own(plant.now), motion.duration)).max_speed()
        peaks = found if peaks is None else np.maximum(peaks, found)
    return dataclasses.replace(
        drive,
        begin=plant.time,
        planned=planned,
        motion=planned.motion,
        since=plant.now,
        rate=rate,
        peaks=peaks,
        then=None,
    )


def begun(plant: Plant, drive: Follow, planned: Planned) -> Follow:
    """The drive of a new move that takes the place of another from now on."""
    return dataclasses.replace(
        drive, begin=plant.time, planned=planned, motion=planned.motion, since=plant.now, rate=1.0, peaks=None,
        recorded=False, then=None, number=plant.number_after(drive),
    )  # fmt: skip
