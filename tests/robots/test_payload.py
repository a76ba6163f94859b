"""What an arm carries against what it may carry."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.errors import InvalidValue
from workcell.robots.build import file_from_robot, robot_from_file
from workcell.robots.catalogue import robot, robots
from workcell.robots.gripper import Gripper
from workcell.robots.payload import Load, lever, payload_check
from workcell.robots.robot_file import parse, write
from workcell.spatial.pose import Pose
from workcell.spatial.units import GRAVITY

WRIST = (None, None, None, 16.0, 16.0, 9.0)
masses = st.lists(st.one_of(st.none(), st.floats(0.01, 100.0)), max_size=5)


def arm(**more: object):
    return robot("lrmate200id").replace(payload=7.0, **more)


@given(masses)
def test_known_masses_add_up_and_unknown_ones_never_count_as_nothing(found: list[float | None]) -> None:
    check = payload_check(arm(), [Load(f"part{i}", mass) for i, mass in enumerate(found)])
    known = [mass for mass in found if mass is not None]
    assert check.mass == pytest.approx(sum(known))
    assert len(check.unknown) == len(found) - len(known)
    assert check.overloaded == (sum(known) > 7.0 * (1 + 1e-9))
    # Either it is too much, or it fits, or the check says that it does not know.
    assert check.decided == (check.overloaded or len(known) == len(found))
    assert str(check).startswith("Overload") == check.overloaded
    assert str(check).startswith("Load not checked") == (not check.decided)


def test_the_answer_names_what_is_held_its_mass_its_source_and_the_excess() -> None:
    loads = [Load("gripper", 0.8, None, "stated"), Load("billet", 500.0, None, "63.69 dm³ of steel at 7850 kg/m³")]
    assert str(payload_check(arm(), loads, "R")) == (
        "Overload: R carries 500.8 kg, 493.8 kg more than its payload of 7 kg. "
        "Carried: gripper 0.8 kg (stated), billet 500 kg (63.69 dm³ of steel at 7850 kg/m³)"
    )
    assert str(payload_check(arm(), loads[:1], "R")) == "R carries 0.8 of 7 kg: gripper 0.8 kg (stated)"
    assert str(payload_check(arm(), [], "R")) == "R carries nothing"


def test_a_mass_or_a_payload_that_nobody_states_is_not_assumed() -> None:
    unknown = payload_check(arm(), [Load("gripper", 0.8), Load("box", None, None, "no mass")], "R")
    assert not unknown.overloaded
    assert not unknown.decided
    assert "may carry 7 kg, but the mass of box is not known" in str(unknown)
    unrated = payload_check(arm().replace(payload=None), [Load("box", 900.0)], "R")
    assert not unrated.decided
    assert "states no payload; it carries 900 kg" in str(unrated)
    # What is known may be too much by itself.
    assert "at least 10 kg, 3 kg more" in str(payload_check(arm(), [Load("box", 10.0), Load("bag", None)], "R"))


def test_what_is_exactly_the_payload_is_not_too_much() -> None:
    assert not payload_check(arm(), [Load(f"part{i}", 0.7) for i in range(10)]).overloaded


coordinates = st.floats(-0.3, 0.3)


@given(coordinates, coordinates, coordinates)
def test_the_lever_about_a_spherical_wrist_is_the_distance_from_its_centre(x: float, y: float, z: float) -> None:
    """Joints 5 and 6 of this arm turn far enough to bring any point of the flange square to axes 4 and 5."""
    one, centre = arm(), np.array([x, y, z])
    d6 = one.rows[5].d
    assert lever(one, 6, centre) == pytest.approx(np.hypot(x, y), abs=1e-12)
    assert lever(one, 5, centre) == pytest.approx(np.sqrt(x * x + y * y + (z + d6) ** 2), rel=1e-6, abs=1e-9)
    assert lever(one, 4, centre) == pytest.approx(np.sqrt(x * x + y * y + (z + d6) ** 2), rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("name", ["ur5e", "puma560", "panda", "cobra600"])
def test_no_pose_has_a_longer_lever(name: str) -> None:
    one, rng = robot(name), np.random.default_rng(7)
    for joint in range(max(1, one.n - 2), one.n + 1):
        centre = rng.uniform(-0.2, 0.2, 3)
        Q = rng.uniform(one.limits[:, 0], one.limits[:, 1], (500, one.n))
        Q[:, :joint] = one.home[:joint]
        frames = one.frames_batch(Q)
        points = frames[:, -1, :3, :3] @ centre + frames[:, -1, :3, 3]
        away = np.cross(points - frames[:, joint - 1, :3, 3], frames[:, joint - 1, :3, 2])
        assert np.linalg.norm(away, axis=1).max() <= lever(one, joint, centre) + 1e-9


def test_moments_are_checked_where_the_file_states_them() -> None:
    one = arm(moments=WRIST)
    bar = Load("bar", 5.0, (0.2, 0.0, 0.0))
    check = payload_check(one, [bar], "R")
    assert [moment.joint for moment in check.moments] == [4, 5, 6]
    assert check.moments[2].moment == pytest.approx(5.0 * GRAVITY * 0.2)
    assert check.moments[2].excess == pytest.approx(5.0 * GRAVITY * 0.2 - 9.0)
    assert check.overloaded
    assert check.excess == 0.0
    assert "Overload: R carries 9.807 N·m about joint 6, 0.8067 N·m more than the 9 N·m allowed" in str(check)
    light = payload_check(one, [Load("bar", 1.0, (0.01, 0.0, 0.0))], "R")
    assert not light.overloaded
    assert "1 of 7 kg" in str(light)
    assert "of 9 N·m about joint 6" in str(light)
    # A load whose centre nobody knows makes the moment a lower bound.
    assert "at least" in str(payload_check(one, [bar, Load("tool", 0.5)], "R"))


@given(coordinates, coordinates, coordinates)
def test_a_load_moves_with_its_frame(x: float, y: float, z: float) -> None:
    X = Pose.from_xyz_angles([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], "fanuc_wpr")
    there = Load("bar", 1.0, (x, y, z)).moved(X)
    assert there.moved(X.inverse()).centre == pytest.approx((x, y, z), abs=1e-12)
    assert Load("bar", 1.0).moved(X).centre is None


def test_moments_and_the_mass_of_a_gripper_survive_the_robot_file() -> None:
    one = arm(moments=WRIST, gripper=Gripper(0.08, 0.12, mass=0.9))
    text = write(file_from_robot(one))
    again = robot_from_file(parse(text))
    assert again.moments == WRIST
    assert again.gripper is not None
    assert again.gripper.mass == 0.9
    # Only what is known is written: files of robots without these figures stay as they were.
    plain = write(file_from_robot(robot("kr6")))
    assert "moment" not in plain
    assert "mass" not in plain.partition("[gripper]")[2]


@pytest.mark.parametrize("wrong", [{"moments": (1.0,)}, {"moments": (None,) * 5 + (0.0,)}, {"payload": -1.0}])
def test_wrong_figures_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidValue):
        robot("kr6").replace(**wrong)
    with pytest.raises(InvalidValue, match="mass of a gripper"):
        dataclasses.replace(Gripper(0.08, 0.12), mass=0.0)


def test_every_arm_of_the_library_that_has_a_payload_is_checked_against_it() -> None:
    for name in robots():
        one = robot(name)
        if one.payload is not None:
            assert payload_check(one, [Load("box", one.payload + 0.1)]).overloaded
            assert not payload_check(one, [Load("box", one.payload)]).overloaded
