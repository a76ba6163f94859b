"""Choosing a branch, following a path, explaining what cannot be reached, and the work envelope."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinematics_arms import irb6400, panda, puma560, puma_arm, ur10

from workcell.errors import InvalidValue, JointLimit, Unreachable
from workcell.kinematics.branches import (
    LARGE_MOVE,
    agent_choice,
    along_path,
    fixed,
    most_room,
    nearest,
    room_to_limits,
)
from workcell.kinematics.dh import Chain
from workcell.kinematics.forward import tool_batch, tool_pose
from workcell.kinematics.inverse import ik
from workcell.kinematics.unreachable import explain, unreachable_error
from workcell.kinematics.workspace import envelope, reach, reach_bound
from workcell.spatial.pose import Pose

LIMITS = np.radians([(-180, 180), (-70, 70), (-28, 105), (-300, 300), (-120, 120), (-300, 300)])
WIDE = np.radians([(-400, 400)] * 6)
HERE = np.radians([20, 30, 40, 50, 60, 70])
seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds)
@settings(derandomize=True, deadline=None, max_examples=30)
def test_nearest_to_the_generating_joints_is_themselves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = puma_arm(rng)
    q = rng.uniform(-3, 3, 6)
    assert nearest(ik(chain, tool_pose(chain, q)), q) == pytest.approx(q, abs=1e-6)
    turned = q + 2 * math.pi * rng.integers(-1, 2, 6)
    limits = np.array([(-10, 10)] * 6)
    assert nearest(ik(chain, tool_pose(chain, q), limits), turned) == pytest.approx(turned, abs=1e-6)


def test_nearest_stays_within_the_limits() -> None:
    chain = irb6400()
    solutions = ik(chain, tool_pose(chain, HERE), LIMITS)
    found = nearest(solutions, HERE + [0, 0, 0, 2 * math.pi, 0, 0])
    assert (found >= LIMITS[:, 0]).all()
    assert (found <= LIMITS[:, 1]).all()


def test_most_room_and_the_agents_rule() -> None:
    chain = irb6400()
    solutions = ik(chain, tool_pose(chain, HERE), LIMITS)
    roomy = most_room(solutions)
    best = room_to_limits(solutions.q[solutions.within_limits], LIMITS).max()
    assert room_to_limits(roomy, LIMITS) == pytest.approx(best)
    assert agent_choice(solutions, HERE + 0.5 * LARGE_MOVE) == pytest.approx(HERE)
    far = HERE + [1.5 * LARGE_MOVE, 0, 0, 0, 0, 0]
    assert np.array_equal(agent_choice(solutions, far), roomy)
    assert agent_choice(solutions, far, threshold=2 * LARGE_MOVE) == pytest.approx(HERE)
    with pytest.raises(InvalidValue, match="needs joint limits"):
        most_room(ik(chain, tool_pose(chain, HERE)))


def test_a_fixed_branch_is_taken_or_refused() -> None:
    chain = irb6400()
    solutions = ik(chain, tool_pose(chain, HERE), LIMITS)
    for solution in solutions:
        if solution.within_limits:
            assert np.array_equal(fixed(solutions, solution.index), solution.q)
            assert np.array_equal(fixed(solutions, solution.label), solution.q)
        else:
            with pytest.raises(JointLimit, match=f"puts joint {solution.violations[0][0]} ") as caught:
                fixed(solutions, solution.index)
            assert caught.value.joint == solution.violations[0][0]
    with pytest.raises(Unreachable, match="the pose has no solution"):
        fixed(ik(chain, Pose.from_xyz(9, 0, 0), LIMITS), 3)
    with pytest.raises(Unreachable, match="The pose has no solution"):
        nearest(ik(chain, Pose.from_xyz(9, 0, 0)), HERE)
    narrow = np.tile([3.0, 3.05], (6, 1))
    with pytest.raises(JointLimit, match="Every solution is outside the joint limits; in the nearest, joint"):
        nearest(ik(chain, tool_pose(chain, HERE), narrow), HERE)


# ---- along a path --------------------------------------------------------------------------------------


def test_a_path_keeps_its_branch_over_its_whole_length() -> None:
    chain = puma560()
    ends = np.array([[0.2, 0.4, -0.3, 0.5, 0.9, 0.1], [1.2, 0.8, -0.9, 1.5, 0.4, 2.1]])
    Q = ends[0] + np.linspace(0, 1, 60)[:, None] * (ends[1] - ends[0])
    poses = [tool_pose(chain, q) for q in Q]
    found = along_path(chain, poses, start=Q[0])
    assert found.q == pytest.approx(Q, abs=1e-6)
    assert len(set(found.slots)) <= 2  # the wrist's name may change where s·z4 changes sign
    assert found.largest_step < 0.05


def test_a_joint_that_turns_on_and_on_is_followed_beyond_half_a_turn() -> None:
    chain = irb6400()
    Q = np.tile(HERE, (80, 1))
    Q[:, 5] = np.linspace(-5.0, 5.0, 80)
    found = along_path(chain, tool_batch(chain, Q), LIMITS, start=Q[0])
    assert found.q == pytest.approx(Q, abs=1e-6)


def test_the_start_is_chosen_so_that_the_end_is_reached() -> None:
    """Nearest first would take −170° of a joint that must go on to −200°, out of its limits."""
    chain = irb6400()
    limits = np.radians([(-180, 180), (-70, 70), (-28, 105), (-190, 190), (-120, 120), (-300, 300)])
    Q = np.tile(np.radians([20, 30, 40, 0, 60, 70]), (40, 1))
    Q[:, 3] = np.radians(np.linspace(185, 150, 40))
    found = along_path(chain, tool_batch(chain, Q), limits)
    assert (found.q <= limits[:, 1] + 1e-9).all()
    assert found.largest_step < 0.1


def test_the_point_is_named_where_no_branch_goes_on() -> None:
    chain = irb6400()
    inside = tool_pose(chain, HERE)
    outside = Pose.from_xyz(9, 0, 0)
    with pytest.raises(Unreachable, match=r"Point 3 of the path cannot be reached") as caught:
        along_path(chain, [inside, inside, outside])
    assert caught.value.point == 2
    assert len(caught.value.reached) == 2
    with pytest.raises(Unreachable, match="Point 1 of the path can be reached only outside the joint limits"):
        along_path(chain, [inside], np.tile([3.0, 3.05], (6, 1)))
    far = tool_pose(chain, HERE + 0.9)
    with pytest.raises(Unreachable, match="No branch continues from point 1 to point 2") as caught:
        along_path(chain, [inside, far], largest_step=0.2)
    assert caught.value.least_change > 0.2
    with pytest.raises(InvalidValue, match="at least one pose"):
        along_path(chain, np.empty((0, 4, 4)))


def test_a_redundant_arm_follows_a_path_from_where_it_is() -> None:
    chain, limits = panda()
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7])
    first = tool_pose(chain, q)
    last = Pose.from_xyz(0.05, 0.1, -0.1) @ first
    poses = [first.interpolate(last, s) for s in np.linspace(0, 1, 30)]
    found = along_path(chain, poses, limits, start=q)
    assert np.abs(found.q[0] - q).max() < 1e-6
    assert found.largest_step < 0.1
    assert np.abs(tool_batch(chain, found.q) - [pose.matrix for pose in poses]).max() < 1e-9
    free = along_path(chain, poses, limits)
    assert free.largest_step < 0.1
    with pytest.raises(Unreachable, match="Point 3 of the path cannot be reached from the point before it"):
        along_path(chain, [*poses[:2], Pose.from_xyz(3, 0, 0)], limits, start=q)
    with pytest.raises(Unreachable, match="Point 1 of the path cannot be reached within the limits"):
        along_path(chain, [Pose.from_xyz(3, 0, 0)], limits)


# ---- what cannot be reached ------------------------------------------------------------------------------


def test_out_of_reach_says_how_far_and_which_way() -> None:
    chain = ur10()
    q = np.array([0.3, -0.2, 0.0, 0.4, 1.0, 0.2])
    edge = tool_pose(chain, q)
    pose = Pose.from_rotation(edge.rotation, edge.xyz * 1.5)
    report = explain(chain, pose)
    assert not report.reachable
    assert report.constraint == "reach"
    assert 0.2 < report.metres < 0.8
    assert report.direction @ pose.xyz > 0.0
    assert np.linalg.norm(report.direction) == pytest.approx(1.0)
    assert len(ik(chain, report.nearest))
    assert tool_pose(chain, report.q).is_close(report.nearest)
    assert "out of the arm's reach" in report.sentence
    error = unreachable_error(chain, pose)
    assert isinstance(error, Unreachable)
    assert error.metres == report.metres


def test_nothing_nearer_is_found_by_trying(rng: np.random.Generator) -> None:
    chain = ur10()
    pose = Pose.from_xyz(1.6, 0.4, 0.2)
    report = explain(chain, pose)
    worth = 0.25 * np.abs(chain.table[:, 1:3]).sum()

    def far(p: Pose) -> float:
        metres, radians = p.distance(pose)
        return math.hypot(metres / worth, radians)

    least = far(report.nearest)
    for scale in (1e-3, 1e-2, 0.1, 1.0):
        for step in rng.normal(size=(100, 6)) * scale:
            assert far(tool_pose(chain, report.q + step)) > least - 1e-9


def test_a_limit_that_binds_is_named() -> None:
    chain = irb6400()
    q = np.radians([20, 85, 60, 50, 60, 70])
    report = explain(chain, tool_pose(chain, q), LIMITS)
    assert not report.reachable
    assert report.constraint == "joint limit"
    assert "The arm's geometry reaches the pose, but joint" in report.sentence
    assert report.joints
    assert (report.q >= LIMITS[:, 0] - 1e-9).all()
    assert (report.q <= LIMITS[:, 1] + 1e-9).all()


def test_an_orientation_that_a_scara_cannot_take() -> None:
    chain = Chain([(0, 0.3, 0.4, 0), (0, 0, 0.3, math.pi), (0, 0, 0, 0, True), (0, 0, 0, 0)])
    pose = tool_pose(chain, [0.1, 0.2, 0.3, 0.4])
    tilted = pose @ Pose.from_axis_angle((1, 0, 0), 0.2)
    report = explain(chain, tilted, [(-3, 3), (-2, 2), (0, 0.5), (-3, 3)])
    assert report.constraint == "orientation"
    assert report.radians == pytest.approx(0.2, abs=1e-6)


def test_a_pose_that_can_be_reached_is_told_so() -> None:
    report = explain(irb6400(), tool_pose(irb6400(), HERE), LIMITS)
    assert report.reachable
    assert report.metres == 0.0
    assert "can be reached" in report.sentence


# ---- envelope --------------------------------------------------------------------------------------------


def test_the_reach_of_a_planar_arm_is_the_sum_of_its_links() -> None:
    chain = Chain([(0, 0, 0.5, 0), (0, 0, 0.3, 0)])
    assert reach(chain) == pytest.approx(0.8, abs=1e-9)
    assert reach_bound(chain) == pytest.approx(0.8)
    bent = reach(chain, [(-3, 3), (0.5, 2.0)])
    assert bent == pytest.approx(math.sqrt(0.34 + 0.3 * math.cos(0.5)), abs=1e-9)


def test_the_envelope_of_a_scara_is_a_ring() -> None:
    chain = Chain([(0, 0, 0.4, 0), (0, 0, 0.25, math.pi), (0, 0, 0, 0, True), (0, 0, 0, 0)])
    limits = np.array([(-2.5, 2.5), (-2.5, 2.5), (0.0, 0.2), (-3, 3)])
    found = envelope(chain, limits, cell=0.01)
    inner = math.sqrt(0.4**2 + 0.25**2 + 2 * 0.4 * 0.25 * math.cos(2.5))
    exact = 0.5 * (0.65**2 - inner**2) * 5.0 * 0.2
    assert found.volume == pytest.approx(exact, rel=0.15)
    assert found.reach == pytest.approx(math.hypot(0.65, 0.2), abs=0.01)
    assert len(found.outline) == 1
    line = found.outline[0]
    assert np.array_equal(line[0], line[-1])
    assert line[:, 0].max() == pytest.approx(0.65, abs=0.02)
    assert line[:, 0].min() == pytest.approx(inner, abs=0.03)
    assert not found.inside.flags.writeable


def test_every_point_of_a_path_within_limits_is_inside_its_envelope(rng: np.random.Generator) -> None:
    chain = irb6400()
    found = envelope(chain, LIMITS)
    cell = found.radius[1] - found.radius[0]
    points = tool_batch(chain, rng.uniform(LIMITS[:, 0], LIMITS[:, 1], (2000, 6)))[:, :3, 3]
    i = (np.hypot(points[:, 0], points[:, 1]) / cell).astype(int)
    j = ((points[:, 2] - found.height[0]) / cell + 0.5).astype(int)
    assert found.inside[np.minimum(i, len(found.radius) - 1), np.minimum(j, len(found.height) - 1)].mean() > 0.99


def test_an_endless_envelope_is_refused() -> None:
    chain = Chain([(0, 0, 0, 0, True), (0, 0, 0.3, 0)])
    with pytest.raises(InvalidValue, match="Joint 1 slides and has no limits"):
        envelope(chain)
    with pytest.raises(InvalidValue, match="spacing must be positive"):
        envelope(Chain([(0, 0, 0.3, 0)]), cell=-1.0)
