"""A path that was found: its waypoints, its motion over time, the proof that it is free, and what was tried."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from workcell.collision.proof import Free
    from workcell.motion.path import JointPath
    from workcell.motion.trajectory import Trajectory
    from workcell.planning.kept import Kept

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Try:
    """One attempt of a query.

    Attributes:
        how: ``direct``, or the name of the planner.
        outcome: what came of it, for people.
        nodes: the configurations that were reached (m, n); none for a direct motion.
        parents: the node before each, −1 for a root (m,).
    """

    how: str
    outcome: str
    nodes: Array
    parents: Ints


@dataclass(frozen=True, eq=False)
class PathPlan:
    """A path that is proved free.

    Attributes:
        robot: the robot or machine that moves.
        waypoints: joint values (N, n), the start first, the goal last.
        path: the path itself, with rounded corners; None where the robot is at the goal already.
        trajectory: joint values over time along the path, within the limits of the robot.
        proof: the proof; its times count along the trajectory.
        tries: the attempts, the last one succeeded.
        goal: which of several goals was reached, counted from 0.
        seconds: how long the search took [s].
        states: how many configurations were tested.
        method: ``direct``, or the name of the planner.
        kept: the proof that the path keeps its constraints; None where it has none.
    """

    robot: str
    waypoints: Array
    path: JointPath | None
    trajectory: Trajectory
    proof: Free
    tries: tuple[Try, ...]
    goal: int
    seconds: float
    states: int
    method: str
    kept: Kept | None = None

    @cached_property
    def length(self) -> float:
        """The length of the polyline through the waypoints in joint space [rad, with m for sliding joints]."""
        return float(np.linalg.norm(np.diff(self.waypoints, axis=0), axis=1).sum())

    @property
    def duration(self) -> float:
        """How long the motion takes [s]."""
        return self.trajectory.duration

    def __str__(self) -> str:
        corners = len(self.waypoints) - 2
        through = "straight" if corners <= 0 else f"through {corners} waypoint{'s' if corners > 1 else ''}"
        return f"{self.robot} gets there {through} in {self.duration:.4g} s of motion. {self.proof}"
