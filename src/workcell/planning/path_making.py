"""Plans made of waypoints: shortened, rounded, proved and timed."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.certify import certify
from workcell.collision.proof import Free, Proof
from workcell.collision.supports import supported
from workcell.motion.limits import Limits
from workcell.motion.path import JointPath
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory
from workcell.planning import constrained
from workcell.planning.constraint_rows import Rows
from workcell.planning.kept import Kept
from workcell.planning.path_plan import PathPlan, Try
from workcell.planning.planners import Query
from workcell.planning.smoothing import TRIES, RoundedPath, rounded, shortened, without_stops
from workcell.planning.space import Space
from workcell.robots.machine import Machine

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

_TIGHTNESS = 0.2
"""How near the bound of a proof must come to the least clearance that was met."""
_INTERVALS = 150
"""Into how many intervals a path is cut to time it; twice as many make it about 0.1 % faster."""
_TESTS = 400_000
"""How much work one proof may be."""


class PathMaker:
    """Makes plans of waypoints: shortens, rounds, proves and times them.

    Args:
        query: what is asked, from where held parts are clear to where they are clear.
        began: when the query began, by ``time.monotonic`` [s].
        limits: speeds and accelerations of the joints.
        start: the configuration to start from (n,): that of the query, or where a held part still rests on something.
        ends: for each goal of the query the configuration to end at (k, n), likewise.
        of: for each goal of the query the number of the goal that was asked for (k,).
    """

    def __init__(
        self, query: Query, began: float, limits: Limits, start: Array, ends: Array, of: NDArray[np.intp]
    ) -> None:
        self.query, self.began, self.limits = query, began, limits
        self.start, self.ends, self.of = start, ends, of

    def direct(self, number: int) -> PathPlan | None:
        """The straight motion to a goal of the query, if it is free."""
        query = self.query
        goal = query.goals[number]
        if np.abs(self.ends[number] - self.start).max() <= 1e-9:
            still = Free(math.inf, None, 0.0, math.inf, 0)
            points = np.array([self.start, self.ends[number]])
            return self._plan(points, None, Trajectory.constant(self.start), still, number, "direct")
        if query.blocked(query.start[None], goal[None])[0]:
            query.tries.append(_direct("something is in the way"))
            return None
        points = self._whole(np.array([query.start, goal]), number)
        plan = self._proved(points, rounded(query, points), number, "direct")
        if plan is None:
            query.tries.append(_direct("the proof found a contact"))
        return plan

    def along(self, waypoints: Array, method: str, tries: int = TRIES) -> PathPlan | None:
        """A plan through waypoints that samples found free, or None where the proof refutes it.

        Args:
            waypoints: (N, n), from the start of the query to one of its goals.
            method: how they were found.
            tries: how many shortcuts are tried at most.
        """
        query = self.query
        number = int(np.argmin(np.abs(query.goals - waypoints[-1]).max(axis=1)))
        points = self._whole(shortened(query, without_stops(waypoints), tries), number)
        return self._proved(points, rounded(query, points), number, method)

    def _whole(self, points: Array, number: int) -> Array:
        """The waypoints with the way off what a held part rests on at the start, and onto that at the goal."""
        return without_stops(np.vstack([self.start[None], points, self.ends[number][None]]))

    def held(self, points: Array, rows: Rows, method: str) -> PathPlan | None:
        """A plan through configurations that keep constraints: a spline, proved to keep them and to be free."""
        query = self.query
        number = int(np.argmin(np.abs(query.goals - points[-1]).max(axis=1)))
        off = constrained.between(rows, self.start, points[0], query.space)
        onto = constrained.between(rows, points[-1], self.ends[number], query.space)
        if off is None or onto is None:
            return None
        points = without_stops(np.vstack([off, points, onto]))
        for _ in range(3):
            made = constrained.spline(query, rows, points)
            if made is None:
                return None
            path, kept = made
            proof = self._proof(self._model(points[-1]), path)
            if isinstance(proof, Free):
                trajectory = time_optimal(path, self.limits)
                return self._plan(points, path, trajectory, proof, number, method, kept)
            # More points hold the spline closer to the edges that were tested.
            finer = constrained.refined(rows, points, query.space.box(points))
            if finer is None:
                return None
            points = finer
        return None

    def _proved(self, points: Array, radii: Array, number: int, method: str) -> PathPlan | None:
        query = self.query
        model = self._model(points[-1])
        for _ in range(8):
            made = RoundedPath(points, radii)
            proof = self._proof(model, made.path)
            if isinstance(proof, Free):
                trajectory = time_optimal(made.path, self.limits, intervals=_INTERVALS)
                return self._plan(points, made.path, trajectory, proof, number, method)
            query.look("a corner is rounded less")
            owner = made.owner(proof.last_free)
            after = made.owner(min(proof.last_free + 1e-6, made.path.length))
            corner = owner if owner >= 0 else after
            if corner < 0 or radii[corner] == 0.0:
                return None
            radii = radii.copy()
            radii[corner] = radii[corner] * 0.5 if radii[corner] > 1e-3 else 0.0
        return None

    def _model(self, end: Array) -> CollisionModel:
        space = self.query.space
        return supported(space.model, space.state_at(self.start), space.members, space.state_at(end))

    def _proof(self, model: CollisionModel, path: JointPath) -> Proof:
        space, query = self.query.space, self.query
        motions = _by_member(space, path.curve)
        return certify(
            model, motions, space.state_at(self.start), tightness=_TIGHTNESS, most_tests=_TESTS, cancel=query.cancel
        )

    def _plan(
        self, points: Array, path: JointPath | None, trajectory: Trajectory, proof: Free, number: int, method: str,
        kept: Kept | None = None,
    ) -> PathPlan:  # fmt: skip
        query = self.query
        points = np.array(points)
        points.flags.writeable = False
        if path is not None:
            proof = replace(proof, near=_time_at(path, trajectory, proof.near))
        return PathPlan(
            query.space.robot, points, path, trajectory, proof, tuple(query.tries), int(self.of[number]),
            time.monotonic() - self.began, int(query.counts[0]), method, kept,
        )  # fmt: skip


def _by_member(space: Space, curve: Trajectory) -> dict[str, Trajectory]:
    """The motion of each robot that moves."""
    if not isinstance(space.device, Machine):
        return {space.robot: curve}
    return {
        name: Trajectory(curve.breaks, np.ascontiguousarray(curve.coefficients[:, :, place]))
        for name, place in space.device.slices
    }


def _time_at(path: JointPath, trajectory: Trajectory, s: float) -> float:
    """When the motion passes a place of its path [s]."""
    times = np.linspace(0.0, trajectory.duration, 257)
    return float(times[int(np.abs(trajectory.sample(times) - path.position(s)).max(axis=1).argmin())])


def _direct(outcome: str) -> Try:
    return Try("direct", outcome, np.empty((0, 0)), np.empty(0, dtype=np.int32))
