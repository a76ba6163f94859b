"""Refused moves: programs that run themselves, values that are not poses, hands that cannot close; with units."""

from __future__ import annotations

import re

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, JointLimit, LimitStop, MotionError, MotionStop, Refused, WorkcellError
from workcell.simulation.clock import Pacer, play
from workcell.simulation.events import StoppedAtLimit
from workcell.simulation.programs import run
from workcell.spatial.pose import Pose

HOME = "0,0,-90,0,90,0"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        cell.do(f"create robot Puma puma560 joints {HOME}")
        yield cell


def program(cell, name, *lines):
    cell.do(f'create program "{name}"')
    cell.do(f'modify "{name}" text "{"%0A".join(lines)}"')


# ---- programs -----------------------------------------------------------------------------------------------


def test_programs_that_call_each_other_without_end_are_refused_with_the_chain(cell):
    program(cell, "loop", "call loop")
    program(cell, "one", "wait 1", "call two")
    program(cell, "two", "call three")
    program(cell, "three", "call two")
    program(cell, "old", "run loop")
    before, steps = cell.state, len(cell.journal)
    with pytest.raises(Refused, match=r"calls itself without end: loop → loop"):
        cell.do("run loop")
    with pytest.raises(Refused, match=r"calls itself without end: (two → three|three → two)"):
        cell.do("run one")
    with pytest.raises(Refused, match=r"old:1:1: `run` starts a new run; in a program, use `call loop`"):
        cell.do("run old")
    assert (cell.state, len(cell.journal)) == (before, steps)
    # Twice after each other is no circle.
    program(cell, "step", "wait 1")
    program(cell, "twice", "call step", "call step")
    assert cell.do("run twice").time == 2.0


def test_a_run_is_one_step_by_its_name_and_a_refused_one_is_none(cell):
    program(cell, "feed", "speed Puma 0.3rad/s", "move-joints-relative Puma 10,0,0,0,0,0", "wait 1")
    program(
        cell, "take away", "wait 1", "move-joints-relative Puma 10,0,0,0,0,0", "move-joints-relative Puma 200,0,0,0,0,0"
    )
    cell.do("run feed")
    assert str(cell.do("history 1")).splitlines()[1].endswith("run feed")
    kept, before, steps = cell.session.recording.to_bytes(), cell.state, len(cell.journal)
    with pytest.raises(Refused, match=r"^Line 3 of program 'take away': Joint 1"):
        cell.do('run "take away"')
    assert (cell.state, len(cell.journal)) == (before, steps)
    assert cell.session.recording.to_bytes() == kept
    assert cell.replayed().database.rows() == cell.database.rows()
    assert str(cell.do("undo")) == "undone: run feed (by python)"
    assert str(cell.do("redo")) == "done again: run feed (by python)"
    cell.do("group")
    cell.do("wait 1")
    cell.do("run feed")
    cell.do("end")
    assert str(cell.do("undo")).startswith("undone: wait 1 and ")


def test_a_run_that_stops_before_a_contact_stands_there(cell):
    cell.do("add solid wall box 2000 100 3000 at 0,500,0")
    cell.do("watch yes")
    program(cell, "go", "wait 1", "move-joints-relative Puma 120,0,90,0,0,0", "wait 1")
    with pytest.raises(WorkcellError, match=r"Line 2 of program 'go': .*stopped at"):
        cell.do("run go")
    assert cell.state.time > 1.0
    assert str(cell.do("history 1")).splitlines()[1].endswith("run go")
    assert cell.replayed().state == cell.state


# ---- what is no pose, what is no line ---------------------------------------------------------------------------


@pytest.mark.parametrize("what", [np.eye(4), "abc", None, 3.0, [0.5, 0.0, 0.3]])
def test_what_is_no_pose_is_refused_in_one_sentence(cell, what):
    robot = wc.Simulator(cell).robot("Puma")
    here = robot.tool_pose
    for move in (
        lambda: robot.move_end_effector(what),
        lambda: robot.move_straight_line(what),
        lambda: robot.move_circular(here, what),
        lambda: robot.move_path([here, what]),
        lambda: robot.move_hand(what),
    ):
        with pytest.raises(InvalidValue, match=r"needs a Pose, such as .*; found ") as caught:
            move()
        assert "\n" not in str(caught.value)
    with pytest.raises(InvalidValue, match="A path needs a "):
        robot.move_path(what)


def test_a_circle_goes_through_a_pose_or_three_numbers(cell):
    robot = wc.Simulator(cell).robot("Puma")
    for via in ("abc", [1.0, 2.0], None, np.eye(4)):
        with pytest.raises(InvalidValue, match="through a Pose or a place of three numbers; found "):
            robot.move_circular(via, robot.tool_pose)


@pytest.mark.parametrize("line", [None, 3, b"show", ["show"]])
def test_what_is_no_line_is_refused(cell, line):
    with pytest.raises(InvalidValue, match=r"^A command is a line of text, such as 'help'; found "):
        cell.do(line)
    with pytest.raises(InvalidValue, match=r"^A command is called by its words, such as 'create robot'; found "):
        cell.call(line)


@pytest.mark.parametrize("way", [[np.eye(4)], "abc", 3, ["x"], [None]])
def test_a_solid_goes_from_pose_to_pose_only(pick, way):
    with pytest.raises(InvalidValue, match=r"^The way of cube .*Pose.*; found ") as caught:
        wc.Simulator(pick).move_solid("cube", way, speed=0.1)
    assert "\n" not in str(caught.value)


# ---- grippers ---------------------------------------------------------------------------------------------------


def test_fingers_do_not_close_through_what_they_hold(pick):
    pick.do("move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip")
    assert str(pick.do("close-gripper Puma")).splitlines()[0] == (
        "Puma takes cube: 40 mm between the fingers, 0° off its axis, 0 mm away"
    )
    before = pick.state
    with pytest.raises(Refused, match=r"Puma holds cube, which is 40 mm wide .* cannot go to 30 mm"):
        pick.do("open-gripper Puma to 30")
    assert pick.state == before
    assert str(pick.do("open-gripper Puma to 45")) == "Puma releases cube"
    pick.do("open-gripper Puma to 30")


# ---- joints that slide ------------------------------------------------------------------------------------------


def test_joints_that_slide_have_speeds_in_millimetres(cell):
    cell.do("add conveyor belt 2000 at 0,1500,0")
    assert str(cell.do("speed belt 100mm/s")) == "speed of belt: 100 mm/s"
    assert list(cell.journal)[-1].command == "speed mechanism:belt 0.1m/s"
    belt = cell.snapshot().robot("belt").robot
    assert cell.do("move-joints-absolute belt 500").duration == pytest.approx(5.0 + 0.1 / belt.accelerations[0])
    cell.do("keep state")
    shown = str(cell.do("show belt"))
    assert "speed: 100 mm/s" in shown
    assert "joints: 500 mm" in shown
    cell.do("speed belt 250")
    assert cell.database.entity("mechanism", "belt").properties["speed"] == 0.25
    cell.do("speed belt 0.1rad/s")  # as journals have it
    assert cell.database.entity("mechanism", "belt").properties["speed"] == 0.1
    cell.call("speed", robot="belt", speed=0.2)
    assert cell.replayed().database.rows() == cell.database.rows()
    for line in ("speed belt -5mm/s", "speed belt 0", "speed belt 5kg", "speed Puma 100mm/s", "speed belt"):
        with pytest.raises(WorkcellError):
            cell.do(line)
    assert "speed: " in str(cell.do("show Puma"))
    assert "deg/s" in str(cell.do("show Puma"))


# ---- units in messages --------------------------------------------------------------------------------------


def test_limits_are_reported_in_degrees_and_millimetres(cell, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("0,0,0,-90,0,90,0\n1,0,0,-100,0,90,0\n")
    with pytest.raises(
        MotionError, match=r"starts with joint 3 at -5156\.62°, but Puma has it at -90°; .*give the units"
    ):
        cell.do(f"follow-table Puma {table}")
    table.write_text("0,0,0,-90,0,90,0\n0.01,20,0,-90,0,90,0\n")
    with pytest.raises(MotionError, match=r"joint 1 passes its speed limit \d+(\.\d+)?°/s at .* reaches 2000°/s"):
        cell.do(f"follow-table Puma {table} in degrees between linear")
    with pytest.raises(JointLimit, match=r"joint 1 passes its position limit 160° at .* reaches 200°"):
        cell.do('follow-function Puma joint 1 by "20*t" for 10s')
    cell.do("add rail track 2000 at 0,1500,0")
    with pytest.raises(JointLimit, match=r"joint 1 passes its position limit 2000 mm at .* reaches 3000 mm"):
        cell.do('follow-function track joint 1 by "100*t" for 30s')
    robot = wc.Simulator(cell).robot("Puma")
    with pytest.raises(InvalidValue, match="found -200 mm"):
        robot.move_path([robot.tool_pose], blend=-0.2)
    hand = Pose.from_xyz_angles([0.5, -0.15, 0.02], [np.pi, 0, np.pi], "fanuc_wpr")
    messages = []
    for branch in ("+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---"):
        try:
            robot.move_end_effector(hand, branch=branch)
        except JointLimit as error:
            messages.append(str(error))
    assert messages
    for one in messages:
        assert re.match(r"The solution of branch [+-]{3} puts joint \d [\d.]+° outside its limits\.$", one), one


def test_recordings_are_compared_in_units(cell, tmp_path):
    one, two = tmp_path / "one.rec", tmp_path / "two.rec"
    cell.do("set joints Puma 1,0,-90,0,90,0")
    cell.do(f"save-recording {one}")
    cell.do("reset")
    cell.do(f"save-recording {two}")
    answer = str(cell.do(f"compare-recordings {one} {two}"))
    assert answer == "They differ first at 0.0000 s: joint 1 of Puma. They are farthest apart at 0.0000 s: 1 deg."


def test_the_speed_and_joints_of_what_slides_are_changed_in_its_units(cell):
    cell.do("add conveyor belt 2000 at 0,1500,0")
    cell.do("modify belt speed 100mm/s")
    cell.do("modify belt joints 50")
    found = cell.database.entity("mechanism", "belt").properties
    assert found["speed"] == pytest.approx(0.1)
    assert list(found["joints"]) == pytest.approx([0.05])
    assert cell.replayed().database.rows() == cell.database.rows()
    for line in (
        "modify belt speed 5deg/s",
        "modify belt joints 1,2",
        "modify belt joints 5deg",
        "modify belt speed 0",
    ):
        with pytest.raises(WorkcellError):
            cell.do(line)


def test_a_value_given_by_name_is_refused_by_its_name(cell):
    with pytest.raises(WorkcellError, match="Parameter 'speed' of `speed`"):
        cell.call("speed", robot="Puma", speed=-1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda sim: sim.wait("x"),
        lambda sim: sim.set_signal("ready", "a"),
        lambda sim: sim.robot("Puma").close_gripper(distance="x"),
        lambda sim: list(play(sim.recording, "x")),
        lambda sim: Pacer("x"),
        lambda sim: run(sim, {"p": lambda _: None}),
        lambda sim: sim.robot("Puma").move_hand(Pose.from_xyz(0.0, 0.0, 0.01), frame="base"),
        lambda sim: sim.robot("Puma").speed("1"),
    ],
)
def test_what_is_no_number_is_refused_in_a_sentence(cell, wrong):
    cell.do("create signal ready")
    sim = wc.Simulator(cell)
    with pytest.raises(WorkcellError):
        wrong(sim)
    assert sim.time == 0.0


def test_numbers_of_numpy_are_numbers(cell):
    sim = wc.Simulator(cell)
    sim.robot("Puma").speed(np.float32(0.3))
    sim.robot("Puma").speed(np.int64(1))
    sim.wait(np.float64(0.5))
    assert sim.time == 0.5


def test_a_robot_that_moves_cannot_be_put_elsewhere(cell):
    sim = wc.Simulator(cell)

    def move(sim):
        yield sim.robot("Puma").move_joints_relative([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])

    def put(sim):
        yield 0.1
        sim.robot("Puma").set_joints(np.zeros(6))

    with pytest.raises(Refused, match="set its joints after that"):
        run(sim, {"move": move, "put": put})
    rows = sim.recording.column("Puma")[1]
    assert np.abs(np.diff(rows[:, 0])).max() < 0.05


def test_the_hand_keeps_its_speed_at_every_instant(cell):
    sim = wc.Simulator(cell)
    robot = sim.robot("Puma")
    robot.set_joints(np.radians([0.0, 60.0, -190.0, 0.0, 40.0, 0.0]))
    for profile in ("linear", "trapezoid", "time-optimal"):
        start = sim.time
        robot.move_hand(
            Pose.from_xyz(0.05, 0.12, -0.04), frame="world", hand_speed=0.1, profile=profile, tolerance=1e-4
        )
        times, rows = sim.recording.column("Puma")
        mine = times >= start
        hands = robot.robot.fk_batch(np.ascontiguousarray(rows[mine]))[:, :3, 3]
        spans = np.diff(times[mine])
        speeds = np.linalg.norm(np.diff(hands, axis=0), axis=1)[spans > 1e-9] / spans[spans > 1e-9]
        assert speeds.max() <= 0.1
        assert speeds.max() > 0.0999
        robot.move_hand(Pose.from_xyz(-0.05, -0.12, 0.04), frame="world")


def test_a_run_that_stops_at_a_limit_stays_where_it_stopped_and_is_replayed(cell):
    """A stop is a class of errors, not a key of the evidence: what stopped is kept, what was refused is not."""
    program(cell, "far", "wait 1", "follow-function Puma joint 1 by 40*t for 10s --until-limit", "wait 1")
    steps = len(cell.journal)
    with pytest.raises(LimitStop, match=r"Line 2 of program 'far': Puma stopped at 5\.0000 s: joint 1 passes") as found:
        cell.do("run far")
    assert isinstance(found.value, MotionStop)
    assert (found.value.joint, found.value.limit, found.value.program) == (1, "position", "far")
    assert len(cell.journal) == steps + 1
    assert np.degrees(cell.state.joints["Puma"][0]) == pytest.approx(160.0, abs=1e-6)
    (stop,) = [event for event in cell.session.recording.events if isinstance(event, StoppedAtLimit)]
    assert (stop.robot, stop.joint, stop.time) == ("Puma", 1, cell.state.time)
    again = cell.replayed()
    assert again.state == cell.state
    assert again.session.recording.to_bytes() == cell.session.recording.to_bytes()
