"""Poses obey the laws of rigid motions, and refuse what is not one."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from workcell.errors import InvalidValue, UnknownName
from workcell.spatial import rotations
from workcell.spatial.pose import Pose

angles = st.floats(-7.0, 7.0)
metres = st.floats(-5.0, 5.0)
triples = st.tuples(angles, angles, angles)
positions = st.tuples(metres, metres, metres)
poses = st.builds(lambda p, a: Pose.from_xyz_angles(p, a, "xyz_intrinsic"), positions, triples)


def close(a: Pose, b: Pose, tolerance: float = 1e-12) -> bool:
    return bool(np.abs(a.matrix - b.matrix).max() <= tolerance * (1.0 + np.abs(a.xyz).max()))


@given(poses, poses, poses)
def test_composition_is_associative(a, b, c):
    assert close((a @ b) @ c, a @ (b @ c), 1e-11)


@given(poses)
def test_inverse_and_identity_are_neutral(a):
    assert close(a @ a.inverse(), Pose.identity())
    assert close(a.inverse() @ a, Pose.identity())
    assert close(a @ Pose.identity(), a)


@given(poses, poses)
def test_inverse_of_a_product_is_the_product_of_inverses_reversed(a, b):
    assert close((a @ b).inverse(), b.inverse() @ a.inverse(), 1e-11)


@given(poses, positions)
def test_applying_equals_multiplying(a, p):
    assert np.allclose(a.apply(p), (a.matrix @ [*p, 1.0])[:3], atol=1e-12)


@given(triples, st.sampled_from(rotations.CONVENTIONS))
def test_angles_come_back_as_the_same_rotation(triple, convention):
    pose = Pose.from_xyz_angles((0, 0, 0), triple, convention)
    again = Pose.from_xyz_angles((0, 0, 0), pose.angles(convention), convention)
    assert close(pose, again, 1e-11)


@pytest.mark.parametrize("convention", rotations.EULER)
@pytest.mark.parametrize("middle", [0.0, math.pi / 2, -math.pi / 2, math.pi, 1e-9, math.pi / 2 - 1e-9])
def test_gimbal_angles_come_back_as_the_same_rotation(convention, middle):
    pose = Pose.from_xyz_angles((0, 0, 0), (0.3, middle, -1.1), convention)
    assert close(pose, Pose.from_xyz_angles((0, 0, 0), pose.angles(convention), convention), 1e-12)


@given(triples, st.sampled_from(sorted(rotations.EULER)))
def test_euler_conventions_agree_with_scipy(triple, convention):
    order = rotations.EULER[convention]
    turns = [triple[place] for place in order.places]
    expected = Rotation.from_euler(order.axes.upper(), turns).as_matrix()
    assert np.allclose(rotations.from_angles(triple, convention), expected, atol=1e-12)


def test_conventions_are_those_of_their_makers():
    a, b, c = 0.3, -0.7, 1.1
    rx, ry, rz = (rotations.about(axis, angle) for axis, angle in zip("xyz", (a, b, c), strict=True))
    for convention, triple, expected in [
        ("ding_ypr", (a, b, c), rx @ ry @ rz),
        ("agent_rpy", (c, b, a), rx @ ry @ rz),
        ("kuka_abc", (c, b, a), rz @ ry @ rx),
        ("fanuc_wpr", (a, b, c), rz @ ry @ rx),
        ("urdf_rpy", (a, b, c), rz @ ry @ rx),
    ]:
        assert np.allclose(rotations.from_angles(triple, convention), expected, atol=1e-15), convention
    vector = np.array([a, b, c])
    assert np.allclose(rotations.from_angles(vector, "ur_rotvec"), Rotation.from_rotvec(vector).as_matrix(), atol=1e-15)


@given(poses)
def test_quaternions_come_back_and_agree_with_scipy(pose):
    w, x, y, z = pose.quaternion
    assert w >= 0.0
    assert abs(math.hypot(w, x, y, z) - 1.0) < 1e-14
    assert np.allclose(Rotation.from_quat([x, y, z, w]).as_matrix(), pose.rotation, atol=1e-12)
    assert close(Pose.from_quaternion(pose.xyz, pose.quaternion), pose)


@given(positions.filter(lambda v: np.linalg.norm(v) > 1e-3), angles, positions)
def test_a_turn_about_an_axis_leaves_the_axis_alone(axis, angle, point):
    pose = Pose.from_axis_angle(axis, angle, point)
    on_axis = np.asarray(point) + 2.5 * np.asarray(axis)
    assert np.allclose(pose.apply(on_axis), on_axis, atol=1e-11)


@given(poses, poses)
def test_interpolation_begins_ends_and_halves(a, b):
    assert close(a.interpolate(b, 0.0), a, 1e-11)
    assert close(a.interpolate(b, 1.0), b, 1e-9)
    far, turned = a.distance(b)
    half = a.interpolate(b, 0.5)
    assert abs(a.distance(half)[0] - far / 2) < 1e-9
    assert abs(a.distance(half)[1] - turned / 2) < 1e-6


def test_a_pose_is_a_frozen_value():
    pose = Pose.from_xyz(1, 2, 3)
    with pytest.raises(ValueError, match="read-only"):
        pose.matrix[0, 3] = 9.0
    with pytest.raises(AttributeError, match="frozen"):
        pose.anything = 1
    again = pickle.loads(pickle.dumps(pose))
    assert again == pose
    assert hash(again) == hash(pose)
    assert not again.matrix.flags.writeable
    source = np.eye(4)
    made = Pose(source)
    source[0, 3] = 7.0
    assert made.xyz[0] == 0.0


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.diag([2.0, 1, 1, 1]), "it scales"),
        (np.diag([-1.0, 1, 1, 1]), "it mirrors"),
        ([[1, 0.5, 0, 0], [0, math.sqrt(0.75), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "60° instead of 90°"),
        (np.full((4, 4), math.nan), "finite"),
        (np.eye(3), "shape"),
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]], "last row"),
        ([["a"] * 4] * 4, "numbers"),
    ],
)
def test_a_matrix_that_is_no_rigid_pose_is_refused_with_the_reason(matrix, reason):
    with pytest.raises(InvalidValue, match=reason):
        Pose(matrix)


def test_printed_decimals_are_forgiven_and_made_exact():
    printed = np.eye(4)
    printed[:2, :2] = [[0.866025, -0.5], [0.5, 0.866025]]
    rotation = Pose(printed).rotation
    assert np.abs(rotation.T @ rotation - np.eye(3)).max() < 1e-15


def test_zero_axes_and_unknown_conventions_are_refused():
    with pytest.raises(InvalidValue, match="no direction"):
        Pose.from_axis_angle((0, 0, 0), 1.0)
    with pytest.raises(InvalidValue, match="not a rotation"):
        Pose.from_quaternion((0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(UnknownName, match="did you mean ding_ypr"):
        Pose.from_xyz_angles((0, 0, 0), (0, 0, 0), "ding_yrp")
    with pytest.raises(TypeError, match="convention"):
        Pose.from_xyz_angles((0, 0, 0), (0, 0, 0))


@given(st.integers(0, 2**32 - 1))
def test_rows_that_were_written_are_read_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    pose = Pose.identity()
    for _ in range(20):
        pose = pose @ Pose.from_axis_angle(rng.normal(size=3), rng.uniform(-3, 3), rng.normal(size=3))
    again = Pose.from_rows(pose.matrix[:3].ravel().tolist())
    assert again.matrix.tobytes() == pose.matrix.tobytes()
    printed = Pose.from_rows(np.round(pose.matrix[:3], 8))
    assert np.abs(printed.rotation.T @ printed.rotation - np.eye(3)).max() < 1e-12


def test_a_matrix_of_huge_numbers_is_refused_without_a_warning():
    with pytest.raises(InvalidValue, match="column 1 has length 1e"):
        rotations.checked(np.diag([1e200, 1.0, 1.0]))
