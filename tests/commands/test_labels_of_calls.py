"""A step of the history has the words that a person would type, also if a page or a program called the command."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.world.entry import Entry

QUARTER = np.pi / 2


@pytest.fixture
def cell() -> wc.Cell:
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    return cell


def label(cell: wc.Cell) -> str:
    return cell.journal.entries()[-1].label


def test_a_run_that_was_called_and_resumed_after_an_edit_is_undone_under_its_own_name(cell: wc.Cell) -> None:
    cell.do('write program demo "home Puma%0Ahome Puma"')
    cell.call("debug", programs=["demo"])
    cell.do("create block peg box 10 10 10")
    cell.call("resume")
    assert cell.journal.entries()[-1].command.startswith("as-of ")
    assert label(cell) == "debug demo"
    assert str(cell.do("history 1")).split("\n")[1].endswith("debug demo")
    assert "as-of" not in str(cell.do("undo")) + str(cell.do("redo"))


def test_an_older_file_shows_no_word_of_the_journal_before_a_run() -> None:
    assert Entry(7, "", 0.0, "as-of 4 run program:demo", "", b"", False, False).label == "run program:demo"


def test_calls_are_shown_as_lines_in_the_units_of_the_cell(cell: wc.Cell) -> None:
    turned = wc.Pose.from_xyz_angles((0.6, 0, 0.4), (0, 0, QUARTER), "fanuc_wpr")
    cell.add_solid(wc.solids.box(0.4, 0.3, 0.02), name="plate", at=turned)
    assert label(cell) == "add solid plate box 400 300 20 at 600,0,400 rotate 0,0,90"
    cell.do("units m rad")
    cell.call("move-joints-absolute", robot="Puma", joints=[0.1, 0, -1.5, 0, 1.5, 0])
    assert label(cell) == "move-joints-absolute Puma 0.1,0,-1.5,0,1.5,0"
    cell.do("units mm deg")
    cell.call("set joints", robot="Puma", joints=[0, 0, -QUARTER, 0, QUARTER, 0])
    assert label(cell) == "set joints Puma 0,0,-90,0,90,0"
    cell.call("write program", name="demo", text="home Puma\nhome Puma")
    assert label(cell) == 'write program demo "home Puma …"'


@pytest.mark.parametrize(
    "line",
    [
        "add solid plate box 400 300 20 at 600,0,400 rotate 10,20,90",
        "create surface flap contour (0,0) (100,0) (100,50)",
        "add zone gate box 300 300 200 at 0,-900,500",
        "modify Puma colour red",
        "create surface ring disc 60 bore 20",
        'create robot Links descriptor "(a1=0, α1=0°, Δa2=0, 1)" lengths 0,400',
        "create robot Other cobra600",
        "set joints Puma 10,0,-90,0,90,5",
    ],
)
def test_a_command_without_its_text_is_shown_as_it_was_typed(cell: wc.Cell, line: str) -> None:
    command, values, _ = cell.session.parsed(line)
    cell.session.carry_out(command, values)
    assert label(cell) == line


def test_the_steps_of_others_are_named_by_what_they_called() -> None:
    heard: list[str] = []
    cell = wc.Cell()
    cell.session.on_change(lambda change: heard.append(change.label))
    cell.call("create block", name="peg", shape="cylinder 10 60")
    assert heard == ["create block peg cylinder 10 60"]
