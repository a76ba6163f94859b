"""Separate material that touches itself along an edge, so that every edge of the mesh has two triangles again.

Two wedges of material that share an edge have four triangles there. Each wedge gets corners of its own, or, if the
wedges are connected at the ends of the edge, a middle point of its own. The surface stays the same, and
a walk from triangle to triangle stays on one wedge.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.groups import groups
from workcell.geometry.mesh import Mesh

Ints = NDArray[np.int64]


def parted(mesh: Mesh) -> Mesh:
    """The mesh with separated wedges where they share an edge; the mesh itself if there are none."""
    if not len(mesh.open_edges):
        return mesh
    sides = _Sides(mesh)
    if not len(sides.crowded):
        return mesh
    mesh = _renumbered(mesh, sides)
    sides = _Sides(mesh)
    return _halved(mesh, sides) if len(sides.crowded) else mesh


class _Sides:
    """The sides of all triangles: number 3·t + k runs from corner k of triangle t to the next.

    Attributes:
        ends: (n, 2) the vertices of each side.
        plain: (m, 2) the two sides of each edge that two triangles share.
        crowded: for each edge that more triangles share, its sides in pairs (k, 2) with material between them.
    """

    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh
        ends = np.stack([mesh.triangles[:, [k, (k + 1) % 3]] for k in range(3)], axis=1)
        self.ends = ends.reshape(-1, 2).astype(np.int64)
        self._forward = self.ends[:, 0] < self.ends[:, 1]
        key = self.ends.min(axis=1) * len(mesh.vertices) + self.ends.max(axis=1)
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.concatenate([[True], key[order][1:] != key[order][:-1]]))
        uses = np.diff(np.concatenate([starts, [len(order)]]))
        balanced = np.add.reduceat(np.where(self._forward[order], 1, -1), starts) == 0
        plain = starts[(uses == 2) & balanced]
        self.plain = np.column_stack([order[plain], order[plain + 1]])
        many = (uses > 2) & balanced
        self.crowded = [
            self._wedges(order[start : start + size])
            for start, size in zip(starts[many].tolist(), uses[many].tolist(), strict=True)
        ]

    def _wedges(self, around: Ints) -> Ints:
        """The sides (2k,) about an edge in pairs (k, 2) with material between them.

        Seen along the edge, a triangle that runs forward has its material clockwise, and one that runs backward has it
        counter-clockwise. So in counter-clockwise order, a wedge begins at a backward triangle and ends at the next
        forward one.
        """
        vertices, forward = self._mesh.vertices, self._forward
        low, high = vertices[self.ends[around[0]].min()], vertices[self.ends[around[0]].max()]
        axis = (high - low) / max(float(np.linalg.norm(high - low)), 1e-300)
        across = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
        tips = vertices[self._mesh.triangles[around // 3, (around % 3 + 2) % 3]] - low
        angle = np.arctan2(tips @ np.cross(axis, across), tips @ across)
        # At equal angles a wedge ends before the next begins.
        ranked = around[np.lexsort([~forward[around], angle])]
        ranked = np.roll(ranked, -int(np.flatnonzero(~forward[ranked])[0]))
        pairs: list[tuple[int, int]] = []
        begun: list[int] = []
        early: list[int] = []
        for side in ranked.tolist():
            if not forward[side]:
                begun.append(side)
            elif begun:
                pairs.append((begun.pop(), side))
            else:
                early.append(side)
        return np.array([*pairs, *zip(begun, early, strict=True)], dtype=np.int64)


def _renumbered(mesh: Mesh, sides: _Sides) -> Mesh:
    """One vertex for all corners that are connected across edges."""
    pairs = np.concatenate([sides.plain, *sides.crowded])
    corner = np.arange(len(sides.ends))
    ahead = corner // 3 * 3 + (corner % 3 + 1) % 3
    one, two = pairs.T
    joined = np.concatenate([np.column_stack([one, ahead[two]]), np.column_stack([ahead[one], two])])
    old = mesh.triangles.reshape(-1)
    index = groups(len(corner), joined)
    first = np.unique(index, return_index=True)[1]
    known: dict[tuple[int, int], tuple[int, int]] = {}
    for (a, b), i, j in zip(sides.ends.tolist(), index.tolist(), index[ahead].tolist(), strict=True):
        known[a, b], known[b, a] = (i, j), (j, i)
    edges = [known[a, b] for a, b in mesh.edges.tolist() if (a, b) in known]
    return dataclasses.replace(
        mesh, vertices=mesh.vertices[old[first]], triangles=index.reshape(-1, 3).astype(np.int32), edges=np.array(edges)
    )


def _halved(mesh: Mesh, sides: _Sides) -> Mesh:
    """A point in the middle of every crowded edge for each wedge that has the edge."""
    middle = np.full(len(sides.ends), -1, dtype=np.int64)
    points: list[NDArray[np.float64]] = []
    halves: dict[tuple[int, int], int] = {}
    for pairs in sides.crowded:
        a, b = sides.ends[pairs[0, 0]].tolist()
        for pair in pairs:
            middle[pair] = halves[a, b] = halves[b, a] = len(mesh.vertices) + len(points)
            points.append(mesh.vertices[[a, b]].mean(axis=0))
    triangles, owners = [], []
    for corners, cuts, owner in zip(
        mesh.triangles.tolist(), middle.reshape(-1, 3).tolist(), mesh.face_of_triangle.tolist(), strict=True
    ):
        ring = [v for corner, cut in zip(corners, cuts, strict=True) for v in (corner, cut) if v >= 0]
        start = next((k for k, v in enumerate(ring) if v >= len(mesh.vertices)), 0)
        ring = ring[start:] + ring[:start]
        # A fan about a middle point: no two successive points are in line with it.
        pieces = [(ring[0], p, q) for p, q in itertools.pairwise(ring[1:])]
        triangles += pieces
        owners += [owner] * len(pieces)
    edges = []
    for a, b in mesh.edges.tolist():
        edges += [(a, halves[a, b]), (halves[a, b], b)] if (a, b) in halves else [(a, b)]
    return dataclasses.replace(
        mesh,
        vertices=np.concatenate([mesh.vertices, points]),
        triangles=np.array(triangles, dtype=np.int32),
        face_of_triangle=np.array(owners, dtype=np.int32),
        edges=np.array(edges),
    )
