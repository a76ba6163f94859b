"""Exact curves on surfaces, where a STEP reader drew them through too few points.

A STEP file gives the edges of a face in space. The kernel's reader draws each one on the surface again, within a
hundred-thousandth of a millimetre at best and a thousandth of the face at worst; areas and volumes are integrated
inside these curves, so a ball cut by a slanted plane came back with up to a thousandth of its volume missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.collections import Array1_double, Array1_gp_Pnt2d, Array1_int
from OCP.Geom2d import Geom2d_BSplineCurve
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.TopAbs import TopAbs_EDGE
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS

from workcell.geometry.kernel.occ.topology import Shape, faces_of, size
from workcell.geometry.nurbs.curve import interpolation

Floats = NDArray[np.float64]

_GOOD = 1e-10
"""The greatest distance of a curve on a surface from the edge, as a share of the size of the shape."""
_LOOKS = 17
"""The number of places at which a curve is compared with its edge."""
_FEWEST_POINTS, _MOST_POINTS = 33, 1500
"""The number of points through which a curve is drawn, at first and at most."""
_DEGREE = 5
_STEPS = 6


def sharpen(shape: Shape) -> None:
    """Draw the curves on the curved faces of a shape again where they lie off their edges."""
    good = _GOOD * size(shape) * 1e3
    for face in faces_of(shape):
        surface = BRepAdaptor_Surface(face, False)
        if surface.GetType() == GeomAbs_Plane:
            continue
        walk = TopExp_Explorer(face, TopAbs_EDGE)
        while walk.More():
            edge = TopoDS.Edge(walk.Current())
            walk.Next()
            if not BRep_Tool.Degenerated_s(edge) and not BRep_Tool.IsClosed_s(edge, face):
                _sharpened(edge, face, surface, good)


def _sharpened(edge: Shape, face: Shape, surface: Any, good: float) -> None:
    first, last = BRep_Tool.Range_s(edge, face)
    flat = BRep_Tool.CurveOnSurface_s(edge, face, 0.0, 0.0)
    if flat is None or not last > first:
        return
    space = BRepAdaptor_Curve(edge)
    off = float(_off(space, surface, flat, np.linspace(first, last, _LOOKS)).max())
    at = np.linspace(first, last, _FEWEST_POINTS)
    while off > good and len(at) < _MOST_POINTS:
        made = _through(at, _projected(space, surface, flat, at))
        middles = (at[:-1] + at[1:]) / 2.0
        gaps = _off(space, surface, made, middles)
        if float(gaps.max()) < off:
            flat, off = made, float(gaps.max())
            BRep_Builder().UpdateEdge(edge, made, face, BRep_Tool.Tolerance_s(edge))
        # Add points where the curve is still off, and beside them: a curve turns sharply where it passes a pole.
        wide = gaps > good
        wide[1:] |= gaps[:-1] > good
        wide[:-1] |= gaps[1:] > good
        at = np.sort(np.concatenate([at, middles[wide]]))


def _off(space: Any, surface: Any, flat: Any, at: Floats) -> Floats:
    """The distances between an edge and its curve on a surface at parameters [mm]."""
    result = np.empty(len(at))
    for i, t in enumerate(at.tolist()):
        uv = flat.Value(t)
        result[i] = surface.Value(uv.X(), uv.Y()).Distance(space.Value(t))
    return result


def _projected(space: Any, surface: Any, flat: Any, at: Floats) -> Floats:
    """The parameters (n, 2) of the points of a surface nearest to an edge, starting from approximate ones."""
    result = np.empty((len(at), 2))
    p, du, dv = gp_Pnt(), gp_Vec(), gp_Vec()
    for i, t in enumerate(at.tolist()):
        target, uv = space.Value(t), flat.Value(t)
        u, v = uv.X(), uv.Y()
        for _ in range(_STEPS):
            surface.D1(u, v, p, du, dv)
            gap = gp_Vec(p, target)
            a, b, c = du.Dot(du), du.Dot(dv), dv.Dot(dv)
            r, s = du.Dot(gap), dv.Dot(gap)
            det = a * c - b * b
            if det <= 1e-18 * max(a, c) ** 2:
                break  # at a pole, one parameter has no effect
            step_u, step_v = (r * c - s * b) / det, (s * a - r * b) / det
            u, v = u + step_u, v + step_v
            if abs(step_u) * a**0.5 + abs(step_v) * c**0.5 < 1e-13 * (1.0 + p.Distance(gp_Pnt())):
                break
        result[i] = u, v
    return result


def _through(at: Floats, places: Floats) -> Any:
    """A plane B-spline through places (n, 2) at parameters (n,)."""
    # The places next to the ends get no knots, so that there are as many functions as places.
    left_out = (_DEGREE + 1) // 2
    ends = [np.full(_DEGREE + 1, at[0]), at[left_out:-left_out], np.full(_DEGREE + 1, at[-1])]
    every = np.concatenate(ends)
    control = interpolation(at, every, _DEGREE, places)
    knots, times = np.unique(every, return_counts=True)
    poles = Array1_gp_Pnt2d(1, len(control))
    for i, (x, y) in enumerate(control.tolist(), start=1):
        poles.SetValue(i, gp_Pnt2d(x, y))
    values, repeats = Array1_double(1, len(knots)), Array1_int(1, len(knots))
    for i, (value, repeat) in enumerate(zip(knots.tolist(), times.tolist(), strict=True), start=1):
        values.SetValue(i, value)
        repeats.SetValue(i, repeat)
    return Geom2d_BSplineCurve(poles, values, repeats, _DEGREE)
