"""Mechanisms, grippers and mounting: where bodies go, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workcell.errors import CycleRefused, InvalidValue, JointLimit, NameTaken, UnknownName
from workcell.geometry.mesh import Mesh
from workcell.robots.catalogue import robot
from workcell.robots.gripper import Gripper
from workcell.robots.link import Link
from workcell.robots.mechanism import (
    Mechanism,
    MechanismJoint,
    conveyor,
    gantry,
    gripper_mechanism,
    positioner,
    rail,
    slide,
)
from workcell.robots.mounting import Mounted, Mounting
from workcell.spatial.pose import Pose


def test_a_rail_carries_its_carriage_along_x() -> None:
    track = rail(3.0, height=0.25)
    assert track.frame("carriage", [1.5]).is_close(Pose.from_xyz(1.5, 0, 0.25))
    with pytest.raises(JointLimit, match=r"Joint 1 \(travel\) of rail would be 4, out of 0 … 3"):
        track.poses([4.0])
    with pytest.raises(InvalidValue, match="length of a mechanism must be greater than zero"):
        rail(0.0)


def test_a_positioner_tilts_then_turns() -> None:
    table = positioner(height=0.8, radius=0.4)
    plate = table.frame("plate", [math.pi / 2, 0.3])
    assert plate.rotation[:, 2] == pytest.approx([0, -1, 0], abs=1e-12)
    assert plate.xyz == pytest.approx([0, -0.112, 0.8])


def test_a_conveyor_runs_on() -> None:
    belt = conveyor(2.0)
    assert belt.frame("belt", [123.0]).xyz == pytest.approx([123.0, 0, 0.7])
    assert belt.home == pytest.approx([0.0])


def test_both_fingers_follow_one_value() -> None:
    hand = gripper_mechanism(Gripper(opening=0.08, reach=0.12))
    assert hand.free == (1,)
    _, right, left = hand.poses([0.03])
    assert right.xyz == pytest.approx([0.03, 0, 0.12])
    assert left.xyz == pytest.approx([-0.03, 0, 0.12])


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ((MechanismJoint("a", 1, Pose.identity()),), "stands on body 1, which must come before it"),
        ((MechanismJoint("a", 0, Pose.identity(), limits=(1, 0)),), "limits of joint 1 of 'm' are reversed"),
        ((MechanismJoint("a", 0, Pose.identity(), follows=1),), "follows joint 1, which must move by itself"),
        ((MechanismJoint("a", 0, Pose.identity(), axis=(0, 0, 0)),), "zero vector"),
    ],
)
def test_wrong_mechanisms_are_refused(joints: tuple[MechanismJoint, ...], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Mechanism("m", "odd", joints, (Link("base"), Link("body")))


def test_unknown_frames_are_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownName, match="there is carriage"):
        rail(1.0).frame("top", [0.0])


def test_a_gripper_closes_along_x_and_approaches_along_z() -> None:
    hand = Gripper(opening=0.08, reach=0.12, turn=math.pi / 2)
    right, left = hand.finger_poses(0.05)
    assert right.xyz == pytest.approx([0, 0.025, 0.12])
    assert left.xyz == pytest.approx([0, -0.025, 0.12])
    assert hand.approach == pytest.approx([0, 0, 1])
    assert Gripper(opening=0.08, reach=0.12, flip=True).approach == pytest.approx([0, 0, -1])
    with pytest.raises(InvalidValue, match="opens from 0 to 80 mm; 90 mm was asked"):
        hand.finger_poses(0.09)


def test_finger_pads_are_as_far_apart_as_asked() -> None:
    hand = Gripper(opening=0.08, reach=0.12)
    right, left = (hand.finger().moved(pose) for pose in hand.finger_poses(0.05))
    low, high = right.mesh().bounds, left.mesh().bounds
    assert low[0][0] == pytest.approx(0.025, abs=1e-6)
    assert high[1][0] == pytest.approx(-0.025, abs=1e-6)
    assert low[1][2] == pytest.approx(0.13, abs=1e-6)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"opening": 0, "reach": 1}, "opening of a gripper must be greater than zero"),
        ({"opening": 0.1, "reach": math.nan}, "reach of a gripper must be greater"),
        ({"opening": 0.1, "reach": 0.1, "least": 0.2}, "cannot have a least opening of 0.2 m"),
        ({"opening": 0.1, "reach": 0.01}, "must be shorter than its reach"),
    ],
)
def test_wrong_grippers_are_refused(sizes: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Gripper(**sizes)


def test_an_arm_on_a_rail_and_an_arm_on_that_arm() -> None:
    big, small = robot("irb6400"), robot("irb120")
    cell = Mounting(
        (
            Mounted("small", small, "big", "flange", Pose.from_xyz(0, 0, 0.1)),
            Mounted("big", big, "track", "carriage"),
            Mounted("track", rail(5.0), X_frame_base=Pose.from_xyz(0, 2, 0)),
        )
    )
    values = {"track": [1.2], "big": big.home, "small": small.home}
    carriage = Pose.from_xyz(1.2, 2, 0.25)
    wanted = carriage @ big.fk(big.home) @ Pose.from_xyz(0, 0, 0.1) @ small.fk(small.home)
    assert cell.tool("small", values).is_close(wanted)
    assert cell.tool("small", {"track": [1.2]}).is_close(wanted)
    moved = cell.bases({"track": [2.2]})["small"].xyz - cell.bases({"track": [1.2]})["small"].xyz
    assert moved == pytest.approx([1, 0, 0])


def test_mounting_rules_are_told() -> None:
    arm, track = robot("irb120"), rail(1.0)
    with pytest.raises(CycleRefused, match="'a' cannot stand on itself: a → b → a"):
        Mounting((Mounted("a", arm, "b"), Mounted("b", arm, "a")))
    with pytest.raises(UnknownName, match="no device called 'floor'"):
        Mounting((Mounted("a", arm, "floor"),))
    with pytest.raises(NameTaken, match="'a' is taken"):
        Mounting((Mounted("a", arm), Mounted("a", arm)))
    with pytest.raises(UnknownName, match="frame of irb120 called '9'"):
        Mounting((Mounted("a", arm), Mounted("b", arm, "a", "9")))
    with pytest.raises(InvalidValue, match="only a robot has a tool"):
        Mounting((Mounted("t", track),)).tool("t", {})
    assert np.allclose(
        Mounting((Mounted("t", track),)).mounted(Mounted("a", arm, "t", "1")).bases({})["a"].xyz, [0, 0, 0.25]
    )


def _faces_in_one_plane(one: Mesh, other: Mesh) -> bool:
    """Whether faces that look the same way lie in one plane and overlap, by points spread over the triangles."""
    random = np.random.default_rng(0)
    shares = random.dirichlet((1.0, 1.0, 1.0), 24)
    corners = other.vertices[other.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for triangle in one.vertices[one.triangles]:
        normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
        size = np.linalg.norm(normal)
        if size < 1e-9:
            continue
        same = normals @ normal > 0.999999 * size * np.linalg.norm(normals, axis=1)
        same &= np.abs((corners[:, 0] - triangle[0]) @ normal / size) < 1e-7
        for found in corners[same]:
            for point in shares @ triangle:
                turns = [np.cross(found[(i + 1) % 3] - found[i], point - found[i]) @ normal for i in range(3)]
                if min(turns) > 1e-12 * size:
                    return True
    return False


@pytest.mark.parametrize(
    "mechanism", [rail(2.0), positioner(), gantry(3.0, 2.0, 2.0), conveyor(2.0), slide(1.0, 0.2)], ids=lambda m: m.kind
)
def test_no_two_parts_show_a_face_in_the_same_place(mechanism: Mechanism) -> None:
    """A picture could show either of them there, in patches."""
    for link in mechanism.bodies:
        meshes = [part.solid.mesh(1e-3) for part in link.parts]
        for i, one in enumerate(meshes):
            for other in meshes[i + 1 :]:
                assert not _faces_in_one_plane(one, other), link.name
