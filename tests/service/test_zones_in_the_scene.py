"""Zones on the wire: what the page draws of them."""

from __future__ import annotations

import pytest

from workcell.commands.cell import Cell
from workcell.service.painter import Painter
from workcell.service.shapes import Shapes


def test_the_scene_message_has_the_zones_with_their_rules_and_shapes() -> None:
    with Cell() as cell:
        cell.do("add solid table box 500 500 20")
        cell.do("add zone gate box 300 300 600 at 200,-700,300")
        cell.do("add zone slow sphere 350 at 800,0,600 rule slow-down")
        shapes = Shapes()
        painter = Painter(shapes)
        painter.paint(cell.session)
        assert painter.picture is not None
        zones = list(painter.picture.zones.values())
        assert [(zone.name, zone.rule) for zone in zones] == [("gate", "keep out"), ("slow", "slow down")]
        assert zones[0].pose == pytest.approx([0.2, -0.7, 0.3, 1.0, 0.0, 0.0, 0.0])
        assert shapes.glb(zones[0].glb)[:4] == b"glTF"
        lines = [node for node in painter.picture.nodes.values() if node.kind == "zone"]
        assert [(node.id, node.name, node.note) for node in lines] == [
            (zones[0].id, "gate", "keep out"),
            (zones[1].id, "slow", "slow down"),
        ]
        cell.do("create zone empty")
        cell.do("place empty at 0,0,0")
        painter.paint(cell.session)
        assert not painter.picture.zones
