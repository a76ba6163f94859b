"""ROBOSIM source written from cells and read back: the same solids, the same DH parameters, the same places."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_robosim import TABLE_1

import workcell as wc
from workcell.errors import FileProblem, Refused
from workcell.geometry.contour import polygon
from workcell.geometry.surface import Surface
from workcell.languages.robosim.drawing import Drawing, Joint, Shape
from workcell.languages.robosim.links import drawings_of_robot, link_files
from workcell.languages.robosim.machine import RobosimFile, Stored, read_object, read_robosim
from workcell.languages.robosim.writing import write_robosim
from workcell.robots.formats import link_file
from workcell.spatial.pose import Pose
from workcell.spatial.units import LENGTHS


def surface(rng, shift=0.0):
    """A star-shaped polygon, also concave."""
    angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8)) + 2))
    radii = rng.uniform(0.02, 0.1, len(angles))
    points = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    return Surface((polygon(points + (shift, 0.0)),))


SOLIDS = {
    "box": lambda rng: wc.solids.box(*rng.uniform(0.01, 1, 3)),
    "cylinder": lambda rng: wc.solids.cylinder(*rng.uniform(0.01, 1, 2)),
    "cone": lambda rng: wc.solids.cone(*rng.uniform(0.01, 1, 2)),
    "cone upside down": lambda rng: wc.solids.truncated_cone(0.3, 0.0, 0.2),
    "truncated cone": lambda rng: wc.solids.truncated_cone(*rng.uniform(0.01, 1, 3)),
    "sphere": lambda rng: wc.solids.sphere(rng.uniform(0.01, 1)),
    "extrusion": lambda rng: wc.solids.extrude(surface(rng), float(rng.choice([-1, 1]) * rng.uniform(0.01, 1))),
    "revolution": lambda rng: wc.solids.revolve(surface(rng, 0.2)),
    "revolution about an axis": lambda rng: wc.solids.revolve(
        surface(rng, 0.2), axis_point=(0, 0, 0), axis_direction=(0, -2, 0)
    ),
    "polyhedron": lambda rng: wc.solids.wedge(*rng.uniform(0.1, 1, 3), 0.05),
}


def placement(rng, kind):
    turn = Pose.from_axis_angle(rng.normal(size=3), rng.uniform(-3, 3)).matrix.copy()
    turn[:3, 3] = rng.uniform(-1, 1, 3)
    scale = {"rigid": 1.0, "mirrored": -1.0, "larger": rng.uniform(0.3, 3)}[kind]
    return turn @ np.diag([scale, abs(scale), abs(scale), 1.0])


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(SOLIDS)),
    st.sampled_from(["rigid", "mirrored", "larger"]),
    st.sampled_from(["mm", "inch", "m"]),
)
def test_a_solid_survives_as_source(seed, kind, placed, unit):
    rng = np.random.default_rng(seed)
    try:
        solid = SOLIDS[kind](rng).transformed(placement(rng, placed))
    except wc.WorkcellError:  # a random polygon that crosses itself
        return
    drawn = Drawing((Shape(solid, Pose.identity()),))
    written = write_robosim(RobosimFile((), (Stored("a", drawn),), ()), LENGTHS[unit])
    assert bool(written.polygons) == (kind == "polyhedron")
    (again,) = read_object(written.text, "a", unit=LENGTHS[unit])
    assert again.volume == pytest.approx(solid.volume, rel=1e-9)
    assert again.centroid == pytest.approx(solid.centroid, abs=1e-9)
    assert again.inertia == pytest.approx(solid.inertia, rel=1e-7, abs=1e-9 * np.abs(solid.inertia).max())


def test_unequal_scales_stay_exact_where_the_shape_bears_them():
    stretched = wc.solids.cylinder(0.1, 0.2).transformed(np.diag([2.0, 2.0, 3.0, 1.0]))
    squeezed = wc.solids.cylinder(0.1, 0.2).transformed(np.diag([2.0, 1.0, 1.0, 1.0]))
    for solid, exact in ((stretched, True), (squeezed, False)):
        written = write_robosim(RobosimFile((), (Stored("a", Drawing((Shape(solid, Pose.identity()),))),), ()))
        assert bool(written.polygons) is not exact
        (again,) = read_object(written.text, "a")
        assert again.volume == pytest.approx(solid.volume, rel=1e-9 if exact else 0.05)


def dh(links):
    return np.array([(one.theta, one.dz, one.da, one.alpha) for one in links])


@pytest.mark.parametrize("name", ["puma560", "irb6400", "ur10e", "cobra600", "stanford", "panda"])
def test_a_robot_survives_as_source(name):
    robot = wc.robot(name)
    robot = robot.replace(home=np.random.default_rng(3).uniform(-0.5, 0.5, robot.n))
    links = drawings_of_robot(robot.replace(links=tuple(type(one)(one.name) for one in robot.links)), "R")
    again = read_robosim(write_robosim(RobosimFile(tuple(links), (), ())).text).robots()["R"]
    assert dh(link_files(again)) == pytest.approx(dh(link_files(links)), abs=1e-9)
    assert [one.types for one in link_files(again)] == [one.types for one in link_files(links)]
    chain, home, _ = link_file.joined(link_files(again), 1e-3)
    for dq in np.random.default_rng(1).uniform(-1, 1, (5, robot.n)):
        made = wc.Robot("R", chain, limits=np.tile((-9, 9), (robot.n, 1))).fk(home + dq)
        assert made.is_close(robot.fk(robot.home + dq), 1e-9, 1e-9)


def test_the_link_file_of_table_1_has_its_numbers():
    """DH by hand: z of joint i+1 meets z of joint i at (0, −30, 50), 75 above joint i, tilted by 45° about y."""
    source = read_robosim(TABLE_1)
    (file,) = link_files(source.links)
    file = link_file.parse(link_file.write(file))
    assert (file.theta, file.dz, file.da, file.alpha) == pytest.approx((90, 75, 0, -45), abs=1e-9)
    assert (file.flags, file.types) == ((1, 1), (3, 1))
    half = math.sqrt(0.5)
    assert file.input_frame == pytest.approx(np.array([[1, 0, 0, 0], [0, 1, 0, -30], [0, 0, 1, -25], [0, 0, 0, 1]]))
    seat = np.array([[0, -half, -half, 0], [1, 0, 0, -30], [0, -half, half, 50], [0, 0, 0, 1]])
    assert file.output_frame == pytest.approx(seat, abs=1e-9)
    assert file.a_matrix == pytest.approx(np.linalg.inv(file.input_frame) @ seat, abs=1e-9)
    assert file.check() == ()
    custom, cylinder = file.solids()
    assert custom.volume * 1e9 == pytest.approx(6000, rel=1e-9)
    assert cylinder.volume * 1e9 == pytest.approx(math.pi * 5000, rel=0.05)


def test_a_link_behind_a_frame_that_is_no_dh_pair_stays_where_it_was_drawn():
    """The arm hangs on the slanted face of Table 1; its box is where the two joint frames coincide."""
    arm = Drawing(
        (Shape(wc.solids.box(0.02, 0.02, 0.06), Pose.identity()),),
        (Joint("i", "revolute", Pose.from_xyz(0, 0, -0.03)), Joint("i+1", "fixed", Pose.from_xyz(0, 0, 0.03))),
    )
    base = read_robosim(TABLE_1).links[0]
    links = [base, Stored("C.1", arm)]
    chain, home, places = link_file.joined(link_files(links, 1.0, shapes=False), 1.0)
    frames = wc.Robot("C", chain, limits=np.array([(-9, 9)])).frames(home)
    number, X = places[1]
    want = base.drawing.joint("i").pose.inverse() @ base.drawing.joint("i+1").pose @ Pose.from_xyz(0, 0, 0.03)
    assert (Pose(frames[number]) @ X).is_close(want, 1e-9, 1e-9)


# ---- in a cell -----------------------------------------------------------------------------------------


ARM = (
    TABLE_1.replace("VIEW\nEND\n", "")
    + """\
CLEAR
BOX X=20, Y=20, Z=60
R-JOINT-I
TRANSLATE Z=-30
STORE B
CLEAR
F-JOINT-I+1
TRANSLATE Z=30
ADD B
STORE-LINK C.1
CLEAR
SPHERE R=5
TRANSLATE X=100
STORE-FILE ball
VIEW
END
"""
)


@pytest.fixture
def cell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.robosim").write_text(ARM)
    with wc.Cell() as made:
        yield made


def test_source_becomes_robots_objects_and_views_in_one_step(cell):
    before = len(cell.journal)
    answer = cell.do("import robosim arm.robosim at 0,0,1000")
    assert (answer.robots, answer.objects, answer.views) == (("C",), ("ball", "C-LOC", "C-1"), ("robosim",))
    assert len(cell.journal) == before + 1
    assert cell.do("check robot C").text.startswith("C: 1 joint")
    assert cell.snapshot().body_poses(cell.state)[-1].shape == (4, 4)
    again = cell.replayed()
    assert {e.name for e in again.database.entities()} == {e.name for e in cell.database.entities()}
    assert again.snapshot().hash == cell.snapshot().hash
    cell.undo()
    assert not [e for e in cell.database.entities() if e.kind in ("robot", "object", "view", "frame")]
    cell.redo()
    assert cell.snapshot().hash == again.snapshot().hash


def test_a_second_import_gets_names_of_its_own(cell):
    cell.do("import robosim arm.robosim")
    answer = cell.do("import robosim arm.robosim prefix b- at 500,0,0")
    assert answer.robots == ("b-C",)
    assert cell.do("import robosim arm.robosim at 0,500,0").robots[0] not in ("C", "b-C")


def test_a_cell_written_and_read_again_has_the_same_things_in_the_same_places(cell, tmp_path):
    cell.do("import robosim arm.robosim at 0,0,1000 rotate 20,30,40")
    cell.do("add solid plate box 300 200 10 at 0,400,0")
    cell.do("export robosim main out.robosim")
    with wc.Cell.copy_of(tmp_path / "out.robosim") as again:
        one, other = cell.snapshot(), again.snapshot()
        assert [r.robot.n for r in other.robots] == [r.robot.n for r in one.robots]

        def volumes(snapshot):
            state = snapshot.initial
            found = []
            for body, X in zip(snapshot.bodies, snapshot.body_poses(state), strict=True):
                for piece in body.pieces:
                    solid = piece.solid.moved(Pose(X))
                    found.append((solid.volume, *solid.centroid))
            return np.array(sorted(found))

        assert volumes(other) == pytest.approx(volumes(one), rel=1e-9, abs=1e-9)


def test_an_object_with_joints_is_written_as_a_link_and_keeps_its_name(cell, tmp_path):
    cell.do("import robosim arm.robosim")
    answer = cell.do("export robosim C-LOC base.robosim --links")
    assert "beside it C.LOC" in answer.text
    assert "STORE-LINK C.LOC" in (tmp_path / "base.robosim").read_text()
    assert link_file.read(tmp_path / "C.LOC").theta == pytest.approx(90)
    with pytest.raises(FileProblem, match="exists"):
        cell.do("export robosim C-LOC base.robosim --links")
    cell.do("export robosim C-LOC base.robosim --links --replace")


def test_the_link_files_of_a_robot_can_be_imported_by_its_name(cell):
    cell.do("create robot Puma puma560")
    cell.do("export robosim Puma puma.robosim --links")
    cell.do("import links Other of Puma at 1000,0,0")
    one, other = (cell.snapshot().robot(name) for name in ("Puma", "Other"))
    assert other.robot.fk(other.robot.home).is_close(one.robot.fk(one.robot.home), 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BOX X=1, Y=1\n", r"bad.robosim, line 1, column 1: BOX needs Z="),
        ("BOX X=1, Y=1, Z=1\nEND\n", r"bad.robosim stores nothing"),
        ("R-JOINT-I\nSTORE-LINK a.1\nCLEAR\nR-JOINT-I\nSTORE-LINK a.2\n", r"line 2: a.1 has no joint i\+1"),
        (b"\xff\xfe\x00", r"bad.robosim is not a text file"),
    ],
)
def test_a_refused_import_changes_nothing(cell, tmp_path, text, message):
    (tmp_path / "bad.robosim").write_bytes(text if isinstance(text, bytes) else text.encode())
    revision, journal = cell.database.revision, len(cell.journal)
    with pytest.raises(FileProblem, match=message):
        cell.do("import robosim bad.robosim")
    assert (cell.database.revision, len(cell.journal)) == (revision, journal)
    assert not [e for e in cell.database.entities() if e.kind == "object"]


def test_other_commands_point_to_the_right_one(cell):
    with pytest.raises(Refused, match="`import robosim` reads it"):
        cell.do("import solid a arm.robosim")
    with pytest.raises(wc.WorkcellError, match=r"arm\.robosim is ROBOSIM source"):
        wc.Cell.open("arm.robosim")


def test_a_step_file_is_converted_to_polygons_within_the_tolerance(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from workcell.cli import main

    monkeypatch.chdir(tmp_path)
    solid = wc.solids.box(0.1, 0.05, 0.02) - wc.solids.cylinder(0.01, 0.05)
    solid.save("part.step")
    done = CliRunner().invoke(main, ["convert", "part.step", "part.robosim"])
    assert done.exit_code == 0, done.output
    file = link_file.read(tmp_path / "part.OBJ")
    assert file.flags == (0, 0)
    drawn = read_object((tmp_path / "part.robosim").read_text(), "part")
    for (again,) in (drawn, file.solids()):
        # Every corner lies on the exact solid, and the volume differs by at most area × tolerance.
        assert abs(again.volume - solid.volume) < 5e-4 * solid.area
        rim = np.hypot(*again.mesh().vertices[:, :2].T)
        assert rim.min() == pytest.approx(0.01, abs=1e-9)
    assert CliRunner().invoke(main, ["convert", "part.robosim", "part.cell"]).exit_code == 0
    with wc.Cell.open("part.cell") as made:
        assert made.do("measure part").volume == pytest.approx(drawn[0].volume, rel=1e-9)
