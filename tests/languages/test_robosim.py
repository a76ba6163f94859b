"""ROBOSIM source: what it means, what it stores, and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from workcell.errors import FileProblem, WorkcellError
from workcell.languages.robosim.machine import _RULES, read_object, read_robosim
from workcell.languages.robosim.statements import FORMS
from workcell.spatial.pose import Pose

TABLE_1 = """\
LOOK-FROM X=-100., Y=100., Z=45.
LOOK-AT X=0., Y=0., Z=8.
CLEAR
STORE B
R-JOINT-I+1
ROTATE X=-45.000
ROTATE Z=90.000
TRANSLATE X=-5.000, Y=-30.000, Z=55.000
ADD B
STORE B
CLEAR
MOVE X=-10.000, Y=-10.000, Z=0.000
DRAW X=-10.000, Y=10.000, Z=0.000
DRAW X=15.000, Y=10.000, Z=0.000
DRAW X=25.000, Y=0.000, Z=0.000
DRAW X=15.000, Y=-10.000, Z=0.000
DRAW X=-10.000, Y=-10.000, Z=0.000
EXTRUDE-SURFACE Z=10.000
ROTATE X=-90.000
ROTATE Y=-90.000
TRANSLATE X=0.000, Y=-30.000, Z=35.000
ADD B
STORE B
CLEAR
F-JOINT-I
TRANSLATE X=0.000, Y=-30.000, Z=-25.000
ADD B
STORE B
CLEAR
CYLINDER R=10.000, H=50.000
TRANSLATE X=0.000, Y=-30.000, Z=0.000
ADD B
STORE B
CLEAR
LOAD B
STORE-LINK C.LOC
VIEW
END
"""
"""Table 1 of the report, with the characters that its scan lost."""


def bounds(solid):
    vertices = solid.mesh().vertices * 1e3
    return vertices.min(axis=0), vertices.max(axis=0)


def test_every_statement_has_a_rule():
    assert set(_RULES) == set(FORMS)


def test_the_base_link_of_table_1_is_as_the_figures_show_it():
    """The joints sit in the middle of faces: of the base of the cylinder, and of a slanted side of the custom object.

    The face centres are computed here from the table, without our code. They fit only if an extrusion is centred on
    its polygon.
    """
    (link,) = read_robosim(TABLE_1).links
    drawing = link.drawing
    assert link.name == "C.LOC"
    custom, cylinder = drawing.solids
    assert cylinder.volume * 1e9 == pytest.approx(math.pi * 10**2 * 50, rel=1e-9)
    assert custom.volume * 1e9 == pytest.approx((25 * 20 + 10 * 10) * 10, rel=1e-9)
    low, high = bounds(cylinder)
    assert low[2] == pytest.approx(-25)
    low, high = bounds(custom)
    assert low == pytest.approx([-10, -35, 25])  # it stands on the top of the cylinder, above its middle
    assert high == pytest.approx([10, -25, 60])
    first, last = drawing.joint("i"), drawing.joint("i+1")
    assert (first.moves, last.moves) == ("fixed", "revolute")
    assert first.pose.xyz * 1e3 == pytest.approx([0, -30, -25])
    side = (np.array([-10.0, -30, 50]) + [0, -30, 60]) / 2
    assert last.pose.xyz * 1e3 == pytest.approx(side)
    assert last.pose.rotation[:, 2] == pytest.approx([-math.sqrt(0.5), 0, math.sqrt(0.5)])


def test_view_keeps_where_the_program_looks():
    (look,) = read_robosim(TABLE_1).looks
    assert np.array(look.eye) == pytest.approx([-0.1, 0.1, 0.045])
    assert np.array(look.target) == pytest.approx([0, 0, 0.008])


@pytest.mark.parametrize(
    ("line", "volume"),
    [
        ("BOX X=10, Y=20, Z=30", 6000),
        ("CYLINDER R=10, H=50", math.pi * 5000),
        ("CONE R=10, H=30", math.pi * 1000),
        ("TRUNCATED-CONE R1=5, R2=10, H=30", math.pi * 10 * (25 + 50 + 100)),
        ("SPHERE R=10", 4000 * math.pi / 3),
    ],
)
def test_shapes_have_their_centre_of_mass_at_the_origin(line, volume):
    (solid,) = read_object(f"{line}\nSTORE-FILE part\n", "part")
    assert solid.volume * 1e9 == pytest.approx(volume, rel=1e-9)
    assert solid.centroid == pytest.approx([0, 0, 0], abs=1e-12)


def test_a_truncated_cone_has_its_upper_radius_first():
    (solid,) = read_object("TRUNCATED-CONE R1=5, R2=10, H=30\nSTORE-FILE c\nEND", "c")
    vertices = solid.mesh().vertices
    top = vertices[vertices[:, 2] > vertices[:, 2].max() - 1e-9]
    assert np.hypot(top[:, 0], top[:, 1]).max() == pytest.approx(5e-3)


def test_a_revolved_surface_turns_about_y_and_keeps_the_polygon_as_its_section():
    source = (
        "MOVE X=10,Y=0\nDRAW X=10,Y=30\nDRAW X=20,Y=30\nDRAW X=20,Y=0\nDRAW X=10,Y=0\nREV-SURFACE\nSTORE-FILE ring\nEND"
    )
    (solid,) = read_object(source, "ring")
    assert solid.volume * 1e9 == pytest.approx(math.pi * (400 - 100) * 30, rel=1e-9)
    low, high = bounds(solid)
    assert (low[1], high[1]) == pytest.approx((0, 30))
    assert high[[0, 2]] == pytest.approx([20, 20], abs=0.2)  # within the tolerance of the mesh


def test_transformations_apply_to_the_whole_accumulator_in_the_order_of_the_arguments():
    source = "BOX X=2,Y=2,Z=2\nTRANSLATE X=10\nROTATE Z=90, X=90\nSTORE-FILE a\nEND"
    (solid,) = read_object(source, "a")
    assert solid.centroid * 1e3 == pytest.approx([0, 0, 10], abs=1e-9)


def test_registers_keep_copies_and_add_joins():
    source = "BOX X=2,Y=2,Z=2\nSTORE A\nTRANSLATE X=10\nADD A\nSTORE-FILE both\nLOAD a\nSTORE-FILE one\nEND\nnot read"
    assert [solid.centroid[0] * 1e3 for solid in read_object(source, "both")] == pytest.approx([0, 10], abs=1e-9)
    assert len(read_object(source, "one")) == 1


def test_closed_loops_of_strokes_are_solids_and_others_a_note():
    corners = [(0, 0, 0), (10, 0, 0), (0, 10, 0), (0, 0, 10)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = []
    for face in faces:
        loop = [corners[i] for i in (*face, face[0])]
        lines += [f"{'DRAW' if n else 'MOVE'} X={x}, Y={y}, Z={z}" for n, (x, y, z) in enumerate(loop)]
    turned = "ROTATE X=33.3, Y=12.1\nTRANSLATE X=0.123"
    (solid,) = read_object("\n".join([*lines, turned, "STORE-FILE tetra", "END"]), "tetra")
    assert solid.volume * 1e9 == pytest.approx(1000 / 6, rel=1e-9)
    open_ = read_robosim("\n".join([*lines[:-4], "STORE-FILE open", "END"]))
    assert open_.notes == ("open: 12 vectors drawn, but no closed faces: no solid",)


def test_read_object_stops_at_the_name_and_names_what_there_is():
    source = "BOX X=1,Y=1,Z=1\nSTORE-FILE a\nLOAD Q\n"
    assert len(read_object(source, "a")) == 1
    with pytest.raises(FileProblem, match="line 3, column 1: LOAD: nothing was stored in register Q"):
        read_object(source, "b")
    with pytest.raises(FileProblem, match=r"x\.rs does not store 'b' with STORE-FILE; it stores 'a'"):
        read_object(source[:29], "b", "x.rs")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("BOX X=1, Y=2", r"line 2, column 1: BOX needs Z=. Write `BOX X=…, Y=…, Z=…`."),
        ("DRAW X=1, Z0.000", r"line 2, column 11: DRAW cannot be read here; found 'Z0.000'."),
        ("TRANSLATE X=O.000", r"line 2, column 13: TRANSLATE cannot be read here; found 'O.000'."),
        ("CYLINDER R=-1, H=5", r"line 2, column 1: CYLINDER: R must be greater than zero; found -1"),
        ("SPHERE R=1, H=2", r"line 2, column 13: SPHERE does not take H=; it takes R=."),
        ("CUBE X=1", r"line 2, column 1: There is no statement of ROBOSIM called 'CUBE'"),
        ("STORE", r"line 2, column 1: STORE needs a name. Write `STORE REGISTER`."),
        ("LOAD B", r"line 2, column 1: LOAD: nothing was stored in register B"),
        ("STORE-LINK a", r"line 2, column 1: STORE-LINK: the accumulator is empty"),
        ("EXTRUDE-SURFACE Z=4", r"line 2, column 1: EXTRUDE-SURFACE: it needs a polygon"),
        ("DRAW X=4", r"line 2, column 1: DRAW: a line begins with MOVE"),
        ("MOVE X=0\nDRAW X=1\nDRAW X=1,Y=1,Z=1\nDRAW Y=1\nEXTRUDE-SURFACE Z=4", r"line 6, column 1: .* equal Z"),
        ("MOVE X=0\nDRAW X=1\nEXTRUDE-SURFACE Z=4", r"line 4, column 1: EXTRUDE-SURFACE: "),
        ("MOVE X=-1,Y=0\nDRAW X=1\nDRAW Y=1\nREV-SURFACE", r"line 5, column 1: REV-SURFACE: .*crosses the axis"),
        ("R-JOINT-I\nR-JOINT-I\nSTORE-LINK a.1", r"line 4, column 1: STORE-LINK: a.1 has 2 joints i; a link has one."),
        ("SPHERE R=1\nSTORE-FILE a\nSTORE-FILE a", r"line 4, column 1: STORE-FILE: a was already stored in line 3."),
        ("SPHERE R=1\n" + "STORE B\nADD B\n" * 30, r"ADD: The drawing would be 32768 shapes"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_line_and_column(line, message):
    with pytest.raises(FileProblem, match=message):
        read_robosim(f"CLEAR\n{line}\n", "a.robosim")


@pytest.mark.parametrize("seed", range(60))
def test_damaged_source_is_read_or_refused_in_one_sentence(seed):
    rng = np.random.default_rng(seed)
    text = list(TABLE_1)
    for _ in range(int(rng.integers(1, 12))):
        at = int(rng.integers(len(text)))
        match int(rng.integers(3)):
            case 0:
                text[at] = chr(int(rng.choice([0, 9, 10, 32, 43, 44, 45, 46, 48, 59, 61, 69, 88, 233, 0x1F600])))
            case 1:
                del text[at : at + int(rng.integers(1, 40))]
            case _:
                text[at:at] = text[at // 2 : at // 2 + int(rng.integers(1, 30))]
    refused = []
    try:
        read_robosim("".join(text))
    except WorkcellError as error:
        refused.append(error)
    for one in refused:
        assert isinstance(one, FileProblem)
        assert "\n" not in str(one)
        assert one.evidence["line"] >= 1
        assert one.evidence["column"] >= 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("BOX X=-5, Y=10, Z=10", "line 2, column 1: BOX: X must be greater than zero; found -5."),
        ("CYLINDER R=10, H=0", "line 2, column 1: CYLINDER: H must be greater than zero; found 0."),
        ("SPHERE R=-2.5", "line 2, column 1: SPHERE: R must be greater than zero; found -2.5."),
    ],
)
def test_errors_show_numbers_as_they_are_in_the_file(line, message):
    with pytest.raises(FileProblem, match=re.escape(message)):
        read_robosim(f"CLEAR\n{line}\nSTORE-FILE o\nEND\n", "a.robosim", 0.001)


def test_a_drawing_that_is_moved_after_each_shape_is_the_same_as_shapes_moved_alone():
    """Motions are put off, but every shape makes those that came after it, in their order."""
    chance = np.random.default_rng(7)
    lines, poses = ["CLEAR"], []
    for _ in range(40):
        lines.append("BOX X=10, Y=20, Z=30")
        poses.append(Pose.identity())
        x, y, z = (round(float(v), 3) for v in chance.uniform(-50, 50, 3))
        angle = round(float(chance.uniform(-180, 180)), 2)
        lines += [f"TRANSLATE X={x}, Y={y}, Z={z}", f"ROTATE Y={angle}"]
        shift = Pose.from_xyz(x / 1000, y / 1000, z / 1000)
        turn = Pose.from_axis_angle((0, 1, 0), np.radians(angle))
        poses = [turn @ shift @ pose for pose in poses]
        if chance.random() < 0.2:  # looking at it in between changes nothing
            lines += ["STORE T"]
    found = read_robosim("\n".join([*lines, "STORE-FILE o", "END"]) + "\n", "a.robosim", 0.001)
    for shape, pose in zip(found.objects[0].drawing.shapes, poses, strict=True):
        np.testing.assert_allclose(shape.pose.matrix, pose.matrix, atol=1e-12)
