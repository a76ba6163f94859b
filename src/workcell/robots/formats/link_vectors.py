"""The strokes of a link file and the solids that they draw: each face is a closed loop of one move and draws."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import DEFAULT_TOLERANCE, Mesh, weld
from workcell.geometry.recipe import Triangles
from workcell.geometry.solid import Solid

Array = NDArray[np.float64]
MOVE, DRAW = 0.0, 1.0


def strokes_of(solids: Iterable[Solid], unit: float, tolerance: float = DEFAULT_TOLERANCE) -> Array:
    """The loops of solids as rows x, y, z, d in a length unit [m]: flat convex faces whole, others as triangles.

    Curved faces are drawn as triangles within the tolerance [m].
    """
    loops = [loop for solid in solids for loop in _loops_of(solid.mesh(tolerance))]
    rows = []
    for loop in loops:
        closed = np.vstack([loop, loop[:1]]) / unit
        rows.append(np.column_stack([closed, [MOVE] + [DRAW] * len(loop)]))
    return np.vstack(rows) if rows else np.zeros((0, 4))


def _loops_of(mesh: Mesh) -> list[Array]:
    loops = []
    for face in range(len(mesh.face_names)):
        triangles = mesh.triangles[mesh.face_of_triangle == face]
        if not len(triangles):
            continue
        whole = _outline(mesh.vertices, triangles)
        loops += [mesh.vertices[triangle] for triangle in triangles] if whole is None else [whole]
    return loops


def _outline(vertices: Array, triangles: NDArray[np.int32]) -> Array | None:
    """The outline of a flat face that is one strictly convex polygon; None for others."""
    edges = {(int(a), int(b)) for t in triangles for a, b in zip(t, np.roll(t, -1), strict=True)}
    after = {a: b for a, b in edges if (b, a) not in edges}
    if len(after) != len(triangles) + 2:  # a polygon of k corners has k - 2 triangles; holes and loose parts do not
        return None
    loop = [next(iter(after))]
    while after.get(loop[-1], loop[0]) != loop[0] and len(loop) <= len(after):
        loop.append(after[loop[-1]])
    if len(loop) != len(after):
        return None
    corners = vertices[loop]
    sides = np.roll(corners, -1, axis=0) - corners
    turns = np.cross(sides, np.roll(sides, -1, axis=0))
    lengths = np.linalg.norm(turns, axis=1)
    scale = float(np.linalg.norm(sides, axis=1).max()) ** 2
    if lengths.min() < 1e-9 * scale:
        return None
    units = turns / lengths[:, None]
    return corners if (units @ units[0]).min() > 1.0 - 1e-9 else None


def solids_of(strokes: Array, unit: float) -> list[Solid]:
    """The solids inside closed loops; none if the strokes are not the faces of solids.

    Loops follow each other until they close. A closed shell in the opposite direction is a cavity of the one before.
    """
    shells = _shells(np.asarray(strokes, dtype=np.float64), unit)
    if not shells:
        return []
    meshes: list[list[Array]] = []
    way = np.sign(_volume(shells[0]))
    for shell in shells:
        if meshes and _volume(shell) * way < 0.0:
            meshes[-1].append(shell)
        else:
            meshes.append([shell])
    solids = []
    for group in meshes:
        vertices, triangles = weld(np.concatenate(group) if way > 0.0 else np.concatenate(group)[:, ::-1])
        mesh = Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int32))
        solids.append(Solid(Triangles.of(mesh)))
    return solids


def _shells(strokes: Array, unit: float) -> list[Array]:
    """The closed shells of triangles (m, 3, 3) [m] that successive loops make; empty if one stays open."""
    starts = np.flatnonzero(strokes[:, 3] == MOVE)
    if not len(starts) or starts[0] != 0:
        return []
    shells: list[Array] = []
    corners: list[Array] = []
    open_: dict[tuple[bytes, bytes], int] = {}
    met: dict[bytes, Array] = {}  # corners that agree to a tenth of a nanometre are one: the first
    points = strokes[:, :3] * unit
    for rough, exact in zip(*(np.split(p, starts[1:]) for p in (np.round(points, 10) + 0.0, points)), strict=True):
        keys = [point.tobytes() for point in rough]
        if len(keys) < 4 or keys[0] != keys[-1]:
            return []
        loop = [met.setdefault(key, point) for key, point in zip(keys, exact, strict=True)]
        for a, b in itertools.pairwise(keys):
            other = open_.pop((b, a), 0)
            if other > 1:
                open_[b, a] = other - 1
            elif not other:
                open_[a, b] = open_.get((a, b), 0) + 1
        corners += [np.array([loop[0], loop[i], loop[i + 1]]) for i in range(1, len(loop) - 2)]
        if not open_:
            shells.append(np.array(corners))
            corners = []
    return [] if open_ else shells


def _volume(triangles: Array) -> float:
    a, b, c = np.moveaxis(triangles, 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)
