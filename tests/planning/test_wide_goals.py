"""Goals that reach far beyond the arm: the search looks where the arm can be, and a robot that is there stays."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, Unreachable


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        yield made


def hand(cell):
    """The position of the hand [mm]."""
    return 1e3 * cell.snapshot().robot("Puma").robot.fk(cell.state.joints["Puma"]).xyz


@pytest.mark.parametrize("box", ["-3000,-3000,-3000 and 3000,3000,3000", "-1e7,-1e7,-1e7 and 1e7,1e7,1e7"])
def test_a_robot_inside_a_region_needs_no_move(cell, box):
    before = cell.state.joints["Puma"].copy()
    assert cell.do(f"find-path Puma between {box}").duration == 0.0
    np.testing.assert_array_equal(cell.state.joints["Puma"], before)


def test_a_region_is_reached_though_almost_all_of_it_is_out_of_reach(cell):
    cell.do("move-joints-absolute Puma 120,0,-90,0,90,0")
    cell.do("find-path Puma between 300,-900,100 and 1e6,-100,1e6")
    x, y, z = hand(cell)
    assert -900 <= y <= -100
    assert min(x - 300, z - 100) >= 0


def test_a_region_has_the_bounds_of_every_place(cell):
    with pytest.raises(InvalidValue, match="must lie within 10 km of the origin"):
        cell.do("find-path Puma between -3000,-3000,-3000 and 1e300,3000,3000")


def test_a_wide_tolerance_is_as_good_as_any(cell):
    cell.do("find-path Puma to 5000,3000,4000 within 1e300")
    turn = cell.snapshot().robot("Puma").robot.fk(cell.state.joints["Puma"]).rotation
    np.testing.assert_allclose(turn, np.eye(3), atol=1e-6)  # only the position is free


def test_a_region_beside_the_reach_is_refused(cell):
    with pytest.raises(Unreachable, match="cannot reach the region"):
        cell.do("find-path Puma between 5000,0,0 and 1e6,100,100")


@pytest.mark.parametrize("seed", ["-1", "1e23"])
def test_a_seed_out_of_range_is_refused_where_constants_are_learned(cell, seed):
    cell.do('write program g "guide Puma 300,550,250 --position"')
    with pytest.raises(InvalidValue, match="seed of a search"):
        cell.do(f"learn guide g tries 1 seed {seed}")


@pytest.mark.parametrize("speed", ["1e-300", "1e-9"])
@pytest.mark.parametrize("line", ["move-hand Puma 0,0,20 along world", "retract Puma by 10", "plan-along p by Puma"])
def test_a_hand_has_the_least_speed_of_a_joint(cell, line, speed):
    cell.do("targets along-curve p normal 0,0,1 through (500,-150,300) (550,0,350) (500,150,300) spacing 30")
    with pytest.raises(InvalidValue, match="must be at least 1e-06 m/s; found"):
        cell.do(f"{line} speed {speed}")
    assert cell.state.time == 0.0
