"""Parts that are released in the air or inside something: the answers report where they are and what to do."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import Refused
from workcell.geometry import solids
from workcell.simulation.events import FALLS, Hangs
from workcell.simulation.pressing import way_up
from workcell.simulation.recording import Recording
from workcell.simulation.settling import lift_over
from workcell.spatial.pose import Pose

LINES = (
    "create robot Puma puma560 joints 0,45,-170,0,35,0",
    "add solid table box 1000 1000 100 at 400,0,-50",
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
)


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in LINES:
            made.do(line)
        yield made


def lifted(cell, height):
    """The robot holds the cube, so many millimetres above the table."""
    cell.do("grip cube with Puma")
    cell.do(f"move-hand Puma 0,0,{height} along world")


def hanging(recording):
    return [(one.part, one.on, one.height) for one in recording.events if isinstance(one, Hangs)]


def test_a_part_that_is_let_go_in_the_air_hangs_and_the_answer_says_how_to_let_it_fall(cell, tmp_path):
    lifted(cell, 120)
    answer = str(cell.do("release cube"))
    assert re.search(r"cube hangs 120 mm above table; released with `--settle`, it would fall$", answer)
    assert hanging(cell.session.recording) == [("cube", "table", pytest.approx(0.12, abs=1e-6))]
    assert not [one for one in cell.session.recording.events if isinstance(one, FALLS)]
    cell.session.recording.save(tmp_path / "a.rec")
    assert hanging(Recording.load(tmp_path / "a.rec")) == hanging(cell.session.recording)
    assert "cube hangs 120 mm above table" in str(cell.do("report"))
    assert cell.replayed().session.recording.to_bytes() == cell.session.recording.to_bytes()


def test_a_part_that_hangs_is_reported_by_a_run_and_stops_no_watched_one(cell):
    cell.do("watch yes")
    cell.do('allow Puma with cube because "it is attached"')
    cell.do("program go\n  grip cube with Puma\n  move-hand Puma 0,0,50 along world\n  release cube\nend")
    answer = cell.do("run go")
    assert "cube hangs 50 mm above table" in str(answer)
    assert any("cube hangs 50 mm" in line for line in answer.falls)


def test_a_part_that_is_put_down_does_not_hang(cell):
    lifted(cell, 0.5)
    assert "hangs" not in str(cell.do("release cube"))
    lifted(cell, 30)
    assert "hangs" not in str(cell.do("release cube --settle"))
    assert hanging(cell.session.recording) == []


def test_a_part_over_nothing_hangs_in_the_air(cell):
    cell.do("place table at 5000,0,-50")
    lifted(cell, -100)
    assert "cube hangs in the air: nothing is below it" in str(cell.do("release cube"))
    assert hanging(cell.session.recording) == [("cube", "", None)]


def test_the_advice_for_a_part_beside_another_one_is_enough():
    """Two boxes of 100 mm side by side, one 50 mm into the other: 50 mm up is not enough, 100 mm are."""
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560 joints 0,45,-170,0,35,0",
            "add solid table box 1000 1000 100 at 400,0,-50",
            "add solid other box 100 100 100 at 500,-100,50 --movable",
            "add solid cube box 100 100 100 at 500,-150,50 --movable",
            "grip cube with Puma",
        ):
            cell.do(line)
        with pytest.raises(Refused, match=r"cube cannot settle: it is .* inside other\. Move it up by 100 mm or more"):
            cell.do("release cube --settle")
        cell.do("move-hand Puma 0,0,100 along world")
        cell.do("release cube --settle")
        assert cell.state.poses["cube"].xyz[2] == pytest.approx(0.15, abs=1e-6)


SIZES = st.tuples(*[st.integers(4, 20).map(lambda x: x * 10)] * 3)
SHIFTS = st.tuples(*[st.integers(-15, 15).map(lambda x: x * 10)] * 3)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(SIZES, st.lists(st.tuples(SIZES, SHIFTS), min_size=1, max_size=4), st.integers(0, 359))
def test_the_advice_frees_a_box_among_random_boxes_and_a_little_less_does_not(size, others, turn):
    """The oracle is arithmetic on boxes along the axes; a turn of the whole changes nothing."""
    half = np.array(size) / 2e3
    boxes = [(np.array(one) / 2e3, np.array(shift) / 1e3) for one, shift in others]

    def inside(up):
        return [
            (h, c) for h, c in boxes if bool((np.abs(c - (0, 0, up)) < half + h - 1.5e-4).all())
        ]  # fmt: skip

    assume(inside(0.0))
    up, passed = 0.0, 0
    while found := inside(up):
        up, passed = max(up, *(c[2] + h[2] + half[2] for h, c in found)), passed + 1
    X = Pose.from_axis_angle((0, 0, 1), np.radians(turn))
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 at 5000,0,0")
        cell.add_solid(solids.box(*(np.array(size) / 1e3)), "cube", X, movable=True)
        for number, (h, c) in enumerate(boxes):
            cell.add_solid(solids.box(*(2 * h)), f"b{number}", X @ Pose.from_xyz(*c))
        sim = wc.Simulator(cell)
        assert way_up(sim, "cube", "Puma") == pytest.approx(up, abs=1e-6)


def test_what_is_above_counts_for_the_way_out():
    box, tower = solids.box(0.1, 0.1, 0.1).mesh(), solids.box(0.1, 0.1, 0.6).mesh()
    assert lift_over(box, np.eye(4), tower, Pose.from_xyz(0.05, 0, 0.2).matrix) == pytest.approx(0.55)
    assert lift_over(box, np.eye(4), tower, Pose.from_xyz(0.11, 0, 0.2).matrix) == 0.0
