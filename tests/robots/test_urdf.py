"""URDF in and out: poses, limits, inertia, meshes, branches, and every kind of damage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mesh_files import WEDGE
from workcell.errors import FileProblem
from workcell.geometry.formats import stl
from workcell.robots.catalogue import robot, robots
from workcell.robots.formats import urdf, urdf_write
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

TWO_ARMS = """<?xml version="1.0"?>
<robot name="twins">
  <material name="red"><color rgba="0.8 0.1 0.1 1"/></material>
  <link name="world"/>
  <link name="torso">
    <visual><origin xyz="0 0 0.2"/><geometry><box size="0.2 0.3 0.4"/></geometry><material name="red"/></visual>
    <inertial><origin xyz="0 0 0.2"/><mass value="5"/><inertia ixx="0.1" iyy="0.2" izz="0.3"/></inertial>
  </link>
  <link name="left_1"><visual><geometry><mesh filename="package://x/left_1.stl" scale="0.001 0.001 0.001"/></geometry>
  </visual></link>
  <link name="left_2"/> <link name="left_hand"/>
  <link name="right_1"/> <link name="right_tool0"/>
  <joint name="stand" type="fixed"><parent link="world"/><child link="torso"/><origin xyz="0 0 1"/></joint>
  <joint name="l1" type="revolute"><parent link="torso"/><child link="left_1"/><origin xyz="0 0.2 0.3" rpy="0 0 0.5"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" velocity="3" effort="1"/></joint>
  <joint name="l2" type="prismatic"><parent link="left_1"/><child link="left_2"/><origin xyz="0.3 0 0"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.2" velocity="0.5" effort="1"/></joint>
  <joint name="l3" type="fixed"><parent link="left_2"/><child link="left_hand"/><origin xyz="0 0 -0.1"/></joint>
  <joint name="r1" type="continuous"><parent link="left_1"/><child link="right_1"/><origin xyz="0.1 0 0.1"/>
    <axis xyz="0 0 -2"/></joint>
  <joint name="r2" type="fixed"><parent link="right_1"/><child link="right_tool0"/><origin xyz="0.05 0 0"/></joint>
</robot>
"""


def wedge(name: str) -> bytes:
    """The mesh that the left arm names, in millimetres."""
    assert name == "package://x/left_1.stl"
    return stl.write(WEDGE, 0.001)


def joints_only(arm: Robot) -> str:
    """A URDF of the joints alone, which is quick to make."""
    return urdf_write.write(arm.replace(links=())).text


@pytest.mark.parametrize("name", robots())
def test_a_library_robot_survives_as_urdf(name: str) -> None:
    arm = robot(name)
    model = urdf.parse(joints_only(arm))
    assert len(model.robots) == 1
    again = model.robots[0]
    assert again.limits == pytest.approx(arm.limits)
    assert again.speeds == pytest.approx(arm.speeds)
    for q in np.random.default_rng(2).uniform(arm.limits[:, 0], arm.limits[:, 1], (5, arm.n)):
        assert again.fk(q).is_close(arm.fk(q), 1e-12, 1e-12)


def test_a_branched_urdf_becomes_mounted_chains() -> None:
    model = urdf.parse(TWO_ARMS, fetch=wedge)
    left, right = model.robots
    assert [left.joint_names, right.joint_names] == [("l1", "l2"), ("r1",)]
    assert model.mounting["r1"].parent == "twins"
    assert model.mounting["r1"].frame == "1"
    assert left.limits == pytest.approx(np.array([(-1, 2), (0, 0.2)]))
    assert "limits" in right.assumed
    q1, q2, q3 = 0.4, 0.15, 0.9
    shoulder = Pose.from_xyz(0, 0, 1) @ Pose.from_xyz_angles((0, 0.2, 0.3), (0, 0, 0.5), "urdf_rpy")
    shoulder = shoulder @ Pose.from_axis_angle((0, 1, 0), q1)
    hand = shoulder @ Pose.from_xyz(0.3 + q2, 0, -0.1)
    other = shoulder @ Pose.from_xyz(0.1, 0, 0.1) @ Pose.from_axis_angle((0, 0, -1), q3) @ Pose.from_xyz(0.05, 0, 0)
    values = {"twins": [q1, q2], "r1": [q3]}
    assert model.mounting.tool("twins", values).is_close(hand)
    assert model.mounting.tool("r1", values).is_close(other)


def test_shapes_masses_and_meshes_are_read() -> None:
    base, first, *_ = urdf.parse(TWO_ARMS, fetch=wedge).robots[0].links
    assert base.parts[0].colour == (0.8, 0.1, 0.1)
    assert base.mass is not None
    assert base.mass.mass == 5
    assert first.parts[0].solid.volume == pytest.approx(0.006, rel=1e-6)


def test_a_urdf_loads_as_a_robot(tmp_path: Path) -> None:
    place = tmp_path / "puma.urdf"
    urdf_write.save(robot("puma560"), place)
    assert Robot.load(place).n == 6


def cut(old: str, new: str = "") -> str:
    assert old in TWO_ARMS
    return TWO_ARMS.replace(old, new)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TWO_ARMS[:700], r"x.urdf is cut off"),
        (
            cut('<link name="left_2"/>', "<link name='left_2'>"),
            r"x.urdf is (cut off|not XML in line \d+): mismatched tag",
        ),
        (cut('<child link="torso"/>', '<child link="bust"/>'), r"the child 'bust' of the joint 'stand' is not a link"),
        (cut('<link name="world"/>', '<link name="world"/><link name="alone"/>'), r"has 2 roots \('world', 'alone'\)"),
        (cut('<parent link="world"/>', '<parent link="left_hand"/>'), r"x.urdf is cyclic: .*torso.* → |2 roots"),
        (
            cut('<parent link="world"/><child link="torso"/>', '<parent link="torso"/><child link="torso"/>'),
            r"cyclic|roots",
        ),
        (cut('<child link="left_hand"/>', '<child link="left_1"/>'), r"'left_1' hangs on two joints, 'l1' and 'l3'"),
        (cut('name="left_2"', 'name="left_1"'), r"two links called 'left_1'"),
        (cut('name="l2"', 'name="l1"'), r"two joints called 'l1'"),
        (cut('lower="-1" upper="2"', 'lower="2" upper="-1"'), r"limits of the joint 'l1' are reversed"),
        (cut('lower="0" upper="0.2"', 'lower="0" upper="1e5"'), r"limits of the joint 'l2' are 0 … 100000 m"),
        (cut('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'), r"axis of the joint 'l1' is the zero vector"),
        (
            cut('<axis xyz="0 1 0"/>', '<axis xyz="0 one 0"/>'),
            r"the axis of 'l1' needs 3 finite numbers; found '0 one 0'",
        ),
        (cut('type="prismatic"', 'type="spherical"'), r"the joint 'l2' is 'spherical'; it must be one of revolute"),
        (cut('<limit lower="0" upper="0.2" velocity="0.5" effort="1"/>'), r"prismatic joint 'l2' has no <limit>"),
        ("<sdf/>", r"its outermost element is <sdf>, not <robot>"),
        ("<robot name='x'/>", r"x.urdf has no links"),
        ("<robot name='x'><link name='a'/></robot>", r"has no moving joint"),
        ("<!DOCTYPE x><robot/>", r"declares XML entities"),
        ("<robot xmlns:xacro='u'><xacro:macro/></robot>", r"x.urdf is a xacro file; turn it into a plain URDF"),
    ],
)
def test_damage_is_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(FileProblem, match=message) as caught:
        urdf.parse(text, "x.urdf")
    assert "\n" not in str(caught.value)


def test_limits_beyond_sense_are_none() -> None:
    model = urdf.parse(cut('lower="-1" upper="2"', 'lower="-1e308" upper="1e308"'), "x.urdf", unknown_shapes=True)
    endless = urdf.parse(
        cut('lower="-1" upper="2"', 'lower="-6.283185307179586" upper="6.283185307179586"'),
        "x.urdf",
        unknown_shapes=True,
    )
    for one, other in zip(model.mounting.items, endless.mounting.items, strict=True):
        assert one.device.limits == pytest.approx(other.device.limits)
    assert any("'l1' are beyond 10000 rad; it is taken as continuous" in note for note in model.notes)


def test_a_ring_of_joints_is_called_cyclic() -> None:
    text = "<robot name='r'>" + "".join(f"<link name='{n}'/>" for n in "abc")
    for name, (parent, child) in {"1": "ab", "2": "bc", "3": "ca"}.items():
        text += f"<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/></joint>"
    with pytest.raises(FileProblem, match=r"x.urdf is cyclic: a → c → b → a; a URDF is a tree"):
        urdf.parse(text + "</robot>", "x.urdf")


def test_joints_that_follow_others_are_noted() -> None:
    text = cut('<axis xyz="0 0 -2"/>', '<axis xyz="0 0 -2"/><mimic joint="l1"/>')
    assert "the joint 'r1' follows 'l1' in the file; here it moves by itself" in urdf.parse(text, fetch=wedge).notes


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "bad.urdf is empty."), (" \n", "bad.urdf is empty."), ("robot arm", "bad.urdf is not URDF: it should begin")],
)
def test_a_file_that_is_no_urdf_says_so(tmp_path, text, said):
    from workcell.robots import robot_reader

    (tmp_path / "bad.urdf").write_text(text)
    with pytest.raises(FileProblem, match=said):
        robot_reader.read(tmp_path / "bad.urdf")
