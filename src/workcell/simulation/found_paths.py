"""Paths that a simulator searches for: from where a robot is now, among everything where it is now."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.cost import current_cancel
from workcell.errors import InvalidValue
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.planning.asked_constraints import asked_constraints
from workcell.planning.asked_goals import asked_goal
from workcell.planning.find_path import EFFORT, find_path
from workcell.planning.goals import Goal
from workcell.planning.planners import DEFAULT
from workcell.robots.machine import Machine
from workcell.simulation.events import PathTried
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.planning.path_plan import PathPlan, Try
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]

BUDGET = 5.0
"""The default amount of search [s of a fast machine]."""
_PATIENCE = 1e6
"""Work is counted, not timed, so that a run is the same on every machine; the clock never ends a search [s]."""
_LINES = 400
"""The greatest number of edges of a search that are recorded."""


def found_path(
    simulator: Simulator,
    given: dict[str, Any],
    tool: Pose | None = None,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PathPlan:
    """Return the path of a step. Everything else is assumed to stay where it is now.

    Args:
        simulator: where everything is.
        given: the fields of the step, in SI, poses in the world.
        tool: ``X_flange_tcp`` of the tool that the program has set for the robot.
        progress: called with the fraction of the work that is used up and a label.
        cancel: set to stop.
    """
    return find_path(
        simulator.snapshot,
        simulator.state,
        given["robot"],
        goal_of(simulator, given, tool),
        budget=_PATIENCE,
        **options_of(simulator, given),
        progress=progress,
        cancel=cancel or simulator.cancel or current_cancel(),
    )


def goal_of(simulator: Simulator, given: dict[str, Any], tool: Pose | None) -> Goal:
    """Return the goal of a step, for the tool that is set for its robot."""
    poses = given["poses"]
    if tool is not None and poses:
        own = simulator.snapshot.robot(given["robot"]).robot.X_flange_tool
        poses = [pose @ tool.inverse() @ own for pose in poses]
    low, high = given.get("low"), given.get("high")
    joints = given.get("joints")
    if given["branch"] or given["point"] != "tool":
        poses, joints = _of_hand(simulator, given, poses, joints)
    return asked_goal(
        joints,
        poses,
        given["free"],
        given.get("tolerance", 0.0),
        None if low is None or high is None else (low.xyz, high.xyz),
    )


def path_options(simulator: Simulator, given: dict[str, Any]) -> dict[str, Any]:
    """Return how the path of a step is looked for: start, planner, limits and constraints."""
    robot = given["robot"]
    return {
        "start": simulator.device(robot).joints,
        "planner": given["planner"] or DEFAULT,
        "limits": _limits(simulator, robot),
        "constraint": asked_constraints(given) or None,
    }


def options_of(simulator: Simulator, given: dict[str, Any]) -> dict[str, Any]:
    """Return all options of the search for the path of a step but for its goal."""
    touching = given.get("touching")
    return {
        **path_options(simulator, given),
        "seed": int(given.get("seed", 0)),
        "effort": int(given.get("budget", BUDGET) * EFFORT),
        "allow": () if touching is None else ((given["robot"], touching),),
    }


def _of_hand(simulator: Simulator, given: dict[str, Any], poses: list[Pose], joints: Any) -> tuple[list[Pose], Any]:
    """Return the poses of the tool and the joint values that bring a point of the hand to poses, by a branch if given.

    Args:
        simulator: where everything is.
        given: the fields of the step.
        poses: of that point in the world.
        joints: the joint values that were asked for, or None.
    """
    point, branch, hand = given["point"], given["branch"], simulator.robot(given["robot"])
    if given["free"]:
        raise InvalidValue("What is free at a goal is free for the tool; leave out `of` and `branch`.")
    if branch and (len(poses) != 1 or joints is not None):
        raise InvalidValue("A branch is one of those at a pose; give exactly one pose with `to`.")
    if branch:
        return [], hand.joints_for(poses[0], branch=branch, point=point)
    X_hand_tool = hand.point_of_hand(point).inverse()
    return [pose @ X_hand_tool for pose in poses], joints


def path_to_joints(simulator: Simulator, robot: str, joints: Array, touching: str = "") -> PathPlan:
    """Return a path from where a robot stands to joint values (n,); it may touch one thing on the way."""
    given: dict[str, Any] = {"robot": robot, "joints": joints} | ({"touching": touching} if touching else {})
    return found_path(simulator, {"poses": (), "free": "", "planner": "", "branch": "", "point": "tool", **given})


def _limits(simulator: Simulator, robot: str) -> Limits:
    device = simulator.device(robot)
    if isinstance(device.robot, Machine):
        return Limits(device.robot.speeds, device.robot.accelerations)
    found = limits_of(device.robot, simulator.settings_of(robot)[0])
    return Limits(found.speed, found.acceleration)


def recorded_tries(simulator: Simulator, plan: PathPlan) -> None:
    """Record what was tried on the way to a path, as the lines that the hand would take."""
    for one in plan.tries:
        simulator.note(PathTried(simulator.now, plan.robot, one.how, one.outcome, _lines(simulator, plan, one)))


def _lines(simulator: Simulator, plan: PathPlan, one: Try) -> tuple[tuple[float, ...], ...]:
    """Return the edges of a search, each as two positions of the hand (6,) [m]."""
    from workcell.planning.space import space_of

    space = space_of(simulator.snapshot, simulator.state, plan.robot)
    edges = np.flatnonzero(one.parents >= 0)[:_LINES]
    if not len(edges) or not space.has_hand:
        return ()
    used = np.unique(np.concatenate([edges, one.parents[edges]]))
    places = {int(k): space.hand(one.nodes[k]).xyz for k in used}
    return tuple(tuple(float(v) for v in (*places[int(one.parents[k])], *places[int(k)])) for k in edges)
