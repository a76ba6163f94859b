"""Guidance by the thesis' own method: where an arm's chain is one of generalised links."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.planning.guidance.arms import Aim, ArmConstants
from workcell.planning.guidance.cell_arms import LinkedArm
from workcell.planning.guidance.destinations import soonest
from workcell.spatial import rotations

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.spatial.pose import Pose
    from workcell.world.state import CellState

Array = NDArray[np.float64]


def linked(model: CollisionModel, robot: str, point: Pose, ignoring: tuple[str, ...]) -> LinkedArm:
    """Return an arm of the cell as generalised links that end at a point of its hand, given in the tool.

    Raises:
        Refused: its chain cannot be mapped; the sentence has the reason.
    """
    chain = model.snapshot.robot(robot).robot.chain
    return LinkedArm.of(model, robot, (chain.X_n_tool @ point).xyz, ignoring)


def straightened(arm: LinkedArm, state: CellState, aim: Aim) -> tuple[Array | None, float]:
    """Return the direction that the last link is to have in the world (3,), and how far it is off [rad].

    The method turns the last link; the turn of the hand about that link is left as it is.
    """
    if aim.turn is None:
        return None, 0.0
    now = arm.direction(state)
    wanted: Array = rotations.about_vector(aim.turn, aim.angle) @ now if aim.angle > 0.0 else now
    across = float(np.linalg.norm(np.cross(now, wanted)))
    return wanted, math.atan2(across, float(now @ wanted))


def thesis_rates(
    arm: LinkedArm, state: CellState, hand: Array, aim: Aim, speeds: Array, constants: ArmConstants
) -> Array:
    """Return the rates of the joints that the thesis' method gives (n,)."""
    there = hand + aim.away
    if aim.velocity is not None:  # where both can meet soonest
        there = there + aim.velocity * soonest(aim.away, aim.velocity, constants.speed)
    direction, _ = straightened(arm, state, aim)
    return arm.step(state, there, speeds, constants, direction)[0]
