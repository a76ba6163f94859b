"""Why there is no path: what start and goals touch, and what stands in the way of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.check import Contact, check
from workcell.collision.supports import supported
from workcell.errors import GoalBlocked, NoPath, StartBlocked
from workcell.planning.goals import Configurations, Goal
from workcell.planning.space import Scene, Space
from workcell.wording import counted

if TYPE_CHECKING:
    from workcell.planning.planners import Query

Array = NDArray[np.float64]

_ROOM = 64
_LISTED = 3
"""How many things an error names."""


def touching_pairs(space: Space, scene: Scene, q: Array) -> list[tuple[int, int, int]]:
    """The pairs of bodies, and kinds, that are too near at a configuration."""
    found = space.free_space.contacts(space.rows(q[None])[0], scene, _ROOM)
    return [(int(a), int(b), int(kind)) for a, b, kind in found]


def contacts_at(space: Space, q: Array) -> tuple[Contact, ...]:
    """What touches at a configuration, as the check finds it."""
    state = space.state_at(q)
    return check(supported(space.model, state, space.members, state), state).contacts


def start_blocked(query: Query) -> StartBlocked:
    """The error for a start at which something touches."""
    space = query.space
    contacts = contacts_at(space, query.start)
    return StartBlocked(
        f"{space.robot} cannot start: {_told(contacts)}. {_way_out(query, query.start)}",
        robot=space.robot,
        pairs=tuple(one.pair for one in contacts),
        depth=max((one.depth for one in contacts), default=0.0),
        free=nearest_free(query, query.start),
    )


def goal_blocked(query: Query, goal: Goal, found: Configurations) -> GoalBlocked:
    """The error for goals at all of which something touches."""
    space = query.space
    contacts = contacts_at(space, found.Q[0])
    ways = "" if len(found.Q) == 1 else f" in each of its {counted(len(found.Q), 'configuration')}"
    return GoalBlocked(
        f"{space.robot} touches something at {goal}{ways}: {_told(contacts)}. {_way_out(query, found.Q[0])}",
        robot=space.robot,
        pairs=tuple(one.pair for one in contacts),
        depth=max((one.depth for one in contacts), default=0.0),
        free=nearest_free(query, found.Q[0]),
    )


def no_path(query: Query, budget: float) -> NoPath:
    """The error for a search that found nothing in its time."""
    names = query.space.model.bodies
    order = np.argsort(-query.met, kind="stable")
    met = tuple((names[k].name, int(query.met[k])) for k in order if query.met[k])
    blame = f" The search met {_listed([name for name, _ in met[:_LISTED]])} most." if met else ""
    return NoPath(
        f"No path of {query.space.robot} was found in {budget:g} s.{blame} Allow more time, or move it away.",
        robot=query.space.robot,
        obstacles=met,
        tries=tuple(query.tries),
        seconds=budget,
    )


def nearest_free(query: Query, q: Array, draws: int = 512) -> Array | None:
    """A free configuration near another (n,), the nearest of those looked at; None when none is found."""
    space = query.space
    rng = np.random.default_rng(0)
    box = space.box(q[None])
    for size in (0.02, 0.1, 0.4, 1.6):
        around = q + rng.uniform(-1.0, 1.0, (draws, space.n)) * size / np.maximum(space.weights, 0.1)
        around = np.clip(around, box[:, 0], box[:, 1])
        free = around[~query.touching(around)]
        if len(free):
            best = free[int(((free - q) ** 2 * space.weights**2).sum(axis=1).argmin())]
            # Back towards the place itself, as far as it stays free.
            shares = np.linspace(0.0, 1.0, 65)[:, None]
            line = best + shares * (q - best)
            blocked = np.flatnonzero(query.touching(line))
            return np.asarray(line[max(int(blocked[0]) - 1, 0)] if len(blocked) else line[-1])
    return None


def _way_out(query: Query, q: Array) -> str:
    free = nearest_free(query, q)
    if free is None:
        return "No free configuration was found nearby; move what it touches away."
    values = ",".join(
        f"{value * (180.0 / np.pi if turns else 1e3):.6g}" for value, turns in zip(free, query.space.turns, strict=True)
    )
    return f"The nearest free joint values are {values}."


def _told(contacts: tuple[Contact, ...]) -> str:
    if not contacts:
        return "things come nearer there than can be proved free"
    parts = []
    for one in contacts[:_LISTED]:
        depth = one.depth
        parts.append(f"{one} by {depth * 1e3:.3g} mm" if depth > 0.0 else str(one))
    more = len(contacts) - _LISTED
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
