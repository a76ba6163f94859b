"""`workcell run` does what `run` does: it begins where that begins, in the cell's own mode, to the same bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import workcell as wc
from workcell.cli import main

STEPS = "move-joints-relative A 10,40,-30,0,-20,0\nset-signal s 1\nopen-gripper A\nwait 0.5\nmove-hand A 0,0,20\n"


@pytest.mark.parametrize("mode", ["", "joint-by-joint", "path"])
@pytest.mark.parametrize("pace", ["max", "500"])
def test_the_recording_is_that_of_a_typed_run(mode: str, pace: str, tmp_path: Path) -> None:
    path, other = tmp_path / "f.cell", tmp_path / "g.cell"
    with wc.Cell.create(path) as cell:
        cell.do("create robot A puma560")
        cell.do("add solid part box 30 30 30 at 600,0,0")
        cell.do("create signal s")
        if mode:
            cell.do(f"mode {mode}")
        cell.do("move-joints-absolute A 30,0,-90,0,90,0")  # the state kept is not the initial one
        cell.do(f"program P\n{STEPS}end")
    before = path.read_bytes()
    shutil.copy(path, other)
    with wc.Cell.open(other) as cell:
        cell.do("run P")
        cell.do(f'save-recording "{tmp_path / "typed.rec"}"')
    file = tmp_path / "P.txt"
    file.write_text(STEPS)
    for program in ("P", str(file)):
        record = tmp_path / "outside.rec"
        arguments = ["run", program, "--cell", str(path), "--record", str(record), "--pace", pace]
        answer = CliRunner().invoke(main, arguments)
        assert answer.exit_code == 0, answer.output
        assert record.read_bytes() == (tmp_path / "typed.rec").read_bytes()
    assert path.read_bytes() == before


def test_lines_of_commands_begin_in_the_initial_state_too(tmp_path: Path) -> None:
    path, file = tmp_path / "f.cell", tmp_path / "lines.txt"
    with wc.Cell.create(path) as cell:
        cell.do("create robot A puma560")
        cell.do("move-joints-absolute A 30,0,-90,0,90,0")
    file.write_text("move-joints-relative A 10,0,0,0,0,0\nshow A\n")
    record = tmp_path / "r.rec"
    answer = CliRunner().invoke(main, ["run", str(file), "--cell", str(path), "--record", str(record)])
    assert answer.exit_code == 0, answer.output
    with wc.RecordingFile(record) as found:
        assert found.recording().start.time == 0.0
        assert found.recording().start.joints["A"][0] == 0.0


def test_a_program_that_is_nowhere_is_refused_with_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "f.cell"
    with wc.Cell.create(path) as cell:
        cell.do("program first\nwait 1\nend")
    answer = CliRunner().invoke(main, ["run", "frist", "--cell", str(path)])
    assert answer.exit_code != 0
    assert "no file 'frist', and no program of that name; the cell has first" in answer.output + str(answer.exception)
