"""Every library robot: the joints that made a pose are among the answers for it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workcell.robots.catalogue import robot, robots
from workcell.robots.robot import Robot

REDUNDANT = {"gen3", "iiwa14", "panda", "loeff6"}
NAMES = [name for name in robots() if name not in REDUNDANT]


def found(arm: Robot, count: int, seed: int) -> NDArray[np.bool_]:
    """For random joint values within the limits, whether they come back among the valid solutions."""
    q = np.random.default_rng(seed).uniform(arm.limits[:, 0], arm.limits[:, 1], (count, arm.n))
    Q, valid = arm.ik_batch(arm.fk_batch(q))
    gap = Q - q[:, None, :]
    turning = ~arm.chain.prismatic
    gap[..., turning] = (gap[..., turning] + np.pi) % (2.0 * np.pi) - np.pi
    with np.errstate(invalid="ignore"):
        near = (np.abs(gap).max(axis=-1) < 1e-6) & valid
    return np.asarray(near.any(axis=1))


@pytest.mark.parametrize("name", NAMES)
def test_the_generating_joints_are_found(name: str) -> None:
    assert found(robot(name), 40, 1).all()


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_the_generating_joints_are_found_for_two_thousand_poses(name: str) -> None:
    assert found(robot(name), 2000, 2).all()


@pytest.mark.parametrize("name", sorted(REDUNDANT - {"loeff6"}))
def test_what_a_redundant_arm_answers_reaches_the_pose(name: str) -> None:
    arm = robot(name)
    for q in np.random.default_rng(3).uniform(arm.limits[:, 0], arm.limits[:, 1], (3, arm.n)):
        pose = arm.fk(q)
        answers = arm.ik(pose)
        assert len(answers) > 0
        assert all(arm.fk(answer.q).is_close(pose, 1e-8, 1e-8) for answer in answers)
