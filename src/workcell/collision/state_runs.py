"""Many states in groups that differ in joint values only, as the kernels take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.arrangement import NOTHING
from workcell.collision.clearance import pairs_between
from workcell.errors import InvalidValue, UnknownName
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]
States: TypeAlias = Mapping[str, ArrayLike] | Sequence[CellState]
"""Joint values (N, n) by robot, or whole states."""


class Run(NamedTuple):
    """States that differ in joint values only.

    Attributes:
        arrangement: who stands where.
        members: places of the states among all that were asked about.
        Q: joint values (N, all joints).
    """

    arrangement: Arrangement
    members: NDArray[np.intp]
    Q: Array


@dataclass(frozen=True, eq=False)
class FoundPairs:
    """A pair of bodies at each of many states.

    Attributes:
        pairs: (N, 2) places in ``names`` of the pair, the tool outward; −1 where none was found.
        names: the names of the bodies.
    """

    pairs: Ints
    names: tuple[str, ...]

    def pair(self, row: int) -> tuple[str, str] | None:
        """The names of the pair found at a state, or None."""
        a, b = (int(i) for i in self.pairs[row])
        return None if a < 0 else (self.names[a], self.names[b])

    def __len__(self) -> int:
        return len(self.pairs)


def runs_of(model: CollisionModel, states: States, state: CellState | None) -> tuple[list[Run], int]:
    """The states in runs, and how many states there are."""
    if isinstance(states, Mapping):
        base = model.snapshot.initial if state is None else state
        arrangement = model.arrangement(base)
        Q = joint_rows(arrangement, states, base)
        return [Run(arrangement, np.arange(len(Q)), Q)], len(Q)
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
        runs.append(Run(arrangement, np.array(members, dtype=np.intp), Q))
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


def least_rows(run: Run, first: Ints, second: Ints, within: float, only_least: bool = False) -> tuple[Array, Ints]:
    """The least distance of some pairs at each state of a run [m], and which pair it is; −1 where none is nearer."""
    from workcell.collision import _kernels_distances

    arrangement, Q = run.arrangement, run.Q
    best, winner = np.empty(len(Q)), np.empty(len(Q), dtype=np.int32)
    first.flags.writeable = second.flags.writeable = False
    _kernels_distances.least_rows(
        arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q,
        NOTHING[None], arrangement.scratch(), first, second, within, only_least, best, winner,
    )  # fmt: skip
    return best, winner


def pair_distances(
    model: CollisionModel, states: States, state: CellState | None, pair: tuple[str, str], within: float
) -> Array:
    """The distance of two bodies, objects or robots at each state (N,) [m]; ``within`` where it is not less."""
    runs, count = runs_of(model, states, state)
    distances = np.full(count, within)
    for run in runs:
        distances[run.members] = least_rows(run, *pairs_between(model, *pair), within)[0]
    return distances
