"""Faces by name, and the faults of a shape."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BOPAlgo import BOPAlgo_ArgumentAnalyzer
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Section
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepGProp import BRepGProp
from OCP.BRepTools import BRepTools, BRepTools_WireExplorer
from OCP.collections import IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap
from OCP.GeomAbs import (
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Line,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.gp import gp_Pnt, gp_Pnt2d
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_IN, TopAbs_REVERSED, TopAbs_VERTEX, TopAbs_WIRE
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS

from workcell.errors import GeometryError
from workcell.geometry.faces import Face, distinct
from workcell.geometry.kernel.occ import meshing
from workcell.geometry.kernel.occ.topology import (
    MM,
    Built,
    Shape,
    centre_of,
    faces_of,
    items,
    middle_normal,
    normal_at,
    point,
    shape_map,
    size,
)
from workcell.geometry.validity import Fault, crossing_faults

_KINDS = {
    GeomAbs_Plane: "plane",
    GeomAbs_Cylinder: "cylinder",
    GeomAbs_Cone: "cone",
    GeomAbs_Sphere: "sphere",
    GeomAbs_Torus: "torus",
}
_ARC_POINTS = 32
_PLACES = 15
"""The number of places along each parameter to try for the centre of a curved face; odd, to include the middle."""
_FINENESS = 1000.0
"""The size of a shape divided by the deviation of the mesh that shows where it crosses itself."""


def kind_of(face: Shape) -> str:
    """The kind of a face's surface."""
    return _KINDS.get(BRepAdaptor_Surface(face, False).GetType(), "free-form")


def numbered(built: Built) -> Built:
    """The same shape with repeated face names numbered."""
    if len(set(built.names)) == len(built.names):
        return built
    centres = [centre_of(face) / MM for face in faces_of(built.shape)]
    return dataclasses.replace(built, names=distinct(built.names, centres))


def faces(built: Built) -> list[Face]:
    """Every face with its name, centre, normal and outline [m]."""
    result = []
    for name, face in zip(built.names, faces_of(built.shape), strict=True):
        kind = kind_of(face)
        weighed = GProp_GProps()
        BRepGProp.SurfaceProperties_s(face, weighed, 1e-10)
        if kind == "plane":
            centre, normal = point(weighed.CentreOfMass()), middle_normal(face)
        else:
            u, v = _middle(face)
            centre, normal = point(BRepAdaptor_Surface(face).Value(u, v)), normal_at(face, u, v)
        result.append(
            Face(name, kind, weighed.Mass() / MM**2, _triple(centre / MM), _triple(normal + 0.0), _outline(face))
        )
    return result


def _middle(face: Shape) -> tuple[float, float]:
    """The point of a curved face that is nearest to the middle of its parameters and not in a hole."""
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    shares = (np.arange(_PLACES) + 1.0) / (_PLACES + 1.0)
    grid = np.array([(a, b) for a in shares for b in shares])
    order = np.argsort(np.linalg.norm(grid - 0.5, axis=1), kind="stable")
    places = [(float(u0 + (u1 - u0) * a), float(v0 + (v1 - v0) * b)) for a, b in grid[order]]
    classifier = BRepClass_FaceClassifier()
    for u, v in places:
        classifier.Perform(face, gp_Pnt2d(u, v), 1e-9)
        if classifier.State() == TopAbs_IN:
            return u, v
    return places[0]


def _outline(face: Shape) -> tuple[tuple[tuple[float, float, float], ...], ...]:
    outer = BRepTools.OuterWire_s(face)
    wires = shape_map(face, TopAbs_WIRE)
    ordered = [outer] + [
        TopoDS.Wire(wires.FindKey(i)) for i in range(1, wires.Extent() + 1) if not wires.FindKey(i).IsSame(outer)
    ]
    return tuple(_loop(wire, face) for wire in ordered)


def _loop(wire: Shape, face: Shape) -> tuple[tuple[float, float, float], ...]:
    walk = BRepTools_WireExplorer(wire, face)
    result: list[tuple[float, float, float]] = []
    while walk.More():
        edge = walk.Current()
        if not BRep_Tool.Degenerated_s(edge):
            curve = BRepAdaptor_Curve(edge)
            n = 1 if curve.GetType() == GeomAbs_Line else _ARC_POINTS
            first, last = curve.FirstParameter(), curve.LastParameter()
            if edge.Orientation() == TopAbs_REVERSED:
                first, last = last, first
            result += [_triple(point(curve.Value(first + (last - first) * i / n)) / MM) for i in range(n)]
        walk.Next()
    return tuple(result)


def check(built: Built) -> list[Fault]:
    """All faults of a shape: flaws of single faces and edges, and faces that overlap or cross."""
    return [*flaws(built), *_self_crossings(built)]


def flaws(built: Built) -> list[Fault]:
    """Open edges, inverted shells, and everything else that the kernel finds invalid."""
    shape = built.shape
    faults: list[Fault] = []
    owners = AncestorMap()
    TopExp.MapShapesAndAncestors_s(shape, TopAbs_EDGE, TopAbs_FACE, owners)
    for i in range(1, owners.Extent() + 1):
        edge = TopoDS.Edge(owners.FindKey(i))
        around = items(owners.FindFromIndex(i))
        if BRep_Tool.Degenerated_s(edge) or len(around) == 2:
            continue
        seam = len(around) == 1 and BRep_Tool.IsClosed_s(edge, TopoDS.Face(around[0]))
        if not seam:
            kind = "open edge" if len(around) < 2 else "edge of more than two faces"
            faults.append(Fault(kind, _place(edge), _names(built, around)))
    analyzer = BRepCheck_Analyzer(shape)
    if not analyzer.IsValid():
        for kind in (TopAbs_FACE, TopAbs_EDGE, TopAbs_VERTEX):
            found = shape_map(shape, kind)
            for i in range(1, found.Extent() + 1):
                if not analyzer.IsValid(found.FindKey(i)):
                    faults.append(
                        Fault("invalid geometry", _place(found.FindKey(i)), _names(built, [found.FindKey(i)]))
                    )
        if not faults:
            faults.append(Fault("invalid topology", (0.0, 0.0, 0.0)))
    body = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, body)
    if body.Mass() < 0.0:
        faults.append(Fault("inverted shell", _triple(point(body.CentreOfMass()) / MM)))
    return faults


def _self_crossings(built: Built) -> list[Fault]:
    """Where faces cross or overlap, reported once for each pair of faces.

    The kernel finds them. It also takes the seams and poles of a stretched face for crossings of the face with itself,
    and it may give up. So its result for one free-form face, or for none, counts only where a mesh crosses too.
    """
    analyzer = BOPAlgo_ArgumentAnalyzer()
    analyzer.SetShape1(built.shape)
    analyzer.SelfInterMode = True
    analyzer.Perform()
    hits = [shapes for found in analyzer.GetCheckResult() if (shapes := list(found.GetFaultyShapes1()))]
    if not hits:
        return []
    seen = _seen_crossings(built)
    faults: dict[tuple[str, ...], Fault] = {}
    for shapes in hits:
        around = _faces_around(built, shapes)
        names = _names(built, around)
        meshed = [fault for fault in seen if not names or set(fault.faces) <= set(names)]
        if meshed:
            faults |= {fault.faces: fault for fault in reversed(meshed)}
        elif len(around) > 1 or (around and kind_of(around[0]) != "free-form"):
            faults.setdefault(names, _meeting(shapes, names))
    return list(faults.values())


def _seen_crossings(built: Built) -> list[Fault]:
    """Where a mesh of a shape crosses itself; empty if the shape cannot be meshed."""
    try:
        return crossing_faults(meshing.mesh(built, size(built.shape) / _FINENESS))
    except GeometryError:
        return []


def _faces_around(built: Built, shapes: list[Any]) -> list[Shape]:
    """The faces among the shapes, and the faces at the edges and vertices among them."""
    return [
        face
        for face in faces_of(built.shape)
        if any(shape_map(face, shape.ShapeType()).Contains(shape) for shape in shapes)
    ]


def _meeting(shapes: list[Any], names: tuple[str, ...]) -> Fault:
    """The fault for shapes that overlap or cross, with the best known place."""
    for operation in (BRepAlgoAPI_Common, BRepAlgoAPI_Section) if len(shapes) > 1 else ():
        common = operation(shapes[0], shapes[1]).Shape()
        if shape_map(common, TopAbs_EDGE).Extent():
            kind = "overlapping faces" if shape_map(common).Extent() else "crossing faces"
            return Fault(kind, _place(common), names)
    return Fault("crossing faces", _place(shapes[0]), names)


def _names(built: Built, shapes: list[Any]) -> tuple[str, ...]:
    numbers = shape_map(built.shape)
    places = [numbers.FindIndex(shape) for shape in shapes if shape.ShapeType() == TopAbs_FACE]
    return tuple(sorted({built.names[place - 1] for place in places if place}))


def _place(shape: Shape) -> tuple[float, float, float]:
    if shape.ShapeType() == TopAbs_VERTEX:
        p: gp_Pnt = BRep_Tool.Pnt_s(TopoDS.Vertex(shape))
        return _triple(point(p) / MM)
    found = GProp_GProps()
    if not shape_map(shape).Extent():
        BRepGProp.LinearProperties_s(shape, found)
    else:
        BRepGProp.SurfaceProperties_s(shape, found)
    return _triple(point(found.CentreOfMass()) / MM)


def _triple(values: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) + 0.0 for value in values)
    return x, y, z
