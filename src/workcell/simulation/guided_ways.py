"""Ways out of dead ends: a plan to the destination, and the motion along it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workcell.collision.bodies import collision_model
from workcell.collision.zones import pair_table_of, zones_of
from workcell.cost import current_cancel
from workcell.errors import NoWay
from workcell.motion.trajectory import Trajectory
from workcell.planning.enclosure import enclosed
from workcell.planning.find_path import EFFORT, find_path
from workcell.planning.goals import PoseGoal
from workcell.simulation.planned import Planned
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

_SEARCH = 10.0
"""How much to search for a way [s of a fast machine]."""
_PATIENCE = 1e6
"""Work is counted, not timed, so that a run is the same on every machine; the clock never ends a search [s]."""


def way_out(
    simulator: Simulator,
    robot: str,
    goal: Pose,
    position: bool,
    tolerances: tuple[float, float] = (0.0, 0.0),
    ignoring: Sequence[str] = (),
) -> Trajectory:
    """Return a proved motion from where a robot stands to a pose of its tool.

    Args:
        simulator: where it stands.
        robot: which robot.
        goal: of the tool in the world.
        position: whether only the position counts.
        tolerances: how near the tool has to come [m], and its attitude [rad].
        ignoring: what it may touch.

    Raises:
        NoWay: it is proved that there is none.
        WorkcellError: there is no way, or none was found; the sentence says what is in it.
    """
    snapshot = simulator.snapshot
    model = collision_model(snapshot, pair_table_of(snapshot), zones=zones_of(snapshot), warn=False)
    proof = enclosed(
        model, simulator.state, robot, goal, position=position, tolerances=tolerances, ignoring=tuple(ignoring)
    )
    if proof is not None:
        raise NoWay(f"A way round was looked for, but {proof.sentence}.", body=proof.body, radius=proof.radius)
    turned = [goal]
    if position:  # any attitude will do: as the hand is turned now, and turned about the vertical
        now = simulator.snapshot.tool_pose(simulator.state, robot).rotation
        turns = (Pose.from_axis_angle((0.0, 0.0, 1.0), k * math.pi / 4.0).rotation for k in range(8))
        turned = [Pose.from_rotation(turn @ now, goal.xyz) for turn in turns]
    plan = find_path(
        snapshot,
        simulator.state,
        robot,
        [PoseGoal(one, name="the destination") for one in turned],
        budget=_PATIENCE,
        effort=int(_SEARCH * EFFORT),
        allow=tuple((robot, name) for name in ignoring),
        cancel=simulator.cancel or current_cancel(),
    )
    return plan.trajectory


def begin_way(simulator: Simulator, robot: str, motion: Trajectory) -> float:
    """Let a robot that stands make a planned motion; return how long it takes [s]."""
    here = simulator.state.joints[robot]
    return simulator.perform(
        Planned(robot, motion, here, motion.end, simulator.step, simulator.resolution, "planned", "time-optimal")
    )
