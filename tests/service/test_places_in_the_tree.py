"""Targets, frames and paths have lines in the tree of the page, so that its search finds them."""

from __future__ import annotations

import workcell as wc
from workcell.service.painter import Painter
from workcell.service.shapes import Shapes


def lines(painter):
    return sorted(
        (node.kind, node.name, node.note)
        for node in painter.picture.nodes.values()
        if node.kind in ("target", "frame", "path")
    )


def test_targets_frames_and_paths_appear_follow_a_rename_and_go():
    with wc.Cell() as cell:
        painter = Painter(Shapes())
        cell.do("add target pick 100,0,0")
        cell.do("add frame fixture 400,0,250")
        cell.do("targets grid 2x1 to spots pitch 200,150 at 0,0,100")
        painter.paint(cell.session)
        assert lines(painter) == [
            ("frame", "fixture", ""),
            ("path", "spots", "2 targets"),
            ("target", "pick", ""),
            ("target", "spots-1", ""),
            ("target", "spots-2", ""),
        ]
        before = {node.name: one for one, node in painter.picture.nodes.items()}
        cell.do("modify target:pick name take")
        cell.do("remove frame:fixture --deep")
        painter.paint(cell.session)
        assert [name for _, name, _ in lines(painter)] == ["spots", "spots-1", "spots-2", "take"]
        assert painter.picture.nodes[before["pick"]].name == "take"


def test_a_mechanism_is_known_as_one_because_commands_name_it_so():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do("add rail track 3000")
        painter = Painter(Shapes())
        painter.paint(cell.session)
        assert {one.name: one.mechanism for one in painter.picture.robots.values()} == {"Puma": False, "track": True}
