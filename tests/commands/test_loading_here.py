"""What stands in another cell comes as copies into the scene that is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.errors import Refused


@pytest.fixture
def other(tmp_path: Path) -> Path:
    with Cell.create(tmp_path / "line.cell") as cell:
        cell.do("create robot Arm puma560 at 0,2000,0")
        cell.do("add solid table box 400 400 40 at 500,2000,20")
        cell.do("add solid peg cylinder 20 100 at 500,2000,90 --movable")
        cell.do("add target spot 100,0,50 on object:table")
    return tmp_path / "line.cell"


def poses(cell: Cell) -> dict[str, np.ndarray]:
    snapshot = cell.snapshot()
    return dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(cell.state), strict=True))


def test_copies_stand_in_this_scene_where_they_stood_there(cell: Cell, other: Path):
    cell.do("create robot Arm puma560")
    own = poses(cell)
    answer = str(cell.do(f"load {other} prefix line- --here"))
    assert "added" in answer
    with Cell.copy_of(other) as there:
        expected = {**own, **{f"line-{name}": X for name, X in poses(there).items()}}
    found = poses(cell)
    assert found.keys() == expected.keys()
    for name, X in expected.items():
        assert found[name] == pytest.approx(X), name
    assert [one.name for one in cell.database.entities("scene")] == ["main"]
    again = cell.replayed()
    assert poses(again).keys() == found.keys()
    cell.do("undo")
    assert poses(cell).keys() == own.keys()


def test_it_works_in_an_empty_cell_and_needs_a_prefix(cell: Cell, other: Path):
    with pytest.raises(Refused, match="give `prefix NAME` too"):
        cell.do(f"load {other} --here")
    cell.do(f"load {other} prefix a- --here")
    cell.do(f"load {other} prefix b- --here")
    assert {"a-peg", "b-peg"} <= poses(cell).keys()
