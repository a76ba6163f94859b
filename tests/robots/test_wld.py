"""Ding's work cell files: everything survives, numbers are understood, damage is told in one line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from workcell.errors import FileProblem, InvalidValue
from workcell.robots.catalogue import robot
from workcell.robots.formats import wld
from workcell.robots.formats.wld_objects import object_of_solid, object_of_target, solids_in, targets_in, unknown_in
from workcell.robots.formats.wld_robots import object_of_robot, robots_of
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

DATA = Path(__file__).parent.parent / "data" / "robots" / "irb6400.wld"
TEXT = DATA.read_text()
MORE = """// Version: 100
C3dObjectCylinder {
    Radius    <50.000000 >
    Height    <200.000000 >
    Name      <Pin 1 >
    Color     <1.000000 0.500000 0.000000 1.000000 > // RGBA
    Origin    <10.000000 20.000000 30.000000 0.000000 >
    Rotation  <90.000000 0.000000 0.000000 >
    Translate <0.000000 0.000000 5.000000 >
}
C3dObjectCone {
    Radius    <40.000000 >
    Height    <120.000000 >
    Name      <Cone 1 >
}
CWindmill {
    // drawn by hand
    Blades    <3 >
    Label     <turns left >
    Empty     <>
}
"""


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def test_the_file_of_case_one_comes_back_to_the_letter() -> None:
    file = wld.read(DATA)
    assert len(file.objects) == 9
    assert squeezed(wld.write(file)) == squeezed(TEXT)
    assert wld.parse(wld.write(file)) == file


def test_its_robot_is_the_library_s_and_stands_turned() -> None:
    arm, base = robots_of(wld.read(DATA))[0]
    assert arm.name == "ABB IRB6400"
    assert arm.chain.table == pytest.approx(robot("irb6400").chain.table, abs=1e-12)
    assert arm.home == pytest.approx(robot("irb6400").home)
    assert base.is_close(Pose.from_axis_angle((0, 0, 1), np.pi / 2))


def test_its_targets_are_reached_by_its_thetas() -> None:
    file = wld.read(DATA)
    arm = robots_of(file)[0][0]
    targets = targets_in(file)
    assert [target.name[-1] for target in targets] == list("0123567")
    for target in targets:
        assert arm.fk(target.joints).is_close(target.pose, metres=5e-7, radians=5e-7)


def test_the_path_runs_along_the_edge_of_the_cube() -> None:
    file = wld.read(DATA)
    (_, cube, colour, X_world_cube) = solids_in(file)[0]
    base = robots_of(file)[0][1]
    corner = X_world_cube.apply([0.55025, -0.15025, 0.175])
    assert base.inverse().apply(corner) == pytest.approx([1.39975, -0.65025, 0.875])
    assert colour == (0, 1, 0)
    assert cube.volume == pytest.approx(1.1005 * 0.3005 * 0.35)


def test_objects_are_written_from_our_values_as_ding_wrote_them() -> None:
    file = wld.read(DATA)
    arm, base = robots_of(file)[0]
    assert object_of_robot(arm, base) == file.objects[0]
    _, _, _, place = solids_in(file)[0]
    sizes = {"Depth": 0.3005, "Height": 0.35, "Width": 1.1005}
    assert object_of_solid("C3dObjectCube", "Cube 0", sizes, place) == file.objects[1]
    last = targets_in(file)[-1]
    again = targets_in(wld.parse(wld.write(wld.WldFile((object_of_target(last, (np.pi / 2, 0.0)),)))))[0]
    assert again.pose.is_close(last.pose, 1e-8, 1e-8)
    assert again.joints == pytest.approx(last.joints, abs=1e-8)


def test_cylinders_cones_and_classes_we_do_not_know_survive() -> None:
    file = wld.parse(MORE)
    assert squeezed(wld.write(file)) == squeezed(MORE)
    (name, pin, colour, place), (_, cone, _, _) = solids_in(file)
    assert (name, colour) == ("Pin 1", (1, 0.5, 0))
    assert place.xyz == pytest.approx([0.01, 0.02, 0.035])
    assert pin.volume == pytest.approx(np.pi * 0.05**2 * 0.2)
    assert cone.volume == pytest.approx(np.pi * 0.04**2 * 0.12 / 3)
    assert [item.kind for item in unknown_in(file)] == ["CWindmill"]
    assert unknown_in(file)[0].field("Label").text == "turns left"


def test_an_obj_is_told_apart_by_its_content() -> None:
    assert wld.kind_of(TEXT) == "wld"
    assert wld.kind_of(MORE[len("// Version: 100\n") :]) == "wld"
    assert wld.kind_of("# made by hand\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n") == "wavefront"
    assert wld.kind_of("nothing at all") == ""


def test_a_work_cell_file_loads_as_a_robot(tmp_path: Path) -> None:
    assert Robot.load(DATA).name == "ABB IRB6400"
    mesh = tmp_path / "thing.obj"
    mesh.write_text("v 0 0 0\nf 1 1 1\n")
    with pytest.raises(FileProblem, match="is a Wavefront mesh; it holds a shape, not a robot"):
        Robot.load(mesh)
    mesh.write_text(MORE)
    with pytest.raises(FileProblem, match="a work cell file without a robot"):
        Robot.load(mesh)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT[:900], r"x.wld is cut off: the C3dObjectCube that begins in line 17 has no closing brace"),
        (TEXT.replace("<300.500000 >", "<300.500000"), r"x.wld, line 1\d: expected a field such as Name <value >"),
        ("v 1 2 3\n", r"x.wld is a Wavefront mesh"),
        ("", r"x.wld is not a work cell file"),
    ],
)
def test_damage_is_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(FileProblem, match=message) as caught:
        wld.parse(text, "x.wld")
    assert "\n" not in str(caught.value)


def test_fields_that_are_wrong_name_themselves() -> None:
    short = wld.parse(TEXT.replace("Joint3    <0.000000 90.000000", "Joint3    <90.000000"))
    with pytest.raises(InvalidValue, match="The field Joint3 in line 5 must hold 4 finite numbers"):
        robots_of(short)
    bad = wld.parse(TEXT.replace("Joint3    <0.000000", "Joint3    <zero"))
    with pytest.raises(InvalidValue, match="The field Joint3 in line 5 must hold numbers"):
        robots_of(bad)
    gone = wld.parse(TEXT.replace("Joint3 ", "Joint9 "))
    with pytest.raises(InvalidValue, match="The C6RRobot 'ABB IRB6400' in line 2 has no field Joint3"):
        robots_of(gone)


def test_what_the_format_cannot_hold_is_refused() -> None:
    with pytest.raises(InvalidValue, match="robots of six turning joints"):
        object_of_robot(robot("stanford"))
    with pytest.raises(InvalidValue, match="cannot hold the base or tool frame"):
        object_of_robot(robot("irb6400").with_tool(Pose.from_xyz(0, 0, 0.1)))
    with pytest.raises(InvalidValue, match="can hold the shapes"):
        object_of_solid("C3dObjectTorus", "x", {}, Pose.identity())


def test_a_base_turned_anyhow_is_written_as_a_rotation() -> None:
    place = Pose.from_xyz_angles((0.1, 0.2, 0.3), (0.4, 0.5, 0.6), "urdf_rpy")
    arm = robot("irb6400")
    back = robots_of(wld.parse(wld.write(wld.WldFile((object_of_robot(arm, place),)))))[0][1]
    assert back.is_close(place, 1e-6, 1e-6)
