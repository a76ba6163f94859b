"""What is near an arm of the cell: pairs of bodies, how far apart they are, and how joints change that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import NOTHING, Arrangement
from workcell.collision.bodies import CollisionModel
from workcell.collision.clearance import pairs_of
from workcell.errors import InvalidValue, UnknownName
from workcell.planning.guidance import _kernels_nearby as kernels
from workcell.world.state import CellState

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

OWN = 0.02
"""How near two links of one arm have to be to be looked at [m]."""
_THIN = 1e-4
"""How much more than their distance pairs keep where the arm would come to rest [m]."""


@dataclass(frozen=True, eq=False)
class Near:
    """A pair of which one body belongs to the arm.

    Attributes:
        mine: the body of the arm, or what it carries.
        other: the other body; a link of the same arm where ``own``.
        distance: between them [m].
        safe: the distance that they keep: the required margin and what meshes may lie off their solids [m].
        row: how fast the distance grows with each joint (n,) [m/s for rad/s or m/s].
        own: whether both belong to the arm.
        comes: how fast the other body comes nearer by itself [m/s].
    """

    mine: str
    other: str
    distance: float
    safe: float
    row: Array
    own: bool
    comes: float = 0.0


@dataclass
class Surroundings:
    """Where the arm's neighbours are, at one instant after another; how bodies move is observed between two instants.

    Attributes:
        model: what can touch.
        robot: the arm.
        ignoring: bodies, objects or robots that the arm need not keep away from.
        now: the time of the last look [s].
        before: the time of the last look but one [s], and the poses of what was near then (12,).
        looked: the pairs that were near at the last look, by their places among those asked about.
    """

    model: CollisionModel
    robot: str
    ignoring: tuple[str, ...] = ()
    now: float = 0.0
    before: tuple[float, dict[str, Array]] | None = field(default=None, repr=False)
    looked: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp), repr=False)

    def __post_init__(self) -> None:
        for name in self.ignoring:
            if name not in self.model.names:
                raise UnknownName.among("body", name, self.model.names)

    def near(self, state: CellState, within: float) -> tuple[Near, ...]:
        """Return the pairs that are nearer than a distance [m]; links of the arm itself only where they are close."""
        if not within > 0.0:
            raise InvalidValue(f"A distance to look within must be above 0 mm, not {within * 1e3:g} mm.")
        arrangement, self.now = self.model.arrangement(state), state.time
        asked = asked_of(arrangement, self.robot, self.ignoring)
        cap = np.where(asked.own, min(within, OWN), within)
        best, winner, where = _nearest(arrangement, state, asked.first, asked.second, cap)
        poses = arrangement.scratch()
        found = np.flatnonzero(winner >= 0)
        found = found[np.lexsort((best[found], asked.own[found]))]
        near = self._near(asked, poses, found, best[found], where[found])
        self._observe(asked, state.time, poses, found, near)
        self.looked = found
        return near

    def keeps(self, state: CellState, near: Sequence[Near], wanted: Sequence[Near]) -> bool:
        """Whether pairs that were near at the last look keep their distance at another state.

        Args:
            state: the same but for the joints of the arm.
            near: what was found at the last look.
            wanted: those that are to keep their distance; others are not looked at.
        """
        arrangement = self.model.arrangement(state)
        asked = asked_of(arrangement, self.robot, self.ignoring)
        which = self.looked[[any(one is other for other in wanted) for one in near]]
        if not len(which):
            return True
        _, winner, _ = _nearest(arrangement, state, asked.first[which], asked.second[which], asked.safe[which] + _THIN)
        return not bool((winner >= 0).any())

    def _near(
        self, asked: Asked, poses: Array, found: NDArray[np.intp], distance: Array, where: Array
    ) -> tuple[Near, ...]:
        count = len(found)
        rows, comes = np.empty((count, len(asked.joints))), np.empty(count)
        names = [asked.names[k] for k in found]
        kernels.rows(
            poses,
            asked.frame[found],
            asked.other_frame[found],
            asked.link[found],
            asked.other_link[found],
            asked.swapped[found],
            where,
            distance,
            asked.joints,
            asked.slides,
            *self._old([other for _, other in names]),
            rows,
            comes,
        )
        return tuple(
            Near(mine, other, d, safe, row, own, come)
            for (mine, other), safe, d, row, own, come in zip(
                names,
                asked.safe[found].tolist(),
                distance.tolist(),
                rows,
                asked.own[found].tolist(),
                comes.tolist(),
                strict=True,
            )
        )

    # ---- what moves by itself ---------------------------------------------------------------------------

    def _old(self, names: Sequence[str]) -> tuple[Array, float]:
        """Return where bodies were at the last look (m, 12), NaN for those not seen, and how long ago that was [s]."""
        old = np.full((len(names), 12), np.nan)
        if self.before is None or self.now <= self.before[0]:
            return old, 0.0
        for k, name in enumerate(names):
            seen = self.before[1].get(name)
            if seen is not None:
                old[k] = seen
        return old, self.now - self.before[0]

    def _observe(self, asked: Asked, time: float, poses: Array, found: NDArray[np.intp], near: Sequence[Near]) -> None:
        if self.before is not None and time <= self.before[0]:
            return
        here = poses[asked.other_frame[found]]
        self.before = time, {one.other: pose for one, pose in zip(near, here, strict=True) if not one.own}


@dataclass(frozen=True, eq=False)
class Asked:
    """The pairs that an arm is asked about in an arrangement, as the compiled loops read them.

    Attributes:
        first: the first body of each pair (m,).
        second: the second body (m,).
        own: whether both belong to the arm (m,).
        names: the body of the arm and the other one, by pair.
        frame: of the body of the arm (m,).
        other_frame: of the other body (m,).
        link: how many joints move the body of the arm (m,).
        other_link: how many of them move the other body; −1 for none that belongs to the arm (m,).
        swapped: 1 where the second body is the arm's (m,).
        safe: the distance that a pair keeps: its margin and what meshes may lie off their solids (m,) [m].
        joints: the frames whose z axes the joints move about (n,).
        slides: 1 where a joint slides (n,).
        others: the bodies that do not belong to the arm, each once (k,).
        mine: the bodies of the arm that joints move, and what it carries, each once (l,).
        mine_link: how many joints move each of these (l,).
    """

    first: Ints
    second: Ints
    own: NDArray[np.bool_]
    names: tuple[tuple[str, str], ...]
    frame: Ints
    other_frame: Ints
    link: Ints
    other_link: Ints
    swapped: Ints
    safe: Array
    joints: Ints
    slides: Ints
    others: NDArray[np.intp]
    mine: NDArray[np.intp]
    mine_link: Ints

    @classmethod
    def of(cls, arrangement: Arrangement, robot: str, ignoring: tuple[str, ...]) -> Asked:
        """Return the pairs of an arm, those with other things first."""
        model = arrangement.model
        which = [pairs_of(arrangement, robot, own) for own in (False, True)]
        own = np.repeat([False, True], [len(one) for one in which])
        pairs = np.concatenate(which)
        if ignoring:
            gone = np.zeros(len(model.bodies), dtype=bool)
            gone[[place for name in ignoring for place in model.bodies_called(name)]] = True
            keep = ~(gone[arrangement.first[pairs]] | gone[arrangement.second[pairs]])
            pairs, own = pairs[keep], own[keep]
        first, second = arrangement.first[pairs], arrangement.second[pairs]
        links = _links_under(arrangement, robot)
        swapped = links[first] < 0
        mine, other = np.where(swapped, second, first), np.where(swapped, first, second)
        bodies = model.bodies
        moved = np.flatnonzero((links > 0) & ~np.array([body.untouchable for body in bodies], dtype=bool))
        rows = model.snapshot.robot(robot).robot.chain.rows
        return cls(
            first,
            second,
            own,
            tuple((bodies[a].name, bodies[b].name) for a, b in zip(mine.tolist(), other.tolist(), strict=True)),
            arrangement.frame[mine],
            arrangement.frame[other],
            links[mine],
            links[other],
            swapped.astype(np.int32),
            arrangement.margins[pairs] + model.deviations[first] + model.deviations[second],
            np.array(arrangement.links_of(robot)[:-1], dtype=np.int32),
            np.array([row.prismatic for row in rows], dtype=np.int32),
            np.unique(other[~own]).astype(np.intp),
            moved,
            links[moved],
        )


def _nearest(
    arrangement: Arrangement, state: CellState, first: Ints, second: Ints, cap: Array
) -> tuple[Array, Ints, Array]:
    """Return the distance of each pair, its number or −1 where it is not below its cap, and the nearest points."""
    from workcell.collision import _kernels_distances

    count = len(first)
    best, winner, where = cap.copy(), np.full(count, -1, dtype=np.int32), np.empty((count, 6))
    _kernels_distances.clearances(
        arrangement.mesh,
        arrangement.bodies,
        arrangement.frames,
        arrangement.which,
        arrangement.q(state)[0],
        NOTHING,
        arrangement.scratch(),
        first,
        second,
        np.arange(count, dtype=np.int32),
        best,
        winner,
        where,
    )
    return best, winner, where


_known: WeakKeyDictionary[Arrangement, dict[tuple[str, tuple[str, ...]], Asked]] = WeakKeyDictionary()
"""The pairs of arms, as long as the arrangement is there that they are of."""


def asked_of(arrangement: Arrangement, robot: str, ignoring: tuple[str, ...]) -> Asked:
    """Return the pairs of an arm in an arrangement; they are made once."""
    kept = _known.setdefault(arrangement, {})
    found = kept.get((robot, ignoring))
    if found is None:
        found = kept[robot, ignoring] = Asked.of(arrangement, robot, ignoring)
    return found


def _links_under(arrangement: Arrangement, robot: str) -> Ints:
    """Return for each body the link of a robot that it goes with, as part of it or carried by it; −1 for none (B,)."""
    place = {frame: number for number, frame in enumerate(arrangement.links_of(robot))}
    out = np.full(len(arrangement.frame), -1, dtype=np.int32)
    for body, frame in enumerate(arrangement.frame.tolist()):
        while frame >= 0 and frame not in place:
            frame = int(arrangement.parent[frame])
        out[body] = place.get(frame, -1)
    return out
