"""The Robot value: made from DH rows, asked about limits, carrying tools."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import FileProblem, InvalidValue, JointLimit
from workcell.kinematics.dh import ImplausibleDH
from workcell.robots.catalogue import robot
from workcell.robots.controller import ControllerMap
from workcell.robots.link import Link, MassProperties
from workcell.robots.robot import Robot
from workcell.robots.tool import Tool
from workcell.spatial.pose import Pose

TWO = [dict(theta=0, d=0, a=1, alpha=0), dict(theta=0, d=0, a=0.5, alpha=0)]
angles = st.floats(-3, 3)


def test_a_robot_from_two_rows_reaches_where_geometry_says() -> None:
    arm = Robot.from_dh(TWO, name="two")
    assert arm.fk([math.pi / 2, -math.pi / 2]).xyz == pytest.approx([0.5, 1.0, 0.0])
    assert arm.n == 2
    assert [link.name for link in arm.links] == ["base", "link 1", "link 2"]


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.lists(angles, min_size=6, max_size=6))
def test_single_batch_and_frames_agree(q: list[float]) -> None:
    arm = robot("puma560")
    one = arm.fk(q).matrix
    assert arm.fk_batch([q])[0] == pytest.approx(one, abs=1e-12)
    assert arm.frames(q)[-1] == pytest.approx(one, abs=1e-12)
    assert arm.frames_batch([q])[0] == pytest.approx(arm.frames(q), abs=1e-12)


def test_the_generating_joints_are_among_the_inverse_solutions() -> None:
    arm = robot("irb6400")
    q = np.radians([20, 100, 15, 40, 50, 60])
    solutions = arm.ik(arm.fk(q))
    assert len(solutions) == 8
    assert min(np.abs(solution.q - q).max() for solution in solutions) < 1e-9
    Q, valid = arm.ik_batch([arm.fk(q)])
    assert valid.sum() == 8
    assert Q.shape == (1, 8, 6)


def test_modified_rows_are_converted() -> None:
    # Craig's table of the Puma against the standard one of the library.
    arm = robot("puma560")
    rows = [
        (0, 0.67183, 0, 0),
        (0, 0, 0, math.pi / 2),
        (0, 0.15005, 0.4318, 0),
        (0, 0.4318, 0.0203, -math.pi / 2),
        (0, 0, 0, -math.pi / 2),
        (0, 0.05625, 0, math.pi / 2),
    ]
    craig = Robot.from_dh(rows, name="craig", modified=True)
    for q in np.random.default_rng(5).uniform(-2, 2, (10, 6)):
        assert craig.fk(q).is_close(arm.fk(q))


def test_what_nobody_gave_is_marked_assumed() -> None:
    arm = Robot.from_dh(TWO, limits=[(-1, 1), (-2, 2)])
    assert set(arm.assumed) == {"speeds", "accelerations"}
    with pytest.raises(TypeError):
        arm.assumed["speeds"] = "mine"  # type: ignore[index]


def test_arrays_are_read_only_and_copied() -> None:
    limits = np.array([(-1.0, 1.0), (-2.0, 2.0)])
    arm = Robot.from_dh(TWO, limits=limits)
    limits[0] = 9
    assert arm.limits[0, 1] == 1.0
    with pytest.raises(ValueError):
        arm.limits[0, 0] = 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"limits": [(1, -1), (-2, 2)]}, r"limits of joint 1 are reversed: 1 is not below -1"),
        ({"limits": [(-1, 1)]}, r"The joint limits of 'two' must have shape \(2, 2\)"),
        ({"limits": [(-1, math.nan), (-2, 2)]}, r"must be finite"),
        ({"speeds": [1, 0]}, r"speed of joint 2 must be greater than zero"),
        ({"home": [0, 0, 0]}, r"The home position of 'two' must have shape \(2,\)"),
        ({"joint_names": ("a",)}, r"needs 2 joint names; found 1"),
        ({"links": (Link("base"),)}, r"has 3 links, the base first; found 1"),
    ],
)
def test_wrong_fields_are_refused_in_one_line(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message) as caught:
        Robot.from_dh(TWO, name="two", **changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, 0, 1)], r"DH row 1 has 3 entries; it needs theta, d, a, alpha"),
        ([dict(theta=0, d=0, a=1)], r"DH row 1 has no alpha"),
        ([(0, 0, math.nan, 0)], r"a of DH row 1 must be finite"),
        ([], r"at least one joint"),
    ],
)
def test_wrong_rows_are_refused(rows: list[object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Robot.from_dh(rows)  # type: ignore[arg-type]


def test_degrees_in_place_of_radians_are_warned_of() -> None:
    with pytest.warns(ImplausibleDH, match=r"alpha of DH row 1 is 90 rad; if degrees were meant"):
        Robot.from_dh([(0, 0, 1, 90)])


def test_joints_out_of_range_are_named_with_the_excess() -> None:
    arm = robot("puma560")
    q = np.radians([170, 0, 0, 0, -120, 0])
    assert [joint for joint, _ in arm.outside(q)] == [1, 5]
    with pytest.raises(
        JointLimit, match=r"Joint 1 \(waist\) of puma560 would be 10 ° out of its range -160 … 160 °"
    ) as caught:
        arm.require_limits(q)
    assert caught.value.joint == 1
    assert caught.value.excess == pytest.approx(math.radians(10))
    arm.require_limits(arm.home)


def test_a_tool_moves_the_tool_pose_and_comes_off_again() -> None:
    arm = robot("puma560")
    torch = Tool("torch", Pose.from_xyz(0, 0, 0.2), MassProperties(3.5))
    armed = arm.with_tool(torch)
    assert armed.fk(arm.home).xyz[2] == pytest.approx(arm.fk(arm.home).xyz[2] - 0.2)
    assert torch.overload(arm.payload) == pytest.approx(1.0)
    assert armed.with_tool(None).chain == arm.chain


def test_controller_map_with_coupling_inverts() -> None:
    known = ControllerMap.from_signs([1, -1], [0.5, 0.0], ((2, 1, -1.0),))
    assert known.to_dh([1.0, 2.0]) == pytest.approx([1.5, -3.0])
    assert known.from_dh([1.5, -3.0]) == pytest.approx([1.0, 2.0])
    with pytest.raises(InvalidValue, match="singular"):
        ControllerMap(np.ones((2, 2)), np.zeros(2))
    with pytest.raises(InvalidValue, match="1 or −1"):
        ControllerMap.from_signs([2, 1], [0, 0])
    with pytest.raises(InvalidValue, match="2 finite numbers"):
        known.to_dh([1.0])


def test_a_missing_file_is_one_line(tmp_path: object) -> None:
    with pytest.raises(FileProblem, match=r"There is no file 'nowhere.toml'"):
        Robot.load("nowhere.toml")


def test_mass_properties_add_and_move() -> None:
    a = MassProperties(2.0, np.array([1.0, 0, 0]), np.eye(3))
    b = MassProperties(1.0, np.array([-2.0, 0, 0]), np.eye(3))
    both = MassProperties.sum([a, b])
    assert both.mass == 3.0
    assert both.centre == pytest.approx([0, 0, 0])
    assert np.diag(both.inertia) == pytest.approx([2, 2 + 2 + 4, 2 + 2 + 4])
    pose = Pose.from_xyz_angles((1, 2, 3), (0.1, 0.2, 0.3), "urdf_rpy")
    assert a.moved(pose).moved(pose.inverse()).inertia == pytest.approx(a.inertia)
    with pytest.raises(InvalidValue, match="symmetric"):
        MassProperties(1.0, inertia=np.array([[1, 2, 0], [0, 1, 0], [0, 0, 1.0]]))


def test_robots_are_values() -> None:
    arm = robot("puma560")
    twin = arm.replace(name="puma560")
    assert twin == arm
    assert hash(twin) == hash(arm)
    assert arm.replace(name="other") != arm
    assert arm.replace(home=np.zeros(6)) != arm


def test_reports_can_say_what_was_assumed() -> None:
    arm = robot("puma560")
    assert arm.caveat("limits") == ""
    assert arm.caveat("limits", "accelerations") == (
        "Assumed for puma560: accelerations: not published: full speed is reached in 0.4 s."
    )
