"""Two meshes where they are: how far apart, or where they touch, how deep, and which way out is the shortest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.frame_tree import frozen
from workcell.collision.pieces import no_pieces
from workcell.collision.tree import TriangleTree

Array = NDArray[np.float64]

_WAYS = 24
"""How many directions of faces are tried as ways out."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two meshes at two poses (12 numbers each); what is asked of them is worked out once."""

    first: TriangleTree
    second: TriangleTree
    X_first: Array
    X_second: Array

    @cached_property
    def meets(self) -> bool:
        """Whether the two meshes touch, or one is inside the other."""
        from workcell.collision import _kernels_meshes

        roots, _, start, seeds, pieces = self._bodies
        places = frozen(roots, np.arange(2, dtype=np.int32), start, seeds)
        one, other, margins = frozen(np.zeros(1, np.int32), np.ones(1, np.int32), np.zeros(1))
        kinds, hits = np.zeros(1, np.int32), np.empty((1, 2), np.int32)
        poses = np.stack([self.X_first, self.X_second])
        _kernels_meshes.pairs_within(self._joined, (*places, pieces), poses, one, other, margins, kinds, hits)
        return bool(kinds[0])

    @cached_property
    def gap(self) -> tuple[float, Array, Array]:
        """The distance of the two surfaces [m] and the nearest points (3,), (3,)."""
        from workcell.collision import _kernels_meshes

        here, there = np.empty(3), np.empty(3)
        distance = _kernels_meshes.gap(self._joined, len(self.first.box), self.X_first, self.X_second, here, there)
        return float(distance), here, there

    @cached_property
    def touches(self) -> tuple[Array, Array]:
        """Points (k, 3) where triangles touch, and the unit normals (k, 3) of the second mesh there."""
        from workcell.collision import _coal

        points, faces = _coal.contacts(self.first, self.X_first, self.second, self.X_second)
        normals = _unit_normals(self.second.triangles[faces]) @ self.X_second[:9].reshape(3, 3).T
        points.flags.writeable = normals.flags.writeable = False
        return points, normals

    @cached_property
    def way_out(self) -> tuple[float, Array]:
        """How far [m] and along which unit vector the second mesh must be shifted to be free of the first.

        The ways tried are the directions of faces, those that touch first; the shortest counts. The true depth,
        over all directions, is at most this.
        """
        from workcell.collision import _kernels_meshes

        rotation = self.X_first[:9].reshape(3, 3)
        rel = np.empty(12)
        rel[:9] = (rotation.T @ self.X_second[:9].reshape(3, 3)).reshape(9)
        rel[9:] = rotation.T @ (self.X_second[9:] - self.X_first[9:])
        ways = self._ways(rel[:9].reshape(3, 3))
        limit = 2.0 * float(np.linalg.norm(self.first.box[0, 3:]) + np.linalg.norm(self.second.box[0, 3:])) + 1e-3
        depth, which = _kernels_meshes.least_shift(self._joined, self._bodies, rel, ways, limit)
        return float(depth), rotation @ ways[which] if which >= 0 else np.zeros(3)

    def _ways(self, R_first_second: Array) -> Array:
        """Candidate directions in the frame of the first mesh: out of its faces, and against those of the second."""
        mine = main_directions(self.first.triangles)
        yours = -main_directions(self.second.triangles) @ R_first_second.T
        ways = np.vstack([mine[:_WAYS], yours[:_WAYS]])
        _, keep = np.unique(np.round(ways, 6), axis=0, return_index=True)
        return np.ascontiguousarray(ways[np.sort(keep)])

    @cached_property
    def _bodies(self) -> Any:
        """The two as bodies in the frame of the first."""
        start = np.array([0, len(self.first.seeds), len(self.first.seeds) + len(self.second.seeds)], dtype=np.int32)
        roots = np.array([0, len(self.first.box)], dtype=np.int32)
        seeds = np.concatenate([self.first.seeds, self.second.seeds])
        return (*frozen(roots, np.zeros(2, dtype=np.int32), start, seeds), no_pieces(2))

    @cached_property
    def _joined(self) -> Any:
        from workcell.collision import _kernels_meshes

        a, b = self.first, self.second
        joined = _kernels_meshes.join(a.box, a.link, a.triangles, a.kind, b.box, b.link, b.triangles, b.kind)
        for array in joined:
            array.flags.writeable = False
        return joined


def main_directions(triangles: Array) -> Array:
    """Unit normals of the flat parts of a mesh (k, 3), the greatest area first."""
    corners = triangles.reshape(-1, 3, 3)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(cross, axis=1)
    unit = np.round(cross / area[:, None], 9)
    directions, inverse = np.unique(unit, axis=0, return_inverse=True)
    sums = np.bincount(inverse.reshape(-1), weights=area)
    best = directions[np.argsort(-sums, kind="stable")]
    return np.asarray(best / np.linalg.norm(best, axis=1, keepdims=True))


def _unit_normals(triangles: Array) -> Array:
    corners = triangles.reshape(-1, 3, 3)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(cross / np.linalg.norm(cross, axis=1, keepdims=True))
