"""The volume that moving bodies sweep, as a mesh: for the picture, and to keep others out of it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.collision.moving import Motions, Moving
from workcell.collision.zones import Zone
from workcell.errors import Cancelled, GeometryError, InvalidValue, Refused
from workcell.geometry.mesh import SWEPT, Mesh
from workcell.spatial.pose import Pose
from workcell.world.state import CellState

if TYPE_CHECKING:
    from manifold3d import Manifold

    from workcell.collision.bodies import CollisionModel
    from workcell.collision.tree import TriangleTree

Array = NDArray[np.float64]

_MOST_COPIES = 20_000


@dataclass(frozen=True)
class SweptVolume:
    """What moving bodies pass through.

    Attributes:
        mesh: the union of the bodies at the instants taken, in the world; its ``deviation`` is the tolerance.
        tolerance: every point that a body's mesh passes through is within this distance of the volume [m].
        instants: how many instants were taken.
        names: the bodies.
    """

    mesh: Mesh
    tolerance: float
    instants: int
    names: tuple[str, ...]

    def zone(self, name: str) -> Zone:
        """A keep-out zone of this volume; require at least ``tolerance`` as its margin to be on the safe side."""
        return Zone(name, self.mesh, Pose.identity(), "keep out")


class Leg(NamedTuple):
    """One part of a longer motion, in which the carriers stay the same.

    Attributes:
        motions: what moves, as for ``certify``.
        state: where everything else is, and who carries what.
        names: bodies, objects or robots whose volume is wanted; everything that moves if there are none.
    """

    motions: Motions
    state: CellState
    names: tuple[str, ...] = ()


def swept_volume(
    model: CollisionModel,
    motions: Motions,
    names: tuple[str, ...] = (),
    state: CellState | None = None,
    tolerance: float = 5e-3,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> SweptVolume:
    """The volume that bodies sweep during motions.

    Args:
        model: the bodies.
        motions: what moves, as for ``certify``.
        names: bodies, objects or robots whose volume is wanted; everything that moves by default.
        state: where everything else is, and who carries what.
        tolerance: how far the volume may fall short of the true one [m].
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    leg = Leg(motions, model.snapshot.initial if state is None else state, names)
    return swept_along(model, [leg], tolerance, progress, cancel)


def swept_along(
    model: CollisionModel,
    legs: Sequence[Leg],
    tolerance: float = 5e-3,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> SweptVolume:
    """The volume that bodies sweep during several motions one after the other; see :func:`swept_volume`."""
    if not (math.isfinite(tolerance) and tolerance > 0.0):
        raise InvalidValue(f"The tolerance of a swept volume must be above 0 mm, not {tolerance * 1e3:g} mm.")
    swept: dict[int, list[Manifold]] = {}
    copies: list[tuple[list[int], Array]] = []
    for leg in legs:
        moving = Moving(model, leg.state, leg.motions)
        places = _places(model, moving, leg.names)
        if places:
            for place in places:
                swept.setdefault(place, [])
            times = _instants(moving, np.array(places, dtype=np.int32), tolerance)
            copies += [(places, X) for X in _poses(moving, times)[:, moving.arrangement.frame]]
    if not copies:
        raise Refused("None of the bodies named moves, so they sweep nothing.")
    if len(copies) > _MOST_COPIES:
        raise _too_many(tolerance)
    for place, shells in swept.items():
        if not model.bodies[place].tree.closed:
            raise Refused(f"{model.bodies[place].name} is an open mesh and has no volume to sweep.")
        shells += _shells(model.bodies[place].tree)
    mesh = _mesh(_united(swept, copies, progress, cancel))
    deviation = tolerance + max(model.bodies[place].tree.deviation for place in swept)
    named = Mesh(*mesh, np.zeros(len(mesh[1]), np.int32), (SWEPT,), deviation=deviation)
    return SweptVolume(named, tolerance, len(copies), tuple(model.bodies[place].name for place in sorted(swept)))


def _places(model: CollisionModel, moving: Moving, names: tuple[str, ...]) -> list[int]:
    """Return the bodies that are wanted and move."""
    wanted = sorted({place for name in names for place in model.bodies_called(name)})
    frame = moving.arrangement.frame
    return [
        place
        for place in wanted or range(len(model.bodies))
        if moving.above[frame[place]] > 0 and not model.bodies[place].untouchable
    ]


def _united(
    shells: dict[int, list[Manifold]],
    copies: list[tuple[list[int], Array]],
    progress: Callable[[float, str], None] | None,
    cancel: threading.Event | None,
) -> Manifold:
    """Return the union of bodies at their poses.

    Neighbouring instants overlap most, so they are united first, and the unions of equal age with each other.
    """
    waiting: list[tuple[int, Manifold]] = []
    for number, (places, X) in enumerate(copies):
        if cancel is not None and cancel.is_set():
            raise Cancelled("The swept volume was cancelled.")
        if progress is not None:
            progress(number / len(copies), f"place {number + 1} of {len(copies)}")
        parts = []
        for place in places:
            matrix = np.hstack([X[place, :9].reshape(3, 3), X[place, 9:, None]])
            parts += [shell.transform(matrix) for shell in shells[place]]
        age, union = 0, _union(parts)
        while waiting and waiting[-1][0] == age:
            age, union = age + 1, _union([waiting.pop()[1], union])
        waiting.append((age, union))
    return _union([union for _, union in waiting])


def _mesh(whole: Manifold) -> tuple[Array, NDArray[np.int32]]:
    """Return the corners and triangles of a solid."""
    found = whole.to_mesh64() if hasattr(whole, "to_mesh64") else whole.to_mesh()
    triangles = np.array(found.tri_verts, dtype=np.int32)
    if not len(triangles):
        raise GeometryError("The swept volume came out empty.")
    return np.array(found.vert_properties[:, :3], dtype=np.float64), triangles


def _too_many(tolerance: float) -> Refused:
    return Refused(
        f"The swept volume would take more than {_MOST_COPIES} copies of the bodies; "
        f"allow a tolerance of more than {tolerance * 1e3:g} mm."
    )


def _union(parts: list[Manifold]) -> Manifold:
    """All of them together, worked out at once, so that the time it takes is spent here."""
    import manifold3d

    whole = manifold3d.Manifold.batch_boolean(parts, manifold3d.OpType.Add)
    whole.num_tri()
    return whole


def _instants(moving: Moving, places: NDArray[np.int32], tolerance: float) -> Array:
    """Instants so close that no point of the bodies gets farther than the tolerance from where it is at one of them."""
    from workcell.collision import _kernels_strays

    arrangement = moving.arrangement
    starts, ends = np.zeros(1), np.array([moving.duration])
    done: list[float] = [0.0, moving.duration]
    while len(starts):
        middles = 0.5 * (starts + ends)
        Q, free = moving.rows(middles)
        dQ, ways, turns = moving.bounds(starts, ends, Q)
        stray = np.empty(len(starts))
        _kernels_strays.strays(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.scratch(), Q, dQ,
            free, ways, turns, places, stray,
        )  # fmt: skip
        good = stray <= tolerance
        done += middles[good].tolist()
        if len(done) + 2 * int((~good).sum()) > _MOST_COPIES:
            raise _too_many(tolerance)
        starts, ends = (
            np.concatenate([starts[~good], middles[~good]]),
            np.concatenate([middles[~good], ends[~good]]),
        )
    return np.unique(np.array(done))


def _poses(moving: Moving, times: Array) -> Array:
    from workcell.collision import _kernels_poses

    arrangement = moving.arrangement
    Q, free = moving.rows(times)
    poses = np.repeat(arrangement.still[None], len(times), axis=0)
    _kernels_poses.place(arrangement.frames, arrangement.which, Q, free, poses)
    return poses


def _shells(tree: TriangleTree) -> list[Manifold]:
    """The closed shells of a mesh, each a solid of its own so that overlapping ones unite, without its cavities."""
    import manifold3d

    corners, index = np.unique(np.round(tree.triangles.reshape(-1, 3), 12), axis=0, return_inverse=True)
    mesh = manifold3d.Mesh64(corners, index.reshape(-1, 3).astype(np.uint64))
    solid = manifold3d.Manifold(mesh)
    if solid.is_empty() or solid.status() != manifold3d.Error.NoError:
        raise GeometryError(f"A mesh of {len(tree.triangles)} triangles is not a clean solid: {solid.status()}.")
    shells = sorted((shell for shell in solid.decompose() if shell.volume() > 0.0), key=lambda shell: shell.volume())
    for inner in (shell for shell in solid.decompose() if shell.volume() < 0.0):
        cavity = _turned(inner)
        for number, shell in enumerate(shells):  # the smallest first: the one that it is a cavity of
            if (shell ^ cavity).volume() > 0.5 * cavity.volume():
                shells[number] = shell - cavity
                break
    return shells


def _turned(shell: Manifold) -> Manifold:
    """A shell with its inside out."""
    import manifold3d

    mesh = shell.to_mesh64()
    triangles = np.ascontiguousarray(np.asarray(mesh.tri_verts, dtype=np.uint64)[:, ::-1])
    return manifold3d.Manifold(manifold3d.Mesh64(np.array(mesh.vert_properties), triangles))
