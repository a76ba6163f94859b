"""Changes the speed along a path: hold, resume and override.

The speed changes as soon as the limits of the device allow, and the path stays the same. If collisions are watched,
a change is made only if the device is proved to come to rest without a contact. Otherwise the device continues as
before, and an event reports this.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.motion.named_profiles import composed
from workcell.motion.override import LEAST_RATE
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.time_law import PacedMotion, TimeLaw
from workcell.motion.trajectory import Trajectory
from workcell.simulation import conveyors
from workcell.simulation.company import companions
from workcell.simulation.drives import Follow
from workcell.simulation.events import RateChanged, SteeringRefused
from workcell.simulation.gliding import Glide
from workcell.simulation.instants import SECOND
from workcell.simulation.planned import Planned
from workcell.simulation.steered import Steered
from workcell.simulation.succession import as_paced, changed_rate, require_plain, runs_out, successor, whole_law
from workcell.simulation.tethers import tether_of

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant

Array = NDArray[np.float64]


OVERRIDE, FAULT = "the override", "a fault"
"""What limits a move that runs at a fraction of its speed, or is held."""


def paced(planned: Planned | Glide, rate: float, why: str = OVERRIDE) -> Planned | Glide:
    """Return a move that has not begun, at a fraction of its speed that is limited by the override or a fault."""
    if rate >= 1.0 or planned.duration <= 0.0:
        return planned
    if isinstance(planned, Planned) and planned.span is not None:
        raise Refused("The override works only if all joints move together; use `mode path`.")
    took = math.ceil(round(planned.duration * SECOND) / rate) / SECOND
    if isinstance(planned, Glide):
        motion = PoseMotion(planned.motion.curve, planned.motion.progress.stretched(took / planned.duration))
        return dataclasses.replace(planned, motion=motion, limited=why).whole()
    assert isinstance(planned.motion, Trajectory)
    law = TimeLaw.steady(planned.motion.duration, planned.motion.duration / took)
    return dataclasses.replace(planned, motion=PacedMotion(planned.motion, law), limited=why, bound=())


@dataclass(frozen=True)
class _Next:
    """The new drive of a device, and the result of its change."""

    drive: Follow
    follow: Follow
    steered: Steered


def set_rate(plant: Plant, drive: Follow, rate: float, *, give_up: str = "", force: bool = False) -> Steered:
    """Run the rest of a move at another fraction of its speed; returns the first answer of :func:`set_rates`."""
    return set_rates(plant, drive, rate, give_up=give_up, force=force)[0]


def set_rates(
    plant: Plant, drive: Follow, rate: float, *, give_up: str = "", force: bool = False, why: str = OVERRIDE
) -> list[Steered]:
    """Run the rest of a move at another fraction of its speed; 0 holds it on its path.

    Devices that move in one timing with it get the same time law. Returns the results of all of them, the named one
    first.

    Args:
        plant: the plant.
        drive: the move.
        rate: 0, or from 0.01 to 1.
        give_up: with the rate 0, end the move where it comes to rest, for this reason.
        force: always make the change; everything stops before a contact.
        why: what limits the move from now on.
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
    found = _at_rate(plant, companions(plant, drive), rate, bool(give_up), why)
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


def _at_rate(plant: Plant, drives: Sequence[Follow], rate: float, over: bool, why: str) -> list[_Next]:
    """Return the drives of one timing at another rate; ``over`` if they come to rest on their way for good."""
    if drives[0].then is not None:
        return [_while_stopping(plant, one, rate, over, why) for one in drives]
    planned = drives[0].planned
    if isinstance(planned, Glide):
        glide, delay, travel, reached = _glide_at(drives[0], plant.now, rate, why)
        return [_paced_on(plant, drives[0], glide, rate, over, Steered(drives[0].name, delay, travel, reached))]
    return _joints_at(plant, drives, rate, over, why)


def _paced_on(plant: Plant, drive: Follow, new: Planned | Glide, rate: float, over: bool, steered: Steered) -> _Next:
    """Return a move that continues in a new way."""
    resting = rate == 0.0 and not _ends(new)
    over = over and resting
    if over:
        new = dataclasses.replace(new, limited="stopped")
    follow = successor(plant, drive, new, 1.0 if over else 0.0 if resting else max(rate, LEAST_RATE))
    return _Next(drive, follow, steered)


def _while_stopping(plant: Plant, drive: Follow, rate: float, over: bool, why: str) -> _Next:
    """Change the rate of a device that comes to rest before it goes elsewhere: only what follows changes."""
    then = drive.then
    slower = paced(then, rate, why) if then is not None and rate > 0.0 else then
    assert slower is None or isinstance(slower, Planned)
    follow = dataclasses.replace(drive, rate=1.0 if over else rate, then=None if over else slower)
    delay = max(drive.rests - plant.time, 0.0)
    travel = (
        np.abs(drive.planned.end - plant.joints_of(drive.name)) if isinstance(drive.planned, Planned) else np.zeros(1)
    )
    return _Next(drive, follow, Steered(drive.name, delay, travel))


def _joints_at(plant: Plant, drives: Sequence[Follow], rate: float, over: bool, why: str) -> list[_Next]:
    own = drives[0].own(plant.now)
    moves = [one.planned for one in drives if isinstance(one.planned, Planned)]
    change = changed_rate(plant, moves, own, rate)
    law, first, found = whole_law(change.motion.law), 0, []
    for drive, planned in zip(drives, moves, strict=True):
        motion = PacedMotion(as_paced(planned).path, law)
        travel = change.travel[first : first + motion.n]
        first += motion.n
        goal = planned.end if planned.goal is None else planned.goal
        end = goal if runs_out(motion) else motion.end
        limited = planned.limited if rate >= 1.0 else why
        new = dataclasses.replace(
            planned, motion=motion, start=planned.at(own), end=end, limited=limited, bound=(), frames=None, goal=goal
        )
        steered = Steered(drive.name, change.delay, travel, change.reached)
        found.append(_paced_on(plant, drive, new, rate, over, steered))
    return found


def _glide_at(drive: Follow, now: float, rate: float, why: str) -> tuple[Glide, float, Array, bool]:
    """Return the new motion of a free solid. It has no limits, so its speed changes at once."""
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
    new = whole_law(new)
    progress = (
        composed(whole.progress, new.curve) if new.duration else Trajectory.constant(whole.progress.position(place))
    )
    goal = planned.end if planned.goal is None else planned.goal
    end = goal if new.end >= whole.duration else whole.pose(place)
    limited = planned.limited if rate >= 1.0 else why
    motion = PoseMotion(whole.curve, progress)
    start = planned.at(own)
    glide = dataclasses.replace(
        planned, motion=motion, start=start, end=end, limited=limited, full=whole, law=new, goal=goal
    )
    return glide, 0.0, np.zeros(1), True


def _ends(planned: Planned | Glide) -> bool:
    """Return whether a move reaches the end of its way."""
    if isinstance(planned, Glide):
        return planned.law is None or planned.full is None or planned.law.end >= planned.full.duration
    return not isinstance(planned.motion, PacedMotion) or runs_out(planned.motion)
