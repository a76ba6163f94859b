"""Many states at once: compiled from the joint values to the answer, on as many threads as wanted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import NOTHING
from workcell.collision.check import Check, check, contacts_of, pressing, rest_contacts
from workcell.collision.leaving import model_among, pieces
from workcell.collision.state_runs import FoundPairs, States, runs_of
from workcell.errors import InvalidValue
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
class BatchCheck(FoundPairs):
    """What was found at many states, with the first pair where something touches.

    Attributes:
        touching: (N,) whether anything touches or comes too near.
    """

    touching: NDArray[np.bool_]


def check_batch(
    model: CollisionModel,
    states: States,
    state: CellState | None = None,
    threads: int | None = 1,
) -> BatchCheck:
    """Whether anything touches at each of many states, and the first pair.

    Where the model has parts that leave or come to rest (``supports.supported``) the states are samples of one motion
    in their order: a part is tested against its support in full once it is clear of it.

    Args:
        model: the bodies and the pair table.
        states: joint values (N, n) by robot, the rest as in ``state``; or whole states.
        state: where everything else is; the initial state of the cell by default.
        threads: how many to use; all processors when None.
    """
    names = tuple(body.name for body in model.bodies)
    if not model.pairs.supports:
        return _answer(_hits(model, states, state, threads), names)
    found = [_hits(asked, some, state, threads) for asked, some in pieces(model, states, state)]
    return _answer(np.concatenate(found) if found else np.empty((0, 3), dtype=np.int32), names)


def _hits(
    model: CollisionModel,
    states: States,
    state: CellState | None,
    threads: int | None,
) -> Ints:
    """The first pair found at each state and its kind (N, 3); 0 as the kind where nothing touches."""
    runs, count = runs_of(model, states, state)
    hits = np.empty((count, 3), dtype=np.int32)
    for run in runs:
        hits[run.members] = _run(run.arrangement, run.Q, threads)
    return hits


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
    counts = contacts_of(arrangement, Q, arrangement.still.copy(), hits[:, None])
    hits[counts == 0, 2] = 0


def _supported(arrangement: Arrangement, Q: Array, hits: Ints) -> None:
    """Parts on supports are few, so they are looked at one state after the other."""
    from workcell.collision import _kernels_poses

    index = arrangement.model.index
    poses = arrangement.still.copy()
    for row in np.flatnonzero(hits[:, 2] == 0):
        _kernels_poses.place(arrangement.frames, arrangement.which, Q[row : row + 1], NOTHING[None], poses[None])
        found = pressing(arrangement, poses)
        if found:
            hits[row] = index[found[0].first], index[found[0].second], 4


def _answer(hits: Ints, names: tuple[str, ...]) -> BatchCheck:
    touching = hits[:, 2] != 0
    pairs = np.where(touching[:, None], hits[:, :2], -1).astype(np.int32)
    touching.flags.writeable = pairs.flags.writeable = False
    return BatchCheck(pairs, names, touching)


def first_contact(model: CollisionModel, states: Sequence[CellState]) -> tuple[int, Check] | None:
    """The first of the states at which something touches, with the whole answer there; None when all are free."""
    found = np.flatnonzero(check_batch(model, states).touching)
    if not len(found):
        return None
    row = int(found[0])
    return row, check(model_among(model, states, None, row, row), states[row])
