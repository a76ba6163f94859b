"""A load is checked when a gripper closes, when a part is handed over, when a program runs and when a tool is fitted."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.shell import result_json
from workcell.simulation.loading import load_notes
from workcell.simulation.recording import Recording
from workcell.simulation.recording_file import RecordingFile, RecordingWriter
from workcell.simulation.riding import ride
from workcell.world.renaming import Renaming

HOME = "0,0,-90,0,90,0"
DOWN = "500,-150,20 euler fanuc_wpr 180,0,180 of grip"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        cell.do(f"create robot Puma puma560 joints {HOME}")
        cell.do("modify Puma gripper_mass 0.5kg")
        cell.do("add solid cube box 40 40 40 at 500,-150,20 --movable")
        yield cell


def grip(cell: wc.Cell):
    cell.do(f"move-end-effector Puma {DOWN}")
    return cell.do("close-gripper Puma")


def loads(recording: Recording):
    return load_notes(recording.events)


def test_a_small_arm_that_lifts_half_a_ton_is_reported_in_the_answer_the_recording_and_the_report(cell) -> None:
    cell.do("modify cube mass 500kg")
    taken = grip(cell)
    message = "Overload: Puma carries 500.5 kg, 498 kg more than its payload of 2.5 kg. "
    assert message + "Carried: two-finger gripper 0.5 kg (stated), cube 500 kg (stated)" in str(taken)
    assert taken.load.overloaded
    assert taken.load.excess == pytest.approx(498.0)
    (event,) = loads(cell.session.recording)
    assert (event.verdict, event.robot) == ("overload", "Puma")
    assert event.figures == pytest.approx({"mass": 500.5, "payload": 2.5, "excess": 498.0})
    report = cell.do("report")
    assert message in str(report)
    assert report.loads[0].figures == event.figures
    assert message in str(cell.do("payload Puma"))
    assert result_json(cell.do("payload Puma"))["excess"] == pytest.approx(498.0)
    # It is a warning: the part is held.
    assert cell.session.simulator.robot("Puma").holds == "cube"


def test_what_fits_is_weighed_and_what_cannot_be_weighed_is_not_assumed(cell) -> None:
    assert "Load not checked: Puma may carry 2.5 kg, but the mass of cube is not known" in str(grip(cell))
    assert loads(cell.session.recording)[0].verdict == "load unknown"
    assert loads(cell.session.recording)[0].figures == pytest.approx({"mass": 0.5, "payload": 2.5, "excess": 0.0})
    cell.do("reset")
    cell.do("create material steel")
    cell.do("modify steel density 7850")
    cell.do("modify cube material steel")
    assert "Puma carries 1.002 of 2.5 kg" in str(grip(cell))
    assert loads(cell.session.recording)[0].verdict == "load"
    assert "0.064 dm³ of steel at 7850 kg/m³" in str(cell.do("report"))


def test_what_stands_on_the_part_is_weighed_with_it(cell) -> None:
    cell.do("modify cube mass 1kg")
    cell.do("add solid upper box 30 30 30 at 500,-150,55 --movable")
    cell.do("modify upper mass 2kg")
    taken = grip(cell)
    assert [load.name for load in taken.load.loads] == ["two-finger gripper", "cube", "upper"]
    assert taken.load.excess == pytest.approx(1.0)


def test_a_hand_over_is_weighed_for_the_arm_that_takes(cell) -> None:
    cell.do("modify cube mass 4kg")
    cell.do(f"create robot Other puma560 at 1000,0,0 rotate 0,0,180 joints {HOME}")
    cell.do("modify Other gripper_mass 0.5kg")
    cell.do(f"move-end-effector Puma {DOWN}")
    simulator = wc.Simulator(cell, state=cell.state)
    puma, other = simulator.robot("Puma"), simulator.robot("Other")
    puma.close_gripper()
    found = other.robot.ik(other._in_base(puma.grip_pose, "grip"))
    other.set_joints(found.q[found.within_limits][0])
    taken = other.close_gripper()
    assert taken.taken_from == "Puma"
    assert taken.load.excess == pytest.approx(2.0)
    assert [event.robot for event in loads(simulator.recording)] == ["Puma", "Other"]


def test_grips_from_python_are_weighed(cell) -> None:
    cell.do("modify cube mass 9kg")
    cell.do(f"move-end-effector Puma {DOWN}")
    simulator = wc.Simulator(cell, state=cell.state)
    held = simulator.robot("Puma").close_gripper()
    assert held.load.excess == pytest.approx(7.0)
    assert loads(simulator.recording)[0].verdict == "overload"
    glued = wc.Simulator(cell)
    ride(glued, "cube", "Puma")
    assert loads(glued.recording)[0].figures["excess"] == pytest.approx(7.0)


@pytest.mark.parametrize("how", ["run job", "run-together job other"])
def test_a_program_answers_with_what_was_too_heavy(cell, how: str) -> None:
    cell.do("modify cube mass 9kg")
    cell.do("create program job")
    cell.do(f'modify job text "move-end-effector Puma {DOWN}%0Aclose-gripper Puma"')
    cell.do("create program other")
    cell.do('modify other text "wait 1"')
    ran = cell.do(how)
    assert len(ran.loads) == 1
    assert "Overload: Puma carries 9.5 kg, 7 kg more than its payload of 2.5 kg" in str(ran)
    cell.do("modify cube mass 1kg")
    assert cell.do(how).loads == ()


def test_the_same_overload_is_reported_once_with_its_count(cell) -> None:
    cell.do("modify cube mass 9kg")
    grip(cell)
    for _ in range(2):
        cell.do("open-gripper Puma")
        cell.do("close-gripper Puma")
    assert len(cell.do("report").loads) == 3
    assert "and 2 more times: Overload: Puma carries 9.5 kg" in str(cell.do("report"))


def test_a_tool_is_weighed_when_it_is_fitted_and_put_back(cell) -> None:
    cell.do("create tool torch")
    cell.do("modify torch mass 3kg")
    fitted = str(cell.do("fit tool torch to Puma tcp 0,0,100"))
    assert "Overload: Puma carries 3 kg, 0.5 kg more than its payload of 2.5 kg. Carried: torch 3 kg (stated)" in fitted
    cell.do("take-off Puma")
    cell.do("take-off Puma")
    assert "Puma carries 0.5 of 2.5 kg" in str(cell.do("put-back Puma"))
    cell.do("create tool drill")
    cell.do("take-off Puma")
    assert "drill has no mass, density or material" in str(cell.do("fit tool drill to Puma tcp 0,0,100"))


def test_loads_survive_saving_renaming_and_a_file_written_along(cell, tmp_path) -> None:
    cell.do("modify cube mass 9kg")
    grip(cell)
    recording = cell.session.recording
    again = Recording.from_bytes(recording.to_bytes())
    assert loads(again) == loads(recording)
    assert again.to_bytes() == recording.to_bytes()
    assert [event.robot for event in loads(recording.renamed(Renaming({"Puma": "Arm"})))] == ["Arm"]
    with RecordingWriter(tmp_path / "a.rec", cell.snapshot().initial) as file:
        simulator = wc.Simulator(cell, recorder=file)
        ride(simulator, "cube", "Puma")
    with RecordingFile(tmp_path / "a.rec") as kept:
        (event,) = loads(kept.recording())
    assert event.figures["excess"] == pytest.approx(7.0)
    cell.do("modify Puma name Arm")
    assert cell.do("report").loads[0].robot == "Arm"


def test_undo_takes_the_report_of_a_grip_back(cell) -> None:
    cell.do("modify cube mass 9kg")
    grip(cell)
    cell.undo()
    assert cell.do("report").loads == ()
    cell.redo()
    assert len(cell.do("report").loads) == 1
