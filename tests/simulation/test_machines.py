"""Machines: robots and mechanisms whose joints are one row and move in one timing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, JointLimit, MotionStop, Refused, UnknownName
from workcell.kinematics.dh import DHRow
from workcell.kinematics.numeric import solve_numeric
from workcell.motion.limits import Limits, violations
from workcell.motion.stacking import stacked
from workcell.robots.robot import Robot
from workcell.simulation.events import GivenUp, RateChanged, SteeringRefused, Superseded
from workcell.simulation.programs import run
from workcell.simulation.recording import Recording
from workcell.simulation.watching import Watch
from workcell.spatial.pose import Pose

CELL = """
add rail track 3000
create robot Arm irb1600
mount Arm on track
add positioner Table at 1500,2500,0
create machine Cell of track of Arm of Table
"""
PROFILES = ("linear", "345", "trapezoid", "jerk", "time-optimal")
NAMES = ("track", "Arm", "Table")


@pytest.fixture(scope="module")
def snapshot():
    with wc.Cell() as cell:
        for line in CELL.strip().splitlines():
            cell.do(line)
        yield cell.snapshot()


def random_joints(rng, machine):
    low, high = machine.limits.T
    low, high = np.maximum(low, -2.5), np.minimum(high, 2.5)
    return low + (high - low) * rng.uniform(0.1, 0.9, machine.n)


def require_limits(recording, snapshot, jerk=False, names=NAMES):
    """Speeds, accelerations and ranges of all joints, on the polynomials of what was recorded."""
    for name in names:
        robot = snapshot.robot(name).robot
        limits = Limits(robot.speeds, robot.accelerations, position=robot.limits)
        for piece in recording.way(name).pieces:
            made = piece.window(piece.begin, piece.end)
            if hasattr(made, "path"):
                times = np.linspace(0.0, made.duration, 200)
                assert (np.abs(made.sample(times, 1)) <= robot.speeds * (1 + 1e-9)).all()
                assert (np.abs(made.sample(times, 2)) <= robot.accelerations * (1 + 1e-6)).all()
            elif made.duration > 1e-9:
                assert violations(made, limits) == ()


@pytest.mark.parametrize("profile", PROFILES)
def test_all_joints_of_a_machine_start_and_arrive_together_within_their_limits(snapshot, profile):
    rng = np.random.default_rng(3)
    sim = wc.Simulator(snapshot)
    machine = sim.machine("Cell")
    assert machine.robot.n == 9
    for _ in range(4):
        goal = random_joints(rng, machine.robot)
        before = sim.now
        took = machine.move_joints_absolute(goal, profile)
        assert np.array_equal(machine.joints, goal)
        last = sim.recording.moves[-3:]
        assert {one.device for one in last} == set(NAMES)
        assert {(one.start, one.end) for one in last} == {(before, sim.now)}
        assert took == pytest.approx(sim.now - before, abs=1e-12)
        # One timing: every joint has gone the same share of its way, but for curves of their own.
        whole = [sim.recording.way(name).pieces[-1].motion for name in NAMES]
        both = stacked(stacked(whole[0], whole[1]), whole[2])
        middle = both.sample(np.linspace(0.0, both.duration, 50))
        share = (middle - middle[0]) / (middle[-1] - middle[0])
        assert np.ptp(share, axis=1).max() < 1e-6
    if profile != "linear":
        require_limits(sim.recording, snapshot)
    else:
        for name in NAMES:
            robot = snapshot.robot(name).robot
            for piece in sim.recording.way(name).pieces:
                assert (piece.motion.max_speed() <= robot.speeds * (1 + 1e-9)).all()


def test_no_move_is_faster_than_its_slowest_joint_allows(snapshot):
    sim = wc.Simulator(snapshot)
    machine = sim.machine("Cell")
    slow = machine.move_joints_relative([1.0, *[0.0] * 8], "trapezoid")
    sim.robot("track").speed(0.1)
    slower = machine.move_joints_relative([-1.0, *[0.0] * 8], "trapezoid")
    # At 0.1 m/s and 2.5 m/s²: 10 s and the time that the speed takes to build up.
    assert slower == pytest.approx(10.0 + 0.1 / snapshot.robot("track").robot.accelerations[0], abs=1e-6)
    assert slow < 2.0


def test_what_is_wrong_is_refused_in_a_sentence(snapshot):
    sim = wc.Simulator(snapshot)
    machine = sim.machine("Cell")
    with pytest.raises(InvalidValue, match="Cell has 9 joints"):
        machine.move_joints_absolute([0.0] * 8)
    with pytest.raises(InvalidValue, match="finite"):
        machine.move_joints_absolute([math.nan] * 9)
    with pytest.raises(JointLimit, match=r"Joint 1 \(travel of track\) of Cell would be 500 mm out of its range"):
        machine.move_joints_absolute([3.5, *[0.0] * 8])
    with pytest.raises(UnknownName, match="machine"):
        sim.machine("Zell")
    with pytest.raises(Refused, match="one timing; use `mode path`"):
        wc.Simulator(snapshot, mode="joint-by-joint").machine("Cell").move_joints_relative([0.1] * 9)
    assert sim.time == 0.0


# ---- the chain through the rail ---------------------------------------------------------------------------


def railed(arm):
    """The same arm whose rail is its own first joint: seven DH rows, solved by iteration."""
    # z of frame 0 is the rail's x, and its x the world's y; a twist of −90° brings z up again, turned by 90°.
    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    first = DHRow(0.0, 0.0, 0.0, -math.pi / 2, True)
    one, *rest = arm.rows
    on = DHRow(one.theta - math.pi / 2, one.d + arm.chain.X_base_0.xyz[2], one.a, one.alpha)
    limits = np.vstack([[0.0, 3.0], arm.limits])
    base = Pose.from_rotation(turn, [0.0, 0.0, 0.25])
    return Robot.from_dh([first, on, *rest], "railed", base=base, tool=arm.chain.X_n_tool, limits=limits)


def test_the_hand_is_where_an_arm_has_it_whose_rail_is_its_first_joint(snapshot):
    arm = snapshot.robot("Arm").robot
    assert np.allclose(arm.chain.X_base_0.rotation, np.eye(3))
    oracle = railed(arm)
    rng = np.random.default_rng(5)
    sim = wc.Simulator(snapshot)
    machine = sim.machine("Cell")
    for _ in range(100):
        goal = random_joints(rng, machine.robot)
        machine.set_joints(goal)
        assert np.allclose(sim.robot("Arm").tool_pose.matrix, oracle.fk(goal[:7]).matrix, atol=1e-12)
    found = solve_numeric(oracle.chain, sim.robot("Arm").tool_pose, oracle.limits, goal[:7] + 0.02)
    machine.set_joints(np.append(found.q, goal[7:]))
    assert np.allclose(sim.robot("Arm").tool_pose.matrix, oracle.fk(goal[:7]).matrix, atol=1e-9)


# ---- steering -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["Cell", *NAMES])
def test_a_machine_is_held_slowed_and_stopped_by_any_of_its_names(snapshot, named):
    found = []
    for name in ("Cell", named):
        sim = wc.Simulator(snapshot)
        machine = sim.machine("Cell")

        def work(sim, machine=machine):
            with pytest.raises(MotionStop):
                yield machine.move_joints_absolute([2.0, 1.0, 0.3, 0.2, 0.5, 0.4, 0.1, 0.5, 1.0], "jerk")

        def change(sim, name=name):
            yield 0.5
            assert len(sim.hold(name)) == 3
            yield 1.0
            assert all(sim.drives[one].rate == 0.0 for one in NAMES)
            sim.override(40)
            sim.resume(name)
            yield 0.2
            sim.override(90)
            yield 0.2
            sim.stop(name)

        run(sim, {"work": work, "change": change})
        require_limits(sim.recording, snapshot)
        assert [e.device for e in sim.recording.events if isinstance(e, GivenUp)] == list(NAMES)
        changes = [event for event in sim.recording.events if isinstance(event, RateChanged)]
        assert len(changes) == 12
        found.append(sim.recording.to_bytes())
    assert found[0] == found[1]


def test_an_override_of_one_member_slows_the_machine(snapshot):
    sim = wc.Simulator(snapshot)
    machine = sim.machine("Cell")
    full = machine.move_joints_relative([0.5, *[0.1] * 8])
    sim.override(50, "Table")
    assert machine.move_joints_relative([-0.5, *[-0.1] * 8]) == pytest.approx(2.0 * full, abs=2e-9)
    sim.override(100, "Cell")
    assert machine.move_joints_relative([0.5, *[0.1] * 8]) == pytest.approx(full, abs=1e-9)


def superseded(snapshot, seed, count):
    """Random moves of a machine that get other joint values on their way."""
    rng = np.random.default_rng(seed)
    done = refused = 0
    while done < count:
        sim = wc.Simulator(snapshot)
        machine = sim.machine("Cell")
        profile = PROFILES[rng.integers(len(PROFILES))]
        goal = random_joints(rng, machine.robot)
        targets = [random_joints(rng, machine.robot) for _ in range(3)]
        times = np.sort(rng.uniform(0.05, 1.5, 3)).round(9)
        last = [goal]

        def work(sim, machine=machine, goal=goal, profile=profile):
            yield machine.move_joints_absolute(goal, profile)

        def change(sim, machine=machine, times=times, targets=targets, last=last):
            nonlocal done, refused
            before = 0.0
            for time, target in zip(times.tolist(), targets, strict=True):
                yield time - before
                before = time
                done += 1
                if "Arm" not in sim.drives:
                    return
                try:
                    answers = machine.supersede(target)
                except JointLimit:
                    refused += 1
                    continue
                assert [one.device for one in answers] == list(NAMES)
                last[0] = target

        run(sim, {"work": work, "change": change})
        assert np.array_equal(machine.joints, last[0])
        recording = Recording.from_bytes(sim.recording.to_bytes())
        assert recording.state_at(sim.now) == sim.state
        for name in NAMES:
            robot = snapshot.robot(name).robot
            for piece in recording.way(name).pieces[1:]:
                made = piece.window(piece.begin, piece.end)
                low, high = made.range()
                assert (low >= robot.limits[:, 0] - 1e-9).all()
                assert (high <= robot.limits[:, 1] + 1e-9).all()
                assert (made.max_acceleration() <= robot.accelerations * (1.0 + 1e-9)).all()
                assert (made.max_speed() <= robot.speeds * (1.0 + 1e-9)).all()
        ends = {recording.way(name).pieces[-1].end for name in NAMES}
        assert len(ends) == 1
        assert sum(isinstance(event, Superseded) for event in recording.events) % 3 == 0
    return refused


def test_new_joint_values_on_the_way_keep_limits_and_arrive_together(snapshot):
    superseded(snapshot, 7, 30)


@pytest.mark.soak
def test_new_joint_values_for_a_machine_at_length(snapshot):
    refused = superseded(snapshot, 8, 2000)
    print(f"a machine of 9 joints superseded at 2,000 random instants, {refused} had no room to brake: limits kept")


def test_a_machine_that_stands_partly_goes_elsewhere_as_a_whole(snapshot):
    sim = wc.Simulator(snapshot)
    machine = sim.machine("Cell")
    target = np.array([1.0, 0.2, -0.2, 0.1, 0.3, 0.4, 0.0, 0.3, -0.5])

    def work(sim):
        yield sim.robot("track").move_joints_absolute([2.0], "trapezoid")

    def change(sim):
        yield 0.5
        machine.supersede(target)

    run(sim, {"work": work, "change": change})
    assert np.array_equal(machine.joints, target)
    with pytest.raises(Refused, match="Cell is at rest"):
        machine.supersede(target)


def test_a_watched_machine_refuses_values_behind_a_wall_as_a_whole():
    with wc.Cell() as cell:
        for line in CELL.strip().splitlines():
            cell.do(line)
        cell.do("add solid wall box 50 2000 3000 at 2600,0,1500")
        sim = wc.Simulator(cell)
    sim.watch = Watch(sim.snapshot)
    machine = sim.machine("Cell")
    goal = machine.joints.copy()
    goal[0] = 0.8
    answers = []

    def work(sim):
        yield machine.move_joints_absolute(goal, "trapezoid")

    def change(sim):
        yield 0.3
        behind = goal.copy()
        behind[0] = 3.0
        answers.extend(machine.supersede(behind))

    run(sim, {"work": work, "change": change})
    assert all("wall" in one.refused for one in answers)
    assert np.array_equal(machine.joints, goal)
    assert sum(isinstance(event, SteeringRefused) for event in sim.recording.events) == 3
