"""A new cell keeps acceleration limits; older cells, and the thesis, move at constant speed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.commands.cell import Cell
from workcell.errors import UnknownName, WorkcellError
from workcell.motion.limits import Limits, violations
from workcell.simulation.modes import MODES
from workcell.simulation.simulator import Simulator
from workcell.workbench.samples import sample
from workcell.world.database import Database
from workcell.world.text_form import from_text, to_text

ROBOT = "create robot R kr6"
MOVE = "move-joints-relative R 30,-20,10,40,20,-60"
BY = np.radians([30, -20, 10, 40, 20, -60])


def typed(cell: Cell) -> float:
    return float(cell.do(MOVE).duration)


def coded(cell: Cell) -> float:
    return Simulator(cell).robot("R").move_joints_relative(BY)


def ramped(cell: Cell) -> float:
    """The closed form of a trapezoid that reaches its speed: Δ/v + v/a, or 2√(Δ/a)."""
    robot, speed = cell.snapshot().robot("R").robot, cell.snapshot().robot("R").speed
    v = (np.minimum(robot.speeds, speed) / np.abs(BY)).min()
    a = (robot.accelerations / np.abs(BY)).min()
    return float(1.0 / v + v / a if v * v / a <= 1.0 else 2.0 / np.sqrt(a))


def old(path=None) -> Cell:
    """A cell as it was made before there was the setting."""
    return Cell(Database.memory() if path is None else Database.create(path))


def test_a_new_cell_keeps_accelerations_by_command_and_by_code(tmp_path) -> None:
    for cell in (wc.Cell(), Cell.create(tmp_path / "a.cell")):
        with cell:
            cell.do(ROBOT)
            assert coded(cell) == pytest.approx(ramped(cell), rel=1e-9)
            assert typed(cell) == coded(cell)
            assert cell.do("report").moves[0].profile == "trapezoid"
    with Cell.open(tmp_path / "a.cell") as cell:
        assert typed(cell) == pytest.approx(ramped(cell), rel=1e-9)


def test_a_cell_made_before_keeps_its_constant_speed_and_its_bytes(tmp_path) -> None:
    with old(tmp_path / "old.cell") as cell:
        cell.do(ROBOT)
        first, recorded = typed(cell), cell.session.recording.to_bytes()
        assert first == pytest.approx(np.abs(BY).max() / cell.snapshot().robot("R").speed)
        assert first == coded(cell)
        text = to_text(cell.database)
    with Cell.open(tmp_path / "old.cell") as cell:
        again = cell.replayed()
        assert again.session.recording.to_bytes() == recorded
        assert again.database.rows() == cell.database.rows()
    with Cell.copy_of(tmp_path / "old.cell") as cell:
        cell.do("reset")
        assert typed(cell) == first
    database = Database.memory()
    from_text(text, database)
    assert to_text(database) == text


def test_the_choice_travels_with_the_file_its_text_and_its_journal(tmp_path) -> None:
    with Cell.create(tmp_path / "new.cell") as cell:
        cell.do(ROBOT)
        ramp = typed(cell)
        cell.do("default-profile linear")
        cell.do("reset")
        flat = typed(cell)
        assert flat < ramp
        assert cell.replayed().database.rows() == cell.database.rows()
        assert cell.database.first_settings() == {"profile": "trapezoid"}
        again = Database.memory()
        from_text(to_text(cell.database), again)
        assert again.rows() == cell.database.rows()
        while len(cell.journal) > 2:
            cell.undo()
        assert coded(cell) == ramp
        cell.redo()
        assert coded(cell) == flat
        assert cell.database.first_settings() == {"profile": "trapezoid"}
        cell.do("save " + str(tmp_path / "copy.cell"))
    with Cell.open(tmp_path / "copy.cell") as cell:
        cell.do("reset")
        assert typed(cell) == flat
        assert cell.replayed().database.rows() == cell.database.rows()


def test_an_old_cell_can_be_brought_to_accelerations() -> None:
    with old() as cell:
        cell.do(ROBOT)
        assert cell.database.first_settings() == {}
        cell.do("default-profile trapezoid")
        assert typed(cell) == pytest.approx(ramped(cell), rel=1e-9)
        assert cell.replayed().database.rows() == cell.database.rows()
        assert cell.database.first_settings() == {}


@given(st.sampled_from(["linear", "345", "trapezoid", "jerk", "time-optimal"]), st.booleans())
@settings(max_examples=10)
def test_a_typed_move_takes_as_long_as_one_in_python(profile: str, own: bool) -> None:
    with wc.Cell() as cell:
        cell.do(ROBOT)
        cell.do(f"profile R {profile}" if own else f"default-profile {profile}")
        assert coded(cell) == typed(cell)
        assert cell.do("report").moves[0].profile == profile


@pytest.mark.parametrize("line", ["profile R linear", "default-profile linear", ""])
def test_whoever_names_the_profile_the_bytes_are_the_same(line: str) -> None:
    with wc.Cell() as cell, old() as other:
        for one in (cell, other):
            one.do(ROBOT)
        if line:
            cell.do(line)
        cell.do(MOVE if line else f"{MOVE} profile linear")
        other.do(MOVE)
        assert cell.session.recording.to_bytes() == other.session.recording.to_bytes()


def test_a_robot_keeps_its_own_profile_until_that_is_dropped() -> None:
    with wc.Cell() as cell:
        cell.do(ROBOT)
        cell.do("profile R linear")
        message = str(cell.do("default-profile jerk"))
        assert message == "profile of the cell: jerk; R keeps its own, linear"
        cell.do(MOVE)
        cell.do("drop property profile from R")
        cell.do("move-joints-relative R -30,20,-10,-40,-20,60")
        assert [move.profile for move in cell.do("report").moves] == ["linear", "jerk"]
        cell.do("add property profile to R sideways")
        with pytest.raises(UnknownName, match="sideways"):
            cell.do(MOVE)


def test_the_branch_that_a_robot_has_in_the_cell_counts_in_python_too() -> None:
    with wc.Cell() as cell:
        cell.add_robot("puma560", name="R", joints=np.radians([0, 0, -90, 0, 90, 0]))
        pose = cell.snapshot().robot("R").robot.fk(np.radians([20, 30, -100, 100, 50, 60]))
        ends = set()
        for branch in range(8):
            asked = Simulator(cell).robot("R")
            try:
                asked.move_end_effector(pose, branch=branch)
            except WorkcellError:
                continue
            cell.do(f"branch R {branch}")
            robot = Simulator(cell).robot("R")
            robot.move_end_effector(pose)
            assert np.array_equal(robot.joints, asked.joints)
            ends.add(tuple(np.round(robot.joints, 6)))
        assert len(ends) > 1


def test_mechanisms_of_a_new_cell_keep_their_accelerations() -> None:
    with wc.Cell() as cell:
        cell.do("add rail track 3000")
        robot = cell.snapshot().robot("track").robot
        assert cell.do("move-joints-relative track 1000").duration > 1.0 / robot.speeds[0]


def test_every_move_of_a_new_cell_keeps_speeds_and_accelerations() -> None:
    with wc.Cell() as cell:
        cell.do(ROBOT)
        simulator = Simulator(cell)
        robot = simulator.robot("R")
        made = []
        simulator.perform = lambda planned: made.append(planned) or planned.duration  # type: ignore[method-assign]
        robot.move_joints_relative(BY)
        robot.move_hand(wc.Pose.from_xyz(0.0, 0.05, 0.05))
        robot.move_path([robot.tool_pose @ wc.Pose.from_xyz(0.0, y, 0.05) for y in (0.05, 0.1)])
        limits = Limits(robot.limits.speed * (1 + 1e-9), robot.robot.accelerations * (1 + 1e-9))
        for planned in made:
            assert planned.profile == "trapezoid"
            assert violations(planned.motion, limits) == ()


def test_the_thesis_stays(tmp_path) -> None:
    with sample("puma") as cell:
        assert cell.do("run example1").time == pytest.approx(9.8902, abs=5e-5)
        assert {move.profile for move in cell.do("report").moves} == {"linear"}
    for mode in MODES:
        with wc.Cell() as cell:
            cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
            cell.do("speed Puma 0.3rad/s")
            cell.do(f"mode {mode}")
            constant = mode == "joint-by-joint"  # whose clock knows no profiles
            took = cell.do("move-joints-relative Puma -70,-10,10,30,-20,-10").duration
            assert (took == pytest.approx(4.0724, abs=5e-5)) == constant
            cell.do("profile Puma linear")
            cell.do("reset")
            assert cell.do("move-joints-relative Puma -70,-10,10,30,-20,-10").duration == pytest.approx(
                4.0724, abs=5e-5
            )
