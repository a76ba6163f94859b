"""What is near an arm of the cell: pairs of bodies, how far apart they are, and how joints change that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import Arrangement
from workcell.collision.bodies import CollisionModel
from workcell.collision.clearance import Clearance, nearest_of_pairs, pairs_of
from workcell.collision.rules import families
from workcell.errors import UnknownName
from workcell.world.state import CellState

Array = NDArray[np.float64]

OWN = 0.02
"""How near two links of one arm have to be to be looked at [m]."""


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
    """

    model: CollisionModel
    robot: str
    ignoring: tuple[str, ...] = ()
    now: float = 0.0
    before: tuple[float, dict[str, Array]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in self.ignoring:
            if name not in self.model.names:
                raise UnknownName.among("body", name, self.model.names)

    def near(self, state: CellState, within: float) -> tuple[Near, ...]:
        """Return the pairs that are nearer than a distance [m]; links of the arm itself only where they are close."""
        arrangement, self.now = self.model.arrangement(state), state.time
        found = [
            *nearest_of_pairs(arrangement, state, self._asked(arrangement, own=False), within),
            *nearest_of_pairs(arrangement, state, self._asked(arrangement, own=True), min(within, OWN)),
        ]
        poses = arrangement.scratch()
        near = tuple(self._near(arrangement, poses, one) for one in found)
        self._observe(arrangement, state.time, poses, near)
        return near

    def _asked(self, arrangement: Arrangement, own: bool) -> NDArray[np.intp]:
        which = pairs_of(arrangement, self.robot, own)
        if not self.ignoring:
            return which
        gone = {place for name in self.ignoring for place in self.model.bodies_called(name)}
        keep = [k for k in which if not gone & {int(arrangement.first[k]), int(arrangement.second[k])}]
        return np.array(keep, dtype=np.intp)

    def _near(self, arrangement: Arrangement, poses: Array, found: Clearance) -> Near:
        index = self.model.index
        (first, second), points = found.pair, found.points
        if _link_under(arrangement, self.robot, index[first]) < 0:
            first, second, points = second, first, points[::-1]
        away = points[0] - points[1]
        normal = away / found.distance if found.distance > 0.0 else np.zeros(3)
        link, other = (_link_under(arrangement, self.robot, index[name]) for name in (first, second))
        row = self._row(arrangement, poses, link, points[0], normal)
        comes = 0.0
        if other >= 0:
            row = row - self._row(arrangement, poses, other, points[1], normal)
        else:
            comes = float(normal @ self._velocity(second, poses[arrangement.frame[index[second]]], points[1]))
        family = families(arrangement)
        own = bool(family[index[first]] == family[index[second]] >= 0)
        return Near(first, second, found.distance, found.margin + found.deviation, row, own, comes)

    def _row(self, arrangement: Arrangement, poses: Array, link: int, point: Array, normal: Array) -> Array:
        """Return how fast a point of a link moves along a direction with each joint (n,)."""
        rows = self.model.snapshot.robot(self.robot).robot.chain.rows
        before = poses[arrangement.links_of(self.robot)[:-1]]
        axes, (x, y, z), (a, b, c) = before[:, [2, 5, 8]], (point - before[:, 9:]).T, normal
        turning = axes[:, 0] * (y * c - z * b) + axes[:, 1] * (z * a - x * c) + axes[:, 2] * (x * b - y * a)
        out = np.where([row.prismatic for row in rows], axes @ normal, turning)
        out[max(link, 0) :] = 0.0
        return out

    # ---- what moves by itself ---------------------------------------------------------------------------

    def _observe(self, arrangement: Arrangement, time: float, poses: Array, near: Sequence[Near]) -> None:
        if self.before is not None and time <= self.before[0]:
            return
        index = self.model.index
        seen = {one.other: poses[arrangement.frame[index[one.other]]].copy() for one in near if not one.own}
        self.before = time, seen

    def _velocity(self, name: str, pose: Array, point: Array) -> Array:
        """Return the velocity of a point of a body, by where the body was at the last look (3,) [m/s]."""
        if self.before is None or name not in self.before[1] or self.now <= self.before[0]:
            return np.zeros(3)
        old = self.before[1][name]
        local = pose[:9].reshape(3, 3).T @ (point - pose[9:])
        was = old[:9].reshape(3, 3) @ local + old[9:]
        found: Array = (point - was) / (self.now - self.before[0])
        return found


def _link_under(arrangement: Arrangement, robot: str, place: int) -> int:
    """Return the link of a robot that a body goes with, as part of it or carried by it; -1 for none."""
    links, frame = arrangement.links_of(robot), int(arrangement.frame[place])
    while frame >= 0:
        if frame in links:
            return links.index(frame)
        frame = int(arrangement.parent[frame])
    return -1
