"""Nothing is put farther away than the largest shape: the same limit, in the same words, as for shapes."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import WorkcellError

FAR = "must lie within 10 km of the origin"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("add solid box box 100 100 100 at 0,0,50")
        made.do("add solid peg box 10 10 10")
        made.do("add solid away box 10 10 4000000 at 0,0,9000000")
        made.do("draft robot arm 2")
        made.do("create curve near line (0,0,0) (100,0,0)")
        made.do("create patch sheet (0,0,0) (0,1,0) row (1,0,0) (1,1,0)")
        yield made


@pytest.mark.parametrize(
    "line",
    [
        "place box at 1e300,0,0",
        "place box at 0,-10000001,0",
        "place box at translate 0,0,6000000 translate 0,0,6000000",
        "add target spot 1e300,0,0",
        "add solid other box 1 1 1 at 0,0,1e9",
        "draft lengths arm 1 1e300 0",
        "draft lengths arm 1 0 -1e9",
        "create curve far through (1e300,0,0) (0,0,0) (1,1,1)",
        "create curve far control (0,0,0) (0,1e12,0) (1,1,1)",
        "create curve far line (0,0,0) (0,0,1e300)",
        "create curve far arc (1e300,0,0) (0,1,0) (1,1,1)",
        "create curve far circle 60 at 1e300,0,0",
        "create patch far (1e300,0,0) (0,1,0) row (1,0,0) (1,1,0)",
        "create patch far (0,0,0) (0,1,0) row (1e300,0,0) (1,1,0) --through",
        "reshape curve near 1 to 1e300,0,0",
        "reshape patch sheet 1 1 to 1e300,0,0",
        "face attach peg bottom to box top translate 1e300,0,0",
        "face attach peg bottom to away top",
        "face-pose peg bottom on away top",
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_farther_than_ten_kilometres_is_refused(cell, line):
    with pytest.raises(WorkcellError, match=FAR):
        cell.do(line)


@pytest.mark.parametrize(
    "line",
    [
        "create curve dot control (1,1,1) (1,1,1) (1,1,1)",
        "create curve dot line (1,1,1) (1,1,1)",
        "reshape curve near 1 to 100,0,0",
    ],
)
def test_a_curve_whose_points_are_all_the_same_is_refused(cell, line):
    with pytest.raises(WorkcellError, match=r"lie within 0\.001 mm, so it has no length\.$"):
        cell.do(line)


@pytest.mark.parametrize("line", ["place box at 0,-10000000,0", "add target spot 9e6,0,0", "draft lengths arm 1 0 1e6"])
def test_what_is_nearer_is_taken(cell, line):
    cell.do(line)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("far", [1e8, 1e160, 1e300])
@pytest.mark.parametrize("command", ["ik", "move-end-effector", "place"])
@pytest.mark.parametrize("turned", [0.0, 0.5])
def test_a_pose_with_enormous_numbers_is_refused_in_one_sentence_and_nothing_changes(cell, far, command, turned):
    cell.do("create robot Puma puma560")
    before, c, s = cell.state, np.cos(turned), np.sin(turned)
    matrix = [[c, -s, 0, far], [s, c, 0, -far], [0, 0, 1, far], [0, 0, 0, 1]]
    row = f"{far},{-far},{far}m"
    for pose in (matrix, row, f"translate {row}", f"0,0,0 translate {row} along world", f"spot translate {row}"):
        if pose == f"spot translate {row}":
            cell.do("add target spot 100,0,0")
        with pytest.raises(WorkcellError, match=FAR) as refused:
            cell.session.call(command, {"thing" if command == "place" else "robot": "Puma", "pose": pose})
        assert str(refused.value).count(". ") == 0
    assert cell.state.joints == before.joints
    assert cell.snapshot().base_pose(cell.state, "Puma").is_close(wc.Pose.identity(), 0.0, 0.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("far", ["1e200", "1e300"])
def test_three_points_with_enormous_numbers_are_refused(cell, far):
    with pytest.raises(WorkcellError, match="The three points before must lie within"):
        cell.do(f"place box at points 0,0,0 {far},0,0 0,{far},0 to 0,0,0 1,0,0 0,1,0")
