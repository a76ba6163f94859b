from __future__ import annotations

import math

import numpy as np
import pytest
from fake_session import snapshot_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from workcell.errors import InvalidValue
from workcell.service.poses import along
from workcell.simulation.recording import Recording
from workcell.spatial.pose import Pose
from workcell.spatial.quaternions import seven


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.integers(0, 10_000))
def test_seven_numbers_are_the_pose(seed: int) -> None:
    turns = Rotation.random(20, rng=seed)
    matrices = np.tile(np.eye(4), (20, 1, 1))
    matrices[:, :3, :3] = turns.as_matrix()
    matrices[:, :3, 3] = np.random.default_rng(seed).standard_normal((20, 3))
    found = seven(matrices.reshape(4, 5, 4, 4)).reshape(20, 7)
    np.testing.assert_array_equal(found[:, :3], matrices[:, :3, 3])
    expected = turns.as_quat(canonical=True, scalar_first=True)
    np.testing.assert_allclose(found[:, 3:], expected, atol=1e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)])
@pytest.mark.parametrize("angle", [0.0, 1e-9, math.pi / 2, math.pi - 1e-9, math.pi])
def test_half_turns_lose_nothing(axis: tuple[int, int, int], angle: float) -> None:
    pose = Pose.from_axis_angle(axis, angle)
    again = Pose.from_quaternion((0, 0, 0), seven(pose.matrix)[3:])
    np.testing.assert_allclose(again.matrix, pose.matrix, atol=1e-14)


SNAPSHOT = snapshot_of(1, (("box1", Pose.from_xyz(1, 2, 3)),))
RECORDING = Recording(SNAPSHOT.initial.with_(time=5.0))
RECORDING.add("Arm", np.array([5.0, 7.0]), np.array([[0.0, 0.0], [1.0, 0.5]]))


def test_samples_are_where_the_recording_has_them_and_held_at_its_ends() -> None:
    found = along(SNAPSHOT, RECORDING, 4.0, 0.5, 9)
    assert found.shape == (9, 5, 7)
    assert found.dtype == np.float32
    for i, t in enumerate(np.clip(4.0 + 0.5 * np.arange(9), 5, 7)):
        expected = seven(SNAPSHOT.body_poses(RECORDING.state_at(t)))
        np.testing.assert_allclose(found[i], expected, atol=1e-6)


def test_a_choice_of_bodies_is_given_in_its_order() -> None:
    whole = along(SNAPSHOT, RECORDING, 0.0, 0.25, 4)
    np.testing.assert_array_equal(
        along(SNAPSHOT, RECORDING, 0.0, 0.25, 4, bodies=["box1", "Arm/link 1"]), whole[:, [4, 1]]
    )


def test_times_beyond_all_numbers_are_the_end() -> None:
    found = along(SNAPSHOT, RECORDING, -1e308, 1.7e308, 9)
    np.testing.assert_array_equal(found[0], along(SNAPSHOT, RECORDING, 0.0, 1.0, 1)[0])
    np.testing.assert_array_equal(found[-1], along(SNAPSHOT, RECORDING, 99.0, 1.0, 1)[0])


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ((math.nan, 0.1, 2), "finite start"),
        ((0.0, 0.0, 2), "positive step"),
        ((0.0, math.inf, 2), "positive step"),
        ((0.0, 0.1, 0), "1 to 20000 samples"),
        ((0.0, 0.1, 10**9), "1 to 20000 samples"),
    ],
)
def test_what_cannot_be_sampled_is_refused(asked: tuple, sentence: str) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        along(SNAPSHOT, RECORDING, *asked)


def test_a_body_that_is_asked_for_twice_is_refused() -> None:
    with pytest.raises(InvalidValue, match="'box1' is named twice"):
        along(SNAPSHOT, RECORDING, 0.0, 0.1, 1, bodies=["box1", "table", "box1"])


def test_a_recording_in_which_nothing_moved_stands_still() -> None:
    still = Recording(SNAPSHOT.initial)
    expected = seven(SNAPSHOT.body_poses(SNAPSHOT.initial)).astype(np.float32)
    np.testing.assert_array_equal(along(SNAPSHOT, still, 0.0, 1.0, 2), np.stack([expected, expected]))
