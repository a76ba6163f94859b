"""Moves of the hand by redundant arms, and the refusals of moves of any library arm."""

from __future__ import annotations

import re

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, MotionError, Refused, Unreachable, WorkcellError
from workcell.kinematics.singularity import is_singular
from workcell.robots.catalogue import robots
from workcell.spatial.pose import Pose

REDUNDANT = ["iiwa14", "panda", "gen3"]


def simulated(name):
    cell = wc.Cell()
    cell.do(f"create robot A {name}")
    return cell, wc.Simulator(cell).robot("A")


def bent(arm, rng):
    """Joint values in the middle of the ranges, away from a stretched elbow."""
    middle, half = arm.limits.mean(axis=1), np.minimum(np.ptp(arm.limits, axis=1) / 2.0, 2.0)
    while True:
        q = middle + 0.6 * half * rng.uniform(-1.0, 1.0, arm.n)
        if not is_singular(arm.chain, q, 0.06):
            return q


def require_true(one, error):
    """Whether the reason for which the hand cannot go on holds where it says that it stops."""
    text, arm = str(error), one.robot
    if isinstance(error, MotionError):
        assert "singularity" in text, text
        assert is_singular(arm.chain, error.before, 0.05) or is_singular(arm.chain, error.after, 0.05), text
        return
    near = np.array(error.near)
    if found := re.search(r"joint (\d) is at the end of its range", text):
        joint = int(found[1]) - 1
        assert np.abs(arm.limits[joint] - near[joint]).min() < 0.02, text
    elif "singularity" in text:
        assert is_singular(arm.chain, near), text
    else:
        assert re.search(r"out of the arm's reach|cannot bring the hand to this position in this orientation", text), (
            text
        )
        assert not len(arm.ik(error.pose)), text


@pytest.mark.parametrize("name", REDUNDANT)
def test_lines_circles_paths_and_turns_are_made_from_where_the_arm_is(name):
    cell, one = simulated(name)
    rng, arm, made = np.random.default_rng(5), one.robot, 0
    with cell:
        for k in range(3):
            q = bent(arm, rng)
            along, across = np.linalg.qr(rng.normal(size=(3, 2)))[0].T * rng.uniform(0.02, 0.2)
            one.set_joints(q)
            start = one.tool_pose

            def at(shift, start=start):
                return Pose.from_xyz(*shift) @ start

            moves = (
                lambda at=at, a=along: one.move_straight_line(at(a), profile="trapezoid"),
                lambda at=at, a=along, b=across: one.move_circular(at(0.3 * (a + b)), at(0.6 * a), profile="jerk"),
                lambda at=at, a=along, b=across: one.move_path(
                    [at(0.4 * a), at(0.4 * (a + b)), at(0.4 * b)], blend=2e-3
                ),
                lambda a=along, k=k: one.move_hand(Pose.from_axis_angle(a, 0.1 + 0.1 * k), profile="time-optimal"),
            )
            for move in moves:
                one.set_joints(q)
                try:
                    move()
                except WorkcellError as error:
                    require_true(one, error)
                    continue
                made += 1
                assert arm.within_limits(one.joints)
    assert made >= 10  # of 12; what is left comes to a stretched elbow or the end of a range


@pytest.mark.parametrize("name", REDUNDANT)
def test_a_straight_line_is_straight_and_keeps_ranges_speeds_and_accelerations(name, monkeypatch):
    cell, one = simulated(name)
    plans, perform = [], type(one._simulator).perform
    monkeypatch.setattr(type(one._simulator), "perform", lambda self, plan: plans.append(plan) or perform(self, plan))
    rng, arm = np.random.default_rng(8), one.robot
    with cell:
        for _ in range(4):
            q, way = bent(arm, rng), rng.normal(size=3)
            way *= 0.06 / np.linalg.norm(way)
            one.set_joints(q)
            start = one.tool_pose
            try:
                one.move_straight_line(Pose.from_xyz(*way) @ start, profile="trapezoid")
            except Unreachable as error:
                require_true(one, error)
                continue
            motion = plans[-1].motion
            times = np.linspace(0.0, motion.duration, 2001)
            Q = motion.sample(times)
            hand = arm.fk_batch(Q)
            off = hand[:, :3, 3] - start.xyz
            off -= np.outer(off @ way, way) / (way @ way)
            assert np.linalg.norm(off, axis=1).max() < 1e-6
            assert np.abs(hand[:, :3, :3] - start.rotation).max() < 2e-5
            assert np.abs(Q[0] - q).max() < 1e-9
            assert (arm.limits[:, 0] - 1e-8 <= Q).all()
            assert (arm.limits[:, 1] + 1e-8 >= Q).all()
            assert (np.abs(motion.sample(times, 1)) <= arm.speeds * (1.0 + 1e-6)).all()
            assert (np.abs(motion.sample(times, 2)) <= arm.accelerations * (1.0 + 1e-6)).all()
    assert len(plans) >= 3


@pytest.mark.parametrize("name", REDUNDANT)
def test_going_where_the_hand_is_moves_nothing(name):
    cell, one = simulated(name)
    rng = np.random.default_rng(0)
    with cell:
        for branch in ("nearest", "agent", "nearest"):
            q = bent(one.robot, rng)
            one.set_joints(q)
            one.move_end_effector(one.tool_pose, branch=branch)
            assert np.abs(one.joints - q).max() < 1e-9


def test_a_line_by_command_from_joints_that_are_not_singular():
    with wc.Cell() as cell:
        cell.do("create robot A iiwa14 joints 20,40,10,-60,20,50,0")
        assert "A moved" in str(cell.do("move-hand A 0,0,20 along world"))


def test_an_arm_that_starts_at_the_end_of_a_range_goes_on_within_it():
    cell, one = simulated("panda")
    rng, limits, made = np.random.default_rng(4), one.robot.limits, 0
    with cell:
        for joint in range(7):
            q, way = bent(one.robot, rng), rng.normal(size=3)
            q[joint] = limits[joint, joint % 2]
            one.set_joints(q)
            try:
                one.move_hand(Pose.from_xyz(*(0.03 * way / np.linalg.norm(way))), frame="world")
            except WorkcellError as error:
                require_true(one, error)
                continue
            made += 1
    assert made >= 4


FIVE_JOINTS = {"loeff_humanoid", "loeff_unimate"}
"""Arms that cannot keep their attitude along most lines; each refusal is checked as of any other."""


@pytest.mark.parametrize("name", robots())
def test_a_short_line_of_any_arm_is_made_or_refused_for_a_true_reason(name):
    cell, one = simulated(name)
    rng, arm, made = np.random.default_rng(1), one.robot, 0
    with cell:
        for _ in range(5):
            one.set_joints(rng.uniform(arm.limits[:, 0], arm.limits[:, 1]))
            # A direction in which the hand can move at all.
            way = (arm.jacobian(one.joints) @ rng.normal(size=arm.n))[:3]
            try:
                one.move_hand(Pose.from_xyz(*(0.01 * way / np.linalg.norm(way))), frame="world")
            except WorkcellError as error:
                require_true(one, error)
                continue
            made += 1
    assert made >= 3 or arm.n < 3 or name in FIVE_JOINTS


def test_a_line_that_the_elimination_cannot_begin_with_is_refused_in_words():
    with wc.Cell() as cell:
        cell.do("create robot A xarm6 joints 19.618,-72.462,-80.057,-69.252,60.75,59.123")
        with pytest.raises(Unreachable, match=r"only up to 0\.09686 % of its length, .* reaches a singularity there"):
            cell.do("move-hand A 0,0,10 along world")


def test_the_end_of_a_range_is_not_called_a_singularity():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,60,260")
        with pytest.raises(
            WorkcellError, match=r"only up to 20 % of its length, .*: joint 6 is at the end of its range, 266°"
        ):
            cell.do("move-hand Puma rotate 0,0,30")


def test_signs_of_an_arm_without_branches_are_refused_in_one_sentence():
    with wc.Cell() as cell:
        cell.do("create robot A iiwa14 joints 20,40,10,-60,20,50,0")
        cell.do("branch A ---")
        with pytest.raises(InvalidValue, match=r"^This arm has no branches with the signs of A, E, W; use the nearest"):
            cell.do("move-end-effector A 500,200,600 euler fanuc_wpr 180,0,0")


@pytest.mark.parametrize("line", ["add conveyor M 2000", "add rail M 2000", "add positioner M"])
def test_a_mechanism_has_no_hand_and_says_what_it_has(line):
    with wc.Cell() as cell:
        cell.do(line)
        one = wc.Simulator(cell).robot("M")
        pose = Pose.from_xyz(0.1, 0.0, 0.0)
        for move in (
            lambda: one.move_end_effector(pose),
            lambda: one.branch("agent"),
            lambda: one.move_hand(pose),
            lambda: one.move_straight_line(pose, step=0.01),
        ):
            with pytest.raises(
                Refused, match=r"^M is a \w+ and has no hand that could take a pose; move its .*move-joints-abs"
            ):
                move()
        values = ",".join(["10"] * one.robot.n)
        assert "M moved" in str(cell.do(f"move-joints-absolute M {values}"))
