"""Parts that ride on mechanisms: in the run, in the initial state, after a merge, and dropped onto a belt."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused
from workcell.world.state import Attachment

LINES = (
    "add conveyor belt 2000 at 0,800,0",
    "add solid part box 60 60 60 at 200,800,730 --movable",
    "ride part on belt",
)


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in LINES:
            made.do(line)
        yield made


def place(cell: wc.Cell, name: str) -> np.ndarray:
    snapshot = cell.snapshot()
    poses = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(cell.state), strict=True))
    return np.asarray(poses[name][:3, 3] * 1e3)


def test_a_part_rides_and_the_cell_can_begin_with_it(cell):
    cell.do("move-joints-relative belt 500")
    assert place(cell, "part") == pytest.approx([700, 800, 730])
    cell.do("keep state")
    assert "rides on link 1 of 'belt'" in str(cell.do("show main/part"))
    assert place(cell, "part") == pytest.approx([700, 800, 730])
    cell.do("move-joints-relative belt 100")
    assert place(cell, "part") == pytest.approx([800, 800, 730])
    cell.do("reset")
    assert place(cell, "part") == pytest.approx([700, 800, 730])
    assert cell.replayed().state == cell.state
    cell.do("place part at 0,0,30")
    cell.do("move-joints-relative belt 100")
    assert place(cell, "part") == pytest.approx([0, 0, 30])


def test_taking_over_a_cell_under_a_prefix_keeps_what_rides_and_stands(cell, tmp_path):
    cell.do("add solid cube box 40 40 40 --movable")
    cell.do("face attach cube bottom to part top")
    cell.do("keep state")
    cell.do(f"save {tmp_path / 'line.cell'}")
    with wc.Cell() as other:
        for line in LINES[:2]:
            other.do(line)
        other.do(f"load {tmp_path / 'line.cell'} prefix far_")
        other.do("use scene far_main")
        other.do("move-joints-relative far_belt 300")
        assert place(other, "far_part") == pytest.approx([500, 800, 730])
        assert place(other, "far_cube") == pytest.approx([500, 800, 780])


def test_removing_the_mechanism_leaves_the_part_where_it_began_and_says_so(cell):
    cell.do("keep state")
    cell.do("detach main/belt")
    cell.do("remove belt")
    assert place(cell, "part") == pytest.approx([200, 800, 730])
    assert any("rode on something" in note for note in cell.snapshot().notes)


def test_a_part_that_settles_on_a_conveyor_goes_with_its_belt():
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add conveyor belt 1000 at 0,-150,-650",
            "add solid cube box 40 40 40 at 500,-150,60 --movable",
            "move-end-effector Puma 500,-150,160 euler fanuc_wpr 180,0,180 of grip",
            "move-straight-line Puma 500,-150,60 euler fanuc_wpr 180,0,180 of grip",
            "close-gripper Puma",
            "move-hand Puma 0,0,80 along world",
            "open-gripper Puma --settle",
        ):
            cell.do(line)
        held = cell.state.attached["cube"]
        assert isinstance(held, Attachment)
        assert held.frame.startswith("belt/")
        before = place(cell, "cube")
        assert before[2] == pytest.approx(50 + 20 - 12, abs=15)
        cell.do("move-joints-relative belt 200")
        assert place(cell, "cube") - before == pytest.approx([200, 0, 0])


def test_a_held_part_is_still_no_way_to_begin():
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add solid cube box 40 40 40 at 500,-150,20 --movable",
            "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
            "close-gripper Puma",
        ):
            cell.do(line)
        with pytest.raises(Refused, match="Puma holds cube, which is not possible in an initial state"):
            cell.do("keep state")


ON_AN_ARM = (
    "create robot A puma560 joints 0,45,-170,0,35,0",
    "create robot B irb6400 at 500,-150,-2000",
    "add solid cube box 40 40 40 at 500,-150,900 --movable",
    "grip cube with A",
    "release cube --settle",
)


def test_a_cell_can_begin_with_a_part_that_settled_on_a_link_of_an_arm(tmp_path):
    with wc.Cell.create(tmp_path / "a.cell") as cell:
        for line in ON_AN_ARM:
            cell.do(line)
        held = cell.state.attached["cube"]
        assert held.frame == "B/link 3"
        cell.do("keep state")
        assert "rides on link 3 of 'B'" in str(cell.do("show main/cube"))
        assert cell.state.attached["cube"].frame == held.frame
        assert cell.state.attached["cube"].X_frame_body.matrix == pytest.approx(held.X_frame_body.matrix)
        before = place(cell, "cube")
        cell.do("move-joints-relative B 0,-10,0,0,0,0")
        assert np.linalg.norm(place(cell, "cube") - before) > 10
        cell.do("reset")
        assert place(cell, "cube") == pytest.approx(before)
        assert cell.replayed().state == cell.state
    with wc.Cell.open(tmp_path / "a.cell") as again:
        assert place(again, "cube") == pytest.approx(before)
        again.do("undo")
        again.do("place cube at 0,500,20")
        again.do("keep state")
        assert "cube" not in again.state.attached


def test_a_stack_that_goes_with_something_is_refused_with_what_goes_with_what():
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560 joints 0,45,-170,0,35,0",
            "add conveyor belt 1000 at 0,-150,-650",
            "add solid tray box 60 60 20 at 500,-150,160 --movable",
            "add solid nut box 20 20 10 at 510,-150,175 --movable",
            "grip tray with A",
        ):
            cell.do(line)
        with pytest.raises(Refused, match="A holds tray, which is not possible in an initial state; release it first"):
            cell.do("keep state")
        cell.do("release tray --settle")
        with pytest.raises(
            Refused, match=r"nut stands on tray, which moves with something else[.] .*`place nut at X,Y,Z`"
        ):
            cell.do("keep state")
        cell.do("place nut at 0,500,5")
        cell.do("keep state")
        assert cell.state.attached["tray"].frame.startswith("belt/")


def test_a_part_on_the_hand_of_an_arm_is_no_way_to_begin():
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560 joints 0,45,-170,0,35,0",
            "create robot B puma560 at 500,-150,-1200 joints 0,90,-90,0,0,0",
            "add solid plate box 300 300 10 at 500,-150,900 --movable",
            "grip plate with A",
            "release plate --settle",
        ):
            cell.do(line)
        held = cell.state.attached.get("plate")
        assert held is not None
        assert held.frame.startswith("B/")
        with pytest.raises(Refused, match=r"plate lies on B/\S+( \S+)?, part of the hand of B|B holds plate"):
            cell.do("keep state")
