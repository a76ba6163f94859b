"""A mesh made ready for collision: a tree of boxes over its triangles, its shells, and what is wrong with it."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.pieces import Piece, pieces_of
from workcell.errors import InvalidValue
from workcell.geometry.mesh import Mesh

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_FLAT = 1e-12
"""A triangle whose height is below this part of its longest side has no area."""
_NARROW = 1e-3
"""A triangle whose height is below this part of its longest side is thin: its normal needs more digits."""
_THIN = 1e-9
"""A closed mesh with less volume than this part of its box has none."""
_KEPT = 512

_trees: dict[str, TriangleTree] = {}
_lock = threading.Lock()


@dataclass(frozen=True, eq=False)
class TriangleTree:
    """Triangles in the order of the leaves of a tree of boxes, one triangle a leaf.

    Attributes:
        key: hash of the triangles.
        box: (k, 6) centre and half sizes of every node; the root first.
        link: (k, 2) children, or (−1 − triangle, 0) for a leaf.
        triangles: (m, 9) corners of the triangles [m].
        kind: (m,) 1 where the triangle belongs to a closed shell, and 2 more where it is thin.
        shells: (m,) the number of the shell of every triangle.
        seeds: (s, 3) one corner of every shell.
        volume: of the closed shells together [m³].
        deviation: how far the mesh may lie from the exact boundary [m].
        dropped: triangles without an area, left out.
        open_shells: shells that do not close; they are surfaces, without an inside.
    """

    key: str
    box: Array
    link: Ints
    triangles: Array
    kind: NDArray[np.uint8]
    shells: Ints
    seeds: Array
    volume: float
    deviation: float
    dropped: int
    open_shells: int
    _coal: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def closed(self) -> bool:
        """Whether every shell closes."""
        return self.open_shells == 0

    @property
    def extent(self) -> float:
        """The longest side of the box around it [m]."""
        return float(2.0 * self.box[0, 3:].max())

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The convex hulls of its shells."""
        return pieces_of(self.triangles, self.shells, self.kind % 2 == 1)

    def corners(self) -> Array:
        """(m, 3, 3) the corners of its triangles."""
        return self.triangles.reshape(-1, 3, 3)

    def __reduce__(self) -> tuple[object, ...]:
        values = (self.key, self.box, self.link, self.triangles, self.kind, self.shells, self.seeds)
        return TriangleTree, (*values, self.volume, self.deviation, self.dropped, self.open_shells)


def tree_of(mesh: Mesh, name: str) -> TriangleTree:
    """The tree of a mesh; the same triangles are built once, for whichever bodies have them.

    Args:
        mesh: triangles in the body's frame.
        name: the body's name, for messages.
    """
    digest = hashlib.sha256(mesh.vertices.tobytes())
    digest.update(mesh.triangles.tobytes())
    digest.update(np.float64(mesh.deviation).tobytes())
    key = digest.hexdigest()[:32]
    found = _trees.get(key)
    if found is None:
        found = _build(mesh, name, key)
        with _lock:
            if len(_trees) >= _KEPT:
                _trees.pop(next(iter(_trees)))
            _trees[key] = found
    return found


def _build(mesh: Mesh, name: str, key: str) -> TriangleTree:
    from workcell.collision import _kernels_build, _kernels_triangles

    if not len(mesh.triangles):
        raise InvalidValue(f"{name!r} has no triangles; a body needs a shape to collide with.", body=name)
    if not (np.isfinite(mesh.deviation) and mesh.deviation >= 0.0):
        raise InvalidValue(f"The deviation of {name!r} must be zero or more metres; found {mesh.deviation}.", body=name)
    corners = mesh.vertices[mesh.triangles]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    sides = np.max([np.linalg.norm(v, axis=1) for v in (b - a, c - b, a - c)], axis=0)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    good = areas > _FLAT * sides**2
    good &= sides > 0.0
    if not good.any():
        raise InvalidValue(
            f"None of the {len(good)} triangles of {name!r} has an area: its points lie on a line.", body=name
        )
    labels = np.empty(len(mesh.vertices), dtype=np.int32)
    _kernels_build.label_shells(mesh.triangles, labels)
    shell = labels[mesh.triangles[:, 0]]
    open_edges = mesh.open_edges
    if len(open_edges) and not good.all():
        # Triangles without an area may close a surface, or only lie about on it.
        some = mesh.triangles[good]
        without = Mesh(mesh.vertices, some, np.zeros(len(some), dtype=np.int32)).open_edges
        open_edges = min(open_edges, without, key=len)
    gaps = np.unique(labels[open_edges[:, 0]]) if len(open_edges) else np.empty(0, dtype=np.int32)
    solid = ~np.isin(shell, gaps)
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c))[solid].sum() / 6.0)
    if solid.all():
        size = float(np.prod(np.ptp(mesh.vertices, axis=0)))
        around = float(np.ptp(mesh.vertices, axis=0).max())
        if abs(volume) <= _THIN * max(size, 1e-6 * around**3):
            raise InvalidValue(
                f"{name!r} closes but has no volume ({volume:.3g} m³): a body needs an extent in every direction.",
                body=name,
                volume=volume,
            )
    kept = np.flatnonzero(good)
    low, high = corners[kept].min(axis=1), corners[kept].max(axis=1)
    box = np.empty((2 * len(kept) - 1, 6))
    link = np.empty((2 * len(kept) - 1, 2), dtype=np.int32)
    order = np.empty(len(kept), dtype=np.int32)
    _kernels_build.build_tree(low, high, box, link, order)
    kept = kept[order]
    _, firsts, shells = np.unique(shell[kept], return_index=True, return_inverse=True)
    values: dict[str, Any] = {
        "box": box,
        "link": link,
        "triangles": np.ascontiguousarray(corners[kept].reshape(-1, 9)),
        "kind": (solid[kept] + _kernels_triangles.THIN * (areas < _NARROW * sides**2)[kept]).astype(np.uint8),
        "shells": shells.astype(np.int32),
        "seeds": np.ascontiguousarray(corners[kept[firsts], 0]),
    }
    for array in values.values():
        array.flags.writeable = False
    return TriangleTree(
        key=key,
        volume=abs(volume),
        deviation=float(mesh.deviation),
        dropped=int((~good).sum()),
        open_shells=len(gaps),
        **values,
    )
