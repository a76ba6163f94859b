"""Grippers that take their stated time to close, to open, and to build up a vacuum."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.errors import InvalidValue, Refused
from workcell.robots.build import file_from_robot, robot_from_file
from workcell.robots.catalogue import robot
from workcell.robots.gripper import Gripper
from workcell.robots.robot_file import parse, write
from workcell.simulation.events import Gripped, Released
from workcell.simulation.interpreter import Run
from workcell.simulation.saved_runs import SavedRun

STAGE = (
    "create robot Puma puma560",
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
    "create signal ready",
)
GO = "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip"
WORK = (
    f"{GO}\nclose-gripper Puma\nset-signal ready 1\nretract Puma by 50 of grip\nopen-gripper Puma\nset-signal ready 0"
)


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        yield cell


def run_of(cell, text=WORK):
    read = read_program("work", text)
    assert not read.problems
    return Run(wc.Simulator(cell), [read.program])


def ran(cell, text=WORK):
    run = run_of(cell, text)
    run.go()
    return run.simulator


def times(recording):
    return [one.time for one in recording.events if isinstance(one, Gripped | Released)]


def test_a_gripper_takes_its_time_and_holds_at_the_end_of_it(cell):
    at_once = ran(cell)
    for line in ("modify Puma close_time 0.3s", "modify Puma build_up 200ms", "modify Puma open_time 0.25s"):
        cell.do(line)
    timed = ran(cell)
    assert timed.time == pytest.approx(at_once.time + 0.3 + 0.2 + 0.25, abs=1e-8)
    (grip, release), (was_grip, was_release) = times(timed.recording), times(at_once.recording)
    assert grip == pytest.approx(was_grip + 0.5, abs=1e-8)
    assert release == pytest.approx(was_release + 0.75, abs=1e-8)
    assert "cube" not in timed.recording.state_at(grip - 1e-6).attached
    assert "cube" in timed.recording.state_at(grip).attached
    assert timed.recording.state_at(grip - 1e-6).signals.get("ready", 0.0) == 0.0


def test_typed_lines_python_and_a_program_record_the_same(cell):
    cell.do("modify Puma close_time 0.3s")
    cell.do("modify Puma open_time 0.1s")
    expected = ran(cell).recording.to_bytes()
    for line in WORK.split("\n"):
        cell.do(line)
    assert cell.session.recording.to_bytes() == expected
    cell.do(f"program work\n{WORK}\nend")
    cell.do("reset")
    cell.do("run work")
    assert cell.session.recording.to_bytes() == expected


def test_a_run_is_saved_while_a_gripper_closes(cell):
    cell.do("modify Puma close_time 1s")
    text = f"{GO}\nparallel\n  close-gripper Puma\nand\n  wait 0.4\n  wait 0.1\nend"
    whole = ran(cell, text).recording.to_bytes()
    run = run_of(cell, text)
    run.go(lambda thread, _: thread.frame.place.line == 6)
    assert not run.simulator.state.attached
    again = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell))
    again.go()
    assert again.simulator.recording.to_bytes() == whole
    assert "cube" in again.simulator.state.attached


def test_a_part_that_is_gone_when_the_fingers_meet_is_not_held(cell):
    cell.do("modify Puma close_time 1s")
    text = f"{GO}\nparallel\n  close-gripper Puma\nand\n  move-solid cube through 500,200,20 speed 1m/s\nend"
    with pytest.raises(Refused, match="Line 3 of program 'work': The gripper of Puma closes on nothing"):
        ran(cell, text)


def test_times_are_kept_undone_and_checked(cell):
    cell.do("modify Puma close_time 0.3s")
    assert cell.snapshot().robot("Puma").robot.gripper.close_time == 0.3
    cell.do("undo")
    assert cell.snapshot().robot("Puma").robot.gripper.close_time == 0.0
    with pytest.raises(InvalidValue, match="close_time of 'Puma' must be zero or more; found -1 s"):
        cell.do("modify Puma close_time -1s")
    cell.do("create gripper hand")
    for line in ("modify hand opening 80mm", "modify hand reach 120mm", "modify hand open_time 0.5s"):
        cell.do(line)
    cell.do("fit tool hand to Puma")
    assert cell.snapshot().robot("Puma").robot.gripper.open_time == 0.5


def test_robot_files_state_the_times():
    gripper = Gripper(0.1, 0.12, close_time=0.25, open_time=0.5, build_up=0.125)
    arm = robot("puma560").replace(gripper=gripper)
    back = robot_from_file(parse(write(file_from_robot(arm)))).gripper
    assert (back.close_time, back.open_time, back.build_up) == (0.25, 0.5, 0.125)
    with pytest.raises(InvalidValue, match="build_up of a gripper must be zero or more seconds"):
        Gripper(0.1, 0.12, build_up=-1.0)
