"""Programs of many steps are tested all at once, with the same answers as one by one."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import workcell as wc
from workcell.commands.cell import Cell
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.program_reader import read_program
from workcell.commands.language.registry import registry
from workcell.commands.language.step_reader import step_types
from workcell.commands.program_store import names_of
from workcell.programs import expressions as e
from workcell.programs.checker import check
from workcell.programs.constants import constant
from workcell.programs.reach import Reach, _matrices
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import EULER, from_angles
from workcell.spatial.units import Units

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def puma():
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        yield cell


def bench() -> ModuleType:
    """The bench that makes large programs."""
    sys.path.insert(0, str(BENCH))
    try:
        found = importlib.util.spec_from_file_location("bench_programs", BENCH / "programs.py")
        assert found is not None
        assert found.loader is not None
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(BENCH))


def row(values: np.ndarray, unit: str = "", common: str = "") -> e.Row:
    return e.Row(tuple(e.Number(float(v), unit) for v in values), common)


@pytest.mark.parametrize("convention", ["", *EULER])
def test_poses_computed_together_are_those_computed_one_by_one(puma, convention):
    rng = np.random.default_rng(len(convention))
    reach, units = Reach({}, puma.snapshot().places, Units()), Units()
    poses = []
    for number in range(6):
        turn = row(rng.uniform(-200, 200, 3), "", ["", "rad"][number % 2])
        forms = [
            e.Form("euler", (turn,), convention) if convention else e.Form("rotate", (turn,)),
            e.Form("translate", (row(rng.uniform(-300, 300, 3), "mm"),)),
            e.Form("rotate", (row(rng.uniform(-4, 4, 3), "rad"),)),
        ]
        poses.append(e.Posed(None, row(rng.uniform(-500, 500, 3)), tuple(forms)))
    flat = [reach.flat(one) for one in poses]
    assert len({shape for shape, _ in flat}) == 1
    together = _matrices(flat[0][0], np.array([numbers for _, numbers in flat]))
    for one, matrix in zip(poses, together, strict=True):
        found = constant(one, units)
        assert isinstance(found, Pose)
        assert matrix == pytest.approx(found.matrix, abs=1e-12)


def test_what_is_more_than_numbers_is_not_taken_for_numbers(puma):
    reach = Reach({}, puma.snapshot().places, Units())
    position = row(np.zeros(3))
    for pose in (
        e.Posed(e.Name("t1"), None, ()),
        e.Posed(None, e.Row((e.Name("n"), e.Number(1.0), e.Number(2.0))), ()),
        e.Posed(None, row(np.zeros(3), "kg"), ()),
        e.Posed(None, row(np.zeros(3), "", "deg"), ()),
        e.Posed(None, row(np.zeros(2)), ()),
        e.Posed(None, position, (e.Form("scale", (position,)),)),
        e.Posed(None, position, (e.Form("euler", (position,), "ur_rotvec"),)),
    ):
        assert reach.flat(pose) is None


def test_the_same_poses_are_out_of_reach_as_one_by_one(puma):
    rng = np.random.default_rng(4)
    robot = wc.robot("puma560")
    lines, wrong = [], []
    for number in range(60):
        x, y, z, turn = *rng.uniform(-900, 900, 3).round(1), round(float(rng.uniform(-180, 180)), 1)
        back = 0 if number % 3 else 100
        word = "move-end-effector" if number % 3 else "approach"
        by = "" if number % 3 else f" by {back}"
        lines.append(f"{word} Puma {x},{y},{z} euler fanuc_wpr 180,{turn},0{by}")
        turned = from_angles((np.pi, np.radians(turn), 0.0), "fanuc_wpr")
        pose = Pose.from_rotation(turned, np.array([x, y, z]) / 1e3)
        base = puma.snapshot().robots[0].X_parent_base
        wanted = base.inverse() @ pose @ Pose.from_xyz(0.0, 0.0, -back / 1e3)
        if not np.asarray(robot.ik(wanted).within_limits).any():
            wrong.append(number + 1)
    text = "\n".join(lines)
    read = read_program("p", text)
    found = check(read.program, names_of(puma.session), read.mentions, text)
    assert wrong
    assert len(wrong) < len(lines)
    assert [one.line for one in found] == wrong
    assert all("cannot reach" in one.message for one in found)


def test_a_unit_for_all_numbers_of_a_position_must_be_a_length(puma):
    text = "move-end-effector Puma 400,0,200 kg rotate 180,0,0\nmove-straight-line Puma 400,0,200 mm rotate 180,0,0 mm"
    read = read_program("p", text)
    found = check(read.program, names_of(puma.session), read.mentions, text)
    assert [(one.line, one.message) for one in found] == [
        (1, "Expected a length; found a mass."),
        (2, "Expected an angle; found a length."),
    ]


def test_a_pose_before_a_frame_is_tested_also_where_there_are_variables(puma):
    text = "let n = 1\nmove-end-effector Puma 4000,0,n\nmove-end-effector Puma 4000,0,0\nframe 1,2,3\nhome Puma\nwait n"
    read = read_program("p", text)
    found = check(read.program, names_of(puma.session), read.mentions, text)
    assert [one.line for one in found] == [2, 3]


@pytest.mark.parametrize("name", sorted(step_types()))
def test_a_step_reads_the_same_by_its_whole_words_and_in_capitals(name):
    if name not in registry():
        return
    for line in registry().named(name).examples:
        if not line.startswith(name):
            continue
        one, other = (read_program("p", text) for text in (line, name.upper() + line[len(name) :]))
        assert one.program == other.program
        assert not one.problems


def test_a_large_program_is_whole_and_reads_back():
    made = bench()
    text, _ = made.program(400)
    with Cell() as cell:
        for line in made.CELL:
            cell.do(line)
        read = read_program("p", text)
        assert not read.problems
        assert not [one for one in check(read.program, names_of(cell.session), read.mentions, text) if not one.warning]
        assert read_program("p", program_text(read.program)).program == read.program


@pytest.mark.soak
def test_a_program_of_a_hundred_thousand_steps_at_length():
    made = bench()
    text, _ = made.program(100_000)
    with Cell() as cell:
        for line in made.CELL:
            cell.do(line)
        names = names_of(cell.session)
        small = read_program("p", made.program(200)[0])
        check(small.program, names)  # so that compiling the kinematics is not counted
        start = time.thread_time()
        read = read_program("p", text)
        between = time.thread_time()
        found = check(read.program, names, read.mentions, text)
        end = time.thread_time()
        assert not read.problems
        assert not [one for one in found if not one.warning]
        print(
            f"a program of {len(read.program.steps)} steps: read in {between - start:.2f} s, checked in "
            f"{end - between:.2f} s of processor time (at most 2 s together)"
        )
