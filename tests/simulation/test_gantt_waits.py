"""The Gantt chart shows what programs waited for, in the rows of the robots that stood meanwhile."""

from __future__ import annotations

import pytest

import workcell as wc

STAGE = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 0,2500,0 joints 0,0,-90,0,90,0",
    "create signal ready",
    "add zone press box 400 400 400 at 700,700,200 rule shared",
    "program feed\nmove-joints-relative A 20,0,0,0,0,0\nwait 1.5\nset-signal ready 1\nend",
    "program take\nwait-for ready\nmove-joints-relative B 20,0,0,0,0,0\nlet n = 3\nwait-until n > 2 and time() > 4\nend",
)


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in STAGE:
            made.do(line)
        yield made


def waits(cell):
    """The waits of each row as begin, end and text."""
    chart = cell.do("gantt-rows")
    return {row.label: [(bar.begin, bar.end, bar.text) for bar in row.bars if bar.waits] for row in chart.rows}


def test_waits_for_time_signals_and_conditions_begin_and_end_with_their_steps(cell):
    cell.do("run-together feed take")
    lines = {(one.program, one.line): one for one in cell.do("line-times").lines}
    found = waits(cell)
    ((begin, end, text),) = found["A"]
    assert (begin, end) == (lines["feed", 2].start, pytest.approx(lines["feed", 2].start + 1.5))
    assert text == "waits, 1.5000 s, line 2 of feed"
    (signal, condition) = found["B"]
    assert signal[:2] == (0.0, lines["take", 2].start)
    assert signal[2].startswith("waits for signal ready = 1, ")
    assert condition[0] == lines["take", 4].start
    assert condition[1] == pytest.approx(4.0, abs=2e-3)
    assert condition[2].startswith("waits until n > 2 and time() > 4, ")
    assert ("#b6bcc4", "waits") in cell.do("gantt-rows").legend


def test_a_robot_whose_branch_is_over_waits_for_the_other_branches(cell):
    cell.do(
        "program both\nparallel\n  move-joints-relative A 5,0,0,0,0,0\nand\n  move-joints-relative B 60,0,0,0,0,0\nend\n"
        "wait 1\nmove-joints-relative A 5,0,0,0,0,0\nend"
    )
    cell.do("run both")
    moves = {move.device: move for move in cell.session.recording.moves[:2]}
    branches, after = waits(cell)["A"]
    assert branches[:2] == pytest.approx((moves["A"].end, moves["B"].end))
    assert branches[2].startswith("waits for the other branches, ")
    assert after[:2] == pytest.approx((moves["B"].end, moves["B"].end + 1))


def test_a_wait_for_a_zone_is_in_the_row_of_its_robot_too(cell):
    for robot, name in (("A", "first"), ("B", "second")):
        cell.do(f"program {name}\nenter-zone press\nmove-joints-relative {robot} 20,0,0,0,0,0\nleave-zone press\nend")
    cell.do("run-together first second")
    found = waits(cell)
    end = cell.session.recording.moves[0].end
    assert not found["A"]
    assert [one[:2] for one in found["B"]] == [pytest.approx((0.0, end))]
    assert found["B"][0][2].startswith("waits for zone press, ")
    assert [one[:2] for one in found["zone press: second"]] == [pytest.approx((0.0, end))]


def test_a_program_without_a_robot_and_a_typed_wait_have_rows_of_their_own(cell):
    cell.do("program lamp\nwait 2\nset-signal ready 1\nend")
    cell.do("run-together lamp feed")
    assert waits(cell)["program lamp"] == [(0.0, 2.0, "waits, 2.0000 s, line 1 of lamp")]
    cell.do("reset")
    cell.do("wait 3")
    assert waits(cell) == {"typed waits": [(0.0, 3.0, "waits, 3.0000 s, typed")]}


def test_a_last_wait_ends_when_it_is_over_and_not_with_the_recording(cell):
    cell.do("program short\nmove-joints-relative B 5,0,0,0,0,0\nwait 0.5\nend")
    cell.do("run-together short feed")
    ((begin, end, _),) = waits(cell)["B"]
    assert end - begin == pytest.approx(0.5)
    assert end < cell.session.recording.end - 0.5


def test_the_drawings_hatch_waits_and_name_them(cell, tmp_path):
    cell.do("run-together feed take")
    cell.do(f'gantt "{tmp_path}/chart.svg"')
    drawn = (tmp_path / "chart.svg").read_text()
    assert "url(#hatchb6bcc4)" in drawn
    assert "waits for signal ready = 1" in drawn
    cell.do(f'gantt "{tmp_path}/chart.png"')
    assert (tmp_path / "chart.png").stat().st_size > 1000
