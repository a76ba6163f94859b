"""Slow-down zones slow the moves that pass through them, on the same path and within the same limits."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.collision.bodies import collision_model
from workcell.collision.zones import entered_batch, zones_of
from workcell.simulation.simulator import Simulator

DOOR = "add zone door box 400 400 2000 at 900,-700,1000 rule slow-down speed 0.2"
START = "0,0,-90,0,90,0"
GOAL = np.radians([-120.0, 20.0, -70.0, 0.0, 90.0, 30.0])
PROFILES = ("linear", "345", "spline", "trapezoid", "jerk", "time-optimal")


@pytest.fixture
def arm(cell):
    cell.do(f"create robot Puma puma560 joints {START}")
    cell.do("speed Puma 0.9rad/s")
    return cell


def moved(cell, profile: str, mode: str = "path"):
    simulator = Simulator(cell, mode)
    plans = []
    make = simulator._make
    simulator._make = lambda moves: (plans.extend(simulator._slowed(moves)), make(moves))[1]
    duration = simulator.robot("Puma").move_joints_absolute(GOAL, profile)
    (plan,) = plans
    return simulator, plan, duration


@pytest.mark.parametrize("profile", PROFILES)
def test_a_move_keeps_its_way_and_its_limits_and_is_slow_in_the_zone(arm, profile):
    _, free, quick = moved(arm, profile)
    arm.do(DOOR)
    simulator, plan, slow = moved(arm, profile)
    zones = zones_of(arm.snapshot())
    inside = entered_batch(
        collision_model(simulator.snapshot, zones=zones), {"Puma": free.motion.sample(np.linspace(0.0, quick, 4001))}
    )["door"]
    stay = inside.mean() * quick
    # In it at a fifth of the speed; smooth profiles need a little more for slowing down before it and speeding up after.
    least = quick + 4.0 * stay
    assert slow >= least - 2e-3
    assert slow <= (least + 5e-3 if profile == "linear" else 1.25 * least)
    assert plan.limited == "slow-down zone door"
    assert simulator.recording.moves[-1].limited == "slow-down zone door"
    # The same way: every place is one of the quick move.
    times = np.linspace(0.0, slow, 900)
    rows, way = plan.motion.sample(times), free.motion.sample(np.linspace(0.0, quick, 20001))
    gaps = np.abs(rows[:, None, 0] - way[None, :, 0]).argmin(axis=1)
    assert np.abs(rows - way[gaps]).max() < 2e-4
    assert np.array_equal(plan.at(slow), GOAL)
    # Within the limits of the joints at every instant, and a fifth as fast where the zone is.
    robot = simulator.snapshot.robot("Puma").robot
    assert (plan.motion.max_speed() <= free.motion.max_speed() + 1e-12).all()
    if profile != "linear":
        assert (plan.motion.max_acceleration() <= robot.accelerations).all()
        assert np.abs(plan.motion.velocity_jumps()).max() < 1e-9
    if profile == "jerk":
        assert (plan.motion.max_jerk() <= robot.accelerations / 0.1).all()
    there = entered_batch(collision_model(simulator.snapshot, zones=zones), {"Puma": rows})["door"]
    speeds = np.abs(plan.motion.sample(times, 1))[there]
    assert speeds.max() <= 0.2 * free.motion.max_speed().max() * (1.0 + 1e-9)


def test_the_recording_says_where_the_robot_is_while_it_is_slowed(arm):
    arm.do(DOOR)
    simulator, plan, duration = moved(arm, "trapezoid")
    for time in np.linspace(0.0, duration, 57):
        read = simulator.recording.state_at(float(time)).joints["Puma"]
        assert np.abs(read - plan.at(float(time))).max() < 2e-5


def test_joint_by_joint_the_clock_runs_slower_where_it_runs(arm):
    quick = moved(arm, "linear", "joint-by-joint")[2]
    arm.do(DOOR)
    simulator, _, slow = moved(arm, "linear", "joint-by-joint")
    assert slow > 1.2 * quick
    assert simulator.time == pytest.approx(slow)
    assert np.array_equal(simulator.state.joints["Puma"], GOAL)


def test_robots_that_start_together_stay_in_step(arm):
    arm.do("default-profile linear")
    arm.do("create robot Other puma560 at 0,3000,0")
    turn = "together move-joints-absolute Puma -120,0,-90,0,90,0 & move-joints-relative Other -60,0,0,0,0,0"
    arm.do("speed Other 0.9rad/s")
    before = arm.do(turn)
    arm.do("reset")
    arm.do(DOOR)
    after = arm.do(turn)
    assert [one.limited for one in after.moves] == ["slow-down zone door"] * 2
    assert after.moves[0].duration > 1.2 * before.moves[0].duration
    assert after.time == pytest.approx(after.moves[0].duration)
    # Wherever the one is, the other is where it was before.
    for time in np.linspace(0.0, after.time, 40):
        joints = arm.session.simulator.recording.state_at(float(time)).joints
        gone = joints["Puma"][0] / np.radians(-120.0) * 2.0
        assert joints["Other"][0] == pytest.approx(np.radians(-60.0) * min(gone, 1.0), abs=2e-5)


def test_a_zone_that_is_missed_changes_nothing(arm):
    _, _, quick = moved(arm, "jerk")
    arm.do("add zone far box 100 100 100 at 0,0,4000 rule slow-down")
    arm.do("add zone elsewhere box 400 400 2000 at 900,-700,1000 rule slow-down for Puma")
    arm.do("create robot Other puma560 at 0,3000,0")
    arm.do("modify elsewhere robots Other")
    _, plan, slow = moved(arm, "jerk")
    assert slow == quick
    assert "zone" not in plan.limited


def test_commands_slow_down_and_undo_and_replay_agree(arm):
    quick = arm.do("move-joints-absolute Puma -120,0,-90,0,90,0").duration
    arm.do("reset")
    arm.do(DOOR)
    slow = arm.do("move-joints-absolute Puma -120,0,-90,0,90,0")
    assert slow.duration > 1.2 * quick
    assert slow.limited == "slow-down zone door"
    assert arm.replayed().database.rows() == arm.database.rows()
    arm.do("reset")
    arm.do("remove zone:door --deep")
    assert arm.do("move-joints-absolute Puma -120,0,-90,0,90,0").duration == quick


def test_a_robot_that_stands_in_a_zone_slows_no_other(arm):
    quick = moved(arm, "trapezoid")[2]
    arm.do("create robot Other ur5e at 3000,0,0")
    arm.do("add zone z box 300 300 2000 at 3000,0,500 rule slow-down speed 0.1")
    assert moved(arm, "trapezoid")[2] == quick
