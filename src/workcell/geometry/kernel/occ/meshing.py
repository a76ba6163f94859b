"""From an exact shape to a welded triangle mesh whose deviation is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.collections import IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Pnt
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED, TopAbs_VERTEX
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS

from workcell.errors import GeometryError
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, clean, faces_of, items, normal_at_edge, shape_map
from workcell.geometry.mesh import Mesh

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ANGLE = 0.5
"""The widest turn between neighbouring facets [rad]: keeps small holes round at coarse tolerances."""
_SMOOTH = 1e-3
"""Faces that meet at less than this angle [rad] have no feature edge between them."""
_UNSURE = 1.25
"""How much to add where sampling, not a formula, gave the deviation."""


def mesh(built: Built, tolerance: float) -> Mesh:
    """Triangles within ``tolerance`` [m] of the shape, their deviation measured."""
    deflection = tolerance * MM
    if any(BRepAdaptor_Surface(face).GetType() not in _RULED for face in faces_of(built.shape)):
        deflection /= _UNSURE  # what the sampled measure adds would cost a second round
    for _ in range(3):
        clean(built.shape)
        BRepMesh_IncrementalMesh(built.shape, deflection, False, _ANGLE, False)
        result, deviation = _collect(built)
        if deviation <= tolerance * MM:
            break
        deflection *= max(0.3, 0.8 * tolerance * MM / deviation)
    clean(built.shape)
    return result


def _collect(built: Built) -> tuple[Mesh, float]:
    shape = built.shape
    welder = _Welder(shape)
    triangles: list[Ints] = []
    owners: list[Ints] = []
    deviation = 0.0
    for index, face in enumerate(faces_of(shape)):
        location = TopLoc_Location()
        found = BRep_Tool.Triangulation_s(face, location)
        if found is None:
            raise GeometryError(f"The face {built.names[index]!r} could not be meshed.", face=built.names[index])
        nodes, corners = _arrays(found, location)
        deviation = max(deviation, _deviation(face, found, nodes, corners))
        if face.Orientation() == TopAbs_REVERSED:
            corners = corners[:, ::-1]
        local = welder.face(face, found, location, nodes)[corners]
        distinct = (local[:, 0] != local[:, 1]) & (local[:, 1] != local[:, 2]) & (local[:, 2] != local[:, 0])
        triangles.append(local[distinct])
        owners.append(np.full(int(distinct.sum()), index))
    if not triangles:
        raise GeometryError("There is nothing to mesh: the shape has no faces.")
    return (
        Mesh(
            welder.vertices() / MM,
            np.concatenate(triangles),
            np.concatenate(owners),
            built.names,
            welder.edges(),
            deviation / MM,
        ),
        deviation,
    )


def _arrays(found: Any, location: Any) -> tuple[Floats, Ints]:
    nodes = np.array([(p.X(), p.Y(), p.Z()) for p in (found.Node(i) for i in range(1, found.NbNodes() + 1))])
    corners = np.array([found.Triangle(i).Get() for i in range(1, found.NbTriangles() + 1)], dtype=np.int64) - 1
    if not location.IsIdentity():
        t = location.Transformation()
        m = np.array([[t.Value(i, j) for j in range(1, 5)] for i in range(1, 4)])
        nodes = nodes @ m[:, :3].T + m[:, 3]
    return nodes, corners.reshape(-1, 3)


def _deviation(face: Shape, found: Any, nodes: Floats, corners: Ints) -> float:
    """How far surface and triangles lie apart [mm]: by formula on quadrics and tori, by sampling elsewhere."""
    surface = BRepAdaptor_Surface(face)
    kind = surface.GetType()
    if kind == GeomAbs_Plane or not len(corners):
        return 0.0
    a, b, c = (nodes[corners[:, i]] for i in range(3))
    middles = np.concatenate([(a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0, (a + b + c) / 3.0])
    if kind in _FORMULAS:
        # The middle of the longest chord is the worst place on a ruled quadric; on the doubly curved ones the
        # centroid stands in for the worst place inside the triangle, which is never twice as far.
        body, margin = _FORMULAS[kind]
        return float(body(surface, middles).max()) * margin
    return _sampled(face, surface, found, nodes, corners)


def _sampled(face: Shape, surface: Any, found: Any, nodes: Floats, corners: Ints) -> float:
    uv = np.array([(p.X(), p.Y()) for p in (found.UVNode(i) for i in range(1, found.NbNodes() + 1))])
    at = uv[corners]
    for node, column in _collapsed(face, found):
        # At a pole every value of one parameter is the same point: take the one between the other corners.
        rows, place = np.nonzero(corners == node)
        others = (at[rows].sum(axis=1) - at[rows, place])[:, column] / 2.0
        at[rows, place, column] = others
    a, b, c = (nodes[corners[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1)
    good = length > 1e-12
    a, at, normals = a[good], at[good], normals[good] / length[good, None]
    worst = 0.0
    p = gp_Pnt()
    for weight in ((0.5, 0.5, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (1 / 3, 1 / 3, 1 / 3)):
        sample = np.einsum("tkc,k->tc", at, np.array(weight))
        where = np.empty((len(sample), 3))
        for i, (u, v) in enumerate(sample):
            surface.D0(u, v, p)
            where[i] = p.X(), p.Y(), p.Z()
        worst = max(worst, float(np.abs(((where - a) * normals).sum(axis=1)).max(initial=0.0)))
    return worst * _UNSURE


def _collapsed(face: Shape, found: Any) -> list[tuple[int, int]]:
    """The nodes on edges that are a single point, each with the parameter that runs along the edge."""
    result = []
    walk = TopExp_Explorer(face, TopAbs_EDGE)
    while walk.More():
        edge = TopoDS.Edge(walk.Current())
        walk.Next()
        if BRep_Tool.Degenerated_s(edge):
            polygon = BRep_Tool.PolygonOnTriangulation_s(edge, found, face.Location())
            curve = BRep_Tool.CurveOnSurface_s(edge, face, 0.0, 0.0)
            first, last = BRep_Tool.Range_s(edge, face)
            p, q = curve.Value(first), curve.Value(last)
            column = 0 if abs(p.X() - q.X()) > abs(p.Y() - q.Y()) else 1
            if polygon is not None:
                result += [(polygon.Node(k) - 1, column) for k in range(1, polygon.NbNodes() + 1)]
    return result


def _polar(frame: Any, points: Floats) -> tuple[Floats, Floats]:
    """Distance from the axis of a frame, and height along it."""
    axis = np.array([frame.Axis().Direction().X(), frame.Axis().Direction().Y(), frame.Axis().Direction().Z()])
    away = points - np.array([frame.Location().X(), frame.Location().Y(), frame.Location().Z()])
    height = away @ axis
    return np.linalg.norm(away - np.outer(height, axis), axis=1), height


def _from_cylinder(surface: Any, points: Floats) -> Floats:
    body = surface.Cylinder()
    return np.asarray(np.abs(_polar(body, points)[0] - body.Radius()))


def _from_cone(surface: Any, points: Floats) -> Floats:
    body = surface.Cone()
    away, height = _polar(body, points)
    angle = body.SemiAngle()
    return np.asarray(np.abs(away * np.cos(angle) - height * np.sin(angle) - body.RefRadius() * np.cos(angle)))


def _from_sphere(surface: Any, points: Floats) -> Floats:
    body = surface.Sphere()
    centre = np.array([body.Location().X(), body.Location().Y(), body.Location().Z()])
    return np.asarray(np.abs(np.linalg.norm(points - centre, axis=1) - body.Radius()))


def _from_torus(surface: Any, points: Floats) -> Floats:
    body = surface.Torus()
    away, height = _polar(body, points)
    return np.asarray(np.abs(np.hypot(away - body.MajorRadius(), height) - body.MinorRadius()))


_RULED = (GeomAbs_Plane, GeomAbs_Cylinder, GeomAbs_Cone)
_FORMULAS: dict[Any, tuple[Callable[[Any, Floats], Floats], float]] = {
    GeomAbs_Cylinder: (_from_cylinder, 1.0),
    GeomAbs_Cone: (_from_cone, 1.0),
    GeomAbs_Sphere: (_from_sphere, _UNSURE),
    GeomAbs_Torus: (_from_torus, _UNSURE),
}


class _Welder:
    """Gives nodes that faces share through an edge or a vertex one number."""

    def __init__(self, shape: Shape) -> None:
        self._edge_map = shape_map(shape, TopAbs_EDGE)
        self._vertex_map = shape_map(shape, TopAbs_VERTEX)
        self._owners = AncestorMap()
        TopExp.MapShapesAndAncestors_s(shape, TopAbs_EDGE, TopAbs_FACE, self._owners)
        self._numbers: dict[tuple[str, int, int], int] = {}
        self._positions: list[Floats] = []
        self._segments: dict[int, Ints] = {}
        self._count = 0

    def face(self, face: Shape, found: Any, location: Any, nodes: Floats) -> Ints:
        """The number of every node of a face."""
        result = np.full(len(nodes), -1, dtype=np.int64)
        walk = TopExp_Explorer(face, TopAbs_EDGE)
        while walk.More():
            edge = TopoDS.Edge(walk.Current())
            walk.Next()
            polygon = BRep_Tool.PolygonOnTriangulation_s(edge, found, location)
            if polygon is None:
                continue
            number = self._edge_map.FindIndex(edge)
            forward = TopoDS.Edge(self._edge_map.FindKey(number))
            ends = [self._vertex_map.FindIndex(vertex) for vertex in _ends(forward)]
            last = polygon.NbNodes() - 1
            collapsed = BRep_Tool.Degenerated_s(edge)
            numbers = []
            for k in range(last + 1):
                node = polygon.Node(k + 1) - 1
                if collapsed or k == 0:
                    key = ("vertex", ends[0], 0)
                elif k == last:
                    key = ("vertex", ends[1], 0)
                else:
                    key = ("edge", number, k)
                if key not in self._numbers:
                    self._numbers[key] = self._new(nodes[node])
                result[node] = self._numbers[key]
                numbers.append(result[node])
            if not collapsed and number not in self._segments:
                self._segments[number] = np.array(numbers)
        inner = np.flatnonzero(result < 0)
        result[inner] = np.arange(self._count, self._count + len(inner))
        self._positions.append(nodes[inner])
        self._count += len(inner)
        return result

    def _new(self, position: Floats) -> int:
        self._positions.append(position[None, :])
        self._count += 1
        return self._count - 1

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
