"""A recording keeps the lines of the programs that ran, so that they are found again after an edit."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.service.run_view import run_info
from workcell.simulation.ran_texts import text_at
from workcell.simulation.recording import Recording

TURN = "move-joints-relative Puma 10,0,0,0,0,0"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        made.session.call("write program", {"name": "demo", "text": f"wait 1\n{TURN}\nwait 2"})
        yield made


def lines(cell):
    return [one.line for one in cell.do("line-times").lines]


def test_the_lines_that_ran_are_counted_in_the_program_as_it_is_now(cell):
    cell.do("run demo")
    assert lines(cell) == [1, 2, 3]
    cell.do('insert-step demo 1 "wait 9"')
    assert lines(cell) == [2, 3, 4]
    cell.do("remove-step demo 3")
    assert lines(cell) == [2, 0, 3]
    assert "a line of demo that is gone" in str(cell.do("line-times"))
    cell.do("undo 2")
    assert lines(cell) == [1, 2, 3]


def test_each_run_of_a_recording_has_its_own_lines(cell):
    cell.do("run demo")
    first = cell.session.recording.copy()
    cell.do('insert-step demo 1 "wait 9"')
    cell.do("run demo --from-present")
    first.extend(cell.session.recording)
    assert [text_at(first.texts, "demo", number).text.count("wait") for number in range(7)] == [2, 2, 2, 3, 3, 3, 3]


def test_the_lines_of_callers_are_found_too(cell):
    cell.session.call("write program", {"name": "main", "text": "wait 3\ncall demo"})
    cell.do("run main")
    cell.do('insert-step main 1 "wait 9"')
    assert [one.callers for one in cell.do("line-times").lines][2:] == [(("main", 3),)] * 3


def test_branches_are_those_of_the_program_that_ran(cell):
    cell.session.call("edit program", {"program": "demo", "text": "parallel\n  wait 5\nand\n  wait 1\n  wait 1\nend"})
    cell.do("run demo")
    before = [(one.start, one.end) for one in cell.do("line-times").lines]
    cell.session.call("edit program", {"program": "demo", "text": "wait 5\nwait 1\nwait 1"})
    assert [(one.start, one.end) for one in cell.do("line-times").lines] == before


def test_a_file_keeps_the_lines_of_programs(cell):
    cell.do("run demo")
    recording = cell.session.recording
    read = Recording.from_bytes(recording.to_bytes(sources=True))
    assert read.texts == recording.texts
    assert [one.text for one in read.texts] == [f"wait 1\n{TURN}\nwait 2"]


def test_windows_see_a_paused_run_at_the_present_lines(cell):
    cell.do("debug demo")
    cell.do("step-over")
    cell.do('insert-step demo 1 "wait 9"')
    (thread,) = run_info(cell.session).threads
    assert thread.line == 3
    cell.do("remove-step demo 3")
    assert run_info(cell.session).threads[0].line == 0


def test_a_renamed_program_keeps_its_lines(cell):
    cell.session.call("write program", {"name": "main", "text": "wait 3\ncall demo"})
    cell.do("run main")
    cell.do("modify program:demo name turn")
    cell.do("modify program:main name whole")
    found = cell.do("line-times").lines
    assert [(one.program, one.line) for one in found] == [
        ("whole", 1),
        ("whole", 2),
        ("turn", 1),
        ("turn", 2),
        ("turn", 3),
    ]
    assert found[-1].callers == (("whole", 2),)
    assert [one.line for one in cell.do("line-times turn").lines] == [1, 2, 3]
    assert [one.place for one in cell.do("check moves").moves] == ["line 2 of turn"]


def test_a_new_program_with_the_name_of_another_one_has_none_of_its_lines(cell):
    cell.do("run demo")
    cell.do("modify program:demo name turn")
    cell.session.call("write program", {"name": "demo", "text": f"wait 1\n{TURN}\nwait 2"})
    assert {one.program for one in cell.do("line-times").lines} == {"turn"}
    assert not cell.do("line-times demo").lines
    cell.do("remove program:turn")
    assert lines(cell) == [0, 0, 0]


def test_a_program_that_was_removed_and_made_again_is_another_one_until_undo(cell):
    cell.do("run demo")
    cell.do("remove program:demo")
    assert lines(cell) == [0, 0, 0]
    cell.session.call("write program", {"name": "demo", "text": f"wait 1\n{TURN}\nwait 2"})
    assert lines(cell) == [0, 0, 0]
    cell.do("undo 2")
    assert lines(cell) == [1, 2, 3]


def test_a_paused_run_lights_no_line_of_a_new_program_with_its_name(cell):
    cell.do("debug demo")
    cell.do("step-over")
    cell.do("modify program:demo name turn")
    cell.session.call("write program", {"name": "demo", "text": "wait 1"})
    (thread,) = run_info(cell.session).threads
    assert (thread.program, thread.line) == ("turn", 2)


def test_a_loaded_recording_of_another_cell_goes_by_names(cell, tmp_path):
    cell.do("run demo")
    cell.do(f"save-recording {tmp_path / 'run.rec'}")
    with wc.Cell() as other:
        for line in ("create signal one", "create signal two", "create robot Puma puma560 joints 0,0,-90,0,90,0"):
            other.do(line)
        other.session.call("write program", {"name": "demo", "text": f"wait 1\n{TURN}\nwait 2"})
        other.do(f"load-recording {tmp_path / 'run.rec'}")
        assert lines(other) == [1, 2, 3]
