"""Bad input to the commands that plan: one clear line each, and nothing has changed."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, WorkcellError

HOME = "-70,0,-90,0,90,0"
INSIDE = "add solid crate box 300 300 300 at 300,-700,400"
HOLES = "targets grid 1x2 to holes pitch 100,100 at 300,-500,300 rotate 180,0,0"


def cell_of(*lines: str) -> wc.Cell:
    cell = wc.Cell()
    for line in (f"create robot Puma puma560 joints {HOME}", *lines):
        cell.do(line)
    return cell


@pytest.mark.parametrize(
    ("lines", "asked", "said"),
    [
        ((), "find-path Puma joints 400,0,-90,0,90,0", r"Joint 1 .*out of its range"),
        ((), "find-path Puma joints nan,0,-90,0,90,0", r"nan"),
        ((), "find-path Puma joints 10,0,-90,0,90,0 budget 0s", r"0"),
        ((), "find-path Puma joints 10,0,-90,0,90,0 budget nans", r"nan"),
        ((), "find-path Puma", r"goal"),
        ((INSIDE,), "find-path Puma joints 70,0,-90,0,90,0", r"Puma cannot start: .*crate"),
        ((), "find-path Puma joints 70,0,-90,0,90,0 to 300,500,400", r"joint"),
        ((), "find-path Puma to 9000,0,0", r"reach"),
        ((INSIDE, HOLES), "plan order holes by Puma to drill", r"Puma cannot start: .*crate"),
        ((HOLES,), "plan order holes by Puma to drill spin 400", r"0° to 180°.*400°"),
        ((HOLES,), "plan order holes by Puma to drill approach 0", r"0"),
        ((HOLES,), "plan order holes by Puma to drill approach nan", r"nan"),
        ((HOLES,), "plan order holes by Nobody to drill", r"Nobody"),
        ((HOLES,), "plan order holes by Puma to drill step 0.1", r"at least 1°"),
        ((), "plan order nothing by Puma to drill", r"nothing"),
        ((), "plan program nothing", r"nothing"),
    ],
)
def test_one_clear_line_and_nothing_has_changed(lines, asked, said):
    cell = cell_of(*lines)
    with pytest.raises(WorkcellError, match=said) as found:
        cell.do(asked)
    assert "\n" not in str(found.value)
    assert np.allclose(np.degrees(cell.state.joints["Puma"]), [-70, 0, -90, 0, 90, 0])
    assert not cell.session.database.names("program")


def test_a_constraint_that_the_goal_breaks_is_named():
    cell = cell_of()
    with pytest.raises(WorkcellError) as found:
        cell.do("find-path Puma joints -70,0,-90,0,30,0 upright 5")
    assert "\n" not in str(found.value)
    assert "does not keep the direction of the tool" in str(found.value)


def test_walls_around_the_base_are_named():
    cell = cell_of("add solid wall box 20 1000 3000 at 250,-300,0")
    with pytest.raises(WorkcellError) as found:
        cell.do("find-path Puma joints 70,0,-90,0,90,0 budget 0.2s")
    assert "\n" not in str(found.value)
    assert "wall" in str(found.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"constraint": []}, "one or more; found none"),
        ({"constraint": ["upright"]}, "A constraint is Upright.*found 'upright'"),
        ({"planner": 3}, "A planner is given by its name.*found 3"),
        ({"allow": "x"}, "pairs of names.*found 'x'"),
        ({"allow": 3}, "pairs of names.*found 3"),
        ({"allow": ("Puma", "post")}, "pairs of names.*found 'Puma'"),
        ({"allow": [("Puma",)]}, "pairs of names"),
    ],
)
@pytest.mark.parametrize("beside", [False, True])
def test_wrong_options_from_python_get_one_sentence(given, said, beside):
    cell = cell_of("create robot Other puma560 at 3000,0,0")
    q = cell.state.joints["Puma"] + 0.1
    if beside:
        other = wc.find_path(cell, "Other", cell.state.joints["Other"] + 0.1).trajectory
        given = {**given, "beside": {"Other": other}}
    with pytest.raises(InvalidValue, match=said) as caught:
        wc.find_path(cell, "Puma", q, **given)
    assert "\n" not in str(caught.value)
