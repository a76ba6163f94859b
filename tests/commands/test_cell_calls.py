"""How a cell is made and asked from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import workcell as wc
from workcell.errors import InvalidValue
from workcell.spatial.units import Units


@pytest.mark.parametrize("given", ["x.cell", Path("x.cell"), 3])
def test_a_cell_from_the_name_of_a_file_shows_the_right_call(given):
    with pytest.raises(InvalidValue, match=r"`Cell\.open\('(x|line)\.cell'\)` opens a file, `Cell\.create\("):
        wc.Cell(given)


def test_a_replayed_cell_answers_in_the_units_of_the_one_it_was_replayed_from():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 at 100,200,0")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        again = cell.replayed()
        assert str(again.do("where Puma")) == str(cell.do("where Puma"))
        assert str(again.do("show Puma")) == str(cell.do("show Puma"))
        again.do("move-joints-relative Puma 10,0,0,0,0,0")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        assert again.state == cell.state
        cell.session.display.choose(Units("m", "rad"))
        assert str(cell.replayed().do("where Puma")) == str(cell.do("where Puma"))
