"""Curves of the hand, and joint paths that follow them."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_arms import READY, forward, hand, newton, planar_forward, planar_solver

from workcell.errors import InvalidValue, KinematicsError, MotionError, Unreachable
from workcell.motion.curve import HandCurve
from workcell.motion.follow import follow, follow_sampled
from workcell.motion.limits import Limits, violations
from workcell.motion.named_profiles import along, limits_of
from workcell.motion.path import JointPath
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.profiles import linear_through
from workcell.motion.timing import time_optimal
from workcell.robots.catalogue import robot
from workcell.spatial.pose import Pose

laws = settings(derandomize=True, deadline=None, max_examples=25)

START = hand(READY)
VIA = hand(READY + [0.2, 0.3, -0.3, 0.1, 0.1, 0.2])
END = hand(READY + [0.5, -0.2, 0.3, 0.2, 0.1, 0.5])
CURVES = {
    "line": HandCurve.line(START, END),
    "line, orientation kept": HandCurve.line(START, END, "keep"),
    "arc": HandCurve.arc(START, VIA, END),
    "polyline": HandCurve.polyline([START, VIA, END]),
    "blended polyline": HandCurve.polyline([START, VIA, END], blend=0.05),
}


def flat(x: float, y: float, angle: float = 0.0) -> Pose:
    return (
        Pose.from_axis_angle((0.0, 0.0, 1.0), angle)
        if x == y == 0.0
        else Pose.from_quaternion((x, y, 0.0), (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)))
    )


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose.from_quaternion(rng.uniform(-1.0, 1.0, 3), rng.normal(size=4))


# ---- curves --------------------------------------------------------------------------------------------


@laws
@given(seed=st.integers(0, 10**6))
def test_a_line_is_straight_and_turns_evenly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_pose(rng), random_pose(rng)
    curve = HandCurve.line(a, b)
    assert curve.length == pytest.approx(a.distance(b)[0])
    for share in (0.0, 0.3, 0.8, 1.0):
        assert curve.pose(share * curve.length).is_close(a.interpolate(b, share), 1e-9, 1e-7)
    kept = HandCurve.line(a, b, "keep")
    assert np.allclose(kept.end.rotation, a.rotation)
    assert np.allclose(kept.end.xyz, b.xyz)


@laws
@given(seed=st.integers(0, 10**6))
def test_an_arc_is_round_and_passes_its_three_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = (random_pose(rng) for _ in range(3))
    curve = HandCurve.arc(a, b, c)
    assert curve.start.is_close(a, 1e-8, 1e-7)
    assert curve.end.is_close(c, 1e-8, 1e-7)
    points = curve.poses(np.linspace(0.0, curve.length, 2001))[:, :3, 3]
    steps = np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    assert np.allclose(steps, steps[0], rtol=1e-6)
    assert np.sqrt(((points - b.xyz) ** 2).sum(axis=1)).min() <= curve.length / 2000
    (circle,) = curve.sections
    assert np.allclose(np.sqrt(((points - circle.centre) ** 2).sum(axis=1)), circle.radius)  # type: ignore[attr-defined]


@laws
@given(seed=st.integers(0, 10**6))
def test_a_blended_polyline_is_smooth_and_stays_near_its_corners(seed: int) -> None:
    rng = np.random.default_rng(seed)
    poses = [random_pose(rng) for _ in range(4)]
    legs = [a.distance(b)[0] for a, b in itertools.pairwise(poses)]
    radius = 0.4 * min(legs)
    curve = HandCurve.polyline(poses, blend=radius)
    assert curve.corners.size == 0
    assert curve.start.is_close(poses[0], 1e-9, 1e-7)
    assert curve.end.is_close(poses[-1], 1e-9, 1e-7)
    for s in curve.breaks[1:-1]:
        # Position and rotation are continuous, and so are their slopes: second differences are small.
        h = 1e-5 * curve.length
        before, here, after = curve.poses([s - h, s, s + h])
        assert np.abs(before - 2.0 * here + after).max() < 1e-6
    for pose in poses[1:-1]:
        near = curve.poses(np.linspace(0.0, curve.length, 3001))[:, :3, 3] - pose.xyz
        assert np.sqrt((near**2).sum(axis=1)).min() <= radius


def test_a_turn_on_the_spot_is_measured_in_radians() -> None:
    curve = HandCurve.line(flat(0.5, 0.1), flat(0.5, 0.1, 1.2))
    assert curve.length == pytest.approx(1.2)
    assert np.allclose(curve.pose(0.6).xyz, [0.5, 0.1, 0.0])


def test_only_true_corners_are_sharp() -> None:
    corner = HandCurve.polyline([flat(0.1, 0.0), flat(0.2, 0.0), flat(0.2, 0.1)])
    assert corner.corners.tolist() == pytest.approx([0.1])
    straight = HandCurve.polyline([flat(0.1, 0.0), flat(0.2, 0.0), flat(0.3, 0.0)])
    assert straight.corners.size == 0


def test_curves_that_cannot_be_are_refused() -> None:
    with pytest.raises(MotionError, match=r"No circle goes through \(100, 0, 0\) mm, .* lie on one line"):
        HandCurve.arc(flat(0.1, 0.0), flat(0.2, 0.0), flat(0.3, 0.0))
    with pytest.raises(MotionError, match="Poses 2 and 3 of the curve are the same"):
        HandCurve.polyline([flat(0.1, 0.0), flat(0.2, 0.0), flat(0.2, 0.0)])
    with pytest.raises(MotionError, match=r"A blending radius of 200 mm does not fit: segment 1 is 100 mm long") as e:
        HandCurve.polyline([flat(0.1, 0.0), flat(0.2, 0.0), flat(0.2, 1.0)], blend=0.2)
    assert e.value.segment == 1
    with pytest.raises(InvalidValue, match="at least two poses; found 1"):
        HandCurve.polyline([START])
    with pytest.raises(InvalidValue, match="'keep' or 'interpolate', not 'free'"):
        HandCurve.line(START, END, "free")


# ---- following -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_the_hand_stays_within_the_tolerance_between_the_samples(name: str, tolerance: float) -> None:
    curve = CURVES[name]
    answer = follow(curve, newton, forward, READY, tolerance=tolerance, angle_tolerance=tolerance)
    s = np.linspace(0.0, curve.length, 10007)
    got, want = forward(answer.path.sample(s)), curve.poses(s)
    off = np.sqrt(((got - want)[:, :3, 3] ** 2).sum(axis=1)).max()
    angle = 2.0 * np.arcsin(np.sqrt(((got - want)[:, :3, :3] ** 2).sum(axis=(1, 2))).max() / math.sqrt(8.0))
    assert off <= answer.deviation <= tolerance
    assert angle <= answer.turn <= tolerance
    assert answer.deviation <= 1.1 * off
    assert np.allclose(answer.path.start, READY, atol=1e-9)
    assert np.allclose(answer.path.corners(), curve.corners)
    limits = Limits.of(6, 2.0, 8.0)
    assert violations(time_optimal(answer.path, limits, path_speed=0.5), limits) == ()


def test_the_sampled_way_of_the_thesis_reports_its_error() -> None:
    curve = CURVES["line"]
    points, coarse = follow_sampled(curve, newton, forward, READY, step=0.01)
    _, fine = follow_sampled(curve, newton, forward, READY, step=0.005)
    assert len(points) == math.ceil(curve.length / 0.01) + 1
    assert 3.0 < coarse.deviation / fine.deviation < 5.0  # straight joint lines: the error falls with the square
    s = np.linspace(0.0, curve.length, 5001)
    off = np.sqrt(((forward(coarse.path.sample(s)) - curve.poses(s))[:, :3, 3] ** 2).sum(axis=1)).max()
    assert off <= coarse.deviation <= 1.1 * off
    motion = linear_through(points, 0.3)
    assert np.allclose(motion.end, points[-1])


def test_leaving_the_reach_says_how_far_the_curve_can_be_followed() -> None:
    curve = HandCurve.line(flat(0.8, -0.2), flat(1.2, 0.2))
    with pytest.raises(
        Unreachable, match=r"can follow the curve only up to 23\.43 % of its length, .* out of reach"
    ) as e:
        follow(curve, planar_solver(lambda x: 1.0), planar_forward, [0.0, 1.0, 0.0])
    good = e.value.reachable_until
    assert isinstance(good, float)
    assert np.linalg.norm(curve.pose(good).xyz) == pytest.approx(0.9, abs=1e-5)
    with pytest.raises(Unreachable, match="cannot follow the curve at 0 % of its length"):
        follow(HandCurve.line(flat(2.0, 0.0), flat(0.5, 0.0)), planar_solver(lambda x: 1.0), planar_forward, [0, 1, 0])


def test_a_jump_to_another_branch_says_where_and_which_joint() -> None:
    curve = HandCurve.line(flat(0.8, -0.2), flat(0.3, 0.2))
    flips = planar_solver(lambda x: 1.0 if x > 0.5 else -1.0)
    with pytest.raises(
        MotionError, match=r"past 60 % of its length, \(500, 40, 0\) mm: joint 2 would have to jump"
    ) as e:
        follow(curve, flips, planar_forward, [0.0, 1.0, 0.0])
    assert e.value.joint == 2
    assert re.search(r"jump from -?[0-9.]+° to -?[0-9.]+° there", str(e.value))


def test_the_sentence_of_a_jump_has_no_noise_about_zero() -> None:
    def solver(pose: Pose, near: np.ndarray) -> np.ndarray:
        return np.array([-1.9e-15 if pose.xyz[0] > 0.5 else 2.0, 0.5, 0.0])

    with pytest.raises(MotionError, match=r"joint 1 would have to jump from 0° to 114\.592° there"):
        follow(HandCurve.line(flat(0.8, -0.2), flat(0.3, 0.2)), solver, planar_forward, [0.0, 0.5, 0.0])


def test_the_far_side_of_a_singularity_is_refused() -> None:
    # The line through the shoulder: joint 1 would have to turn half-way round at once.
    curve = HandCurve.line(flat(0.45, 0.0), flat(-0.45, 0.0))

    def through(pose: Pose, near: np.ndarray, /) -> np.ndarray:
        x = float(pose.xyz[0])
        folded = math.acos(max(-1.0, min(1.0, (x * x - 0.32) / 0.32)))
        q = np.array([math.atan2(0.0, x) - 0.5 * folded, folded, 0.0])
        q[2] = -q[0] - q[1]
        return q

    def equal_links(q: np.ndarray) -> np.ndarray:
        out = planar_forward(q)
        out[:, 0, 3] = 0.4 * np.cos(q[:, 0]) + 0.4 * np.cos(q[:, 0] + q[:, 1])
        out[:, 1, 3] = 0.4 * np.sin(q[:, 0]) + 0.4 * np.sin(q[:, 0] + q[:, 1])
        return out

    with pytest.raises(MotionError, match=r"past 50 % of its length, .* singularity between two branches"):
        follow(curve, through, equal_links, through(curve.start, np.zeros(3)))


def test_a_solver_that_gives_nonsense_is_refused() -> None:
    with pytest.raises(InvalidValue, match="inverse kinematics gave must be 3 numbers; found 2"):
        follow(HandCurve.line(flat(0.8, 0.0), flat(0.5, 0.0)), lambda pose, near: [0.0, 0.0], planar_forward, [0, 1, 0])
    with pytest.raises(InvalidValue, match="A tolerance must be above 0 m, not 0"):
        follow(CURVES["line"], newton, forward, READY, tolerance=0.0)
    with pytest.raises(InvalidValue, match="A step along the curve must be above 0 m"):
        follow_sampled(CURVES["line"], newton, forward, READY, step=-1.0)
    assert issubclass(Unreachable, KinematicsError)


# ---- solids that move ----------------------------------------------------------------------------------


@laws
@given(seed=st.integers(0, 10**6))
def test_a_solid_gets_no_further_than_its_reach(seed: int) -> None:
    rng = np.random.default_rng(seed)
    poses = [random_pose(rng) for _ in range(3)]
    curve = HandCurve.arc(*poses) if seed % 2 else HandCurve.polyline(poses, blend=0.05)
    motion = PoseMotion.along(curve, 0.5, 1.0)
    t0, t1 = sorted(rng.uniform(0.0, motion.duration, 2))
    way, turn = motion.reach(t0, t1)
    shown = [motion.pose(t) for t in np.linspace(t0, t1, 9)]
    for pose in shown:
        far, turned = shown[0].distance(pose)
        assert far <= way + 1e-9
        assert turned <= turn + 1e-6


def test_a_solid_moves_along_a_curve_in_the_time_of_its_profile() -> None:
    curve = HandCurve.line(flat(0.1, 0.0), flat(1.1, 0.0, 1.0))
    assert PoseMotion.along(curve, 0.5).duration == pytest.approx(2.0)
    motion = PoseMotion.along(curve, 0.5, 1.0)
    assert motion.duration == pytest.approx(2.5)
    assert motion.pose(0.0).is_close(curve.start)
    assert motion.pose(99.0).is_close(curve.end, 1e-9, 1e-7)
    assert np.allclose(motion.sample([0.7])[0], motion.pose(0.7).matrix)
    assert PoseMotion.along(curve, 0.5, 1.0, 10.0).duration == pytest.approx(2.6)
    assert motion.max_speed() == pytest.approx((0.5, 0.5))
    with pytest.raises(InvalidValue, match="A joint speed must be above 0"):
        PoseMotion.along(curve, 0.0)
    with pytest.raises(InvalidValue, match=r"must stay on the curve, from 0 to 0\.4; it ranges from 0 to 1"):
        PoseMotion(HandCurve.line(flat(0.1, 0.0), flat(0.5, 0.0)), motion.progress)


@given(seed=st.integers(0, 10**6))
@settings(derandomize=True, deadline=None, max_examples=8)
def test_with_limited_jerk_accelerations_on_rounded_corners_never_jump(seed: int) -> None:
    rng = np.random.default_rng(seed)
    poses = [START, *(hand(READY + rng.uniform(-0.4, 0.4, 6)) for _ in range(3))]
    shortest = min(float(np.linalg.norm(b.xyz - a.xyz)) for a, b in itertools.pairwise(poses))
    path = follow(HandCurve.polyline(poses, blend=0.4 * shortest), newton, forward, READY).path
    arm = robot("puma560")
    limits = limits_of(arm, 1.0)
    motion = along(arm, path, "jerk", 1.0)
    # On the exact polynomials: nothing is sampled.
    assert (np.abs(motion.acceleration_jumps()) <= 1e-6 * limits.acceleration).all()
    assert (motion.max_jerk() <= limits.jerk).all()
    assert (np.abs(motion.acceleration(0.0)) <= 1e-6 * limits.acceleration).all()
    assert motion.duration < 1.5 * along(arm, path, "trapezoid", 1.0).duration


def test_with_limited_jerk_the_arm_stops_where_a_path_bends_suddenly() -> None:
    arm = robot("puma560")
    points = np.array([np.zeros(6), [0.5, 0.2, 0, 0, 0.1, 0], [0.6, 0.6, 0.3, 0, 0, 0.2]])
    path = JointPath.polyline(points, blend=0.1, corner="parabolic")
    motion = along(arm, path, "jerk", 1.0)
    assert (np.abs(motion.acceleration_jumps()) <= 1e-6 * arm.accelerations).all()
    assert (motion.max_jerk() <= limits_of(arm, 1.0).jerk).all()
