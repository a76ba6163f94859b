"""Why there is no path: what start and goals touch, and what stands in the way of the search."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workcell.collision.check import Contact, check
from workcell.collision.supports import supported
from workcell.errors import GoalBlocked, NoPath, StartBlocked
from workcell.planning.goals import Configurations, Goal
from workcell.planning.lifting import held_supports
from workcell.planning.planners import Planner, Query
from workcell.planning.space import Scene, Space
from workcell.spatial.message_units import said_length
from workcell.wording import counted

Array = NDArray[np.float64]

_ROOM = 64
_LISTED = 3
"""How many things an error names."""
_UP = "move-hand {} 0,0,{}20 along world"
"""How a part is lifted off, or put down."""
_LOOK_EFFORT = 20_000
"""How many configurations are tested to find out whether a path opens when one thing is out of the way."""


def touching_pairs(space: Space, scene: Scene, q: Array) -> list[tuple[int, int, int]]:
    """The pairs of bodies, and kinds, that are too near at a configuration."""
    found = space.free_space.contacts(space.rows(q[None])[0], scene, _ROOM)
    return [(int(a), int(b), int(kind)) for a, b, kind in found]


def contacts_at(space: Space, q: Array) -> tuple[Contact, ...]:
    """What touches at a configuration, as the check finds it."""
    state = space.state_at(q)
    return check(supported(space.model, state, space.members, state), state).contacts


def start_blocked(query: Query, lift: bool = True) -> StartBlocked:
    """The error for a start at which something touches.

    Args:
        query: with the start.
        lift: whether a held part may first be lifted off what it lies on; constraints hold from the start.
    """
    space = query.space
    contacts = contacts_at(space, query.start)
    way = ("" if lift else _lift_first(space, query.start)) or _way_out(query, query.start)
    return StartBlocked(
        f"{space.robot} cannot start: {_described(query, query.start, contacts)}. {way}",
        robot=space.robot,
        pairs=tuple(one.pair for one in contacts) or _close(query, query.start),
        depth=max((one.depth for one in contacts), default=0.0),
        free=nearest_free(query, query.start),
    )


def goal_blocked(query: Query, goal: Goal, found: Configurations, lift: bool = True) -> GoalBlocked:
    """The error for goals at all of which something touches.

    Args:
        query: the search.
        goal: what was asked for.
        found: its configurations.
        lift: whether a held part may be put down at the end; constraints hold to the end.
    """
    space = query.space
    contacts = contacts_at(space, found.Q[0])
    way = ("" if lift else _lower_after(space, found.Q[0])) or _way_out(query, found.Q[0])
    ways = "" if len(found.Q) == 1 else f" in each of its {counted(len(found.Q), 'configuration')}"
    return GoalBlocked(
        f"{space.robot} touches something at {goal}{ways}: {_described(query, found.Q[0], contacts)}. {way}",
        robot=space.robot,
        pairs=tuple(one.pair for one in contacts) or _close(query, found.Q[0]),
        depth=max((one.depth for one in contacts), default=0.0),
        free=nearest_free(query, found.Q[0]),
    )


def no_path(query: Query, budget: float, search: Planner | None) -> NoPath:
    """The error for a search that found nothing: what it met most, how near it came, and what would open a path.

    Without a planner to search again with, nothing is found out about what would open a path.
    """
    space, bodies = query.space, query.space.model.bodies
    order = np.argsort(-query.met, kind="stable")
    own = set(space.members)
    met = tuple((bodies[k].name, int(query.met[k])) for k in order if query.met[k] and bodies[k].owner not in own)
    opens: tuple[str, ...] = ()
    if space.n and search is not None:
        opens = tuple(name for name, _ in met[:_LISTED] if _opened_by(query, name, search))
    blame = f" The search met {_listed([name for name, _ in met[:_LISTED]])} most." if met else ""
    if opens:
        blame += f" Without {_listed(list(opens), 'or')} there is a path."
    return NoPath(
        f"No path of {space.robot} was found in {budget:g} s.{blame} Allow more time, or move what is in the way.",
        robot=space.robot,
        obstacles=met,
        opened_by=opens,
        best=_best(query),
        tries=tuple(query.tries),
        seconds=budget,
    )


def _opened_by(query: Query, name: str, search: Planner) -> bool:
    """Whether a short search finds a path once a body is out of the way."""
    space = query.space
    place = space.model.index[name]
    ignored = frozenset((int(other), place) for other in range(len(space.model.bodies)))
    scene = space.scene(ignored=ignored)
    other = Query(
        space, scene, query.start, query.goals, query.seed, query.step, math.inf, _LOOK_EFFORT,
        cancel=query.cancel,
    )  # fmt: skip
    if not other.blocked(query.start[None], query.goals[:1])[0]:
        return True
    return search(other) is not None


def _best(query: Query) -> Array | None:
    """The way from the start to where the last search came nearest to a goal (N, n); None without one."""
    tried = next((one for one in reversed(query.tries) if len(one.nodes)), None)
    if tried is None:
        return None
    roots = np.arange(len(tried.nodes))
    for k in range(len(roots)):
        if tried.parents[k] >= 0:
            roots[k] = roots[tried.parents[k]]
    from_start = np.flatnonzero(roots == 0)
    ways = [np.abs(query.goals - tried.nodes[k]).max(axis=1).min() for k in from_start]
    at, rows = int(from_start[int(np.argmin(ways))]), []
    while at >= 0:
        rows.append(tried.nodes[at])
        at = int(tried.parents[at])
    return np.array(rows[::-1])


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
    return f"Free joint values nearby are {values}."


def _lift_first(space: Space, q: Array) -> str:
    """What to do where a held part lies on something at the start; '' where none does."""
    lies = held_supports(space, q, "leaving") if space.has_hand else ()
    if not lies:
        return ""
    return (
        f"{lies[0].part} lies on {lies[0].base}, and no way off it keeps the constraints: "
        f"lift it first, such as by `{_UP.format(space.arm, '')}`."
    )


def _lower_after(space: Space, q: Array) -> str:
    """What to do where a held part comes to lie on something at the goal; '' where none does."""
    lies = held_supports(space, q, "arriving") if space.has_hand else ()
    if not lies:
        return ""
    return (
        f"{lies[0].part} would lie on {lies[0].base}, and no way onto it keeps the constraints: "
        f"give a goal above it, and put it down afterwards, such as by `{_UP.format(space.arm, '-')}`."
    )


def _close(query: Query, q: Array) -> tuple[tuple[str, str], ...]:
    """The pairs that are nearer than can be proved free, by name."""
    bodies = query.space.model.bodies
    return tuple((bodies[a].name, bodies[b].name) for a, b, _ in touching_pairs(query.space, query.scene, q))


def _described(query: Query, q: Array, contacts: tuple[Contact, ...]) -> str:
    if not contacts:
        some = [f"{a} is too close to {b} to prove that they do not touch" for a, b in _close(query, q)[:_LISTED]]
        return "; ".join(some) or "something is too close to prove that nothing touches"
    parts = []
    for one in contacts[:_LISTED]:
        depth = one.depth
        parts.append(f"{one} by {said_length(depth, 3)}" if depth > 0.0 else str(one))
    more = len(contacts) - _LISTED
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def _listed(names: list[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
