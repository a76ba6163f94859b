"""Devices that move in one timing: a robot and the mechanism that carries its work, or the members of a machine.

Each device has its own drive, and all drives of one company have the same time law. A change of the law of one
changes all of them, within the limits of all their joints, so that a tool stays on work that another device moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import Refused
from workcell.motion.limits import Limits
from workcell.motion.pacing import RateChange, change_rate
from workcell.motion.stacking import stacked
from workcell.motion.time_law import PacedMotion
from workcell.simulation.planned import Planned

if TYPE_CHECKING:
    from workcell.simulation.drives import Follow
    from workcell.simulation.gliding import Glide
    from workcell.simulation.plant import Plant


def names_of(planned: Planned | Glide) -> tuple[str, ...]:
    """Return the devices that make a move in one timing, including the mover."""
    return (isinstance(planned, Planned) and planned.company) or (planned.name,)


def companions(plant: Plant, drive: Follow) -> list[Follow]:
    """Return the drives of one timing, in the order of their company, without those that were abandoned."""
    names = names_of(drive.planned)
    found = []
    for name in names:
        one = plant.drives.get(name)
        if name == drive.name:
            found.append(drive)
        elif one is not None and names_of(one.planned) == names and one.number not in plant.given_up:
            found.append(one)
    return found


def firsts(drives: Iterable[Follow]) -> list[Follow]:
    """Return one drive of each company, and every drive without a company."""
    found: dict[tuple[str, ...], Follow] = {}
    for drive in drives:
        found.setdefault(names_of(drive.planned), drive)
    return list(found.values())


def rate_of(rates: Mapping[str, float], planned: Planned | Glide) -> float:
    """Return the override of a move: the least of the devices that make it in one timing."""
    return min(rates.get(name, 1.0) for name in names_of(planned))


def changed_law(moves: Sequence[PacedMotion], own: float, rate: float, limits: Sequence[Limits]) -> RateChange:
    """Return the rate change that all motions with one law can make, within the limits of all their joints."""
    if len(moves) == 1:
        return change_rate(moves[0], own, rate, limits[0])
    first = moves[0]
    if any(one.law != first.law or one.path.duration != first.path.duration for one in moves[1:]):
        raise Refused("Moves in one timing no longer match; stop them and command another move.")
    return change_rate(PacedMotion(reduce(stacked, [one.path for one in moves]), first.law), own, rate, joined(limits))


def joined(limits: Sequence[Limits]) -> Limits:
    """Return the limits of the joints of several devices in one row; the jerk is limited if all limit it."""
    acceleration = [one.acceleration for one in limits if one.acceleration is not None]
    jerk = [one.jerk for one in limits if one.jerk is not None]
    position = [one.position for one in limits if one.position is not None]
    slides = [one.slides for one in limits if one.slides is not None]
    every = len(limits)
    return Limits(
        np.concatenate([one.speed for one in limits]),
        np.concatenate(acceleration) if len(acceleration) == every else None,
        np.concatenate(jerk) if len(jerk) == every else None,
        np.concatenate(position) if len(position) == every else None,
        tuple(slide for row in slides for slide in row) if len(slides) == every else None,
    )
