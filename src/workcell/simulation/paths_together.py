"""Paths beside others that move: those of robots under way, and those of robots that begin at the same instant."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workcell.cost import current_cancel
from workcell.errors import Refused
from workcell.motion.chained import JointMotion
from workcell.motion.pose_motion import PoseMotion
from workcell.planning.find_path import EFFORT
from workcell.planning.find_paths import PlanTogether, find_paths
from workcell.planning.path_beside import PlanBeside, find_path_beside
from workcell.simulation.found_paths import BUDGET, goal_of, options_of, path_options
from workcell.simulation.planned import Planned
from workcell.simulation.timeline import Timeline
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Given = dict[str, Any]


def under_way(simulator: Simulator) -> dict[str, JointMotion]:
    """Return the rest of every motion of a robot that is decided now, by robot: under way, or about to begin.

    Belts and solids that move on their own are not among them.
    """
    drives = [
        one
        for name, one in simulator.drives.items()
        if name not in simulator.drives.endless and name not in simulator.drives.solids
    ]
    found: dict[str, JointMotion] = {}
    if drives:
        last = max(one.final for one in drives)
        motions = Timeline(drives, simulator.time, last).motions
        found = {name: motion for name, motion in motions.items() if not isinstance(motion, PoseMotion)}
    for planned in simulator.to_begin:
        if isinstance(planned, Planned):
            found[planned.name] = planned.motion
    return found


def path_beside(
    simulator: Simulator,
    given: Given,
    tool: Pose | None = None,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PlanBeside:
    """Return the path of a step beside everything that is under way.

    Args:
        simulator: where everything is, and what moves.
        given: the fields of the step, in SI, poses in the world.
        tool: ``X_flange_tcp`` of the tool that the program has set for the robot.
        progress: called with the share of the work that is used up and a label.
        cancel: set to stop.
    """
    robot = given["robot"]
    _require_own_timing(simulator)
    return find_path_beside(
        simulator.snapshot, simulator.state, robot, goal_of(simulator, given, tool), under_way(simulator),
        **options_of(simulator, given), progress=progress, cancel=cancel or simulator.cancel or current_cancel(),
    )  # fmt: skip


def planned_together(
    simulator: Simulator,
    wishes: Sequence[tuple[Given, Pose | None]],
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PlanTogether:
    """Return the paths of steps that begin at the same instant, beside everything that is under way.

    Args:
        simulator: where everything is, and what moves.
        wishes: the fields of each step, in SI, poses in the world, and the tool set for its robot.
        progress: called with the share that is done and a label.
        cancel: set to stop.
    """
    _require_own_timing(simulator)
    goals: dict[str, object] = {}
    for given, tool in wishes:
        if given["robot"] in goals:
            raise Refused(f"{given['robot']} cannot make two moves at once; put the second one after the first.")
        goals[given["robot"]] = goal_of(simulator, given, tool)
    ranks = {given["robot"]: int(given["priority"]) for given, _ in wishes if "priority" in given}
    touching = [(given["robot"], given["touching"]) for given, _ in wishes if given.get("touching") is not None]
    return find_paths(
        simulator.snapshot,
        simulator.state,
        goals,
        priorities=ranks or None,
        beside=under_way(simulator),
        options={given["robot"]: path_options(simulator, given) for given, _ in wishes},
        seed=max(int(given.get("seed", 0)) for given, _ in wishes),
        effort=int(max(given.get("budget", BUDGET) for given, _ in wishes) * EFFORT),
        allow=touching,
        progress=progress,
        cancel=cancel or simulator.cancel or current_cancel(),
    )


def begin_together(simulator: Simulator, plan: PlanTogether) -> None:
    """Begin the motions of a plan, all in one timing: what slows or holds one of them does so to all."""
    company = tuple(name for robot in plan.motions for name in simulator.snapshot.members(robot))
    for robot, motion in plan.motions.items():
        simulator.device(robot).follow_path(motion, company)


def _require_own_timing(simulator: Simulator) -> None:
    if simulator.slowing is not None:
        raise Refused(
            "Slow-down zones change the speed of each robot on its own, so motions that are timed against each other "
            "would no longer match; use shared zones, or leave out `--beside`."
        )
    if simulator.mode == "joint-by-joint":
        raise Refused("Motions that are timed against each other need `mode path`.")
