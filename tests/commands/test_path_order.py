"""The order of the targets of a path."""

from __future__ import annotations

import numpy as np
import pytest

from workcell import Cell
from workcell.errors import WorkcellError


@pytest.fixture
def cell():
    with Cell() as cell:
        cell.do("add solid pallet box 1200 800 144 at 1500,0,72")
        cell.do("targets grid 2x2 to spots pitch 250,250 on pallet at -375,-250,72 rotate 180,0,0")
        yield cell


def order(cell, path="spots"):
    return [row[0] for row in cell.do(f"targets of {path}").rows]


def poses(cell):
    return {one.name: np.array(one.pose) for one in cell.do("place-poses").places}


@pytest.mark.parametrize(("number", "place"), [(4, 1), (1, 4), (2, 3)])
def test_a_target_is_moved_in_the_order_and_nowhere_else(cell, number, place):
    before, where = order(cell), poses(cell)
    wanted = list(before)
    wanted.insert(place - 1, wanted.pop(number - 1))
    cell.do(f"targets reorder spots {number} to {place}")
    assert order(cell) == wanted
    line = next(one for one in cell.do("place-poses").paths if one.name == "spots")
    assert line.targets == wanted
    for name, pose in zip(line.targets, line.points, strict=True):
        assert where[name][:3] == pytest.approx(pose)
    cell.do("undo")
    assert order(cell) == before


def test_the_order_outlives_the_file_and_its_text(tmp_path):
    with Cell.create(tmp_path / "a.cell") as cell:
        cell.do("targets grid 3x1 to row pitch 100,100")
        cell.do("targets reorder row 3 to 1")
    with Cell.open(tmp_path / "a.cell") as again:
        assert order(again, "row") == ["row-3", "row-1", "row-2"]
        again.do("add target extra 0,0,500 to row")
        assert order(again, "row")[-1] == "extra"


def test_a_target_leaves_and_stays_where_it_is_and_can_come_back(cell):
    where = poses(cell)
    cell.do("targets leave spots 2")
    assert order(cell) == ["spots-1", "spots-3", "spots-4"]
    assert poses(cell)["spots-2"] == pytest.approx(where["spots-2"])
    cell.do("targets append spots-2 to spots")
    assert order(cell)[-1] == "spots-2"
    assert poses(cell)["spots-2"] == pytest.approx(where["spots-2"])
    cell.do("place pallet at 1500,300,72")  # it hangs on the pallet again
    assert poses(cell)["spots-2"][1] == pytest.approx(where["spots-2"][1] + 0.3)


def test_a_target_may_be_passed_twice_and_leaves_once(cell):
    cell.do("targets append spots-1 to spots")
    assert order(cell) == ["spots-1", "spots-2", "spots-3", "spots-4", "spots-1"]
    cell.do("targets leave spots 1")
    assert order(cell)[-1] == "spots-1"


@pytest.mark.parametrize(
    "line", ["targets reorder spots 5 to 1", "targets reorder spots 1 to 9", "targets leave spots 7"]
)
def test_a_number_that_the_path_does_not_have_is_refused(cell, line):
    with pytest.raises(WorkcellError, match="has 4 targets"):
        cell.do(line)
