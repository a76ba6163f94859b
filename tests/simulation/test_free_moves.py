"""Joints that follow tables, pipes and functions of time, and solids along paths, by command, within limits."""

from __future__ import annotations

import csv
import math
import os
import threading

import numpy as np
import pytest

import workcell as wc
from workcell.commands import free_moves
from workcell.errors import FileProblem, InvalidValue, MotionError, Refused, WorkcellError
from workcell.motion.formula import formula
from workcell.motion.table import from_function
from workcell.spatial.units import ANGLES, LENGTHS

HOME = np.radians([0, 0, -90, 0, 90, 0])


@pytest.fixture
def puma():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        yield cell


def rows(times, values):
    return "".join(
        ",".join(repr(float(v)) for v in (t, *np.atleast_1d(q))) + "\n" for t, q in zip(times, values, strict=True)
    )


def test_a_table_is_followed_kept_with_the_journal_and_replayed(puma, tmp_path):
    times = np.linspace(0.0, 2.0, 21)
    values = HOME + np.outer(np.sin(times), [0.3, 0, 0, 0, 0.1, 0])
    path = tmp_path / "waves.csv"
    path.write_text("time,a,b,c,d,e,f\n" + rows(times, values))
    assert puma.do(f'follow-table Puma "{path}"').duration == pytest.approx(2.0)
    recording = puma.session.recording
    for t, q in zip(times, values, strict=True):
        assert np.allclose(recording.state_at(float(t)).joints["Puma"], q, atol=2e-5)
    path.unlink()
    assert puma.replayed().state == puma.state
    puma.do("undo")
    assert np.allclose(puma.state.joints["Puma"], HOME)


def test_one_joint_follows_a_table_in_degrees_from_a_pipe(puma, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    sent = threading.Thread(target=lambda: pipe.write_text("0 90\n1 80\n2 85\n"))
    sent.start()
    puma.do(f'follow-table Puma "{pipe}" joint 5 in degrees between linear')
    sent.join()
    assert np.degrees(puma.state.joints["Puma"]) == pytest.approx([0, 0, -90, 0, 85, 0])
    assert np.degrees(puma.session.recording.state_at(0.5).joints["Puma"][4]) == pytest.approx(85.0)
    assert puma.replayed().state == puma.state


def test_a_function_of_time_is_followed_and_stops_at_its_limit_when_asked(puma):
    puma.do('follow-function Puma joint 1 by "10*sin(t)" for 3s')
    assert np.degrees(puma.state.joints["Puma"][0]) == pytest.approx(10 * math.sin(3.0), abs=1e-4)
    assert puma.replayed().state == puma.state
    before = puma.state
    with pytest.raises(WorkcellError, match="joint 1"):
        puma.do('follow-function Puma joint 1 by "40*t" for 10s')
    assert puma.state == before
    with pytest.raises(MotionError, match=r"Puma stopped at .* s: joint 1 passes its position limit") as caught:
        puma.do('follow-function Puma joint 1 by "40*t" for 10s --until-limit')
    assert (caught.value.robot, caught.value.joint) == ("Puma", 1)
    assert puma.state.time == pytest.approx(caught.value.time)
    assert np.degrees(puma.state.joints["Puma"][0]) == pytest.approx(160.0, abs=1e-6)
    assert puma.session.recording.state_at(puma.state.time) == puma.state
    assert puma.replayed().state == puma.state


def test_bad_tables_and_functions_are_one_line_and_move_nothing(puma, tmp_path, monkeypatch):
    before = puma.state
    far = rows([0, 1], [HOME + 0.2, HOME])
    fast = rows([0, 0.01], [HOME, HOME + 0.3])
    for text, more, error, words in (
        (rows([0, 1], [HOME[:3], HOME[:3]]), "", InvalidValue, "has 6 joints; the table has 3 columns"),
        (rows([0, 1], [HOME, HOME]), "joint 2", InvalidValue, "A table for one joint"),
        (rows([0, 1], [[0], [0]]), "joint 9", InvalidValue, "joints 1 to 6"),
        (far, "", MotionError, "starts with joint 1 at 11.4592°, but Puma has it at 0°"),
        (fast, "", MotionError, "speed limit"),
        (rows([0, 1, 0.5], [HOME] * 3), "", InvalidValue, "must rise"),
        ("0,a\n1,b\n", "", InvalidValue, "not numbers"),
        ("", "", InvalidValue, "two or more lines"),
        (b"\xff\xfe\x00", "", FileProblem, "not text"),
    ):
        path = tmp_path / "table.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(error, match=words) as caught:
            puma.do(f'follow-table Puma "{path}" {more}')
        assert "\n" not in str(caught.value)
        assert puma.state == before
    with pytest.raises(FileProblem, match="cannot be read"):
        puma.do("follow-table Puma nowhere.csv")
    monkeypatch.setattr(free_moves, "MOST_BYTES", 16)
    path.write_text(far)
    with pytest.raises(FileProblem, match="MiB"):
        puma.do(f'follow-table Puma "{path}"')
    for text, words in (
        ("10*sin(t) + 1", "must be 0, so that the joint does not jump"),
        ("__import__('os')", "is not a function|may contain only numbers"),
        ("t.real", "may contain only numbers"),
        ("x + 1", "'x' in"),
        ("sin(t", "not a formula"),
        ("1/t", "no value at t = 0"),
        ("sin(t, t)", "does not take 2 values"),
        ("t if t else 0", "may contain only numbers"),
    ):
        with pytest.raises(InvalidValue, match=words):
            puma.do(f'follow-function Puma joint 1 by "{text}" for 1s')
    assert puma.state == before


def test_formulas_say_what_they_say():
    for text, at, value in (
        ("2*t^2 - 1", 3.0, 17.0),
        ("-t + +2", 0.5, 1.5),
        ("max(sin(pi*t), cos(pi*t), 0.25)", 0.5, 1.0),
        ("exp(-t)*abs(-e)", 1.0, 1.0),
    ):
        assert formula(text)(at) == pytest.approx(value)
    motion = from_function(lambda t: [formula("sin(2*t)")(t)], 3.0)
    assert motion.position(1.0)[0] == pytest.approx(math.sin(2.0), abs=1e-6)


def test_a_solid_moves_by_command_is_undone_and_replayed(puma):
    puma.do("add solid crate box 100 100 100 at 800,0,50 --movable")
    puma.do("add solid wall box 20 400 400 at 1200,0,200")
    answer = puma.do("move-solid crate through 800,200,50 through 900,200,50 speed 100mm/s")
    assert str(answer).startswith("crate moved in 3.0000 s")
    assert puma.state.poses["crate"].xyz == pytest.approx([0.9, 0.2, 0.05])
    assert puma.session.recording.state_at(1.0).poses["crate"].xyz == pytest.approx([0.8, 0.1, 0.05])
    assert puma.replayed().state == puma.state
    before = puma.state
    for line, words in (
        ("move-solid crate speed 100mm/s", "at least one pose"),
        ("move-solid crate through 800,0,50", "a speed or a time"),
        ("move-solid crate through 800,0,50 in 1s speed 10mm/s", "needs .* s for"),
        ("move-solid wall through 800,0,50 in 1s", "not movable"),
        ("move-solid crate through 800,0,50 in 0s", "more than zero"),
    ):
        with pytest.raises(WorkcellError, match=words):
            puma.do(line)
        assert puma.state == before
    puma.do("watch certified")
    with pytest.raises(WorkcellError, match=r"wall would touch|crate would touch"):
        puma.do("move-solid crate through 1400,0,50 speed 100mm/s")
    assert puma.state.poses["crate"].xyz[0] < 1.14
    assert puma.replayed().state == puma.state


def test_a_part_that_stands_on_a_moving_solid_goes_along(puma):
    puma.do("add solid tray box 200 200 20 at 800,0,10 --movable")
    puma.do("add solid cup box 40 40 40 at 800,0,60 --movable")
    puma.do("face attach cup bottom to tray top")
    puma.do("move-solid tray through 800,300,10 in 2s")
    snapshot, names = puma.snapshot(), [body.name for body in puma.snapshot().bodies]
    cup = snapshot.body_poses(puma.session.recording.state_at(1.0))[names.index("cup")]
    assert cup[1, 3] == pytest.approx(0.15, abs=0.1)
    with pytest.raises(Refused, match="cup moves with tray"):
        puma.do("move-solid cup through 0,0,0 in 1s")


def test_functions_and_tables_keep_the_accelerations_of_the_robot(cell, tmp_path):
    cell.do("create robot A puma560 joints 0,0,-90,0,90,0")
    with pytest.raises(MotionError, match="acceleration"):
        cell.do('follow-function A joint 1 by "0.5*sin(140*t)" for 1s')
    assert cell.state.time == 0.0
    cell.do('follow-function A joint 1 by "0.5*sin(140*t)" for 1s --any-acceleration')
    assert cell.state.time == pytest.approx(1.0)


def test_an_exported_recording_is_followed_by_the_columns_of_the_robot(cell, tmp_path):
    cell.do("create robot A puma560 joints 0,0,-90,0,90,0")
    cell.do("create robot B puma560 at 0,3000,0 joints 0,0,-90,0,90,0")
    cell.do("create signal ready")
    cell.do("together move-joints-relative A 20,0,0,0,0,0 & move-joints-relative B 0,30,0,0,0,0")
    cell.do("set-signal ready 1")
    cell.do(f"export-recording {tmp_path / 'run.csv'}")
    ended = cell.state.joints
    cell.do("reset")
    cell.do(f"follow-table B {tmp_path / 'run.csv'} between linear")
    assert cell.state.joints["B"] == pytest.approx(ended["B"])


@pytest.mark.parametrize("units", ["mm deg", "m rad", "inch turn", "um deg"])
def test_an_export_is_in_the_units_of_the_cell_and_followed_in_any_other(cell, tmp_path, units):
    cell.do("create robot A stanford")  # its third joint slides
    cell.do("move-joints-relative A 20,10,30,0,0,0")
    passed, file = cell.session.recording, tmp_path / "run.csv"
    cell.do(f"units {units}")
    cell.do(f"export-recording {file}")
    length, angle = units.split()
    with open(file, newline="", encoding="utf-8") as lines:
        headings, *shown = csv.reader(lines)
    kinds = [length if joint == 3 else angle for joint in range(1, 7)]
    assert headings == ["time [s]", *(f"A.{joint} [{unit}]" for joint, unit in enumerate(kinds, 1))]
    sizes, numbers = [{**LENGTHS, **ANGLES}[unit] for unit in kinds], np.array(shown, dtype=float)
    for t, *values in numbers:
        assert np.array(values) * sizes == pytest.approx(passed.state_at(t).joints["A"], rel=1e-12, abs=1e-12)
    cell.do("reset")
    cell.do("units cm rad")
    cell.do(f"follow-table A {file} between linear --any-acceleration")
    for t in numbers[:, 0]:
        there = cell.session.recording.state_at(t).joints["A"]
        assert there == pytest.approx(passed.state_at(t).joints["A"], abs=1e-9)


def test_a_table_without_units_is_in_metres_and_radians_or_as_told(puma, tmp_path):
    file, heads = tmp_path / "run.csv", [f"Puma.{joint}" for joint in range(1, 7)]
    end = HOME + np.radians([5, 0, 0, 0, 0, 0])
    for unit, size, told in (
        ("", 1.0, ""),
        ("", math.pi / 180.0, "in degrees"),
        (" [rad]", 1.0, ""),
        (" [rad]", 1.0, "in degrees"),
        (" [turn]", math.tau, ""),
    ):
        first = ",".join(["time", *(head + unit for head in heads)])
        file.write_text(f"{first}\n{rows([0, 1], np.array([HOME, end]) / size)}")
        puma.do(f"follow-table Puma {file} {told} between linear --any-acceleration")
        assert puma.state.joints["Puma"] == pytest.approx(end)
        puma.do("reset")
    file.write_text("time,a [mm]\n0,0\n1,5\n")
    with pytest.raises(
        InvalidValue, match=r"'a \[mm\]' of the table names no unit of an angle; write deg, rad or turn"
    ):
        puma.do(f"follow-table Puma {file} joint 1")


def test_an_export_tells_parts_signals_and_who_holds_what(pick, tmp_path):
    down = "euler fanuc_wpr 180,0,180 of grip"
    for line in (
        f"move-end-effector Puma 500,-150,20 {down}",
        "close-gripper Puma",
        "move-hand Puma 0,0,100 along world",
        f"export-recording {tmp_path / 'run.csv'}",
    ):
        pick.do(line)
    with open(tmp_path / "run.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["cube.on"], rows[-1]["cube.on"]) == ("", "Puma/link 6")
    assert (float(rows[0]["Puma/gripper"]), float(rows[-1]["Puma/gripper"])) == (0.0, 1.0)
    assert float(rows[-1]["cube.z [mm]"]) == pytest.approx(120.0, abs=1e-3)
    held = [row for row in rows if row["cube.on"]]
    for row in held:
        turn = [float(row[f"cube.q{axis}"]) for axis in "wxyz"]
        assert np.linalg.norm(turn) == pytest.approx(1.0)
        state = pick.session.recording.state_at(float(row["time [s]"]))
        poses = pick.snapshot().body_poses(state)
        place = [body.name for body in pick.snapshot().bodies].index("cube")
        assert [float(row[f"cube.{axis} [mm]"]) for axis in "xyz"] == pytest.approx(1e3 * poses[place][:3, 3], abs=1e-6)
