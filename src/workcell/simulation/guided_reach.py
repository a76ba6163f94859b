"""What keeps a guided hand from its destination: its reach before it moves, and its causes when it gets no closer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Unreachable
from workcell.kinematics.workspace import reach_bound
from workcell.planning.goals import PoseGoal
from workcell.planning.space import space_of

if TYPE_CHECKING:
    from workcell.planning.guidance.nearby import Near
    from workcell.robots.robot import Robot
    from workcell.simulation.guided_wish import Wish
    from workcell.simulation.simulator import Simulator

_AT_LIMIT = (0.005, 0.0005)
"""How near to its limit a joint is held to be at it: one that turns [rad], one that slides [m]."""


def require_reach(simulator: Simulator, wish: Wish) -> None:
    """Refuse a destination that the hand cannot reach from where its base stands.

    A destination that is carried, or an arm that is carried, may come into reach later: nothing is refused for these.
    Where only the position counts, or an arm has too few or too many joints for an exact answer, only destinations
    farther away than the stretched arm are refused.
    """
    placed = simulator.snapshot.robot(wish.robot)
    if wish.on or placed.parent != "world":
        return
    robot, X_tool_hand = placed.robot, simulator.robot(wish.robot).point_of_hand(wish.point)
    base = simulator.snapshot.base_pose(simulator.state, wish.robot)
    chain = robot.chain
    slides = float(np.abs(robot.limits[chain.prismatic]).sum())
    most = reach_bound(chain) + slides + float(np.linalg.norm(X_tool_hand.xyz)) + wish.tolerance
    away = float(np.linalg.norm((chain.X_base_0.inverse() @ base.inverse() @ wish.pose).xyz))
    if away > most:
        raise Unreachable(
            f"{wish.robot} cannot reach the destination: it is at least {(away - most) * 1e3:.4g} mm out of reach. "
            "Give a nearer destination, or place the robot nearer.",
            metres=away - most,
        )
    if wish.position or wish.method == "thesis" or robot.n != 6:
        return
    goal = PoseGoal(wish.pose @ X_tool_hand.inverse(), (), wish.tolerance, wish.turn_tolerance, name="the destination")
    here = simulator.state.joints[wish.robot]
    goal.configurations(space_of(simulator.snapshot, simulator.state, wish.robot), here, 0)


def causes(robot: Robot, q: NDArray[np.float64], near: Sequence[Near]) -> str:
    """What may keep the hand from going on, as clauses: the nearest thing or own link, and joints at their limits."""
    found = []
    others = [one for one in near if not one.own]
    closest = min(others or near, key=lambda one: one.distance, default=None)
    if closest is not None:
        found.append(f"{closest.other} is {closest.distance * 1e3:.4g} mm from {closest.mine}")
    for number, (value, (low, high)) in enumerate(zip(q.tolist(), robot.limits.tolist(), strict=True)):
        close = _AT_LIMIT[int(robot.rows[number].prismatic)]
        if min(value - low, high - value) <= close:
            side = "lower" if value - low <= high - value else "upper"
            found.append(f"joint {number + 1} is at its {side} limit")
    if not found:
        found.append("nothing is near and no joint is at its limit, so the arm is stretched or folded; try `find-path`")
    return "; ".join(found)
