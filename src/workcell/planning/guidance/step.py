"""One step of the guidance: parameters, destination and obstacles to rates. It has no memory and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.planning.guidance import _kernels_guidance as kernels
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.links import LinkArm
from workcell.planning.guidance.obstacles import Packed
from workcell.planning.guidance.rates import Saturation, capped, saturated

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Step:
    """What the guidance finds in one posture.

    Attributes:
        rates: of the parameters, within the cap and the actuators' speeds (3N+3,).
        points: the end points (N+1, 3).
        wanted: the velocities that the influences ask of the end points (N+1, 3).
        given: the velocities that the rates would give them before they are capped (N+1, 3).
        clearance: the least distance between a link and an obstacle.
        link: which link that is, counted from 1; 0 where there is no obstacle.
        obstacle: which obstacle, counted from 0; -1 where there is none.
    """

    rates: Array
    points: Array
    wanted: Array
    given: Array
    clearance: float
    link: int
    obstacle: int


def step(
    arm: LinkArm,
    x: ArrayLike,
    destination: ArrayLike,
    obstacles: Packed,
    constants: Constants | None = None,
    *,
    attitude: ArrayLike | None = None,
    speeds: ArrayLike | None = None,
    saturation: Saturation = "limit",
) -> Step:
    """Return the rates that draw the tip to its destination and keep every link away from obstacles.

    Args:
        arm: the arm.
        x: its parameters (3N+3,).
        destination: of the tip (3,).
        obstacles: what to keep away from.
        constants: of the guidance; those of the listing by default.
        attitude: the direction that the last link is to have (3,), if any.
        speeds: the greatest rate of each parameter (3N+3,), if actuators saturate.
        saturation: how; see :func:`~workcell.planning.guidance.rates.saturated`.
    """
    known = constants or Constants()
    row = known.row
    at = np.asarray(x, dtype=float)
    goal = np.asarray(destination, dtype=float)
    points, frames = arm.placed(at)
    wanted, given = np.empty_like(points), np.empty_like(points)
    lengthen, rates = np.zeros(arm.n + 2), np.zeros(len(at))
    thick = arm.half_thickness
    aim = np.zeros(3) if attitude is None else _aim(points, np.asarray(attitude, dtype=float), known)
    kernels.influences(
        at, arm.low, arm.high, points, goal, aim, obstacles.rows, obstacles.groups, thick, row, wanted, lengthen
    )
    kernels.rates(at, arm.low, arm.high, points, frames, wanted, lengthen, row, rates, given)
    rates = capped(rates, known.rate_cap)
    if speeds is not None:
        rates = saturated(rates, speeds, saturation)
    gap, link, obstacle = kernels.clearance(points, obstacles.rows, obstacles.groups, thick)
    return Step(rates, points, wanted, given, float(gap), int(link) + 1 if link >= 0 else 0, int(obstacle))


def _aim(points: Array, attitude: Array, constants: Constants) -> Array:
    """Return the influence on the next-to-last end point that turns the last link (Loeff 1973, chapter IV)."""
    last = points[-1] - points[-2]
    turn = last - np.linalg.norm(last) * attitude / np.linalg.norm(attitude)
    size = float(np.linalg.norm(turn))
    found: Array = turn * min(constants.gain, constants.speed / size) if size > 0.0 else turn
    return found
