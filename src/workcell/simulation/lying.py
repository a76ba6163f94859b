"""Parts in the frame of a belt: where each begins and ends, its width and height, and what carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.piles import SHAPE, riders
from workcell.spatial.pose import Pose
from workcell.world.absence import is_absent
from workcell.world.standing import smallest_turn

if TYPE_CHECKING:
    from workcell.world.belt_surfaces import BeltSurface
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import Attachment, CellState

Array = NDArray[np.float64]

LIES = 1e-3
"""A part whose lowest point is this near the top of a belt lies on it [m]."""
STEP = 5e-3
"""The greatest difference in height to a next belt that takes a part over [m]."""
BEND = 0.03
"""The greatest height of the next belt above or below the middle of a part where the line goes down or up [m]."""
BRIDGE = 0.1
"""The greatest gap to a next belt that takes a part over: rollers and the space between them [m]."""
_OVERLAP = 1e-3
"""Parts that overlap by less than this, in height or across the belt, pass each other [m]."""


@dataclass(frozen=True)
class Lying:
    """A part in the frame of a belt: x along it, y across, z up from it.

    Attributes:
        part: the body.
        low: the least coordinates of the part and of what moves with it (3,) [m].
        high: the greatest (3,) [m].
        centre: the middle of the part itself (3,) [m].
        frame: the body that it moves with; '' if it is free.
    """

    part: str
    low: Array
    high: Array
    centre: Array
    frame: str

    def front(self, way: float) -> float:
        """Return the position of its front in the direction of travel: 1, or -1 for backwards [m]."""
        return float(self.high[0] if way > 0.0 else -self.low[0])

    def back(self, way: float) -> float:
        """Return the position of its back in the direction of travel [m]."""
        return float(self.low[0] if way > 0.0 else -self.high[0])

    def meets(self, other: Lying) -> bool:
        """Return whether it cannot pass another part: they overlap across the belt and in height."""
        return bool(
            (np.minimum(self.high[1:], other.high[1:]) - np.maximum(self.low[1:], other.low[1:]) > _OVERLAP).all()
        )

    def on(self, surface: BeltSurface, way: float) -> bool:
        """Return whether it lies on a belt that runs in a direction: its middle is over the top.

        The middle may also be over the gap before the belt, if the front is on the belt.
        """
        x, y = self.centre[:2]
        begin, end = surface.ends if way > 0.0 else (-surface.ends[1], -surface.ends[0])
        along = way * float(x)
        inside = begin <= along <= end or (begin - BRIDGE <= along < begin and self.front(way) > begin + _OVERLAP)
        across = surface.sides[0] <= y <= surface.sides[1]
        return bool(inside and across and abs(self.low[2] - surface.height) <= LIES)


class Scene:
    """Where all parts are in a state, for views along belts."""

    def __init__(self, snapshot: Snapshot, state: CellState) -> None:
        self.snapshot, self.state = snapshot, state
        self.poses = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))
        self.parts = [body.name for body in snapshot.bodies if body.movable and body.link < 0 and body.touchable]
        self.parts = [part for part in self.parts if not is_absent(state.attached.get(part))]

        self._elsewhere: dict[str, list[tuple[str, Attachment | None]]] = {}
        self._frames: dict[str, tuple[Array, Array]] = {}
        self._seen: dict[tuple[str, str], Lying] = {}
        self._carriers: set[str] | None = None

    def elsewhere(self, surface: BeltSurface) -> list[tuple[str, Attachment | None]]:
        """Return the parts that do not move with a belt, each with what holds it."""
        found = self._elsewhere.get(surface.conveyor)
        if found is None:
            attached = self.state.attached
            each = [(part, attached.get(part)) for part in self.parts]
            found = [(part, held) for part, held in each if held is None or held.frame != surface.frame]
            self._elsewhere[surface.conveyor] = found
        return found

    def seen_from(self, surface: BeltSurface) -> Array:
        """Return the pose of the world in the frame of a belt (4, 4)."""
        return self._frame(surface)[1]

    def frame_of(self, surface: BeltSurface) -> Array:
        """Return the frame of a belt in the world (4, 4)."""
        return self._frame(surface)[0]

    def _frame(self, surface: BeltSurface) -> tuple[Array, Array]:
        """Return the frame of a belt in the world, and the world in the frame of the belt (4, 4)."""
        found = self._frames.get(surface.conveyor)
        if found is None:
            X = np.asarray(self.snapshot.base_pose(self.state, surface.conveyor).matrix @ surface.X_base)
            found = self._frames[surface.conveyor] = X, Pose(X).inverse().matrix
        return found

    def foot(self, part: str, surface: BeltSurface) -> Array:
        """Return the middle of the underside of a part on a belt, in the world (3,) [m]."""
        seen, X = self.lying(part, surface), self.frame_of(surface)
        return np.asarray(X[:3, :3] @ [seen.centre[0], seen.centre[1], seen.low[2]] + X[:3, 3])

    def turned(self, part: str, surface: BeltSurface, onto: BeltSurface) -> Array:
        """Return the pose of a part turned to lie on another belt (4, 4); its own if both are level."""
        up, wanted = self.frame_of(surface)[:3, 2], self.frame_of(onto)[:3, 2]
        if self.level(surface, onto):
            return np.asarray(self.poses[part])
        foot, turn = self.foot(part, surface), np.eye(4)
        turn[:3, :3] = smallest_turn(up, wanted)
        turn[:3, 3] = foot - turn[:3, :3] @ foot
        pose = turn @ self.poses[part]
        pose[:3, 3] += wanted * (onto.height - self.lying_at(part, onto, pose).low[2])
        return np.asarray(pose)

    def level(self, surface: BeltSurface, other: BeltSurface) -> bool:
        """Return whether the tops of two belts are parallel."""
        return bool(self.frame_of(surface)[:3, 2] @ self.frame_of(other)[:3, 2] > 1.0 - 1e-9)

    def reached(self, part: str, on: BeltSurface, surface: BeltSurface, ahead: Array) -> float:
        """Return how much of a part, or of its way ahead (3,) [m], is over another belt at its height [m²]."""
        X_belt = self._frame(surface)[1]
        low, high = self._box(part, X_belt)
        way = X_belt[:3, :3] @ ahead
        over = np.minimum(high + np.maximum(way, 0.0), [surface.ends[1], surface.sides[1], np.inf])
        over = over - np.maximum(low + np.minimum(way, 0.0), [surface.ends[0], surface.sides[0], -np.inf])
        height = float(X_belt[2, :3] @ self.foot(part, on) + X_belt[2, 3])
        near = abs(height - surface.height) <= (STEP if self.level(on, surface) else BEND)
        return float(over[0] * over[1]) if near and (over[:2] > _OVERLAP).all() else 0.0

    def lying(self, part: str, surface: BeltSurface) -> Lying:
        """Return a part in the frame of a belt."""
        found = self._seen.get((part, surface.conveyor))
        if found is None:
            found = self._seen[part, surface.conveyor] = self.lying_at(part, surface, self.poses[part])
        return found

    def lying_at(self, part: str, surface: BeltSurface, pose: Array) -> Lying:
        """Return a part in the frame of a belt, as if it were at a pose in the world (4, 4)."""
        X_belt = self._frame(surface)[1]
        low, high = self._box(part, X_belt, pose)
        centre = 0.5 * low + 0.5 * high
        for other in self._riders(part):
            more = self._box(other, X_belt)
            low, high = np.minimum(low, more[0]), np.maximum(high, more[1])
        held = self.state.attached.get(part)
        return Lying(part, low, high, centre, "" if held is None else held.frame)

    def _riders(self, part: str) -> list[str]:
        """Return what moves with a part. Most carry nothing, which is known without a search."""
        if self._carriers is None:
            self._carriers = {held.frame for held in self.state.attached.values()}
        return riders(self.state, part) if part in self._carriers else []

    def _box(self, part: str, X_belt: Array, pose: Array | None = None) -> tuple[Array, Array]:
        X = X_belt @ (self.poses[part] if pose is None else pose)
        corners = self.snapshot.body(part).mesh(SHAPE).vertices @ X[:3, :3].T + X[:3, 3]
        return corners.min(axis=0), corners.max(axis=0)
