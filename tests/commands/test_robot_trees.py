"""A URDF with meshes, mimic and fixed joints goes in and comes out with the same bodies, volumes, colours and tree."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from mesh_files import collada, mesh_file
from workcell.geometry import solids
from workcell.geometry.mesh import Mesh
from workcell.robots.formats import urdf, urdf_write
from workcell.robots.link import Link
from workcell.spatial.pose import Pose

SHAPES: dict[str, Mesh] = {
    "base.stl": solids.box(0.4, 0.4, 0.1).mesh(),
    "upper.obj": solids.box(0.1, 0.1, 0.5).moved(Pose.from_xyz(0.01, 0.02, 0.25)).mesh(),
    "fore.dae": solids.box(0.4, 0.08, 0.06).moved(Pose.from_xyz(0.2, 0, 0)).mesh(),
    "cover.stl": solids.box(0.05, 0.06, 0.07).mesh(),
    "palm.obj": solids.box(0.03, 0.12, 0.05).mesh(),
    "finger.stl": solids.box(0.05, 0.01, 0.02).mesh(),
}
LINKS = {
    "base_link": ("base.stl", "0.2 0.2 0.2 1", '<origin xyz="0 0 0.05" rpy="0 0 0.3"/>'),
    "upper": ("upper.obj", "1 0 0 1", ""),
    "крышка": ("cover.stl", "0 0 1 1", '<origin xyz="0.1 0 0" rpy="0.4 0 0"/>'),
    "fore": ("fore.dae", "0 0.6 0 1", ""),
    "palm": ("palm.obj", "1 1 0 1", ""),
    "left_finger": ("finger.stl", "0 1 1 1", '<origin xyz="0.02 0 0"/>'),
    "right_finger": ("finger.stl", "1 0 1 1", '<origin xyz="0.02 0 0" rpy="3.14159 0 0"/>'),
}
BARE = ("world", "mount", "camera_frame", "tool0")
LIMIT = '<limit lower="-1.2" upper="1.4" velocity="2" effort="1"/>'
JOINTS = f"""
<joint name="hold" type="fixed"><parent link="world"/><child link="base_link"/><origin xyz="0 0 0.2" rpy="0 0 0.5"/></joint>
<joint name="shoulder" type="revolute"><parent link="mount"/><child link="upper"/><origin xyz="0 0 0.05" rpy="0.2 0 0"/><axis xyz="0 1 0"/>{LIMIT}</joint>
<joint name="on_top" type="fixed"><parent link="base_link"/><child link="mount"/><origin xyz="0.01 0.02 0.1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/><axis xyz="0 -1 0.2"/>{LIMIT}</joint>
<joint name="lid" type="fixed"><parent link="upper"/><child link="крышка"/><origin xyz="0 0.1 0.2" rpy="0 0.3 0"/></joint>
<joint name="seen" type="fixed"><parent link="крышка"/><child link="camera_frame"/><origin xyz="0 0 0.04"/></joint>
<joint name="wrist" type="prismatic"><parent link="fore"/><child link="palm"/><origin xyz="0.4 0 0"/><axis xyz="1 0 0"/>
  <limit lower="0" upper="0.2" velocity="1" effort="1"/></joint>
<joint name="grip" type="prismatic"><parent link="palm"/><child link="left_finger"/><origin xyz="0.03 0.02 0"/><axis xyz="0 1 0"/>
  <limit lower="0" upper="0.04" velocity="1" effort="1"/></joint>
<joint name="grip_too" type="prismatic"><parent link="palm"/><child link="right_finger"/><origin xyz="0.03 -0.02 0"/><axis xyz="0 -1 0"/>
  <limit lower="0" upper="0.04" velocity="1" effort="1"/><mimic joint="grip" multiplier="0.5" offset="0.01"/></joint>
<joint name="tip" type="fixed"><parent link="left_finger"/><child link="tool0"/><origin xyz="0.05 -0.02 0" rpy="0 1.5708 0"/></joint>
<joint name="nod" type="revolute"><parent link="camera_frame"/><child link="lamp"/><origin xyz="0 0 0.01"/><axis xyz="0 0 1"/>{LIMIT}
  <mimic joint="elbow" multiplier="-2" offset="0.1"/></joint>
"""


def source(folder: Path) -> Path:
    """A tree with branches of a moving and of a fixed link, fixed joints in rows, a world link, and three mesh formats."""
    for name, mesh in SHAPES.items():
        if name.endswith(".dae"):
            (folder / name).write_bytes(collada([(mesh, None)]))
        else:
            mesh_file(folder / name, mesh)
    links = "".join(
        f'<link name="{name}"><visual>{place}<geometry><mesh filename="{file}"/></geometry>'
        f'<material name="{name}"><color rgba="{rgba}"/></material></visual></link>'
        for name, (file, rgba, place) in LINKS.items()
    )
    links += "".join(f'<link name="{name}"/>' for name in BARE)
    links += (
        '<link name="lamp"><visual><geometry><sphere radius="0.03"/></geometry><material name="w"><color rgba="1 1 1 1"/>'
        "</material></visual></link>"
    )
    place = folder / "arm.urdf"
    place.write_text(f'<robot name="arm">{links}{JOINTS}</robot>', encoding="utf-8")
    return place


def tree_of(place: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[float, ...]]]:
    """Every joint with its kind, parent and child, and what follows what; straight from the XML."""
    root = ET.parse(place).getroot()
    joints, mimics = {}, {}
    for joint in root.findall("joint"):
        ends = [joint.find(end).get("link") for end in ("parent", "child")]
        joints[joint.get("name")] = (joint.get("type"), *ends)
        mimic = joint.find("mimic")
        if mimic is not None:
            numbers = (float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0")))
            mimics[joint.get("name")] = (mimic.get("joint"), *numbers)
    return joints, mimics


def plain_obj(place: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of an OBJ file, read by hand."""
    rows = [line.split() for line in place.read_text().splitlines()]
    points = np.array([[float(v) for v in row[1:4]] for row in rows if row[:1] == ["v"]])
    faces = [[int(v.split("/")[0]) - 1 for v in row[1:]] for row in rows if row[:1] == ["f"]]
    return points, np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])


def bodies_of(place: Path, q: dict[str, float]) -> dict[str, tuple[object, ...]]:
    """By link: volume, centroid in the world at joint values by pinocchio, and colour."""
    import pinocchio

    text = place.read_text(encoding="utf-8")
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    values = np.zeros(model.nq)
    for name, value in q.items():
        values[model.joints[model.getJointId(name)].idx_q] = value
    pinocchio.framesForwardKinematics(model, data, values)
    found = {}
    for link in ET.fromstring(text).findall("link"):
        for visual in link.findall("visual"):
            frame = data.oMf[model.getFrameId(link.get("name"))].homogeneous
            origin = visual.find("origin")
            if origin is not None:
                xyz, rpy = (np.array((origin.get(k) or "0 0 0").split(), float) for k in ("xyz", "rpy"))
                frame = frame @ Pose.from_xyz_angles(xyz, rpy, "urdf_rpy").matrix
            geometry = visual.find("geometry")
            mesh, ball = geometry.find("mesh"), geometry.find("sphere")
            if mesh is None:
                volume, centre = 4 / 3 * np.pi * float(ball.get("radius")) ** 3, np.zeros(3)
            else:
                points, triangles = (
                    plain_obj(place.parent / mesh.get("filename"))
                    if mesh.get("filename") not in SHAPES
                    else (SHAPES[mesh.get("filename")].vertices, SHAPES[mesh.get("filename")].triangles)
                )
                a, b, c = np.moveaxis(points[triangles], 1, 0)
                each = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
                volume, centre = each.sum(), (each[:, None] * (a + b + c) / 4).sum(axis=0) / each.sum()
            rgba = visual.find("material/color").get("rgba").split()
            colour = tuple(round(255 * float(v)) for v in rgba[:3])
            found[link.get("name")] = (volume, (frame @ [*centre, 1])[:3], colour)
    return found


ALL = ("shoulder", "elbow", "wrist", "grip", "grip_too", "nod")


def assert_same(one: Path, other: Path) -> None:
    joints, mimics = tree_of(one)
    again, again_mimics = tree_of(other)
    assert again == joints
    assert again_mimics == mimics
    rng = np.random.default_rng(4)
    for _ in range(3):
        q = {name: rng.uniform(0, 0.04) for name in ALL}
        before, after = bodies_of(one, q), bodies_of(other, q)
        assert set(after) == set(before)
        for link, (volume, centre, colour) in before.items():
            assert after[link][0] == pytest.approx(volume, rel=1e-6), link
            assert after[link][1] == pytest.approx(centre, abs=1e-7), link
            assert after[link][2] == colour, link


def test_the_tree_the_bodies_and_what_follows_come_out_as_they_went_in(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    place = source(tmp_path / "in")
    cell = wc.Cell()
    told = str(cell.do(f"import robot arm {place}"))
    assert "follows 0.5 × 'grip' + 0.01" in told
    (tmp_path / "out").mkdir()
    cell.do(f"export robot arm {tmp_path}/out/arm.urdf")
    assert_same(place, tmp_path / "out" / "arm.urdf")


def test_it_survives_the_cell_file_a_rename_and_going_out_twice(tmp_path: Path) -> None:
    for name in ("in", "out", "twice"):
        (tmp_path / name).mkdir()
    place = source(tmp_path / "in")
    with wc.Cell.create(tmp_path / "line.cell") as cell:
        cell.do(f"import robot arm {place}")
        cell.do("modify robot:arm name R2")
        cell.do("place R2 at 500,0,0")
        assert cell.replayed().database.rows() == cell.database.rows()
    with wc.Cell.open(tmp_path / "line.cell") as cell:
        cell.do(f"export robot R2 {tmp_path}/out/arm.urdf")
        assert_same(place, tmp_path / "out" / "arm.urdf")
        cell.do(f"import robot again {tmp_path}/out/arm.urdf")
        cell.do(f"export robot again {tmp_path}/twice/arm.urdf")
    assert_same(place, tmp_path / "twice" / "arm.urdf")


def test_a_robot_on_another_is_a_branch(tmp_path: Path) -> None:
    cell = wc.Cell()
    for line in ("create robot Puma puma560", "create robot small planar2r", "mount small on Puma link 3 at 0,0,100"):
        cell.do(line)
    cell.do(f"export robot Puma {tmp_path}/both.urdf")
    model = urdf.read(tmp_path / "both.urdf")
    assert [robot.n for robot in model.robots] == [6, 2]
    snapshot, state = cell.snapshot(), cell.state
    main, branch = (item.name for item in model.mounting.items)
    poses = model.mounting.bases({main: state.joints["Puma"], branch: state.joints["small"]})
    here = snapshot.base_pose(state, "Puma").inverse() @ snapshot.tool_pose(state, "small")
    there = poses[main].inverse() @ poses[branch] @ model.robots[1].fk(state.joints["small"])
    assert there.is_close(here, 1e-9, 1e-9)


def test_another_tool_is_the_tool_of_the_file(tmp_path: Path) -> None:
    """The file's own tool0 is not where the tool is any more, so one is added, which readers find first."""
    cell = wc.Cell()
    cell.do(f"import robot arm {source(tmp_path)}")
    robot = cell.snapshot().robot("arm").robot
    bare = tuple(Link(link.name) for link in robot.links)
    moved = robot.replace(chain=robot.chain.with_tool(Pose.from_xyz(0.1, 0.2, 0.3)), links=bare)
    again = urdf.parse(urdf_write.write(moved).text).robots[0]
    q = np.full(robot.n, 0.01)
    assert again.fk(q).is_close(moved.fk(q), 1e-9, 1e-9)
