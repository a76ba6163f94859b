"""Reading and writing STEP."""

from __future__ import annotations

import hashlib
import math
import tempfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import GeomAbs_Plane
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_RetDone
from OCP.Interface import Interface_Static
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Reader, STEPControl_Writer
from OCP.TopAbs import TopAbs_SHELL, TopAbs_SOLID

from workcell.errors import FileProblem
from workcell.geometry.kernel.occ.inspect import kind_of
from workcell.geometry.kernel.occ.measure import properties
from workcell.geometry.kernel.occ.pcurves import sharpen
from workcell.geometry.kernel.occ.sewing import compound, solid_of
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, faces_of, point, shape_map


def to_step(built: Built) -> bytes:
    """The shape as a STEP file, in millimetres."""
    writer = STEPControl_Writer()
    Interface_Static.SetCVal_s("write.step.unit", "MM")
    Interface_Static.SetCVal_s("write.step.product.name", "Workcell solid")
    # Readers compute curves on surfaces anew. Curves written for a sphere that is cut across its seam are read wrongly.
    Interface_Static.SetIVal_s("write.surfacecurve.mode", 0)
    if writer.Transfer(built.shape, STEPControl_AsIs) != IFSelect_RetDone:
        raise FileProblem("The CAD kernel could not turn this solid into STEP.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solid.step"
        if writer.Write(str(path)) != IFSelect_RetDone:
            raise FileProblem("The CAD kernel could not write the STEP file.")
        return path.read_bytes()


def from_step(compressed: bytes) -> Built:
    """The solids of a STEP file; faces are named by their kind and place, because a file does not keep their names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solid.step"
        path.write_bytes(zlib.decompress(compressed))
        shape = _read(path, 0)
        if not _sound(shape):
            again = _read(path, 3)  # without the file's own curves on surfaces
            shape = again if _sound(again) else shape
    sharpen(shape)
    solids = shape_map(shape, TopAbs_SOLID)
    shapes = [solids.FindKey(i) for i in range(1, solids.Extent() + 1)]
    if not shapes:
        shells = shape_map(shape, TopAbs_SHELL)
        shapes = [solid_of(shells.FindKey(i)) for i in range(1, shells.Extent() + 1)]
    if not shapes:
        raise FileProblem("The STEP file holds curves or points but no solid.")
    return compound([Built(s, tuple(_signature(face) for face in faces_of(s)), outward=False) for s in shapes])


class Survival(NamedTuple):
    """The volume of a shape before it is written to STEP, and after it is read again."""

    before: float
    after: float

    @property
    def change(self) -> float:
        """The change as a share of the volume."""
        return abs(self.after / self.before - 1.0)


def survives(built: Built) -> Survival:
    """Write a shape to STEP, read it again and compare the volumes; flat faces never change."""
    if all(BRepAdaptor_Surface(face).GetType() == GeomAbs_Plane for face in faces_of(built.shape)):
        return Survival(1.0, 1.0)
    before = properties(built).volume  # as `measure` computes it
    try:
        again = from_step(zlib.compress(to_step(built), 1))
    except FileProblem:
        return Survival(before, math.inf)
    return Survival(before, properties(again).volume)


def _read(path: Path, curves: int) -> Shape:
    reader = STEPControl_Reader()
    Interface_Static.SetIVal_s("read.surfacecurve.mode", curves)
    if reader.ReadFile(str(path)) != IFSelect_RetDone or not reader.TransferRoots():
        raise FileProblem("The STEP file holds no shape that can be read; it may be cut short.")
    return reader.OneShape()


def _sound(shape: Shape) -> bool:
    body = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, body)
    return bool(body.Mass() > 0.0 and BRepCheck_Analyzer(shape).IsValid())


def _signature(face: Shape) -> str:
    found = GProp_GProps()
    BRepGProp.SurfaceProperties_s(face, found)
    values = np.round(np.array([found.Mass() / MM**2, *point(found.CentreOfMass()) / MM]), 6) + 0.0
    kind = kind_of(face)
    return f"{kind}-{hashlib.blake2b(kind.encode() + values.tobytes(), digest_size=3).hexdigest()}"
