"""Files that commands write never replace others unless asked, and are whole or not there."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import workcell as wc
from workcell.cli import main
from workcell.errors import FileProblem


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("create robot Puma puma560")
        made.do("move-joints-relative Puma 1,0,0,0,0,0")
        yield made


@pytest.mark.parametrize(
    "line",
    ["export robot Puma {}.urdf", "export robot Puma {}.toml", "save-recording {}.rec", "export-recording {}.csv"],
)
def test_a_file_that_is_there_stays_unless_replaced(cell, tmp_path, line):
    line = line.format(tmp_path / "out")
    file = tmp_path / line.rpartition("/")[2]
    file.write_text("precious")
    with pytest.raises(FileProblem, match="already exists; choose another name, or add --replace"):
        cell.do(line)
    assert file.read_text() == "precious"
    cell.do(f"{line} --replace")
    assert file.read_bytes() != b"precious"
    assert {one.name for one in tmp_path.iterdir()} - {"meshes"} == {file.name}  # a URDF has its meshes beside it


def test_a_folder_that_is_not_there_is_named(cell, tmp_path):
    with pytest.raises(FileProblem, match="there is no folder"):
        cell.do(f"export robot Puma {tmp_path / 'nowhere' / 'puma.urdf'}")


def test_a_run_is_not_recorded_over_something_else(tmp_path):
    program, precious = tmp_path / "program.txt", tmp_path / "notes.md"
    program.write_text("wait 1\n")
    precious.write_text("precious")
    told = CliRunner().invoke(main, ["run", str(program), "--record", str(precious)])
    assert told.exit_code != 0
    assert "is not a recording" in told.output
    assert precious.read_text() == "precious"
