"""Zones on the wire: what the page draws of them."""

from __future__ import annotations

import json

import pytest

from workcell.commands.cell import Cell
from workcell.service.shapes import Shapes
from workcell.service.view import take


def test_the_scene_message_has_the_zones_with_their_rules_and_shapes() -> None:
    with Cell() as cell:
        cell.do("add solid table box 500 500 20")
        cell.do("add zone gate box 300 300 600 at 200,-700,300")
        cell.do("add zone slow sphere 350 at 800,0,600 rule slow-down")
        shapes = Shapes()
        scene = json.loads(take(cell.session, shapes, 1).scene)
        assert [(zone["name"], zone["rule"]) for zone in scene["zones"]] == [
            ("gate", "keep out"),
            ("slow", "slow down"),
        ]
        assert scene["zones"][0]["pose"] == pytest.approx([0.2, -0.7, 0.3, 1.0, 0.0, 0.0, 0.0])
        assert shapes.glb(scene["zones"][0]["glb"])[:4] == b"glTF"
        (group,) = [node for node in scene["tree"] if node["id"] == "zones"]
        assert [(node["id"], node["note"]) for node in group["children"]] == [
            ("zone/gate", "keep out"),
            ("zone/slow", "slow down"),
        ]
        cell.do("create zone empty")
        cell.do("place empty at 0,0,0")
        assert json.loads(take(cell.session, shapes, 2).scene)["zones"] == []
