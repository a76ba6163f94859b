"""Drives that replace others: the rest of a move in another way, the next move, or a stop."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.motion.pacing import RateChange
from workcell.motion.time_law import PacedMotion, TimeLaw, whole_nanoseconds
from workcell.simulation.company import changed_law
from workcell.simulation.drives import Follow
from workcell.simulation.gliding import Glide
from workcell.simulation.planned import Planned

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]


def braking_law(plant: Plant, drives: Sequence[Follow]) -> TimeLaw:
    """Return the time law that brings drives of one timing to rest on their path as soon as the limits allow."""
    moves = [one.planned for one in drives if isinstance(one.planned, Planned)]
    return whole_law(changed_rate(plant, moves, drives[0].own(plant.now), 0.0).motion.law)


def braking_to(plant: Plant, drive: Follow, law: TimeLaw, rate: float) -> Follow:
    """Return the drive that comes to rest on its path by a law and is then over."""
    planned = drive.planned
    assert isinstance(planned, Planned)
    motion = PacedMotion(as_paced(planned).path, law)
    stopping = dataclasses.replace(planned, motion=motion, end=motion.end, limited="superseded", bound=(), goal=None)
    return successor(plant, drive, stopping, rate)


def present(drive: Follow, now: float) -> tuple[Array, Array, Array]:
    """Return position, speed and acceleration of the joints of a drive at an instant (n,)."""
    q, v, a = drive.present(now)
    return q, v, a


def require_plain(drive: Follow) -> None:
    """Refuse to steer the moves of the thesis."""
    if drive.since is None or (isinstance(drive.planned, Planned) and drive.planned.span is not None):
        raise Refused(
            f"{drive.name} moves joint by joint, as in the thesis, and cannot be steered; `mode path` moves all joints "
            "together."
        )


def steering_limits(placed: PlacedRobot, speed: float, profile: str, rate: float = 1.0) -> Limits:
    """Return the limits from a change on; the jerk counts for moves that limit it."""
    found = limits_of(placed.robot, speed)
    slides = tuple(row.prismatic for row in placed.robot.rows)
    jerk = found.jerk if profile == "jerk" else None
    return Limits(rate * found.speed, found.acceleration, jerk, placed.robot.limits, slides)


def as_paced(planned: Planned) -> PacedMotion:
    """Return the motion of a move as a path with a time law."""
    if isinstance(planned.motion, PacedMotion):
        return planned.motion
    return PacedMotion.at_full_speed(planned.motion)


def changed_rate(plant: Plant, moves: Sequence[Planned], own: float, rate: float) -> RateChange:
    """Return the rate change of moves in one timing."""
    limits = [steering_limits(plant.snapshot.robot(one.name), math.inf, one.profile) for one in moves]
    return changed_law([as_paced(one) for one in moves], own, rate, limits)


def whole_law(law: TimeLaw) -> TimeLaw:
    """Return the law extended to whole nanoseconds; its start stays."""
    return TimeLaw(whole_nanoseconds(law.curve, keep_start=True)[0])


def runs_out(motion: PacedMotion) -> bool:
    """Return whether the law reaches the end of the path."""
    return motion.law.end >= motion.path.duration * (1.0 - 1e-12)


def successor(plant: Plant, drive: Follow, planned: Planned | Glide, rate: float) -> Follow:
    """Return the drive that continues a move in another way from now on."""
    peaks = drive.peaks
    if isinstance(drive.planned, Planned):
        motion = drive.planned.motion
        found = motion.part(0.0, min(max(drive.own(plant.now), 0.0), motion.duration)).max_speed()
        peaks = found if peaks is None else np.maximum(peaks, found)
    return dataclasses.replace(
        drive, begin=plant.time, planned=planned, motion=planned.motion, since=plant.now, rate=rate, peaks=peaks,
        then=None,
    )  # fmt: skip


def begun(plant: Plant, drive: Follow, planned: Planned) -> Follow:
    """Return the drive of a new move that replaces another from now on."""
    return dataclasses.replace(
        drive, begin=plant.time, planned=planned, motion=planned.motion, since=plant.now, rate=1.0, peaks=None,
        recorded=False, then=None, number=plant.number_after(drive),
    )  # fmt: skip
