"""Commands behind sketches, booleans of things as they stand, drafts and joints of links."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidShape, InvalidValue, Refused

L_SHAPE = "contour (0,0) (100,0) (100,40) (40,40) (40,100) (0,100)"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        yield made


def sketched(cell: wc.Cell, name: str = "bracket", height: float = 20, at: str = "300,0,0") -> None:
    cell.do(f"create surface {name}-sketch {L_SHAPE}")
    cell.do(f"extrude {name} {name}-sketch {height}")
    cell.do(f"place {name} at {at}")


def test_sketches_are_read_back_as_they_were_drawn(cell):
    cell.do("create surface slot contour (0,0) (80,0) arc (90,10) (80,20) (0,20) arc (-10,10) (0,0) bore 5 at 40,10")
    cell.do("extrude key slot 8")
    cell.do("place key at 100,200,300 rotate 0,0,90")
    (sketch,) = cell.do("sketches key").sketches
    outer, bore = sketch.boundaries
    assert (sketch.made, sketch.surface, sketch.block, sketch.editable) == ("extrude", "slot", "key", True)
    assert np.allclose(outer.points, [(0, 0), (0.08, 0), (0.08, 0.02), (0, 0.02)])
    assert outer.via[0] is None
    assert outer.via[2] is None
    assert np.allclose([outer.via[1], outer.via[3]], [(0.09, 0.01), (-0.01, 0.01)])
    assert (bore.hole, bore.kind, bore.radius) == (True, "circle", 0.005)
    assert np.allclose(np.array(sketch.matrix)[:3, 3], (0.1, 0.2, 0.3))
    assert np.allclose(np.array(sketch.matrix)[:3, 0], (0, 1, 0))


def test_a_profile_is_drawn_upright(cell):
    cell.do("create surface profile contour (20,0) (60,0) (60,10)")
    cell.do("revolve hub profile")
    (sketch,) = cell.do("sketches hub").sketches
    assert sketch.direction is None
    assert np.allclose(np.array(sketch.matrix)[:3, 1], (0, 0, 1))


def test_a_sketch_inside_a_boolean_is_found_where_it_is(cell):
    sketched(cell)
    cell.do("add solid pin cylinder 10 60 at 320,20,0")
    cell.do("merge drilled difference of bracket of pin")
    (sketch,) = cell.do("sketches drilled").sketches
    assert sketch.block == "bracket"
    assert np.allclose(np.array(sketch.matrix)[:3, 3], (0.3, 0, 0))


def test_check_sketch_names_the_edges_that_cross(cell):
    assert "1 contour" in str(cell.do(f"check sketch {L_SHAPE}"))
    with pytest.raises(InvalidShape, match="crosses edge 4"):
        cell.do("check sketch contour (0,0) (100,0) (0,100) (100,100)")
    with pytest.raises(InvalidValue, match="outer contour"):
        cell.do("check sketch bore 5")


@pytest.mark.parametrize("turn", [0.0, 30.0])
def test_merge_works_on_objects_as_they_stand(cell, turn):
    cell.do(f"add solid plate box 200 100 20 at 500,100,50 rotate 0,0,{turn}")
    cell.do("add solid pin cylinder 10 60 at 500,100,50")
    plate, pin = 200 * 100 * 20, math.pi * 10**2 * 20
    cell.do("merge drilled difference of plate of pin")
    assert cell.do("measure drilled").volume * 1e9 == pytest.approx(plate - pin, rel=1e-9)
    assert np.allclose(np.array(cell.do("where drilled").matrix)[:3, 3], (0.5, 0.1, 0.05))
    cell.undo()
    cell.do("merge both union of plate of pin --keep-parts")
    assert cell.do("measure both").volume * 1e9 == pytest.approx(plate + math.pi * 10**2 * 40, rel=1e-9)
    assert {"plate", "pin", "both"} <= {row[1] for row in cell.do("list object").rows}


def test_merge_unites_the_blocks_of_an_object_first_and_keeps_what_stands_on_it(cell):
    cell.do("create block a box 100 100 100")
    cell.do("create object steps")
    cell.do("attach a to steps")
    cell.do("attach a to steps as high translate 50,0,50")
    cell.do("place steps at 0,0,50")
    cell.do("add target spot 0,0,100 on steps")
    cell.do("add solid bore cylinder 10 500 at 50,0,50 ")
    cell.do("merge part difference of steps of bore")
    whole = 2 * 100**3 - 50 * 100 * 50
    assert cell.do("measure part").volume * 1e9 == pytest.approx(
        whole - math.pi * 10**2 * 100 - math.pi * 10**2 * 50 / 2, rel=1e-6
    )
    assert np.allclose(np.array(cell.do("where spot").matrix)[:3, 3], (0, 0, 0.1))


def test_merge_refuses_one_thing_and_the_same_thing_twice(cell):
    cell.do("add solid plate box 200 100 20")
    with pytest.raises(InvalidValue, match="two objects"):
        cell.do("merge x union of plate")
    with pytest.raises(InvalidValue, match="only once"):
        cell.do("merge x union of plate of plate")


def test_a_draft_table_has_the_faults_of_each_row_and_the_frames_of_the_robot(cell):
    cell.do("draft robot arm 2")
    cell.do("draft turn arm 1 30 90")
    table = cell.do("draft-table arm")
    assert [row.faults for row in table.rows] == [("has no lengths",), ("has no frame", "has no lengths")]
    assert cell.do("drafts").names == ("arm",)
    for line in ("draft lengths arm 1 100 200", "draft turn arm 2 -40 0", "draft lengths arm 2 0 150"):
        cell.do(line)
    drawn = cell.do("draft-table arm").frames
    cell.do("finish robot arm")
    assert cell.do("drafts").names == ()
    tool = np.array(cell.do("where arm").matrix)
    assert np.allclose(drawn[-1], tool, atol=1e-12)


def test_a_slide_becomes_a_turn_again(cell):
    cell.do("draft robot arm 1")
    cell.do("draft slide arm 1 0 500")
    assert cell.do("draft-table arm").rows[0].prismatic
    cell.do("draft limits arm 1 -90 90")
    row = cell.do("draft-table arm").rows[0]
    assert not row.prismatic
    assert np.allclose(row.limits, (-math.pi / 2, math.pi / 2))


def test_a_finished_robot_is_drafted_again_and_takes_its_place(cell):
    cell.do("create robot two planar2r at 500,0,0")
    cell.do("draft copy other of two")
    cell.do("draft lengths other 2 0 1500")
    cell.do("finish robot other")
    cell.do("replace robot two with robot:other")
    cell.do("set joints two 0,0")
    assert np.allclose(np.array(cell.do("where two").matrix)[:3, 3], (3.0, 0, 0))
    cell.add_robot(wc.robot("planar2r").with_base(wc.Pose.from_xyz(0, 0, 0.5)), "raised")
    with pytest.raises(Refused, match="base or tool frame"):
        cell.do("draft copy again of raised")


def test_link_joints_are_listed_with_their_frames(cell):
    cell.do("add solid column cylinder 100 500 at 0,0,250")
    cell.do("add joint i fixed to column face bottom")
    cell.do("add joint i+1 revolute to column face top")
    first, second = cell.do("link-joints").joints
    assert (first.link, first.place, first.moves, second.place, second.moves) == (
        "column",
        "i",
        "fixed",
        "i+1",
        "revolute",
    )
    assert np.allclose(np.array(second.matrix)[:3, 3], (0, 0, 0.25))
    cell.do("add solid beam box 400 80 80 at 0,500,40")
    cell.do("add joint i revolute to beam at -200,0,-40 turns -90,90")
    cell.do("assemble robot crane of column of beam --take-out")
    assert {body.owner for body in cell.snapshot().bodies} == {"crane"}
    cell.undo()
    assert {body.owner for body in cell.snapshot().bodies} == {"column", "beam"}
