"""`clear`: a view, something in a view, or the whole cell."""

from __future__ import annotations

from pathlib import Path

import pytest

import workcell as wc
from workcell.errors import WorkcellError

LINES = (
    "units cm deg",
    "create robot Puma puma560",
    "add solid table box 800 600 40 at 800,0,0",
    "add solid lamp cylinder 50 200",
    "face attach lamp bottom to table top",
    "create tool torch",
    "fit tool torch to Puma tcp 0,0,120",
    "add rail track 2000 at 0,2000,0",
    "create view close",
    "create signal ready",
    "create colour sky",
    "program nod\nmove-joints-relative Puma 10,0,0,0,0,0\nend",
    "allow Puma with table because welded",
    "run nod",
)


def test_clear_all_empties_the_cell_in_one_step_that_undo_takes_back(tmp_path: Path) -> None:
    path = tmp_path / "full.cell"
    with wc.Cell.create(path) as cell:
        for line in LINES:
            cell.do(line)
        before, state, count = cell.snapshot().hash, cell.state.to_json(), len(cell.database.entities())
        assert f"{count} things removed; `undo`" in str(cell.do("clear all"))
        assert cell.database.entities() == []
        fresh = wc.Cell()
        fresh.do("units cm deg")
        empty = cell.snapshot().hash
        assert empty == fresh.snapshot().hash
        assert cell.session.units == fresh.session.units
        assert cell.replayed().snapshot().hash == empty
        cell.undo()
        assert (cell.snapshot().hash, cell.state.to_json()) == (before, state)
        cell.redo()
        for line in LINES:  # every name is free again
            cell.do(line)
        assert cell.snapshot().hash == before
    with wc.Cell.open(path) as again:
        assert again.snapshot().hash == before
        assert again.replayed().snapshot().hash == before


def test_clear_alone_changes_nothing_and_says_what_it_needs() -> None:
    cell = wc.Cell()
    cell.do("add solid peg cylinder 20 100")
    cell.do("look close iso")
    with pytest.raises(WorkcellError, match=r"ENTITY\|all.*clear THING"):
        cell.do("clear")
    with pytest.raises(WorkcellError, match="clear view close"):
        cell.do("clear all from close")
    assert cell.database.find("object", "peg") is not None
    assert ("all", "remove everything from the cell") in [
        (one.text, one.help) for one in cell.session.complete("clear a")
    ]
