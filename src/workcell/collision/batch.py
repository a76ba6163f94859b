"""Many states at once: compiled from the joint values to the answer, on as many threads as wanted."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.arrangement import NOTHING
from workcell.collision.check import Check, check, pressing, rest_contacts
from workcell.collision.clearance import Clearance, distance_between, pairs_between, pairs_of
from workcell.collision.rules import belonging
from workcell.errors import InvalidValue, UnknownName
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_CHUNK = 256
_WORTH = 2000
"""From so many states on it pays to prove cells of joint values first."""


@dataclass(frozen=True, eq=False)
class BatchCheck:
    """What was found at many states.

    Attributes:
        touching: (N,) whether anything touches or comes too near.
        pairs: (N, 2) places in ``names`` of the first pair found, the tool outward; −1 where nothing touches.
        names: the names of the bodies.
    """

    touching: NDArray[np.bool_]
    pairs: Ints
    names: tuple[str, ...]

    def pair(self, row: int) -> tuple[str, str] | None:
        """The names of the first pair found at a state, or None."""
        a, b = (int(i) for i in self.pairs[row])
        return None if a < 0 else (self.names[a], self.names[b])

    def __len__(self) -> int:
        return len(self.touching)


def check_batch(
    model: CollisionModel,
    states: Mapping[str, ArrayLike] | Sequence[CellState],
    state: CellState | None = None,
    threads: int | None = 1,
) -> BatchCheck:
    """Whether anything touches at each of many states, and the first pair.

    Where the model has parts that leave or come to rest (``supports.supported``) the states are samples of one motion
    in their order: a part is tested against its support in full once it is clear of it.

    Args:
        model: the bodies and the pair table.
        states: joint values (N, n) by robot, the rest as in ``state``; or whole states.
        state: where everything else is; the initial state of the cell unless given.
        threads: how many to use; all processors when None.
    """
    names = tuple(body.name for body in model.bodies)
    if not model.pairs.supports:
        return _answer(_hits(model, states, state, threads), names)
    from workcell.collision.leaving import pieces

    found = [_hits(asked, some, state, threads) for asked, some in pieces(model, states, state)]
    return _answer(np.concatenate(found) if found else np.empty((0, 3), dtype=np.int32), names)


def _hits(
    model: CollisionModel,
    states: Mapping[str, ArrayLike] | Sequence[CellState],
    state: CellState | None,
    threads: int | None,
) -> Ints:
    """The first pair found at each state and its kind (N, 3); 0 as the kind where nothing touches."""
    runs, count = _runs(model, states, state)
    hits = np.empty((count, 3), dtype=np.int32)
    for arrangement, members, Q in runs:
        hits[members] = _run(arrangement, Q, threads)
    return hits


@dataclass(frozen=True, eq=False)
class BatchClearance:
    """How near things come at many states.

    Attributes:
        distances: (N,) the least distance of the meshes at each state [m]; where only the least of all was asked, the
            least up to and with that state.
        pairs: (N, 2) places in ``names`` of the nearest pair; −1 where nothing is near enough to be an answer.
        names: the names of the bodies.
        deviations: (bodies,) how far each mesh may lie from its exact solid [m].
    """

    distances: Array
    pairs: Ints
    names: tuple[str, ...]
    deviations: Array

    @property
    def least(self) -> int | None:
        """The state at which things come nearest; None when nothing is near enough."""
        found = np.flatnonzero(self.pairs[:, 0] >= 0)
        return int(found[self.distances[found].argmin()]) if len(found) else None

    def pair(self, row: int) -> tuple[str, str] | None:
        """The names of the nearest pair at a state, or None."""
        a, b = (int(i) for i in self.pairs[row])
        return None if a < 0 else (self.names[a], self.names[b])

    def __len__(self) -> int:
        return len(self.distances)


def clearance_batch(
    model: CollisionModel,
    states: Mapping[str, ArrayLike] | Sequence[CellState],
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
        state: where everything else is; the initial state of the cell unless given.
        robot: look only at what this robot, or something it carries, is part of.
        own: True to look only at links of one robot among themselves, False only at all other pairs.
        between: look only between two bodies, objects or robots, whether they are tested or not.
        within: distances from here on [m] are not looked for.
        only_least: only the least of all matters; a state is then looked at as far as it may be the one.
    """
    if not within > 0.0:
        raise InvalidValue(f"A distance to look within must be above 0 mm, not {within * 1e3:g} mm.")
    from workcell.collision import _kernels

    runs, count = _runs(model, states, state)
    distances, pairs = np.full(count, within), np.full((count, 2), -1, dtype=np.int32)
    bar = within
    for arrangement, members, Q in runs:
        if between is None:
            some = slice(None) if robot is None and own is None else pairs_of(arrangement, robot, own)
            first, second = (np.ascontiguousarray(side[some]) for side in (arrangement.first, arrangement.second))
        else:
            first, second = pairs_between(model, *between)
        best, winner = np.empty(len(Q)), np.empty(len(Q), dtype=np.int32)
        first.flags.writeable = second.flags.writeable = False
        _kernels.least_rows(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q,
            NOTHING[None], arrangement.scratch(), first, second, bar, only_least, 1 << 60, best, winner,
        )  # fmt: skip
        distances[members] = best
        found = np.flatnonzero(winner >= 0)
        rows = members[found]
        pairs[rows, 0], pairs[rows, 1] = first[winner[found]], second[winner[found]]
        if only_least and len(best):
            bar = float(best[-1])
    if model.pairs.supports and between is None and own is not True:
        _come_back(model, states, state, robot, distances, pairs)
        if only_least:
            np.minimum.accumulate(distances, out=distances)
    distances.flags.writeable = pairs.flags.writeable = False
    return BatchClearance(distances, pairs, tuple(body.name for body in model.bodies), model.deviations)


def _come_back(
    model: CollisionModel,
    states: Mapping[str, ArrayLike] | Sequence[CellState],
    state: CellState | None,
    robot: str | None,
    distances: Array,
    pairs: Ints,
) -> None:
    """Put in the distances of parts that come back to their supports after they were clear of them."""
    from workcell.collision.leaving import leavings

    for one in leavings(model, states, state):
        if robot is None or (belonging(one.arrangement, robot)[[one.part, one.base]]).any():
            rows = np.flatnonzero(one.tested & (one.distances < distances))
            distances[rows] = one.distances[rows]
            pairs[rows] = one.part, one.base


def least_clearance(
    model: CollisionModel,
    states: Mapping[str, ArrayLike] | Sequence[CellState],
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


def _runs(
    model: CollisionModel, states: Mapping[str, ArrayLike] | Sequence[CellState], state: CellState | None
) -> tuple[list[tuple[Arrangement, NDArray[np.intp], Array]], int]:
    """The states in groups that differ in joint values only: arrangement, places of the states, joint values."""
    if isinstance(states, Mapping):
        base = model.snapshot.initial if state is None else state
        arrangement = model.arrangement(base)
        Q = joint_rows(arrangement, states, base)
        return [(arrangement, np.arange(len(Q)), Q)], len(Q)
    rows = list(states)
    groups: list[tuple[Arrangement, list[int]]] = []
    for number, item in enumerate(rows):
        for known, members in groups[-4:]:
            if known.suits(item):
                members.append(number)
                break
        else:
            groups.append((model.arrangement(item), [number]))
    runs = []
    for arrangement, members in groups:
        Q = np.concatenate([arrangement.q(rows[number]) for number in members])
        runs.append((arrangement, np.array(members, dtype=np.intp), Q))
    return runs, len(rows)


def joint_rows(arrangement: Arrangement, joints: Mapping[str, ArrayLike], state: CellState) -> Array:
    """Joint values of all robots side by side (N, all joints), those not given as in the state."""
    given: dict[str, Array] = {}
    for name, values in joints.items():
        if name not in arrangement.columns:
            raise UnknownName.among("robot", name, arrangement.columns)
        placed = next(item for item in arrangement.robots if item.name == name)
        given[name] = placed.robot.chain.joints_batch(values)
    counts = {len(values) for values in given.values()}
    if len(counts) != 1:
        raise InvalidValue(f"Every robot needs the same number of samples; found {sorted(counts)}.")
    Q = np.tile(arrangement.q(state), (counts.pop(), 1))
    for name, values in given.items():
        Q[:, arrangement.columns[name]] = values
    return Q


def _run(arrangement: Arrangement, Q: Array, threads: int | None) -> Ints:
    hits = np.zeros((len(Q), 3), dtype=np.int32)
    rest = rest_contacts(arrangement)
    if rest:
        hits[:] = rest[0]
        return hits
    if len(Q) >= _WORTH:
        arrangement.prove_cells()
    count = (os.cpu_count() or 1) if threads is None else threads
    if count < 1:
        raise InvalidValue(f"A batch needs at least one thread, not {threads}.")
    if count == 1 or len(Q) <= _CHUNK:
        _chunk(arrangement, Q, hits)
    else:
        size = max(_CHUNK, -(-len(Q) // (4 * count)))
        with ThreadPoolExecutor(count) as pool:
            parts = [slice(start, start + size) for start in range(0, len(Q), size)]
            list(pool.map(lambda part: _chunk(arrangement, Q[part], hits[part]), parts))
    if arrangement.supports:
        _supported(arrangement, Q, hits)
    return hits


def _chunk(arrangement: Arrangement, Q: Array, hits: Ints) -> None:
    from workcell.collision import _kernels

    counts = np.empty(len(Q), dtype=np.int32)
    _kernels.contacts(
        arrangement.mesh,
        arrangement.bodies,
        arrangement.frames,
        arrangement.which,
        arrangement.still_tree,
        arrangement.moving,
        arrangement.reach,
        Q,
        NOTHING,
        arrangement.still.copy(),
        1,
        counts,
        hits[:, None],
    )
    hits[counts == 0, 2] = 0


def _supported(arrangement: Arrangement, Q: Array, hits: Ints) -> None:
    """Parts on supports are few, so they are looked at one state after the other."""
    from workcell.collision import _kernels

    index = arrangement.model.index
    poses = arrangement.still.copy()
    for row in np.flatnonzero(hits[:, 2] == 0):
        _kernels.place(arrangement.frames, arrangement.which, Q[row : row + 1], NOTHING[None], poses[None])
        found = pressing(arrangement, poses)
        if found:
            hits[row] = index[found[0].first], index[found[0].second], 4


def _answer(hits: Ints, names: tuple[str, ...]) -> BatchCheck:
    touching = hits[:, 2] != 0
    pairs = np.where(touching[:, None], hits[:, :2], -1).astype(np.int32)
    touching.flags.writeable = pairs.flags.writeable = False
    return BatchCheck(touching, pairs, names)


def first_contact(model: CollisionModel, states: Sequence[CellState]) -> tuple[int, Check] | None:
    """The first of the states at which something touches, with the whole answer there; None when all are free."""
    from workcell.collision.leaving import model_among

    found = np.flatnonzero(check_batch(model, states).touching)
    if not len(found):
        return None
    row = int(found[0])
    return row, check(model_among(model, states, None, row, row), states[row])
