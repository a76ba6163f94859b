"""Devices that move in one timing: what is done to one is done to all, and the tool stays on the work."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.errors import CollisionStop, MotionStop, Refused
from workcell.motion.time_law import PacedMotion
from workcell.simulation.coordinated import coordinate, perform
from workcell.simulation.events import CallbackFailed, GivenUp, RateChanged, Superseded
from workcell.simulation.interpreter import Run
from workcell.simulation.programs import run
from workcell.simulation.recording import Recording
from workcell.simulation.saved_runs import SavedRun
from workcell.simulation.watching import Watch
from workcell.spatial.pose import Pose

FLANGE = """
create robot Arm irb140 at 0,0,600
add positioner Table at 700,0,0
create block plate box 300 300 12
create block pipe cylinder 70 120
combine flange union plate pipe translate 0,0,66
place flange at 700,0,918
create tool torch
fit tool torch to Arm tcp 0,0,250
targets along-edge flange plate.top add1:pipe.side to seam spacing 20 tilt 10 gap 2 --even
ride flange on Table
keep state
"""
BOTH = ("Arm", "Table")


@pytest.fixture(scope="module")
def cell():
    with wc.Cell() as cell:
        for line in FLANGE.strip().splitlines():
            cell.do(line)
        yield cell


@pytest.fixture(scope="module")
def welding(cell):
    """A snapshot, a fast weld around the pipe, and the state in which it begins."""
    sim = wc.Simulator(cell)
    radius, tilt = 0.037, math.radians(40)
    poses = []
    for angle in np.linspace(0.0, 1.6 * math.pi, 17):
        out = np.array([math.cos(angle), math.sin(angle), 0.0])
        z = -math.sin(tilt) * out - math.cos(tilt) * np.array([0.0, 0.0, 1.0])
        x = np.array([-math.sin(angle), math.cos(angle), 0.0])
        poses.append(Pose.from_rotation(np.column_stack([x, np.cross(z, x), z]), radius * out + [0, 0, 0.006]))
    plan = coordinate(sim, "Arm", "Table", "flange", poses, speed=0.2, downhand=math.pi)
    assert np.abs(plan.mechanism_motion.end - plan.mechanism_motion.start).max() > 0.5
    ready = sim.state.with_joints("Arm", plan.robot_motion.start).with_joints("Table", plan.mechanism_motion.start)
    return sim.snapshot, plan, ready


def tool_on_work(snapshot, state):
    place = [one.name for one in snapshot.bodies].index("flange")
    return np.linalg.inv(snapshot.body_poses(state)[place]) @ snapshot.tool_pose(state, "Arm").matrix


def require_on_work(snapshot, plan, state, recording, count=400):
    """The tool is on the work where the undisturbed weld has it, at the place that the arm's law says."""
    way = recording.way("Arm")
    arm, table = snapshot.robot("Arm").robot, snapshot.robot("Table").robot
    worst = 0.0
    for piece in way.pieces:
        motion = piece.motion
        if not isinstance(motion, PacedMotion):
            continue
        for time in np.linspace(piece.begin, piece.end, max(count // len(way.pieces), 4)):
            s = motion.law.place(time - piece.since) * plan.duration / motion.path.duration
            there = state.with_joints("Arm", plan.robot_motion.position(s)).with_joints(
                "Table", plan.mechanism_motion.position(s)
            )
            off = tool_on_work(snapshot, recording.state_at(float(time))) - tool_on_work(snapshot, there)
            worst = max(worst, float(np.abs(off).max()))
    for name, robot in (("Arm", arm), ("Table", table)):
        for piece in recording.way(name).pieces:
            motion = piece.motion
            if motion.duration < 1e-6:
                continue
            times = np.linspace(max(piece.begin - piece.since, 0.0), piece.end - piece.since, 80)
            path = motion.path if isinstance(motion, PacedMotion) else motion
            top = np.maximum(robot.accelerations, path.peaks[1])
            assert (np.abs(motion.sample(times, 1)) <= robot.speeds * (1.0 + 1e-9)).all()
            assert (np.abs(motion.sample(times, 2)) <= top * (1.0 + 1e-6)).all()
    assert worst <= 1e-9
    return worst


def meddle(sim, rng, duration, changes):
    """A program that changes the rate at random instants, naming either device or all."""
    times = np.sort(rng.uniform(0.0, 2.0 * duration, changes)).round(9)

    def program(sim):
        before = 0.0
        for time in times.tolist():
            yield time - before
            before = time
            drive = sim.drives.get("Arm")
            if drive is None:
                return
            name = ("Arm", "Table", "")[rng.integers(3)]
            if drive.rate == 0.0:
                sim.resume(name)
            elif rng.integers(3) == 0:
                sim.hold(name)
            else:
                sim.override(float(rng.uniform(1.0, 100.0)), name)
        sim.override(100)
        sim.resume()

    return program


def meddled(welding, seed, changes=50):
    snapshot, plan, ready = welding
    sim = wc.Simulator(snapshot, state=ready)

    def work(sim):
        yield perform(sim, plan)

    run(sim, {"work": work, "meddle": meddle(sim, np.random.default_rng(seed), plan.duration, changes)})
    recording = Recording.from_bytes(sim.recording.to_bytes())
    assert recording.state_at(sim.now) == sim.state
    assert np.array_equal(sim.state.joints["Arm"], plan.robot_motion.end)
    assert np.array_equal(sim.state.joints["Table"], plan.mechanism_motion.end)
    first, second = recording.moves
    assert (first.start, first.end) == (second.start, second.end)
    return sim, recording


@pytest.mark.parametrize("seed", [1, 2])
def test_fifty_changes_of_the_rate_leave_the_tool_on_the_work(welding, seed):
    sim, recording = meddled(welding, seed)
    changed = [event for event in recording.events if isinstance(event, RateChanged)]
    assert len(changed) > 40
    # Each change is one of both, at one instant, by one law.
    for one, other in zip(changed[::2], changed[1::2], strict=True):
        assert (one.device, other.device) == BOTH
        assert (one.time, one.rate, one.delay) == (other.time, other.rate, other.delay)
    for one, other in zip(recording.way("Arm").pieces, recording.way("Table").pieces, strict=True):
        assert (one.begin, one.end, one.since) == (other.begin, other.end, other.since)
    require_on_work(sim.snapshot, welding[1], welding[2], recording)


@pytest.mark.soak
def test_changes_of_the_rate_of_a_weld_at_length(welding):
    worst, count = 0.0, 0
    for seed in range(40):
        sim, recording = meddled(welding, 100 + seed)
        count += sum(isinstance(event, RateChanged) for event in recording.events) // 2
        worst = max(worst, require_on_work(sim.snapshot, welding[1], welding[2], recording, 800))
    print(f"{count} changes of the rate in 40 welds, either device named: tool at most {worst:.2g} m off the work")


def test_whoever_is_named_the_recording_is_the_same(welding):
    snapshot, plan, ready = welding
    found = []
    for name in BOTH:
        sim = wc.Simulator(snapshot, state=ready)

        def work(sim):
            yield perform(sim, plan)

        def change(sim, name=name):
            yield 0.2
            answers = sim.hold(name)
            assert [one.device for one in answers] == [name, *(one for one in BOTH if one != name)]
            with pytest.raises(Refused, match="is already held"):
                sim.hold(next(one for one in BOTH if one != name))
            yield 0.5
            sim.resume(name)

        run(sim, {"work": work, "change": change})
        found.append(sim.recording.to_bytes())
    assert found[0] == found[1]


def test_an_override_of_one_holds_for_the_moves_of_both(welding):
    snapshot, plan, ready = welding
    for name, other in (BOTH, BOTH[::-1]):
        sim = wc.Simulator(snapshot, state=ready)
        sim.override(40, name)
        sim.override(70, other)
        assert perform(sim, plan) == pytest.approx(plan.duration / 0.4, abs=5e-9)
        require_on_work(snapshot, plan, ready, sim.recording)
        assert {(move.start, move.end) for move in sim.recording.moves} == {(0.0, sim.now)}


@pytest.mark.parametrize("named", BOTH)
@pytest.mark.parametrize("how", ["stop", "emergency_stop", "callback", "supersede", "track"])
def test_what_ends_the_move_of_one_ends_it_for_both_on_the_work(welding, named, how):
    snapshot, plan, ready = welding
    sim = wc.Simulator(snapshot, state=ready)
    heard = []

    def work(sim):
        try:
            yield perform(sim, plan)
        except MotionStop as error:
            heard.append(str(error))

    robot = sim.robot(named)
    other = next(one for one in BOTH if one != named)
    target = robot.joints + (0.05 if named == "Arm" else 0.1)

    def broken(sim):
        if sim.time >= 0.3:
            raise ValueError("no reading")

    def change(sim):
        yield 0.3
        if how == "supersede":
            robot.supersede(target)
        elif how == "track":
            assert robot.track(robot.joints)
        else:
            getattr(robot, how)()

    if how == "callback":
        sim.every(0.1, broken, device=named)
        run(sim, {"work": work})
    else:
        run(sim, {"work": work, "change": change})
    recording = Recording.from_bytes(sim.recording.to_bytes())
    assert recording.state_at(sim.now) == sim.state
    assert len(heard) == 1
    given_up = [event.device for event in recording.events if isinstance(event, GivenUp)]
    if how in ("supersede", "track"):
        assert given_up == [other]
        if how == "supersede":
            assert np.array_equal(sim.state.joints[named], target)
            assert any(isinstance(event, Superseded) for event in recording.events)
    else:
        assert given_up == list(BOTH)
    if how == "callback":
        assert any(isinstance(event, CallbackFailed) for event in recording.events)
    if how != "track":
        require_on_work(snapshot, plan, ready, recording)
    assert not sim.drives


def test_an_emergency_stop_on_the_path_takes_no_longer_than_the_slowest_joint_about(welding):
    snapshot, plan, ready = welding
    sim = wc.Simulator(snapshot, state=ready)
    found = []

    def work(sim):
        with pytest.raises(MotionStop, match="emergency stop"):
            yield perform(sim, plan)

    def change(sim):
        yield 0.5
        alone = [np.abs(sim.velocities_of(name)) / snapshot.robot(name).robot.accelerations for name in BOTH]
        found.append((sim.emergency_stop(), np.concatenate(alone).max()))

    run(sim, {"work": work, "change": change})
    steered, alone = found[0]
    assert sorted(one.device for one in steered) == list(BOTH)
    assert alone * (1.0 - 1e-6) <= steered[0].delay <= 2.0 * alone
    require_on_work(snapshot, plan, ready, sim.recording)


SAVED = """
parallel
  weld Arm with Table along seam speed 100mm/s downhand 180
and
  wait 4
  hold-motion Table
  wait 0.2
  override 30 of Arm
  resume-motion Arm
  wait 0.2
  override 100 of Table
  wait 0.1
  override 100
end
"""


def test_a_weld_that_is_steered_is_saved_anywhere_and_goes_on_to_the_same_bytes(cell):
    def begun(simulator):
        return Run(simulator, [read_program("main", SAVED).program])

    run = begun(wc.Simulator(cell))
    run.go()
    whole = run.simulator.recording.to_bytes(sources=True)
    assert sum(isinstance(one, RateChanged) for one in run.simulator.recording.events) == 8
    back = begun(wc.Simulator(cell))
    back.go(lambda thread, _: thread.frame.place.line == 7)
    assert {name: back.simulator.drives[name].rate for name in BOTH} == {"Arm": 0.0, "Table": 0.0}
    moment = back.moment()
    for line in range(5, 14):
        run = begun(wc.Simulator(cell))
        run.go(lambda thread, _, line=line: thread.frame.place.line == line)
        assert run.standing is not None
        run = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell))
        run.go()
        assert run.simulator.recording.to_bytes(sources=True) == whole, line
    back.go()
    back.return_to(moment)
    back.go()
    assert back.simulator.recording.to_bytes(sources=True) == whole


def test_a_watched_weld_stops_as_a_whole_before_a_contact(welding):
    snapshot, plan, ready = welding
    times = np.linspace(0.0, plan.duration, 2000)
    turned = np.abs(plan.mechanism_motion.sample(times)[:, 1] - plan.mechanism_motion.start[1])
    time = float(times[np.argmax(turned > math.radians(45))])
    middle = ready.with_joints("Table", plan.mechanism_motion.position(time))
    place = [one.name for one in snapshot.bodies].index("flange")
    x, y, z = (1e3 * (snapshot.body_poses(middle)[place] @ [0.15, 0.15, 0.0, 1.0])[:3]).tolist()
    with wc.Cell() as cell:
        for line in FLANGE.strip().splitlines():
            cell.do(line)
        cell.do(f"add solid rod box 4 4 4 at {x:.3f},{y:.3f},{z:.3f}")
        watched = cell.snapshot()
    begin = watched.initial.with_joints("Arm", ready.joints["Arm"]).with_joints("Table", ready.joints["Table"])
    sim = wc.Simulator(watched, state=begin)
    sim.watch = Watch(watched)
    with pytest.raises(CollisionStop) as caught:
        perform(sim, plan)
    assert set(caught.value.evidence["pair"]) == {"flange", "rod"}
    assert 0.0 < sim.time < time
    assert not sim.drives
    first, second = sim.recording.moves
    assert (first.start, first.end) == (second.start, second.end)
