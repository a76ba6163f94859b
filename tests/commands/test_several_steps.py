"""Several steps of a program moved or removed at once: one step of the history, the same steps as before."""

from __future__ import annotations

import itertools

import pytest

from workcell import Cell
from workcell.errors import WorkcellError

CASES = [
    case for case in itertools.product([(1, 7), (1, 6), (3, 4), (2, 6), (2, 3, 7)], [1, 6, 8]) if case != ((2, 6), 6)
]
LINES = ["wait 1", "repeat 2", "  wait 2", "  wait 3", "end", "wait 4", "wait 5"]


@pytest.fixture
def cell():
    with Cell() as cell:
        cell.do(f'write program demo "{"%0A".join(LINES)}"')
        yield cell


def lines(cell):
    return str(cell.call("outline", program="demo").text).split("\n")


@pytest.mark.parametrize(("chosen", "place"), CASES)
def test_moved_steps_stand_together_in_their_order_and_nothing_is_lost(cell, chosen, place):
    first, *more = chosen
    found = cell.call("move-step", program="demo", line=first, place=place, more=more)
    after = lines(cell)
    assert sorted(one.strip() for one in after) == sorted(one.strip() for one in LINES)
    whole = [number for number in range(1, 8) if number in chosen or (2 in chosen and 2 < number < 6)]
    assert [one.strip() for one in after[found.line - 1 :]][: len(whole)] == [LINES[k - 1].strip() for k in whole]
    cell.do("undo")
    assert lines(cell) == LINES


def test_removed_steps_go_at_once_and_come_back_at_once(cell):
    assert "lines 1, 3 and 6 removed" in str(cell.do("remove-step demo 3 with 6 with 1"))
    assert lines(cell) == ["repeat 2", "  wait 3", "end", "wait 5"]
    cell.do("undo")
    assert lines(cell) == LINES
    cell.do("remove-step demo 4 with 2")  # the inner one goes with its block
    assert lines(cell) == ["wait 1", "wait 4", "wait 5"]


def test_what_cannot_be_moved_is_refused_and_nothing_changes(cell):
    for line in ("move-step demo 2 to 4 with 6", "move-step demo 1 to 9 with 6", "remove-step demo 1 with 5"):
        with pytest.raises(WorkcellError):
            cell.do(line)
    assert lines(cell) == LINES
