"""A path from here to a goal that touches nothing: the straight motion first, then a search; always proved."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.certify import certify
from workcell.collision.proof import Free, Proof
from workcell.collision.supports import supported
from workcell.errors import InvalidValue
from workcell.motion.limits import Limits
from workcell.motion.path import JointPath
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory
from workcell.planning import constrained
from workcell.planning.constraint_proof import Kept
from workcell.planning.constraint_rows import Rows
from workcell.planning.constraints import constraints_of
from workcell.planning.goals import as_goal, configurations, resolved
from workcell.planning.path_plan import PathPlan, Try
from workcell.planning.planners import DEFAULT, Planner, Query, planner_named
from workcell.planning.reasons import goal_blocked, no_path, start_blocked
from workcell.planning.smoothing import RoundedPath, rounded, shortened, without_stops
from workcell.planning.space import Allowed, Space, space_of
from workcell.robots.machine import Machine
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

STEP = 0.04
"""How far points of the arm move at most between two tested configurations of an edge, at first [m]."""
EASE = 2e-3
"""How much farther than required the search stays away from things, where start and goal do [m]."""
EFFORT = 50_000
"""How many configurations a second of budget stands for where work is counted and not timed."""
_FINER = 0.4
"""By how much the step shrinks when a proof refutes what samples found free."""
_DIRECT = 4
"""To how many goals the direct motion is tried."""
_TIGHTNESS = 0.2
"""How near the bound of a proof must come to the least clearance that was met."""
_TESTS = 400_000
"""How much work one proof may be."""


def find_path(
    snapshot: Snapshot,
    state: CellState,
    robot: str,
    goal: object,
    *,
    start: ArrayLike | None = None,
    seed: int = 0,
    budget: float = 2.0,
    effort: int | None = None,
    planner: str = DEFAULT,
    constraint: object = None,
    limits: Limits | None = None,
    allow: Allowed = (),
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PathPlan:
    """Find a path of a robot or machine to a goal, proved free of contacts and timed within its limits.

    Args:
        snapshot: what exists.
        state: where everything is, and who carries what; everything else stands still.
        robot: the name of the robot or machine.
        goal: joint values, a pose of the tool, the name of a target, a goal (:mod:`workcell.planning.goals`), or a
            list of these, any of which will do.
        start: joint values to start from; where the robot stands unless given.
        seed: the same seed gives the same path.
        budget: how long to search [s].
        effort: how many configurations to test at most. Work that is counted makes an answer that does not depend on
            how fast the machine is, also where nothing is found.
        planner: the name of a planner.
        constraint: what the hand must keep on its way (:mod:`workcell.planning.constraints`), or a list of these.
        limits: speeds and accelerations of the joints; those of the robot at the speed set for it unless given.
        allow: pairs of names that may touch during this move.
        progress: called with the fraction of the budget that is used up and a label.
        cancel: set to stop.

    Raises:
        StartBlocked: the robot touches something where it starts.
        GoalBlocked: every goal touches something.
        Unreachable, JointLimit: every goal is out of reach or out of range.
        ConstraintBroken: the start, or every goal, breaks a constraint.
        NoPath: the budget is used up; the error has what is in the way.
    """
    began = time.monotonic()
    if not isinstance(budget, int | float) or not math.isfinite(budget) or budget <= 0.0:
        raise InvalidValue(f"The budget of a search must be above 0 s and finite; found {budget}.")
    search = planner_named(planner)
    wanted = resolved(as_goal(goal), snapshot, state)
    device = snapshot.device(robot).robot
    here = _start(snapshot, state, robot, start)
    at_start = state.with_(joints={**state.joints, **_parts(device, robot, here)})
    space = space_of(snapshot, at_start, robot, tuple(allow))
    most = math.inf if effort is None else effort
    query = Query(space, space.scene(), here, here[None], seed, STEP, began + budget, most, began, progress, cancel)
    if query.touching(here[None])[0]:
        raise start_blocked(query)
    found = configurations(wanted, space, here, seed)
    if not len(found.Q):
        raise found.refused[0][1]
    free = ~query.touching(found.Q)
    if not free.any():
        raise goal_blocked(query, wanted, found)
    query.goals, of = np.ascontiguousarray(found.Q[free]), found.of[free]
    query.scene = _eased(query)
    maker = _Maker(query, began, limits or space.motion_limits)
    if constraint is None:
        plan = _anyhow(maker, of, search, planner)
    else:
        plan = _along_constraints(maker, Rows(space, constraints_of(constraint), here), of)
    if plan is None:
        raise no_path(query, budget)
    return plan


def _anyhow(maker: _Maker, of: NDArray[np.intp], search: Planner, planner: str) -> PathPlan | None:
    """A plan without constraints; None when the time is used up."""
    query = maker.query
    for number, row in enumerate(query.goals[:_DIRECT]):
        plan = maker.direct(row, int(of[number]))
        if plan is not None:
            return plan
    while not query.late:
        query.look("searching")
        waypoints = search(query)
        if waypoints is None:
            return None
        last = int(np.argmin(np.abs(query.goals - waypoints[-1]).max(axis=1)))
        plan = maker.along(waypoints, int(of[last]), planner)
        if plan is not None:
            return plan
        _look_closer(query)
    return None


def _look_closer(query: Query) -> None:
    """Test more samples and draw other random numbers: the proof refuted what the samples found free."""
    query.step *= _FINER
    query.seed = (query.seed * 6364136223846793005 + 1442695040888963407) % (1 << 63)


def _along_constraints(maker: _Maker, rows: Rows, of: NDArray[np.intp]) -> PathPlan | None:
    """A plan that keeps constraints; None when the time is used up."""
    query = maker.query
    query.goals, of = constrained.kept_goals(query, rows, query.goals, of)
    here = np.flatnonzero(np.abs(query.goals - query.start).max(axis=1) <= 1e-6)
    if len(here):
        return maker.direct(query.goals[here[0]], int(of[here[0]]))
    while not query.late:
        query.look("searching along the constraints")
        found = constrained.search(query, rows)
        if found is None:
            return None
        points, method = found
        last = int(np.argmin(np.abs(query.goals - points[-1]).max(axis=1)))
        plan = maker.held(constrained.smoothed(query, rows, points), rows, int(of[last]), method)
        if plan is not None:
            return plan
        _look_closer(query)
    return None


def _start(snapshot: Snapshot, state: CellState, robot: str, start: ArrayLike | None) -> Array:
    device = snapshot.device(robot).robot
    if start is None:
        start = np.concatenate([_joints(snapshot, state, name) for name in snapshot.members(robot)])
    values = np.array(device.checked(start))
    device.require_limits(values)
    return values


def _joints(snapshot: Snapshot, state: CellState, name: str) -> Array:
    values = state.joints.get(name)
    return snapshot.robot(name).robot.home if values is None else values


def _parts(device: object, robot: str, q: Array) -> dict[str, Array]:
    return device.parts(q) if isinstance(device, Machine) else {robot: q}


def _eased(query: Query) -> tuple[object, ...]:
    """The collision arrays of the search: things keep a little farther apart, but for those near start or goals."""
    from workcell.planning.reasons import touching_pairs

    space = query.space
    scene = space.scene(EASE)
    close: set[tuple[int, int]] = set()
    for q in (query.start, *query.goals[:8]):
        close |= {(a, b) for a, b, _ in touching_pairs(space, scene, q)}
    return space.scene(EASE, frozenset(close))


class _Maker:
    """Makes plans of waypoints: rounds, proves and times them."""

    def __init__(self, query: Query, began: float, limits: Limits) -> None:
        self.query, self.began, self.limits = query, began, limits

    def direct(self, goal: Array, number: int) -> PathPlan | None:
        """The straight motion, if it is free."""
        query = self.query
        if np.abs(goal - query.start).max() <= 1e-9:
            still = Free(math.inf, None, 0.0, math.inf, 0)
            points = np.array([query.start, goal])
            return self._plan(points, None, Trajectory.constant(query.start), still, number, "direct")
        if query.blocked(query.start[None], goal[None])[0]:
            query.tries.append(_direct("something is in the way"))
            return None
        points = np.array([query.start, goal])
        plan = self._proved(points, np.empty(0), number, "direct")
        if plan is None:
            query.tries.append(_direct("the proof found a contact"))
        return plan

    def along(self, waypoints: Array, number: int, method: str) -> PathPlan | None:
        """A plan through waypoints that samples found free: shortened, rounded, proved; None where it is refuted."""
        query = self.query
        raw = without_stops(waypoints)
        points = shortened(query, raw)
        return self._proved(points, rounded(query, points), number, method)

    def held(self, points: Array, rows: Rows, number: int, method: str) -> PathPlan | None:
        """A plan through configurations that keep constraints: a spline, proved to keep them and to be free."""
        query = self.query
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
                trajectory = time_optimal(made.path, self.limits)
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
        space, query = self.query.space, self.query
        return supported(space.model, space.state_at(query.start), space.members, space.state_at(end))

    def _proof(self, model: CollisionModel, path: JointPath) -> Proof:
        space, query = self.query.space, self.query
        motions = _by_member(space, path.curve)
        return certify(
            model, motions, space.state_at(query.start), tightness=_TIGHTNESS, most_tests=_TESTS, cancel=query.cancel
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
            query.space.robot, points, path, trajectory, proof, tuple(query.tries), number,
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
