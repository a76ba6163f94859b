"""Watched motion: by samples or by proof, alone, together and side by side; it stops at the last good instant."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workcell as wc
from workcell.collision.check import check
from workcell.errors import CollisionStop, UnknownName
from workcell.simulation.programs import Seen, run
from workcell.simulation.watching import METHODS, Watch
from workcell.spatial.pose import Pose

TURN = [math.radians(60), 0, 0, 0, 0, 0]


@pytest.fixture
def posted():
    """A Puma with a post in its way."""
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do("add solid post box 50 50 1400 at 550,150,700")
        yield cell


def watched(cell, method, **more):
    sim = wc.Simulator(cell)
    sim.watch = Watch(sim.snapshot, method=method, **more)
    return sim


def touches(sim, state):
    return bool(check(sim.watch.model, state).contacts)


@pytest.mark.parametrize("mode", ["path", "joint-by-joint"])
@pytest.mark.parametrize("profile", ["linear", "345"])
@pytest.mark.parametrize("method", METHODS)
def test_a_robot_stops_before_the_contact_and_can_go_back(posted, method, profile, mode):
    sim = watched(posted, method)
    sim.mode = mode
    robot = sim.robot("Puma")
    start = robot.joints
    with pytest.raises(CollisionStop, match=r"Puma stopped at .* post would touch at") as caught:
        robot.move_joints_relative([TURN[0], 0.2, 0, 0, 0, 0], profile=profile)
    error = caught.value
    assert (error.robots, error.undecided) == (("Puma",), False)
    assert "post" in error.pair
    assert error.stopped == sim.time <= error.time
    assert 0.0 < robot.joints[0] - start[0] < TURN[0]
    assert not touches(sim, sim.state)
    assert sim.recording.state_at(sim.time) == sim.state
    assert sim.recording.moves[-1].limited == "stopped"
    robot.move_joints_absolute(start, profile=profile)
    assert np.array_equal(robot.joints, start)


def test_the_proof_stops_earlier_than_the_samples_and_never_later_than_the_contact(posted):
    places = {}
    for method in METHODS:
        sim = watched(posted, method)
        with pytest.raises(CollisionStop) as caught:
            sim.robot("Puma").move_joints_relative(TURN)
        places[method] = (caught.value.stopped, caught.value.time)
    assert places["certified"][0] < places["sampled"][1]
    assert places["sampled"][0] - places["certified"][0] < 0.02


def test_coarse_samples_miss_a_thin_plate_that_the_proof_sees():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid plate box 300 1 300 at 600,300,600")
        sampled = watched(cell, "sampled")
        sampled.step = math.radians(90.0)
        sampled.robot("Puma").move_joints_relative([math.radians(80), 0, 0, 0, 0, 0])
        certified = watched(cell, "certified")
        certified.step = math.radians(90.0)
        with pytest.raises(CollisionStop, match="plate"):
            certified.robot("Puma").move_joints_relative([math.radians(80), 0, 0, 0, 0, 0])


def test_what_touches_already_cannot_start_and_nothing_is_recorded(posted):
    x, y, z = wc.Simulator(posted).robot("Puma").tool_pose.xyz * 1e3
    posted.do(f"add solid crate box 200 200 200 at {x},{y},{z}")
    for method in METHODS:
        sim = watched(posted, method)
        before, data = sim.state, sim.recording.to_bytes()
        with pytest.raises(CollisionStop, match=r"Puma cannot start: .* touch already"):
            sim.robot("Puma").move_joints_relative(TURN)
        assert sim.state is before
        assert sim.recording.to_bytes() == data


def test_a_method_that_is_none_is_refused(posted):
    with pytest.raises(UnknownName, match="way of watching"):
        watched(posted, "hopeful")


@pytest.fixture
def facing():
    """Two Pumas that can reach each other."""
    with wc.Cell() as cell:
        cell.add_robot("puma560", name="A", joints=np.radians([0, 0, -90, 0, 90, 0]))
        cell.add_robot("puma560", name="B", at=Pose.from_xyz(0.0, 1.0, 0.0), joints=np.radians([0, 0, -90, 0, 90, 0]))
        for name in ("ready", "done"):
            cell.do(f"create signal {name}")
        yield cell


@pytest.mark.parametrize("mode", ["path", "joint-by-joint"])
@pytest.mark.parametrize("method", METHODS)
def test_programs_side_by_side_are_watched_and_all_stop_together(facing, method, mode):
    sim = watched(facing, method)
    sim.mode = mode
    for name in "AB":
        sim.robot(name).speed(0.5)

    def first(sim):
        yield 0.5
        yield sim.robot("A").move_joints_relative([1.2, 0, 0, 0, 0, 0])
        sim.set_signal("done", 1)

    def second(sim):
        yield sim.robot("B").move_joints_relative([-0.4, 0, 0, 0, 0, 0])
        yield sim.robot("B").move_joints_relative([-0.8, 0.1, 0, 0, 0, 0])
        yield Seen("done")

    with pytest.raises(CollisionStop, match=r"A and B stopped at") as caught:
        run(sim, {"first": first, "second": second})
    assert {name.split("/")[0] for name in caught.value.pair} == {"A", "B"}
    assert caught.value.stopped == sim.time > 0.8
    assert not touches(sim, sim.state)
    recording = sim.recording
    assert recording.state_at(sim.time) == sim.state
    for time in np.linspace(0.0, sim.time, 60):
        assert not touches(sim, recording.state_at(time))
    assert recording.events[-1].kind == "stop"
    # Both stand, so both can move again.
    sim.robot("A").move_joints_relative([-0.5, 0, 0, 0, 0, 0])
    sim.robot("B").move_joints_relative([0.5, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("method", METHODS)
def test_robots_that_start_together_in_the_joint_by_joint_mode_are_watched_while_the_clock_stands(facing, method):
    sim = watched(facing, method)
    sim.mode = "joint-by-joint"
    a, b = sim.robot("A"), sim.robot("B")
    with sim.together():
        a.move_joints_relative([0.1, 0.3, 0, 0, 0, 0])
        b.move_joints_relative([-0.1, 0.5, 0, 0, 0, 0])
    assert sim.time == pytest.approx(max(0.3 / a._speed, 0.5 / b._speed))
    before = sim.time

    def meet():
        with sim.together():
            # The waists would meet while the clock stands: joint 2 has most travel.
            a.move_joints_relative([1.0, 1.2, 0, 0, 0, 0])
            b.move_joints_relative([-1.0, 1.2, 0, 0, 0, 0])

    with pytest.raises(CollisionStop):
        meet()
    assert sim.time >= before
    assert not touches(sim, sim.state)
    assert sim.recording.state_at(sim.time) == sim.state
