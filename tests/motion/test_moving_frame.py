"""Poses that move: their velocities and accelerations, and blends from one to another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from workcell.motion.moving_frame import Blend, CarriedPose, StandingPose, breaks_of, matrices, sevens, twists
from workcell.motion.trajectory import Trajectory
from workcell.robots.mechanism import conveyor, positioner
from workcell.robots.serial import as_robot
from workcell.spatial.pose import Pose

BELT = as_robot(conveyor(2.0))
TABLE = as_robot(positioner())
seeds = st.integers(0, 2**32 - 1)


def a_pose(rng: np.random.Generator) -> Pose:
    return Pose.from_rotation(Rotation.random(random_state=int(rng.integers(2**31))).as_matrix(), rng.uniform(-1, 1, 3))


def run_up(speed: float, acceleration: float, n: int = 1, start: float = 0.1) -> Trajectory:
    """At rest for a while, then up to a speed, and on."""
    ramp = abs(speed) / acceleration
    rows = np.zeros((3, 3, n))
    rows[1, 2] = math.copysign(acceleration / 2, speed)
    rows[2, 0], rows[2, 1] = speed * ramp / 2, speed
    return Trajectory(np.array([0.0, start, start + ramp, 100.0]), rows)


def carried(rng: np.random.Generator, smooth: bool = False) -> CarriedPose:
    """Something on a belt or on a positioner that moves: runs up, or as one polynomial."""
    robot = BELT if rng.random() < 0.5 else TABLE
    X, base = a_pose(rng).matrix, a_pose(rng).matrix
    if smooth:
        course = Trajectory(np.array([0.0, 9.0]), rng.uniform(-0.3, 0.3, (1, 3, robot.n)))
    else:
        course = run_up(float(rng.uniform(-0.5, 0.5)) or 0.1, 0.8, robot.n)
    return CarriedPose(lambda Q: base @ robot.frames_batch(Q)[:, robot.n] @ X, course, 0.0)


def at(moving, time: float) -> np.ndarray:
    return moving.states(np.array([time]), np.array([False]))[:, 0]


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_quaternions_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    poses = np.array([a_pose(rng).matrix for _ in range(20)])
    found = sevens(poses)
    wanted = Rotation.from_matrix(poses[:, :3, :3]).as_quat()[:, [3, 0, 1, 2]]
    assert np.abs(np.abs((found[:, 3:] * wanted).sum(axis=1)) - 1.0).max() < 1e-12
    assert np.abs(matrices(found) - poses).max() < 1e-12


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_the_motion_of_a_carried_pose_is_the_derivative_of_its_place(seed):
    rng = np.random.default_rng(seed)
    moving, t, h = carried(rng), float(rng.uniform(0.12, 0.9)), 1e-4
    if min(abs(moving.steps - t)) < 2 * h:
        return
    before, now, after = (at(moving, t + k * h) for k in (-1, 0, 1))
    assert np.abs((after[0] - before[0]) / (2 * h) - now[1]).max() < 1e-6
    assert np.abs((after[1] - before[1]) / (2 * h) - now[2]).max() < 1e-6
    V, _ = twists(now[:, None])
    turn = Rotation.from_matrix(matrices(after[:1])[0, :3, :3] @ matrices(before[:1])[0, :3, :3].T).as_rotvec()
    assert np.abs(turn / (2 * h) - V[0, 3:]).max() < 1e-6


def test_an_acceleration_is_asked_for_before_and_after_its_step():
    moving = CarriedPose(lambda Q: BELT.frames_batch(Q)[:, 1], run_up(0.2, 0.8), 0.0)
    before, after = (moving.states(np.array([0.1]), np.array([flag]))[:, 0] for flag in (True, False))
    assert np.abs(before[0] - after[0]).max() < 1e-12
    assert np.abs(before[1:]).max() == 0.0
    assert np.linalg.norm(after[2, :3]) == pytest.approx(0.8)
    assert moving.steps == pytest.approx([0.1, 0.35])


def test_only_steps_of_the_acceleration_are_steps():
    assert len(breaks_of(Trajectory(np.array([0.0, 1.0, 2.0]), np.array([[[0.0], [1.0]], [[1.0], [1.0]]])))) == 0


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_a_blend_starts_with_the_motion_of_the_first_and_ends_with_that_of_the_second(seed):
    rng = np.random.default_rng(seed)
    first = carried(rng) if rng.random() < 0.7 else StandingPose(a_pose(rng))
    second = carried(rng) if rng.random() < 0.7 else StandingPose(a_pose(rng))
    begin, took = float(rng.uniform(0.0, 0.5)), float(rng.uniform(0.2, 1.5))
    blend = Blend(first, second, begin, took)
    times = np.linspace(begin, begin + took, 400)
    states = blend.states(times, np.zeros(400, dtype=bool))
    for one, place in ((first, 0), (second, -1)):
        wanted = at(one, float(times[place]))
        sign = np.sign(wanted[0, 3:] @ states[0, place, 3:])
        wanted[:, 3:] *= sign
        assert np.abs(states[:, place] - wanted).max() < 1e-9
    assert np.abs(np.linalg.norm(states[0, :, 3:], axis=1) - 1.0).max() < 1e-12


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_the_motion_of_a_blend_is_the_derivative_of_its_place(seed):
    rng = np.random.default_rng(seed)
    blend, h = Blend(carried(rng, smooth=True), carried(rng, smooth=True), 0.0, 1.0), 1e-4
    times = np.linspace(0.01, 0.99, 50)
    flags = np.zeros(50, dtype=bool)
    before, now, after = (blend.states(times + k * h, flags) for k in (-1, 0, 1))
    assert np.abs((after[0] - before[0]) / (2 * h) - now[1]).max() < 1e-5
    assert np.abs((after[1] - before[1]) / (2 * h) - now[2]).max() < 1e-4


def test_the_hand_turns_the_short_way():
    first = StandingPose(Pose.from_axis_angle((0, 0, 1), math.radians(170)))
    second = StandingPose(Pose.from_axis_angle((0, 0, 1), math.radians(-170)))
    states = Blend(first, second, 0.0, 1.0).states(np.array([0.5]), np.array([False]))
    assert abs(abs(states[0, 0, 6]) - 1.0) < 1e-12  # half a turn, and not none
