"""Whether devices keep clear however their joints move within ranges: what settles most short motions at once.

Pairs that cannot reach each other, whatever their joints do, are left out once and for all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import DRIVEN, FIXED, PRISMATIC, REVOLUTE
from workcell.collision.pairs import ROUNDING

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


_MORE = 0.02
"""How much wider than asked a range is that is kept [rad or m]."""
_CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
"""Which way the corners of a box lie from its middle (8, 3)."""
_LITTLE = 1e-3
"""The same for ranges that cover a stretch of a motion [rad or m]."""
_REMEMBERED = 128
"""How many ranges that were found clear a device remembers."""
_PAUSE = 50
"""How many looks pass after a wider range was not clear."""


class Reach:
    """Which devices move each body of an arrangement, and how far each body can get from a fixed point."""

    def __init__(self, arrangement: Arrangement) -> None:
        self.arrangement = arrangement
        parent, kind, column, _, after = arrangement.frames
        owner = {c: name for name, columns in arrangement.columns.items() for c in range(columns.start, columns.stop)}
        self._slides = np.concatenate([np.zeros((0, 2)), *(placed.robot.limits for placed in arrangement.robots)])
        devices: list[frozenset[str]] = []
        centre, radius = np.zeros((len(kind), 3)), np.zeros(len(kind))
        for f in range(len(kind)):
            above = devices[parent[f]] if parent[f] >= 0 else frozenset()
            devices.append(above if kind[f] in (FIXED, DRIVEN) else above | {owner[int(column[f])]})
        self._moves = [bool(found) or kind[f] == DRIVEN for f, found in enumerate(devices)]
        for f in range(len(kind)):
            if not self._moves[f]:
                centre[f] = arrangement.still[f, 9:]
            else:
                centre[f], radius[f] = self._ball(f, after[f, None, 9:], centre, radius)
        self.devices = [devices[int(f)] for f in arrangement.frame]
        balls = [self._around(body, centre, radius) for body in range(len(arrangement.frame))]
        self.centre = np.array([ball[0] for ball in balls]).reshape(-1, 3)
        """The middle of a ball in the world that each body never leaves (B, 3) [m]."""
        self.radius = np.array([ball[1] for ball in balls])
        """How large that ball is (B,) [m]."""

    def _ball(self, f: int, points: Array, centre: Array, radius: Array) -> tuple[Array, float]:
        """A ball in the world that points (N, 3) never leave, given as they are before what moves a frame moves them.

        Turning about an axis leaves them at their distances from every place on it. The ball is around such a place
        where the axis stands still, else around the origin of the frame above.
        """
        arrangement = self.arrangement
        parent, kind, column, joint, _ = arrangement.frames
        up, (theta, d) = int(parent[f]), joint[f]
        if kind[f] == DRIVEN:
            return np.zeros(3), math.inf
        points = points.copy()
        room = 0.0
        if kind[f] == REVOLUTE:
            points[:, 2] += d
        elif kind[f] == PRISMATIC:
            low, high = self._slides[column[f]]
            if not np.isfinite((low, high)).all():
                return np.zeros(3), math.inf
            turn = np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])
            points[:, :2] = points[:, :2] @ turn.T
            points[:, 2] += d + 0.5 * (low + high)
            room = 0.5 * float(high - low)
        if up >= 0 and self._moves[up]:
            return centre[up], float(radius[up] + np.linalg.norm(points, axis=1).max() + room)
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        if kind[f] == REVOLUTE:
            middle[:2] = 0.0
        far = float(np.linalg.norm(points - middle, axis=1).max()) + room
        if up < 0:
            return middle, far
        X = arrangement.still[up]
        return X[:9].reshape(3, 3) @ middle + X[9:], far

    def _around(self, body: int, centre: Array, radius: Array) -> tuple[Array, float]:
        """A ball in the world that a body never leaves."""
        arrangement = self.arrangement
        parent, kind, _, _, after = arrangement.frames
        f = int(arrangement.frame[body])
        box = arrangement.mesh[0][arrangement.bodies[0][body]]
        if not self._moves[f]:
            X = arrangement.still[f]
            return X[:9].reshape(3, 3) @ box[:3] + X[9:], float(np.linalg.norm(box[3:]))
        corners = box[:3] + box[3:] * _CORNERS
        found = centre[f], float(radius[f] + np.linalg.norm(corners, axis=1).max())
        # Seen from where it turns, a body is nearer than by way of its own frame.
        while f >= 0 and self._moves[f]:
            corners = corners @ after[f, :9].reshape(3, 3).T + after[f, 9:]
            if kind[f] != FIXED:
                other = self._ball(f, corners, centre, radius)
                return min(found, other, key=lambda ball: ball[1])
            f = int(parent[f])
        return found

    @cached_property
    def pairs(self) -> NDArray[np.intp]:
        """The tested pairs that move against each other and can come to touch."""
        arrangement = self.arrangement
        first, second = arrangement.first, arrangement.second
        apart = np.linalg.norm(self.centre[first] - self.centre[second], axis=1)
        deviations = arrangement.model.deviations
        reach = self.radius[first] + self.radius[second] + arrangement.margins
        near = apart <= (reach + deviations[first] + deviations[second]) * (1.0 + 1e-9) + ROUNDING
        return np.flatnonzero(near & (arrangement.carrier[first] != arrangement.carrier[second]))

    @cached_property
    def _moved(self) -> dict[str, NDArray[np.bool_]]:
        """Which bodies each device moves (B,)."""
        found: dict[str, NDArray[np.bool_]] = {}
        for body, devices in enumerate(self.devices):
            for name in devices:
                found.setdefault(name, np.zeros(len(self.devices), dtype=bool))[body] = True
        return found

    def concerning(self, name: str | None) -> NDArray[np.intp]:
        """Those of them of which this device moves a body; all of them where none is named."""
        if name is None:
            return self.pairs
        ours = self._moved.get(name)
        if ours is None:
            return self.pairs[:0]
        first, second = self.arrangement.first[self.pairs], self.arrangement.second[self.pairs]
        return np.asarray(self.pairs[ours[first] | ours[second]])


class Calm:
    """The pairs that a device is part of, made ready.

    Args:
        reach: what can come to touch.
        name: the device; all pairs where it is None.
        exact: count what meshes may lie off their solids.
    """

    def __init__(self, reach: Reach, name: str | None, exact: bool) -> None:
        arrangement = self.arrangement = reach.arrangement
        pairs = reach.concerning(name)
        first, second = arrangement.first[pairs], arrangement.second[pairs]
        stops = [arrangement.meeting(int(a), int(b)) for a, b in zip(first, second, strict=True)]
        caps = arrangement.margins[pairs] + ROUNDING
        if exact:
            caps = caps + arrangement.model.deviations[first] + arrangement.model.deviations[second]
        self._pairs = (first, second, np.array(stops, dtype=np.int32), caps)
        for array in self._pairs:
            array.flags.writeable = False
        self._which = _needed(arrangement, np.concatenate([first, second]))
        self.devices = frozenset(name for body in (*first, *second) for name in reach.devices[body])
        """Those whose joints matter."""
        spans = [arrangement.columns[device] for device in self.devices]
        self._columns = np.array([c for span in spans for c in range(span.start, span.stop)], dtype=np.int64)
        self._boxes: Array = np.zeros((0, 2, len(self._columns)))
        """Joint values among which nothing touches, as least and greatest of the columns (boxes, 2, columns)."""
        self.clear: dict[str, tuple[Array, Array]] = {}
        """The one of them that was of use of late, device by device (n,); nothing until one was."""
        self._wait = 0
        """How many looks are to pass before a wider range is tried again."""

    @property
    def idle(self) -> bool:
        """Whether no pair can come to touch, whatever the device does."""
        return not len(self._pairs[0])

    def rows(self, still: Mapping[str, Array], ranges: Mapping[str, tuple[Array, Array]]) -> tuple[Array, Array]:
        """Middles and half widths of all joints over some stretches of a motion (rows, all joints).

        Args:
            still: joint values of those of the devices that do not move.
            ranges: the least and greatest joint values of each that moves, stretch by stretch (rows, n).
        """
        from workcell.collision import _kernels_calm

        columns = self.arrangement.columns
        rows = max((len(low) for low, _ in ranges.values()), default=1)
        # Joints of other devices move none of the pairs, so it does not matter where they are.
        Q, dQ = np.zeros((rows, self.arrangement.dof)), np.zeros((rows, self.arrangement.dof))
        for name, values in still.items():
            Q[:, columns[name]] = values
        for name, (low, high) in ranges.items():
            _kernels_calm.middles(low, high, columns[name].start, Q, dQ)
        return Q, dQ

    def knows(self, Q: Array, dQ: Array) -> bool:
        """Whether every row lies among joint values that were found clear before."""
        from workcell.collision import _kernels_calm

        boxes = self._boxes
        found = _kernels_calm.inside(Q, dQ, self._columns, boxes) if len(boxes) else -1
        if found >= 0 and len(Q) == 1:
            self._clear_in(boxes[found])
        return found >= 0

    def holds(self, Q: Array, dQ: Array) -> bool:
        """Whether no pair touches or comes too near, whatever joint values are taken within ``dQ`` of each row."""
        if self.idle:
            return True
        if len(Q) == 1:
            found = self._calm(Q, dQ)
            if found:
                self._widen(Q, dQ)
            return found
        # A little wider, so that the same way can be gone again and back.
        wider = np.where(dQ > 0.0, dQ + _LITTLE, 0.0)
        if self._calm(Q, wider):
            self._keep(Q, wider)
            return True
        return self._calm(Q, dQ)

    def _calm(self, Q: Array, dQ: Array) -> bool:
        from workcell.collision import _kernels_calm

        arrangement = self.arrangement
        return bool(
            _kernels_calm.calm(
                arrangement.mesh, arrangement.bodies, arrangement.frames, self._which, arrangement.scratch(), Q,
                dQ, *self._pairs,
            )
        )  # fmt: skip

    def _widen(self, Q: Array, dQ: Array) -> None:
        """Keep a wider range than the one just found clear, for the set-points to come; not near to something."""
        if self._wait > 0:
            self._wait -= 1
            return
        dQ = np.where(dQ > 0.0, dQ + _MORE, 0.0)
        if self._calm(Q, dQ):
            self._keep(Q, dQ)
            self._clear_in(self._boxes[0])
        else:
            self._wait = _PAUSE

    def _clear_in(self, box: Array) -> None:
        """Let the set-points to come be compared with a box first."""
        clear, first = {}, 0
        for name in self.devices:
            columns = self.arrangement.columns[name]
            last = first + columns.stop - columns.start
            clear[name] = np.ascontiguousarray(box[0, first:last]), np.ascontiguousarray(box[1, first:last])
            first = last
        self.clear = clear

    def _keep(self, Q: Array, dQ: Array) -> None:
        """Remember that nothing touches among these joint values; the oldest are forgotten."""
        boxes = np.stack([Q - dQ, Q + dQ], axis=1)[:, :, self._columns]
        self._boxes = np.concatenate([boxes, self._boxes])[:_REMEMBERED]


def _needed(arrangement: Arrangement, bodies: NDArray[np.integer]) -> Ints:
    """The moving frames that bodies hang on, in the order in which they are found."""
    needed: set[int] = set()
    for body in set(bodies.tolist()):
        frame = int(arrangement.frame[body])
        while frame >= 0 and frame not in needed:
            needed.add(frame)
            frame = int(arrangement.parent[frame])
    found = np.array([frame for frame in arrangement.which.tolist() if frame in needed], dtype=arrangement.which.dtype)
    found.flags.writeable = False
    return found


class Calms:
    """What is made ready for an arrangement, device by device.

    Args:
        arrangement: who stands where and carries what.
        exact: count what meshes may lie off their solids.
    """

    def __init__(self, arrangement: Arrangement, exact: bool) -> None:
        self._reach, self._exact = Reach(arrangement), exact
        self._made: dict[str | None, Calm] = {}

    @classmethod
    def of(cls, arrangement: Arrangement, exact: bool) -> Calms:
        """Those of an arrangement; they are kept with it."""
        found = arrangement.calms.get(exact)
        if found is None:
            found = arrangement.calms[exact] = cls(arrangement, exact)
        return found

    def around(self, name: str | None) -> Calm:
        """The pairs that a device is part of; all pairs where it is None."""
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = Calm(self._reach, name, self._exact)
        return found
