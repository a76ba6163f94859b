"""Quaternions of many rotations at once, against scipy's."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from workcell.spatial import quaternions


def test_they_are_those_of_another_library_and_come_back():
    rng = np.random.default_rng(4)
    halves = Rotation.from_rotvec(np.pi * np.eye(3)).as_matrix()  # where w is zero
    rotations = np.concatenate([Rotation.random(300, rng=rng).as_matrix(), halves, np.eye(3)[None]])
    found = quaternions.of_rotations(rotations)
    expected = np.roll(Rotation.from_matrix(rotations).as_quat(), 1, axis=1)
    same = np.minimum(np.abs(found - expected).max(axis=1), np.abs(found + expected).max(axis=1))
    assert same.max() < 1e-12
    assert (found[:, 0] >= 0.0).all()
    assert np.abs(quaternions.to_rotations(found) - rotations).max() < 1e-12
    assert quaternions.of_rotations(rotations.reshape(2, -1, 3, 3)).shape == (2, len(rotations) // 2, 4)


def test_continuous_ones_never_jump_to_the_other_side():
    angles = np.linspace(0.0, 4.0 * np.pi, 200)
    rotations = Rotation.from_rotvec(angles[:, None] * np.array([[0.0, 0.6, 0.8]])).as_matrix()
    found = quaternions.continuous(quaternions.of_rotations(rotations))
    assert np.abs(np.diff(found, axis=0)).max() < 0.05
    assert np.abs(quaternions.to_rotations(found) - rotations).max() < 1e-12
