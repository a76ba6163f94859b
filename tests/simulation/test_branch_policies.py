"""Which inverse solution a move takes, at the ends of the ranges and at singularities."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.errors import InvalidValue, JointLimit, Refused, Unreachable, WorkcellError
from workcell.kinematics.unreachable import explain
from workcell.robots.catalogue import robot, robots
from workcell.simulation.branch_policy import POLICIES, chosen, nearest, resolved
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


def test_a_joint_that_goes_on_past_its_end_is_reported_and_not_another_turn_of_it():
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
    assert "out of the arm's reach; the nearest reachable pose is" in report.sentence
    planar = robot("loeff6")
    beside = Pose.from_xyz(0.0, 0.0, 5e-6) @ planar.fk(np.radians([10.0, 20.0, 30.0, 40.0, 50.0, 60.0]))
    assert explain(planar.chain, beside, planar.limits).constraint == "reach"


def test_the_limit_of_the_agents_rule_can_be_set():
    arm, rng = robot("puma560"), np.random.default_rng(8)
    seen = set()
    for _ in range(40):
        near, q = (rng.uniform(arm.limits[:, 0], arm.limits[:, 1]) for _ in range(2))
        pose = arm.fk(q)
        close, roomy = chosen(arm, pose, "nearest", near), chosen(arm, pose, "roomiest", near)
        far = np.degrees(np.abs(close - near).max())
        for limit in (0.5 * far, 2.0 * far):
            expected = close if limit >= far else roomy
            assert np.array_equal(chosen(arm, pose, f"agent:{limit:.6f}", near), expected)
            seen.add(limit >= far)
        assert np.array_equal(chosen(arm, pose, "agent:45", near), chosen(arm, pose, "agent", near))
    assert seen == {True, False}


@pytest.mark.parametrize("name", ["puma560", "irb6400", "ur5e", "stanford", "cobra600"])
def test_a_frozen_branch_is_the_one_that_the_arm_stands_in(name):
    arm, rng = robot(name), np.random.default_rng(9)
    for _ in range(20):
        q = rng.uniform(arm.limits[:, 0], arm.limits[:, 1])
        signs = resolved(arm, name, "frozen", q)
        back = chosen(arm, arm.fk(q), signs, q)
        assert np.abs(np.cos(back - q) - 1.0)[~arm.chain.prismatic].max() < 1e-12


def test_branches_without_names_cannot_be_frozen():
    arm = robot("iiwa14")
    with pytest.raises(Refused, match="The solutions of Arm have no names, so none of its branches can be frozen"):
        resolved(arm, "Arm", "frozen", arm.home)


def test_a_branch_is_frozen_and_the_limit_set_by_command_and_in_a_program(cell):
    cell.do("create robot Puma puma560 joints 0,-30,-120,0,60,0")
    cell.do("branch Puma agent:60")
    assert "agent:60" in str(cell.do("show Puma"))
    done = cell.do("branch Puma frozen")
    signs = cell.database.entity("robot", "Puma").properties["branch"]
    assert str(done) == f"branch of Puma: {signs}"
    assert len(signs) == 3
    cell.do("modify robot Puma name Arm")
    assert cell.database.entity("robot", "Arm").properties["branch"] == signs
    cell.do("undo")
    cell.do("undo")
    assert cell.database.entity("robot", "Puma").properties["branch"] == "agent:60"
    for wrong in ("agent:", "agent:x", "agent:-3"):
        with pytest.raises(WorkcellError, match="A branch is nearest, roomiest, agent, agent:60"):
            cell.do(f"branch Puma {wrong}")
    with pytest.raises(Refused, match="`branch Puma frozen` keeps the branch that Puma is in"):
        cell.do('modify Puma branch "frozen"')
    cell.do('write program keep "branch Puma frozen%0Amove-end-effector Puma 500,100,400 euler fanuc_wpr 180,0,180"')
    before = resolved(robot("puma560"), "Puma", "frozen", cell.session.state.joints["Puma"])
    cell.do("run keep")
    now = cell.session.state.joints["Puma"]
    assert np.degrees(now)[1] != pytest.approx(-30.0)
    assert resolved(robot("puma560"), "Puma", "frozen", now) == before
