"""Where an imported thing stands in the scene: at a pose, on a point, or beside everything that is there."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.commands.language.values import Vector
from workcell.errors import Refused
from workcell.spatial.transform import Transform, Translate
from workcell.world.placing import put_in_scene

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.entities import Entity

Box: TypeAlias = NDArray[np.float64]
"""The lowest and the highest corner (2, 3) [m]."""
GAP = 0.2
"""The least distance from everything else [m]."""
_STEP = 0.1
"""A free place is a multiple of this along x [m]."""
_STORE = -5000.0
"""What is lower is not in the cell yet, or no longer [m]."""
ON = Vector()
PLACE_HELP = {
    "pose": "put it into the scene, with its origin there",
    "point": "put it into the scene, standing there: the middle of its underside is at this point",
    "beside": "put it into the scene, standing on the floor beside everything else",
}


@dataclass(frozen=True)
class Wanted:
    """What a command was given about the place; at most one of them.

    Attributes:
        pose: of the origin.
        point: below the middle of the thing [m].
        beside: whether a free place is looked for.
    """

    pose: Transform | None = None
    point: tuple[float, ...] | None = None
    beside: bool = False

    def __post_init__(self) -> None:
        given = {"`at`": self.pose is not None, "`on`": self.point is not None, "`--beside`": self.beside}
        words = [word for word, is_given in given.items() if is_given]
        if len(words) > 1:
            raise Refused(f"{' and '.join(words)} are two answers to where it goes; give one of them.")

    def __bool__(self) -> bool:
        return self.pose is not None or self.point is not None or self.beside


def put_down(session: Session, thing: Entity, wanted: Wanted) -> str:
    """Put a new thing into the scene; the journal keeps the pose. Return a sentence about where it is."""
    pose = wanted.pose
    if pose is None:
        around = _Around(session)
        put_in_scene(session, thing, Transform())
        pose = _shift(standing(around.new(), around.there, wanted.point))
        session.resolve(pose=pose, point=None, beside=False)
    put_in_scene(session, thing, pose)
    units = session.units
    where = ", ".join(f"{units.from_si(float(value), 'length'):.6g}" for value in pose.matrix[:3, 3])
    return f"placed at {where} {units.length}"


class FreeFloor:
    """Looks for a free place on the floor for robots: made before they are, and asked when they stand at the origin."""

    def __init__(self, session: Session) -> None:
        self._session, self._around = session, _Around(session)

    def place(self) -> Transform:
        """Return where the origin of the robots goes; the journal keeps it."""
        own = self._around.new()
        pose = _shift((beside(0.0 if own is None else float(own[0, 0]), self._around.there), 0.0, 0.0))
        self._session.resolve(pose=pose, beside=False)
        return pose


class _Around:
    """What is in the scene before something new is."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._names = frozenset(body.name for body in session.seen()[0].bodies)
        self.there = boxes(session)

    def new(self) -> Box | None:
        """Return the box of what is new."""
        return boxes(self._session, self._names)


def _shift(xyz: tuple[float, float, float]) -> Transform:
    x, y, z = (round(value, 6) + 0.0 for value in xyz)
    return Transform((Translate((x, y, z)),))


def standing(own: Box | None, there: Box | None, point: tuple[float, ...] | None) -> tuple[float, float, float]:
    """Return where the origin of a thing goes [m].

    Args:
        own: its box if its origin is that of the world; None if it has no shape.
        there: the box of everything else; None if there is nothing.
        point: what it stands on; None for a free place on the floor.
    """
    low, high = ([0.0] * 3, [0.0] * 3) if own is None else own.tolist()
    x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    if point is not None:
        return point[0] - x, point[1] - y, point[2] - low[2]
    return beside(low[0], there), -y, -low[2]


def beside(low: float, there: Box | None) -> float:
    """Return where along x an origin goes so that nothing is near the thing, which begins at ``low`` from it [m]."""
    end = 0.0 if there is None else max(0.0, float(there[1, 0]))
    return ceil((end + GAP - low) / _STEP - 1e-6) * _STEP


def boxes(session: Session, without: Container[str] = ()) -> Box | None:
    """Return the box around everything in the scene, some bodies aside; None if there is nothing."""
    snapshot, state = session.seen()
    corners = []
    for body, X in zip(snapshot.bodies, snapshot.body_poses(state), strict=True):
        low, high = body.bounds()
        if body.name in without or np.isnan(low[0]) or X[2, 3] < _STORE:
            continue
        local = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, 8).T
        corners.append(local @ X[:3, :3].T + X[:3, 3])
    if not corners:
        return None
    found = np.concatenate(corners)
    return np.array([found.min(axis=0), found.max(axis=0)])
