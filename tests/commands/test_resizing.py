"""Sizes are read and changed by hand: the answer fits what was made, a change is one step, and what is shared is refused."""

from __future__ import annotations

import numpy as np
import pytest

from workcell import Cell
from workcell.errors import Refused


@pytest.fixture
def cell() -> Cell:
    return Cell()


@pytest.mark.parametrize(
    ("shape", "names", "sizes"),
    [
        ("box 300 200 100", ["x", "y", "z"], [0.3, 0.2, 0.1]),
        ("cylinder 40 90", ["r", "h"], [0.04, 0.09]),
        ("sphere 55", ["r"], [0.055]),
    ],
)
@pytest.mark.parametrize("kind", ["zone", "solid"])
def test_the_sizes_are_those_that_it_was_made_with(
    cell: Cell, kind: str, shape: str, names: list[str], sizes: list[float]
) -> None:
    cell.do(f"add {kind} thing {shape} at 100,200,300 rotate 0,0,90")
    found = cell.do("size-grips thing")
    assert (found.shape, list(found.names), found.refusal) == (shape.split(maxsplit=1)[0], names, "")
    assert found.sizes == pytest.approx(sizes)
    np.testing.assert_allclose(np.array(found.pose)[:3, 3], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(np.array(found.pose)[:3, 0], [0, 1, 0], atol=1e-12)


def test_a_change_of_size_and_place_is_one_step_that_undo_takes_back(cell: Cell) -> None:
    cell.do("add zone gate box 300 300 200 at 0,-900,500")
    before = cell.database.rows()
    cell.do("resize gate box 400 300 200 at 50,-900,500")
    found = cell.do("size-grips gate")
    assert found.sizes == pytest.approx([0.4, 0.3, 0.2])
    low = np.array(found.pose)[0, 3] - found.sizes[0] / 2
    assert low == pytest.approx(-0.15)  # the face at the left stays
    assert len(cell.journal) == 2
    cell.do("undo")
    assert cell.database.rows() == before


def test_what_has_no_sizes_of_its_own_is_refused_with_what_would_be_right(cell: Cell) -> None:
    for line in ("add solid pin cylinder 10 60", "copy pin as twin", "add solid hat cone 30 60 at 500,0,0"):
        cell.do(line)
    cell.do("add solid plate box 200 100 20")
    cell.do("compose pair of plate of hat")
    cell.do("add solid left box 20 20 20 at 900,0,0")
    cell.do("add solid right box 20 20 20 at 910,0,0")
    cell.do("merge cut difference of left of right")
    before = cell.database.rows()
    for thing, reason in (
        (
            "pin",
            "Block 'pin-solid' of object 'pin' is also a part of twin. `modify block:pin-solid shape …` changes it",
        ),
        ("pair", "Object 'pair' is made of 2 blocks"),
        ("cut", "Object 'cut' is made of 2 blocks"),
    ):
        assert reason in cell.do(f"size-grips {thing}").refusal
        with pytest.raises(Refused, match=reason.split("`")[0]):
            cell.do(f"resize {thing} box 10 10 10")
    assert cell.database.rows() == before
