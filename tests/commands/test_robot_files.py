"""Robots of files in a cell: their meshes are tested, kept in the cell, and unknown shapes are stated everywhere."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from mesh_files import arm, mesh_file, shape, volumes
from workcell.commands.cell import Cell
from workcell.errors import CollisionStop, FileProblem, Refused
from workcell.geometry import solids
from workcell.spatial.pose import Pose
from workcell.world.expand import Expander

SPHERE = 4 / 3 * np.pi * 1e-3
FORE = solids.box(0.3, 0.05, 0.05).moved(Pose.from_xyz(0.15, 0, 0)).mesh()


def mesh(name: str) -> str:
    return f'<mesh filename="{name}"/>'


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    """An arm whose forearm is a mesh, 0.3 m long from the elbow on."""
    mesh_file(tmp_path / "meshes" / "fore.stl", FORE)
    place = tmp_path / "arm.urdf"
    place.write_text(
        arm(base=shape("visual", '<box size="0.1 0.1 0.3"/>'), fore=shape("visual", mesh("meshes/fore.stl")))
    )
    return place


@pytest.fixture
def blind(tmp_path: Path) -> Path:
    """The same arm without the file of its forearm."""
    place = tmp_path / "blind.urdf"
    beam = shape("visual", '<box size="0.3 0.05 0.05"/>', '<origin xyz="0.2 0 0"/>')
    place.write_text(arm(upper=beam, fore=shape("visual", mesh("gone.stl"))))
    return place


def robot_in(cell: Cell, name: str = "R"):
    return Expander(cell.database).robot(cell.database.entity("robot", name))


def test_a_mesh_is_tested_like_any_other_shape(cell, urdf):
    said = str(cell.do(f"import robot R {urdf}"))
    assert said == "robot 'R' created\nno shape in the file: upper"
    assert cell.do("contacts").contacts == []
    tool = cell.snapshot().tool_pose(cell.state, "R").xyz
    x, y, z = tool * 1000
    cell.do(f"add solid box box 20 20 20 at {x},{y},{z}")
    (contact,) = cell.do("contacts").contacts
    assert set(contact["pair"]) == {"R/fore", "box"}
    cell.do("modify R joints -60,0")
    assert cell.do("contacts").contacts == []
    proof = cell.do("certify R 60,0")
    assert proof.verdict == "contact"
    assert set(proof.pair) == {"R/fore", "box"}
    cell.do("watch yes")
    with pytest.raises(CollisionStop, match=r"R/fore and box would touch"):
        cell.do("move-joints-absolute R 60,0")


def test_a_mesh_of_a_missing_package_that_lies_beside_the_file_is_named(cell, tmp_path):
    mesh_file(tmp_path / "fore.stl", FORE)
    place = tmp_path / "arm.urdf"
    place.write_text(arm(fore=shape("visual", mesh("package://lost/fore.stl"))))
    said = str(cell.do(f"import robot R {place}"))
    assert "package://lost/fore.stl was found beside the file, as fore.stl: no package 'lost' has it" in said


def test_an_all_mesh_robot_gets_no_drums(cell, tmp_path):
    for name in ("a", "b", "c"):
        mesh_file(tmp_path / f"{name}.stl", FORE)
    place = tmp_path / "arm.urdf"
    place.write_text(arm(*(shape("visual", mesh(f"{name}.stl")) for name in "abc")))
    cell.do(f"import robot R {place}")
    volume = 0.3 * 0.05 * 0.05
    assert volumes(robot_in(cell)) == pytest.approx([volume] * 3, rel=1e-6)
    assert [body.name for body in cell.snapshot().bodies] == ["R/foot", "R/upper", "R/fore"]
    place.write_text(arm(*(shape("visual", mesh(f"{name}-gone.stl")) for name in "abc")))
    said = cell.do(f"import robot X {place} --unknown-shapes")
    assert said.unknown == ("X/foot", "X/upper", "X/fore")
    assert volumes(robot_in(cell, "X")) == [0, 0, 0]


def test_a_urdf_without_any_shape_says_how_it_is_drawn(cell, tmp_path):
    place = tmp_path / "arm.urdf"
    place.write_text(arm())
    assert "the file contains no shapes; a cell draws the links from their dimensions" in str(
        cell.do(f"import robot R {place}")
    )
    assert "the file contains no shapes" in str(cell.do("check robot R"))


def test_pictures_show_the_one_and_collisions_test_the_other(cell, tmp_path):
    place = tmp_path / "arm.urdf"
    place.write_text(
        arm(fore=shape("visual", '<sphere radius="0.01"/>') + shape("collision", '<sphere radius="0.2"/>'))
    )
    cell.do(f"import robot R {place}")
    body = cell.snapshot().body("R/fore")
    assert sum(piece.solid.volume for piece in body.pieces) == pytest.approx(SPHERE * 1e-3)
    assert np.ptp(np.array(body.mesh().bounds), axis=0) == pytest.approx([0.4] * 3, abs=1e-3)
    elbow = cell.snapshot().link_frames(cell.state, "R")[2][:3, 3]
    x, y, z = (elbow + [0, 0, 0.15]) * 1000
    cell.do(f"add solid box box 20 20 20 at {x},{y},{z}")
    assert [c["pair"] for c in cell.do("contacts").contacts] == [["R/fore", "box"]]


def test_a_missing_mesh_is_refused_and_changes_nothing(cell, blind):
    before = cell.database.rows()
    with pytest.raises(FileProblem, match=r"blind.urdf: the visual mesh 'gone.stl' of the link 'fore' cannot be used"):
        cell.do(f"import robot R {blind}")
    assert cell.database.rows() == before


def test_every_collision_answer_states_an_unknown_shape(cell, blind):
    said = cell.do(f"import robot R {blind} --unknown-shapes")
    assert "the visual mesh 'gone.stl' of the link 'fore' cannot be used" in str(said)
    assert said.unknown == ("R/fore",)
    cell.do("add solid box box 20 20 20 at 3000,0,0")
    cell.do("create robot Far planar2r at 5000,0,0")
    sentence = "The shape of R/fore is unknown"
    for line in [
        "contacts", "clearance", "clearance of R", "clearance between R/upper and box", "certify R 40,0",
        "free-share R 20", "watch yes", "move-joints-absolute R 30,0", "check recording", "least-clearance",
        "report --clearance", "watch certified", "move-joints-absolute R 0,0",
        "together move-joints-relative R 1,0 & move-joints-relative Far 1,0",
    ]:  # fmt: skip
        assert sentence in str(cell.do(line)), line
    cell.do("create program p")
    cell.do('modify p text "move-joints-relative R 1,0"')
    assert sentence in str(cell.do("run p"))
    cell.do("create robot Puma puma560 at 0,800,0 joints 0,0,-90,0,90,0")
    x, y, z = cell.snapshot().tool_pose(cell.state, "Puma").xyz * 1000
    cell.do(f"add solid wall box 50 50 50 at {x},{y + 200},{z}")
    with pytest.raises(CollisionStop, match=sentence):
        cell.do("move-joints-absolute Puma 90,0,-90,0,90,0")
    with pytest.raises(Refused, match="The shape of R/fore is unknown, so there is no distance"):
        cell.do("clearance between R/fore and box")


def test_library_answers_state_an_unknown_shape_too(cell, blind):
    from workcell.collision.bodies import collision_model
    from workcell.collision.certify import certify
    from workcell.collision.check import check
    from workcell.collision.clearance import clearance
    from workcell.motion.profiles import linear

    cell.do(f"import robot R {blind} --unknown-shapes")
    cell.do("add solid box box 20 20 20 at 3000,0,0")
    model = collision_model(cell.snapshot(), warn=False)
    proof = certify(model, {"R": linear([0, 0], [1, 0], 1.0)})
    assert proof.free
    for answer in (proof, check(model, cell.state), clearance(model, cell.state)):
        assert answer.unknown == ("R/fore",)
        assert str(answer).endswith("The shape of R/fore is unknown: contacts with it are not found.")


def test_a_given_shape_makes_it_known(cell, blind):
    cell.do(f"import robot R {blind} --unknown-shapes")
    cell.do("create block tube cylinder 50 300")
    cell.do("assign link R 2 tube")
    assert cell.snapshot().unknown == ()
    assert "unknown" not in str(cell.do("contacts"))
    cell.do("undo")
    assert cell.snapshot().unknown == ("R/fore",)


def test_a_robot_of_a_file_lives_in_the_cell(tmp_path, urdf):
    place = tmp_path / "c.cell"
    with Cell.create(place, who="test") as cell:
        cell.do(f"import robot R {urdf} at 100,0,0")
        shutil.rmtree(tmp_path / "meshes")
        urdf.unlink()
        rows = cell.database.rows()
        assert cell.replayed().database.rows() == rows
        cell.do("undo")
        assert cell.snapshot().bodies == ()
        cell.do("redo")
        assert cell.database.rows() == rows
        cell.do("modify R name Arm")
        assert [body.name for body in cell.snapshot().bodies] == ["Arm/foot", "Arm/fore"]
        cell.do("create robot Puma puma560 at 2000,0,0")
        cell.do(f"save {tmp_path / 'copy.celltext'}")
    with Cell(who="reader") as reader:
        reader.do(f"load {tmp_path / 'copy.celltext'}")
        reader.do(f"save {tmp_path / 'copy.cell'}")
    for file in (place, tmp_path / "copy.cell"):
        with Cell.open(file, who="again") as cell:
            assert volumes(robot_in(cell, "Arm"))[2] == pytest.approx(0.3 * 0.05 * 0.05, rel=1e-6)
            assert "Arm/fore" in {body.name for body in cell.snapshot().bodies}
            assert cell.replayed().database.rows() == cell.database.rows()
    with Cell(who="other") as cell:
        cell.do(f"load {place}")
        assert volumes(robot_in(cell, "Arm"))[2] == pytest.approx(0.3 * 0.05 * 0.05, rel=1e-6)


def test_an_unknown_shape_is_replayed_as_it_was(cell, blind):
    cell.do(f"import robot R {blind} --unknown-shapes")
    blind.unlink()
    assert cell.replayed().database.rows() == cell.database.rows()


def test_branches_and_what_is_not_read_are_named_in_the_answer(cell, tmp_path):
    more = """<link name="f/1"/><joint name="f/j" type="prismatic"><parent link="tool0"/><child link="f/1"/>
      <limit lower="0" upper="0.1" velocity="1" effort="1"/></joint><link name="f2"/>
      <joint name="g" type="prismatic"><parent link="tool0"/><child link="f2"/><mimic joint="f/j"/>
      <limit lower="0" upper="0.1" velocity="1" effort="1"/></joint><transmission name="t1"/>"""
    place = tmp_path / "arm.urdf"
    place.write_text(arm(more=more, fore=shape("visual", '<sphere radius="0.1"/>')))
    said = cell.do(f"import robot R {place}")
    assert said.others == ("R g",)
    assert str(said).splitlines()[0] == "robot 'R' created, with 'R g' on it"
    for words in ("'g' follows 'f/j'", "<transmission> (t1)", "the arm is the longest chain, s … f/j"):
        assert words in str(said)
        assert words in str(cell.do("check robot R"))
    assert cell.do("contacts").contacts == []
    assert cell.replayed().database.rows() == cell.database.rows()


@pytest.mark.parametrize("ending", ["urdf", "toml"])
def test_what_is_exported_comes_back_with_its_shapes(cell, tmp_path, urdf, ending):
    cell.do(f"import robot R {urdf}")
    cell.do("create block tube cylinder 50 300 colour red")
    cell.do("assign link R 1 tube translate 100,0,0")
    place = tmp_path / f"out.{ending}"
    said = str(cell.do(f"export robot R {place}"))
    assert ("1 mesh in meshes" in said) == (ending == "urdf")
    cell.do(f"import robot S {place}")
    one, other = robot_in(cell), robot_in(cell, "S")
    assert volumes(other) == pytest.approx(volumes(one), rel=1e-9)
    assert [link.name for link in other.links] == [link.name for link in one.links]
    assert other.links[1].colour == pytest.approx(one.links[1].colour, abs=1 / 255)
    with pytest.raises(FileProblem, match="already exists"):
        cell.do(f"export robot R {place}")
    cell.do(f"export robot R {place} --replace")


def test_a_mesh_that_is_in_the_way_stops_an_export_before_it_begins(cell, tmp_path, urdf):
    cell.do(f"import robot R {urdf}")
    (tmp_path / "meshes" / "new_fore.obj").write_text("mine")
    with pytest.raises(FileProblem, match=r"new_fore.obj already exists"):
        cell.do(f"export robot R {tmp_path / 'new.urdf'}")
    assert (tmp_path / "meshes" / "new_fore.obj").read_text() == "mine"
    assert not (tmp_path / "new.urdf").exists()


def test_a_painted_library_robot_exports_what_is_seen(cell, tmp_path):
    cell.do("create robot Puma puma560")
    cell.do("modify Puma colour red")
    cell.do(f"export robot Puma {tmp_path / 'p.toml'}")
    cell.do(f"import robot Q {tmp_path / 'p.toml'}")
    one, other = robot_in(cell, "Puma"), robot_in(cell, "Q")
    assert volumes(other) == pytest.approx(volumes(one), rel=1e-12)
    assert all(
        part.colour == pytest.approx(one.links[1].colour, abs=1 / 255) for link in other.links for part in link.parts
    )
    cell.do("draft robot d 2")
    with pytest.raises(Refused, match="not finished"):
        cell.do(f"export robot d {tmp_path / 'd.urdf'}")


@pytest.mark.parametrize(
    "way", ["{}", "file://{}", "../secret/a.stl", "package://secret/a.stl", "package://x/../../secret/a.stl"]
)
@pytest.mark.parametrize("link", [False, True])
def test_a_confined_client_reads_no_mesh_from_outside(cell, tmp_path, way, link):
    room = tmp_path / "room"
    room.mkdir()
    outside = mesh_file(tmp_path / "secret" / "a.stl")
    name = way.format(outside)
    if link:
        (room / "linked.stl").symlink_to(outside)
        name = "linked.stl"
    (room / "arm.urdf").write_text(arm(fore=shape("visual", mesh(name))))
    cell.session.files = cell.session.files.confined_to([room])
    with pytest.raises(FileProblem, match=r"the link 'fore' cannot be used"):
        cell.do("import robot R arm.urdf")
    cell.do("import robot R arm.urdf --unknown-shapes")
    assert volumes(robot_in(cell)) == [0, 0, 0]


def test_a_confined_client_reads_and_writes_in_its_folder(cell, tmp_path):
    room = tmp_path / "room"
    mesh_file(room / "my_arm" / "meshes" / "a.stl", FORE)
    (room / "arm.urdf").write_text(arm(fore=shape("visual", mesh("package://my_arm/meshes/a.stl"))))
    cell.session.files = cell.session.files.confined_to([room])
    cell.do("import robot R arm.urdf")
    cell.do("export robot R out.urdf")
    assert (room / "meshes" / "out_fore.obj").exists()
    cell.do("import robot S out.urdf")
    assert volumes(robot_in(cell, "S")) == pytest.approx(volumes(robot_in(cell)), rel=1e-9)


def test_an_archive_of_a_robot_holds_its_urdf_and_meshes_and_has_the_same_bytes_each_time(tmp_path):
    answers, archives = [], []
    for number in (1, 2):
        with Cell() as cell:
            cell.do("create robot Puma puma560")
            answers.append(str(cell.do(f"export robot Puma {tmp_path / f'{number}.zip'}")))
            archives.append((tmp_path / f"{number}.zip").read_bytes())
    assert archives[0] == archives[1]
    assert " with 7 meshes in meshes, within " in answers[0]
    with zipfile.ZipFile(tmp_path / "1.zip") as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "unpacked")
    assert names[0] == "Puma.urdf"
    assert all(name.startswith("meshes/") for name in names[1:])
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do(f"import robot Other {tmp_path / 'unpacked' / 'Puma.urdf'}")
        assert volumes(robot_in(cell, "Other")) == pytest.approx(volumes(robot_in(cell, "Puma")), rel=0.02)
        with pytest.raises(FileProblem, match="exists"):
            cell.do(f"export robot Puma {tmp_path / '1.zip'}")


@pytest.mark.parametrize("ending", [".urdf", ".wld"])
def test_an_export_names_the_tool_that_it_leaves_out(tmp_path, ending):
    with Cell() as cell:
        cell.do("create robot P puma560")
        assert "on the flange" not in str(cell.do(f"export robot P {tmp_path / f'bare{ending}'}"))
        cell.do("create tool cups vacuum-1x30")
        cell.do("fit tool cups to P")
        answer = str(cell.do(f"export robot P {tmp_path / f'fitted{ending}'}"))
    assert "the file does not contain cups, which is on the flange" in answer


@pytest.mark.parametrize("arm", ["puma560", "arcmate120il", "ur5e"])
@pytest.mark.parametrize("tool", ["glue-gun", "two-finger-85", "vacuum-2x2", "magnet-2x2", ""])
def test_a_robot_file_brings_the_fitted_tool_back(tmp_path, arm, tool):
    """Both cells show the same bodies at the same places, hold with the same hand and weigh the same."""
    with Cell() as here, Cell() as there:
        here.do(f"create robot P {arm}")
        here.do(f"create tool held {tool}".strip())
        if not tool:
            here.do("modify held mass 0.7kg")
            here.do("create block rod cylinder 10 200")
            here.do("attach rod to held as rod translate 0,0,100")
        here.do("fit tool held to P tcp 3,4,250" if not tool else "fit tool held to P")
        answer = str(here.do(f"export robot P {tmp_path / 'P.toml'}"))
        assert "with held on its flange" in answer
        assert "held is on the flange of P" in str(there.do(f"import robot P {tmp_path / 'P.toml'}"))
        there.do("undo"), there.do("redo")
        one, other = here.snapshot(), there.snapshot()
        placed, again = one.robot("P"), other.robot("P")
        assert again.robot.X_flange_tool.is_close(placed.robot.X_flange_tool, 1e-9, 1e-9)
        assert (again.robot.gripper is None) == (placed.robot.gripper is None)
        if placed.robot.gripper is not None:
            assert again.robot.gripper.X_flange_grip.is_close(placed.robot.gripper.X_flange_grip, 1e-9, 1e-9)
            for name in ("opening", "reach", "turn", "flip", "vacuum", "safety", "close_time"):
                found = getattr(again.robot.gripper, name, None)
                assert found == pytest.approx(getattr(placed.robot.gripper, name, None), abs=1e-12)
        assert again.tool.weighed[1] == placed.tool.weighed[1] == ()
        masses = [
            matter.mass if matter.mass is not None else matter.weighed[0].mass for matter in (placed.tool, again.tool)
        ]
        assert masses[1] == pytest.approx(masses[0])
        boxes = [{body.name: body.bounds(1e-3) for body in cell.bodies} for cell in (one, other)]
        assert boxes[0].keys() == boxes[1].keys()
        for name, box in boxes[0].items():
            np.testing.assert_allclose(boxes[1][name], box, atol=1e-6)


def test_a_robot_file_keeps_the_name_of_the_model(tmp_path):
    with Cell() as cell:
        cell.add_robot(wc.robot("ur5e").replace(name="slow"), name="P")
        cell.do(f"export robot P {tmp_path / 'P.toml'}")
        cell.do(f"import robot Q {tmp_path / 'P.toml'}")
        kept = [cell.session.database.entity("robot", name).properties["model"] for name in "PQ"]
    assert kept == ["slow", "slow"]
