"""Shapes with names on their faces, and functions that walk over them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepGProp import BRepGProp
from OCP.BRepTools import BRepTools
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.collections import List_TopoDS_Shape
from OCP.gp import gp_Pnt, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_FACE, TopAbs_REVERSED, TopAbs_SHELL
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS

Shape = Any
"""A TopoDS_Shape; the type checker has no description of the kernel's types."""

MM = 1000.0
"""The number of millimetres in a metre."""


@dataclasses.dataclass(frozen=True)
class Built:
    """An exact shape [mm] and the name of each of its faces, in the order of :func:`shape_map`.

    ``outward`` is whether its solids are known not to be inside out; those of a file may be.
    """

    shape: Shape
    names: tuple[str, ...]
    outward: bool = True


def shape_map(shape: Shape, kind: Any = TopAbs_FACE) -> Any:
    """The distinct sub-shapes of a kind, numbered from 1 in a stable order."""
    found = ShapeMap()
    TopExp.MapShapes_s(shape, kind, found)
    return found


def items(found: Any) -> list[Shape]:
    """Convert a kernel list to a Python one. An iterator over it costs a millisecond, so a copy is emptied instead."""
    count = found.Size()
    if count <= 2:
        return [] if count == 0 else [found.First()] if count == 1 else [found.First(), found.Last()]
    rest = List_TopoDS_Shape(found)
    result = []
    while rest.Size():
        result.append(rest.First())
        rest.RemoveFirst()
    return result


def faces_of(shape: Shape) -> Iterator[Shape]:
    """The distinct faces, in the order of :func:`shape_map`."""
    found = shape_map(shape)
    for i in range(1, found.Extent() + 1):
        yield TopoDS.Face(found.FindKey(i))


def closed(shape: Shape) -> bool:
    """Whether every shell is closed, which is the cheapest check of a boolean."""
    shells = shape_map(shape, TopAbs_SHELL)
    return all(BRep_Tool.IsClosed_s(shells.FindKey(i)) for i in range(1, shells.Extent() + 1))


def centre_of(face: Shape) -> NDArray[np.float64]:
    """The centroid of a face's area [mm]."""
    found = GProp_GProps()
    BRepGProp.SurfaceProperties_s(face, found)
    return point(found.CentreOfMass())


def point(p: Any) -> NDArray[np.float64]:
    """A kernel point or vector as an array."""
    return np.array([p.X(), p.Y(), p.Z()])


def normal_at(face: Shape, u: float, v: float) -> NDArray[np.float64]:
    """The outward unit normal at surface parameters; zero where the surface is singular."""
    p, du, dv = gp_Pnt(), gp_Vec(), gp_Vec()
    BRepAdaptor_Surface(face, False).D1(u, v, p, du, dv)  # False: do not compute the bounds of the face
    normal = np.cross(point(du), point(dv))
    length = float(np.linalg.norm(normal))
    if length < 1e-12:
        return np.zeros(3)
    return normal / (-length if face.Orientation() == TopAbs_REVERSED else length)


def middle_normal(face: Shape) -> NDArray[np.float64]:
    """The outward unit normal in the middle of the parameter range."""
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    return normal_at(face, (u0 + u1) / 2.0, (v0 + v1) / 2.0)


def size(shape: Shape) -> float:
    """The diagonal of the box around a shape [m]."""
    around = Bnd_Box()
    BRepBndLib.Add_s(shape, around)
    return float(np.sqrt(around.SquareExtent())) / MM


def clean(shape: Shape) -> None:
    """Remove every triangulation, so that the next one does not depend on the last."""
    BRepTools.Clean_s(shape)


def normal_at_edge(edge: Shape, face: Shape) -> NDArray[np.float64]:
    """The outward unit normal of a face in the middle of one of its edges; zero if there is none."""
    curve = BRep_Tool.CurveOnSurface_s(edge, face, 0.0, 0.0)
    if curve is None:
        return np.zeros(3)
    first, last = BRep_Tool.Range_s(edge, face)
    uv = curve.Value((first + last) / 2.0)
    return normal_at(face, uv.X(), uv.Y())
