"""Which inverse solution a move takes, at the ends of the ranges and at singularities."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.errors import InvalidValue, JointLimit, Unreachable
from workcell.kinematics.unreachable import explain
from workcell.robots.catalogue import robot, robots
from workcell.simulation.branch_policy import POLICIES, chosen, nearest
from workcell.spatial.pose import Pose

NAMES = (*POLICIES, "0", "5", "-+-")


def at_the_edge(arm, rng):
    """Joint values at the ends of their ranges, some or all of them, and at zero: singular for many arms."""
    low, high = arm.limits.T
    some = rng.uniform(low, high)
    ends = np.where(rng.uniform(size=arm.n) < 0.5, low, high)
    return [low, high, ends, np.where(rng.uniform(size=arm.n) < 0.5, ends, some), np.clip(np.zeros(arm.n), low, high)]


def choice(arm, pose, branch, near):
    """The joints chosen, or None and why there are none."""
    try:
        return chosen(arm, pose, branch, near), ""
    except (Unreachable, JointLimit, InvalidValue) as error:
        return None, str(error)


@pytest.mark.parametrize("name", robots())
def test_a_choice_reaches_the_pose_within_the_limits_or_says_why_not(name):
    arm, rng = robot(name), np.random.default_rng(3)
    for q in at_the_edge(arm, rng):
        pose, near = arm.fk(q), rng.uniform(arm.limits[:, 0], arm.limits[:, 1])
        for branch in NAMES:
            found, refusal = choice(arm, pose, branch, near)
            if found is None:
                assert branch not in POLICIES, refusal  # q is one that reaches it
                assert "None" not in refusal
                continue
            assert arm.fk(found).is_close(pose, 1e-8, 1e-7)
            assert arm.within_limits(found)


@pytest.mark.parametrize("name", robots())
def test_the_nearest_way_to_where_the_hand_is_is_to_stay(name):
    arm = robot(name)
    for q in at_the_edge(arm, np.random.default_rng(4)):
        assert np.abs(chosen(arm, arm.fk(q), "nearest", q) - q).max() == 0.0
        assert np.abs(chosen(arm, arm.fk(q), "agent", q) - q).max() == 0.0


def test_a_joint_that_goes_on_past_its_end_is_told_and_not_another_turn_of_it():
    arm = robot("puma560")
    q = np.radians([0.0, 0.0, -90.0, 0.0, 60.0, 265.99])
    pose = arm.fk(q) @ Pose.from_axis_angle((0.0, 0.0, 1.0), np.radians(0.5))
    with pytest.raises(JointLimit, match=r"^joint 6 is at the end of its range, 266°\.$"):
        nearest(arm, pose, q)
    # A move of the joints may turn back.
    assert np.degrees(chosen(arm, pose, "nearest", q)[5]) == pytest.approx(265.99 + 0.5 - 360.0)


def test_a_pose_just_beyond_the_reach_is_called_that():
    arm = robot("iiwa14")
    up = Pose.from_xyz(0.0, 0.0, 5e-5) @ arm.fk(np.zeros(7))
    report = explain(arm.chain, up, arm.limits)
    assert report.constraint == "reach"
    assert "out of the arm's reach; the nearest pose is" in report.sentence
    planar = robot("loeff6")
    beside = Pose.from_xyz(0.0, 0.0, 5e-6) @ planar.fk(np.radians([10.0, 20.0, 30.0, 40.0, 50.0, 60.0]))
    assert explain(planar.chain, beside, planar.limits).constraint == "reach"
