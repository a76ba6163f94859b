"""Tasks: programs with a purpose, carried out one after the other."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import PointedTo, Refused
from workcell.programs.problem import ProgramProblems


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560 joints 0,0,-90,0,90,0",
            "program first\nmove-joints-relative A 10,0,0,0,0,0\nmessage 1\nend",
            "program second\nparameter by angle = 5deg\nmove-joints-relative A by,0,0,0,0,0\nmessage 2\nend",
            "create task shift",
            'modify shift goal "to turn the arm"',
            "attach first to shift as a",
            "attach second to shift as b",
            "attach first to shift as c",
        ):
            cell.do(line)
        yield cell


def test_a_task_runs_its_programs_in_order_and_is_one_step(cell):
    cell.do("program whole\ncall first\ncall second\ncall first\nend")
    cell.do("run whole")
    called = cell.session.recording.to_bytes()
    answer = cell.do("run shift")
    assert answer.messages == ("1", "2", "1")
    assert [f"at {at:.4f} s: {text}" in str(answer) for at, text in zip(answer.times, answer.messages, strict=True)]
    assert cell.session.recording.to_bytes() == called
    assert list(cell.journal)[-1].command == "run task:shift"
    assert cell.replayed().state == cell.state
    cell.do("undo")
    cell.do("run-together shift")
    assert cell.session.recording.to_bytes() == called
    assert [row[1] for row in cell.do("steps shift").rows] == ["call first", "call second", "call first"]


def test_a_task_follows_renames_and_its_programs_cannot_be_removed_under_it(cell):
    cell.do('modify first name "the first"')
    cell.do("modify shift name work")
    cell.do("run work")
    assert next(row[1] for row in cell.do("steps work").rows) == 'call "the first"'
    with pytest.raises(PointedTo, match="work/a"):
        cell.do('remove "the first"')
    cell.do("remove work --deep")
    assert cell.database.names("program") == []
    cell.do("undo")
    cell.do("run work")


def test_mistakes_of_a_task_are_those_of_its_programs_and_calls(cell):
    cell.do("program needs\nparameter n number\nwait n\nend")
    cell.do("attach needs to shift as d")
    cell.do("program first\nmvoe A\nend")
    problems = cell.do("check program shift").problems
    assert [(one.program, one.line) for one in problems] == [("shift", 4), ("first", 1)]
    with pytest.raises(ProgramProblems, match="needs a value for its parameter 'n'"):
        cell.do("run shift")
    cell.do("create task empty")
    with pytest.raises(Refused, match=r"Task 'empty' has no programs; `attach PROGRAM to task:empty`"):
        cell.do("run empty")


def test_a_task_and_a_program_may_have_one_name(cell):
    cell.do("modify shift name first")
    answer = cell.do("run task:first")
    assert answer.messages == ("1", "2", "1")
    assert cell.do("run program:first").messages == ("1",)
    assert cell.replayed().state == cell.state


def test_a_task_is_kept_as_text_and_opened_again(cell, tmp_path):
    cell.do(f'save "{tmp_path / "one.celltext"}"')
    with wc.Cell() as other:
        other.do(f'load "{tmp_path / "one.celltext"}"')
        assert other.do("run shift").messages == ("1", "2", "1")
