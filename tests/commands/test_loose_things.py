"""What stands nowhere and is part of nothing is listed, until it is used, and again when that is undone."""

from __future__ import annotations

import numpy as np

import workcell as wc
from workcell.commands.loose_things import LooseShapeRow
from workcell.geometry.glb_hash import glb_hash


def loose(cell: wc.Cell) -> set[str]:
    return {f"{one.kind}:{one.name}" for one in cell.do("loose").things}


def test_what_nothing_uses_is_loose_until_it_is_used():
    with wc.Cell() as cell:
        cell.do("add solid table box 400 400 40")
        cell.do("create robot Puma puma560")
        assert loose(cell) == set()
        cell.do("create surface square contour (0,0) (100,0) (100,100) (0,100)")
        cell.do("create block cube")
        cell.do("draft robot arm 2")
        assert loose(cell) == {"surface:square", "block:cube", "robot:arm"}
        cell.do("attach square to cube as side rotate 90,0,0")
        assert loose(cell) == {"block:cube", "robot:arm"}
        cell.do("undo")
        assert loose(cell) == {"surface:square", "block:cube", "robot:arm"}


def test_a_placed_block_is_loose_no_more_and_a_patch_never_is():
    with wc.Cell() as cell:
        cell.do('create block "spare part" box 40 40 40')
        cell.do("create patch sheet (0,0,0) (0,50,0) (0,100,0) row (50,0,0) (50,50,40) (50,100,0)")
        assert str(cell.do("loose")) == '1 loose thing\n  block:"spare part"'
        cell.do('place block:"spare part" at 0,0,0')
        assert loose(cell) == set()
        assert "spare part" in {body.name for body in cell.snapshot().bodies}


def shapes(cell: wc.Cell, line: str = "loose-shapes") -> dict[str, LooseShapeRow]:
    names = {one.id: one.name for one in cell.do("loose").things}
    return {names[one.id]: one for one in cell.do(line).shapes}


def test_what_is_loose_has_its_shape_in_its_own_frame_and_says_whether_it_can_be_placed():
    with wc.Cell() as cell:
        for line in (
            "create surface plate contour (0,0) (100,0) (100,60) (0,60) hole (20,20) (40,20) (40,40)",
            "create block spare box 40 40 40 colour red",
            "create object pair",
            "attach spare to pair as left translate -50,0,0",
            "attach spare to pair as right translate 50,0,0",
            "create block alone cylinder 10 30",
            "modify alone transparency 0.5",
            "create object empty",
        ):
            cell.do(line)
        found = shapes(cell)
        assert set(found) == {"plate", "pair", "alone", "empty"}
        ((outline, hole),) = found["plate"].patches[0].regions
        assert outline == [(0, 0), (0.1, 0), (0.1, 0.06), (0, 0.06)]
        assert len(hole) == 3
        assert not found["plate"].placeable
        assert [piece.colour for piece in found["pair"].pieces] == [(0.8, 0.2, 0.18)] * 2
        assert found["pair"].pieces[0].glb != found["pair"].pieces[1].glb, "they stand elsewhere in it"
        assert found["alone"].pieces[0].opacity == 0.5
        assert found["alone"].placeable
        assert (found["empty"].pieces, found["empty"].note) == ([], "it has no shape")


def test_the_hash_of_a_loose_shape_is_that_of_the_placed_one_and_changes_with_its_sizes():
    with wc.Cell() as cell:
        cell.do("create block spare box 40 40 40")
        before = shapes(cell)["spare"].pieces[0].glb
        cell.do("modify spare shape box 40 40 50")
        (after,) = shapes(cell)["spare"].pieces
        assert after.glb != before
        cell.do("place spare at 0,0,0")
        (body,) = cell.snapshot().bodies
        assert glb_hash(body.pieces[0].solid) == after.glb


def test_a_block_whose_surfaces_do_not_close_has_its_surfaces():
    with wc.Cell() as cell:
        cell.do("create surface square contour (0,0) (100,0) (100,100) (0,100)")
        cell.do("create block cube")
        assert shapes(cell)["cube"].note == "it has no shape"
        cell.do("attach square to cube as front rotate 90,0,0")
        cube = shapes(cell)["cube"]
        assert (cube.pieces, cube.note, cube.placeable) == ([], "", True)
        assert np.allclose(np.array(cube.patches[0].matrix)[:3, 1], (0, 0, 1), atol=1e-12)


def test_a_tool_has_its_hand_and_a_robot_its_links_and_its_tool():
    with wc.Cell() as cell:
        cell.do("create tool fingers two-finger-140")
        cell.do("create tool bare")
        cell.do("create robot Puma puma560")
        fingers = len(shapes(cell)["fingers"].pieces)
        assert fingers >= 3, "a palm and two fingers"
        assert shapes(cell)["bare"].note == "it has no shape"
        for fitted in (False, True):
            if fitted:
                cell.do("undo")
                cell.do("fit tool fingers to Puma")
            drawn = sum(len(body.pieces) for body in cell.snapshot().bodies)
            cell.do("detach main/Puma")
            puma = shapes(cell)["Puma"]
            assert puma.placeable
            assert len(puma.pieces) == drawn, "as it is drawn where it stands, hand included"


def test_a_draft_has_the_solids_of_its_links_at_home():
    with wc.Cell() as cell:
        cell.do("draft robot arm 1")
        cell.do("draft lengths arm 1 500 0")
        assert shapes(cell)["arm"].note == "it has no shape"
        cell.do("create block pin cylinder 10 100")
        cell.do("assign link arm 1 pin")
        arm = shapes(cell)["arm"]
        assert len(arm.pieces) == 1
        assert not arm.placeable


def test_of_many_loose_things_the_newest_have_their_shapes_and_the_one_that_is_asked_for():
    with wc.Cell() as cell:
        for number in range(130):
            cell.do(f"create block b{number} box 10 10 10")
        answer = cell.do("loose-shapes")
        assert (len(answer.shapes), answer.left_out) == (100, 30)
        assert str(answer) == "100 shapes; 30 loose things left out"
        assert "b5" not in shapes(cell)
        assert list(shapes(cell, "loose-shapes with b5")) == ["b5", *(f"b{number}" for number in range(30, 130))]
        assert len(shapes(cell, "loose-shapes with b100")) == 100


def test_an_answer_that_is_known_is_not_given_again():
    with wc.Cell() as cell:
        cell.do("create block spare box 40 40 40")
        listed, drawn = cell.do("loose"), cell.do("loose-shapes")
        cell.do("add solid table box 400 400 40")
        again, redrawn = cell.do(f"loose unless {listed.digest}"), cell.do(f"loose-shapes unless {drawn.digest}")
        assert (again.things, again.digest, str(again)) == ([], listed.digest, "unchanged")
        assert (redrawn.shapes, redrawn.digest, str(redrawn)) == ([], drawn.digest, "unchanged")
        cell.do("modify spare colour red")
        assert cell.do(f"loose unless {listed.digest}").digest == listed.digest
        assert cell.do(f"loose-shapes unless {drawn.digest}").shapes[0].pieces[0].colour == (0.8, 0.2, 0.18)
        cell.do("modify spare name other")
        assert [one.name for one in cell.do(f"loose unless {listed.digest}").things] == ["other"]
