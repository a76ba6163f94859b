"""Moves in the chart, in the report and in checks name the line of the program that made them."""

from __future__ import annotations

import pytest

import workcell as wc

TURN = "move-joints-relative {} 10,0,0,0,0,0"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("create robot A puma560 joints 0,0,-90,0,90,0")
        made.do("create robot B puma560 at 0,2500,0 joints 0,0,-90,0,90,0")
        yield made


def write(cell, name, *lines):
    cell.session.call("write program", {"name": name, "text": "\n".join(lines)})


def places(cell):
    return [(move.robot, move.place) for move in cell.do("report").moves]


def test_moves_of_parallel_branches_and_called_programs_name_their_lines(cell):
    write(cell, "turn", "wait 0.1", TURN.format("B"))
    write(cell, "main", TURN.format("A"), "parallel", f"  {TURN.format('A')}", "and", "  call turn", "end")
    cell.do("run main")
    assert places(cell) == [("A", "line 1 of main"), ("A", "line 3 of main"), ("B", "line 2 of turn")]


def test_moves_that_are_typed_after_a_run_name_no_line(cell):
    write(cell, "main", TURN.format("A"))
    cell.do("run main")
    cell.do(TURN.format("A"))
    assert places(cell) == [("A", "line 1 of main"), ("A", "")]
    cell.do("reset")
    cell.do(TURN.format("A"))
    assert "made by" not in str(cell.do("report"))


def test_the_chart_and_the_checks_name_the_lines_as_they_are_now(cell):
    write(cell, "main", "wait 1", TURN.format("A"))
    cell.do("run main")
    cell.do('insert-step main 1 "wait 9"')
    (bar,) = [bar for row in cell.do("gantt-rows").rows for bar in row.bars if not bar.waits]
    assert bar.text.endswith(", line 3 of main")
    assert [move.place for move in cell.do("check moves").moves] == ["line 3 of main"]
    cell.do("remove-step main 3")
    assert places(cell) == [("A", "main")]
