"""Extrusions, revolutions and sweeps along PD curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeWire
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism, BRepPrimAPI_MakeRevol
from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopLoc import TopLoc_Location

from workcell.errors import InvalidShape
from workcell.geometry import recipe as r
from workcell.geometry.checks import in_mm
from workcell.geometry.contour import signed_area
from workcell.geometry.kernel.occ import meshing
from workcell.geometry.kernel.occ.planar import Outline, bspline, bspline_surface, curves, outlines
from workcell.geometry.kernel.occ.sewing import compound, sew
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, items, shape_map
from workcell.geometry.mesh import Mesh
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.geometry.nurbs.surface import NurbsSurface
from workcell.geometry.sweep import MatrixSpline, matrix_splines
from workcell.geometry.validity import Fault, crossing_faults

Floats = NDArray[np.float64]


def extrude(node: r.Extrude) -> Built:
    """A surface moved along a vector."""
    vector = gp_Vec(*(value * MM for value in node.vector))
    ends = ("bottom", "top") if node.vector[2] > 0.0 else ("top", "bottom")
    parts = [_swept(BRepPrimAPI_MakePrism(o.face, vector, True), o, ends) for o in outlines(node.surface)]
    return compound(parts)


def revolve(node: r.Revolve) -> Built:
    """A surface turned about an axis."""
    axis = gp_Ax1(gp_Pnt(*(value * MM for value in node.point)), gp_Dir(*node.direction))
    place = gp_Trsf()
    rows = np.array(node.place).reshape(3, 4) * [1.0, 1.0, 1.0, MM]
    place.SetValues(*(float(value) for value in rows.reshape(-1)))
    whole = abs(abs(node.angle) - 2.0 * math.pi) < 1e-9
    location = TopLoc_Location(place)
    parts = []
    for outline in outlines(node.surface):
        moved = Outline(
            outline.face.Moved(location), tuple((edge.Moved(location), name) for edge, name in outline.edges)
        )
        if whole:
            maker = BRepPrimAPI_MakeRevol(moved.face, axis, True)
        else:
            maker = BRepPrimAPI_MakeRevol(moved.face, axis, node.angle, True)
        parts.append(_swept(maker, moved, None if whole else ("start", "end")))
    return compound(parts)


def _swept(maker: Any, outline: Outline, ends: tuple[str, str] | None) -> Built:
    shape = maker.Shape()
    numbers = shape_map(shape)
    names = [""] * numbers.Extent()
    for edge, name in outline.edges:
        for face in items(maker.Generated(edge)):
            place = numbers.FindIndex(face)
            if place:
                names[place - 1] = name
    if ends is not None:
        for face, name in zip((maker.FirstShape(), maker.LastShape()), ends, strict=True):
            place = numbers.FindIndex(face)
            if place:
                names[place - 1] = name
    return Built(shape, tuple(name or "surface" for name in names))


def sweep(node: r.Sweep) -> Built:
    """A surface moved along a PD curve: each edge sweeps a NURBS surface, and each region gets two flat ends."""
    reach = max(float(np.abs(loop).max()) for loop in node.surface.loops())
    splines = matrix_splines(node.path, reach)
    closed = node.path.is_closed
    regions = node.surface.regions
    parts = []
    hole_number = 0
    for index, (main, holes) in enumerate(regions, start=1):
        prefix = f"part{index}." if len(regions) > 1 else ""
        loops: list[tuple[list[NurbsCurve], str]] = [(_oriented(main, 1.0), f"{prefix}side")]
        for hole in holes:
            hole_number += 1
            loops.append((_oriented(hole, -1.0), f"{prefix}hole{hole_number}"))
        faces: list[tuple[Shape, str]] = []
        for loop, name in loops:
            for number, curve in enumerate(loop, start=1):
                label = name if len(loop) == 1 else f"{name}{'.' if 'hole' in name else ''}{number}"
                for part, spline in enumerate(splines, start=1):
                    suffix = f"-{part}" if len(splines) > 1 else ""
                    for surface in _sides(curve, spline):
                        faces.append((BRepBuilderAPI_MakeFace(surface, 1e-7).Face(), label + suffix))
        if not closed:
            faces.append((_cap([loop for loop, _ in loops], splines[0].control[0]), f"{prefix}start"))
            faces.append((_cap([loop for loop, _ in loops], splines[-1].control[-1]), f"{prefix}end"))
        parts.append(sew(faces))
    whole = compound(parts)
    _refuse_crossing(whole, reach)
    return whole


def _refuse_crossing(built: Built, reach: float) -> None:
    """Refuse a sweep that crosses itself: its outer sides are meshed coarsely, and finely before it is refused."""
    found: list[Fault] = []
    for tolerance in (reach / 10.0, reach / 100.0):
        mesh = meshing.mesh(built, tolerance)
        outer = np.array(["side" in name for name in mesh.face_names])[mesh.face_of_triangle]
        sides = Mesh(mesh.vertices, mesh.triangles[outer], mesh.face_of_triangle[outer], mesh.face_names)
        found = crossing_faults(sides)
        if not found:
            return
    raise InvalidShape(
        f"The sweep crosses itself near {in_mm(found[0].place)}; lead the curve around it or use a smaller surface.",
        faults=tuple((fault.kind, fault.place, fault.faces) for fault in found),
    )


def _oriented(contour: Any, way: float) -> list[NurbsCurve]:
    found = curves(contour)
    if signed_area(contour.edges()[0]) * way < 0.0:
        return [curve.reversed() for curve in reversed(found)]
    return found


def _sides(curve: NurbsCurve, spline: MatrixSpline) -> list[Any]:
    """The surfaces that a curve sweeps, one for each smooth piece of it."""
    result = []
    for piece in _smooth(curve):
        local = np.column_stack([piece.control, np.ones(len(piece.control))])
        grid = np.einsum("kab,ib->ika", spline.control, local)[..., :3]
        weights = np.repeat(piece.weights[:, None], len(spline.control), axis=1)
        result.append(
            bspline_surface(NurbsSurface(grid, weights, piece.knots, spline.knots, (piece.degree, spline.degree)))
        )
    return result


def _smooth(curve: NurbsCurve) -> list[NurbsCurve]:
    inner, times = np.unique(curve.knots[curve.degree + 1 : -curve.degree - 1], return_counts=True)
    result = []
    rest = curve
    for knot, multiplicity in zip(inner, times, strict=True):
        if multiplicity >= curve.degree:
            first, rest = rest.split(float(knot))
            result.append(first)
    return [*result, rest]


def _cap(loops: list[list[NurbsCurve]], matrix: Floats) -> Shape:
    wires = []
    for loop in loops:
        maker = BRepBuilderAPI_MakeWire()
        for curve in loop:
            for piece in _smooth(curve):
                maker.Add(BRepBuilderAPI_MakeEdge(bspline(piece.transformed(_affine(matrix)))).Edge())
        wires.append(maker.Wire())
    face = BRepBuilderAPI_MakeFace(wires[0], True)
    for wire in wires[1:]:
        face.Add(wire)
    return face.Face()


def _affine(matrix: Floats) -> Floats:
    result = matrix.copy()
    result[3] = (0.0, 0.0, 0.0, 1.0)
    return result
