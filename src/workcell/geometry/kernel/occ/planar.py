"""Faces and wires of plane surfaces and NURBS patches."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeWire
from OCP.BRepLib import BRepLib
from OCP.collections import Array1_double, Array1_gp_Pnt, Array1_int, Array2_double, Array2_gp_Pnt
from OCP.GC import GC_MakeArcOfCircle
from OCP.Geom import Geom_BSplineCurve, Geom_BSplineSurface
from OCP.Geom2d import Geom2d_Line
from OCP.gp import gp_Ax2, gp_Circ, gp_Dir, gp_Dir2d, gp_Pln, gp_Pnt, gp_Pnt2d
from OCP.TopoDS import TopoDS

from workcell.geometry.contour import ArcTo, Circle, Contour, LineTo, Path, Point, Polygon, SplineTo, signed_area
from workcell.geometry.kernel.occ.topology import MM, Shape
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.geometry.nurbs.surface import NurbsSurface
from workcell.geometry.surface import Surface

Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Outline:
    """A flat face in the plane z = 0, and its edges with the names of the faces that they sweep."""

    face: Shape
    edges: tuple[tuple[Shape, str], ...]


def outlines(surface: Surface) -> list[Outline]:
    """One face for each region of the surface [mm]."""
    result = []
    regions = surface.regions
    hole_number = 0
    plane = gp_Pln(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0))
    for index, (main, holes) in enumerate(regions, start=1):
        prefix = f"part{index}." if len(regions) > 1 else ""
        wire, edges = _wire(named_edges(main, f"{prefix}side", 1.0, ""))
        maker = BRepBuilderAPI_MakeFace(plane, wire, True)
        for hole in holes:
            hole_number += 1
            ring, more = _wire(named_edges(hole, f"{prefix}hole{hole_number}", -1.0, "."))
            maker.Add(ring)
            edges += more
        result.append(Outline(maker.Face(), tuple(edges)))
    return result


def named_edges(contour: Contour, name: str, way: float, dot: str) -> list[tuple[Shape, str]]:
    """The edges of a contour, running counter-clockwise for way = 1, clockwise for −1, with names."""
    pieces = segments(contour)
    single = isinstance(contour, Circle)
    edges = [
        (_edge(start, segment), name if single else f"{name}{dot}{number}")
        for number, (start, segment) in enumerate(pieces, start=1)
    ]
    if signed_area(contour.edges()[0]) * way < 0.0:
        edges = [(TopoDS.Edge(edge.Reversed()), label) for edge, label in reversed(edges)]
    return edges


def segments(contour: Contour) -> list[tuple[Point, LineTo | ArcTo | SplineTo | Circle]]:
    """The start and the shape of each edge of a contour."""
    if isinstance(contour, Polygon):
        following = contour.corners[1:] + contour.corners[:1]
        return [(a, LineTo(b)) for a, b in zip(contour.corners, following, strict=True)]
    if isinstance(contour, Path):
        result: list[tuple[Point, LineTo | ArcTo | SplineTo | Circle]] = []
        at = contour.start
        for segment in contour.segments:
            result.append((at, segment))
            at = segment.to
        return result
    return [((contour.centre[0] + contour.radius, contour.centre[1]), contour)]


def _edge(start: Point, segment: LineTo | ArcTo | SplineTo | Circle) -> Shape:
    if isinstance(segment, LineTo):
        return BRepBuilderAPI_MakeEdge(_flat(start), _flat(segment.to)).Edge()
    if isinstance(segment, ArcTo):
        curve = GC_MakeArcOfCircle(_flat(start), _flat(segment.through), _flat(segment.to)).Value()
        return BRepBuilderAPI_MakeEdge(curve).Edge()
    if isinstance(segment, SplineTo):
        return BRepBuilderAPI_MakeEdge(bspline(segment.curve(start))).Edge()
    axes = gp_Ax2(_flat(segment.centre), gp_Dir(0.0, 0.0, 1.0), gp_Dir(1.0, 0.0, 0.0))
    return BRepBuilderAPI_MakeEdge(gp_Circ(axes, segment.radius * MM)).Edge()


def _flat(point: Point) -> gp_Pnt:
    return gp_Pnt(point[0] * MM, point[1] * MM, 0.0)


def _wire(edges: list[tuple[Shape, str]]) -> tuple[Shape, list[tuple[Shape, str]]]:
    """The wire, and its edges as they are in it: joining two edges replaces a vertex, which makes a new edge."""
    maker = BRepBuilderAPI_MakeWire()
    joined = []
    for edge, name in edges:
        maker.Add(edge)
        joined.append((maker.Edge(), name))
    return maker.Wire(), joined


def curves(contour: Contour) -> list[NurbsCurve]:
    """The edges of a contour as smooth NURBS curves in the plane z = 0 [m]; arcs are cut every 120°."""
    result: list[NurbsCurve] = []
    for start, segment in segments(contour):
        if isinstance(segment, LineTo):
            result.append(NurbsCurve.line((*start, 0.0), (*segment.to, 0.0)))
        elif isinstance(segment, SplineTo):
            result.append(segment.curve(start))
        elif isinstance(segment, ArcTo):
            (x, y), radius, first, run = segment.circle(start)
            result.append(_arc((x, y), radius, first, run))
        else:
            result.append(_arc(segment.centre, segment.radius, 0.0, 2.0 * math.pi))
    return result


def _arc(centre: Point, radius: float, first: float, run: float) -> NurbsCurve:
    pieces = max(1, math.ceil(abs(run) / (2.0 * math.pi / 3.0) - 1e-9))
    half = run / pieces / 2.0
    angle = first + half * np.arange(2 * pieces + 1)
    weights = np.where(np.arange(2 * pieces + 1) % 2, math.cos(half), 1.0)
    away = radius / weights
    points = np.column_stack([centre[0] + away * np.cos(angle), centre[1] + away * np.sin(angle), np.zeros(len(angle))])
    if abs(abs(run) - 2.0 * math.pi) < 1e-12:
        points[-1] = points[0]
    inner = np.repeat(np.arange(1, pieces) / pieces, 2)
    return NurbsCurve(points, weights, np.concatenate([[0.0] * 3, inner, [1.0] * 3]), 2)


# ---- NURBS --------------------------------------------------------------------------------------------


def _doubles(values: Any) -> Any:
    result = Array1_double(1, len(values))
    for i, value in enumerate(values, start=1):
        result.SetValue(i, float(value))
    return result


def _knots(knots: Floats) -> tuple[Any, Any]:
    distinct, times = np.unique(knots, return_counts=True)
    multiplicities = Array1_int(1, len(times))
    for i, value in enumerate(times, start=1):
        multiplicities.SetValue(i, int(value))
    return _doubles(distinct), multiplicities


def bspline(curve: NurbsCurve) -> Any:
    """A kernel curve [mm] from one in metres."""
    poles = Array1_gp_Pnt(1, len(curve.control))
    for i, p in enumerate(curve.control * MM, start=1):
        poles.SetValue(i, gp_Pnt(*map(float, p)))
    knots, times = _knots(curve.knots)
    return Geom_BSplineCurve(poles, _doubles(curve.weights), knots, times, curve.degree)


def bspline_surface(surface: NurbsSurface) -> Any:
    """A kernel surface [mm] from one in metres."""
    n, m = surface.weights.shape
    poles, weights = Array2_gp_Pnt(1, n, 1, m), Array2_double(1, n, 1, m)
    scaled = surface.control * MM
    for i in range(n):
        for j in range(m):
            poles.SetValue(i + 1, j + 1, gp_Pnt(*map(float, scaled[i, j])))
            weights.SetValue(i + 1, j + 1, float(surface.weights[i, j]))
    ku, mu = _knots(surface.knots_u)
    kv, mv = _knots(surface.knots_v)
    return Geom_BSplineSurface(poles, weights, ku, kv, mu, mv, *surface.degrees)


def nurbs_face(surface: NurbsSurface) -> Shape:
    """A face over a NURBS surface, with its trimming."""
    body = bspline_surface(surface)
    if surface.trim is None:
        return BRepBuilderAPI_MakeFace(body, 1e-7).Face()
    wires = []
    for loop in surface.trim.loops(0.05):
        maker = BRepBuilderAPI_MakeWire()
        for a, b in zip(loop, np.roll(loop, -1, axis=0), strict=True):
            line = Geom2d_Line(gp_Pnt2d(*map(float, a)), gp_Dir2d(*map(float, b - a)))
            maker.Add(BRepBuilderAPI_MakeEdge(line, body, 0.0, float(np.hypot(*(b - a)))).Edge())
        wires.append(maker.Wire())
    made = BRepBuilderAPI_MakeFace(body, wires[0], True)
    for wire in wires[1:]:
        made.Add(wire)
    face = made.Face()
    BRepLib.BuildCurves3d_s(face)
    return face
