"""Parts that are attached without a test, magnets, and tools of the library through the life of a cell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.errors import GraspFailed, Refused
from workcell.robots.tool_catalogue import tool_file
from workcell.simulation.events import Gripped, Released
from workcell.simulation.interpreter import Run
from workcell.simulation.saved_runs import SavedRun
from workcell.spatial.units import GRAVITY

DOWN = "euler fanuc_wpr 180,0,0"
STAGE = (
    "create robot Arm ur10e",
    "create tool vac vacuum-2x2",
    "fit tool vac to Arm",
    "add solid box1 box 300 200 150 at 600,0,75 --movable",
    "modify box1 mass 3kg",
)
GO = f"move-end-effector Arm 600,0,150 {DOWN}"
WORK = f"{GO}\nclose-gripper Arm\nretract Arm by 100\nopen-gripper Arm"


def made(*lines):
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def where(cell, name):
    return cell.snapshot().body_pose(cell.state, name)


def ran(cell, text):
    read = read_program("work", text)
    assert not read.problems
    run = Run(wc.Simulator(cell), [read.program])
    run.go()
    return run.simulator


# ---- grip and release -----------------------------------------------------------------------------------------


def test_a_part_is_attached_as_it_is_to_an_arm_without_a_gripper_and_released():
    with made("create robot Arm ur10e", "take-off Arm", *STAGE[3:]) as cell:
        taken = cell.do("grip box1")
        assert (taken.by, taken.robot) == ("attached", "Arm")
        assert "the grip was not tested" in str(taken)
        held = where(cell, "Arm/link 6").inverse() @ where(cell, "box1")
        cell.do("move-joints-relative Arm 20,10,-10,5,5,5")
        assert (where(cell, "Arm/link 6").inverse() @ where(cell, "box1")).is_close(held, 1e-12, 1e-12)
        with pytest.raises(Refused, match="Arm already holds box1"):
            cell.do("grip box1 with Arm")
        before = where(cell, "box1")
        assert str(cell.do("release box1")).startswith("Arm releases box1")
        assert where(cell, "box1").is_close(before, 1e-12, 1e-12)
        with pytest.raises(Refused, match="No robot holds box1"):
            cell.do("release box1")
        cell.do("undo")
        assert cell.do("release box1").part == "box1"


def test_attaching_and_a_closed_gripper_do_not_mix():
    with made(*STAGE, "add solid peg box 20 20 20 at 900,0,10 --movable", GO, "close-gripper Arm") as cell:
        with pytest.raises(Refused, match="The gripper of Arm is closed; `open-gripper Arm` first"):
            cell.do("grip peg")
        cell.do("open-gripper Arm")
        cell.do("grip peg")
        with pytest.raises(
            Refused, match="already holds peg; `release peg` first, because it was gripped without the gripper"
        ):
            cell.do("close-gripper Arm")
        assert cell.do("open-gripper Arm").open  # what is attached stays
        assert cell.session.simulator.robot("Arm").held == ("peg",)


def test_one_of_several_parts_is_released_and_the_hand_opens_with_the_last():
    boxes = [f"add solid b{k} box 150 100 100 at 600,{y},50 --movable" for k, y in enumerate((-195, -65, 65, 195))]
    lines = ("create robot Arm ur10e", "create tool bar vacuum-bar-4", "fit tool bar to Arm", *boxes)
    with made(*lines, "move-end-effector Arm 600,0,100 euler fanuc_wpr 180,0,90", "close-gripper Arm") as cell:
        cell.do("retract Arm by 50")
        cell.do("release b1 --settle")
        assert where(cell, "b1").xyz[2] == pytest.approx(0.05)
        arm = cell.session.simulator.robot("Arm")
        assert arm.held == ("b0", "b2", "b3")
        assert cell.state.signals["Arm/gripper"] == 1.0
        for name in ("b0", "b2", "b3"):
            cell.do(f"release {name} --settle")
        assert cell.state.signals["Arm/gripper"] == 0.0


def test_fingers_are_opened_and_not_released():
    lines = ("create robot Puma puma560", "add solid cube box 40 40 40 at 500,-150,20 --movable")
    with made(*lines, "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip") as cell:
        cell.do("close-gripper Puma")
        with pytest.raises(Refused, match="between the fingers of Puma; `open-gripper Puma` lets it go"):
            cell.do("release cube")


def test_what_cannot_be_attached_is_refused_in_a_sentence_and_by_the_checker():
    with made("create robot A ur10e", "create robot B ur10e at 3000,0,0", "add solid table box 9 9 9 at 1,1,1") as cell:
        cell.do("add solid peg box 20 20 20 at 900,0,10 --movable")
        with pytest.raises(Refused, match="table is not movable; `modify table movable yes` lets it be gripped"):
            cell.do("grip table with A")
        with pytest.raises(Refused, match="The cell has 2 robots; name the one that grips: `with A`"):
            cell.do("grip peg")
        cell.do("program work\ngrip peg\npick peg\ngrip table with A\nrelease nobody\nend")
        message = str(cell.do("check program work"))
        assert message.count("The cell has 2 robots; name the one that grips") == 2
        assert "table is not movable" in message
        assert "nobody" in message


def test_attached_parts_are_events_of_a_program_and_in_its_recording():
    with made("create robot Arm ur10e", "take-off Arm", *STAGE[3:]) as cell:
        text = "grip box1\nmove-joints-relative Arm 10,0,0,0,0,0\nrelease box1 --settle"
        found = [one for one in ran(cell, text).recording.events if isinstance(one, Gripped | Released)]
        assert [(one.part, one.by) for one in found] == [("box1", "attached"), ("box1", "attached")]


def test_python_grips_and_releases():
    with made("create robot Arm ur10e", "take-off Arm", *STAGE[3:]) as cell:
        arm = wc.Simulator(cell).robot("Arm")
        assert arm.grip("box1").by == "attached"
        assert (arm.holds, arm.held) == ("box1", ("box1",))
        arm.release("box1")
        with pytest.raises(Refused, match="Arm does not hold box1"):
            arm.release("box1")


# ---- magnets --------------------------------------------------------------------------------------------------


@given(st.floats(10, 2000), st.floats(1e-4, 0.01), st.floats(0, 0.02), st.floats(0, 1))
def test_the_force_of_a_magnet_falls_with_the_square_of_the_gap_that_is_left(force, limit, gap, share):
    pole = wc.Pole((0, 0, 0.1), 0.05, force, limit)
    left = max(0.0, 1 - gap / limit)
    assert pole.at(gap, share) == pytest.approx(force * share * left * left)
    assert pole.at(0.0) == force


def magnet(*lines, z=20, x=600):
    plate = ("add solid plate box 200 200 20 at 600,0,10 --movable", "modify plate mass 2kg")
    fit = ("create robot Arm ur10e", "create tool mag magnet-1", "fit tool mag to Arm")
    return made(*fit, *plate, *lines, f"move-end-effector Arm {x},0,{z} {DOWN}")


def test_a_magnet_holds_what_is_ferromagnetic_and_names_what_is_not_or_not_known():
    with magnet() as cell, pytest.raises(GraspFailed, match="`modify plate ferromagnetic yes` marks it"):
        cell.do("close-gripper Arm")
    wood = magnet("modify plate ferromagnetic no")
    with wood as cell, pytest.raises(GraspFailed, match="is on plate, which is not ferromagnetic"):
        cell.do("close-gripper Arm")
    steel = ("create material steel", "modify steel ferromagnetic yes", "modify plate material steel")
    with magnet(*steel) as cell:
        taken = cell.do("close-gripper Arm")
        assert taken.holds[0].by == "magnet"
        assert taken.holds[0].force == pytest.approx(400)
        assert taken.holds[0].needed == pytest.approx(3 * 2 * (GRAVITY + 5 * math.sqrt(1 + 25)))


def test_a_magnet_works_across_a_gap_and_with_a_part_of_its_face():
    yes = "modify plate ferromagnetic yes"
    with magnet(yes, "modify plate mass 0.3kg", z=21.5) as cell:
        assert cell.do("close-gripper Arm").holds[0].force == pytest.approx(400 * (1 - 1.5 / 3) ** 2)
    far = magnet(yes, z=24)
    with far as cell, pytest.raises(GraspFailed, match="is 4 mm from plate, 1 mm more than its field reaches"):
        cell.do("close-gripper Arm")
    with magnet(yes, "modify plate mass 0.3kg", x=700) as cell:  # half of it is beyond the edge
        assert cell.do("close-gripper Arm").holds[0].force == pytest.approx(200, rel=1e-4)


# ---- the library ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", wc.tools())
def test_every_tool_of_the_library_can_be_fitted_has_a_shape_and_a_tip_at_its_end(name):
    tool, file = wc.tool(name), tool_file(name)
    assert file.name == name
    assert file.mass > 0
    assert file.typical or file.source
    with made("create robot Arm ur10e", f"create tool thing {name}", "fit tool thing to Arm") as cell:
        snapshot = cell.snapshot()
        body = snapshot.body("Arm/thing")
        placed = snapshot.robot("Arm")
        assert placed.robot.X_flange_tool.is_close(tool.X_flange_tcp, 1e-12, 1e-12)
        assert placed.tool.load.mass == file.mass
        assert placed.robot.gripper is None if tool.hand is None else type(placed.robot.gripper) is type(tool.hand)
        ends = [one for one in snapshot.bodies if one.owner == "Arm" and (one is body or "finger" in one.name)]
        frames = snapshot.body_poses(snapshot.initial)
        names = [one.name for one in snapshot.bodies]
        X_tip = snapshot.tool_pose(snapshot.initial, "Arm").inverse()
        deepest = -math.inf
        for one in ends:
            for piece in one.pieces:
                points = piece.solid.mesh(1e-4).vertices
                X = X_tip @ wc.Pose(frames[names.index(one.name)])
                deepest = max(deepest, float((points @ X.rotation.T + X.xyz)[:, 2].max()))
        assert -1e-3 < deepest < 0.015  # the pads of fingers go on beyond the grip point
        assert "nothing" in str(cell.do("contacts")).lower()


def test_an_unknown_model_is_refused_with_the_nearest_and_completion_lists_them():
    with wc.Cell() as cell:
        with pytest.raises(wc.WorkcellError, match="vacuum-2x2"):
            cell.do("create tool vac vacuum-2x3x")
        offered = [one.text for one in cell.session.complete("create tool vac vacuum-")]
        assert "vacuum-4x3" in offered
        assert len(cell.do("tools").rows) == len(wc.tools())


def test_a_robot_made_in_python_with_a_tool_of_the_library_keeps_both():
    robot = wc.robot("ur10e").with_tool(wc.tool("vacuum-2x2"))
    assert robot.gripper == wc.tool("vacuum-2x2").hand
    assert robot.with_tool(None).gripper is None
    with wc.Cell() as cell:
        cell.add_robot(robot, name="Arm")
        placed = cell.snapshot().robot("Arm").robot
        assert placed.gripper.cups == robot.gripper.cups
        assert placed.X_flange_tool.is_close(robot.X_flange_tool, 1e-12, 1e-12)


def test_a_robot_file_keeps_its_suction_cups_and_magnets():
    from workcell.robots.build import file_from_robot, robot_from_file
    from workcell.robots.robot_file import parse, write

    for name in ("vacuum-4x3", "magnet-2x2"):
        robot = wc.robot("kr16").replace(gripper=wc.tool(name).hand)
        again = robot_from_file(parse(write(file_from_robot(robot))))
        assert again.gripper == robot.gripper


# ---- life -----------------------------------------------------------------------------------------------------


def test_tools_live_through_rename_undo_copy_text_and_another_cell(tmp_path):
    with made(*STAGE) as cell:
        before = cell.snapshot().hash
        cell.do("modify vac stroke 12mm")
        assert cell.snapshot().hash != before
        cell.do("undo")
        assert cell.snapshot().hash == before
        cell.do("modify vac name sucker")
        assert cell.snapshot().body("Arm/sucker")
        assert cell.snapshot().robot("Arm").robot.gripper.name == "sucker"
        cell.do("copy sucker as other")
        cell.do("take-off Arm")
        cell.do("fit tool other to Arm")
        assert cell.snapshot().body("Arm/other")
        cell.do(f"save {tmp_path / 'one.cell'}")
    with wc.Cell() as other:
        other.do(f"load {tmp_path / 'one.cell'}")
        assert other.snapshot().robot("Arm").robot.gripper.cups == wc.tool("vacuum-2x2").hand.cups


def test_a_replay_of_the_journal_gives_the_same_cell_and_the_same_grip(tmp_path):
    with made(*STAGE, GO, "close-gripper Arm", "retract Arm by 100") as cell:
        before, state = cell.snapshot().hash, cell.state
        with cell.replayed() as again:
            assert again.snapshot().hash == before
            assert again.state == state


def test_a_replaced_robot_keeps_its_vacuum_tool_and_what_it_holds():
    with made(*STAGE, GO, "close-gripper Arm", "retract Arm by 100") as cell:
        held = where(cell, "Arm/vac").inverse() @ where(cell, "box1")
        cell.do("replace robot Arm with ur16e")
        assert cell.snapshot().robot("Arm").robot.gripper.summary == "4 cups of 40 mm at 60 kPa"
        assert (where(cell, "Arm/vac").inverse() @ where(cell, "box1")).is_close(held, 1e-9, 1e-9)
        assert cell.do("open-gripper Arm").part == "box1"


def test_a_run_that_is_saved_with_a_held_part_goes_on_elsewhere_and_lets_it_go_at_the_same_time():
    with made(*STAGE) as cell:
        read = read_program("work", WORK)
        whole = ran(cell, WORK)
        grip = next(one for one in whole.recording.events if isinstance(one, Gripped))
        run = Run(wc.Simulator(cell), [read.program])
        run.go(lambda thread, _: thread.frame.place.line == 3)
        again = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell))
        again.go()
        events = again.simulator.recording.events
        assert [one for one in events if isinstance(one, Gripped)] == [grip]
        assert again.simulator.state == whole.state


def test_a_part_slips_from_a_vacuum_and_falls():
    with made(*STAGE, "add fault loose of box1 slips at 4s") as cell:
        found = ran(cell, f"{GO}\nclose-gripper Arm\nretract Arm by 40\nwait 5").state
        assert "box1" not in found.attached
        assert found.poses["box1"].xyz[2] == pytest.approx(0.075, abs=1e-6)


def test_fingers_take_a_part_over_from_a_vacuum_tool():
    lines = (
        "create robot Puma puma560 at 1250,0,0 rotate 0,0,180",
        "add solid bar box 300 50 50 at 600,0,25 --movable",
    )
    with made("create robot Arm ur10e", "create tool vac vacuum-1x30", "fit tool vac to Arm", *lines) as cell:
        cell.do("modify bar mass 0.5kg")
        cell.do(f"move-end-effector Arm 500,0,50 {DOWN}")
        cell.do("close-gripper Arm")
        cell.do("retract Arm by 400")
        x, y, z = (where(cell, "bar") @ wc.Pose.from_xyz(0.12, 0, 0)).xyz * 1e3
        cell.do(f"move-end-effector Puma {x},{y},{z} euler fanuc_wpr 180,0,90 of grip")
        taken = cell.do("close-gripper Puma")
        assert (taken.part, taken.taken_from) == ("bar", "Arm")
        assert cell.session.simulator.robot("Arm").held == ()


def test_a_part_on_a_running_belt_is_taken_by_suction_with_a_small_miss():
    from workcell.simulation.events import GraspMissed

    lines = (
        "create robot Arm ur10e", "create tool vac vacuum-1x60", "fit tool vac to Arm", "add conveyor belt 3000 at -1500,700,0",
        "add solid box1 box 200 150 100 at -400,700,750 --movable", "modify box1 mass 1kg", "modify belt runs 100mm/s",
    )  # fmt: skip
    with made(*lines) as cell:
        text = f"wait 0.1\nmove-end-effector Arm 0,0,50 {DOWN} on box1\nclose-gripper Arm\nretract Arm by 100\nopen-gripper Arm"
        sim = ran(cell, text)
        events = sim.recording.events
        grip = next(one for one in events if isinstance(one, Gripped))
        assert (grip.part, grip.by) == ("box1", "suction")
        miss = next(one for one in events if isinstance(one, GraspMissed))
        assert miss.distance < 1e-4


def test_the_gantt_chart_marks_suction_as_it_marks_fingers(tmp_path):
    with made(*STAGE) as cell:
        recording = ran(cell, WORK).recording
        drawn = wc.gantt(recording)
        assert "gripper closes (above)" in str(drawn)
        assert np.isfinite(recording.duration)
