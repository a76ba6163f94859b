"""Faces by name, and what is wrong with a shape."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BOPAlgo import BOPAlgo_ArgumentAnalyzer
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepCheck import BRepCheck_Analyzer
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
from OCP.gp import gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED, TopAbs_VERTEX, TopAbs_WIRE
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS

from workcell.geometry.faces import Face, distinct
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
)
from workcell.geometry.validity import Fault

_KINDS = {
    GeomAbs_Plane: "plane",
    GeomAbs_Cylinder: "cylinder",
    GeomAbs_Cone: "cone",
    GeomAbs_Sphere: "sphere",
    GeomAbs_Torus: "torus",
}
_ARC_POINTS = 32


def kind_of(face: Shape) -> str:
    """The kind of a face's surface."""
    return _KINDS.get(BRepAdaptor_Surface(face).GetType(), "free-form")


def numbered(built: Built) -> Built:
    """The same shape with repeated face names told apart."""
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
            u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
            u, v = (u0 + u1) / 2.0, (v0 + v1) / 2.0
            centre, normal = point(BRepAdaptor_Surface(face).Value(u, v)), normal_at(face, u, v)
        result.append(
            Face(name, kind, weighed.Mass() / MM**2, _triple(centre / MM), _triple(normal + 0.0), _outline(face))
        )
    return result


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
    """Open edges, faces that overlap or cross, shells inside out, and what the kernel finds invalid."""
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
    faults += _self_crossings(built)
    return faults


def _self_crossings(built: Built) -> list[Fault]:
    analyzer = BOPAlgo_ArgumentAnalyzer()
    analyzer.SetShape1(built.shape)
    analyzer.SelfInterMode = True
    analyzer.Perform()
    faults = []
    for found in analyzer.GetCheckResult():
        shapes = list(found.GetFaultyShapes1())
        if not shapes:
            continue
        flat = all(shape.ShapeType() == TopAbs_FACE and kind_of(TopoDS.Face(shape)) == "plane" for shape in shapes)
        kind = "overlapping faces" if flat and len(shapes) > 1 else "crossing faces"
        faults.append(Fault(kind, _place(shapes[0]), _names(built, shapes)))
    return faults


def _names(built: Built, shapes: list[Any]) -> tuple[str, ...]:
    numbers = shape_map(built.shape)
    places = [numbers.FindIndex(shape) for shape in shapes if shape.ShapeType() == TopAbs_FACE]
    return tuple(sorted({built.names[place - 1] for place in places if place}))


def _place(shape: Shape) -> tuple[float, float, float]:
    if shape.ShapeType() == TopAbs_VERTEX:
        p: gp_Pnt = BRep_Tool.Pnt_s(TopoDS.Vertex(shape))
        return _triple(point(p) / MM)
    found = GProp_GProps()
    if shape.ShapeType() == TopAbs_EDGE:
        BRepGProp.LinearProperties_s(shape, found)
    else:
        BRepGProp.SurfaceProperties_s(shape, found)
    return _triple(point(found.CentreOfMass()) / MM)


def _triple(values: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) + 0.0 for value in values)
    return x, y, z
