"""The reach as makers state it, computed from the model."""

from __future__ import annotations

import math

import pytest

from workcell.commands.cell import Cell
from workcell.kinematics.workspace import wrist_reach
from workcell.robots.catalogue import robot

TO_WRIST = ("gp7", "gp8", "irb120", "irb140", "irb2400", "irb6700", "kr5", "kr6", "kr10", "kr16", "kr210", "lrmate200id",
            "m710ic50", "rs007n", "rv4fr", "vs060")  # fmt: skip
"""Arms whose makers state the distance of the wrist centre from the first axis."""


@pytest.mark.parametrize("name", TO_WRIST)
def test_the_computed_reach_is_the_one_that_the_maker_states(name: str) -> None:
    arm = robot(name)
    assert arm.reach is not None
    assert wrist_reach(arm.chain, arm.limits) == pytest.approx(arm.reach, abs=1.5e-3)


def test_a_planar_arm_reaches_as_far_as_it_is_long() -> None:
    arm = robot("planar3r")
    assert wrist_reach(arm.chain, arm.limits) == pytest.approx(3.0, abs=1e-3)


def test_the_library_states_a_reach_for_every_arm_that_turns() -> None:
    with Cell() as cell:
        listed = {one.name: one for one in cell.do("robots").robots}
        assert [name for name, one in listed.items() if one.reach is None] == ["gantry"]
        assert listed["irb6400"].computed
        assert not listed["irb140"].computed
        a, d = zip(*((row.a, row.d) for row in robot("arcmate120il").rows), strict=True)
        stretched = a[0] + a[1] + math.hypot(a[2], d[3])
        assert listed["arcmate120il"].reach == pytest.approx(stretched, abs=1e-3)
        assert "~" in str(cell.do("robots"))
