"""Free solids that move along a path: recorded only while they move, watched, carried and gripped."""

from __future__ import annotations

import math

import numpy as np
import pytest
from simulation_poses import down

import workcell as wc
from workcell.errors import CollisionStop, InvalidValue, MotionError, Refused, UnknownName
from workcell.motion.curve import HandCurve
from workcell.simulation.comparison import first_difference
from workcell.simulation.events import SignalSet, kind_of
from workcell.simulation.playback import body_poses
from workcell.simulation.programs import run
from workcell.simulation.recording import Recording
from workcell.simulation.recording_file import RecordingFile, RecordingWriter
from workcell.simulation.watching import METHODS, Watch
from workcell.spatial.pose import Pose


@pytest.fixture
def crates():
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add solid cube box 40 40 40 at 500,-150,20 --movable",
            "add solid wall box 20 400 400 at 900,0,200",
        ):
            cell.do(line)
        yield cell


def turned(x, y, z, angle=0.0):
    return Pose.from_xyz(x, y, z) @ Pose.from_axis_angle((0, 0, 1), angle)


def test_a_solid_goes_straight_turns_evenly_and_keeps_its_speed(crates):
    sim = wc.Simulator(crates)
    took = sim.move_solid("cube", [turned(0.5, 0.05, 0.02, 0.4), turned(0.7, 0.05, 0.02, 0.4)], speed=0.1)
    assert took == pytest.approx(4.0)
    assert sim.state.poses["cube"].xyz == pytest.approx([0.7, 0.05, 0.02])
    recording = Recording.from_bytes(sim.recording.to_bytes())
    assert recording.to_bytes() == sim.recording.to_bytes()
    for time in np.linspace(0.0, 4.0, 97):
        pose = recording.state_at(time).poses["cube"]
        want = (
            turned(0.5, -0.15 + 0.1 * time, 0.02, 0.2 * time)
            if time < 2
            else turned(0.5 + 0.1 * (time - 2), 0.05, 0.02, 0.4)
        )
        metres, radians = pose.distance(want)
        assert metres < 1e-9
        assert radians < 1e-7
        place = [body.name for body in sim.snapshot.bodies].index("cube")
        assert np.allclose(body_poses(sim.snapshot, recording, np.array([time]))[0, place], pose.matrix)
    assert recording.state_at(sim.time) == sim.state
    # Nothing but the cube was stored.
    assert recording.robots == ()
    assert recording.solids == ("cube",)


def test_times_speeds_and_accelerations_are_limits(crates):
    sim = wc.Simulator(crates)
    here = sim.state.poses["cube"]
    there = Pose.from_xyz(0.0, 0.2, 0.0) @ here
    assert sim.move_solid("cube", [there], duration=2.0) == pytest.approx(2.0)
    assert sim.move_solid("cube", [here], duration=3.0, speed=0.1) == pytest.approx(3.0)
    assert sim.move_solid("cube", [there], speed=0.1, acceleration=0.1) == pytest.approx(3.0)
    assert sim.move_solid("cube", [here], duration=4.0, acceleration=0.1) == pytest.approx(4.0)
    # A circle, and corners rounded.
    arc = HandCurve.arc(here, Pose.from_xyz(0.05, 0.05, 0.0) @ here, Pose.from_xyz(0.0, 0.1, 0.0) @ here)
    assert sim.move_solid("cube", arc, speed=0.1) == pytest.approx(0.05 * math.pi / 0.1, rel=1e-6)
    assert np.linalg.norm(sim.recording.state_at(sim.time - 0.2).poses["cube"].xyz - here.xyz - [0, 0.05, 0]) == (
        pytest.approx(0.05, abs=1e-5)
    )
    before, data = sim.state, sim.recording.to_bytes()
    for call, error, words in (
        (
            lambda: sim.move_solid("cube", [here], speed=0.1, duration=0.5),
            MotionError,
            "needs 1.0000 s for 100 mm at no",
        ),
        (lambda: sim.move_solid("cube", [here], acceleration=0.1, duration=0.5), MotionError, "it takes 2.0000 s"),
        (lambda: sim.move_solid("cube", [here]), InvalidValue, "a speed or a time"),
        (lambda: sim.move_solid("cube", [here], speed=0.0), InvalidValue, "above 0 m/s"),
        (lambda: sim.move_solid("cube", [here], duration=-1.0), InvalidValue, "above 0 s"),
        (lambda: sim.move_solid("cube", [], speed=0.1), InvalidValue, "at least one pose"),
        (lambda: sim.move_solid("cube", arc, speed=0.1), MotionError, "The path starts 100 mm and"),
        (lambda: sim.move_solid("wall", [here], speed=0.1), Refused, "not movable"),
        (lambda: sim.move_solid("Puma/hand", [here], speed=0.1), UnknownName, "body"),
        (lambda: sim.move_solid("Puma/base", [here], speed=0.1), Refused, "is a link of Puma"),
    ):
        with pytest.raises(error, match=words):
            call()
        assert sim.state is before
        assert sim.recording.to_bytes() == data


@pytest.mark.parametrize("method", METHODS)
def test_a_solid_is_watched_and_stops_before_the_wall(crates, method):
    sim = wc.Simulator(crates)
    sim.watch = Watch(sim.snapshot, method=method)
    sim.move_solid("cube", [turned(0.6, 0.0, 0.1)], speed=0.1)
    with pytest.raises(CollisionStop, match=r"cube and wall would touch|wall and cube would touch"):
        sim.move_solid("cube", [turned(1.2, 0.0, 0.1)], speed=0.1)
    # Its face stops in front of the wall's.
    assert 0.868 < sim.state.poses["cube"].xyz[0] < 0.87
    assert sim.recording.state_at(sim.time) == sim.state
    sim.move_solid("cube", [turned(0.6, 0.0, 0.1)], speed=0.1)


def test_a_solid_moves_beside_a_robot_and_whoever_takes_it_ends_its_move(crates, tmp_path):
    snapshot = crates.snapshot()

    def played(recorder):
        sim = wc.Simulator(snapshot, recorder=recorder)
        seen = []

        def belt(sim):
            sim.move_solid("cube", [turned(0.5, 0.15, 0.02)], speed=0.05)
            yield 6.0

        def arm(sim):
            yield sim.robot("Puma").move_end_effector(down(0.5, 0.0, 0.02), point="grip")
            seen.append((sim.time, sim.state))
            yield max(3.0 - sim.time, 0.0)
            seen.append((sim.time, sim.state))
            sim.robot("Puma").close_gripper(distance=1.0)
            yield sim.robot("Puma").move_joints_relative([0.2, 0, 0, 0, 0, 0])
            seen.append((sim.time, sim.state))

        sim.robot("Puma").speed(0.9)
        run(sim, {"belt": belt, "arm": arm})
        return sim, seen

    sim, seen = played(None)
    assert "cube" in sim.state.attached
    assert "cube" not in sim.state.poses
    recording = Recording.from_bytes(sim.recording.to_bytes())
    for time, state in seen:
        assert np.allclose(recording.state_at(time).joints["Puma"], state.joints["Puma"], atol=1e-12)
    taken = next(change.time for change in recording.changes if type(change).__name__ == "Attached")
    assert recording.state_at(taken - 0.1).poses["cube"].xyz[1] == pytest.approx(-0.15 + 0.05 * (taken - 0.1))
    move = next(move for move in recording.moves if move.device == "cube")
    assert (move.end, move.limited) == (taken, "stopped")
    # Written to disk in many segments, it reads the same.
    with RecordingWriter(tmp_path / "run.rec", snapshot.initial, every=0.0) as writer:
        played(writer)
    with RecordingFile(tmp_path / "run.rec") as file:
        assert len(file) > 4
        assert first_difference(file.recording(), recording, 1e-12) is None
        for time in np.linspace(0.0, recording.end, 41):
            one, other = file.state_at(time), recording.state_at(time)
            assert one.attached == other.attached
            if "cube" in one.poses:
                assert one.poses["cube"].distance(other.poses["cube"])[0] < 1e-12


def test_recordings_of_solids_that_move_otherwise_differ(crates):
    def moved(height):
        sim = wc.Simulator(crates)
        sim.move_solid("cube", [turned(0.5, 0.0, height), turned(0.5, 0.15, 0.02)], duration=2.0)
        return sim.recording

    assert first_difference(moved(0.02), moved(0.02)) is None
    found = first_difference(moved(0.02), moved(0.05), 1e-6)
    assert found.what == "the way of cube"
    assert found.time < 1.0


@pytest.mark.parametrize("how", ["parallel", "together"])
def test_a_glide_that_a_gripper_ends_holds_its_branch_no_longer(how):
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "create signal done",
            "add solid table box 600 800 100 at 550,0,-50",
            "add solid cube box 40 40 40 at 500,-150,20 --movable",
            "add solid other box 40 40 40 at 900,-150,20 --movable",
        ):
            cell.do(line)
        glide = "move-solid cube through 501,-150,20 in 10s"
        if how == "together":
            glide = f"together {glide} & move-solid other through 900,150,20 in 3s"
        grip = "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip\nclose-gripper Puma"
        cell.do(f"program both\nparallel\n{glide}\nset-signal done 1\nand\n{grip}\nend\nend")
        cell.do("run both")
        events = cell.session.recording.events
        (taken,) = [event.time for event in events if kind_of(event) == "grip"]
        (done,) = [event.time for event in events if isinstance(event, SignalSet) and event.signal == "done"]
        assert taken < 3
        assert done == (taken if how == "parallel" else pytest.approx(3))
        assert cell.state.time == pytest.approx(done)
        assert cell.replayed().state == cell.state


@pytest.mark.parametrize("longer", [0.0, 4.0])
def test_a_glide_that_a_gripper_ends_holds_a_program_in_python_no_longer(longer):
    """Unless that waits for longer than the glide takes, which is a wait of its own."""
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do("add solid cube box 40 40 40 at 500,-150,20 --movable")
        sim, times = wc.Simulator(cell), []

        def slide(sim):
            yield sim.move_solid("cube", [Pose.from_xyz(0.501, -0.15, 0.02)], duration=10.0) + longer
            times.append(sim.time)

        def take(sim):
            puma = sim.robot("Puma")
            yield puma.move_end_effector(down(0.5, -0.15, 0.02), point="grip")
            puma.close_gripper()
            times.append(sim.time)

        run(sim, {"slide": slide, "take": take})
        assert times[0] < 3
        assert times[1] == (10.0 + longer if longer else times[0])
