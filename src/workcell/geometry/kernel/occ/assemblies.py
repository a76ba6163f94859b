"""STEP files with several parts: names, colours and placements, in and out."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.collections import Sequence_TDF_Label
from OCP.gp import gp_Trsf
from OCP.IFSelect import IFSelect_RetDone
from OCP.Interface import Interface_Static
from OCP.Quantity import Quantity_Color, Quantity_TOC_sRGB
from OCP.STEPCAFControl import STEPCAFControl_Reader, STEPCAFControl_Writer
from OCP.STEPConstruct import STEPConstruct_ExternRefs
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_SHELL, TopAbs_SOLID
from OCP.TopLoc import TopLoc_Location
from OCP.XCAFDoc import XCAFDoc_ColorGen, XCAFDoc_ColorSurf, XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

from workcell.errors import FileProblem
from workcell.geometry import recipe as r
from workcell.geometry.assembly import Assembly, AssemblyPart, Instance, Rgb
from workcell.geometry.kernel.occ.exchange import to_step
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, shape_map

Floats = NDArray[np.float64]
_DEEPEST = 50
_STAMP = re.compile(rb"'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^']*'")
_COUNTED = re.compile(rb"'Workcell solid \d+'")


def _document() -> tuple[Any, Any, Any]:
    document = TDocStd_Document(TCollection_ExtendedString("XmlOcaf"))
    main = document.Main()
    return document, XCAFDoc_DocumentTool.ShapeTool_s(main), XCAFDoc_DocumentTool.ColorTool_s(main)


def assembly_from_step(compressed: bytes) -> Assembly:
    """The parts of a STEP file with their names, colours and places."""
    document, shapes, colours = _document()
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    reader.SetColorMode(True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "assembly.step"
        path.write_bytes(zlib.decompress(compressed))
        read = reader.ReadFile(str(path)) == IFSelect_RetDone
        if read:
            _refuse_other_files(reader)
        if not read or not reader.Transfer(document):
            raise FileProblem("The STEP file holds no shape that can be read; it may be cut short.")
    return _Reading(colours).all(shapes)


def _refuse_other_files(reader: Any) -> None:
    """Refuse a file that names others: the kernel would open them wherever they are, and a cell keeps one."""
    references = STEPConstruct_ExternRefs(reader.Reader().WS())
    references.LoadExternRefs()
    names = [str(references.FileName(number + 1)) for number in range(references.NbExternRefs())]
    if names:
        raise FileProblem(
            f"The STEP file keeps parts in other files ({', '.join(names[:3])}{' …' if names[3:] else ''}); save it as "
            "one file.",
            files=names,
        )


class _Reading:
    """Walks the tree of a document, each part kept once."""

    def __init__(self, colours: Any) -> None:
        self._colours = colours
        self._numbers: dict[str, int] = {}
        self._parts: list[AssemblyPart] = []
        self._instances: list[Instance] = []

    def all(self, shapes: Any) -> Assembly:
        roots = _labels(shapes.GetFreeShapes)
        for root in roots:
            self._walk(root, np.eye(4), _name(root), None, 0)
        if not self._instances:
            raise FileProblem("The STEP file holds curves or points but no solid.")
        return Assembly(_name(roots[0]), tuple(self._parts), tuple(self._instances))

    def _walk(self, label: Any, place: Floats, name: str, colour: Rgb | None, depth: int) -> None:
        if depth > _DEEPEST:
            raise FileProblem("The assemblies of the STEP file go in a circle.")
        if XCAFDoc_ShapeTool.IsReference_s(label):
            target = TDF_Label()
            XCAFDoc_ShapeTool.GetReferredShape_s(label, target)
            here = place @ _matrix(XCAFDoc_ShapeTool.GetLocation_s(label))
            self._walk(target, here, _name(label) or _name(target), self._colour(label) or colour, depth + 1)
        elif XCAFDoc_ShapeTool.IsAssembly_s(label):
            for component in _labels(lambda found: XCAFDoc_ShapeTool.GetComponents_s(label, found)):
                self._walk(component, place, name, colour or self._colour(label), depth + 1)
        else:
            self._part(label, place, name, colour)

    def _part(self, label: Any, place: Floats, name: str, colour: Rgb | None) -> None:
        shape = XCAFDoc_ShapeTool.GetShape_s(label)
        if not (shape_map(shape, TopAbs_SOLID).Extent() or shape_map(shape, TopAbs_SHELL).Extent()):
            return
        key = _entry(label)
        if key not in self._numbers:
            self._numbers[key] = len(self._parts)
            # The same file must always give the same recipe: no clock, and no count of what was written before.
            data = _STAMP.sub(b"'1970-01-01T00:00:00'", to_step(Built(shape, ())))
            data = _COUNTED.sub(b"'Workcell solid'", data)
            own = self._colour(label) or self._inner_colour(shape)
            self._parts.append(AssemblyPart(_name(label) or "part", r.Imported(zlib.compress(data, 6)), own))
        rows = tuple(float(value) + 0.0 for value in place[:3].reshape(-1))
        self._instances.append(Instance(self._numbers[key], name or "part", rows, colour))

    def _colour(self, label: Any) -> Rgb | None:
        found = Quantity_Color()
        for kind in (XCAFDoc_ColorSurf, XCAFDoc_ColorGen):
            if self._colours.GetColor_s(label, kind, found):
                return _rgb(found)
        return None

    def _inner_colour(self, shape: Shape) -> Rgb | None:
        """The colour that the solids or the first face of a part have."""
        found = Quantity_Color()
        for sub in [shape, *_subs(shape)]:
            for kind in (XCAFDoc_ColorSurf, XCAFDoc_ColorGen):
                if self._colours.GetColor(sub, kind, found):
                    return _rgb(found)
        return None


def _subs(shape: Shape) -> list[Shape]:
    solids, faces = shape_map(shape, TopAbs_SOLID), shape_map(shape)
    found = [solids.FindKey(i) for i in range(1, solids.Extent() + 1)]
    return found + ([faces.FindKey(1)] if faces.Extent() else [])


def _rgb(colour: Any) -> Rgb:
    # The kernel keeps linear light; people and cells mean what is seen on a screen.
    red, green, blue = (round(float(v), 6) for v in colour.Values(Quantity_TOC_sRGB))
    return red, green, blue


def _labels(fill: Callable[[Any], Any]) -> list[Any]:
    found = Sequence_TDF_Label()
    fill(found)
    return [found.Value(i) for i in range(1, found.Length() + 1)]


def _name(label: Any) -> str:
    found = TDataStd_Name()
    if not label.FindAttribute(TDataStd_Name.GetID_s(), found):
        return ""
    return str(found.Get().ToExtString()).strip()


def _entry(label: Any) -> str:
    from OCP.TCollection import TCollection_AsciiString
    from OCP.TDF import TDF_Tool

    text = TCollection_AsciiString()
    TDF_Tool.Entry_s(label, text)
    return str(text.ToCString())


def _matrix(location: Any) -> Floats:
    t = location.Transformation()
    result = np.eye(4)
    result[:3] = [[t.Value(i, j) for j in range(1, 5)] for i in range(1, 4)]
    result[:3, 3] /= MM
    return result


def assembly_to_step(assembly: Assembly, made: Sequence[Built]) -> bytes:
    """An assembly, its parts made, as a STEP file in millimetres, with names, colours and rigid placements."""
    document, shapes, colours = _document()
    labels = []
    for part, built in zip(assembly.parts, made, strict=True):
        label = shapes.AddShape(built.shape, False)
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(part.name, True))
        if part.colour is not None:
            colours.SetColor(label, Quantity_Color(*part.colour, Quantity_TOC_sRGB), XCAFDoc_ColorSurf)
        labels.append(label)
    alone = len(assembly.instances) == 1 and assembly.instances[0].matrix == Instance(0, "").matrix
    if not alone:
        whole = shapes.NewShape()
        TDataStd_Name.Set_s(whole, TCollection_ExtendedString(assembly.name, True))
        for instance in assembly.instances:
            move = gp_Trsf()
            rows = np.array(instance.matrix).reshape(3, 4) * [1.0, 1.0, 1.0, MM]
            move.SetValues(*rows.reshape(-1).tolist())
            component = shapes.AddComponent(whole, labels[instance.part], TopLoc_Location(move))
            TDataStd_Name.Set_s(component, TCollection_ExtendedString(instance.name, True))
            if instance.colour is not None:
                colours.SetColor(component, Quantity_Color(*instance.colour, Quantity_TOC_sRGB), XCAFDoc_ColorSurf)
        shapes.UpdateAssemblies()
    Interface_Static.SetCVal_s("write.step.unit", "MM")
    Interface_Static.SetIVal_s("write.surfacecurve.mode", 0)  # see exchange.to_step
    writer = STEPCAFControl_Writer()
    writer.SetNameMode(True)
    writer.SetColorMode(True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "assembly.step"
        if not writer.Transfer(document) or writer.Write(str(path)) != IFSelect_RetDone:
            raise FileProblem("The CAD kernel could not write the STEP file.")
        return path.read_bytes()
