"""The planners of OMPL by name (``ompl:RRTConnect``), where it is installed: each edge is one call into our edge test.

OMPL draws its random numbers from generators that it seeds as they are made. So the seed of the query is set first, and
everything else is made after it: the same seed gives the same path.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import MissingDependency, UnknownName
from workcell.planning.path_plan import Try

if TYPE_CHECKING:
    from workcell.planning.planners import Planner, Query

Array = NDArray[np.float64]

PREFIX = "ompl:"
_THREADED = ("PRM", "PRMstar")
"""Planners that call back from threads of their own: their paths do not come again."""
_SEEDS = (1 << 32) - 1
_MET = 1e-6
"""How near a goal the end of a path must be, weighted [m]."""


def ompl_names() -> tuple[str, ...]:
    """The planners of OMPL, with the prefix; none where it is not installed."""
    if find_spec("ompl") is None:
        return ()
    base, geometric = import_module("ompl.base"), import_module("ompl.geometric")
    kinds = ((name, getattr(geometric, name)) for name in dir(geometric) if name not in _THREADED)
    return tuple(PREFIX + name for name, kind in kinds if isinstance(kind, type) and issubclass(kind, base.Planner))


def ompl_planner(name: str) -> Planner:
    """The planner of a name with the prefix."""
    if find_spec("ompl") is None:
        raise MissingDependency(
            f"The planner {name!r} needs OMPL, which is not installed: pip install ompl. "
            "The planner 'rrt-connect' needs nothing."
        )
    known = ompl_names()
    if name not in known:
        short, names = name.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in known]
        advice = f"Its name is typed after {PREFIX!r}."
        raise UnknownName.among("planner of OMPL", short, names, advice, most=len(known))
    return lambda query: _solved(query, name)


def _solved(query: Query, name: str) -> Array | None:
    """Waypoints that a planner of OMPL found, or None when the time is used up."""
    base, geometric, util = (import_module(f"ompl.{part}") for part in ("base", "geometric", "util"))
    level = util.getLogLevel()
    util.setLogLevel(util.LOG_NONE)
    try:
        util.RNG.setSeed(query.seed % _SEEDS + 1)
        problem = _Problem(query, base)
        points = problem.solved(getattr(geometric, name.removeprefix(PREFIX)))
        problem.asked.clear()
    finally:
        util.setLogLevel(level)
    query.look("OMPL is done")
    outcome = "the time was used up" if points is None else "a path was found"
    nodes = np.empty((0, query.space.n)) if points is None else points
    query.tries.append(Try(name, outcome, nodes, np.arange(-1, len(nodes) - 1, dtype=np.int32)))
    return points


class _Problem:
    """A query in the terms of OMPL. Its coordinates are joint values times their weights.

    What OMPL calls back holds the list ``asked`` and not the problem: a circle through OMPL would never be freed.
    """

    def __init__(self, query: Query, base: Any) -> None:
        self.query, self.base, self.weights = query, base, query.space.weights
        box = query.space.box(np.vstack([query.start[None], query.goals])) * self.weights[:, None]
        self.space = base.RealVectorStateSpace(query.space.n)
        bounds = base.RealVectorBounds(query.space.n)
        for j, (low, high) in enumerate(box.tolist()):
            bounds.setLow(j, low)
            bounds.setHigh(j, high)
        self.space.setBounds(bounds)
        self.information = base.SpaceInformation(self.space)
        self.asked = asked = [self]
        self.information.setStateValidityChecker(lambda state: asked[0].free(state))  # noqa: PLW0108 (no circle)
        self.information.setMotionValidator(_validator(base)(self.information, asked))
        self.information.setup()

    def joints(self, state: Any) -> Array:
        """The joint values (n,) of a state of OMPL."""
        return np.array([state[j] for j in range(len(self.weights))]) / self.weights

    def free(self, state: Any) -> bool:
        """Whether a state touches nothing."""
        return not self.query.touching(self.joints(state)[None])[0]

    def reaches(self, first: Any, second: Any) -> bool:
        """Whether a state, and the edge to it from a free one, touch nothing."""
        return self.query.reaches(self.joints(first), self.joints(second))

    def _state(self, q: Array) -> Any:
        state = self.space.allocState()
        for j, value in enumerate((q * self.weights).tolist()):
            state[j] = value
        return state

    def solved(self, kind: Any) -> Array | None:
        """Waypoints (N, n) from the start to a goal, as the first solution of a planner has them."""
        base, query = self.base, self.query
        definition = base.ProblemDefinition(self.information)
        definition.addStartState(self._state(query.start))
        goals = base.GoalStates(self.information)
        for goal in query.goals:
            goals.addState(self._state(goal))
        definition.setGoal(goals)
        objective = base.PathLengthOptimizationObjective(self.information)
        # Any solution is good enough: the path is shortened afterwards.
        objective.setCostThreshold(objective.infiniteCost())
        definition.setOptimizationObjective(objective)
        planner = kind(self.information)
        planner.setProblemDefinition(definition)
        planner.setup()

        def ended() -> bool:
            return query.late or (query.cancel is not None and query.cancel.is_set())

        planner.solve(
            base.plannerOrTerminationCondition(
                base.PlannerTerminationCondition(ended), base.exactSolnPlannerTerminationCondition(definition)
            )
        )
        if not definition.hasExactSolution():
            return None
        points = np.array([self.joints(state) for state in definition.getSolutionPath().getStates()])
        ways = np.linalg.norm((query.goals - points[-1]) * self.weights, axis=1)
        if ways.min() > _MET:
            return None
        points[0], points[-1] = query.start, query.goals[int(ways.argmin())]
        return points


@cache
def _validator(base: Any) -> Any:
    """The class whose instances answer for edges. OMPL takes the start of an edge to be free."""

    class Validator(base.MotionValidator):  # type: ignore[misc]
        def __init__(self, information: Any, asked: list[_Problem]) -> None:
            super().__init__(information)
            self.asked = asked

        def checkMotion(self, first: Any, second: Any, *_: Any) -> bool:
            return self.asked[0].reaches(first, second)

    return Validator
