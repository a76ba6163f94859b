"""Transparency: a property of blocks, objects, robots and tools, in pictures, on the wire and in files."""

from __future__ import annotations

import dataclasses
import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, NotACell, WorkcellError
from workcell.pictures.scene import scene_of
from workcell.pictures.style import FAST
from workcell.service.painter import Painter
from workcell.service.shapes import Shapes
from workcell.world.database import Database
from workcell.world.text_form import from_text, to_text

PLAIN = dataclasses.replace(FAST, axes=False)


def built() -> wc.Cell:
    cell = wc.Cell()
    for line in (
        "add solid wall box 20 800 800 at 500,0,400 colour blue",
        "add solid post cylinder 100 600 at 0,0,300 colour red",
        "create robot Puma puma560 at -1500,0,0",
        "create block nozzle cylinder 9 300",
        "create tool torch",
        "attach nozzle to torch",
        "fit tool torch to Puma tcp 0,0,300",
    ):
        cell.do(line)
    return cell


def opacities(cell: wc.Cell) -> dict[str, set[float]]:
    found: dict[str, set[float]] = {}
    for body in cell.snapshot().bodies:
        found.setdefault(body.owner, set()).update(round(piece.opacity, 12) for piece in body.pieces)
    return found


def test_the_outermost_transparency_counts_and_nothing_else_changes() -> None:
    cell = built()
    assert set.union(*opacities(cell).values()) == {1.0}
    cell.do("modify wall-solid transparency 0.9")
    assert opacities(cell)["wall"] == {0.1}
    cell.do("modify wall transparency 0.6")
    assert opacities(cell)["wall"] == {0.4}
    cell.do("modify torch transparency 0.5")
    assert opacities(cell)["Puma"] == {0.5, 1.0}
    cell.do("modify Puma transparency 0.25")
    assert opacities(cell)["Puma"] == {0.75}
    assert opacities(cell)["post"] == {1.0}
    cell.do("add solid sight cone 400 900 at 0,0,1200 --ghost")
    assert opacities(cell)["sight"] == {0.3}
    cell.do("modify sight transparency 0")
    assert opacities(cell)["sight"] == {1.0}
    assert cell.snapshot().body("sight").ghost
    # What is seen through is touched as before.
    cell.do("add solid lid box 100 100 100 at 500,0,400 --movable")
    touched = wc.check(wc.collision_model(cell.snapshot()), cell.state).contacts
    assert ("lid", "wall") in {tuple(sorted(one.pair)) for one in touched}


def test_it_is_kept_as_every_property_is(tmp_path: Path) -> None:
    path = tmp_path / "glass.cell"
    with wc.Cell.create(path) as cell:
        cell.do("add solid wall box 20 800 800")
        before = cell.snapshot().hash
        cell.do("modify wall transparency 0.6")
        whole = cell.snapshot().hash
        assert whole != before
        cell.undo()
        assert cell.snapshot().hash == before
        cell.redo()
        assert cell.snapshot().hash == whole
        assert cell.replayed().snapshot().hash == whole
        text = to_text(cell.database)
    other = Database.memory()
    from_text(text, other)
    assert wc.Cell(other).snapshot().hash == whole
    merged = wc.Cell()
    merged.do(f'load "{path}" prefix left-')
    assert opacities(merged)["left-wall"] == {0.4}
    wrong = re.sub(r"(transparency\W+)0\.6", r"\g<1>1.6", text)
    assert wrong != text
    with pytest.raises(NotACell, match=r"transparency of .* must be from 0 to 1; found 1\.6"):
        from_text(wrong, Database.memory())


@pytest.mark.parametrize("value", ["-0.1", "1.01", "7"])
def test_more_than_all_is_refused(value: str) -> None:
    cell = built()
    with pytest.raises(InvalidValue, match=rf"transparency of 'wall' must be from 0 to 1; found {value}"):
        cell.do(f"modify wall transparency {value}")
    with pytest.raises(WorkcellError):
        cell.do("modify wall transparency much")


def test_a_picture_mixes_the_colours_by_how_opaque_they_are() -> None:
    """Along x the blue wall stands before the red post: what is seen there is a mixture of light, in the right shares."""
    cell = built()
    camera = wc.Camera((5.0, 0.0, 0.4), (0.0, 0.0, 0.4))

    def seen() -> np.ndarray:
        scene = scene_of(cell.snapshot(), cell.state, ["wall", "post"])
        image = wc.render(scene, camera, (65, 65), PLAIN)
        screen = image[32, 30].astype(float) / 255.0
        return np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)

    wall = seen()
    cell.do("modify wall transparency 1")
    post = seen()
    assert np.abs(wall - post).max() > 0.2
    for share in (0.2, 0.5, 0.8):
        cell.do(f"modify wall transparency {share}")
        found = seen()
        for low, value, high in zip(np.minimum(wall, post), found, np.maximum(wall, post), strict=True):
            assert low - 0.02 <= value <= high + 0.02
        clear = (found - wall) @ (post - wall) / ((post - wall) @ (post - wall))
        assert clear == pytest.approx(share, abs=0.03)


def test_which_wall_is_nearer_decides_whatever_the_order_in_the_cell() -> None:
    pictures = []
    for order in (("near", "far"), ("far", "near")):
        cell = wc.Cell()
        for name in order:
            x, colour = (400, "blue") if name == "near" else (-400, "red")
            cell.do(f"add solid {name} box 20 800 800 at {x},0,400 colour {colour}")
            cell.do(f"modify {name} transparency 0.4")
        scene = scene_of(cell.snapshot(), cell.state)
        pictures.append(wc.render(scene, wc.Camera((5.0, 0.0, 0.4), (0.0, 0.0, 0.4)), (33, 33), PLAIN))
    assert (pictures[0] == pictures[1]).all()
    red, _, blue = pictures[0][16, 14].astype(int)
    assert blue > red


def test_the_page_and_files_get_it(tmp_path: Path) -> None:
    cell = built()
    cell.do("modify wall transparency 0.6")
    painter = Painter(Shapes())
    painter.paint(cell.session)
    assert {body.name: body.pieces[0].opacity for body in painter.picture.bodies.values() if body.link < 0} == {
        "wall": pytest.approx(0.4),
        "post": 1.0,
    }
    cell.do("move-joints-relative Puma 5,0,0,0,0,0")
    cell.do(f'export-animation "{tmp_path / "run.glb"}" rate 2')
    cell.do(f'export solid scene:main "{tmp_path / "cell.glb"}"')
    cell.do(f'export solid object:wall "{tmp_path / "wall.glb"}"')
    for name, clear in (("run.glb", 1), ("cell.glb", 1), ("wall.glb", 1)):
        data = (tmp_path / name).read_bytes()
        (length,) = struct.unpack_from("<I", data, 12)
        materials = json.loads(data[20 : 20 + length])["materials"]
        seen = [one for one in materials if one.get("alphaMode") == "BLEND"]
        assert [one["pbrMetallicRoughness"]["baseColorFactor"][3] for one in seen] == [pytest.approx(0.4)] * clear


def test_a_robot_from_python_may_have_glass() -> None:
    glass = wc.Part(wc.solids.box(0.2, 0.2, 0.2), (0.5, 0.5, 0.5), transparency=0.7)
    arm = wc.Robot.from_dh([(0, 0.3, 0.2, 0)], "one", links=(wc.Link("base", (glass,)), wc.Link("link 1", (glass,))))
    cell = wc.Cell()
    cell.add_robot(arm, "A")
    assert opacities(cell)["A"] == {0.3}


def test_the_fingers_of_a_gripper_are_seen_through_with_it() -> None:
    cell = wc.Cell()
    for line in (
        "create robot Puma puma560",
        "create gripper hand",
        "modify hand opening 80",
        "modify hand reach 120",
        "fit tool hand to Puma",
        "modify hand transparency 0.5",
    ):
        cell.do(line)
    found = {body.name: {piece.opacity for piece in body.pieces} for body in cell.snapshot().bodies}
    assert found["Puma/right finger"] == found["Puma/left finger"] == found["Puma/hand"] == {0.5}
    assert found["Puma/link 6"] == {1.0}
    cell.do("modify Puma transparency 0.25")
    assert {piece.opacity for body in cell.snapshot().bodies for piece in body.pieces} == {0.75}
