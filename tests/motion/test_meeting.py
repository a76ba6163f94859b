"""Meeting something that moves, and following it: where the hand is, how it moves, and what the joints may do."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import Unreachable
from workcell.motion.limits import Limits
from workcell.motion.meeting import meet_along_line, meet_anew, meet_by_joints
from workcell.motion.moving_frame import Approach, Blend, CarriedPose, StandingPose, matrices
from workcell.motion.profiles import trapezoid_duration
from workcell.motion.pursuit import pursue
from workcell.motion.tracking_hand import TrackingHand
from workcell.motion.trajectory import Trajectory
from workcell.robots.catalogue import robot as library_robot
from workcell.robots.mechanism import conveyor, positioner
from workcell.robots.serial import as_robot
from workcell.simulation.branch_policy import chosen
from workcell.spatial.pose import Pose

PUMA, IIWA = library_robot("puma560"), library_robot("iiwa14")
BELT, TABLE = as_robot(conveyor(2.0)), as_robot(positioner())
DOWN = Pose.from_axis_angle((0, 1, 0), math.pi)
START = np.radians([60.0, 0.0, -90.0, 0.0, 90.0, 0.0])


def limits_of(robot, jerk=False) -> Limits:
    top = robot.accelerations / 0.1 if jerk else None
    return Limits(robot.speeds, robot.accelerations, top, robot.limits)


def on_belt(pose: Pose, speed: float, acceleration: float, late: float = 0.0) -> CarriedPose:
    """Something on a belt along x that is at a pose now and runs up to a speed, or has run for a while."""
    ramp = abs(speed) / acceleration
    rows = np.array([[[0.0], [0.0], [math.copysign(acceleration / 2, speed)]], [[speed * ramp / 2], [speed], [0.0]]])
    course = Trajectory(np.array([0.0, ramp, 1e6]), rows)
    then = Pose(BELT.frames([course.position(late)[0]])[1])
    X = (then.inverse() @ pose).matrix
    return CarriedPose(lambda Q: BELT.frames_batch(Q)[:, 1] @ X, course, late)


def arm(robot=PUMA) -> TrackingHand:
    return TrackingHand(robot, Pose.identity(), Pose.from_xyz(0.0, 0.0, 0.1))


def choose(robot, branch="nearest"):
    return lambda tool, near: chosen(robot, Pose(tool), branch, near)


def at_rest(q: np.ndarray) -> np.ndarray:
    return np.stack([q, np.zeros_like(q), np.zeros_like(q)])


def require_kept(motion: Trajectory, limits: Limits) -> None:
    """At ten thousand instants, and on the polynomials."""
    times = np.linspace(0.0, motion.duration, 10_000)
    q, v, a = (motion.sample(times, order) for order in range(3))
    assert (q >= limits.position[:, 0] - 1e-8).all()
    assert (q <= limits.position[:, 1] + 1e-8).all()
    assert (np.abs(v) <= limits.speed * (1 + 1e-8)).all()
    assert (np.abs(a) <= limits.acceleration * (1 + 1e-8)).all()
    assert (motion.peaks[0] <= limits.speed * (1 + 1e-8)).all()
    if limits.jerk is not None:
        assert (motion.peaks[2] <= limits.jerk * (1 + 1e-8)).all()


def require_on(hand: TrackingHand, motion: Trajectory, place, begin: float, until: float, count: int = 2000) -> None:
    """The hand is on its place at many instants."""
    own = np.linspace(0.0, until, count)[:-1]
    got = hand.poses(motion.sample(own))
    want = matrices(place.states(begin + own, np.zeros(len(own), dtype=bool))[0])
    assert np.linalg.norm(got[:, :3, 3] - want[:, :3, 3], axis=1).max() < 1.2e-6
    assert np.abs(got[:, :3, :3] - want[:, :3, :3]).max() < 2e-5


places = st.tuples(
    st.floats(-0.45, 0.0), st.floats(0.45, 0.6), st.floats(0.1, 0.3), st.floats(-0.5, 0.5), st.floats(0.05, 0.3),
    st.floats(0.5, 2.0), st.floats(0.0, 1.0),
)  # fmt: skip


@settings(max_examples=12, deadline=None)
@given(places, st.booleans(), st.booleans())
def test_a_meeting_ends_on_its_place_with_its_speed_and_acceleration(place, straight, jerk):
    x, y, z, turn, speed, acceleration, late = place
    goal = on_belt(Pose.from_xyz(x, y, z) @ DOWN @ Pose.from_axis_angle((0, 0, 1), turn), speed, acceleration, late)
    hand, limits, present = arm(), limits_of(PUMA, jerk), at_rest(START)
    first = StandingPose(Pose(hand.poses(START[None])[0]))
    meet = (
        partial(meet_along_line, hand, present, first, goal, limits)
        if straight
        else partial(meet_by_joints, hand, present, goal, choose(PUMA), limits)
    )
    try:
        met = meet()
    except Unreachable:  # it runs away; see below
        return
    motion, took = met.motion, met.motion.duration
    assert took * 1e9 == pytest.approx(round(took * 1e9), abs=1e-4)
    require_kept(motion, limits)
    assert np.abs(motion.present(0.0) - present).max() < 1e-6
    # The hand's motion at the end by finite differences of forward kinematics is that of the belt.
    h = 1e-4
    back, here, end = (hand.poses(motion.sample([took - k * h]))[0, :3, 3] for k in (2, 1, 0))
    want = goal.states(np.array([took, took - h]), np.array([True, True]))
    assert np.linalg.norm(end - want[0, 0, :3]) < 1e-6
    assert np.linalg.norm((end - back) / (2 * h) - want[1, 1, :3]) < 1e-4
    assert np.linalg.norm((end - 2 * here + back) / h**2 - want[2, 1, :3]) < 0.05
    if straight:
        assert met.deviation < 1e-6


def test_the_hand_is_on_its_blend_all_the_way():
    goal = on_belt(Pose.from_xyz(-0.3, 0.5, 0.2) @ DOWN, 0.2, 0.75)
    hand, limits = arm(), limits_of(PUMA)
    first = StandingPose(Pose(hand.poses(START[None])[0]))
    motion = meet_along_line(hand, at_rest(START), first, goal, limits).motion
    require_on(hand, motion, Blend(first, goal, 0.0, motion.duration), 0.0, motion.duration, 10_000)


def test_a_meeting_is_as_short_as_the_limits_allow():
    goal = on_belt(Pose.from_xyz(-0.3, 0.5, 0.2) @ DOWN, 0.2, 0.75)
    limits = limits_of(PUMA)
    motion = meet_by_joints(arm(), at_rest(START), goal, choose(PUMA), limits).motion
    near = max((motion.peaks[0] / limits.speed).max(), (motion.peaks[1] / limits.acceleration).max())
    assert 0.99 < near <= 1.0 + 1e-8


@settings(max_examples=25, deadline=None)
@given(places, st.floats(0.3, 4.0), st.booleans())
def test_to_what_stands_a_meeting_takes_as_long_as_a_trapezoid_and_the_rounding_of_its_ramps(place, speed, jerk):
    x, y, z, turn, *_ = place
    hand, full = arm(), limits_of(PUMA, jerk)
    limits = Limits(np.minimum(full.speed, speed), full.acceleration, full.jerk, full.position)
    goal = StandingPose(Pose.from_xyz(x, y, z) @ DOWN @ Pose.from_axis_angle((0, 0, 1), turn))
    motion = meet_by_joints(hand, at_rest(START), goal, choose(PUMA), limits).motion
    require_kept(motion, limits)
    travel = np.abs(motion.end - START)
    least = max(map(trapezoid_duration, travel, limits.speed, limits.acceleration))
    # With limited jerk full acceleration takes 0.1 s to come and to go, else 0.02 s: each ramp is longer by that.
    assert least <= motion.duration <= (least + 2.0 * (0.1 if jerk else 0.02)) * 1.002


@settings(max_examples=10, deadline=None)
@given(places)
def test_an_arm_follows_as_long_as_it_can_and_comes_to_rest(place):
    x, y, z, turn, speed, acceleration, late = place
    goal = on_belt(Pose.from_xyz(x, y, z) @ DOWN @ Pose.from_axis_angle((0, 0, 1), turn), speed, acceleration, late)
    hand, limits = arm(), limits_of(PUMA)
    try:
        met = meet_by_joints(hand, at_rest(START), goal, choose(PUMA), limits)
    except Unreachable:
        return
    begin = met.motion.duration
    found = pursue(hand, goal, begin, met.motion.end, limits)
    motion = found.motion
    require_on(hand, motion, goal, begin, found.until)
    require_kept(motion, limits)
    assert np.abs(motion.velocity(motion.duration)).max() < 1e-9
    assert np.abs(motion.velocity_jumps()[1:-1]).max(initial=0.0) < 1e-6
    assert motion.duration * 1e9 == pytest.approx(round(motion.duration * 1e9), abs=1e-4)
    assert found.ends or found.until == pytest.approx(10.0)


def test_an_arm_with_joints_to_spare_follows_too():
    q = np.radians([20.0, 40.0, 10.0, -70.0, 5.0, 60.0, 0.0])
    hand, limits = arm(IIWA), limits_of(IIWA)
    goal = on_belt(Pose(hand.poses(q[None])[0]), 0.15, 0.5)
    found = pursue(hand, goal, 0.0, q, limits, window=2.0)
    assert found.until > 1.0
    require_on(hand, found.motion, goal, 0.0, found.until)
    met = meet_by_joints(hand, at_rest(q), goal, choose(IIWA), limits)
    require_kept(met.motion, limits)


def test_a_place_on_a_turntable_is_met_and_followed():
    hand, limits = arm(), limits_of(PUMA)
    base = Pose.from_xyz(0.1, 0.6, -0.6)
    X = (base @ Pose(TABLE.frames([0.0, 0.0])[2])).inverse() @ Pose.from_xyz(0.1, 0.5, 0.25) @ DOWN
    rows = np.zeros((1, 2, 2))
    rows[0, 1, 1] = 0.3
    course = Trajectory(np.array([0.0, 1e3]), rows)
    goal = CarriedPose(lambda Q: base.matrix @ TABLE.frames_batch(Q)[:, 2] @ X.matrix, course, 0.0)
    met = meet_by_joints(hand, at_rest(START), goal, choose(PUMA), limits)
    found = pursue(hand, goal, met.motion.duration, met.motion.end, limits)
    assert found.until > 1.0
    require_on(hand, found.motion, goal, met.motion.duration, found.until)


def test_a_part_that_is_not_there_yet_is_waited_for():
    goal = on_belt(Pose.from_xyz(-3.0, 0.5, 0.2) @ DOWN, 0.2, 0.75, late=1.0)
    hand, limits = arm(), limits_of(PUMA)
    first = StandingPose(Pose(hand.poses(START[None])[0]))
    for met in (
        meet_by_joints(hand, at_rest(START), goal, choose(PUMA), limits),
        meet_along_line(hand, at_rest(START), first, goal, limits),
    ):
        assert met.motion.duration > 10.0
        require_kept(met.motion, limits)
        end = goal.states(np.array([met.motion.duration]), np.array([False]))[0, 0, :3]
        assert np.linalg.norm(hand.poses(met.motion.end[None])[0, :3, 3] - end) < 1e-6


def test_a_part_that_runs_away_is_refused_with_when_and_where_reach_ends():
    goal = on_belt(Pose.from_xyz(0.55, 0.5, 0.2) @ DOWN, 0.9, 50.0, late=1.0)
    hand = arm()
    with pytest.raises(Unreachable) as caught:
        meet_by_joints(hand, at_rest(START), goal, choose(PUMA), limits_of(PUMA))
    until = caught.value.evidence["until"]
    assert f"until {until:.3f} s from now" in str(caught.value)
    for time, there in ((until - 1e-4, True), (until + 1e-4, False)):
        tool = hand.tools(goal.states(np.array([time]), np.array([False])))[0][0]
        assert bool(PUMA.ik(Pose(tool)).within_limits.any()) is there


def test_what_never_comes_into_reach_is_refused():
    goal = on_belt(Pose.from_xyz(0.0, 3.0, 0.2) @ DOWN, 0.2, 0.75)
    with pytest.raises(Unreachable, match="out of reach for the next 60 s"):
        meet_by_joints(arm(), at_rest(START), goal, choose(PUMA), limits_of(PUMA))


@settings(max_examples=20, deadline=None)
@given(st.floats(0.05, 0.9), st.floats(0.5, 3.0), st.floats(-0.2, 0.2))
def test_an_approach_that_is_planned_anew_on_its_way_is_the_same(part, took, speed):
    here, there = Pose.from_xyz(0.4, 0.1, 0.3) @ DOWN, Pose.from_xyz(0.45, 0.3, 0.1) @ DOWN
    first, goal = on_belt(here, speed or 0.1, 0.5, 9.0), on_belt(there, speed or 0.1, 0.5, 9.0)
    blend, flags, now = Blend(first, goal, 0.0, took), np.zeros(50, dtype=np.bool_), part * took
    later = CarriedPose(goal.forward, goal.course, goal.late + now)
    anew = Approach(blend.states(np.array([now]), flags[:1])[:, 0], later, took - now)
    times = np.linspace(0.0, took - now, 50)
    found, wanted = anew.states(times, flags), blend.states(now + times, flags)
    for order, close in enumerate((1e-9, 1e-8, 1e-6)):
        assert np.abs(found[order] - wanted[order]).max() < close
    rates = np.gradient(found[0], times, axis=0)[5:-5]
    assert np.abs(rates - found[1][5:-5]).max() < 0.02


@settings(max_examples=20, deadline=None)
@given(st.floats(0.1, 0.6), st.sampled_from([1.0, 0.5, 0.0]))
def test_an_approach_that_eases_has_the_derivatives_that_it_says(ease, kept):
    goal = on_belt(Pose.from_xyz(0.45, 0.3, 0.1) @ DOWN, 0.1, 0.5, 9.0)
    start = goal.states(np.zeros(1), np.zeros(1, dtype=np.bool_))[:, 0]
    start[0, :3] += (0.02, -0.1, 0.2)
    start[1, :3] += (0.1, 0.05, -0.2)
    start[2, :3] += (0.0, 0.5, 1.0)
    approach = Approach(start, goal, 1.5, ease, kept)
    times = np.linspace(0.0, 1.5, 6001)
    x, v, a = approach.states(times, np.zeros(len(times), dtype=np.bool_))
    assert np.abs(np.stack([x[0], v[0], a[0]]) - start).max() < 1e-9
    assert np.abs(np.gradient(x, times, axis=0) - v)[1:-1].max() < 1e-4
    assert np.abs(np.gradient(v, times, axis=0) - a)[1:-1].max() < 1e-2
    end = goal.states(times[-1:], np.zeros(1, dtype=np.bool_))[:, 0]
    assert np.abs(np.stack([x[-1], v[-1], a[-1]]) - end).max() < 1e-9


@pytest.mark.parametrize("straight", [True, False])
@pytest.mark.parametrize("part", [0.15, 0.5, 0.85])
def test_an_arm_on_its_way_keeps_its_limits_when_the_belt_is_another(part, straight):
    hand, slow = arm(), limits_of(PUMA)
    slow = Limits(np.full(6, 0.6), slow.acceleration, None, slow.position)
    away = Pose(hand.poses(START[None])[0])
    here, place = (Pose.from_rotation(away.rotation, xyz) for xyz in ((0.3, 0.45, 0.3), (0.25, 0.5, 0.1)))
    start = chosen(PUMA, here @ hand.X_tool_hand.inverse(), "nearest", START)
    stands = StandingPose(place)
    if straight:
        planned = meet_along_line(hand, at_rest(start), StandingPose(here), stands, slow).motion
    else:
        planned = meet_by_joints(hand, at_rest(start), stands, choose(PUMA), slow).motion
    now = part * planned.duration
    present = planned.present(now)
    goal = on_belt(place, -0.1, 0.5)
    if straight:
        state = CarriedPose(hand.poses, planned, now).states(np.zeros(1), np.zeros(1, dtype=np.bool_))[:, 0]
        met = meet_anew(hand, present, state, goal, slow).motion
    else:
        met = meet_by_joints(hand, present, goal, choose(PUMA), slow).motion
    require_kept(met, slow)
    for found, wanted, close in zip(met.present(0.0), present, (1e-8, 1e-6, 1e-4), strict=True):
        assert np.abs(found - wanted).max() < close
    end = goal.states(np.array([met.duration]), np.zeros(1, dtype=np.bool_))[0]
    assert np.abs(hand.poses(met.end[None])[0, :3, 3] - end[0, :3]).max() < 1e-6
    assert met.duration < 2.0 * planned.duration
