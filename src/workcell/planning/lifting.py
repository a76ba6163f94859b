"""Parts in the hand that rest on something at the start or at the goal: the way off it, and onto it.

A part that rests touches what it lies on. The hand first goes a little way straight off that, and the search begins
where the part is clear; the same at the goal, the other way round. The proof of the whole path lets the part touch its
support until it is first clear of it, and from when it last is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.collision.pairs import Phase, Support
from workcell.collision.supports import going, supports_of
from workcell.errors import Unreachable
from workcell.planning.hand_solutions import solutions
from workcell.planning.planners import Query
from workcell.planning.space import Places, Space

Array = NDArray[np.float64]

_LIFTS = (0.01, 0.03, 0.08, 0.15)
"""How far a part is moved off what it rests on [m]; the first that is clear is taken."""
_NEAR = 1.5
"""A joint that would move by more stands in another branch [rad or m]."""


def held_supports(space: Space, q: Array, phase: Phase) -> tuple[Support, ...]:
    """What the parts that the robot holds rest on at joint values (n,)."""
    state = space.state_at(q)
    moving = going(space.model, state, space.members)
    parts = [name for name in sorted(state.attached) if name in moving and not space.model.body(name).is_link]
    return tuple(one for part in parts for one in supports_of(space.model, state, part, phase))


def lifted(query: Query, q: Array, phase: Phase) -> Array | None:
    """A free configuration straight off what held parts rest on (n,); None where they rest on nothing, or none is."""
    space = query.space
    supports = held_supports(space, q, phase) if space.has_hand else ()
    if not supports:
        return None
    index = space.model.index
    ignored: Places = frozenset((index[one.part], index[one.base]) for one in supports)
    relaxed = space.scene(ignored=ignored)
    if query.touching(q[None], relaxed)[0]:
        return None
    for far in _LIFTS:
        X = np.array(space.hand(q).matrix)
        X[:3, 3] += far * _way(space, q, supports)
        try:
            rows = solutions(space, X[None], q, "the place above")
        except Unreachable:
            continue
        for row in rows[:3]:
            if np.abs(row - q).max() > _NEAR or query.touching(row[None])[0]:
                continue
            if not query.blocked(q[None], row[None], relaxed)[0]:
                return np.asarray(row)
    return None


def _way(space: Space, q: Array, supports: Sequence[Support]) -> Array:
    """The direction off all supports in the world (3,)."""
    poses = space.arrangement.placed(space.state_at(q))
    total = np.zeros(3)
    for one in supports:
        base = poses[space.arrangement.frame[space.model.index[one.base]]]
        total += base[:9].reshape(3, 3) @ np.array(one.normal)
    length = float(np.linalg.norm(total))
    return total / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
