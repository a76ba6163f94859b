"""The check of a program looks at the first moves from where the robots start, as after `replace robot`."""

from __future__ import annotations

import re

import pytest

import workcell as wc
from workcell.errors import WorkcellError

ASSUMED = "; this assumes that Arm starts with its initial joint values."
LINE = "move-straight-line Arm -600,-150,700 euler fanuc_wpr 180,0,180"
HAND = "move-hand Arm 0,0,-900"
RELATIVE = "move-joints-relative Arm 0,0,-170,0,0,0"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("create robot Arm ur10e joints 0,0,-90,0,90,0")
        yield made


def checked(cell, text, name="p"):
    cell.session.call("write program", {"name": name, "text": text})
    return cell.do(f"check program {name}").problems


@pytest.mark.parametrize(
    ("text", "model", "message"),
    [
        (RELATIVE, "kr16", "Joint 3 of kr16 would be 40 ° out of its range -220 … 64 °"),
        (LINE, "kr16", "Arm can follow the straight line only for about 50 % of its length"),
        (HAND, "ur3e", "Arm can follow the straight line only for about 66 % of its length"),
    ],
)
def test_a_first_move_that_another_robot_cannot_make_is_a_warning_where_the_run_is_refused(cell, text, model, message):
    assert checked(cell, text) == ()
    cell.do(f"replace robot Arm with {model}")
    (found,) = cell.do("check program p").problems
    assert (found.message, found.warning, found.line) == (message + ASSUMED, True, 1)
    with pytest.raises(WorkcellError, match=re.escape("Line 1 of program 'p'")):
        cell.do("run p")


def test_a_line_that_ends_out_of_reach_has_one_mistake(cell):
    cell.do("replace robot Arm with ur3e")
    (found,) = checked(cell, LINE)
    assert not found.warning
    assert "cannot reach" in found.message


def test_a_program_that_others_call_may_begin_anywhere(cell):
    cell.do("replace robot Arm with kr16")
    checked(cell, RELATIVE)
    assert checked(cell, "move-joints-absolute Arm 0,0,60,0,90,0\ncall p", "main") == ()
    assert cell.do("check program p").problems == ()
    cell.do("run main")


def test_a_line_after_known_joint_values_is_followed_from_there(cell):
    cell.do("replace robot Arm with kr16")
    text = f"wait 1\nmove-joints-absolute Arm 0,0,-90,0,90,0\n{LINE}"
    (found,) = checked(cell, text)
    assert (found.line, found.warning) == (3, True)
    assert "assumes" not in found.message
