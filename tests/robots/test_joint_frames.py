"""DH from joint frames, the joint check, the orientation table, drafts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue, Refused
from workcell.geometry import solids
from workcell.kinematics.dh import DHRow, row_matrix
from workcell.robots.catalogue import robot
from workcell.robots.draft import RobotDraft
from workcell.robots.joint_frames import BuiltLink, chain_from_links, check_joints, dh_between, seated
from workcell.robots.orientation import MENUS, code_of, table, turn_of
from workcell.spatial.pose import Pose

turn = st.floats(-3.1, 3.1)
size = st.floats(-2, 2)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(turn, size, size, turn)
def test_a_dh_pair_gives_its_row_back(theta: float, d: float, a: float, alpha: float) -> None:
    pose = Pose(row_matrix(DHRow(theta, d, a, alpha)))
    assert check_joints(pose) == ()
    assert Pose(row_matrix(dh_between(pose))).is_close(pose)


def test_frames_that_are_no_dh_pair_are_refused_with_the_amount() -> None:
    tilted = Pose.from_axis_angle((0, 1, 0), math.radians(5))
    with pytest.raises(InvalidValue, match=r"x axis of joint i\+1 is 5° off a right angle"):
        dh_between(tilted)
    beside = Pose.from_xyz(0, 0.003, 0)
    with pytest.raises(InvalidValue, match=r"passes the z axis of joint i at 3 mm instead of meeting it"):
        dh_between(beside)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.tuples(size, size, size), st.tuples(turn, turn, turn))
def test_seating_keeps_the_axis_and_makes_a_dh_pair(xyz: tuple[float, ...], angles: tuple[float, ...]) -> None:
    pose = Pose.from_xyz_angles(xyz, angles, "urdf_rpy")
    if np.linalg.norm(np.cross((0, 0, 1), pose.rotation[:, 2])) < 1e-3:
        return
    new = seated(pose)
    assert check_joints(new) == ()
    assert new.rotation[:, 2] == pytest.approx(pose.rotation[:, 2], abs=1e-9)
    gap = new.xyz - pose.xyz
    assert np.cross(gap, pose.rotation[:, 2]) == pytest.approx([0, 0, 0], abs=1e-6)


def test_links_built_face_by_face_make_a_chain() -> None:
    """A post with a hinge on its side and a bar on the hinge: the frames have arbitrary x axes."""
    side = Pose.from_axis_angle((1, 0, 0), -math.pi / 2)
    spun = Pose.from_axis_angle((0, 0, 1), 0.7)
    post = BuiltLink(Pose.identity(), Pose.from_xyz(0, 0, 0.5) @ side @ spun)
    bar = BuiltLink(spun, spun @ Pose.from_xyz(0.4, 0, 0))
    chain = chain_from_links([post, bar])
    from workcell.kinematics.forward import tool_pose

    expected = Pose.from_xyz(0, 0, 0.5) @ side @ spun
    for q1, q2 in ((0.0, 0.0), (0.3, -0.8)):
        way = Pose.from_axis_angle((0, 0, 1), q1) @ expected
        want = way @ Pose.from_axis_angle((0, 0, 1), q2) @ Pose.from_xyz(0.4, 0, 0)
        assert tool_pose(chain, [q1, q2]).is_close(want)


def test_every_code_means_one_turn_and_back() -> None:
    for joint, menu in MENUS.items():
        assert len(set(menu)) == len(menu) == 8
        for kind in range(1, 9):
            assert code_of(joint, *turn_of(10 * joint + kind)) == 10 * joint + kind
    assert code_of(2, 0.1, 0.2) == 20
    assert "  34     90      0" in table()


@pytest.mark.parametrize(("code", "message"), [(91, "1 \\(base\\) to 7"), (39, "types 1 to 8"), (30, "types 1 to 8")])
def test_codes_outside_the_table_are_refused(code: int, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        turn_of(code)


def test_case_one_is_built_from_nothing() -> None:
    draft = RobotDraft.from_selection((12, 22, 34, 42, 51, 62, 72))
    assert draft.check() == tuple(f"joint {i} has no lengths" for i in range(1, 7))
    with pytest.raises(Refused, match=r"'mine' is not finished: joint 1 has no lengths; joint 2"):
        draft.robot("mine")
    lengths = [(0.9, 0.188), (0, -0.95), (0, -0.225), (1.3, 0), (0, 0), (0.2, 0)]
    for joint, (d, a) in enumerate(lengths, start=1):
        draft = draft.with_lengths(joint, d, a)
    draft = draft.with_solid(0, solids.cylinder(0.3, 0.5)).with_limits(2, -1.0, 2.0)
    mine = draft.robot("mine")
    library = robot("irb6400")
    assert mine.chain.table == pytest.approx(library.chain.table, abs=1e-15)
    assert mine.home == pytest.approx(library.home)
    assert mine.fk(mine.home).xyz == pytest.approx([1.688, 0, 2.075])
    assert mine.links[0].solid == solids.cylinder(0.3, 0.5)
    assert mine.limits[1] == pytest.approx([-1, 2])
    assert draft.X_world_base.is_close(Pose.from_axis_angle((0, 0, 1), math.pi / 2))


def test_case_two_is_in_the_table_too() -> None:
    codes = [code_of(i + 2, *np.radians(turn)) for i, turn in enumerate([(0, -90), (-90, 180), (180, 90)])]
    assert codes == [22, 37, 44]


def test_a_draft_refuses_what_does_not_exist() -> None:
    draft = RobotDraft.of(2)
    with pytest.raises(InvalidValue, match="joints 1 to 2; found 3"):
        draft.with_lengths(3, 0, 0)
    with pytest.raises(InvalidValue, match="must be a finite number, not nan"):
        draft.with_lengths(1, math.nan, 0)
    with pytest.raises(InvalidValue, match="links are numbered 0 \\(base\\) to 2"):
        draft.with_solid(5, solids.sphere(1))
    with pytest.raises(InvalidValue, match="reversed"):
        draft.with_limits(1, 2, 1)
    with pytest.raises(InvalidValue, match="seven codes"):
        RobotDraft.from_selection((12, 22))
    with pytest.raises(InvalidValue, match="at least one joint"):
        RobotDraft.of(0)


def test_a_sliding_joint_in_a_draft() -> None:
    draft = RobotDraft.of(1).sliding(1).with_turn(1, 0.0, 0.0).with_lengths(1, 0.1, 0.2)
    assert draft.robot("slide").fk([0.5]).xyz == pytest.approx([0.2, 0, 0.6])
