"""Repair meshes of files: merge duplicate corners and triangles, turn triangles, close holes."""

from __future__ import annotations

import dataclasses
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.geometry.groups import groups
from workcell.geometry.hole_filling import MOST_EDGES, filled
from workcell.geometry.mesh import Mesh, feature_edges
from workcell.geometry.outward import outward
from workcell.wording import counted

Ints = NDArray[np.int64]

NEAR = 1e-7
"""Corners nearer than this share of the size of the mesh are merged."""
_CREASE = 0.5
_PATCH = "patch"


class Repair(msgspec.Struct, frozen=True):
    """The changes of a mesh.

    Attributes:
        merged: the number of corners that were merged with others.
        flat: the number of triangles without area that were removed.
        doubled: the number of duplicate triangles that were removed.
        turned: remarks on shells and triangles that faced inward.
        holes: the number of edges around each hole that was closed.
        left: the number of edges that are still open.
    """

    merged: int = 0
    flat: int = 0
    doubled: int = 0
    turned: tuple[str, ...] = ()
    holes: tuple[int, ...] = ()
    left: int = 0

    @property
    def remarks(self) -> tuple[str, ...]:
        """The changes in words; empty if there were none."""
        changes = []
        if self.merged:
            changes.append(f"{counted(self.merged, 'corner')} merged with others in the same place")
        if self.flat:
            changes.append(f"{counted(self.flat, 'triangle')} without area removed")
        if self.doubled:
            changes.append(f"{counted(self.doubled, 'duplicate triangle')} removed")
        changes += self.turned
        if self.holes:
            around = ", ".join(str(count) for count in self.holes[:5]) + (" …" if len(self.holes) > 5 else "")
            changes.append(f"{counted(len(self.holes), 'hole')} of {around} edges closed")
        if self.left:
            changes.append(
                f"{counted(self.left, 'edge')} left open: more than two triangles meet there, the edges form no loop, "
                f"or the hole has more than {MOST_EDGES:,} edges"
            )
        return tuple(changes)


def repaired(mesh: Mesh) -> tuple[Mesh, Repair]:
    """The mesh with its faults repaired as far as possible, and the changes.

    A mesh without faults is returned unchanged.
    """
    if not len(mesh.triangles):
        return mesh, Repair()
    index, merged = _merged(mesh)
    triangles, faces = index[mesh.triangles], mesh.face_of_triangle
    flat = _flat(triangles)
    triangles, faces = triangles[~flat], faces[~flat]
    again = _again(triangles)
    triangles, faces = triangles[~again], faces[~again]
    changed = merged or flat.any() or again.any()
    clean = _with(mesh, triangles, faces, mesh.face_names) if changed else mesh
    whole, turned = outward(clean)
    patched, holes = _closed(whole)
    if holes:  # a closed hole may show which way a shell faces, which was unknown while it was open
        patched, more = outward(patched)
        turned = (*turned, *more)
    left = len(patched.open_edges)
    return patched, Repair(merged, int(flat.sum()), int(again.sum()), turned, holes, left)


def _merged(mesh: Mesh) -> tuple[Ints, int]:
    """For every corner the one that replaces it, and the number of used corners that are replaced."""
    low, high = mesh.bounds
    used = np.unique(mesh.triangles)
    index = np.arange(len(mesh.vertices))
    # Two corners nearer than half a cell are in one cell of at least one of the eight grids shifted by half a cell.
    cells = (mesh.vertices[used] - low) / max(2.0 * NEAR * float(np.linalg.norm(high - low)), 1e-300)
    pairs = []
    for shift in product((0.0, 0.5), repeat=3):
        _, first, inverse = np.unique(np.floor(cells + shift), axis=0, return_index=True, return_inverse=True)
        there = first[inverse.reshape(-1)]
        apart = np.flatnonzero(there != np.arange(len(used)))
        pairs.append(np.column_stack([there[apart], apart]))
    label = groups(len(used), np.concatenate(pairs))
    first = np.full(int(label.max()) + 1, len(used))
    np.minimum.at(first, label, np.arange(len(used)))
    index[used] = used[first[label]]
    return index, int((index[used] != used).sum())


def _flat(triangles: Ints) -> NDArray[np.bool_]:
    """Triangles with two corners merged into one."""
    a, b, c = triangles.T
    return np.asarray((a == b) | (b == c) | (c == a))


def _again(triangles: Ints) -> NDArray[np.bool_]:
    """Triangles over the same corners as an earlier one, in either direction."""
    result = np.ones(len(triangles), dtype=bool)
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    result[first] = False
    return result


def _closed(mesh: Mesh) -> tuple[Mesh, tuple[int, ...]]:
    """The mesh with each hole closed by a face of its own, and the number of edges around each hole."""
    patches, holes = filled(mesh)
    if not holes:
        return mesh, ()
    triangles = np.concatenate([mesh.triangles, patches])
    faces = np.concatenate([mesh.face_of_triangle, np.full(len(patches), len(mesh.face_names))])
    return _with(mesh, triangles, faces, (*mesh.face_names, _PATCH)), holes


def _with(mesh: Mesh, triangles: NDArray[np.integer], faces: NDArray[np.integer], names: tuple[str, ...]) -> Mesh:
    """The mesh with other triangles, without corners that no triangle uses."""
    used, inverse = np.unique(triangles, return_inverse=True)
    vertices, index = mesh.vertices[used], inverse.reshape(-1, 3).astype(np.int32)
    edges = feature_edges(vertices, index, np.arange(len(index)), _CREASE)
    return dataclasses.replace(
        mesh, vertices=vertices, triangles=index, face_of_triangle=faces.astype(np.int32), face_names=names, edges=edges
    )
