"""Mesh an exact shape: welded, closed triangles with a measured deviation.

The kernel makes the first triangles, face by face, with the same nodes along the edge that two faces share. Three
things are done here: triangles too far from their surface are halved, faces that the kernel cannot mesh so
coarsely are meshed finely first, and chords that two faces draw between the same nodes are separated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.collections import IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED, TopAbs_VERTEX
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS

from workcell.errors import GeometryError, InvalidShape
from workcell.geometry.checks import in_mm
from workcell.geometry.cost import require_affordable
from workcell.geometry.kernel.occ.facets import RULED, UNSURE, FaceMesh, triangles_needed
from workcell.geometry.kernel.occ.topology import (
    MM,
    Built,
    Shape,
    clean,
    closed,
    faces_of,
    items,
    normal_at_edge,
    shape_map,
    size,
)
from workcell.geometry.mesh import Mesh
from workcell.geometry.parting import parted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ANGLE = 0.5
"""The widest turn between neighbouring facets [rad]; it keeps small holes round at coarse tolerances."""
_SMOOTH = 1e-3
"""Faces that meet at less than this angle [rad] have no feature edge between them."""
_ROUNDS = 6
"""How often the kernel meshes again, more finely, if its edges are too far from the shape or a mesh is open."""
_LOOK = 2000.0
"""Solids larger than this many tolerances may need too many triangles; these are estimated first."""
_FINER = (4.0, 16.0, 64.0, 256.0, 1024.0)
"""How many times more finely a face is meshed that the kernel cannot mesh as coarsely as asked."""


def mesh(built: Built, tolerance: float) -> Mesh:
    """Triangles within ``tolerance`` [m] of the shape, with measured deviation; a closed shape gets a closed mesh."""
    limit = tolerance * MM
    deflection = limit
    if any(BRepAdaptor_Surface(face).GetType() not in RULED for face in faces_of(built.shape)):
        deflection /= UNSURE  # the factor of the sampled deviation would cost a second round
    if size(built.shape) > _LOOK * tolerance:
        require_affordable(sum(triangles_needed(face, limit) for face in faces_of(built.shape)), tolerance)
    solid = closed(built.shape)
    best: Mesh | None = None
    for _ in range(_ROUNDS):
        found = _collected(built, deflection, limit)
        good = found.closed or not solid
        if best is None or (good, -found.deviation) > (best.closed or not solid, -best.deviation):
            best = found
        if good and found.deviation <= tolerance:
            break
        deflection *= max(0.3, min(0.7, 0.8 * tolerance / max(found.deviation, 1e-12)))
    clean(built.shape)
    assert best is not None
    if solid and not best.closed:
        raise _open(best, tolerance)
    return best


def _open(found: Mesh, tolerance: float) -> InvalidShape:
    ends = found.vertices[found.open_edges]
    x, y, z = (float(value) for value in ends[0].mean(axis=0))
    return InvalidShape(
        f"The solid is valid, but its mesh within {tolerance * MM:g} mm does not close: {len(ends)} edges stay open, "
        f"the first near {in_mm((x, y, z))}. Use a finer tolerance, or move or resize a part a little.",
        faults=(("open mesh", (x, y, z)),),
    )


def _triangulated(built: Built, deflection: float) -> list[FaceMesh]:
    """The kernel's triangles of every face; faces too thin for the deflection [mm] are meshed more finely."""
    shape = built.shape
    clean(shape)
    BRepMesh_IncrementalMesh(shape, deflection, False, _ANGLE, False)
    found = [FaceMesh.of(face) for face in faces_of(shape)]
    for finer in _FINER:
        if None not in found:
            break
        # Meshed faces stay, and give the nodes along their edges to the faces around them.
        clean(shape)
        for face, known in zip(faces_of(shape), found, strict=True):
            if known is None:
                BRepMesh_IncrementalMesh(face, deflection / finer, False, _ANGLE, False)
        BRepMesh_IncrementalMesh(shape, deflection, False, _ANGLE, False)
        found = [FaceMesh.of(face) for face in faces_of(shape)]
    for name, known in zip(built.names, found, strict=True):
        if known is None:
            raise GeometryError(f"The face {name!r} could not be meshed.", face=name)
    if not found:
        raise GeometryError("There is nothing to mesh: the shape has no faces.")
    return [known for known in found if known is not None]


def _collected(built: Built, deflection: float, limit: float) -> Mesh:
    faces = _triangulated(built, deflection)
    welder = _Welder(built.shape)
    for face in faces:
        face.refine(limit)
        welder.add(face)
    welder.separate_chords()
    triangles, owners = welder.triangles()
    deviation = max(face.deviation for face in faces) / MM
    corners, owner = triangles.astype(np.int32), owners.astype(np.int32)
    return parted(Mesh(welder.vertices() / MM, corners, owner, built.names, welder.edges(), deviation))


class _Welder:
    """Gives one number to nodes that faces share through an edge or a vertex."""

    def __init__(self, shape: Shape) -> None:
        self._edge_map = shape_map(shape, TopAbs_EDGE)
        self._vertex_map = shape_map(shape, TopAbs_VERTEX)
        self._owners = AncestorMap()
        TopExp.MapShapesAndAncestors_s(shape, TopAbs_EDGE, TopAbs_FACE, self._owners)
        self._known: dict[tuple[str, int, int], int] = {}
        self._positions: list[Floats] = []
        self._segments: dict[int, Ints] = {}
        self._count = 0
        self._faces: list[FaceMesh] = []
        self._numbers: list[Ints] = []

    def add(self, face: FaceMesh) -> None:
        """Number the nodes of a face: those on its edges as its neighbours do, the inner ones anew."""
        result = np.full(len(face.nodes), -1, dtype=np.int64)
        for edge, line in face.lines:
            number = self._edge_map.FindIndex(edge)
            forward = TopoDS.Edge(self._edge_map.FindKey(number))
            ends = [self._vertex_map.FindIndex(vertex) for vertex in _ends(forward)]
            last = len(line) - 1
            collapsed = BRep_Tool.Degenerated_s(edge)
            numbers = []
            for k, node in enumerate(line.tolist()):
                if collapsed or k == 0:
                    key = ("vertex", ends[0], 0)
                elif k == last:
                    key = ("vertex", ends[1], 0)
                else:
                    key = ("edge", number, k)
                if key not in self._known:
                    self._known[key] = self._new(face.nodes[node])
                result[node] = self._known[key]
                numbers.append(result[node])
            if not collapsed and number not in self._segments:
                self._segments[number] = np.array(numbers)
        self._faces.append(face)
        self._numbers.append(result)
        self._number_inner(len(self._faces) - 1)

    def _number_inner(self, place: int) -> None:
        """Number the nodes of a face that have none yet."""
        face, known = self._faces[place], self._numbers[place]
        numbers = np.concatenate([known, np.full(len(face.nodes) - len(known), -1)])
        inner = np.flatnonzero(numbers < 0)
        numbers[inner] = np.arange(self._count, self._count + len(inner))
        self._positions.append(face.nodes[inner])
        self._count += len(inner)
        self._numbers[place] = numbers

    def _new(self, position: Floats) -> int:
        self._positions.append(position[None, :])
        self._count += 1
        return self._count - 1

    def separate_chords(self) -> None:
        """Split chords between nodes that another face also joins, where two faces enclose a sharp edge.

        Such a chord would be the side of four triangles. Each face gets a middle node of its own on it.
        """
        for _ in range(8):
            crowded = self._crowded()
            if not len(crowded):
                return
            taken: set[int] = set()
            changed = False
            edges = {int(key) for line in self._segments.values() for key in self._keys(line[:-1], line[1:])}
            for place, (face, numbers) in enumerate(zip(self._faces, self._numbers, strict=True)):
                chords = face.chords()
                keys = self._keys(numbers[chords[:, 0]], numbers[chords[:, 1]])
                shared = np.isin(keys, crowded)
                # One face may keep the chord, unless an edge runs there.
                split = [bool(s) and (int(k) in edges or int(k) in taken) for s, k in zip(shared, keys, strict=True)]
                taken |= {int(key) for key in keys[shared]}
                if any(split):
                    face.split(chords[np.array(split)])
                    self._number_inner(place)
                    changed = True
            if not changed:
                return

    def _keys(self, first: Ints, second: Ints) -> Ints:
        return np.asarray(np.minimum(first, second) * (1 << 32) + np.maximum(first, second))

    def _crowded(self) -> Ints:
        """The sides of more than two triangles, as keys."""
        corners, _ = self.triangles()
        sides = np.concatenate([corners[:, [k, (k + 1) % 3]] for k in range(3)])
        keys, uses = np.unique(self._keys(sides[:, 0], sides[:, 1]), return_counts=True)
        return np.asarray(keys[uses > 2])

    def triangles(self) -> tuple[Ints, Ints]:
        """All triangles with an area, counter-clockwise seen from outside, and the face of each."""
        triangles, owners = [], []
        for place, (face, numbers) in enumerate(zip(self._faces, self._numbers, strict=True)):
            corners = face.corners[:, ::-1] if face.face.Orientation() == TopAbs_REVERSED else face.corners
            local = numbers[corners]
            distinct = (local[:, 0] != local[:, 1]) & (local[:, 1] != local[:, 2]) & (local[:, 2] != local[:, 0])
            triangles.append(local[distinct])
            owners.append(np.full(int(distinct.sum()), place))
        return np.concatenate(triangles), np.concatenate(owners)

    def vertices(self) -> Floats:
        """All positions [mm]."""
        return np.concatenate(self._positions)

    def edges(self) -> NDArray[np.int32]:
        """Segments of the edges at which faces meet at an angle."""
        kept = [
            np.column_stack([line[:-1], line[1:]])
            for number, line in sorted(self._segments.items())
            if self._is_feature(self._edge_map.FindKey(number))
        ]
        return np.concatenate(kept).astype(np.int32) if kept else np.empty((0, 2), dtype=np.int32)

    def _is_feature(self, edge: Shape) -> bool:
        faces = [TopoDS.Face(face) for face in items(self._owners.FindFromKey(edge))]
        if len(faces) != 2 or faces[0].IsSame(faces[1]):
            return len(faces) == 1 and not BRep_Tool.IsClosed_s(TopoDS.Edge(edge), faces[0])
        first, second = (normal_at_edge(TopoDS.Edge(edge), face) for face in faces)
        return float(np.linalg.norm(np.cross(first, second))) > _SMOOTH or float(first @ second) < 0.0


def _ends(edge: Shape) -> tuple[Shape, Shape]:
    return TopExp.FirstVertex_s(edge), TopExp.LastVertex_s(edge)
