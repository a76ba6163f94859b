"""The ladder of a curve: all configurations at places along it, and the best way from the first to the last.

Each place is a rung with every configuration that the arm can take there, in every turn that the tool may have.
Neighbouring rungs are joined where no joint jumps. Dynamic programming finds the way with the least travel.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_CHANGE = 0.2
"""What a turn of the tool by 1 rad costs, as a part of the time of a joint for it."""


@dataclass(frozen=True, eq=False)
class Rung:
    """The configurations at one place of a curve.

    Attributes:
        Q: joint values (M, n).
        turn: the turn of the tool in each (M,).
        solutions: how many solutions there were, within the limits or not, free or not.
        within: how many of them were within the limits.
        touching: the pair that touches most often where some configurations are left out for that.
    """

    Q: Array
    turn: Indices
    solutions: int
    within: int
    touching: tuple[str, str] | None


@dataclass(frozen=True, eq=False)
class LadderWay:
    """The best way along a ladder, as far as it goes.

    Attributes:
        rows: the configuration on each rung (K,); shorter than the ladder where it ends.
        cost: the time of the slowest joint, summed up [s].
    """

    rows: Indices
    cost: float


def best_way(
    rungs: list[Rung], vectors: Array, speeds: Array, jump: float, turn_step: float, start: Array | None
) -> LadderWay:
    """The way along a ladder with the least travel, or as far as any goes.

    Args:
        rungs: the places in order.
        vectors: the rotation vector of each turn of the tool (T, 3) [rad].
        speeds: the greatest speed of each joint (n,); travel is measured in time.
        jump: how far a joint may move from one rung to the next [rad or m].
        turn_step: how far the tool may turn from one rung to the next [rad].
        start: joint values to begin near (n,).
    """
    first = rungs[0]
    if not len(first.Q):
        return LadderWay(np.empty(0, dtype=np.int64), 0.0)
    cost = np.zeros(len(first.Q))
    if start is not None:
        cost = (np.abs(first.Q - start) / speeds).max(axis=1)
    before: list[Indices] = []
    for below, above in itertools.pairwise(rungs):
        found = _climbed(below, above, vectors, speeds, jump, turn_step, cost)
        if found is None:
            break
        cost, came = found
        before.append(came)
    row = int(cost.argmin())
    rows = [row]
    for came in reversed(before):
        row = int(came[row])
        rows.append(row)
    return LadderWay(np.array(rows[::-1], dtype=np.int64), float(cost.min()))


def _climbed(
    below: Rung, above: Rung, vectors: Array, speeds: Array, jump: float, turn_step: float, cost: Array
) -> tuple[Array, Indices] | None:
    """The least cost of each configuration of a rung and the one before it; None where none is reached."""
    if not len(above.Q):
        return None
    travel = np.abs(above.Q[None] - below.Q[:, None])
    spun = np.linalg.norm(vectors[above.turn][None] - vectors[below.turn][:, None], axis=2)
    value = cost[:, None] + (travel / speeds).max(axis=2) + _CHANGE * spun
    value[(travel.max(axis=2) > jump) | (spun > turn_step)] = np.inf
    came = value.argmin(axis=0)
    least = value[came, np.arange(len(above.Q))]
    return (least, came) if np.isfinite(least).any() else None
