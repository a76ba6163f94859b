"""Paths of several robots at once: each beside those that were planned before it, in the order that ends soonest."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workcell.collision.bodies import collision_model
from workcell.collision.certify import certify
from workcell.collision.proof import Free
from workcell.collision.supports import going, supported
from workcell.collision.zones import pair_table_of, zones_of
from workcell.errors import InvalidValue, NoPath, Refused, UnknownName
from workcell.motion.chained import JointMotion
from workcell.motion.trajectory import Trajectory
from workcell.planning.find_path import EFFORT, find_path
from workcell.planning.others import Others
from workcell.planning.path_beside import by_member, find_path_beside
from workcell.planning.path_plan import PathPlan
from workcell.planning.space import Allowed, allowed_pairs
from workcell.wording import joined
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

_MOST_ORDERS = 24
"""How many orders are tried at most."""
_STALE = 6
"""How many orders in a row may bring nothing better; all orders of three robots are tried."""
_ENOUGH = 1.02
"""A plan that takes no longer than this share of the slowest robot alone is good enough to stop looking."""
_TIGHTNESS = 0.2
_TESTS = 2_000_000


@dataclass(frozen=True, eq=False)
class PlanTogether:
    """Motions of several robots that start together, proved free as a whole.

    Attributes:
        plans: the plan of each robot, in the order asked for.
        motions: joint values over time by robot or machine, all of the same duration.
        order: who was planned first; those after it give way to those before.
        proof: about all motions over time.
        duration: when the last one is at its goal [s].
        alone: how long the slowest one would take alone [s]; no plan with these ways is shorter.
        in_turn: how long they would take one after the other [s].
        orders: how many orders were tried.
        seconds: how long the search took [s].
    """

    plans: Mapping[str, PathPlan]
    motions: Mapping[str, Trajectory]
    order: tuple[str, ...]
    proof: Free
    duration: float
    alone: float
    in_turn: float
    orders: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{joined(list(self.plans))} get there together in {self.duration:.4g} s "
            f"({self.in_turn:.4g} s one after the other); {self.order[0]} goes first. {self.proof}"
        )


def find_paths(
    snapshot: Snapshot,
    state: CellState,
    goals: Mapping[str, object],
    *,
    priorities: Mapping[str, int] | Sequence[str] | None = None,
    beside: Mapping[str, JointMotion] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    budget: float = 2.0,
    effort: int | None = None,
    allow: Allowed = (),
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PlanTogether:
    """Find motions of several robots to their goals that start together, proved free as a whole.

    Each robot is planned beside those before it and gives way to them. All orders of up to three robots are tried; of
    more, until six in a row bring nothing better. The motions that end soonest are kept. Work is counted, not timed, so
    the same seed gives the same motions.

    Args:
        snapshot: what exists.
        state: where everything is.
        goals: the goal of each robot or machine, as for :func:`workcell.planning.find_path.find_path`.
        priorities: who goes first: names in their order, or a number for each robot, the least first; robots with the
            same number, or without one, are tried in all orders.
        beside: motions of other robots that are decided.
        options: for each robot further options of ``find_path``: planner, constraint, limits, start.
        seed: the same seed gives the same motions.
        budget: how much to search for each path [s of a fast machine].
        effort: how many configurations to test at most for each path.
        allow: pairs of names that may touch during these moves.
        progress: called with the share that is done and a label.
        cancel: set to stop.

    Raises:
        NoPath: some robot has no motion, whatever the order; the error is that of the order that came farthest.
    """
    began = time.monotonic()
    work = int(budget * EFFORT) if effort is None else effort
    _require(snapshot, goals)
    ranks = _ranks(goals, priorities)
    members = [name for robot in goals for name in snapshot.members(robot)]
    others = Others.of(snapshot, state, beside or {}, members)
    search = _Search(
        snapshot, state, goals, others, {name: dict(one) for name, one in (options or {}).items()}, seed, work,
        tuple(allow), progress, cancel,
    )  # fmt: skip
    orders = list(_orders(search.longest_first(), ranks))
    stale = 0
    for number, order in enumerate(orders):
        if progress is not None:
            progress(number / len(orders), f"{order[0]} first")
        search.tried += 1
        before = search.best
        search.extend(order)
        stale = 0 if search.best is not before or search.best is None else stale + 1
        if stale >= _STALE:
            break
        if search.best is not None and search.best.duration <= _ENOUGH * search.alone:
            break
    if search.best is None:
        assert search.refusal is not None
        raise search.refusal[1]
    best = search.best
    plans = {name: best.plans[name] for name in goals}
    motions = {name: plan.trajectory.held(best.duration - plan.duration) for name, plan in plans.items()}
    return PlanTogether(
        plans, motions, tuple(best.plans), best.proof, best.duration, search.alone, search.in_turn, search.tried,
        time.monotonic() - began,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Whole:
    """Plans of all robots, in the order in which they were made."""

    plans: Mapping[str, PathPlan]
    proof: Free
    duration: float


@dataclass(eq=False)
class _Search:
    """The orders tried so far; plans of orders that begin alike are made once."""

    snapshot: Snapshot
    state: CellState
    goals: Mapping[str, object]
    others: Others
    options: dict[str, dict[str, Any]]
    seed: int
    effort: int
    allow: tuple[tuple[str, str], ...]
    progress: Callable[[float, str], None] | None
    cancel: threading.Event | None
    best: _Whole | None = None
    refusal: tuple[int, NoPath] | None = None
    tried: int = 0
    _known: dict[tuple[str, ...], PathPlan | None] = field(default_factory=dict)
    _alone: dict[str, float] = field(default_factory=dict)

    @property
    def alone(self) -> float:
        """How long the slowest robot takes alone [s]."""
        return max(self._alone.values())

    @property
    def in_turn(self) -> float:
        """How long they take one after the other [s]."""
        return sum(self._alone.values())

    def longest_first(self) -> list[str]:
        """The robots, those that take longest alone first; also refuses goals that cannot be reached at all."""
        for robot in self.goals:
            plan = self._way(robot, {}, [name for name in self.goals if name != robot], through=True)
            self._alone[robot] = plan.duration
        return sorted(self.goals, key=lambda name: -self._alone[name])

    def extend(self, order: Sequence[str]) -> None:
        """Plan in an order; keep the result if it ends sooner than the best."""
        plans: dict[str, PathPlan] = {}
        for place, robot in enumerate(order):
            plan = self._planned(tuple(order[: place + 1]), plans, order[place + 1 :])
            if plan is None:
                return
            plans[robot] = plan
            if self.best is not None and plan.duration >= self.best.duration - 1e-9:
                return
        duration = max(plan.duration for plan in plans.values())
        proof = self._proof(plans)
        if isinstance(proof, Free):
            self.best = _Whole(plans, proof, duration)

    def _planned(self, prefix: tuple[str, ...], plans: Mapping[str, PathPlan], later: Sequence[str]) -> PathPlan | None:
        """The plan of the last robot of a prefix: around those still to come where they stand, or else through them."""
        if prefix not in self._known:
            self._known[prefix] = None
            for through in (False, True):
                try:
                    self._known[prefix] = self._way(prefix[-1], plans, later, through)
                    break
                except NoPath as error:
                    if self.refusal is None or len(prefix) > self.refusal[0]:
                        self.refusal = len(prefix), error
                    if not later:
                        break
        return self._known[prefix]

    def _way(self, robot: str, plans: Mapping[str, PathPlan], later: Sequence[str], through: bool) -> PathPlan:
        given = self.options.get(robot, {})
        allow = (*self.allow, *(self._pairs(robot, later) if through else ()))
        beside: dict[str, JointMotion] = dict(self.others.motions)
        for name, plan in plans.items():
            beside |= by_member(self.snapshot, name, plan.trajectory)
        common: dict[str, Any] = {
            "seed": self.seed, "effort": self.effort, "allow": allow, "cancel": self.cancel, **given
        }  # fmt: skip
        if beside:
            return find_path_beside(self.snapshot, self.state, robot, self.goals[robot], beside, **common)
        return find_path(self.snapshot, self.state, robot, self.goals[robot], budget=1e6, **common)

    def _pairs(self, robot: str, later: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs of a robot and those that are still to be planned, and of what they carry."""
        model = collision_model(self.snapshot, warn=False)
        owners = {body.name: body.owner if body.is_link else body.name for body in model.bodies}

        def names(robots: Sequence[str]) -> list[str]:
            members = [name for one in robots for name in self.snapshot.members(one)]
            return sorted({owners[body] for body in going(model, self.state, members)})

        mine = names([robot])
        return [(one, other) for one in mine for other in names(later) if other not in mine] if later else []

    def _proof(self, plans: Mapping[str, PathPlan]) -> Any:
        """The proof of all motions together."""
        motions: dict[str, JointMotion] = dict(self.others.motions)
        for name, plan in plans.items():
            motions |= by_member(self.snapshot, name, plan.trajectory)
        motions = {name: motion for name, motion in motions.items() if motion.duration > 0.0}
        if not motions:
            return Free(math.inf, None, 0.0, math.inf, 0)
        pairs = allowed_pairs(pair_table_of(self.snapshot), self.allow)
        model = collision_model(self.snapshot, pairs, zones=zones_of(self.snapshot), warn=False)
        ends = {name: motion.end for name, motion in motions.items()}
        starts = {name: motion.start for name, motion in motions.items()}
        start = self.state.with_(joints={**self.state.joints, **starts})
        asked = supported(model, start, list(motions), start.with_(joints={**start.joints, **ends}))
        return certify(asked, motions, start, tightness=_TIGHTNESS, most_tests=_TESTS, cancel=self.cancel)


def _require(snapshot: Snapshot, goals: Mapping[str, object]) -> None:
    """Refuse unknown robots, and robots that are named twice: by themselves and as members of a machine."""
    if not goals:
        raise InvalidValue("There is no goal; give one for each robot that is to move.")
    known = [*(one.name for one in snapshot.robots), *(one.name for one in snapshot.machines)]
    used: dict[str, str] = {}
    for robot in goals:
        if robot not in known:
            raise UnknownName.among("robot", robot, known)
        for member in snapshot.members(robot):
            if member in used:
                raise Refused(
                    f"{member} has two goals: {used[member]!r} and {robot!r} both move it. Give a goal to one of them.",
                    robot=member,
                )
            used[member] = robot


def _ranks(goals: Mapping[str, object], priorities: Mapping[str, int] | Sequence[str] | None) -> dict[str, int]:
    """The rank of each robot; the least goes first."""
    if priorities is None:
        return dict.fromkeys(goals, 0)
    names = list(priorities)
    for name in names:
        if name not in goals:
            raise UnknownName.among("robot with a goal", name, goals)
    if not isinstance(priorities, Mapping):
        if len(set(names)) < len(names):
            raise InvalidValue(f"Each robot has one priority; found {', '.join(names)}.")
        return {name: names.index(name) if name in names else len(names) for name in goals}
    for name, rank in priorities.items():
        if isinstance(rank, bool) or not isinstance(rank, int | np.integer):
            raise InvalidValue(f"A priority is a whole number; found {rank} for {name}.", robot=name)
    lowest = max([0, *priorities.values()]) + 1
    return {name: int(priorities.get(name, lowest)) for name in goals}


def _orders(names: Sequence[str], ranks: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Orders that keep the ranks: all of them, or the first ones where there are too many."""
    groups = [[name for name in names if ranks[name] == rank] for rank in sorted(set(ranks.values()))]
    every = (
        tuple(itertools.chain.from_iterable(parts))
        for parts in itertools.product(*(itertools.permutations(group) for group in groups))
    )
    return itertools.islice(every, _MOST_ORDERS)
