"""The corners of the convex hull of a mesh. They separate most pairs of bodies before any triangle is tested."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FEW = 16
"""A mesh with no more corners than this keeps them all."""
_MOST = 40_000
"""A mesh with more triangles than this goes without: the hull would take too long."""
_WIDE = 768
"""A hull with more corners than this is left out: looking through them takes longer than the boxes do."""
_BEYOND = 1e-12
"""How far rounding may put a corner outside its hull, as a part of the size."""
_SLIVER = 1e-12
"""Faces of the hull with less area than this part of the size squared have no normal."""


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


def no_hulls(bodies: int) -> tuple[NDArray[np.int32], Array]:
    """Return the tables of bodies without hulls: where the corners of each are (B, 2), and no corners (3, 0)."""
    return np.zeros((bodies, 2), dtype=np.int32), np.empty((3, 0))
