"""The shapes of a URDF: every kind of mesh, scales and origins, packages, what is seen and what is tested."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from mesh_files import WEDGE, arm, centroid, collada, mesh_file, shape, volumes
from workcell.errors import FileProblem, WorkcellError
from workcell.geometry import solids
from workcell.robots.formats import urdf, urdf_write
from workcell.robots.formats.urdf_files import Beside, Bundle, OwnFiles
from workcell.robots.link import Link, MassProperties, Part
from workcell.robots.robot import Robot
from workcell.robots.robot_file import parse as parse_file
from workcell.robots.robot_file import write as write_file
from workcell.spatial.pose import Pose

VOLUME = 0.3 * 0.2 * 0.1
Q = np.array([0.4, -0.7])


def mesh(name: str, more: str = "") -> str:
    return f'<mesh filename="{name}"{more}/>'


def put(folder: Path, text: str, name: str = "arm.urdf") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / name
    place.write_text(text)
    return place


@pytest.mark.parametrize("kind", ["stl", "ascii.stl", "obj", "dae", "glb", "gltf", "inside.gltf"])
def test_every_kind_of_mesh_is_the_shape_of_its_link(tmp_path: Path, kind: str) -> None:
    mesh_file(tmp_path / "meshes" / f"fore.{kind}")
    origin = '<origin xyz="0.1 0.02 -0.03" rpy="0.3 0.2 0.1"/>'
    place = put(tmp_path, arm(fore=shape("visual", mesh(f"meshes/fore.{kind}"), origin)))
    robot = wc.Robot.load(place)
    assert volumes(robot) == pytest.approx([0, 0, VOLUME], rel=1e-6)
    # Where the URDF puts it, by its own frames: joints, then origins.
    fore = (
        Pose.from_xyz_angles((0, 0, 0.4), (0, 0, 0.3), "urdf_rpy")
        @ Pose.from_axis_angle((0, 0, 1), Q[0])
        @ Pose.from_xyz_angles((0.5, 0, 0), (0.2, 0, 0), "urdf_rpy")
        @ Pose.from_axis_angle((0, 1, 0), Q[1])
    )
    assert centroid(robot, 2, Q) == pytest.approx(fore.apply([0.1, 0.02, -0.03]), abs=1e-7)
    (part,) = robot.links[2].parts
    box = part.solid.moved(
        (fore @ Pose.from_xyz_angles((0.1, 0.02, -0.03), (0.3, 0.2, 0.1), "urdf_rpy")).inverse()
        @ Pose(robot.frames(Q)[2])
    )
    low, high = box.mesh().bounds
    assert high - low == pytest.approx([0.3, 0.2, 0.1], abs=1e-6)


@pytest.mark.parametrize("kind", ["stl", "obj", "dae", "glb"])
@pytest.mark.parametrize("scale", [(0.001, 0.001, 0.001), (2.0, 1.0, 0.5), (-1.0, 1.0, 1.0)])
def test_scales_count_uneven_and_mirrored_ones_too(tmp_path: Path, kind: str, scale: tuple[float, ...]) -> None:
    mesh_file(tmp_path / f"fore.{kind}", solids.box(0.3, 0.2, 0.1).moved(Pose.from_xyz(1.0, 0.0, 0.0)).mesh())
    text = " ".join(str(v) for v in scale)
    robot = wc.Robot.load(put(tmp_path, arm(fore=shape("collision", mesh(f"fore.{kind}", f' scale="{text}"')))))
    assert volumes(robot)[2] == pytest.approx(VOLUME * abs(np.prod(scale)), rel=1e-6)
    fore = wc.Robot.load(
        put(tmp_path, arm(fore=shape("visual", '<sphere radius="0.01"/>', f'<origin xyz="{scale[0]} 0 0"/>')))
    )
    assert centroid(robot, 2, Q) == pytest.approx(centroid(fore, 2, Q), abs=1e-7)


def test_a_mesh_that_is_inside_out_is_turned_and_named(tmp_path: Path) -> None:
    mesh_file(tmp_path / "in.stl", dataclasses.replace(WEDGE, triangles=WEDGE.triangles[:, ::-1]))
    robot = wc.Robot.load(put(tmp_path, arm(fore=shape("visual", mesh("in.stl")))))
    assert volumes(robot)[2] == pytest.approx(VOLUME, rel=1e-6)
    assert "in.stl: it was inside out and was turned" in robot.assumed["file"]


def test_primitives_are_exact_solids(tmp_path: Path) -> None:
    forms = [
        ('<box size="0.1 0.2 0.3"/>', 0.006),
        ('<cylinder radius="0.1" length="0.5"/>', np.pi * 0.005),
        ('<sphere radius="0.1"/>', 4 / 3 * np.pi * 1e-3),
        ('<capsule radius="0.1" length="0.5"/>', np.pi * 0.005 + 4 / 3 * np.pi * 1e-3),
    ]
    for form, volume in forms:
        robot = wc.Robot.load(put(tmp_path, arm(upper=shape("visual", form))))
        assert volumes(robot)[1] == pytest.approx(volume, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("package://my_arm/meshes/a b.stl", "my_arm/meshes/a b.stl"),
        ("package://my_arm/meshes/a%20b.stl", "my_arm/meshes/a b.stl"),
        ("package://other/a.stl", "other/a.stl"),
        ("package://named/a.stl", "folder/a.stl"),
        ("model://modelled/a.stl", "gazebo/a.stl"),
        ("package://nowhere/deep/visual/a.stl", "my_arm/urdf/visual/a.stl"),
        ("../meshes/a.stl", "my_arm/meshes/a.stl"),
        ("visual/a.stl", "my_arm/urdf/visual/a.stl"),
        (r"..\meshes\a.stl", "my_arm/meshes/a.stl"),
    ],
)
@pytest.mark.parametrize("relative", [False, True])
def test_files_are_found_beside_and_in_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, where: str, relative: bool
) -> None:
    source = tmp_path / "ws" / "src"
    mesh_file(source / where)
    put(source / "folder", "<package><name> named </name></package>", "package.xml")
    put(source / "gazebo", "<model><name>modelled</name></model>", "model.config")
    place = put(source / "my_arm" / "urdf", arm(fore=shape("visual", mesh(name))))
    if relative:
        monkeypatch.chdir(source / "my_arm" / "urdf")
        place = Path("arm.urdf")
    assert volumes(wc.Robot.load(place))[2] == pytest.approx(VOLUME, rel=1e-6)


def test_file_addresses_and_a_package_by_its_own_manifest(tmp_path: Path) -> None:
    place = mesh_file(tmp_path / "a.stl")
    robot = wc.Robot.load(put(tmp_path, arm(fore=shape("visual", mesh(f"file://{place}")))))
    assert volumes(robot)[2] == pytest.approx(VOLUME, rel=1e-6)
    root = tmp_path / "renamed-on-download"
    put(root, "<package><name>arm_support</name></package>", "package.xml")
    mesh_file(root / "meshes" / "a.stl")
    robot = wc.Robot.load(put(root / "urdf", arm(fore=shape("visual", mesh("package://arm_support/meshes/a.stl")))))
    assert volumes(robot)[2] == pytest.approx(VOLUME, rel=1e-6)


def flat_stl(*corners: str) -> bytes:
    """An STL file of one triangle."""
    told = "".join(f"vertex {corner}\n" for corner in corners)
    return f"solid x\nfacet normal 0 0 1\nouter loop\n{told}endloop\nendfacet\nendsolid x\n".encode()


BAD = [
    ("gone.stl", None, r"gone.stl cannot be read: No such file"),
    ("package://lost/gone.stl", None, r"package 'lost'"),
    ("http://example.org/a.stl", None, r"not on this computer"),
    ("hurt.stl", b"solid x\nfacet vertex 1 2", r"cut short or damaged"),
    ("hurt.dae", b"<COLLADA><", r"cut short or damaged"),
    ("hurt.glb", b"glTF\x02\0\0\0\xff\0\0\0", r"cut short"),
    ("hurt.gltf", b'{"asset":{},"buffers":[{"uri":"no.bin"}],"meshes":[]', r"damaged"),
    ("point.stl", flat_stl("1 1 1", "1 1 1", "1 1 1"), r"one point"),
    ("vast.stl", flat_stl("0 0 0", "1e38 0 0", "0 1e38 0"), r"reaches 1e\+38 m from its origin"),
    ("empty.obj", b"", r"empty"),
    ("shape.blend", b"x", r"not a mesh that can be read"),
    ("", None, r"It names no file"),
]


@pytest.mark.parametrize(("name", "data", "words"), BAD)
def test_a_missing_or_unreadable_mesh_is_refused_or_marked(
    tmp_path: Path, name: str, data: bytes | None, words: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    place = put(tmp_path, arm(fore=shape("visual", mesh(name)), upper=shape("visual", '<box size="0.1 0.1 0.1"/>')))
    with pytest.raises(FileProblem, match=words) as refused:
        wc.Robot.load(place)
    assert "arm.urdf: the visual mesh" in str(refused.value)
    assert "of the link 'fore'" in str(refused.value)
    assert repr(name) in str(refused.value)
    assert refused.value.evidence["link"] == "fore"
    robot = wc.Robot.load(place, unknown_shapes=True)
    assert [bool(link.unknown) for link in robot.links] == [False, False, True]
    assert name in robot.links[2].unknown
    assert volumes(robot) == pytest.approx([0, 1e-3, 0])
    assert "the link 'fore' cannot be used" in robot.assumed["file"]


@pytest.mark.parametrize("form", ["<plane/>", "", '<box size="0 1 1"/>', '<sphere radius="-1"/>'])
def test_a_shape_that_is_not_one_is_not_left_out(tmp_path: Path, form: str) -> None:
    place = put(tmp_path, arm(fore=shape("collision", form)))
    with pytest.raises(FileProblem, match=r"the collision shape of the link 'fore' cannot be used"):
        wc.Robot.load(place)
    assert wc.Robot.load(place, unknown_shapes=True).links[2].unknown


def test_what_is_seen_and_what_is_tested_are_apart(tmp_path: Path) -> None:
    red = '<material name="r"><color rgba="1 0 0 1"/></material>'
    fine, rough = shape("visual", '<sphere radius="0.1"/>', paint=red), shape("collision", '<box size="0.3 0.3 0.3"/>')
    robot = wc.Robot.load(put(tmp_path, arm(base=fine + rough, upper=fine, fore=rough)))
    ball, cube = 4 / 3 * np.pi * 1e-3, 0.027
    assert volumes(robot, "seen") == pytest.approx([ball, ball, cube])
    assert volumes(robot, "tested") == pytest.approx([cube, ball, cube])
    assert robot.links[0].colour == (1.0, 0.0, 0.0)
    same = shape("visual", '<sphere radius="0.1"/>', paint=red) + shape("collision", '<sphere radius="0.1"/>')
    assert [part.use for part in wc.Robot.load(put(tmp_path, arm(base=same))).links[0].parts] == ["both"]


def test_a_missing_collision_mesh_leaves_the_visual_one_and_says_so(tmp_path: Path) -> None:
    both = shape("visual", '<sphere radius="0.1"/>') + shape("collision", mesh("gone.stl"))
    robot = wc.Robot.load(put(tmp_path, arm(fore=both)), unknown_shapes=True)
    assert volumes(robot)[2] == pytest.approx(4 / 3 * np.pi * 1e-3)
    assert "gone.stl" in robot.links[2].unknown
    both = shape("visual", mesh("gone.dae")) + shape("collision", '<sphere radius="0.1"/>')
    robot = wc.Robot.load(put(tmp_path, arm(fore=both)), unknown_shapes=True)
    assert volumes(robot, "seen") == volumes(robot, "tested")
    assert not robot.links[2].unknown
    assert "gone.dae" in robot.assumed["file"]


def test_colours_of_a_mesh_are_seen_and_its_whole_is_tested(tmp_path: Path) -> None:
    box = WEDGE
    halves = [box.face_of_triangle % 2 == k for k in (0, 1)]
    from workcell.geometry.mesh import Mesh

    parts = [
        (Mesh(box.vertices, box.triangles[half], np.zeros(int(half.sum()), dtype=np.int32), ("x",)), tint)
        for half, tint in zip(halves, [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)], strict=True)
    ]
    (tmp_path / "two.dae").write_bytes(collada(parts))
    robot = wc.Robot.load(put(tmp_path, arm(fore=shape("visual", mesh("two.dae")))))
    assert [part.colour for part in robot.links[2].seen] == [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    (whole,) = robot.links[2].tested
    assert whole.solid.mesh().closed
    assert whole.solid.volume == pytest.approx(VOLUME)
    painted = '<material name="g"><color rgba="0 1 0 1"/></material>'
    robot = wc.Robot.load(put(tmp_path, arm(fore=shape("visual", mesh("two.dae"), paint=painted))))
    assert [part.colour for part in robot.links[2].parts] == [(0.0, 1.0, 0.0)]


def test_axes_of_a_collada_mesh_are_those_of_ros_and_named(tmp_path: Path) -> None:
    (tmp_path / "y.dae").write_bytes(collada([(WEDGE, None)], up="Y_UP"))
    robot = wc.Robot.load(put(tmp_path, arm(base=shape("visual", mesh("y.dae")))))
    low, high = robot.links[0].parts[0].solid.moved(Pose(robot.frames(Q)[0])).mesh().bounds
    assert high - low == pytest.approx([0.3, 0.2, 0.1])
    assert "y.dae declares Y_UP; as in ROS, its axes are used unchanged" in robot.assumed["file"]


JOINTS = """
  <link name="f1"><visual><geometry><box size="0.02 0.02 0.1"/></geometry></visual></link>
  <link name="palm"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
  <link name="f2"/><link name="cable"/><link name="puck"/><link name="lock"/>
  <joint name="hand" type="fixed"><parent link="tool0"/><child link="palm"/></joint>
  <joint name="left" type="prismatic"><parent link="palm"/><child link="f1"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="1" effort="1"/></joint>
  <joint name="right" type="prismatic"><parent link="palm"/><child link="f2"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" velocity="1" effort="1"/><mimic joint="left" multiplier="-1" offset="0.02"/></joint>
  <joint name="free" type="floating"><parent link="foot"/><child link="cable"/></joint>
  <joint name="slide" type="planar"><parent link="foot"/><child link="puck"/></joint>
  <joint name="stuck" type="revolute"><parent link="upper"/><child link="lock"/><axis xyz="0 0 1"/>
    <limit lower="0.5" upper="0.5" velocity="1" effort="1"/></joint>
  <transmission name="tr1"/><transmission name="tr2"/><gazebo reference="upper"/>
"""


def test_what_a_robot_here_has_not_is_named() -> None:
    model = urdf.parse(arm(more=JOINTS))
    assert [robot.joint_names for robot in model.robots] == [("s", "e", "left"), ("right",)]
    assert set(model.notes) == {
        "the arm is the longest chain, s … left",
        "the branch from right (1 joint) is a robot of its own on two",
        "the joint 'right' follows -1 × 'left' + 0.02 in the file; here it moves by itself",
        "the floating joint 'free' does not move here; it is held at zero",
        "the planar joint 'slide' does not move here; it is held at zero",
        "the joint 'stuck' does not move: its limits are both 0.5",
        "not used: 2 <transmission> (tr1, tr2)",
        "not used: 1 <gazebo> (upper)",
        "no shape in the file: foot, upper, f2",
    }
    assert model.robots[0].assumed["file"] == "; ".join(model.notes)


def test_a_shape_between_two_branches_is_there_once() -> None:
    model = urdf.parse(arm(more=JOINTS))
    assert [len(link.parts) for robot in model.robots for link in robot.links] == [0, 0, 1, 1, 0, 0]


@pytest.mark.parametrize(
    "more", ['<mimic joint="nobody"/>', '<mimic multiplier="2"/>', '<mimic joint="s" offset="x"/>']
)
def test_a_joint_that_follows_nothing_is_refused(more: str) -> None:
    with pytest.raises(FileProblem, match=r"follow|mimic"):
        urdf.parse(arm().replace('<axis xyz="0 1 0"/>', f'<axis xyz="0 1 0"/>{more}'))


def test_frames_are_those_of_pinocchio() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    text = arm()
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    robot = urdf.parse(text).robots[0]
    for q in np.random.default_rng(3).uniform(robot.limits[:, 0], robot.limits[:, 1], (20, 2)):
        pinocchio.framesForwardKinematics(model, data, q)
        theirs = data.oMf[model.getFrameId("tool0")].homogeneous
        assert np.allclose(robot.fk(q).matrix, theirs, atol=1e-12)


# ---- out and in again ---------------------------------------------------------------------------------


def detailed(tmp_path: Path) -> Robot:
    """A robot with primitives, meshes, colours, masses, and shapes that are only seen or only tested."""
    mesh_file(tmp_path / "a.obj", solids.cone(0.1, 0.3).mesh())
    red = '<material name="r"><color rgba="0.8 0 0.2 1"/></material>'
    mass = '<inertial><origin xyz="0.1 0 0"/><mass value="3"/><inertia ixx="1" iyy="2" izz="3" ixy="0.1"/></inertial>'
    return wc.Robot.load(
        put(
            tmp_path,
            arm(
                base=shape("visual", '<cylinder radius="0.1" length="0.4"/>', '<origin xyz="0 0 0.2"/>', red) + mass,
                upper=shape("visual", mesh("a.obj"), '<origin rpy="0.1 0.2 0.3"/>', red)
                + shape("collision", '<box size="0.5 0.2 0.2"/>'),
                fore=shape("visual", mesh("a.obj", ' scale="1 2 0.5"')) + shape("collision", mesh("a.obj")),
            ),
        )
    )


def assert_same(one: Robot, other: Robot, rel: float = 1e-12) -> None:
    assert [link.name for link in other.links] == [link.name for link in one.links]
    assert other.joint_names == one.joint_names
    assert other.limits == pytest.approx(one.limits)
    assert other.speeds == pytest.approx(one.speeds)
    for use in ("seen", "tested"):
        assert volumes(other, use) == pytest.approx(volumes(one, use), rel=rel)
        for i, link in enumerate(one.links):
            if getattr(link, use):
                assert centroid(other, i, Q, use) == pytest.approx(centroid(one, i, Q, use), abs=1e-9)
    for i, link in enumerate(one.links):
        tints = [tuple(round(255 * v) for v in part.colour) for part in link.seen]
        assert [tuple(round(255 * v) for v in part.colour) for part in other.links[i].seen] == tints
        there = other.links[i].mass
        assert (link.mass is None) == (there is None)
        if link.mass is not None and there is not None:
            assert there.moved(Pose(other.frames(Q)[i])).inertia == pytest.approx(
                link.mass.moved(Pose(one.frames(Q)[i])).inertia
            )
    for q in np.random.default_rng(1).uniform(one.limits[:, 0], one.limits[:, 1], (5, one.n)):
        assert other.fk(q).is_close(one.fk(q), 1e-9, 1e-9)


def test_a_urdf_goes_out_and_in_again(tmp_path: Path) -> None:
    robot = detailed(tmp_path)
    (tmp_path / "out").mkdir()
    written = urdf_write.save(robot, tmp_path / "out" / "again.urdf")
    assert written[0].name == "again.urdf"
    assert {file.parent.name for file in written[1:]} == {"meshes"}
    assert len(written) == 4
    assert_same(robot, wc.Robot.load(written[0]))


def test_a_robot_file_keeps_every_volume(tmp_path: Path) -> None:
    from workcell.robots.build import file_from_robot, robot_from_file

    robot = detailed(tmp_path)
    text = write_file(file_from_robot(robot))
    again = robot_from_file(parse_file(text))
    assert_same(robot, again)
    (tmp_path / "arm.toml").write_text(text)
    assert_same(robot, wc.Robot.load(tmp_path / "arm.toml"))


@pytest.mark.parametrize("name", ["puma560", "ur5e", "planar2r"])
def test_a_library_robot_keeps_its_shapes_as_urdf_and_as_a_robot_file(tmp_path: Path, name: str) -> None:
    from workcell.robots.build import file_from_robot, robot_from_file

    robot = wc.robot(name)
    again = robot_from_file(parse_file(write_file(file_from_robot(robot))))
    assert volumes(again) == pytest.approx(volumes(robot), rel=1e-12)
    urdf_write.save(robot, tmp_path / "a.urdf", tolerance=2e-5)
    read = wc.Robot.load(tmp_path / "a.urdf")
    assert volumes(read) == pytest.approx(volumes(robot), rel=2e-3)


def test_an_unknown_shape_stays_unknown(tmp_path: Path) -> None:
    from workcell.robots.build import file_from_robot, robot_from_file

    robot = wc.Robot.load(put(tmp_path, arm(fore=shape("visual", mesh("gone.stl")))), unknown_shapes=True)
    again = robot_from_file(parse_file(write_file(file_from_robot(robot))))
    assert [link.unknown for link in again.links] == [link.unknown for link in robot.links]
    assert not any(link.parts for link in again.links), "no drums are made up"
    made = urdf_write.write(robot)
    assert "shape unknown" in made.text
    assert made.notes == ("the shape of fore is unknown and is not, or not completely, written",)


def test_names_that_clash_are_told_apart_in_a_urdf() -> None:
    plain = wc.robot("planar2r")
    robot = plain.replace(links=(Link("a b"), Link("a_b"), Link("tool0")))
    names = [link.name for link in urdf.parse(urdf_write.write(robot).text).robots[0].links]
    assert names == ["a_b", "a_b_2", "tool0"]


def test_a_bundle_needs_nothing_from_outside(tmp_path: Path) -> None:
    mesh_file(tmp_path / "a.gltf")
    text = arm(fore=shape("visual", mesh("a.gltf")), upper=shape("visual", mesh("gone.stl")))
    place = put(tmp_path, text)
    beside = Beside(place, OwnFiles())
    first = urdf.parse(text, "x", beside.fetch, unknown_shapes=True)
    kept = beside.bundle(text)
    assert kept is not None
    for file in tmp_path.iterdir():
        file.unlink()
    again = Bundle.from_bytes(kept.to_bytes())
    assert again is not None
    second = urdf.parse(again.text, "y", again.fetch, unknown_shapes=True)
    assert second.notes == first.notes
    assert_same(first.robots[0], second.robots[0])
    assert Bundle.from_bytes(b"<robot/>") is None
    with pytest.raises(FileProblem, match="damaged"):
        Bundle.from_bytes(kept.to_bytes()[:-9])


def test_a_urdf_that_names_no_file_needs_no_bundle(tmp_path: Path) -> None:
    beside = Beside(put(tmp_path, arm()), OwnFiles())
    urdf.parse(arm(), "x", beside.fetch)
    assert beside.bundle(arm()) is None


def test_damaged_meshes_are_read_or_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    for kind in ("stl", "ascii.stl", "obj", "dae", "glb", "inside.gltf"):
        data = mesh_file(tmp_path / f"a.{kind}").read_bytes()
        place = put(tmp_path, arm(fore=shape("visual", mesh(f"a.{kind}"))))
        for _ in range(25):
            hurt = bytearray(data)
            for at in rng.integers(0, len(data), rng.integers(1, 5)):
                hurt[at] = rng.integers(0, 256)
            (tmp_path / f"a.{kind}").write_bytes(hurt[: rng.integers(1, len(hurt) + 1)])
            with contextlib.suppress(WorkcellError):  # and nothing else
                wc.Robot.load(place)


def test_masses_and_parts_survive_as_urdf() -> None:
    mass = MassProperties(2.0, np.array([0.1, 0.2, 0.3]), np.array([[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 3.0]]))
    ball = Part(solids.sphere(0.05).moved(Pose.from_xyz(0.1, 0, 0)), (0.2, 0.4, 0.6))
    robot = wc.robot("puma560").replace(links=tuple(Link(f"l{i}", (ball,), mass) for i in range(7)), gripper=None)
    again = urdf.parse(urdf_write.write(robot).text).robots[0]
    q = np.radians([10, 20, -100, 30, 40, 50])
    for i in range(7):
        there = again.links[i].mass
        assert there is not None
        ours, theirs = mass.moved(Pose(robot.frames(q)[i])), there.moved(Pose(again.frames(q)[i]))
        assert theirs.centre == pytest.approx(ours.centre)
        assert theirs.inertia == pytest.approx(ours.inertia)
        assert centroid(again, i, q) == pytest.approx(centroid(robot, i, q), abs=1e-9)


@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
def test_a_chain_without_end_is_refused_at_once(kind: str) -> None:
    links = "".join(f'<link name="l{i}"/>' for i in range(1500))
    joints = "".join(
        f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/><limit lower="0" upper="1"/></joint>'
        for i in range(1499)
    )
    with pytest.raises(FileProblem, match=r"more than 100 joints follow each other"):
        urdf.parse(f'<robot name="x">{links}{joints}</robot>')
    with pytest.raises(FileProblem, match=r"has 3001 links; the limit is 2000"):
        urdf.parse("<robot>" + "".join(f'<link name="l{i}"/>' for i in range(3001)) + "</robot>")


def test_a_gltf_whose_nodes_multiply_is_refused_at_once(tmp_path: Path) -> None:
    nodes = [{"children": [i + 1, i + 1]} for i in range(60)] + [{"mesh": 0}]
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "scene": 0,
        "nodes": nodes,
        "meshes": [{"primitives": []}],
    }
    (tmp_path / "bomb.gltf").write_text(json.dumps(document))
    with pytest.raises(FileProblem, match=r"form a circle, or use each other too often"):
        wc.Robot.load(put(tmp_path, arm(fore=shape("visual", mesh("bomb.gltf")))))


def test_a_byte_order_mark_does_not_hide_a_urdf(tmp_path: Path) -> None:
    place = tmp_path / "arm.urdf"
    place.write_text(arm(), encoding="utf-8-sig")
    assert wc.Robot.load(place).n == 2


# ---- against another library --------------------------------------------------------------------------


def random_urdf(rng: np.random.Generator, folder: Path) -> tuple[str, dict[str, list[tuple[np.ndarray, np.ndarray]]]]:
    """A random tree whose links have random meshes, and by link its meshes: matrices in the link, and vertices."""
    count = int(rng.integers(3, 10))
    kinds = ["revolute", "prismatic", "fixed"]
    links: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    text = ""

    def numbers(values: np.ndarray) -> str:
        return " ".join(repr(float(v)) for v in values)

    def origin() -> tuple[str, np.ndarray]:
        xyz, rpy = rng.uniform(-0.5, 0.5, 3), rng.uniform(-3, 3, 3)
        return f'<origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/>', Pose.from_xyz_angles(xyz, rpy, "urdf_rpy").matrix

    for i in range(count):
        shapes = ""
        links[f"l{i}"] = []
        for k in range(int(rng.integers(0, 3))):
            size = rng.uniform(0.05, 0.3, 3)
            made = solids.box(*size).moved(Pose.from_xyz(*rng.uniform(-1, 1, 3))).mesh()
            unit = float(rng.choice([1.0, 0.001]))
            kind = str(rng.choice(["stl", "ascii.stl", "obj", "dae", "glb", "gltf"]))
            mesh_file(folder / f"m{i}_{k}.{kind}", made, unit)
            own = 1.0 if kind in ("dae", "glb", "gltf") else unit
            scale = np.array([own, own, own]) * rng.uniform(0.5, 2, 3) * rng.choice([1.0, -1.0], 3)
            place, matrix = origin()
            form = mesh(f"m{i}_{k}.{kind}", f' scale="{numbers(scale)}"')
            shapes += shape("visual", form, place)
            links[f"l{i}"].append((matrix @ np.diag([*scale / own, 1.0]), made.vertices))
        text += f'<link name="l{i}">{shapes}</link>'
        if i:
            kind = "revolute" if i == 1 else str(rng.choice(kinds))
            axis = rng.normal(size=3)
            text += (
                f'<joint name="j{i}" type="{kind}"><parent link="l{rng.integers(0, i)}"/><child link="l{i}"/>{origin()[0]}'
                f'<axis xyz="{numbers(axis / np.linalg.norm(axis))}"/><limit lower="-1" upper="1.5" velocity="1" effort="1"/></joint>'
            )
    return f'<robot name="tree">{text}</robot>', links


def compare_with_pinocchio(seed: int, folder: Path) -> int:
    """Place every vertex of a random URDF by pinocchio's frames and by ours; the number of meshes compared."""
    import pinocchio

    rng = np.random.default_rng(seed)
    text, links = random_urdf(rng, folder)
    reference = pinocchio.buildModelFromXML(text)
    data = reference.createData()
    model = urdf.parse(text, "tree", Beside(folder / "tree.urdf", OwnFiles()).fetch)
    values = {name: rng.uniform(-1, 1.5, robot.n) for name, robot in [(i.name, i.device) for i in model.mounting.items]}
    q = np.zeros(reference.nq)
    for item in model.mounting.items:
        for joint, value in zip(item.device.joint_names, values[item.name], strict=True):
            q[reference.joints[reference.getJointId(joint)].idx_q] = value
    pinocchio.framesForwardKinematics(reference, data, q)
    found = []
    for item in model.mounting.items:
        base = model.mounting.bases(values)[item.name]
        for link, frame in zip(item.device.links, item.device.frames(values[item.name]), strict=True):
            for part in link.tested:
                placed = part.solid.moved(base @ Pose(frame)).mesh()
                found.append((part.name, placed.vertices, part.solid.volume))
    wanted = []
    for name, shapes in links.items():
        world = data.oMf[reference.getFrameId(name)].homogeneous
        for matrix, vertices in shapes:
            whole = world @ matrix
            wanted.append((name, vertices @ whole[:3, :3].T + whole[:3, 3], None))
    assert sorted(name for name, *_ in found) == sorted(name for name, *_ in wanted)

    def order(item: tuple[str, np.ndarray, object]) -> tuple[str, float]:
        return item[0], round(float(item[1].sum()), 3)

    for (_, ours, volume), (_, theirs, _) in zip(sorted(found, key=order), sorted(wanted, key=order), strict=True):
        assert volume > 0.0
        for one, other in ((ours, theirs), (theirs, ours)):
            nearest = np.linalg.norm(one[:, None] - other[None], axis=2).min(axis=1)
            assert nearest.max() < 2e-6  # an STL has single precision
    return len(found)


def test_meshes_of_random_trees_are_where_pinocchio_has_them(tmp_path: Path) -> None:
    assert sum(compare_with_pinocchio(seed, tmp_path) for seed in range(8)) > 20


@pytest.mark.soak
def test_meshes_of_many_random_trees_are_where_pinocchio_has_them(tmp_path: Path) -> None:
    meshes = sum(compare_with_pinocchio(seed, tmp_path) for seed in range(500))
    print(f"URDF: 500 random trees, {meshes} meshes of six formats, every vertex within 2 µm of pinocchio's place")
