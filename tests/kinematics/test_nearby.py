"""Solutions near given joints, for arms that are solved by iteration."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.errors import InvalidValue, JointLimit, Unreachable
from workcell.kinematics import branches
from workcell.kinematics.inverse import by_iteration, ik
from workcell.kinematics.nearby import closest, continued
from workcell.kinematics.singularity import is_singular
from workcell.robots.catalogue import robot
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

REDUNDANT = ["iiwa14", "panda", "gen3"]


def postures(arm: Robot, count: int, seed: int = 0) -> list[np.ndarray]:
    """Joint values in the middle of the ranges, not near a singularity."""
    rng = np.random.default_rng(seed)
    middle, half = arm.limits.mean(axis=1), np.minimum(np.ptp(arm.limits, axis=1) / 2.0, 2.0)
    found: list[np.ndarray] = []
    while len(found) < count:
        q = middle + 0.6 * half * rng.uniform(-1.0, 1.0, arm.n)
        if not is_singular(arm.chain, q, 0.04):
            found.append(q)
    return found


@pytest.mark.parametrize("name", REDUNDANT)
def test_the_solution_closest_to_joints_that_hold_the_pose_is_these_joints(name: str) -> None:
    arm = robot(name)
    for q in postures(arm, 5):
        pose = arm.fk(q)
        assert np.abs(closest(arm.chain, pose, q, arm.limits) - q).max() < 1e-10
        assert np.abs(continued(arm.chain, pose, q, arm.limits) - q).max() < 1e-10
        assert np.abs(arm.ik(pose, q)[0].q - q).max() < 1e-10
        assert np.abs(branches.nearest(arm.ik(pose, q), q) - q).max() < 1e-10


@pytest.mark.parametrize("name", REDUNDANT)
def test_no_solution_beside_the_closest_is_closer(name: str) -> None:
    arm = robot(name)
    for q in postures(arm, 4, 1):
        pose = Pose.from_xyz(0.01, -0.02, 0.01) @ arm.fk(q)
        best = closest(arm.chain, pose, q, arm.limits)
        assert best is not None
        assert arm.fk(best).is_close(pose, 1e-10, 1e-10)
        assert arm.within_limits(best)
        null = np.linalg.svd(arm.jacobian(best))[2][6]
        for shift in (-0.05, 0.05):
            beside = closest(arm.chain, pose, best + shift * null)
            assert beside is not None
            # The measure grows a little towards the ends of the ranges; far from them it is the plain distance.
            assert np.linalg.norm(beside - q) > 0.98 * np.linalg.norm(best - q)


@pytest.mark.parametrize("name", [*REDUNDANT, "xarm6"])
def test_going_in_one_piece_or_in_many_comes_to_the_same_joints(name: str) -> None:
    arm = robot(name)
    for q in postures(arm, 4, 2):
        shift = np.array([0.02, 0.01, -0.02])
        origin, once = arm.fk(q), q
        pose = Pose.from_xyz(*shift) @ origin
        for k in range(1, 9):
            once = continued(arm.chain, Pose.from_xyz(*(shift * k / 8)) @ origin, once, arm.limits)
        assert arm.fk(once).is_close(pose, 1e-10, 1e-10)
        assert np.abs(continued(arm.chain, pose, q, arm.limits) - once).max() < 0.01


def test_all_that_a_redundant_arm_lists_is_within_its_limits_where_that_is_possible() -> None:
    arm = robot("panda")
    for q in postures(arm, 6, 3):
        assert arm.ik(arm.fk(q)).within_limits.all()


def test_an_arm_at_its_end_says_what_ends_it() -> None:
    arm = robot("iiwa14")
    q = np.radians([20.0, 40.0, 10.0, -60.0, 20.0, 50.0, 174.9])
    with pytest.raises(JointLimit, match=r"^joint 7 is at the end of its range, 175°\.$"):
        continued(arm.chain, arm.fk(q) @ Pose.from_axis_angle((0.0, 0.0, 1.0), 0.5), q, arm.limits)
    straight = np.radians([20.0, 40.0, 10.0, -3.0, 20.0, 50.0, 0.0])
    away = Pose.from_xyz(*(0.05 * (arm.fk(straight).xyz - [0.0, 0.0, 0.36])))
    with pytest.raises(Unreachable, match=r"^the pose is out of the arm's reach\.$"):
        continued(arm.chain, away @ arm.fk(straight), straight, arm.limits)


def test_a_singularity_is_seen_in_the_jacobian() -> None:
    arm = robot("iiwa14")
    assert not is_singular(arm.chain, np.radians([20.0, 40.0, 10.0, -60.0, 20.0, 50.0, 0.0]))
    assert is_singular(arm.chain, np.radians([20.0, 40.0, 10.0, 0.1, 20.0, 50.0, 0.0]))
    puma = robot("puma560")
    assert is_singular(puma.chain, np.radians([10.0, 20.0, -60.0, 30.0, 0.1, 0.0]))
    assert not is_singular(puma.chain, np.radians([10.0, 20.0, -60.0, 30.0, 60.0, 0.0]))
    # What an arm can do nowhere is no singularity: this one moves in a plane.
    planar = robot("loeff6")
    assert not is_singular(planar.chain, np.radians([10.0, 20.0, 30.0, 40.0, 50.0, 60.0]))
    assert is_singular(planar.chain, np.zeros(6))


def test_a_general_arm_whose_elimination_finds_nothing_is_solved_all_the_same() -> None:
    arm = robot("xarm6")
    assert by_iteration(arm.chain)
    q = np.radians([19.618, -72.462, -80.057, -69.252, 60.75, 59.123])
    origin = arm.fk(q)
    for k in range(21):
        pose = Pose.from_xyz(0.0, 0.0, 0.0005 * k) @ origin
        assert all(arm.fk(one.q).is_close(pose, 1e-8, 1e-8) for one in ik(arm.chain, pose))


def test_signs_of_an_arm_without_labelled_branches_are_refused_once() -> None:
    arm = robot("iiwa14")
    solutions = arm.ik(arm.fk(postures(arm, 1)[0]))
    with pytest.raises(
        InvalidValue, match=r"^This arm has no branches with the signs of A, E, W; use the nearest"
    ) as e:
        branches.fixed(solutions, (-1, -1, -1))
    assert "None" not in str(e.value)
