"""Several things are moved and removed by one command: as they stand to each other, once each, and all or none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workcell import Cell
from workcell.errors import InvalidValue, Refused

STAGE = (
    "add solid crate box 400 300 200 at 900,-700,100",
    "add solid lamp cylinder 60 200",
    "face attach lamp bottom to crate top",
    "add target spot 900,-700,450 on lamp",
    "add zone gate box 300 300 300 at -600,-600,150",
    "create light sun",
    "place light sun at 2000,0,3000",
    "create robot Puma puma560",
    "add light-barrier beam from 700,-400,450 to 700,400,450",
)
ALL = ("crate", "lamp", "spot", "gate", "sun", "Puma", "beam")


@pytest.fixture
def cell() -> Cell:
    made = Cell()
    for line in STAGE:
        made.do(line)
    return made


def pose(cell: Cell, thing: str) -> NDArray[np.float64]:
    return np.array(cell.do(f"moves-with {thing}").pose)


@pytest.mark.parametrize("first", ["crate", "lamp", "spot", "Puma", "gate"])
@pytest.mark.parametrize("turn", ["", " rotate 0,0,30", " rotate 10,-20,70"])
def test_all_go_by_one_motion_whichever_is_named_first(cell: Cell, first: str, turn: str) -> None:
    before = {name: pose(cell, name) for name in ALL}
    others = " ".join(f"taking {name}" for name in ALL if name != first)
    cell.do(f"place {first} at 300,400,500{turn} {others} --hanging")
    after = {name: pose(cell, name) for name in ALL}
    motion = after[first] @ np.linalg.inv(before[first])
    np.testing.assert_allclose(after[first][:3, 3], [0.3, 0.4, 0.5], atol=1e-12)
    for name in ALL:
        np.testing.assert_allclose(after[name], motion @ before[name], atol=1e-9, err_msg=name)
    assert cell.do("where spot").carrier == "lamp"
    assert len(cell.journal) == len(STAGE) + 1
    cell.do("undo")
    for name in ALL:
        np.testing.assert_array_equal(pose(cell, name), before[name])


def test_what_moves_with_several_is_what_moves_with_each_of_them(cell: Cell) -> None:
    whole = cell.do("moves-with lamp taking crate taking Puma")
    parts = [cell.do(f"moves-with {name}") for name in ("crate", "Puma")]
    assert set(whole.bodies) == {body for one in parts for body in one.bodies}
    assert whole.pose == cell.do("moves-with lamp").pose
    assert whole.carrier == "crate"


def test_a_shift_leaves_decimals_decimal(cell: Cell) -> None:
    cell.do("place crate at 1000.1,-700,100 taking gate")
    assert pose(cell, "gate")[:3, 3].tolist() == [-0.4999, -0.6, 0.15]


def test_one_that_cannot_move_is_named_and_none_moves(cell: Cell) -> None:
    cell.do("create robot Small puma560")
    cell.do("mount Small on Puma at 0,0,0")
    before = cell.database.rows()
    with pytest.raises(Refused, match=r"Nothing was moved\. Small is mounted on Puma"):
        cell.do("place crate at 0,0,0 taking Small")
    with pytest.raises(InvalidValue, match="one of them is named twice"):
        cell.do("place crate at 0,0,0 taking crate")
    assert cell.database.rows() == before
    here = pose(cell, "Small")
    cell.do("place crate at 0,-700,100 taking Small taking Puma")  # its carrier takes it along
    np.testing.assert_allclose(pose(cell, "Small")[:3, 3] - here[:3, 3], [-0.9, 0, 0], atol=1e-12)


def test_several_are_removed_at_once_with_what_stands_on_them_first(cell: Cell) -> None:
    for line in ("create path way", "targets append spot to way"):
        cell.do(line)
    before = cell.database.rows()
    answer = cell.do("remove crate with spot with lamp with way with sun --deep")
    assert {"object 'crate'", "object 'lamp'", "target 'spot'", "path 'way'", "light 'sun'"} <= set(answer.removed)
    assert not [note for note in answer.stayed if "spot" in note]
    cell.do("undo")
    assert cell.database.rows() == before
    with pytest.raises(Refused, match="carries 'lamp' on a face"):
        cell.do("remove gate with crate --deep")
    assert cell.database.rows() == before
