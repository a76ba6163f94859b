"""Parts that leave or come to rest along a motion: up to when, and from when, they may touch what supports them.

A part is clear of its support when their distance exceeds the margin of the pair. Until it first is, and from when it
last is, it may touch; between, the pair is tested as all others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.collision.clearance import clear_beyond
from workcell.collision.pairs import Phase, Support
from workcell.collision.state_runs import States, pair_distances
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


def clear_span(clear: Bools, phases: frozenset[Phase]) -> tuple[int, int] | None:
    """The first and the last sample of a motion between which a pair is tested in full; None where it never is.

    Args:
        clear: (N,) where the part is clear of its support.
        phases: whether it may touch until it is first clear, from when it last is, or both.
    """
    found = np.flatnonzero(clear)
    if not len(found):
        return None
    first = int(found[0]) if "leaving" in phases else 0
    last = int(found[-1]) if "arriving" in phases else len(clear) - 1
    return first, last


@dataclass(frozen=True, eq=False)
class Leaving:
    """A part and its support at samples of a motion.

    Attributes:
        supports: the entries of the table for the two.
        arrangement: who stands where at the first sample.
        distances: of the meshes (N,) [m]; infinite where they are clear of each other.
        span: the first and the last sample between which they are tested in full; None when nowhere.
    """

    supports: tuple[Support, ...]
    arrangement: Arrangement
    distances: Array
    span: tuple[int, int] | None

    @property
    def part(self) -> int:
        """The part's place among the bodies."""
        return self.arrangement.model.index[self.supports[0].part]

    @property
    def base(self) -> int:
        """The support's place among the bodies."""
        return self.arrangement.model.index[self.supports[0].base]

    @property
    def tested(self) -> Bools:
        """(N,) where the two are tested in full."""
        out = np.zeros(len(self.distances), dtype=bool)
        if self.span is not None:
            out[self.span[0] : self.span[1] + 1] = True
        return out

    def touching_allowed(self, first: int, last: int) -> tuple[Support, ...]:
        """The supports that hold at any of some samples, both ends included."""
        if self.span is None:
            return self.supports
        holds = {"leaving": first < self.span[0], "arriving": last > self.span[1]}
        return tuple(support for support in self.supports if holds[support.phase])


def leavings(model: CollisionModel, states: States, state: CellState | None) -> list[Leaving]:
    """Every pair of a part and its support, along the samples of a motion."""
    start = model.snapshot.initial if state is None else state
    if not isinstance(states, Mapping):
        if not len(states):
            return []
        start = states[0]
    arrangement = model.arrangement(start)
    groups: dict[tuple[str, str], list[Support]] = {}
    for support in arrangement.supports:
        groups.setdefault((support.part, support.base), []).append(support)
    found = []
    for pair, supports in groups.items():
        beyond = clear_beyond(arrangement, supports[0])
        distances = pair_distances(model, states, state, pair, beyond)
        clear = distances >= beyond
        span = clear_span(clear, frozenset(support.phase for support in supports))
        found.append(Leaving(tuple(supports), arrangement, np.where(clear, np.inf, distances), span))
    return found


def pieces(model: CollisionModel, states: States, state: CellState | None) -> Iterator[tuple[CollisionModel, States]]:
    """The samples of a motion in pieces, each with the model whose supports are those that hold there."""
    found = leavings(model, states, state)
    count = len(found[0].distances) if found else 0
    if not found:
        yield _with_supports(model, ()), states
        return
    cuts = {0, count}
    for one in found:
        if one.span is not None:
            cuts |= {one.span[0], one.span[1] + 1}
    edges = sorted(cuts)
    for begin, end in itertools.pairwise(edges):
        yield _holding(model, found, begin, end - 1), _some(states, begin, end)


def model_among(
    model: CollisionModel, states: States, state: CellState | None, first: int, last: int
) -> CollisionModel:
    """The model for instants from one sample of a motion to another, with the supports that hold at any of them."""
    return _holding(model, leavings(model, states, state), first, last) if model.pairs.supports else model


def _holding(model: CollisionModel, found: list[Leaving], first: int, last: int) -> CollisionModel:
    return _with_supports(model, tuple(support for one in found for support in one.touching_allowed(first, last)))


def _with_supports(model: CollisionModel, supports: tuple[Support, ...]) -> CollisionModel:
    return model.asking(msgspec.structs.replace(model.pairs, supports=supports), model.going)


def _some(states: States, begin: int, end: int) -> States:
    if isinstance(states, Mapping):
        return {name: np.atleast_2d(np.asarray(values))[begin:end] for name, values in states.items()}
    return states[begin:end]
