"""What differs between two states of a cell."""

from __future__ import annotations

import pytest

from workcell import Cell
from workcell.world.state_differences import state_differences


@pytest.mark.parametrize(
    ("values", "differs"), [([0.0] * 6, False), ([1e-12] * 6, False), ([0.1, *[0.0] * 5], True), ([], True)]
)
def test_a_robot_differs_by_its_joints_and_by_their_number(values: list[float], differs: bool):
    with Cell() as cell:
        cell.do("create robot r puma560 at 0,0,0")
        snapshot = cell.session.snapshot()
        before = snapshot.initial.with_joints("r", [0.0] * 6)
        assert state_differences(snapshot, before, before.with_joints("r", values)) == (("r",) if differs else ())


def test_signals_have_the_units_of_the_cell():
    with Cell() as cell:
        cell.do("create robot r puma560")
        cell.do("open-gripper r to 60")
        cell.do('write program w "wait 1"')
        assert "these were different: r/opening = 60 mm." in str(cell.do("run w"))
