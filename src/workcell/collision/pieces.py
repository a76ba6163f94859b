"""The convex pieces of a mesh. They settle most pairs of bodies before any triangle is tested.

A piece is the convex hull of one shell of the mesh. Hulls that are apart prove that the shells are. Where the shell is
its own hull, as that of a box or a cylinder, pieces that meet prove that the shells do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.collision.frame_tree import frozen

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_FEW = 16
"""A shell with no more corners than this keeps them all."""
_MOST = 40_000
"""A shell with more triangles than this goes without: the hull would take too long."""
_WIDE = 768
"""A hull with more corners than this is left out: looking through them takes longer than the boxes do."""
_BEYOND = 1e-12
"""How far rounding may put a corner outside its hull, as a part of the size."""
_SLIVER = 1e-12
"""Faces of the hull with less area than this part of the size squared have no normal."""
_MANY = 12
"""A mesh with more shells than this is one piece: looking through many takes longer than the boxes do."""


class Piece(NamedTuple):
    """The convex hull of a shell.

    Attributes:
        corners: (n, 3) points whose hull holds the shell; a multiple of four, or none where that is not worthwhile.
        box: (6,) centre and half sizes of the box around the shell.
        convex: whether the shell is closed and is its own hull.
        volume: of the shell, where it is convex; otherwise 0 [m³].
    """

    corners: Array
    box: Array
    convex: bool
    volume: float


def pieces_of(triangles: Array, shells: Ints, closed: NDArray[np.bool_]) -> tuple[Piece, ...]:
    """Return the pieces of a mesh, the largest first.

    Args:
        triangles: (m, 9) corners of the triangles.
        shells: (m,) the number of the shell of each triangle, from 0.
        closed: (m,) whether the shell of each triangle closes.
    """
    count = int(shells.max()) + 1
    if count > _MANY:
        return (_piece(triangles, False),)
    found = [_piece(triangles[shells == k], bool(closed[shells == k].all())) for k in range(count)]
    return tuple(sorted(found, key=lambda piece: -float(np.prod(piece.box[3:]))))


def _piece(triangles: Array, closed: bool) -> Piece:
    corners = triangles.reshape(-1, 3)
    low, high = corners.min(axis=0), corners.max(axis=0)
    found = hull_corners(triangles)
    volume = _volume_if_convex(triangles, found) if closed else 0.0
    return Piece(found, np.concatenate([0.5 * (low + high), 0.5 * (high - low)]), volume > 0.0, volume)


def _volume_if_convex(triangles: Array, corners: Array) -> float:
    """Return the volume of a closed shell that is its own hull: no corner lies beyond a triangle; otherwise 0."""
    if not len(corners):
        return 0.0
    middle = corners.mean(axis=0)
    a, b, c = (triangles.reshape(-1, 3, 3)[:, k] - middle for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    normals = normals / lengths[:, None]
    beyond = float(((corners - middle) @ normals.T - np.einsum("ij,ij->i", a, normals)).max())
    size = float(np.ptp(corners, axis=0).max())
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0) if beyond <= _BEYOND * size else 0.0


def hull_corners(triangles: Array) -> Array:
    """Return points (n, 3) whose convex hull holds all corners of triangles (m, 9); none where that is not worthwhile.

    The number of points is a multiple of four; the last one is repeated.
    """
    if len(triangles) > _MOST:
        return np.empty((0, 3))
    corners = np.unique(triangles.reshape(-1, 3), axis=0)
    found = corners if len(corners) <= _FEW else _outermost(corners)
    if len(found) > _WIDE:
        return np.empty((0, 3))
    return np.concatenate([found, np.repeat(found[-1:], -len(found) % 4, axis=0)])


def _outermost(corners: Array) -> Array:
    """Return the corners of the hull, or all corners where it is flat."""
    from manifold3d import Manifold

    size = float(np.ptp(corners, axis=0).max())
    hull = Manifold.hull_points(corners).to_mesh64()
    points, faces = np.asarray(hull.vert_properties)[:, :3], np.asarray(hull.tri_verts)
    if not len(faces):
        return corners
    a, b, c = points[faces[:, 0]], points[faces[:, 1]], points[faces[:, 2]]
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    good = lengths > _SLIVER * size * size
    normals, a = normals[good] / lengths[good, None], a[good]
    # The hull is made to a tolerance of its own, so corners that lie outside one of its faces are added.
    heights = corners @ normals.T - np.einsum("ij,ij->i", a, normals)
    outside = heights.max(axis=1) > _BEYOND * size
    return np.concatenate([points, corners[outside]])


@lru_cache(maxsize=64)
def no_pieces(bodies: int) -> tuple[Any, ...]:
    """Return the tables of bodies without pieces, as :func:`packed_pieces` does."""
    return packed_pieces([()] * bodies, [str(k) for k in range(bodies)])


def packed_pieces(pieces: Sequence[Sequence[Piece]], keys: Sequence[str]) -> tuple[Any, ...]:
    """Return the pieces of bodies as the kernels take them, those with the same key once.

    These are from where to where each body's pieces are (B, 2), from where to where the corners of each piece are
    (P, 2), their boxes (P, 6), 1 where they are convex (P,), their volumes (P,), and all corners (3, N).
    """
    known: dict[str, tuple[int, int]] = {}
    found: list[Piece] = []
    for some, key in zip(pieces, keys, strict=True):
        if key not in known:
            known[key] = (len(found), len(found) + len(some))
            found += some
    ends = np.cumsum([0, *(len(piece.corners) for piece in found)])
    return frozen(
        np.array([known[key] for key in keys], dtype=np.int32).reshape(-1, 2),
        np.stack([ends[:-1], ends[1:]], axis=1).astype(np.int32),
        np.array([piece.box for piece in found]).reshape(-1, 6),
        np.array([piece.convex for piece in found], dtype=np.uint8),
        np.array([piece.volume for piece in found], dtype=np.float64),
        np.concatenate([np.empty((0, 3)), *(piece.corners for piece in found)]).T.copy(),
    )
