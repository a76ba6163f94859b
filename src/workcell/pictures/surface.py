"""A mesh prepared for drawing: corner normals and the edges that may be drawn.

Data that depends only on the mesh is computed once and kept as long as the mesh lives. Data that depends on the list of
meshes (one long table of triangles for the compiled kernels) is kept for the last few lists, so that the
frames of a motion, in which only poses change, share it.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import SWEPT, Mesh

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]

CREASE = math.radians(32.0)
"""A face is sharp where its triangles meet at more than this angle."""

_FLAT = math.cos(math.radians(0.5))

FEATURE = 1
"""An edge between faces, a sharp edge or an open one."""
SMOOTH = 2
"""An edge inside a curved face, drawn only where it is the outline."""
INNER = 3
"""An edge inside a flat face, drawn only if all edges of triangles are."""

STEP = 4
"""An edge between the small steps of a smooth face, drawn only if all edges of triangles are; it is never an
outline."""


class Surface(NamedTuple):
    """One prepared mesh.

    Attributes:
        normals: (m, 3, 3) unit normals at the three corners of each triangle.
        segments: (s, 2) edges as vertex indices.
        sides: (s, 2) the triangles beside each edge, −1 if there is none.
        kinds: (s,) ``FEATURE``, ``SMOOTH``, ``INNER`` or ``STEP``.
        closed: whether only the outside can be seen.
    """

    normals: Floats32
    segments: Ints
    sides: Ints
    kinds: Bytes
    closed: bool


class MeshTable(NamedTuple):
    """Several meshes in one table; ``…_starts[i]`` is the begin of the part of mesh i."""

    vertices: Floats
    triangles: Ints
    normals: Floats32
    segments: Ints
    sides: Ints
    kinds: Bytes
    closed: NDArray[np.bool_]
    vertex_starts: NDArray[np.int64]
    triangle_starts: NDArray[np.int64]
    segment_starts: NDArray[np.int64]
    names: Ints
    item_of_triangle: Ints


_surfaces: weakref.WeakKeyDictionary[Mesh, Surface] = weakref.WeakKeyDictionary()
_tables: OrderedDict[tuple[int, ...], tuple[tuple[Mesh, ...], MeshTable]] = OrderedDict()
_lock = threading.Lock()
_KEPT = 4


def surface_of(mesh: Mesh) -> Surface:
    """The prepared mesh, computed at most once."""
    with _lock:
        known = _surfaces.get(mesh)
    if known is None:
        known = _prepare(mesh)
        with _lock:
            _surfaces[mesh] = known
    return known


def mesh_table(meshes: Sequence[Mesh]) -> MeshTable:
    """The meshes in one table, shared by all pictures of the same list of meshes."""
    key = tuple(id(mesh) for mesh in meshes)
    with _lock:
        if key in _tables:
            _tables.move_to_end(key)
            return _tables[key][1]
    made = _tabled(meshes)
    with _lock:
        # The meshes are kept beside the table, so that their ids cannot be reused while it lives.
        _tables[key] = (tuple(meshes), made)
        while len(_tables) > _KEPT:
            _tables.popitem(last=False)
    return made


def _tabled(meshes: Sequence[Mesh]) -> MeshTable:
    surfaces = [surface_of(mesh) for mesh in meshes]
    vertex_starts = _starts([len(mesh.vertices) for mesh in meshes])
    triangle_starts = _starts([len(mesh.triangles) for mesh in meshes])
    segment_starts = _starts([len(surface.segments) for surface in surfaces])
    triangles = [m.triangles + np.int32(v) for m, v in zip(meshes, vertex_starts[:-1], strict=True)]
    segments = [s.segments + np.int32(v) for s, v in zip(surfaces, vertex_starts[:-1], strict=True)]
    sides = [
        np.where(s.sides >= 0, s.sides + np.int32(t), np.int32(-1))
        for s, t in zip(surfaces, triangle_starts[:-1], strict=True)
    ]
    total = int(triangle_starts[-1])
    return MeshTable(
        vertices=_joined([mesh.vertices for mesh in meshes], (0, 3), np.float64),
        triangles=_joined(triangles, (0, 3), np.int32),
        normals=_joined([s.normals for s in surfaces], (0, 3, 3), np.float32),
        segments=_joined(segments, (0, 2), np.int32),
        sides=_joined(sides, (0, 2), np.int32),
        kinds=_joined([s.kinds for s in surfaces], (0,), np.uint8),
        closed=np.array([s.closed for s in surfaces], dtype=np.bool_),
        vertex_starts=vertex_starts,
        triangle_starts=triangle_starts,
        segment_starts=segment_starts,
        names=np.arange(total, dtype=np.int32),
        item_of_triangle=np.repeat(np.arange(len(meshes), dtype=np.int32), np.diff(triangle_starts)),
    )


def _starts(counts: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(parts: Sequence[NDArray[Any]], empty: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(np.concatenate([np.empty(empty, dtype=kind), *parts]).astype(kind, copy=False))


def _prepare(mesh: Mesh) -> Surface:
    triangles = mesh.triangles
    count = len(triangles)
    if not count:
        loose = np.ascontiguousarray(mesh.edges, dtype=np.int32)
        none = np.full((len(loose), 2), -1, dtype=np.int32)
        return Surface(
            np.empty((0, 3, 3), dtype=np.float32), loose, none, np.full(len(loose), FEATURE, np.uint8), False
        )
    flat = np.asarray(mesh.normals)
    segments, sides, corners = _edges(triangles)
    both = sides[:, 1] >= 0
    bend = np.where(both, np.einsum("ij,ij->i", flat[sides[:, 0]], flat[sides[:, 1]]), -1.0)
    faces = mesh.face_of_triangle
    same = both & (faces[sides[:, 0]] == faces[sides[:, 1]]) & (bend > math.cos(CREASE))
    # A triangle without area cannot be seen from any side: its edges are neither sharp nor outlines.
    empty = np.asarray(~flat.any(axis=1))
    stepped = np.array([name == SWEPT for name in mesh.face_names], dtype=bool)[faces]
    within = both & stepped[sides[:, 0]] & stepped[sides[:, 1]]
    narrow = empty[sides[:, 0]] | (both & empty[sides[:, 1]])
    bend = np.where(narrow, 1.0, bend)
    kinds = np.where(same | narrow, np.where(bend > _FLAT, INNER, SMOOTH), FEATURE).astype(np.uint8)
    kinds = np.where(within, STEP, kinds).astype(np.uint8)
    sides = np.where((sides >= 0) & empty[sides], -1, sides).astype(np.int32)
    sides = np.where(sides[:, :1] < 0, sides[:, ::-1], sides)
    if len(mesh.edges):
        # The mesh names its feature edges. Use those, the open edges and the sharp ones, not every face border.
        named, loose = _marked(segments, mesh.edges, len(mesh.vertices))
        sharp = bend < math.cos(CREASE)
        kinds = np.where(named | sharp, FEATURE, np.where(bend > _FLAT, INNER, SMOOTH)).astype(np.uint8)
        segments = np.concatenate([segments, loose])
        sides = np.concatenate([sides, np.full((len(loose), 2), -1, dtype=np.int32)])
        kinds = np.concatenate([kinds, np.full(len(loose), FEATURE, dtype=np.uint8)])
    normals = _corner_normals(mesh, flat, corners[same | within])
    return Surface(normals, segments, sides, kinds, mesh.closed)


def _edges(triangles: Ints) -> tuple[Ints, Ints, NDArray[np.int64]]:
    """Edges, the triangles beside them, and for pairs the four triangle corners at their two ends.

    An edge of more than two triangles is listed pair by pair, and an odd one as open.
    """
    count = len(triangles)
    start = triangles.T.reshape(-1).astype(np.int64)  # corner i of every triangle, then corner i + 1, …
    stop = np.roll(triangles, -1, axis=1).T.reshape(-1).astype(np.int64)
    low, high = np.minimum(start, stop), np.maximum(start, stop)
    order = np.argsort(low * (int(triangles.max()) + 1) + high, kind="stable")
    low, high, start = low[order], high[order], start[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    # Within a run of equal edges, every even one opens a pair and every odd one closes it.
    place = np.arange(len(order)) - np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))
    first = np.nonzero(place % 2 == 0)[0]
    partner = np.minimum(first + 1, len(order) - 1)
    paired = (partner > first) & (place[partner] % 2 == 1)
    triangle, corner = order % count, order // count
    sides = np.stack([triangle[first], np.where(paired, triangle[partner], -1)], axis=1).astype(np.int32)
    here = triangle * 3 + corner
    there = triangle * 3 + (corner + 1) % 3
    at_low, at_high = np.where(start == low, here, there), np.where(start == low, there, here)
    corners = np.stack([at_low[first], at_low[partner], at_high[first], at_high[partner]], axis=1)
    return np.stack([low[first], high[first]], axis=1).astype(np.int32), sides, corners


def _marked(segments: Ints, wanted: Ints, count: int) -> tuple[NDArray[np.bool_], Ints]:
    """Which segments are among the wanted ones, and the wanted ones that are not an edge of a triangle."""
    keys = segments[:, 0].astype(np.int64) * count + segments[:, 1]
    ends = np.sort(wanted, axis=1).astype(np.int64)
    asked = ends[:, 0] * count + ends[:, 1]
    return np.isin(keys, asked), wanted[~np.isin(asked, keys)].astype(np.int32)


def _corner_normals(mesh: Mesh, flat: Floats, joined: NDArray[np.int64]) -> Floats32:
    """Normals averaged over corners that meet without a crease, weighted by the angle of each corner."""
    count = len(mesh.triangles)
    label = np.arange(3 * count)
    a = np.concatenate([joined[:, 0], joined[:, 2]])
    b = np.concatenate([joined[:, 1], joined[:, 3]])
    while True:
        least = np.minimum(label[a], label[b])
        following = label.copy()
        np.minimum.at(following, label[a], least)
        np.minimum.at(following, label[b], least)
        following = following[following]
        if np.array_equal(following, label):
            break
        label = following
    p = mesh.vertices[mesh.triangles]
    ahead, behind = np.roll(p, -1, axis=1) - p, np.roll(p, 1, axis=1) - p
    across = np.linalg.norm(np.cross(ahead, behind), axis=2)
    angle = np.arctan2(across, np.einsum("ijk,ijk->ij", ahead, behind))
    weighted = (flat[:, None, :] * angle[:, :, None]).reshape(-1, 3)
    total = np.stack([np.bincount(label, weighted[:, k], minlength=3 * count) for k in range(3)], axis=1)[label]
    length = np.linalg.norm(total, axis=1, keepdims=True)
    corner_flat = np.repeat(flat, 3, axis=0)
    normals = np.where(length > 1e-12, total / np.maximum(length, 1e-12), corner_flat)
    return normals.reshape(count, 3, 3).astype(np.float32)
