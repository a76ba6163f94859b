"""Where a part may be put: at a pose, or somewhere on top of something."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.collision.bodies import CollisionModel
from workcell.collision.check import check
from workcell.collision.supports import supported
from workcell.geometry.mesh import Mesh
from workcell.simulation.falling import room_below
from workcell.simulation.piles import SHAPE
from workcell.spatial.pose import Pose
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

_TURNS = (0, 90, 180, 270, 45, 135, 225, 315)
"""The turns about the vertical that are tried for a part that is put on something [deg]."""
_SKIP = 2
"""A place that is taken in so many turns is not looked at in others."""
_ROUND = 4e-4
"""The corners and faces of the mesh of a ball are as far from its centre as each other but for this [m]."""
_STEPS = 2
"""How many places to each side of the middle are tried."""
CLEAR = 3e-4
"""From how far above its place a part is released, because meshes of round things deviate [m]; it settles there."""
_RIGHT = 0.5 * math.pi
_HIGH = 1.0
"""From how far above something a part is let down onto it to find where it comes to rest [m]."""


@dataclass(frozen=True)
class Spot:
    """A place for a part.

    Attributes:
        name: what messages call it.
        X_world_part: where the part would be.
        on: what it is to stand on; '' for whatever is below.
    """

    name: str
    X_world_part: Pose
    on: str


def spots_on(model: CollisionModel, state: CellState, part: str, support: str) -> Iterator[Spot]:
    """Yield places on top of something that are not taken, the middle first.

    The part is as upright there as it was in the initial state.

    Args:
        model: what exists, and what may touch.
        state: where everything is.
        part: the body that is put there.
        support: the body that it is put on.
    """
    snapshot = model.snapshot
    X_world_support = snapshot.body_pose(state, support)
    top = X_world_support.rotation @ snapshot.body(support).mesh(SHAPE).vertices.T + X_world_support.xyz[:, None]
    low, high = top.min(axis=1), top.max(axis=1)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    mesh = snapshot.body(part).mesh(SHAPE)
    vertices = mesh.vertices
    ball, upright = _is_ball(mesh), snapshot.body_pose(snapshot.initial, part).rotation
    for x, y in _offsets():
        free = False
        for number, turn in enumerate(_TURNS):
            if number == _SKIP and not free:
                break
            R = Pose.from_axis_angle((0.0, 0.0, 1.0), math.radians(turn)).rotation @ upright
            turned = vertices @ R.T
            centre = 0.5 * (turned.min(axis=0) + turned.max(axis=0))
            room = np.maximum(half - 0.5 * (turned.max(axis=0) - turned.min(axis=0)), 0.0)
            place = middle + np.array([x, y, 0.0]) * room - centre
            place[2] = high[2] + _HIGH
            X = _let_down(snapshot, state, part, support, Pose.from_rotation(R, place))
            if X is None or taken(model, state, part, X):
                continue
            free = True
            for one in _rolled(X, vertices) if ball else (X,):
                yield Spot(_named(support, x, y), one, support)


def _is_ball(mesh: Mesh) -> bool:
    """Return whether a part is a ball, which may stand on any side: its corners and faces are equally far out."""
    vertices = mesh.vertices
    points = np.vstack([vertices, vertices[mesh.triangles].mean(axis=1)])
    radii = np.linalg.norm(points - 0.5 * (vertices.min(axis=0) + vertices.max(axis=0)), axis=1)
    return bool(radii.max() - radii.min() < _ROUND)


def _rolled(X: Pose, vertices: Array) -> Iterator[Pose]:
    """Yield a pose of a ball, and those with which it lies at the same place on another side."""
    centre = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    place = X.rotation @ centre + X.xyz
    yield X
    for axis, angle in itertools.product(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), (_RIGHT, -_RIGHT)):
        R = Pose.from_axis_angle(axis, angle).rotation @ X.rotation
        yield Pose.from_rotation(R, place - R @ centre)


def _offsets() -> list[tuple[float, float]]:
    """Return places as parts of the room to each side of the middle, the nearest to the middle first."""
    steps = [k / _STEPS for k in range(-_STEPS, _STEPS + 1)]
    return sorted(itertools.product(steps, steps), key=lambda one: (abs(one[0]) + abs(one[1]), one))


def _named(support: str, x: float, y: float) -> str:
    return f"in the middle of {support}" if x == y == 0.0 else f"beside the middle of {support}"


def taken(model: CollisionModel, state: CellState, part: str, X: Pose) -> bool:
    """Return whether a part that stands at a pose would touch anything but robots, which can move away."""
    attached = {name: held for name, held in state.attached.items() if name != part}
    there = state.with_(attached=attached, poses={**state.poses, part: X})
    contacts = check(supported(model, there, [part], there), there).contacts
    links = {body.name for body in model.bodies if body.is_link}
    return any(part in one.pair and not links & {*one.pair} for one in contacts)


def _let_down(snapshot: Snapshot, state: CellState, part: str, support: str, X: Pose) -> Pose | None:
    """Return where a part comes to rest on a body when it is let down from a pose; None if it misses the body."""
    frames = {
        part: X.matrix,
        support: snapshot.body_pose(state, support).matrix,
    }
    fall, on = room_below(snapshot, frames, [part], [support])
    return Pose.from_xyz(0.0, 0.0, CLEAR - fall) @ X if on == support else None
