"""Faults: what goes wrong, when it begins and ends, and that the recording holds what is true."""

from __future__ import annotations

import math
import random
import subprocess
import sys

import numpy as np
import pytest

import workcell as wc
from shares import share
from workcell.commands.language.program_reader import read_program
from workcell.errors import GraspFailed, InvalidValue, NameTaken, Refused, UnknownName
from workcell.simulation.event_text import text_of
from workcell.simulation.events import FaultBegan, FaultEnded, SensorChanged
from workcell.simulation.faults import drawn
from workcell.simulation.interpreter import Run
from workcell.simulation.refusals import StepRefused
from workcell.spatial.pose import Pose
from workcell.world.fault_places import FaultPlace

STAGE = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 0,2000,0 joints 0,0,-90,0,90,0",
    "add rail track 2000 at 0,-2000,0",
    "add solid table box 600 800 100 at 550,0,-50",
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
    "add light-barrier gate from 620,620,400 to 620,620,800 sees A",
    "add encoder count on A joint 1 resolution 1",
    "create signal go",
)
MOVE = "move-joints-relative A 30,0,0,0,0,0"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        yield cell


def program(text, name="work"):
    read = read_program(name, text)
    assert not read.problems, read.problems
    return read.program


def ran(cell, text, *faults):
    for line in faults:
        cell.do(f"add fault {line}")
    run = Run(wc.Simulator(cell), [program(text)])
    run.go()
    return run.simulator


def events(source, *kinds):
    return [one for one in source.recording.events if isinstance(one, kinds)]


def spans(source):
    return [(type(one).__name__, one.fault, round(one.time, 9)) for one in events(source, FaultBegan, FaultEnded)]


# ---- devices ------------------------------------------------------------------------------------------------


def test_a_device_that_stops_stays_where_it_is_for_that_time(cell):
    free = ran(cell, MOVE)
    held = ran(cell, MOVE, "jam of A stops at 0.3s lasts 2s")
    assert spans(held) == [("FaultBegan", "jam", 0.3), ("FaultEnded", "jam", 2.3)]
    assert 1.4 < held.time - free.time < 2.6
    assert np.array_equal(held.recording.state_at(1.5).joints["A"], held.recording.state_at(2.2).joints["A"])
    assert np.allclose(held.state.joints["A"], free.state.joints["A"], atol=1e-12)


def test_a_move_that_is_commanded_meanwhile_waits_and_a_rail_and_a_solid_stop_too(cell):
    late = ran(cell, f"wait 1\n{MOVE}", "jam of A stops at 0.5s lasts 2s")
    assert np.allclose(late.recording.state_at(2.4).joints["A"], late.recording.start.joints["A"], atol=1e-7)
    assert late.time > 2.5
    rail = ran(cell, "move-joints-relative track 500", "clamp of track stops at 0.2s lasts 3s")
    assert rail.time > 3.0
    solid = ran(cell, "move-solid cube through 500,150,20 speed 100mm/s", "stuck of cube stops at 1s lasts 3s")
    assert solid.time == pytest.approx(6.0, abs=1e-6)


def test_a_belt_that_runs_stops_and_is_slow(cell):
    cell.do("add conveyor belt 2000 at 0,4000,0")
    work = "run-conveyor belt 100mm/s\nwait 5"

    def travel(sim):
        return [float(sim.recording.state_at(time).joints["belt"][0]) for time in (1.0, 2.0, 3.0, 4.0, 5.0)]

    jam = travel(ran(cell, work, "jam of belt stops at 1s lasts 2s"))
    assert jam[1] == jam[2] == pytest.approx(jam[0] + 0.1 * 0.133333 / 2, abs=1e-6)
    assert jam[4] - jam[3] == pytest.approx(0.1, abs=1e-9)
    late = ran(cell, f"wait 2\n{work}")
    assert float(late.recording.state_at(2.9).joints["belt"][0]) == pytest.approx(0.0, abs=1e-6)
    assert late.signal("belt/speed") == 0.1
    cell.do("remove fault:jam")
    slow = travel(ran(cell, work, "weak of belt slow part 0.5 at 1s lasts 2s"))
    assert slow[2] - slow[1] == pytest.approx(0.05, abs=1e-9)
    assert slow[4] - slow[3] == pytest.approx(0.1, abs=1e-9)


def test_a_stop_without_an_end_is_named_when_nothing_goes_on(cell):
    with pytest.raises(Refused, match=r"The run cannot continue: A is held.*`clear-fault jam` does\."):
        ran(cell, MOVE, "jam of A stops at 0.1s")


@pytest.mark.parametrize("percent", [50, 25, 1])
def test_a_slow_device_takes_exactly_as_long_as_with_that_override(cell, percent):
    whole = f"{MOVE}\nmove-joints-relative A -30,5,0,0,0,0"
    paced = ran(cell, f"override {percent} of A\n{whole}")
    slow = ran(cell, whole, f"tired of A slow part {percent / 100} at 0")
    assert slow.time_ns == paced.time_ns
    times = np.linspace(0.0, slow.time, 50)
    assert np.array_equal(slow.recording.joints_at(times)["A"], paced.recording.joints_at(times)["A"])
    assert np.array_equal(slow.state.joints["A"], paced.state.joints["A"])


def test_slow_and_override_multiply_and_a_repair_gives_the_speed_back(cell):
    both = ran(cell, f"override 50 of A\n{MOVE}", "tired of A slow part 0.5 at 0")
    repaired = ran(cell, f"clear-fault tired\noverride 100\n{MOVE}")
    cell.do("remove fault:tired")
    assert repaired.time_ns == ran(cell, MOVE).time_ns
    assert both.time_ns == ran(cell, f"override 25 of A\n{MOVE}").time_ns


def test_what_is_true_minus_what_is_read_is_the_drift(cell):
    text = f"{MOVE}\nmove-joints-absolute A 10,0,-90,0,90,0\nif joint(A, 1) = 10deg\n  set-signal go 1\nend"
    drift = np.radians([1.5, 0, -0.5, 0, 0, 2.0])
    sim = ran(cell, text, "loose of A drifts by 1.5,0,-0.5,0,0,2 after 0")
    target = np.radians([10, 0, -90, 0, 90, 0])
    read = sim.robot("A").joints
    assert np.allclose(sim.state.joints["A"] - read, sim.faults.drift("A"), atol=1e-15)
    assert np.allclose(sim.faults.drift("A"), drift)
    assert np.allclose(sim.state.joints["A"], target + drift, atol=1e-12)  # the second move goes beside
    assert np.allclose(read, target, atol=1e-12)
    assert sim.signal("count") == pytest.approx(math.radians(10))
    counts = events(sim, SensorChanged)
    assert {one.signal for one in counts} >= {"count"}
    assert np.allclose(sim.recording.state_at(sim.time).joints["A"], target + drift, atol=1e-12)


def test_a_drift_adds_up_with_every_use_and_is_gone_after_a_repair(cell):
    cell.do("add fault loose of A drifts by 0.1,0,0,0,0,0 chance 1")
    sim = wc.Simulator(cell)
    arm = sim.robot("A")
    for round_ in range(1, 6):
        arm.move_joints_absolute(np.radians([5 * round_, 0, -90, 0, 90, 0]))
        assert np.allclose(sim.faults.drift("A"), math.radians(0.1 * round_) * np.eye(6)[0])
        assert sim.state.joints["A"][0] == pytest.approx(math.radians(5 * round_ + 0.1 * (round_ - 1)), abs=1e-12)
    sim.clear_fault("loose")
    assert np.array_equal(arm.joints, sim.state.joints["A"])
    pose = arm.tool_pose
    assert pose.distance(sim.snapshot.tool_pose(sim.state, "A"))[0] == 0.0


def test_what_truly_moves_is_watched(cell):
    cell.do("add solid post box 40 40 1200 at 720,450,600")
    cell.do("watch yes")
    there = "move-joints-absolute A 32,0,-90,0,90,0"
    ran(cell, there)
    from workcell.errors import CollisionStop

    with pytest.raises(CollisionStop):
        ran(cell, f"inject-fault loose\n{there}", "loose of A drifts by 8,0,0,0,0,0")


# ---- sensors ------------------------------------------------------------------------------------------------

SWEEP = "move-joints-absolute A 80,0,-90,0,90,0\nmove-joints-absolute A 0,0,-90,0,90,0"


def gate(sim):
    return [(round(one.time, 6), one.value) for one in events(sim, SensorChanged) if one.signal == "gate"]


def test_a_stuck_sensor_never_changes_while_it_is_stuck(cell):
    true = gate(ran(cell, SWEEP))
    assert len(true) >= 4
    first, second = true[0][0], true[1][0]
    sim = ran(cell, SWEEP, f"dirt of gate sticks at {(first + second) / 2} lasts {second - first}")
    began, ended = (one.time for one in events(sim, FaultBegan, FaultEnded))
    assert not [time for time, _ in gate(sim) if began <= time < ended]
    assert gate(sim)[0] == true[0]
    assert gate(sim)[1] == (round(ended, 6), 0.0)  # what it missed comes with the repair
    assert gate(sim)[2:] == true[2:]
    for time in np.linspace(began, ended - 1e-6, 7):
        assert sim.recording.state_at(float(time)).signals["gate"] == 1.0


def test_a_sensor_lies_in_each_way(cell):
    true = gate(ran(cell, SWEEP))
    inverse = ran(cell, SWEEP, "mirror of gate lies lie inverse at 0")
    assert gate(inverse)[0] == (0.0, 1.0)
    assert gate(inverse)[1:] == [(time, 1.0 - value) for time, value in true]
    cell.do("remove fault:mirror")
    assert gate(ran(cell, SWEEP, "dead of gate lies lie constant value 0 at 0")) == []
    cell.do("remove fault:dead")
    plain = [one for one in events(ran(cell, MOVE), SensorChanged) if one.signal == "count"]
    lying = ran(cell, MOVE, "bias of count lies lie offset value 0.5 at 0")
    off = [one for one in events(lying, SensorChanged) if one.signal == "count"]
    assert off[0].value == 0.5
    assert np.allclose([one.value for one in off[1:]], [one.value + 0.5 for one in plain])
    cell.do("remove fault:bias")
    noisy = [
        ran(cell, MOVE, *more).recording.to_bytes() for more in (["rough of count lies lie noise value 0.1 at 0"], [])
    ]
    assert noisy[0] == noisy[1]
    values = [one.value for one in events(ran(cell, MOVE), SensorChanged) if one.signal == "count"]
    errors = np.array(values[1:]) - [one.value for one in plain][: len(values) - 1]
    assert 0.05 < errors.std() < 0.2


def test_a_program_waits_for_what_a_sensor_says_and_not_for_what_is_true(cell):
    text = f"parallel\n  {SWEEP.splitlines()[0]}\nand\n  wait-until signal(gate) = 1 timeout 9 else\n    set-signal go 1\n  end\nend"
    assert ran(cell, text).signal("go") == 0.0
    assert ran(cell, text, "dead of gate lies lie constant value 0 at 0").signal("go") == 1.0


# ---- grippers and parts -------------------------------------------------------------------------------------

DOWN = Pose.from_axis_angle((0, 1, 0), np.pi)


def holding(cell, *faults):
    for line in faults:
        cell.do(f"add fault {line}")
    sim = wc.Simulator(cell)
    arm = sim.robot("A")
    arm.move_end_effector(Pose.from_xyz(0.5, -0.15, 0.02) @ DOWN, point="grip")
    return sim, arm


def test_a_gripper_that_does_not_close_is_a_failed_grasp(cell):
    sim, arm = holding(cell, "valve of A keeps-open after 0")
    with pytest.raises(GraspFailed, match=r"The gripper of A does not close: fault 'valve'\.") as found:
        arm.close_gripper()
    assert found.value.test == "fault"
    assert arm.holds == ""
    assert arm.close_gripper().part == "cube"  # the next time it does
    assert [kind for kind, *_ in spans(sim)] == ["FaultBegan", "FaultEnded"]
    cell.do("modify fault:valve lasts 5s")
    sim, arm = holding(cell)
    for _ in range(2):
        with pytest.raises(GraspFailed):
            arm.close_gripper()
    sim.wait(5.0)
    assert arm.close_gripper().part == "cube"


def test_a_part_slips_in_the_hand_by_what_is_given(cell):
    sim, arm = holding(cell, "oil of cube slips slip 0,0,-5 after 0")
    before = sim.snapshot.body_pose(sim.state, "cube")
    arm.close_gripper()
    after = sim.snapshot.body_pose(sim.state, "cube")
    assert np.allclose((before.inverse() @ after).xyz, [0, 0, -0.005], atol=1e-12)
    assert arm.holds == "cube"
    assert [kind for kind, *_ in spans(sim)] == ["FaultBegan", "FaultEnded"]
    arm.move_hand(Pose.from_xyz(0, 0, 0.1), frame="world")
    moved = sim.snapshot.body_pose(sim.state, "cube")
    assert moved.xyz[2] == pytest.approx(after.xyz[2] + 0.1, abs=1e-6)


def test_a_part_slips_out_of_the_hand_and_falls_on_the_way(cell):
    sim, arm = holding(cell, "oil of cube slips at 2s")
    arm.close_gripper()
    arm.move_hand(Pose.from_xyz(0, 0, 0.2), frame="world", hand_speed=0.05)
    assert sim.time > 2.0
    assert arm.holds == ""
    assert sim.snapshot.body_pose(sim.state, "cube").xyz[2] == pytest.approx(0.02, abs=1e-6)
    (began,) = events(sim, FaultBegan)
    assert began.time == 2.0
    assert "cube" in sim.recording.state_at(1.99).attached
    assert "cube" not in sim.recording.state_at(2.01).attached


def test_a_part_that_is_not_held_slips_when_it_is_taken(cell):
    sim, arm = holding(cell, "oil of cube slips at 0.1s")
    assert [kind for kind, *_ in spans(sim)] == ["FaultBegan"]
    arm.close_gripper()
    assert arm.holds == ""


# ---- when they begin ----------------------------------------------------------------------------------------


def test_a_fault_begins_after_so_many_good_uses(cell):
    text = "\n".join(["move-joints-relative A 1,0,0,0,0,0"] * 5)
    sim = ran(cell, text, "tired of A slow part 0.5 after 3")
    (began,) = events(sim, FaultBegan)
    starts = [move.start for move in sim.recording.moves]
    assert began.time == starts[3]
    durations = [move.duration for move in sim.recording.moves]
    assert durations[3:] == pytest.approx([2.0 * durations[2]] * 2, rel=1e-6)


@pytest.mark.sampled
def test_a_chance_is_kept_over_many_uses(cell):
    for chance in (0.02, 0.3, 0.9):
        hits = sum(drawn(7, number) < chance for number in range(10_000))
        assert abs(hits - 10_000 * chance) < 4.0 * math.sqrt(10_000 * chance * (1 - chance))
    assert [drawn(7, k) for k in range(5)] != [drawn(8, k) for k in range(5)]
    sim, arm = holding(cell, "valve of A keeps-open chance 0.3 seed 5")
    failed, uses = 0, share(400)
    for _ in range(uses):
        try:
            arm.close_gripper()
            arm.open_gripper()
        except GraspFailed:
            failed += 1
    assert abs(failed - 0.3 * uses) < 4.0 * math.sqrt(uses * 0.3 * 0.7)
    assert failed == len(events(sim, FaultBegan)) == len(events(sim, FaultEnded))


def test_faults_by_the_hour_come_as_often_as_stated(cell):
    sim = ran(cell, "wait 36000", "dirt of gate sticks per-hour 40 lasts 10s seed 3")
    count = len(events(sim, FaultBegan))
    mean = 36_000 / (90 + 10)
    assert abs(count - mean) < 4.0 * math.sqrt(mean)
    gaps = np.diff([one.time for one in events(sim, FaultBegan)])
    assert gaps.min() >= 10.0


def test_no_fault_gives_the_same_bytes_as_a_cell_without_any(cell):
    before = ran(cell, f"{SWEEP}\n{MOVE}").recording.to_bytes()
    never = (
        "jam of A stops at 9999s",
        "dirt of gate sticks chance 0",
        "loose of A drifts by 1,0,0,0,0,0",
        "oil of cube slips",
    )
    assert ran(cell, f"{SWEEP}\n{MOVE}", *never).recording.to_bytes() == before


# ---- the life of faults -------------------------------------------------------------------------------------

WORK = (
    "move-joints-relative A 30,0,0,0,0,0\nwait 0.5\nmove-joints-relative A -30,0,0,0,0,0\n"
    "move-joints-absolute A 80,0,-90,0,90,0\nmove-joints-absolute A 0,0,-90,0,90,0"
)
MANY = (
    "jam of A stops at 0.4s lasts 1s",
    "tired of A slow part 0.5 chance 0.5 lasts 2s seed 11",
    "loose of A drifts by 0.2,0,0,0,0,0 chance 0.5 seed 12",
    "dirt of gate sticks chance 0.3 lasts 0.5s seed 13",
    "rough of count lies lie noise value 0.02 per-hour 3000 lasts 0.7s seed 14",
)


def test_run_stepped_back_saved_and_another_process_record_the_same_bytes(cell, tmp_path):
    for line in MANY:
        cell.do(f"add fault {line}")
    cell.do(f"program work\n{WORK}\nend")
    cell.do("run work")
    whole = cell.session.recording.to_bytes()
    assert len(events(cell.session, FaultBegan)) > 4
    assert ran(cell, WORK).recording.to_bytes() == whole
    cell.do("debug work")
    for _ in range(3):
        cell.do("step-into")
    cell.do("step-back 2")
    cell.do("resume")
    assert cell.session.recording.to_bytes() == whole
    cell.do("break work 3")
    cell.do("run work")
    cell.session.paused.stepped.run.save(tmp_path / "half.run")
    again = Run.load(tmp_path / "half.run", wc.Simulator(cell))
    again.go()
    assert again.simulator.recording.to_bytes() == whole
    made = [*STAGE, *(f"add fault {line}" for line in MANY), f"program work\n{WORK}\nend"]
    lines = (
        "import sys, workcell as wc",
        "from workcell.simulation.interpreter import Run",
        "cell = wc.Cell()",
        f"[cell.do(line) for line in {made!r}]",
        f"run = Run.load({str(tmp_path / 'half.run')!r}, wc.Simulator(cell))",
        "run.go()",
        "sys.stdout.buffer.write(run.simulator.recording.to_bytes())",
    )
    other = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, check=True)
    assert other.stdout == whole
    cell.do("resume")
    assert cell.session.recording.to_bytes() == whole


KINDS = (
    "of A stops", "of track stops", "of A slow part 0.3", "of A drifts by 0.3,0,0.1,0,0,0", "of track drifts by 2",
    "of gate sticks", "of gate lies lie inverse", "of count lies lie noise value 0.05", "of count sticks",
    "of cube stops", "of cube slow part 0.5",
)  # fmt: skip
STEPS = (
    "move-joints-relative A 20,0,0,0,0,0",
    "move-joints-relative A -15,3,0,0,0,0",
    "move-joints-relative track 100",
    "wait 0.3",
    "move-solid cube through 500,100,20 speed 200mm/s\nmove-solid cube through 500,-150,20 speed 200mm/s",
    "parallel\n  move-joints-relative A 10,0,0,0,0,0\nand\n  wait 0.2\n  override 30 of A\nend\noverride 100 of A",
)


def test_random_faults_give_the_same_bytes_however_a_run_is_paused_and_saved(cell, tmp_path):
    began = 0
    for seed in range(8):
        rng = random.Random(seed)
        for number in range(3):
            begins = rng.choice(
                [f"at {rng.uniform(0, 4):.3f}s", f"after {rng.randrange(3)}", "chance 0.5", "per-hour 3000"]
            )
            line = (
                f"f{number} {rng.choice(KINDS)} {begins} lasts {rng.uniform(0.05, 1.5):.3f}s seed {rng.randrange(99)}"
            )
            cell.do(f"add fault {line}")
        text = "\n".join(["move-joints-relative A 5,0,0,0,0,0", *rng.choices(STEPS, k=4)])
        whole = ran(cell, text)
        began += len(events(whole, FaultBegan))
        paused, count = Run(wc.Simulator(cell), [program(text)]), 0
        while paused.go(lambda *_: True) is not None:
            paused.moment()
            count += 1
            if count == 3:
                paused.save(tmp_path / "half.run")
                paused = Run.load(tmp_path / "half.run", wc.Simulator(cell))
        assert paused.simulator.recording.to_bytes() == whole.recording.to_bytes(), seed
        cell.do("undo 3")
    assert began > 20


def test_faults_that_are_injected_in_a_pause_are_kept_with_the_run(cell):
    cell.do("add fault jam of A stops")
    cell.do(f"program work\n{MOVE}\nwait 0.2\n{MOVE}\nend")
    cell.do("break work 2")
    cell.do("run work")
    assert str(cell.do("inject-fault jam")) == "fault jam has begun"
    assert "active, 1 use" in str(cell.do("faults"))
    with pytest.raises(Refused, match="Fault 'jam' has already begun; `clear-fault jam` ends it"):
        cell.do("inject-fault jam")
    cell.do("step-into")
    cell.do("clear-fault jam")
    cell.do("unbreak")
    cell.do("resume")
    bytes_then = cell.session.recording.to_bytes()
    assert [type(one) for one in events(cell.session, FaultBegan, FaultEnded)] == [FaultBegan, FaultEnded]
    assert cell.replayed().session.recording.to_bytes() == bytes_then
    cell.do("undo")
    cell.do("redo")
    assert cell.session.recording.to_bytes() == bytes_then


def test_a_program_injects_and_clears_and_typed_lines_know_no_faults(cell):
    sim = ran(cell, f"inject-fault tired\n{MOVE}\nclear-fault tired\n{MOVE}", "tired of A slow part 0.5")
    slow, free = (move.duration for move in sim.recording.moves)
    assert slow == pytest.approx(2.0 * free, rel=1e-6)
    with pytest.raises(Refused, match="`inject-fault tired` needs a run: use it as a step of a program"):
        cell.do("inject-fault tired")
    cell.do("modify fault:tired at 0s")
    assert cell.do(MOVE).duration == pytest.approx(free)


def test_a_rename_follows_into_faults_and_undo_takes_it_back(cell):
    for line in ("jam of A stops at 0.4s lasts 1s", "dirt of gate sticks at 1s", "oil of cube slips at 9s"):
        cell.do(f"add fault {line}")
    cell.do(f"program work\ninject-fault oil\n{MOVE}\nend")
    before = cell.snapshot().faults
    for line in (
        "modify robot:A name Arm",
        "modify sensor:gate name door",
        "modify object:cube name brick",
        "modify fault:oil name grease",
    ):
        cell.do(line)
    assert [(one.name, one.target) for one in cell.snapshot().faults] == [
        ("jam", "Arm"),
        ("dirt", "door"),
        ("grease", "brick"),
    ]
    assert not any(one.problem for one in cell.snapshot().faults)
    assert "inject-fault grease" in str(cell.do("steps work"))
    cell.do("run work")
    assert {one.thing for one in events(cell.session, FaultBegan)} == {"Arm", "", "brick"}
    cell.do("modify robot:Arm name Helper")
    assert "Helper" in {one.thing for one in events(cell.session, FaultBegan)}
    cell.do("undo 6")
    assert cell.snapshot().faults == before


def test_faults_survive_a_file_and_a_merge(cell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in MANY:
        cell.do(f"add fault {line}")
    cell.do("save plant.cell")
    with wc.Cell.open("plant.cell") as opened:
        assert opened.snapshot().faults == cell.snapshot().faults
    with wc.Cell() as other:
        other.do("load plant.cell prefix left-")
        found = [(one.name, one.target, one.problem) for one in other.snapshot().faults]
    assert found == [(f"left-{one.name}", f"left-{one.target}", "") for one in cell.snapshot().faults]


def test_the_report_lists_faults(cell):
    cell.do("add fault jam of A stops at 0.3s lasts 2s")
    cell.do(f"program work\n{MOVE}\nend")
    cell.do("run work")
    made = cell.do("report")
    assert "fault jam of A (stops) began once, for 2.0000 s in all" in str(made)
    (line,) = made.faults
    assert (line.fault, line.of, line.times, line.lasted) == ("jam", "A", 1, pytest.approx(2.0))


@pytest.mark.parametrize("fault", ["jam of A stops at 0.3s lasts 2s", "jam of A slow part 0.5 at 0"])
def test_the_report_attributes_the_time_of_a_held_or_slow_move_to_the_fault(cell, fault):
    cell.do(f"add fault {fault}")
    cell.do(f"program work\n{MOVE}\nend")
    cell.do("run work")
    (move,) = cell.do("report").moves
    assert move.limited == "a fault"
    assert "the override" not in str(cell.do("report"))


def test_faults_from_python(cell):
    sim = wc.Simulator(cell)
    sim.inject_fault(FaultPlace("weak", "slow", thing="A", part=0.25))
    arm = sim.robot("A")
    slow = arm.move_joints_relative([0.3, 0, 0, 0, 0, 0])
    sim.clear_fault("weak")
    assert slow == pytest.approx(4.0 * arm.move_joints_relative([-0.3, 0, 0, 0, 0, 0]), rel=1e-6)
    with pytest.raises(NameTaken):
        sim.inject_fault(FaultPlace("weak", "slow", thing="A", part=0.25))
    with pytest.raises(Refused, match="has not begun; there is nothing to clear"):
        sim.clear_fault("weak")
    with pytest.raises(UnknownName, match="There is no fault called 'week'; did you mean weak"):
        sim.inject_fault("week")


def test_a_stopped_robot_takes_no_new_target(cell):
    cell.do("add fault jam of A stops at 0s lasts 1s")
    sim = wc.Simulator(cell)
    sim.wait(0.1)
    with pytest.raises(Refused, match=r"A is stopped by fault 'jam'; `clear-fault jam` repairs it\."):
        sim.robot("A").track(sim.robot("A").joints)


# ---- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("f of A stops chance 2", "The chance of fault 'f' must be a probability, from 0 to 1; found 2"),
        ("f of A stops chance nan", None),
        ("f of A slow part 1.5", "The part of fault 'f' must be at least 0.01 and less than 1; found 1.5"),
        ("f of A slow", "Fault 'f' needs the share of its speed that A keeps"),
        ("f of A stops at -1s", "The at of fault 'f' must be zero or more seconds; found -1"),
        ("f of A stops at 1s chance 0.5", "Fault 'f' can begin in one way only; found at and chance"),
        ("f of A sticks", "A fault of the kind `sticks` needs a sensor; 'A' is a robot."),
        ("f of gate stops", "A fault of the kind `stops` needs a robot, mechanism or object; 'gate' is a sensor."),
        ("f of table slips part 0.5", "`part` is only for a fault of the kind `slow`; leave it out."),
        ("f of A drifts", "Fault 'f' needs the joint errors of A"),
        ("f of A drifts by 1,2", "A has 6 joints; found 2 values."),
        ("f of gate lies", "Fault 'f' needs the way in which the sensor is wrong"),
        ("f of gate lies lie offset", "Fault 'f' needs a value"),
        ("f of track keeps-open", "A fault of the kind `keeps-open` needs a robot; 'track' is a mechanism."),
        ("f of nobody stops", "nobody"),
        ("f of A stops per-hour 0", "The per_hour of fault 'f' must be more than zero"),
    ],
)
def test_bad_faults_are_refused_in_one_sentence(cell, line, sentence):
    from workcell.errors import WorkcellError

    with pytest.raises(WorkcellError) as found:
        cell.do(f"add fault {line}")
    assert sentence is None or sentence in str(found.value)
    assert cell.snapshot().faults == ()


def test_a_fault_of_a_removed_device_says_so_and_never_begins(cell):
    cell.do("add fault jam of B stops at 0.1s")
    cell.do("remove B --deep")
    text = "Fault 'jam' concerns 'B', which is not in the scene now; place it there, or `remove fault:jam`."
    assert text in str(cell.do("faults"))
    sim = ran(cell, MOVE)
    assert not events(sim, FaultBegan)
    with pytest.raises(StepRefused, match="Fault 'jam' concerns 'B', which is not in the scene now"):
        ran(cell, "inject-fault jam")
    cell.do("add fault odd of A stops chance 0.5")
    with pytest.raises(InvalidValue, match="The chance of fault 'odd' must be a probability"):
        cell.do("modify fault:odd chance 3")


def test_sentences_of_faults():
    assert text_of(FaultBegan(1.0, "jam", "stops", "A", "")) == "fault jam begins: A stops"
    assert text_of(FaultEnded(1.0, "dirt", "sticks", "", "gate")) == "fault dirt ends: gate reads again"
