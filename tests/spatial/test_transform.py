"""Transformations keep what was typed and make the right matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose
from workcell.spatial.transform import (
    AxisAngle,
    Euler,
    MatrixStep,
    Quaternion,
    Rotate,
    Scale,
    ThreePoints,
    Transform,
    Translate,
)

number = st.floats(-3.0, 3.0)
triple = st.tuples(number, number, number)
factor = st.floats(0.2, 3.0) | st.floats(-3.0, -0.2)
steps = st.one_of(
    st.builds(Translate, triple),
    st.builds(Rotate, triple),
    st.builds(Scale, st.tuples(factor, factor, factor)),
    st.builds(lambda a: Euler("paul_zyz", a), triple),
    st.builds(AxisAngle, triple.filter(lambda v: max(map(abs, v)) > 0.1), triple, number),
    st.builds(Quaternion, st.tuples(number, number, number, number).filter(lambda q: max(map(abs, q)) > 0.1)),
)
transforms = st.builds(lambda s: Transform(tuple(s)), st.lists(steps, max_size=4))


@given(transforms)
def test_json_and_back_is_the_same(transform):
    again = Transform.from_json(transform.to_json())
    assert again == transform
    assert again.packed() == transform.packed()


@given(transforms, transforms)
def test_then_multiplies_from_the_left(first, second):
    assert np.allclose(first.then(second).matrix, second.matrix @ first.matrix, atol=1e-9)


@given(triple)
def test_rotate_turns_about_the_fixed_axes_x_then_y_then_z(angles):
    pose = Pose.from_xyz_angles((0, 0, 0), angles, "xyz_extrinsic")
    assert np.allclose(Transform.of(Rotate(angles)).matrix, pose.matrix, atol=1e-14)


@given(triple, triple, triple)
def test_three_points_give_the_motion_that_made_them(shift, angles, extra):
    pose = Pose.from_xyz_angles(shift, angles, "kuka_abc")
    before = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (extra[0], 1.0 + abs(extra[1]), extra[2]))
    after = tuple(tuple(float(v) for v in pose.apply(p)) for p in before)
    assert np.allclose(Transform.of(ThreePoints(before, after)).matrix, pose.matrix, atol=1e-9)


def test_quarter_turns_are_exact():
    matrix = Transform.of(Rotate((math.pi / 2, 0.0, -math.pi / 2))).matrix
    assert set(np.unique(matrix)) <= {-1.0, 0.0, 1.0}


@given(transforms)
def test_rigid_means_a_pose_can_be_made(transform):
    if transform.is_rigid:
        assert np.allclose(transform.pose().matrix, transform.matrix, atol=1e-5)
        again = Transform.from_pose(transform.pose())
        assert np.allclose(again.matrix, transform.matrix, atol=1e-5)
    else:
        with pytest.raises(InvalidValue):
            transform.pose()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Scale((1.0, 0.0, 1.0)), "zero flattens"),
        (lambda: AxisAngle((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0), "no direction"),
        (lambda: Quaternion((0.0, 0.0, 0.0, 0.0)), "not a rotation"),
        (lambda: Translate((math.nan, 0.0, 0.0)), "finite"),
        (
            lambda: ThreePoints(((0, 0, 0), (1, 0, 0), (2, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
            "before lie on one line",
        ),
        (
            lambda: ThreePoints(((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 0, 0), (1, 1, 1), (2, 2, 2))),
            "after lie on one line",
        ),
        (lambda: ThreePoints(((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 0, 0), (2, 0, 0), (0, 1, 0))), "keeps distances"),
        (lambda: MatrixStep((1.0, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)), "shears"),
        (lambda: MatrixStep((1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)), "singular"),
        (lambda: MatrixStep((1.0, 0, 0)), "12 numbers"),
    ],
)
def test_what_is_no_transformation_is_refused_with_the_reason(make, reason):
    with pytest.raises(InvalidValue, match=reason):
        make()
