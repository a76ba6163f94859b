"""How close do things come at this state: the least distance, the pair, the two points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import NOTHING
from workcell.collision.pairs import PENETRATION, ROUNDING, Support
from workcell.collision.rules import belonging, families
from workcell.errors import InvalidValue, Refused
from workcell.spatial.message_units import said_length
from workcell.world.body import unknown_after
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_MORE = 1e-6
"""How much more than the margin is clear of a support beyond rounding [m]."""


@dataclass(frozen=True, eq=False)
class Clearance:
    """The least distance of some bodies.

    Attributes:
        distance: between the two meshes [m]; 0 when they touch or one is inside the other.
        first: name of the one body.
        second: name of the other.
        points: the nearest points (2, 3) [m] in the world, the first body's first.
        margin: the clearance required of the pair [m].
        deviation: how far the two meshes together may lie from their exact solids [m].
        unknown: bodies whose shape is not known, to which no distance was measured.
    """

    distance: float
    first: str
    second: str
    points: Array
    margin: float
    deviation: float
    unknown: tuple[str, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        """Both names."""
        return self.first, self.second

    @property
    def bound(self) -> float:
        """What is promised of the exact solids: the distance less deviations and rounding, never below 0 [m]."""
        return max(self.distance - self.deviation - ROUNDING, 0.0)

    @property
    def kept(self) -> bool:
        """Whether the distance exceeds the margin required."""
        return self.distance > self.margin

    @property
    def trespass(self) -> str:
        """What the pair does where its margin is not kept: ``touch``, or ``come nearer than 50 mm``."""
        margin = self.trespassed
        return f"come nearer than {said_length(margin, 6)}" if margin > 0.0 else "touch"

    @property
    def trespassed(self) -> float:
        """The margin that is not kept [m]; 0 where the pair touches."""
        return self.margin if self.margin > 0.0 and self.distance > ROUNDING else 0.0

    def __str__(self) -> str:
        near = "" if self.kept else f", nearer than the {said_length(self.margin, 6)} required"
        text = f"{self.first} and {self.second} are {said_length(self.distance, 6)} apart{near}"
        return text + unknown_after(self.unknown)


def clearance(
    model: CollisionModel, state: CellState, within: float = math.inf, own: bool | None = None
) -> Clearance | None:
    """The least distance of all tested pairs at a state; None when all are at least ``within`` [m] apart.

    Args:
        model: the bodies and the pair table.
        state: where everything is.
        within: distances from here on [m] are not looked for.
        own: True for links of one robot among themselves, False for all other pairs, None for both.
    """
    return _nearest(model.arrangement(state), state, None, own, within)


def clearance_of(
    model: CollisionModel, state: CellState, robot: str, within: float = math.inf, own: bool | None = None
) -> Clearance | None:
    """The least distance of one robot, with what it carries, to everything it is tested against."""
    return _nearest(model.arrangement(state), state, robot, own, within)


def _nearest(
    arrangement: Arrangement, state: CellState, robot: str | None, own: bool | None, within: float
) -> Clearance | None:
    which = pairs_of(arrangement, robot, own)
    first, second = arrangement.first[which], arrangement.second[which]
    return _least(arrangement, state, first, second, np.zeros(len(first), dtype=np.int32), 1, within)[0]


def pairs_of(arrangement: Arrangement, robot: str | None = None, own: bool | None = None) -> NDArray[np.intp]:
    """The places of the tested pairs that are asked about.

    Args:
        arrangement: who stands where.
        robot: only pairs that this robot, or something it carries, is part of.
        own: True for links of one robot, with what is mounted on it, among themselves; False for all other pairs.
    """
    keep = np.ones(len(arrangement.first), dtype=bool)
    if robot is not None:
        mine = belonging(arrangement, robot)
        keep = mine[arrangement.first] | mine[arrangement.second]
    if own is not None:
        family = families(arrangement)
        same = (family[arrangement.first] == family[arrangement.second]) & (family[arrangement.first] >= 0)
        keep = keep & (same == own)
    return np.flatnonzero(keep)


def clearances(model: CollisionModel, state: CellState, within: float = math.inf) -> tuple[Clearance, ...]:
    """The distance of every tested pair nearer than ``within`` [m], the nearest first."""
    arrangement = model.arrangement(state)
    return nearest_of_pairs(arrangement, state, np.arange(len(arrangement.first)), within)


def nearest_of_pairs(
    arrangement: Arrangement, state: CellState, which: NDArray[np.intp], within: float
) -> tuple[Clearance, ...]:
    """The distance of each of some tested pairs that is nearer than ``within`` [m], the nearest first."""
    first, second = arrangement.first[which], arrangement.second[which]
    count = len(which)
    found = _least(arrangement, state, first, second, np.arange(count, dtype=np.int32), count, within)
    return tuple(sorted((c for c in found if c is not None), key=lambda c: c.distance))


def distance_between(model: CollisionModel, state: CellState, first: str, second: str) -> Clearance:
    """The distance of two bodies, objects or robots, whether they are tested against each other or not."""
    a, b = pairs_between(model, first, second)
    found = _least(model.arrangement(state), state, a, b, np.zeros(len(a), dtype=np.int32), 1, math.inf)[0]
    assert found is not None
    return found


def pairs_between(model: CollisionModel, first: str, second: str) -> tuple[Ints, Ints]:
    """The places of the bodies of two names, every one of the first with every one of the second."""
    ones, others = model.bodies_called(first), model.bodies_called(second)
    ones, others = (tuple(_touchable(model, name, places)) for name, places in ((first, ones), (second, others)))
    pairs = np.array([(a, b) for a in ones for b in others if a != b], dtype=np.int32).reshape(-1, 2)
    if not len(pairs):
        raise Refused(f"{first!r} has no distance to itself.")
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _touchable(model: CollisionModel, name: str, places: tuple[int, ...]) -> list[int]:
    """Those of the bodies of a name that have a distance to others; refused when none has."""
    found = [place for place in places if not model.bodies[place].untouchable]
    if not found and any(model.bodies[place].ghost for place in places):
        raise Refused(f"{name!r} is a ghost: it is for looking at, so there is no distance to it.", ghost=name)
    if not found:
        unknown = any(model.bodies[place].unknown for place in places)
        why = f"The shape of {name} is unknown" if unknown else f"{name!r} has no shape"
        raise Refused(f"{why}, so there is no distance to it.")
    return found


def _least(
    arrangement: Arrangement, state: CellState, first: Ints, second: Ints, group: Ints, groups: int, within: float
) -> list[Clearance | None]:
    from workcell.collision import _kernels_distances

    if not within > 0.0:
        raise InvalidValue(f"A distance to look within must be above 0 mm, not {within * 1e3:g} mm.")
    model = arrangement.model
    poses = arrangement.scratch()
    best = np.full(groups, within)
    winner = np.full(groups, -1, dtype=np.int32)
    where = np.empty((groups, 6))
    _kernels_distances.clearances(
        arrangement.mesh,
        arrangement.bodies,
        arrangement.frames,
        arrangement.which,
        arrangement.q(state)[0],
        NOTHING,
        poses,
        np.ascontiguousarray(first),
        np.ascontiguousarray(second),
        group,
        best,
        winner,
        where,
    )
    out: list[Clearance | None] = []
    for g in range(groups):
        k = int(winner[g])
        if k < 0:
            out.append(None)
            continue
        a, b = int(first[k]), int(second[k])
        X = poses[arrangement.frame[a]]
        points = where[g].reshape(2, 3) @ X[:9].reshape(3, 3).T + X[9:]
        points.flags.writeable = False
        deviation = float(model.deviations[a] + model.deviations[b])
        names = (model.bodies[a].name, model.bodies[b].name)
        out.append(Clearance(float(best[g]), *names, points, margin_of(arrangement, a, b), deviation, model.unknown))
    return out


def margin_of(arrangement: Arrangement, a: int, b: int) -> float:
    """The clearance required of two bodies [m]: the pair's own, else the global one, else 0 within one robot."""
    table, bodies = arrangement.model.pairs, arrangement.model.bodies
    margin = table.margin
    if margin > 0.0:
        family = families(arrangement)
        margin = 0.0 if family[a] == family[b] >= 0 else margin
    for item in table.margins:
        for one, other in ((bodies[a], bodies[b]), (bodies[b], bodies[a])):
            if item.first in one.called and item.second in other.called:
                margin = item.margin
    return margin


def clear_beyond(arrangement: Arrangement, support: Support) -> float:
    """The distance of two meshes from which on a part is clear of its support [m].

    That is the margin of the pair, at least as much as a part may press in, with what the meshes deviate, and a little
    more, so that a part that is clear keeps its margin.
    """
    index, deviations = arrangement.model.index, arrangement.model.deviations
    part, base = index[support.part], index[support.base]
    return max(margin_of(arrangement, part, base), PENETRATION) + float(deviations[part] + deviations[base]) + _MORE
