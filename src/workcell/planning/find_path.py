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

from workcell.collision.pairs import Phase
from workcell.errors import InvalidValue
from workcell.motion.limits import Limits
from workcell.planning import constrained
from workcell.planning.constraint_rows import Rows
from workcell.planning.constraints import constraints_of
from workcell.planning.goals import Configurations, as_goal, configurations, resolved
from workcell.planning.lifting import lifted
from workcell.planning.path_making import PathMaker
from workcell.planning.path_plan import PathPlan
from workcell.planning.planners import DEFAULT, Query, planner_named, rrt_connect
from workcell.planning.reasons import goal_blocked, no_path, start_blocked
from workcell.planning.roadmap import Roadmap
from workcell.planning.space import Allowed, pairs_of, space_of
from workcell.robots.machine import Machine
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    pass

Array = NDArray[np.float64]

STEP = 0.04
"""How far points of the arm move at most between two tested configurations of an edge, at first [m]."""
EASE = 2e-3
"""How much farther than required the search stays away from things, where start and goal do [m]."""
EFFORT = 50_000
"""How many configurations a second of budget stands for where work is counted and not timed."""
_FINER = 0.4
"""By how much the step shrinks when a proof refutes what samples found free."""
_FINEST = 1e-3
"""The least step [m]."""
_LIFTED = 8
"""At how many goals that touch something it is looked whether a held part only comes to rest there."""
_FEWER = 12
"""How many shortcuts are tried on a path along the roadmap, whose edges were shortened before."""
_DIRECT = 4
"""To how many goals the direct motion is tried."""


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
    keep: bool = False,
    explain: bool = True,
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
        start: joint values to start from; where the robot stands by default.
        seed: the same seed gives the same path.
        budget: how long to search [s].
        effort: how many configurations to test at most. Work that is counted makes an answer that does not depend on
            how fast the machine is, also where nothing is found.
        planner: the name of a planner.
        constraint: what the hand must keep on its way (:mod:`workcell.planning.constraints`), or a list of these.
        limits: speeds and accelerations of the joints; those of the robot at the speed set for it by default.
        allow: pairs of names that may touch during this move.
        keep: use and keep paths of queries in this scene: faster, but the path depends on what was asked before.
        explain: whether to find out, where there is no path, what would open one; that takes more searches.
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
    _require_numbers(budget, seed)
    search = planner_named(planner)
    wanted = resolved(as_goal(goal), snapshot, state)
    here = _start(snapshot, state, robot, start)
    at_start = state.with_(joints={**state.joints, **_parts(snapshot, robot, here)})
    space = space_of(snapshot, at_start, robot, pairs_of(allow))
    most = math.inf if effort is None else effort
    query = Query(space, space.scene(), here, here[None], seed, STEP, began + budget, most, began, progress, cancel)
    rows = None if constraint is None else Rows(space, constraints_of(constraint), here)
    _require_free_start(query, rows)
    found = configurations(wanted, space, here, seed)
    if not len(found.Q):
        raise found.refused[0][1]
    ends, of = _goals(query, found, rows)
    if not len(ends):
        raise goal_blocked(query, wanted, found, rows is None)
    again = _asked(here, ends, of, limits or space.motion_limits) if keep and constraint is None else ()
    if (known := space.roadmap.plan(again)) is not None:
        return replace(known, method="roadmap", tries=(), states=int(query.counts[0]), seconds=time.monotonic() - began)
    query.scene = _eased(query)
    maker = PathMaker(query, began, limits or space.motion_limits, here, ends, of)
    _make_ready(query, maker, keep, budget)
    if rows is None:
        plan = _known(query, maker, keep) or _searched(query, maker, planner)
    else:
        plan = _along_constraints(query, maker, rows)
    if plan is None:
        raise no_path(query, budget if effort is None else effort / EFFORT, search if explain else None)
    if again:
        space.roadmap.keep(again, plan)
    return plan


_ready, _roadmap_ready = threading.Event(), threading.Event()
"""Set once the loops of a search, and those of a roadmap, are compiled or loaded in this process."""


def _make_ready(query: Query, maker: PathMaker, keep: bool, budget: float) -> None:
    """Compile or load the loops of a search, once in a process; the time of the search counts from here [s]."""
    straight = np.vstack([query.start, query.goals[0]])
    stands = np.array_equal(*straight)  # no trial can be made of no way, and no search follows
    if not stands and not _ready.is_set():
        query.look("loading the search, once")
        trial = replace(query, tries=[], effort=0.0, deadline=math.inf, progress=None)
        rrt_connect(trial)
        PathMaker(trial, maker.began, maker.limits, maker.start, maker.ends, maker.of).along(straight, "trial")
        _ready.set()
    if keep and not stands and not _roadmap_ready.is_set():
        query.look("loading the roadmap, once")
        trial = replace(query, tries=[], progress=None)
        roadmap = Roadmap(query.space.weights)
        roadmap.add(straight)
        roadmap.path(trial)
        _roadmap_ready.set()
    query.deadline = time.monotonic() + budget


def _require_free_start(query: Query, rows: Rows | None) -> None:
    """Refuse a start at which something touches; where a held part may be lifted off there, the search begins above."""
    if query.touching(query.start[None])[0]:
        off = _lifted(query, query.start, "leaving", rows)
        if off is None:
            raise start_blocked(query, rows is None)
        query.start = off


def _lifted(query: Query, q: Array, phase: Phase, rows: Rows | None) -> Array | None:
    """The place above, where a held part rests on something (n,); with constraints one where these are kept too."""
    if rows is None:
        return lifted(query, q, phase)
    if len(rows.arms) != 1 or rows.broken(q) is not None:
        return None
    off = lifted(query, q, phase)
    return None if off is None or rows.broken(off) is not None else off


def _asked(start: Array, ends: Array, of: NDArray[np.intp], limits: Limits) -> tuple[bytes, ...]:
    """What makes two questions in one space the same."""
    limited = (np.array(one, dtype=np.float64) for one in (limits.speed, limits.acceleration, limits.jerk))
    return tuple(one.tobytes() for one in (start, ends, of, *limited))


def _require_numbers(budget: object, seed: object) -> None:
    if not isinstance(budget, int | float) or not math.isfinite(budget) or budget <= 0.0:
        raise InvalidValue(f"The budget of a search must be above 0 s and finite; found {budget}.")
    require_seed(seed)


def require_seed(seed: object) -> None:
    """Refuse what is not the seed of a search."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 1 << 63:
        raise InvalidValue(
            f"The seed of a search is a whole number of 0 or more and below 2^63 = {1 << 63}; found {seed}."
        )


def _known(query: Query, maker: PathMaker, keep: bool) -> PathPlan | None:
    """The straight motion to one of the nearest goals, or a path along those of earlier queries."""
    for number in range(min(len(query.goals), _DIRECT)):
        plan = maker.direct(number)
        if plan is not None:
            return plan
    known = query.space.roadmap.path(query) if keep else None
    return None if known is None else maker.along(known, "roadmap", _FEWER)


def _searched(query: Query, maker: PathMaker, planner: str) -> PathPlan | None:
    """The plan of a search; None when the time or the work is used up."""
    search = planner_named(planner)
    while not query.late:
        query.look("searching")
        waypoints = search(query)
        if waypoints is None:
            break
        plan = maker.along(waypoints, planner)
        if plan is not None:
            return plan
        _look_closer(query)
    return None


def _look_closer(query: Query) -> None:
    """Test more samples and draw other random numbers: the proof refuted what the samples found free."""
    query.step = max(query.step * _FINER, _FINEST)
    query.seed = (query.seed * 6364136223846793005 + 1442695040888963407) % (1 << 63)


def _along_constraints(query: Query, maker: PathMaker, rows: Rows) -> PathPlan | None:
    """A plan that keeps constraints; None when the time is used up."""
    before, ends = query.goals, maker.ends
    query.goals, maker.of = constrained.kept_goals(query, rows, before, maker.of)
    same = [np.flatnonzero((before == goal).all(axis=1)) for goal in query.goals]
    maker.ends = np.array([ends[k[0]] if len(k) else goal for k, goal in zip(same, query.goals, strict=True)])
    here = np.flatnonzero(np.abs(query.goals - query.start).max(axis=1) <= 1e-6)
    if len(here) and np.array_equal(maker.start, query.start):
        return maker.direct(int(here[0]))
    while not query.late:
        query.look("searching along the constraints")
        found = constrained.search(query, rows)
        if found is None:
            return None
        points, method = found
        plan = maker.held(constrained.smoothed(query, rows, points), rows, method)
        if plan is not None:
            return plan
        _look_closer(query)
    return None


def _goals(query: Query, found: Configurations, rows: Rows | None) -> tuple[Array, NDArray[np.intp]]:
    """The free configurations of a goal, and to which goal each belongs; those to search for go into the query.

    Where a held part comes to rest at a configuration, the search goes to a place above it.
    """
    free = ~query.touching(found.Q)
    goals = found.Q.copy()
    for number in np.flatnonzero(~free)[:_LIFTED]:
        above = _lifted(query, found.Q[number], "arriving", rows)
        if above is not None:
            goals[number], free[number] = above, True
    query.goals = np.ascontiguousarray(goals[free])
    return np.asarray(found.Q[free]), np.asarray(found.of[free])


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


def _parts(snapshot: Snapshot, robot: str, q: Array) -> dict[str, Array]:
    device = snapshot.device(robot).robot
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
