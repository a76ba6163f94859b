"""Moving a hand above a part: its grip point over the highest point of the part, pointing as a grasp of it does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import WorkcellError
from workcell.simulation.handling.arm import Arm, why
from workcell.simulation.handling.parts import arm_of
from workcell.simulation.handling.reasons import PATH, PLACE, REACH, Reasons
from workcell.simulation.handling.stages import Go, Handling
from workcell.simulation.piles import SHAPE
from workcell.spatial.pose import Pose
from workcell.world.absence import require_there

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]

DISTANCE = 0.1
"""How far above a part the hand stops by default [m]."""
_TURNS = 8
"""How many turns about the vertical are tried for a part without grasps."""

_LOOKS = 96
"""At how many configurations above the part the arm is tested; eight branches at each turn, and some more."""


def above(simulator: Simulator, robot: str, name: str, distance: float = DISTANCE) -> Handling:
    """Return how a robot brings its hand above a part; nothing has moved.

    Args:
        simulator: where everything is.
        robot: which robot.
        name: of the part; any object will do.
        distance: from the highest point of the part to the grip point [m].

    Raises:
        Refused: it cannot; the sentence has the reason.
    """
    arm, snapshot = arm_of(simulator, robot), simulator.snapshot
    part = snapshot.object_body(name)
    require_there(snapshot, simulator.state, part)
    X = snapshot.body_pose(simulator.state, part)
    vertices = snapshot.body(part).mesh(SHAPE).vertices @ X.rotation.T + X.xyz
    place = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    place[2] = vertices[:, 2].max() + distance
    goals, reasons = _goals(arm, part, place)
    if len(goals):
        try:
            plan = arm.path(list(goals))
        except WorkcellError as error:
            reasons.add("the way there", PATH, why(error))
        else:
            return Handling(part, robot, (Go(robot, plan.trajectory),))
    raise reasons.error(f"{robot} cannot move above {name}", name, robot)


def _goals(arm: Arm, part: str, place: Array) -> tuple[list[Array], Reasons]:
    """Return free joint values with the hand above a part, and why others are not."""
    reasons = Reasons()
    where = f"{place[2] * 1e3:.4g} mm above the floor"
    poses = [Pose.from_rotation(R, place) @ arm.X_tool_grip.inverse() for R in _turns(arm, part)]
    try:
        rows = arm.reaching(poses, where)
    except WorkcellError as error:
        reasons.add(where, REACH, why(error))
        return [], reasons
    free: list[Array] = []
    for q in rows[:_LOOKS]:
        touching = arm.touching(q)
        if touching:
            reasons.add(where, PLACE, touching)
        else:
            free.append(q)
    return free, reasons


def _turns(arm: Arm, part: str) -> list[Array]:
    """Return how the hand may be turned above a part (3, 3): as its grasps from above, or straight down."""
    X = arm.snapshot.body_pose(arm.state, part)
    half = Pose.from_axis_angle((0.0, 0.0, 1.0), math.pi).rotation
    found = []
    for grasp in arm.snapshot.grasps.get(part, ()):
        R = X.rotation @ grasp.X_body_hand.rotation
        if R[2, 2] < -0.7:
            found += [R, R @ half]
    if found:
        return found
    down = Pose.from_axis_angle((0.0, 1.0, 0.0), math.pi).rotation
    turns = (Pose.from_axis_angle((0.0, 0.0, 1.0), k * 2.0 * math.pi / _TURNS).rotation for k in range(_TURNS))
    return [turn @ down for turn in turns]
