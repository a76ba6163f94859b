"""A path to a goal beside others that move: proved free of them over time, with waits where they are needed.

Ways come from the search among things that stand still: without the others, with the others at the ends of their
motions, at their starts, or in between. Along each way the soonest motion is found (:mod:`workcell.planning.tuning`)
and proved. The soonest of all is the plan.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.certify import certify
from workcell.collision.proof import Free
from workcell.collision.supports import going, supported
from workcell.cost import go_on
from workcell.errors import GoalBlocked, NoPath, StartBlocked
from workcell.motion.chained import JointMotion
from workcell.motion.limits import Limits
from workcell.motion.stacking import columns
from workcell.motion.trajectory import Trajectory
from workcell.planning.blocking import goal_taken, no_motion, touching_of
from workcell.planning.find_path import EFFORT, find_path
from workcell.planning.goals import JointGoal
from workcell.planning.others import Others
from workcell.planning.path_plan import PathPlan
from workcell.planning.planners import DEFAULT
from workcell.planning.space import Allowed, Space, pairs_of, space_of
from workcell.planning.tuning import Crossing, Tuned
from workcell.robots.machine import Machine
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

_PADDINGS = (0.03, 0.012, 0.003)
"""How far apart the grid keeps robots beyond what is required, one after the other until a motion is found [m]."""
_REFUTED = 10
"""How often a motion is looked for again after a proof refuted it."""
_BETWEEN = (0.5, 0.25, 0.75)
"""At which shares of their motions the others are looked at as standing still."""
_ENOUGH = 1.02
"""A motion that takes no longer than this share of the fastest way is good enough to stop looking."""
_SHELTERS = 4
"""How many places to give way to are tried."""
_DRAWS = 256
_TIGHTNESS = 0.2
_TESTS = 800_000


@dataclass(frozen=True, eq=False)
class PlanBeside(PathPlan):
    """A path beside others that move; its proof is about all of them over time.

    Attributes:
        beside: the robots that move meanwhile.
        waits: where it waits: from when, and how long [s].
        slowed: how many stretches are slower than possible.
        alone: how long the motion would take without the others [s].
    """

    beside: tuple[str, ...] = ()
    waits: tuple[tuple[float, float], ...] = ()
    slowed: int = 0
    alone: float = 0.0

    @property
    def waited(self) -> float:
        """How long it waits in all [s]."""
        return sum(seconds for _, seconds in self.waits)


@dataclass(eq=False)
class _Asked:
    """A question for a motion beside others."""

    snapshot: Snapshot
    state: CellState
    robot: str
    goal: object
    others: Others
    options: dict[str, Any]
    space: Space
    start: Array
    limits: Limits
    effort: int
    cancel: threading.Event | None
    crossings: list[Crossing] = field(default_factory=list)
    refusals: list[NoPath] = field(default_factory=list)

    def way(
        self, state: CellState, goal: object, effort: int, allow: Allowed = (), start: Array | None = None
    ) -> PathPlan | None:
        """A path among things that stand still; None where there is none."""
        allowed = (*self.options["allow"], *allow)
        options = {**self.options, "allow": allowed, "effort": effort, "start": self.start if start is None else start}
        go_on(self.cancel, "The search for a path")
        try:
            return find_path(self.snapshot, state, self.robot, goal, cancel=self.cancel, **options)
        except NoPath as error:
            self.refusals.append(error)
            return None


def find_path_beside(
    snapshot: Snapshot,
    state: CellState,
    robot: str,
    goal: object,
    beside: Mapping[str, JointMotion],
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
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PlanBeside:
    """Find a motion of a robot to a goal beside others whose motions are decided, proved free of contacts.

    It waits, goes slower or goes around them; it is within the limits of the robot. Work is counted, not timed.

    Args:
        snapshot: what exists.
        state: where everything is when all motions begin.
        robot: the name of the robot or machine.
        goal: as for :func:`workcell.planning.find_path.find_path`.
        beside: the motions of the others by robot; each stands at its end afterwards.
        start: joint values to start from; where the robot stands by default.
        seed: the same seed gives the same motion.
        budget: how much to search [s of a fast machine].
        effort: how many configurations to test at most in each search for a way.
        planner: the name of a planner.
        constraint: what the hand must keep on its way.
        limits: speeds and accelerations of the joints.
        allow: pairs of names that may touch during this move.
        keep: use the paths of earlier queries.
        progress: called with the share that is done and a label.
        cancel: set to stop.

    Raises:
        BlockedByMotion: the others are in the way all the time.
        NoPath, GoalBlocked, StartBlocked: as for a path among things that stand still.
    """
    began = time.monotonic()
    members = snapshot.members(robot)
    others = Others.of(snapshot, state, beside, members)
    device = snapshot.device(robot).robot
    if start is None:
        start = np.concatenate([state.joints.get(name, snapshot.robot(name).robot.home) for name in members])
    here = np.array(device.checked(start))
    parts = device.parts(here) if isinstance(device, Machine) else {robot: here}
    state = state.with_(joints={**state.joints, **parts})
    space = space_of(snapshot, state, robot, pairs_of(allow))
    options: dict[str, Any] = {
        "seed": seed, "planner": planner, "constraint": constraint, "allow": pairs_of(allow), "keep": keep,
        "limits": limits, "budget": 1e6,
    }  # fmt: skip
    asked = _Asked(
        snapshot, state, robot, goal, others, options, space, here, limits or space.motion_limits,
        int(budget * EFFORT) if effort is None else effort, cancel,
    )  # fmt: skip
    best, fastest = _best(asked, progress)
    if best is None:
        raise no_motion(robot, asked.crossings, asked.refusals)
    way, tuned, proof = best
    return PlanBeside(
        robot, way.waypoints, way.path, tuned.trajectory, proof, way.tries, way.goal, time.monotonic() - began,
        way.states, way.method, way.kept, others.names, tuned.waits, tuned.slowed, fastest,
    )  # fmt: skip


_Found = tuple[PathPlan, Tuned, Free]


def _best(asked: _Asked, progress: Callable[[float, str], None] | None) -> tuple[_Found | None, float]:
    """The soonest motion of all ways that were tried, and how long the fastest way takes alone [s]."""
    best: _Found | None = None
    fastest = math.inf
    tried: list[Array] = []
    for number, way in enumerate(_ways(asked)):
        if any(len(one) == len(way.waypoints) and np.allclose(one, way.waypoints, atol=1e-9) for one in tried):
            continue
        tried.append(way.waypoints)
        if progress is not None:
            progress(min(0.2 * number, 0.9), "looking for the soonest motion")
        fastest = min(fastest, way.duration)
        bound = math.inf if best is None else best[1].trajectory.duration
        if way.duration >= bound:
            continue
        found = _timed(asked, way)
        if found is not None and found[1].trajectory.duration < bound:
            best = found
        if best is not None and best[1].trajectory.duration <= _ENOUGH * fastest:
            break
    if best is None and asked.options["constraint"] is None:
        for way in _giving_way(asked):
            best = _timed(asked, way)
            if best is not None:
                break
    return best, fastest


def _ways(asked: _Asked) -> Iterator[PathPlan]:
    """Ways to the goal, each the result of a search among things that stand still."""
    others, state = asked.others, asked.state
    goal: object = asked.goal
    blocked = len(asked.refusals)
    at_end = asked.way(others.ended(state), goal, asked.effort)
    if at_end is not None:
        goal = JointGoal(at_end.waypoints[-1])
    else:
        refusal = asked.refusals[blocked]
        if isinstance(refusal, GoalBlocked):
            raise goal_taken(refusal, asked.space, others)
        if isinstance(refusal, StartBlocked) and not _concerns(asked, refusal):
            raise refusal
    through = asked.way(state, goal, asked.effort // 4, _ignoring(asked))
    if through is not None:
        yield through
    if at_end is not None:
        yield at_end
    for share in (0.0, *_BETWEEN):
        way = asked.way(others.state_at(state, share * others.duration), goal, asked.effort // 4)
        if way is not None:
            yield way


def _concerns(asked: _Asked, refusal: NoPath) -> bool:
    """Whether a refusal is about one of the others."""
    theirs = going(asked.space.model, asked.state, asked.others.names)
    return any({*pair} & theirs for pair in touching_of(refusal))


def _ignoring(asked: _Asked) -> tuple[tuple[str, str], ...]:
    """The pairs between the one and the others, so that a way is found as if the others were not there."""
    model, state = asked.space.model, asked.state
    owners = {body.name: body.owner if body.is_link else body.name for body in model.bodies}
    mine = sorted({owners[name] for name in going(model, state, asked.space.members)})
    theirs = sorted({owners[name] for name in going(model, state, asked.others.names)} - set(mine))
    return tuple((one, other) for one in mine for other in theirs)


def _giving_way(asked: _Asked) -> Iterator[PathPlan]:
    """Ways over a place at which none of the others ever comes by, for a robot that stands in their way."""
    ignoring = _ignoring(asked)
    for shelter in _shelters(asked):
        first = asked.way(asked.state, JointGoal(shelter), asked.effort // 4, ignoring)
        second = asked.way(asked.others.ended(asked.state), asked.goal, asked.effort // 4, start=shelter)
        if first is None or second is None or first.path is None or second.path is None:
            continue
        path = first.path.then(second.path)
        waypoints = np.vstack([first.waypoints, second.waypoints[1:]])
        yield replace(second, waypoints=waypoints, path=path, states=first.states + second.states)


def _shelters(asked: _Asked) -> Sequence[Array]:
    """Configurations near the start that nobody comes near at any time, the nearest first (n,) each."""
    space = asked.space
    rng = np.random.default_rng(asked.options["seed"])
    box = space.box(asked.start[None])
    draws = []
    for size in (0.3, 0.8, 2.0):
        around = asked.start + rng.uniform(-1.0, 1.0, (_DRAWS // 3, space.n)) * size / np.maximum(space.weights, 0.1)
        draws.append(np.clip(around, box[:, 0], box[:, 1]))
    Q = np.vstack(draws)
    Q = Q[np.argsort(np.abs(Q - asked.start) @ space.weights, kind="stable")]
    found: list[Array] = []
    quiet = Crossing(space, None, asked.start, asked.others, _PADDINGS[0], asked.limits)
    for q in Q[quiet.untouched(Q)]:
        if all(np.abs(q - other) @ space.weights > 0.1 for other in found):
            found.append(q)
        if len(found) == _SHELTERS:
            break
    return found


def _timed(asked: _Asked, way: PathPlan) -> _Found | None:
    """The soonest motion along a way that is proved free; None where there is none."""
    crossing = Crossing(asked.space, way.path, asked.start, asked.others, _PADDINGS[0], asked.limits)
    asked.crossings.append(crossing)
    for number, padding in enumerate(_PADDINGS):
        if number:
            crossing.pad(padding)
        for _ in range(_REFUTED):
            tuned = crossing.soonest()
            if tuned is None:
                break
            proof = _proof(asked, tuned.trajectory)
            if isinstance(proof, Free):
                return way, tuned, proof
            crossing.mark(tuned, proof.last_free)
    return None


def _proof(asked: _Asked, trajectory: Trajectory) -> Any:
    space, others = asked.space, asked.others
    motions: dict[str, JointMotion] = {**others.motions, **by_member(space.snapshot, space.robot, trajectory)}
    motions = {name: motion for name, motion in motions.items() if motion.duration > 0.0}
    if not motions:
        return Free(math.inf, None, 0.0, math.inf, 0)
    start = space.state_at(asked.start)
    end = others.ended(space.state_at(trajectory.end))
    model = supported(space.model, start, space.members, end)
    return certify(model, motions, start, tightness=_TIGHTNESS, most_tests=_TESTS, cancel=asked.cancel)


def by_member(snapshot: Snapshot, robot: str, trajectory: Trajectory) -> dict[str, Trajectory]:
    """The motion of each robot that moves: of a machine, those of its members."""
    device = snapshot.device(robot).robot
    if not isinstance(device, Machine):
        return {robot: trajectory}
    return {name: columns(trajectory, place.start, place.stop) for name, place in device.slices}
