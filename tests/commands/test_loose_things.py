"""What stands nowhere and is part of nothing is listed, until it is used, and again when that is undone."""

from __future__ import annotations

import workcell as wc


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
