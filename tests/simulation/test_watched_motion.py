"""Watched motion: by samples or by proof, alone, together and in parallel; it stops at the last good instant."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.errors import CollisionStop, UnknownName
from workcell.simulation.events import StoppedBeforeContact
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
    assert sim.recording.state_at(sim.now) == sim.state
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


def test_both_ways_of_watching_see_a_thin_plate_however_coarsely_it_is_recorded():
    with wc.Cell() as cell:
        cell.do("default-profile linear")  # whose samples are as far apart as the step asks
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid plate box 300 1 300 at 600,300,600")
        for method in METHODS:
            simulator = watched(cell, method)
            simulator.step = math.radians(90.0)
            with pytest.raises(CollisionStop, match="plate"):
                simulator.robot("Puma").move_joints_relative([math.radians(80), 0, 0, 0, 0, 0])


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
    assert recording.state_at(sim.now) == sim.state
    for time in np.linspace(0.0, sim.time, 60):
        assert not touches(sim, recording.state_at(time))
    assert isinstance(recording.events[-1], StoppedBeforeContact)
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
    assert sim.recording.state_at(sim.now) == sim.state


@pytest.mark.parametrize("how", ["yes", "certified"])
def test_a_part_leaves_and_comes_to_its_table_while_another_program_goes_on(how):
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560 joints 0,60,-190,0,40,0",
            "add solid table box 600 800 50 at 550,0,-25",
            "add solid cube box 40 40 40 at 500,-150,20 --movable",
            "create program pick",
            "create program other",
            "margin 30 between cube and table",
            f"watch {how}",
        ):
            cell.do(line)
        moves = [
            "move-end-effector A 500,-150,20 euler fanuc_wpr 180,0,180 of grip", "close-gripper A",
            "move-hand A 0,0,100 along world", "move-hand A 0,200,0 along world", "move-hand A 0,0,-100 along world",
            "open-gripper A", "move-hand A 0,0,100 along world",
        ]  # fmt: skip
        cell.do(f'modify pick text "{"%0A".join(moves)}"')
        cell.do(f'modify other text "{"%0A".join(["wait 0.05"] * 60)}"')  # looked at piece by piece
        cell.do("run-together pick other")
        assert cell.state.poses["cube"].xyz == pytest.approx([0.5, 0.05, 0.02], abs=1e-5)
        # Once it was clear it keeps its margin: dipping to 10 mm and up again stops it.
        dips = [f"500,{y},{z} euler fanuc_wpr 180,0,180" for y, z in ((0, 120), (0, 30), (50, 120))]
        moves[3] = "move-path A " + " ".join(f"through {pose}" for pose in dips) + " of grip"
        cell.do(f'modify pick text "{"%0A".join(moves[:4])}"')
        with pytest.raises(CollisionStop, match="come nearer than 30 mm"):
            cell.do("run-together pick other")


@pytest.mark.parametrize("method", METHODS)
def test_a_watched_robot_is_not_put_into_a_wall(posted, method):
    sim = watched(posted, method)
    robot = sim.robot("Puma")
    before, data = sim.state, sim.recording.to_bytes()
    inside = robot.joints + np.array([math.atan2(150, 550), 0, 0, 0, 0, 0])
    for angle in np.linspace(-0.5, 1.0, 60):
        q = inside + np.array([angle, 0, 0, 0, 0, 0])
        if touches(sim, sim.state.with_joints("Puma", q)):
            break
    else:
        raise AssertionError("no joint values touch the post")
    with pytest.raises(CollisionStop, match=r"Puma cannot be set there: .*post.* would touch; choose") as caught:
        robot.set_joints(q)
    assert "post" in caught.value.pair
    assert sim.state is before
    assert sim.recording.to_bytes() == data
    robot.set_joints(robot.joints - np.array([0.2, 0, 0, 0, 0, 0]))
    sim.watch = None
    robot.set_joints(q)
    assert np.array_equal(robot.joints, q)


def steered_among_posts(seed, method, moves):
    """Two arms among posts, steered at random instants; how often a change was refused, and the moves were stopped."""
    rng = np.random.default_rng(seed)
    with wc.Cell() as cell:
        home = np.radians([0, 0, -90, 0, 90, 0])
        cell.add_robot("puma560", name="A", joints=home)
        cell.add_robot("puma560", name="B", at=Pose.from_xyz(0.0, 1.3, 0.0), joints=home)
        for k, (x, y) in enumerate(rng.uniform((-1.0, -1.0), (1.0, 2.3), (8, 2))):
            if min(math.hypot(x, y), math.hypot(x, y - 1.3)) > 0.55 and abs(y) > 0.2 and abs(y - 1.3) > 0.2:
                cell.do(f"add solid post{k} box 60 60 900 at {x * 1e3:.1f},{y * 1e3:.1f},450")
                if check(collision_model(cell.snapshot()), cell.state).contacts:  # an arm stands there
                    cell.do("undo")
        snapshot = cell.snapshot()
    sim = wc.Simulator(snapshot)
    sim.watch = Watch(snapshot, method=method)
    found = {"refused": 0, "made": 0, "stopped": 0}

    def steer(sim):
        for _ in range(moves):
            yield float(np.round(rng.uniform(0.02, 0.3), 9))
            robot = sim.robot("AB"[rng.integers(2)])
            low, high = robot.robot.limits.T
            goal = np.clip(home + rng.uniform(-1.2, 1.2, 6) * np.array([1, 0.4, 0.4, 1, 0.6, 1]), low, high)
            way = rng.integers(4)
            if way == 0 and robot.name in sim.drives and sim.drives[robot.name].rate > 0.0:
                done = robot.override(float(rng.uniform(1, 100))) if rng.integers(2) else robot.hold()
                found["refused" if done is not None and done.refused else "made"] += 1
            elif way == 1 and robot.name in sim.drives:
                found["refused" if robot.supersede(goal).refused else "made"] += 1
            elif way > 1:
                found["made" if robot.track(goal) else "refused"] += 1

    for _ in range(2):
        try:
            run(sim, {"steer": steer})
        except CollisionStop:
            found["stopped"] += 1
    recording, model = sim.recording, sim.watch.model
    times = np.linspace(0.0, sim.now, 25 * moves)
    rows = {name: np.array([recording.state_at(t).joints[name] for t in times]) for name in "AB"}
    hits = check_batch(model, rows, sim.state)
    assert not hits.touching.any(), (seed, method, hits.pair(int(hits.touching.argmax())))
    return found


@pytest.mark.parametrize("method", METHODS)
def test_whatever_is_steered_at_random_instants_never_goes_through_an_obstacle(method):
    total = {"refused": 0, "made": 0, "stopped": 0}
    for seed in range(2):
        for key, value in steered_among_posts(seed, method, 16).items():
            total[key] += value
    assert min(total["refused"], total["made"]) > 5


@pytest.mark.soak
@pytest.mark.parametrize("method", METHODS)
def test_whatever_is_steered_for_long_never_goes_through_an_obstacle(method):
    total = {"refused": 0, "made": 0, "stopped": 0}
    for seed in range(100, 120):
        for key, value in steered_among_posts(seed, method, 40).items():
            total[key] += value
    print(f"Two arms among posts, watched ({method}), steered at random instants: {total}; nothing touched.")
