"""Refusals in the units of the cell."""

from __future__ import annotations

import re

import pytest

from workcell.commands.cell import Cell
from workcell.errors import JointLimit, Unreachable
from workcell.spatial.message_units import said_angle, said_length, said_point, typed_pose, worded_in
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units


@pytest.fixture
def cell():
    with Cell() as made:
        made.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        yield made


def test_a_joint_limit_is_worded_in_the_units_of_the_cell(cell):
    with pytest.raises(JointLimit, match=r"would be 40 ° out of its range -160 … 160 °"):
        cell.do("move-joints-absolute Puma 200,0,-90,0,90,0")
    cell.do("units m rad")
    with pytest.raises(JointLimit, match=r"would be 0\.698132 rad out of its range -2\.7925268 … 2\.7925268 rad"):
        cell.do("move-joints-absolute Puma 200deg,0,-90deg,0,90deg,0")
    cell.do("units m turn")
    with pytest.raises(JointLimit, match=r"would be 0\.111111 turn out of its range"):
        cell.do("move-joints-absolute Puma 200deg,0,-90deg,0,90deg,0")


@pytest.mark.parametrize(("units", "away"), [("mm deg", 1e-3), ("m rad", 1.0), ("inch turn", 0.0254)])
def test_a_pose_out_of_reach_is_worded_in_the_units_of_the_cell_and_its_advice_can_be_typed(cell, units, away):
    length, angle = units.split()
    cell.do(f"units {units}")
    with pytest.raises(Unreachable) as refused:
        cell.do("move-end-effector Puma 5m,0mm,500mm")
    text, metres = refused.value.message, refused.value.evidence["metres"]
    found = re.search(
        rf"nearest reachable pose is ([\d.e+]+) {length} and [\d.e+-]+{'°' if angle == 'deg' else f' {angle}'} away",
        text,
    )
    assert found is not None, text
    assert float(found[1]) * away == pytest.approx(metres, rel=1e-3)
    advice = re.search(r"That pose is (\S+) (\S+) euler fanuc_wpr (\S+) (\S+) in the world", text)
    assert advice is not None
    cell.do(f"move-end-effector Puma {advice[1]} euler fanuc_wpr {advice[3]}")


def test_a_hand_that_cannot_follow_is_worded_in_the_units_of_the_cell(cell):
    cell.do("units m rad")
    with pytest.raises(Unreachable, match=r"% of its length, \(0\.\d+, -0\.15\d*, 0\.5\d+\) m: "):
        cell.do("move-straight-line Puma 5,0,0.5")


def test_numbers_of_messages_are_those_of_the_units_and_the_default_comes_back():
    with worded_in(Units("inch", "turn")):
        assert said_length(0.0254) == "1 inch"
        assert said_angle(3.141592653589793) == "0.5 turn"
        assert said_point([0.0254, 0.0, -0.0508]) == "(1, 0, -2) inch"
        lengths, turns, text = typed_pose([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], "fanuc_wpr")
    assert Pose.from_xyz_angles(lengths, turns, "fanuc_wpr").is_close(
        Pose.from_xyz_angles([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], "fanuc_wpr"), 1e-6, 1e-6
    )
    assert text.endswith(" turn")
    assert (said_length(0.0254), said_angle(0.0)) == ("25.4 mm", "0°")
