"""How close things come at each of many states: cheap for neighbouring states, such as samples of a motion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.clearance import Clearance, distance_between, pairs_between, pairs_of
from workcell.collision.leaving import leavings
from workcell.collision.rules import belonging
from workcell.collision.state_runs import FoundPairs, States, least_rows, runs_of
from workcell.errors import InvalidValue
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class BatchClearance(FoundPairs):
    """How near things come at many states, and the nearest pair where one is near enough to be an answer.

    Attributes:
        distances: (N,) the least distance of the meshes at each state [m]; where only the least of all was asked, the
            least up to and with that state.
        deviations: (bodies,) how far each mesh may lie from its exact solid [m].
    """

    distances: Array
    deviations: Array

    @property
    def least(self) -> int | None:
        """The state at which things come nearest; None when nothing is near enough."""
        found = np.flatnonzero(self.pairs[:, 0] >= 0)
        return int(found[self.distances[found].argmin()]) if len(found) else None


def clearance_batch(
    model: CollisionModel,
    states: States,
    state: CellState | None = None,
    *,
    robot: str | None = None,
    own: bool | None = None,
    between: tuple[str, str] | None = None,
    within: float = math.inf,
    only_least: bool = False,
) -> BatchClearance:
    """The least distance at each of many states, exact; cheap for neighbouring states, such as samples of a motion.

    A part that leaves or comes to rest on something counts against it only where it comes back nearer than it was when
    it became clear of it.

    Args:
        model: the bodies and the pair table.
        states: joint values (N, n) by robot, the rest as in ``state``; or whole states.
        state: where everything else is; the initial state of the cell by default.
        robot: look only at what this robot, or something it carries, is part of.
        own: True to look only at links of one robot among themselves, False only at all other pairs.
        between: look only between two bodies, objects or robots, whether they are tested or not.
        within: distances from here on [m] are not looked for.
        only_least: only the least of all matters; a state is then looked at as far as it may be the one.
    """
    if not within > 0.0:
        raise InvalidValue(f"A distance to look within must be above 0 mm, not {within * 1e3:g} mm.")
    runs, count = runs_of(model, states, state)
    distances, pairs = np.full(count, within), np.full((count, 2), -1, dtype=np.int32)
    bar = within
    for run in runs:
        arrangement = run.arrangement
        if between is None:
            some = slice(None) if robot is None and own is None else pairs_of(arrangement, robot, own)
            first, second = (np.ascontiguousarray(side[some]) for side in (arrangement.first, arrangement.second))
        else:
            first, second = pairs_between(model, *between)
        best, winner = least_rows(run, first, second, bar, only_least)
        distances[run.members] = best
        found = np.flatnonzero(winner >= 0)
        rows = run.members[found]
        pairs[rows, 0], pairs[rows, 1] = first[winner[found]], second[winner[found]]
        if only_least and len(best):
            bar = float(best[-1])
    if model.pairs.supports and between is None and own is not True:
        _come_back(model, states, state, robot, distances, pairs)
        if only_least:
            np.minimum.accumulate(distances, out=distances)
    distances.flags.writeable = pairs.flags.writeable = False
    return BatchClearance(pairs, tuple(body.name for body in model.bodies), distances, model.deviations)


def _come_back(
    model: CollisionModel,
    states: States,
    state: CellState | None,
    robot: str | None,
    distances: Array,
    pairs: Ints,
) -> None:
    """Put in the distances of parts that come back to their supports after they were clear of them."""
    for one in leavings(model, states, state):
        if robot is None or (belonging(one.arrangement, robot)[[one.part, one.base]]).any():
            rows = np.flatnonzero(one.tested & (one.distances < distances))
            distances[rows] = one.distances[rows]
            pairs[rows] = one.part, one.base


def least_clearance(
    model: CollisionModel,
    states: States,
    state: CellState | None = None,
    *,
    robot: str | None = None,
    own: bool | None = None,
    between: tuple[str, str] | None = None,
    within: float = math.inf,
) -> tuple[int, Clearance] | None:
    """The nearest that things come over many states: which state it is, and the whole answer there.

    None when nothing comes nearer than ``within`` [m]. The arguments are those of :func:`clearance_batch`.
    """
    found = clearance_batch(model, states, state, robot=robot, own=own, between=between, within=within, only_least=True)
    row = found.least
    if row is None:
        return None
    base = model.snapshot.initial if state is None else state
    if isinstance(states, Mapping):
        there = base.with_(joints={**base.joints, **{name: np.asarray(Q)[row] for name, Q in states.items()}})
    else:
        there = states[row]
    pair = found.pair(row)
    assert pair is not None
    return row, distance_between(model, there, *pair)
