"""A STEP assembly, made and read by the CAD kernel itself, keeps its bodies, volumes, colours and tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import workcell as wc

pytest.importorskip("OCP")

from OCP.BRep import BRep_Builder
from OCP.BRepGProp import BRepGProp
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeSphere
from OCP.collections import Sequence_TDF_Label
from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_RetDone
from OCP.Interface import Interface_Static
from OCP.Quantity import Quantity_Color, Quantity_TypeOfColor
from OCP.STEPCAFControl import STEPCAFControl_Reader, STEPCAFControl_Writer
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound
from OCP.XCAFDoc import XCAFDoc_ColorType, XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LONG = "part of a very long name " * 12


def name(label: TDF_Label, text: str) -> None:
    TDataStd_Name.Set_s(label, TCollection_ExtendedString(text, True))


def at(x: float, y: float = 0.0, z: float = 0.0, turn: float = 0.0) -> TopLoc_Location:
    move, spin = gp_Trsf(), gp_Trsf()
    move.SetTranslation(gp_Vec(x, y, z))
    spin.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0.0, 0.3, 1.0)), turn)
    return TopLoc_Location(move.Multiplied(spin))


class Making:
    """A document of the kernel: parts, assemblies, uses of both, names and colours."""

    def __init__(self) -> None:
        self.document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
        self.shapes = XCAFDoc_DocumentTool.ShapeTool_s(self.document.Main())
        self.colours = XCAFDoc_DocumentTool.ColorTool_s(self.document.Main())

    def part(self, shape, called: str | None = None, colour=None) -> TDF_Label:
        label = self.shapes.AddShape(shape, False)
        if called is not None:
            name(label, called)
        if colour:
            self.paint(label, colour)
        return label

    def group(self, called: str | None) -> TDF_Label:
        empty = TopoDS_Compound()
        BRep_Builder().MakeCompound(empty)
        label = self.shapes.AddShape(empty, True)
        if called is not None:
            name(label, called)
        return label

    def use(self, group: TDF_Label, part: TDF_Label, place, called: str | None = None, colour=None) -> TDF_Label:
        label = self.shapes.AddComponent(group, part, place)
        if called is not None:
            name(label, called)
        if colour:
            self.paint(label, colour)
        return label

    def paint(self, label: TDF_Label, colour) -> None:
        made = Quantity_Color(*colour, Quantity_TypeOfColor.Quantity_TOC_sRGB)
        self.colours.SetColor(label, made, XCAFDoc_ColorType.XCAFDoc_ColorGen)

    def save(self, place: Path, unit: str = "MM") -> None:
        self.shapes.UpdateAssemblies()
        Interface_Static.SetCVal_s("write.step.unit", unit)
        writer = STEPCAFControl_Writer()
        assert writer.Transfer(self.document)
        assert writer.Write(str(place)) == IFSelect_RetDone
        Interface_Static.SetCVal_s("write.step.unit", "MM")


def leaves_of(place: Path) -> Counter:
    """Every body of a STEP file as the kernel reads it: names down to it, volume, centre, colour."""
    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    reader.SetColorMode(True)
    assert reader.ReadFile(str(place)) == IFSelect_RetDone
    assert reader.Transfer(document)
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    colours = XCAFDoc_DocumentTool.ColorTool_s(document.Main())
    found: Counter = Counter()

    def called(label: TDF_Label) -> str:
        attribute = TDataStd_Name()
        return attribute.Get().ToExtString() if label.FindAttribute(TDataStd_Name.GetID_s(), attribute) else ""

    def colour(label: TDF_Label):
        made = Quantity_Color()
        for kind in (XCAFDoc_ColorType.XCAFDoc_ColorGen, XCAFDoc_ColorType.XCAFDoc_ColorSurf):
            if colours.GetColor_s(label, kind, made):
                return tuple(round(255 * v) for v in made.Values(Quantity_TypeOfColor.Quantity_TOC_sRGB))
        return None

    def walk(label: TDF_Label, place_: TopLoc_Location, path: tuple[str, ...], outer) -> None:
        if XCAFDoc_ShapeTool.IsAssembly_s(label):
            parts = Sequence_TDF_Label()
            XCAFDoc_ShapeTool.GetComponents_s(label, parts)
            own = outer or colour(label)
            for i in range(1, parts.Length() + 1):
                component, referred = parts.Value(i), TDF_Label()
                XCAFDoc_ShapeTool.GetReferredShape_s(component, referred)
                there = place_.Multiplied(XCAFDoc_ShapeTool.GetLocation_s(component))
                names = (*path, called(component), called(referred))
                walk(referred, there, names, own or colour(component))
            return
        properties = GProp_GProps()
        BRepGProp.VolumeProperties_s(XCAFDoc_ShapeTool.GetShape_s(label).Moved(place_), properties)
        centre = properties.CentreOfMass()
        if properties.Mass() > 0:
            spot = tuple(round(float(v), 3) + 0.0 for v in (centre.X(), centre.Y(), centre.Z()))
            found[path, round(properties.Mass(), 1), spot, outer or colour(label)] += 1

    roots = Sequence_TDF_Label()
    shapes.GetFreeShapes(roots)
    for i in range(1, roots.Length() + 1):
        walk(roots.Value(i), TopLoc_Location(), (called(roots.Value(i)),), None)
    return found


def machine() -> Making:
    """Nested, duplicate, dotted, unnamed, Cyrillic, Chinese and long names; colours of parts and of uses."""
    made = Making()
    plate = made.part(BRepPrimAPI_MakeBox(100.0, 60.0, 10.0).Shape(), "Part1.1", RED)
    pin = made.part(BRepPrimAPI_MakeCylinder(5.0, 40.0).Shape(), "Втулка №2")
    other = made.part(BRepPrimAPI_MakeBox(20.0, 20.0, 20.0).Shape(), "Part1.1", GREEN)
    ball = made.part(BRepPrimAPI_MakeSphere(8.0).Shape(), LONG)
    wheel = made.group("轮子")
    made.use(wheel, pin, at(0), "ось.1")
    made.use(wheel, ball, at(0, 0, 50), "шар", BLUE)
    axle = made.group("Achse.1")
    made.use(axle, wheel, at(0, 80, 0, 0.4), "l")
    made.use(axle, wheel, at(0, -80, 0, -0.3), "r")
    whole = made.group("Wagen 整车")
    made.use(whole, plate, at(0), "Part1.1:1")
    made.use(whole, axle, at(150, 0, 0), "Achse")
    made.use(whole, axle, at(-150, 0, 0, 1.0), "Achse")
    made.use(whole, wheel, at(0, 0, 200, 0.7), "spare wheel")  # the same group one level higher
    made.use(whole, other, at(0, 0, 100), "a/b\\c;d'e\"f")
    made.use(whole, pin, at(0, 300, 0), "painted", GREEN)
    return made


@pytest.mark.parametrize("unit", ["MM", "INCH"])
def test_an_assembly_of_the_kernel_comes_out_as_it_went_in(tmp_path: Path, unit: str) -> None:
    machine().save(tmp_path / "in.step", unit)
    before = leaves_of(tmp_path / "in.step")
    assert sum(before.values()) == 1 + 2 * 2 * 2 + 2 + 1 + 1
    with wc.Cell.create(tmp_path / "line.cell") as cell:
        told = str(cell.do(f"import assembly car {tmp_path}/in.step"))
        assert "4 parts, 2 sub-assemblies, used 13 times" in told
        labels = {one.properties.get("label") for one in cell.database.entities("block")}
        assert {"Part1.1", "Втулка №2", LONG.strip()} <= {str(label).strip() for label in labels}
        volume = cell.do("measure car").volume
        assert cell.replayed().database.rows() == cell.database.rows()
        cell.do(f"save {tmp_path}/text.celltext")
    with wc.Cell.open(tmp_path / "line.cell") as cell:
        cell.do(f"export solid car {tmp_path}/out.step")
    after = leaves_of(tmp_path / "out.step")
    assert after == before
    assert volume * 1e9 == pytest.approx(sum(v * n for (_, v, _, _), n in before.items()), rel=1e-5)
    merged = wc.Cell()
    merged.do(f"load {tmp_path}/text.celltext prefix other-")
    merged.do(f"export solid other-car {tmp_path}/merged.step")
    assert {key[1:] for key in leaves_of(tmp_path / "merged.step")} == {key[1:] for key in before}


def test_an_empty_compound_and_an_unnamed_part_do_no_harm(tmp_path: Path) -> None:
    made = Making()
    box = made.part(BRepPrimAPI_MakeBox(10.0, 10.0, 10.0).Shape())
    nothing = TopoDS_Compound()
    BRep_Builder().MakeCompound(nothing)
    whole = made.group("top")
    made.use(whole, box, at(0))
    made.use(whole, made.part(nothing, "empty"), at(5))
    made.use(whole, made.group("hollow"), at(7), "nobody")
    made.save(tmp_path / "in.step")
    cell = wc.Cell()
    cell.do(f"import assembly car {tmp_path}/in.step")
    cell.do(f"export solid car {tmp_path}/out.step")
    before, after = leaves_of(tmp_path / "in.step"), leaves_of(tmp_path / "out.step")
    assert {key[1:] for key in after} == {key[1:] for key in before}
    assert cell.do("measure car").volume == pytest.approx(1e-6)


def test_a_mirrored_instance_keeps_its_hand(tmp_path: Path) -> None:
    """STEP places what is rigid; a mirrored copy of an object goes out as a part of its own."""
    made = Making()
    whole = made.group("pair")
    wedge = made.part(BRepPrimAPI_MakeBox(30.0, 20.0, 10.0).Shape(), "left")
    made.use(whole, wedge, at(100))
    made.save(tmp_path / "in.step")
    cell = wc.Cell()
    for line in (
        f"import assembly car {tmp_path}/in.step",
        "create block hook box 30 20 10",
        "create block bit box 5 5 30",
        "combine both union hook bit translate 12,7,10",
    ):
        cell.do(line)
    cell.do("copy both as mirrored scale -1,1,1")
    cell.do("attach mirrored to car as other translate 0,0,100")
    cell.do("attach both to car as one translate 0,0,200")
    cell.do(f"export solid car {tmp_path}/out.step")
    found = leaves_of(tmp_path / "out.step")
    by_height = {round(spot[2] / 100): (volume, spot) for (_, volume, spot, _) in found}
    assert by_height[1][0] == pytest.approx(by_height[2][0])
    assert by_height[1][1][0] == pytest.approx(-by_height[2][1][0], abs=2e-3)
    assert by_height[1][1][1] == pytest.approx(by_height[2][1][1], abs=2e-3)
    assert np.sign(by_height[1][1][0]) == -1
