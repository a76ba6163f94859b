"""What stands on a part moves along when the part is gripped or moves on its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.events import Rides
from workcell.simulation.happenings import Attached, Placed, twelve
from workcell.simulation.settling import vertical_gap
from workcell.spatial.pose import Pose
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.geometry.mesh import Mesh
    from workcell.simulation.equipped import Equipped
    from workcell.world.body import Body
    from workcell.world.snapshot import Snapshot

Array = NDArray[np.float64]
SHAPE = 1e-4
"""The tolerance of meshes from their solids where parts stand on each other [m]."""
STANDS = 2e-4
"""A part whose gap to what is below is no more than this stands on it [m]."""
_ROUNDING = 1e-9


def take_along(simulator: Equipped, body: str) -> None:
    """Let everything that stands on a body, directly or through others, move with it from now on."""
    for upper, lower, X_lower_upper in stacked_on(simulator.snapshot, simulator.state, body):
        simulator.recorder.event(Rides(simulator.now, upper, lower))
        simulator.apply(Attached(simulator.now, upper, lower, twelve(X_lower_upper)))


def leave_behind(simulator: Equipped, body: str) -> None:
    """Let everything that moved with a body stand on it freely again.

    The body is at rest. What the cell put there stays.
    """
    snapshot, state = simulator.snapshot, simulator.state
    poses = dict(zip((one.name for one in snapshot.bodies), snapshot.body_poses(state), strict=True))
    for upper in [name for name, held in state.attached.items() if held.frame == body]:
        fixed = snapshot.initial.attached.get(upper)
        if fixed is not None and fixed.frame == body:
            continue
        simulator.apply(Placed(simulator.now, upper, twelve(Pose(poses[upper]))))
        leave_behind(simulator, upper)


def stacked_on(
    snapshot: Snapshot, state: CellState, body: str, stack: Stack | None = None
) -> list[tuple[str, str, Pose]]:
    """Return what stands on a body and on nothing else, each with its support and its pose there, the lowest first.

    What is held, rides already or is not movable does not count.
    """
    stack = stack or Stack(snapshot, state)
    found: list[tuple[str, str, Pose]] = []
    going = {body}
    waiting = [body]
    while waiting:
        lower = waiting.pop(0)
        for upper in stack.over(lower):
            below = stack.under(upper)
            if upper not in going and lower in below and below <= going:
                going.add(upper)
                waiting.append(upper)
                found.append((upper, lower, stack.pose(lower).inverse() @ stack.pose(upper)))
    return found


def riders(state: CellState, body: str) -> list[str]:
    """Return everything that moves with a body, directly or through others, the lowest first."""
    found = [body]
    for lower in found:
        found += [name for name, held in sorted(state.attached.items()) if held.frame == lower]
    return found[1:]


class Stack:
    """What stands on what in a state; computed only as far as asked."""

    def __init__(self, snapshot: Snapshot, state: CellState) -> None:
        self._snapshot, self._state = snapshot, state
        self._matrix = snapshot.finder(state)
        self._boxes: dict[str, tuple[Array, Array]] = {}

    def knows(self, name: str) -> bool:
        """Return whether a body exists here."""
        return self._snapshot.has(name) and bool(self._snapshot.body(name).touchable)

    def pose(self, name: str) -> Pose:
        """Return ``X_world_body``."""
        return Pose(self._matrix(name))

    def over(self, name: str) -> list[str]:
        """Return free bodies that may stand on a body, by their boxes."""
        box = self._box(name)
        return [one for one in self._free.meeting(box, above=True) if self._near(one, name)]

    def beneath(self, name: str) -> list[str]:
        """Return bodies that a body may stand on, by their boxes."""
        return [one for one in self._all.meeting(self._box(name), above=False) if self._near(name, one)]

    def stands_on(self, upper: str, lower: str) -> bool:
        """Return whether a body stands on another one, perhaps on others too."""
        return self._near(upper, lower) and self._touches(upper, lower)

    def under(self, name: str) -> set[str]:
        """Return the bodies that a body stands on."""
        return {one for one in self.beneath(name) if self._touches(name, one)}

    def _touches(self, upper: str, lower: str) -> bool:
        gap = vertical_gap(self.mesh(upper), self._matrix(upper), self.mesh(lower), self._matrix(lower))
        return gap <= STANDS

    def _near(self, upper: str, lower: str) -> bool:
        """Return whether the lowest point of one is within the height of the other, and over it."""
        if upper == lower:
            return False
        (low, high), (base, top) = self._box(upper), self._box(lower)
        beside = (high[:2] < base[:2]).any() or (low[:2] > top[:2]).any()
        return not beside and bool(base[2] - STANDS <= low[2] <= top[2] + STANDS)

    def mesh(self, name: str) -> Mesh:
        """Return the shape of a body, in its own frame."""
        return self._snapshot.body(name).mesh(SHAPE)

    def _box(self, name: str) -> tuple[Array, Array]:
        if name not in self._boxes:
            X = self._matrix(name)
            corners = self.mesh(name).vertices @ X[:3, :3].T + X[:3, 3]
            self._boxes[name] = corners.min(axis=0), corners.max(axis=0)
        return self._boxes[name]

    @cached_property
    def _free(self) -> _Boxes:
        free = [one for one in self._snapshot.movable if one.name not in self._state.attached]
        return _Boxes(free, [self._matrix(one.name) for one in free])

    @cached_property
    def _all(self) -> _Boxes:
        bodies = [one for one in self._snapshot.bodies if one.touchable]
        return _Boxes(bodies, [self._matrix(one.name) for one in bodies])


class _Boxes:
    """Bodies sorted by their bounding boxes in the world, which may be too large for rotated bodies."""

    def __init__(self, bodies: Sequence[Body], poses: Sequence[Array]) -> None:
        self._names = [body.name for body in bodies]
        local = np.array([body.bounds(SHAPE) for body in bodies]).reshape(-1, 2, 3)
        X = np.array(poses).reshape(-1, 4, 4)
        middle, half = local.mean(axis=1), (local[:, 1] - local[:, 0]) / 2.0
        centre = np.einsum("nij,nj->ni", X[:, :3, :3], middle) + X[:, :3, 3]
        reach = np.einsum("nij,nj->ni", np.abs(X[:, :3, :3]), half) + _ROUNDING
        self._low, self._high = centre - reach, centre + reach

    def meeting(self, box: tuple[Array, Array], above: bool) -> list[str]:
        """Return the bodies, in order, that overlap a box seen from above and may stand on it, or carry it."""
        low, high = box
        beside = (self._high[:, :2] < low[:2]).any(axis=1) | (self._low[:, :2] > high[:2]).any(axis=1)
        if above:
            level = (self._low[:, 2] <= high[2] + STANDS) & (self._high[:, 2] >= low[2] - STANDS)
        else:
            level = (self._low[:, 2] - STANDS <= low[2]) & (low[2] <= self._high[:, 2] + STANDS)
        return [self._names[k] for k in np.flatnonzero(~beside & level)]
