"""STEP files with several parts: reading and writing of names, colours and placements."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
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
from workcell.geometry.assembly import Assembly, AssemblyGroup, AssemblyPart, Builder, Instance, Rgb, rows_of
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
        path.write_bytes(_unicode(zlib.decompress(compressed)))
        read = reader.ReadFile(str(path)) == IFSelect_RetDone
        if read:
            _refuse_other_files(reader)
        if not read or not reader.Transfer(document):
            raise FileProblem("The STEP file holds no shape that can be read; it may be cut short.")
    return _Reading(colours).all(shapes)


def _unicode(data: bytes) -> bytes:
    """Convert a file to UTF-8. A file in another encoding is read as Latin-1, so that each letter stays one letter."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data


def _refuse_other_files(reader: Any) -> None:
    """Refuse a file that refers to others: the kernel would open them anywhere, and a cell keeps one file."""
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
    """Walks the tree of a document and keeps each part and sub-assembly once."""

    def __init__(self, colours: Any) -> None:
        self._colours = colours
        self._builder = Builder()
        self._numbers: dict[str, tuple[int, bool] | None] = {}
        self._open: set[str] = set()

    def all(self, shapes: Any) -> Assembly:
        roots = _labels(shapes.GetFreeShapes)
        instances = [one for root in roots if (one := self._instance(root, np.eye(4), _name(root))) is not None]
        if not instances:
            raise FileProblem("The STEP file holds curves or points but no solid.")
        return self._builder.made(_name(roots[0]), instances)

    def _instance(self, label: Any, place: Floats, name: str, colour: Rgb | None = None) -> Instance | None:
        """A label in its place; None if there is no solid below it."""
        if XCAFDoc_ShapeTool.IsReference_s(label):
            target = TDF_Label()
            XCAFDoc_ShapeTool.GetReferredShape_s(label, target)
            here = place @ _matrix(XCAFDoc_ShapeTool.GetLocation_s(label))
            return self._instance(target, here, _name(label) or _name(target), self._colour(label) or colour)
        key = _entry(label)
        if key in self._open or len(self._open) > _DEEPEST:
            raise FileProblem("The assemblies of the STEP file form a circle.")
        if key not in self._numbers:
            self._open.add(key)
            assembly = XCAFDoc_ShapeTool.IsAssembly_s(label)
            self._numbers[key] = self._group(label) if assembly else self._part(label)
            self._open.remove(key)
        found = self._numbers[key]
        return None if found is None else Instance(found[0], name, rows_of(place), colour, found[1])

    def _group(self, label: Any) -> tuple[int, bool] | None:
        components = _labels(lambda found: XCAFDoc_ShapeTool.GetComponents_s(label, found))
        found = tuple(one for component in components if (one := self._instance(component, np.eye(4), "")) is not None)
        if not found:
            return None
        return self._builder.group(AssemblyGroup(_name(label), found, self._colour(label))), True

    def _part(self, label: Any) -> tuple[int, bool] | None:
        shape = XCAFDoc_ShapeTool.GetShape_s(label)
        if not (shape_map(shape, TopAbs_SOLID).Extent() or shape_map(shape, TopAbs_SHELL).Extent()):
            return None
        # The same file must always give the same recipe, without the time and without a count of earlier writes.
        data = _STAMP.sub(b"'1970-01-01T00:00:00'", to_step(Built(shape, ())))
        data = _COUNTED.sub(b"'Workcell solid'", data)
        own = self._colour(label) or self._inner_colour(shape)
        return self._builder.part(AssemblyPart(_name(label), r.Imported(zlib.compress(data, 6)), own)), False

    def _colour(self, label: Any) -> Rgb | None:
        found = Quantity_Color()
        for kind in (XCAFDoc_ColorSurf, XCAFDoc_ColorGen):
            if self._colours.GetColor_s(label, kind, found):
                return _rgb(found)
        return None

    def _inner_colour(self, shape: Shape) -> Rgb | None:
        """The colour of the solids or the first face of a part."""
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
    # The kernel keeps linear light; people and cells use colours as seen on a screen.
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
    """Write an assembly with its built parts as a STEP file in mm, with its tree, names, colours and rigid places."""
    data = _Writing(assembly).file(made)
    return _NOT_ASCII.sub(lambda found: _escaped(found[0].decode()), data)


_NOT_ASCII = re.compile(rb"[\x80-\xff]+")


def _escaped(text: str) -> bytes:
    """Encode a non-ASCII text as ISO 10303-21 requires: in hexadecimal between directives."""
    wide = any(ord(letter) > 0xFFFF for letter in text)
    letters = "".join(f"{ord(letter):0{8 if wide else 4}X}" for letter in text)
    return f"\\X{4 if wide else 2}\\{letters}\\X0\\".encode()


class _Writing:
    """Fills a document: every part once, then groups, then the whole."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._document, self._shapes, self._colours = _document()
        self._groups: dict[int, Any] = {}
        self._labels: list[Any] = []

    def file(self, made: Sequence[Built]) -> bytes:
        assembly = self._assembly
        seen: list[Shape] = []
        for part, built in zip(assembly.parts, made, strict=True):
            shape = built.shape
            if any(shape.IsSame(other) for other in seen):  # equal shapes with two names are two products
                shape = BRepBuilderAPI_Copy(shape).Shape()
            seen.append(shape)
            self._labels.append(self._called(self._shapes.AddShape(shape, False), part.name, part.colour))
        only = assembly.instances[0] if len(assembly.instances) == 1 else None
        if only is None or only.group or only.colour or only.matrix != Instance(0, "").matrix:
            self._filled(self._called(self._shapes.NewShape(), assembly.name, None), assembly.instances)
        self._shapes.UpdateAssemblies()
        return self._written()

    def _called(self, label: Any, name: str, colour: Rgb | None) -> Any:
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name, True))
        if colour is not None:
            self._colours.SetColor(label, Quantity_Color(*colour, Quantity_TOC_sRGB), XCAFDoc_ColorSurf)
        return label

    def _filled(self, label: Any, instances: Sequence[Instance]) -> Any:
        for one in instances:
            target = self._group(one.part) if one.group else self._labels[one.part]
            move = gp_Trsf()
            rows = np.array(one.matrix).reshape(3, 4) * [1.0, 1.0, 1.0, MM]
            move.SetValues(*rows.reshape(-1).tolist())
            self._called(self._shapes.AddComponent(label, target, TopLoc_Location(move)), one.name, one.colour)
        return label

    def _group(self, number: int) -> Any:
        if number not in self._groups:
            group = self._assembly.groups[number]
            label = self._called(self._shapes.NewShape(), group.name, group.colour)
            self._groups[number] = self._filled(label, group.instances)
        return self._groups[number]

    def _written(self) -> bytes:
        Interface_Static.SetCVal_s("write.step.unit", "MM")
        Interface_Static.SetIVal_s("write.surfacecurve.mode", 0)  # see exchange.to_step
        writer = STEPCAFControl_Writer()
        writer.SetNameMode(True)
        writer.SetColorMode(True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "assembly.step"
            if not writer.Transfer(self._document) or writer.Write(str(path)) != IFSelect_RetDone:
                raise FileProblem("The CAD kernel could not write the STEP file.")
            return path.read_bytes()
