"""Nothing is put farther away than the largest shape: the same limit, in the same words, as for shapes."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import WorkcellError

FAR = "must lie within 10 km of the origin"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("add solid box box 100 100 100 at 0,0,50")
        made.do("draft robot arm 2")
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
    ],
)
def test_what_is_farther_than_ten_kilometres_is_refused(cell, line):
    with pytest.raises(WorkcellError, match=FAR):
        cell.do(line)


@pytest.mark.parametrize("line", ["place box at 0,-10000000,0", "add target spot 9e6,0,0", "draft lengths arm 1 0 1e6"])
def test_what_is_nearer_is_taken(cell, line):
    cell.do(line)
