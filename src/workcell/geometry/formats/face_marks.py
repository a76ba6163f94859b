"""Which face each triangle of a GLB belongs to, and which faces meet at each edge, so that a page can pick them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import Mesh

Ints = NDArray[np.int64]
_PAIRS = ([0, 1], [1, 2], [2, 0])
_SAME = 1e-9
"""Corners nearer than this are one [m]."""


def face_marks(mesh: Mesh) -> dict[str, object]:
    """Return the marks of a mesh, for the ``extras`` of a GLB.

    ``names`` are the names of the faces. ``triangles`` are runs: the number of a face and how many of the next
    triangles belong to it, and so on. ``edges`` are runs of three numbers for the segments of the feature edges: the
    two faces that meet there (−1 if there is none), and how many of the next segments lie between them.
    """
    faces = np.asarray(mesh.face_of_triangle, dtype=np.int64)
    sides = _sides(mesh, faces)
    return {
        "names": list(mesh.face_names),
        "triangles": _runs(faces[:, None]),
        "edges": _runs(sides),
    }


def _sides(mesh: Mesh, faces: Ints) -> Ints:
    """Return the faces at each edge segment (k, 2), the lower number first; −1 where there is only one."""
    if not len(mesh.edges):
        return np.empty((0, 2), dtype=np.int64)
    corners = np.unique(np.round(mesh.vertices / _SAME), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    asked = _keys(corners[mesh.edges])
    keys, owners = np.concatenate([_keys(corners[mesh.triangles[:, pair]]) for pair in _PAIRS]), np.tile(faces, 3)
    here = np.isin(keys, asked)
    found: dict[int, set[int]] = {key: set() for key in asked.tolist()}
    for key, face in zip(keys[here].tolist(), owners[here].tolist(), strict=True):
        found[key].add(face)
    rows = []
    for key in asked.tolist():
        both = sorted(found[key])[:2]
        rows.append([*([-1] * (2 - len(both))), *both])
    return np.array(rows, dtype=np.int64)


def _keys(ends: Ints) -> Ints:
    """Return one number for each segment (k, 2), whichever end comes first."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    return np.asarray(low * 2**31 + high)


def _runs(rows: Ints) -> list[int]:
    """Return rows (n, width) as runs: the values of a row and how often they follow each other."""
    if not len(rows):
        return []
    starts = np.flatnonzero(np.any(rows[1:] != rows[:-1], axis=1)) + 1
    begins = np.concatenate([[0], starts])
    counts = np.diff(np.concatenate([begins, [len(rows)]]))
    runs: list[int] = np.column_stack([rows[begins], counts]).reshape(-1).tolist()
    return runs
