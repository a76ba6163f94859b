"""The tops of conveyors: where parts lie, in a frame along the belt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.world.conveyors import is_conveyor

if TYPE_CHECKING:
    from workcell.world.placed import PlacedRobot
    from workcell.world.snapshot import Snapshot

Array = NDArray[np.float64]

_SHAPE = 1e-4
"""The greatest distance of the mesh of a conveyor from its solid [m]."""
_TOP = 1e-9
"""Everything within this distance below the highest point of a conveyor is its top [m]."""


@dataclass(frozen=True)
class BeltSurface:
    """The top of a conveyor.

    Attributes:
        conveyor: its conveyor.
        frame: the body that moves with the belt, on which parts ride.
        bed: the body under the belt.
        X_base: the frame of the surface in the base of the conveyor (4, 4): x along the belt, z up from it.
        ends: the begin and end of the flat top along x [m].
        sides: its begin and end along y [m].
        height: its z [m].
        reach: the begin and end of the whole body along x, including rollers [m].
    """

    conveyor: str
    frame: str
    bed: str
    X_base: Array
    ends: tuple[float, float]
    sides: tuple[float, float]
    height: float
    reach: tuple[float, float]

    @property
    def length(self) -> float:
        """The length of the flat top [m]."""
        return self.ends[1] - self.ends[0]

    @property
    def width(self) -> float:
        """The width of the flat top [m]."""
        return self.sides[1] - self.sides[0]


def belt_surfaces(snapshot: Snapshot) -> tuple[BeltSurface, ...]:
    """The tops of all conveyors of a cell that have a shape."""
    found = (_surface(snapshot, placed) for placed in snapshot.robots if is_conveyor(placed.robot))
    return tuple(one for one in found if one is not None)


def _surface(snapshot: Snapshot, placed: PlacedRobot) -> BeltSurface | None:
    if min(placed.bodies) < 0:
        return None
    bed, belt = (snapshot.bodies[place] for place in (placed.bodies[0], placed.bodies[-1]))
    if not bed.touchable:
        return None
    frames = [np.asarray(placed.robot.frames(np.array([q]))) for q in (0.0, 1.0)]
    along = frames[1][-1][:3, 3] - frames[0][-1][:3, 3]
    up = np.array([0.0, 0.0, 1.0])
    up = up - along * (up @ along)
    X = np.eye(4)
    X[:3, 0], X[:3, 2] = along, up / np.linalg.norm(up)
    X[:3, 1] = np.cross(X[:3, 2], along)
    corners = bed.mesh(_SHAPE).vertices @ frames[0][0][:3, :3].T + frames[0][0][:3, 3]
    rows = corners @ X[:3, :3]
    top = rows[rows[:, 2] >= rows[:, 2].max() - _TOP]
    (x0, y0, _), (x1, y1, z) = top.min(axis=0).tolist(), top.max(axis=0).tolist()
    reach = float(rows[:, 0].min()), float(rows[:, 0].max())
    return BeltSurface(placed.name, belt.name, bed.name, X, (x0, x1), (y0, y1), z, reach)
