"""Grippers grip parts as in the thesis, carry them, hand them over and put them down; replay equals run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation_poses import down

import workcell as wc
from workcell.errors import CollisionStop, GraspFailed, Refused, WorkcellError
from workcell.simulation.events import Settled
from workcell.simulation.playback import body_poses
from workcell.simulation.recording import Recording
from workcell.simulation.settling import vertical_gap
from workcell.simulation.watching import Watch
from workcell.spatial.pose import Pose


def where(sim, body):
    place = [one.name for one in sim.snapshot.bodies].index(body)
    return Pose(sim.snapshot.body_poses(sim.state)[place])


def test_a_part_goes_with_the_hand_and_stays_where_it_is_let_go(pick):
    sim = wc.Simulator(pick)
    robot = sim.robot("Puma")
    robot.move_end_effector(down(0.5, -0.15, 0.02), point="grip")
    held = robot.close_gripper()
    assert (held.part, held.robot, held.taken_from) == ("cube", "Puma", "")
    assert held.width == pytest.approx(0.04)
    assert held.distance == 0.0
    assert robot.holds == "cube"
    X = robot.grip_pose.inverse() @ where(sim, "cube")
    robot.move_straight_line(down(0.5, -0.15, 0.2), point="grip")
    robot.move_end_effector(down(0.45, 0.25, 0.2), point="grip")
    assert (robot.grip_pose @ X).distance(where(sim, "cube"))[0] < 1e-12
    robot.open_gripper()
    stays = where(sim, "cube")
    assert stays.xyz == pytest.approx([0.45, 0.25, 0.2], abs=1e-6)
    robot.move_joints_absolute(robot.robot.home)
    assert where(sim, "cube") == stays
    assert robot.holds == ""


def test_a_part_settles_on_what_is_below(pick):
    sim = wc.Simulator(pick)
    robot = sim.robot("Puma")
    robot.move_end_effector(down(0.5, -0.15, 0.02), point="grip")
    robot.close_gripper()
    robot.move_end_effector(down(0.45, 0.25, 0.2), point="grip")
    assert robot.open_gripper(settle=True) == "cube"
    assert where(sim, "cube").xyz == pytest.approx([0.45, 0.25, 0.08], abs=1e-6)
    assert any(isinstance(event, Settled) and event.on == "stage" for event in sim.recording.events)


@pytest.mark.parametrize(
    ("pose", "test", "words"),
    [
        (down(0.5, -0.15, 0.075), "distance", r"is 35 mm from it, 25 mm more than the 10 mm allowed"),
        (
            down(0.5, -0.15, 0.02) @ Pose.from_axis_angle((0, 1, 0), math.radians(9)),
            "approach",
            r"is 9° from an axis of the part, 4° more than the 5° allowed",
        ),
    ],
)
def test_closing_on_nothing_says_which_test_the_nearest_part_failed(pick, pose, test, words):
    sim = wc.Simulator(pick)
    robot = sim.robot("Puma")
    robot.move_end_effector(pose, point="grip")
    before, data = sim.state, sim.recording.to_bytes()
    with pytest.raises(GraspFailed, match=words) as caught:
        robot.close_gripper()
    assert caught.value.test == test
    assert caught.value.part == "cube"
    assert sim.state is before
    assert sim.recording.to_bytes() == data


def test_a_part_that_is_too_wide_or_that_nobody_may_move_is_not_taken(cell):
    cell.do("create robot Puma puma560")
    with pytest.raises(GraspFailed, match="no part of the cell is movable"):
        wc.Simulator(cell).robot("Puma").close_gripper()
    cell.do("add solid slab box 100 100 20 at 500,-150,10 --movable")
    sim = wc.Simulator(cell)
    robot = sim.robot("Puma")
    robot.move_end_effector(down(0.5, -0.15, 0.01), point="grip")
    with pytest.raises(GraspFailed, match=r"is 100 mm wide between the fingers, 20 mm more than they open \(80 mm\)"):
        robot.close_gripper()
    with pytest.raises(WorkcellError, match="zero or more"):
        robot.close_gripper(distance=-1.0)


def test_a_gripper_that_is_closed_is_not_closed_again_and_an_open_one_not_opened(pick):
    sim = wc.Simulator(pick)
    robot = sim.robot("Puma")
    before = sim.recording.to_bytes()
    assert robot.open_gripper() == ""
    assert sim.recording.to_bytes() == before
    robot.move_end_effector(down(0.5, -0.15, 0.02), point="grip")
    robot.close_gripper()
    with pytest.raises(Refused, match="already holds cube; open it first"):
        robot.close_gripper()


def test_an_object_may_say_where_it_is_held(pick):
    for line in ("create grasp top", "modify top opening 40mm", "attach top to cube rotate 180,0,0 translate 0,0,5"):
        pick.do(line)
    pick.do("move-end-effector Puma 500,-150,25 rotate 180,0,0 of grip")
    taken = pick.do("close-gripper Puma within 1mm")
    assert taken.grasp == "top"
    assert taken.distance < 1e-9
    pick.do("undo")
    assert pick.state.attached == {}
    pick.do("move-end-effector Puma 500,-150,20 rotate 180,0,0 of grip")
    with pytest.raises(GraspFailed, match=r"nearest is cube \(top\): the grip point is 5 mm from it"):
        pick.do("close-gripper Puma within 1mm")


@pytest.fixture
def pair():
    """Two Pumas that face each other, and a bar that one takes and hands to the other."""
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560",
            "create robot B puma560 at 1300,0,0 rotate 0,0,180",
            "add solid bar box 30 30 30 at 500,-150,600 --movable",
        ):
            cell.do(line)
        yield cell


ACROSS = Pose.from_axis_angle((0, 1, 0), -math.pi / 2)
"""A hand that points against x."""


def handed_over(cell):
    sim = wc.Simulator(cell)
    a, b = sim.robot("A"), sim.robot("B")
    a.move_end_effector(down(0.5, -0.15, 0.6), point="grip")
    a.close_gripper()
    a.move_end_effector(down(0.65, 0.0, 0.6), point="grip")
    b.move_end_effector(Pose.from_xyz(0.65, 0.0, 0.6) @ ACROSS, point="grip")
    taken = b.close_gripper()
    return sim, a, b, taken


def test_a_part_is_handed_from_one_gripper_to_the_other(pair):
    sim, a, b, taken = handed_over(pair)
    assert taken.taken_from == "A"
    assert (a.holds, b.holds) == ("", "bar")
    before = where(sim, "bar")
    assert a.open_gripper() == ""
    a.move_joints_absolute(a.robot.home)
    assert where(sim, "bar").distance(before)[0] < 1e-12
    b.move_joints_relative([0.2, 0, 0, 0, 0, 0])
    assert where(sim, "bar").distance(before)[0] > 0.05
    assert a.open_gripper() == ""


def test_replay_equals_run_and_a_recording_read_back_is_the_run(pair):
    sim, _, b, _ = handed_over(pair)
    b.move_joints_relative([0.2, 0, 0, 0, 0, 0])
    b.open_gripper()
    recording = Recording.from_bytes(sim.recording.to_bytes())
    assert recording.to_bytes() == sim.recording.to_bytes() == handed_again(pair)
    end = recording.state_at(recording.end)
    assert end == sim.state
    times = np.linspace(0.0, recording.end, 40)
    poses = body_poses(sim.snapshot, recording, times)
    for time, matrices in zip(times, poses, strict=True):
        assert np.allclose(matrices, sim.snapshot.body_poses(recording.state_at(time)), atol=1e-12)


def handed_again(pair):
    sim, _, b, _ = handed_over(pair)
    b.move_joints_relative([0.2, 0, 0, 0, 0, 0])
    b.open_gripper()
    return sim.recording.to_bytes()


@settings(max_examples=12)
@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(["pick", "move", "close", "open", "settle"])), max_size=9)
)
def test_random_programs_of_two_robots_keep_the_laws(program):
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560",
            "create robot B puma560 at 1300,0,0 rotate 0,0,180",
            "add solid bar box 30 30 30 at 650,0,600 --movable",
        ):
            cell.do(line)
        sim = wc.Simulator(cell)
        states = [(sim.time, sim.state)]
        for name, what in program:
            robot = sim.robot(name)
            held_before = dict(sim.state.attached)
            place = where(sim, "bar")
            try:
                if what == "pick":
                    turned = down(*place.xyz) if name == "A" else Pose.from_xyz(*place.xyz) @ ACROSS
                    robot.move_end_effector(turned, point="grip")
                elif what == "move":
                    robot.move_joints_relative([0.1 if name == "A" else -0.1, 0, 0, 0, 0, 0])
                elif what == "close":
                    robot.close_gripper()
                else:
                    robot.open_gripper(settle=what == "settle")
            except WorkcellError:
                assert sim.state is states[-1][1]
                continue
            if what in ("pick", "move"):
                assert dict(sim.state.attached) == held_before
            # Held by at most one, and free or held, never both.
            assert len([r for r in "AB" if sim.robot(r).holds == "bar"]) <= 1
            assert ("bar" in sim.state.attached) != ("bar" in sim.state.poses)
            if what in ("close", "open"):
                assert where(sim, "bar").distance(place)[0] < 1e-12
            states.append((sim.time, sim.state))
        recording = Recording.from_bytes(sim.recording.to_bytes())
        for time, state in states:
            # Several commands may share an instant: the recording tells the last of them.
            last = [other for when, other in states if when == time][-1]
            assert recording.state_at(time) == last.with_(time=time)
            del state


def test_commands_grasp_carry_replay_and_undo(pick):
    first = pick.state
    for line in (
        "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
        "close-gripper Puma",
        "move-hand Puma 0,0,100 along world",
        "move-end-effector Puma 450,250,150 euler fanuc_wpr 180,0,180 of grip",
        "open-gripper Puma --settle",
    ):
        pick.do(line)
    end = pick.state
    assert end.poses["cube"].xyz == pytest.approx([0.45, 0.25, 0.08], abs=1e-6)
    assert pick.replayed().state == end
    pick.do("undo 5")
    assert pick.state == first
    pick.do("redo 5")
    assert pick.state == end


def test_falling_is_exact_for_corners_faces_and_crossing_edges():
    from workcell.geometry import solids

    mesh = solids.box(0.2, 0.2, 0.1).mesh()
    eye = np.eye(4)

    def gap(pose):
        return vertical_gap(mesh, pose.matrix, mesh, eye)

    assert gap(Pose.from_xyz(0.0, 0.0, 0.5)) == pytest.approx(0.4)
    assert gap(Pose.from_xyz(0.15, 0.1, 0.5)) == pytest.approx(0.4)
    assert gap(Pose.from_xyz(0.3, 0.0, 0.5)) == math.inf
    assert gap(Pose.from_xyz(0.0, 0.0, -0.5)) == math.inf
    # Standing on an edge, only the edges cross: half a diagonal of 0.2 × 0.1 turned by 45° below the centre.
    tilted = Pose.from_xyz(0.0, 0.0, 0.5) @ Pose.from_axis_angle((1, 0, 0), math.radians(45))
    assert gap(tilted) == pytest.approx(0.5 - 0.05 - 0.15 / math.sqrt(2.0))
    crossed = Pose.from_xyz(0.1, 0.0, 0.5) @ Pose.from_axis_angle((0, 1, 0), math.radians(45))
    assert gap(Pose.from_axis_angle((0, 0, 1), 0.3) @ crossed) == pytest.approx(0.45 - 0.15 / math.sqrt(2.0), abs=0.1)


def test_a_watched_robot_stops_at_the_last_good_instant(pick):
    pick.do("add solid post box 50 50 1400 at 550,150,700")
    sim = wc.Simulator(pick)
    sim.watch = Watch(sim.snapshot)
    robot = sim.robot("Puma")
    start = robot.joints
    with pytest.raises(CollisionStop, match="would touch") as caught:
        robot.move_joints_relative([math.radians(60), 0, 0, 0, 0, 0])
    assert "post" in caught.value.pair
    assert sim.time == pytest.approx(caught.value.stopped)
    assert caught.value.stopped < caught.value.time
    assert 0.0 < robot.joints[0] - start[0] < math.radians(60)
    assert sim.recording.state_at(sim.time) == sim.state
    from workcell.collision.check import check

    def posts(state):
        return [contact for contact in check(sim.watch.model, state).contacts if "post" in contact.pair]

    assert posts(sim.state) == []
    assert posts(sim.state.with_joints("Puma", robot.joints + [1e-3, 0, 0, 0, 0, 0]))
    robot.move_joints_absolute(start)


def test_watching_by_command_lets_a_carried_part_leave_its_table(pick):
    pick.do("watch yes")
    for line in (
        "move-end-effector Puma 500,-150,100 euler fanuc_wpr 180,0,180 of grip",
        "move-straight-line Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
        "close-gripper Puma",
        "move-hand Puma 0,0,100 along world",
        "move-hand Puma 0,0,-100 along world",
    ):
        pick.do(line)
    with pytest.raises(CollisionStop, match="cube"):
        pick.do("move-hand Puma 0,0,-50 along world")
    assert pick.state.time == pick.session.simulator_time
    # Half way down a robot stops at the contact; that state is journalled, undone and replayed like any other.
    before = pick.state
    pick.do("move-hand Puma 0,0,100 along world")
    with pytest.raises(CollisionStop, match="cube and table would touch"):
        pick.do("move-hand Puma 0,0,-130 along world")
    stopped = pick.state
    assert stopped.time > before.time
    assert pick.session.simulator.robot("Puma").grip_pose.xyz[2] == pytest.approx(0.02, abs=2e-3)
    assert pick.replayed().state == stopped
    pick.do("undo")
    assert pick.state.time < stopped.time


def test_keeping_a_state_keeps_parts_where_they_were_put_and_refuses_held_ones(pick):
    pick.do("create signal done")
    for line in (
        "face attach cube bottom to table top",
        "move-end-effector Puma 550,0,20 euler fanuc_wpr 180,0,180 of grip",
        "close-gripper Puma",
    ):
        pick.do(line)
    with pytest.raises(Refused, match="Puma holds cube, which is not possible in an initial state"):
        pick.do("keep state")
    pick.do("move-end-effector Puma 450,250,200 euler fanuc_wpr 180,0,180 of grip")
    pick.do("open-gripper Puma --settle")
    pick.do("set-signal done 1")
    kept = pick.state
    pick.do("keep state")
    initial = pick.snapshot().initial
    assert initial.poses["cube"].xyz == pytest.approx([0.45, 0.25, 0.08], abs=1e-6)
    assert initial.signals["done"] == 1.0
    assert "cube" not in initial.attached
    assert np.allclose(initial.joints["Puma"], kept.joints["Puma"])
    pick.do("undo")
    assert pick.state == kept


def test_watching_obeys_the_pair_table_of_the_cell(pick):
    pick.do("add solid post box 50 50 1400 at 550,150,700")
    pick.do("watch yes")
    with pytest.raises(CollisionStop, match="post would touch"):
        pick.do("move-joints-relative Puma 60,0,0,0,0,0")
    pick.do("undo")
    pick.do("ignore body post")
    pick.do("move-joints-relative Puma 60,0,0,0,0,0")
    pick.do("watch no")
    pick.do("move-joints-relative Puma -60,0,0,0,0,0")
