"""A triangle mesh with named faces and feature edges, derived from a solid or read from a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

DEFAULT_TOLERANCE = 5e-4
"""The default greatest distance of a mesh from the exact boundary [m]."""
_FORMAT = 1
SWEPT = "swept"
"""The name of a face that represents a smooth one in many small steps; its creases are not edges."""


class _Packed(msgspec.Struct, frozen=True):
    format: int
    vertices: bytes
    triangles: bytes
    face_of_triangle: bytes
    face_names: tuple[str, ...]
    edges: bytes
    deviation: float


# Made when the module is loaded: msgspec crashes if two threads make one for the same class for the first time.
_PACKED = msgspec.msgpack.Decoder(_Packed)


@dataclasses.dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles that represent the boundary of a solid, counter-clockwise seen from outside.

    Attributes:
        vertices: (n, 3) positions [m].
        triangles: (m, 3) indices into ``vertices``.
        face_of_triangle: (m,) indices into ``face_names``.
        face_names: the names of the exact faces.
        edges: (k, 2) segments of the feature edges, indices into ``vertices``.
        deviation: the greatest distance of the mesh from the exact boundary [m].
    """

    vertices: Floats
    triangles: Ints
    face_of_triangle: Ints
    face_names: tuple[str, ...] = ("surface",)
    edges: Ints = dataclasses.field(default_factory=lambda: np.empty((0, 2), dtype=np.int32))
    deviation: float = 0.0

    def __post_init__(self) -> None:
        vertices = _frozen(self.vertices, np.float64, 3, "Mesh vertices")
        triangles = _frozen(self.triangles, np.int32, 3, "Mesh triangles")
        edges = _frozen(self.edges, np.int32, 2, "Mesh edges")
        faces = np.array(self.face_of_triangle, dtype=np.int32).reshape(-1)
        faces.flags.writeable = False
        if not np.isfinite(vertices).all():
            raise InvalidValue("Mesh vertices must be finite numbers.")
        for indices, what in ((triangles, "triangle"), (edges, "edge")):
            if indices.size and (indices.min() < 0 or indices.max() >= len(vertices)):
                raise InvalidValue(
                    f"A mesh {what} refers to vertex {int(indices.max())}, but there are {len(vertices)} vertices."
                )
        if len(faces) != len(triangles):
            raise InvalidValue(
                f"face_of_triangle must have one entry per triangle; found {len(faces)} for {len(triangles)}."
            )
        if faces.size and (faces.min() < 0 or faces.max() >= len(self.face_names)):
            raise InvalidValue(f"face_of_triangle refers to a face beyond the {len(self.face_names)} face names.")
        for name, value in (
            ("vertices", vertices),
            ("triangles", triangles),
            ("edges", edges),
            ("face_of_triangle", faces),
            ("face_names", tuple(self.face_names)),
        ):
            object.__setattr__(self, name, value)

    @cached_property
    def normals(self) -> Floats:
        """(m, 3) unit normals of the triangles; zero if a triangle has no area."""
        cross = self._cross
        length = np.linalg.norm(cross, axis=1, keepdims=True)
        normals: Floats = np.divide(cross, length, out=np.zeros_like(cross), where=length > 0.0)
        normals.flags.writeable = False
        return normals

    @property
    def _cross(self) -> Floats:
        a, b, c = (self.vertices[self.triangles[:, i]] for i in range(3))
        return np.asarray(np.cross(b - a, c - a))

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and highest corner of its bounding box [m]."""
        if not len(self.vertices):
            raise InvalidValue("An empty mesh has no bounds.")
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @property
    def area(self) -> float:
        """The area of all triangles [m²]."""
        return float(np.linalg.norm(self._cross, axis=1).sum() / 2.0)

    @cached_property
    def open_edges(self) -> Ints:
        """(k, 2) edges that do not have exactly one neighbour in the opposite direction."""
        if not len(self.triangles):
            return np.empty((0, 2), dtype=np.int32)
        ends = np.concatenate([self.triangles[:, [i, (i + 1) % 3]] for i in range(3)]).astype(np.int64)
        count = len(self.vertices)
        keys, first, repeats = np.unique(ends[:, 0] * count + ends[:, 1], return_index=True, return_counts=True)
        opposite = keys % count * count + keys // count
        place = np.minimum(np.searchsorted(keys, opposite), len(keys) - 1)
        lonely = (repeats != 1) | (keys[place] != opposite)
        return np.asarray(ends[first[lonely]], dtype=np.int32)

    @property
    def closed(self) -> bool:
        """Whether the triangles bound a volume: every edge has exactly one neighbour in the opposite direction."""
        return len(self.triangles) > 0 and not len(self.open_edges)

    def moved(self, pose: Pose) -> Mesh:
        """The mesh placed by a pose."""
        return self.transformed(pose.matrix)

    def transformed(self, matrix: ArrayLike) -> Mesh:
        """The mesh under an affine 4×4 matrix; a reflection reverses the triangles."""
        m = np.asarray(matrix, dtype=np.float64)
        if m.shape != (4, 4) or not np.isfinite(m).all():
            raise InvalidValue(f"A transformation must be a finite 4×4 matrix; found shape {m.shape}.")
        linear = m[:3, :3]
        triangles = self.triangles[:, ::-1] if np.linalg.det(linear) < 0.0 else self.triangles
        stretch = float(np.linalg.norm(linear, 2))
        return dataclasses.replace(
            self,
            vertices=self.vertices @ linear.T + m[:3, 3],
            triangles=triangles,
            deviation=self.deviation * stretch,
        )

    def to_bytes(self) -> bytes:
        """The mesh as bytes, for the cache and the wire."""
        return msgspec.msgpack.encode(
            _Packed(
                _FORMAT,
                self.vertices.astype("<f8").tobytes(),
                self.triangles.astype("<i4").tobytes(),
                self.face_of_triangle.astype("<i4").tobytes(),
                self.face_names,
                self.edges.astype("<i4").tobytes(),
                self.deviation,
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Mesh:
        """Read what :meth:`to_bytes` wrote; damaged bytes are refused."""
        try:
            packed = _PACKED.decode(data)
            if packed.format != _FORMAT:
                raise ValueError(f"format {packed.format}")
            return cls(
                np.frombuffer(packed.vertices, "<f8").reshape(-1, 3),
                np.frombuffer(packed.triangles, "<i4").reshape(-1, 3),
                np.frombuffer(packed.face_of_triangle, "<i4"),
                packed.face_names,
                np.frombuffer(packed.edges, "<i4").reshape(-1, 2),
                packed.deviation,
            )
        except (msgspec.DecodeError, ValueError) as error:
            raise InvalidValue(f"These bytes are not a mesh: {error}.") from error

    def __eq__(self, other: object) -> bool:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Mesh) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.triangles.tobytes()))

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"<Mesh {len(self.triangles)} triangles, {len(self.face_names)} faces, {state}>"


def merge(meshes: Iterable[Mesh]) -> Mesh:
    """Several meshes as one, side by side; vertices are not welded."""
    items: Sequence[Mesh] = tuple(meshes)
    if not items:
        return Mesh(np.empty((0, 3)), np.empty((0, 3), np.int32), np.empty(0, np.int32), ())
    names: list[str] = []
    vertices, triangles, faces, edges = [], [], [], []
    start = 0
    for mesh in items:
        vertices.append(mesh.vertices)
        triangles.append(mesh.triangles + start)
        edges.append(mesh.edges + start)
        faces.append(mesh.face_of_triangle + len(names))
        names.extend(mesh.face_names)
        start += len(mesh.vertices)
    return Mesh(
        np.concatenate(vertices),
        np.concatenate(triangles),
        np.concatenate(faces),
        tuple(names),
        np.concatenate(edges),
        max(mesh.deviation for mesh in items),
    )


def _frozen(values: ArrayLike, kind: type, columns: int, what: str) -> NDArray[Any]:
    array: NDArray[Any] = np.array(values, dtype=kind)
    if array.size == 0:
        array = array.reshape(0, columns)
    if array.ndim != 2 or array.shape[1] != columns:
        raise InvalidValue(f"{what} must have shape (n, {columns}); found {array.shape}.")
    array.flags.writeable = False
    return array


def feature_edges(
    vertices: Floats, triangles: NDArray[Any], face_of_triangle: NDArray[Any], angle: float = 1e-3
) -> Ints:
    """(k, 2) edges where two faces meet at more than ``angle`` [rad], and edges with one neighbour."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0.0)
    ends = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)]).astype(np.int64)
    owner = np.tile(np.arange(len(triangles)), 3)
    key = ends.min(axis=1) * len(vertices) + ends.max(axis=1)
    order = np.argsort(key, kind="stable")
    key, owner = key[order], owner[order]
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else np.empty(0, np.int64)
    counts = np.diff(np.concatenate([starts, [len(key)]]))
    paired = starts[counts == 2]
    first, second = owner[paired], owner[paired + 1]
    bend = np.einsum("ij,ij->i", normals[first], normals[second])
    sharp = (face_of_triangle[first] != face_of_triangle[second]) & (bend < np.cos(angle))
    keys = np.concatenate([key[paired[sharp]], key[starts[counts != 2]]])
    return np.column_stack([keys // len(vertices), keys % len(vertices)]).astype(np.int32)


def weld(corners: Floats) -> tuple[Floats, Ints]:
    """Vertices and triangles from loose corners (m, 3, 3): equal positions are merged, and flat triangles removed."""
    flat = np.ascontiguousarray(corners.reshape(-1, 3)) + 0.0
    order = np.lexsort(flat.T[::-1])
    rows = flat[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    index = np.empty(len(rows), dtype=np.int64)
    index[order] = np.cumsum(new) - 1
    vertices, triangles = rows[new], index.reshape(-1, 3)
    a, b, c = triangles.T
    good = (a != b) & (b != c) & (c != a)
    return vertices, triangles[good].astype(np.int32)
