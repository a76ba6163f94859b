"""A scene cut open by a plane: nothing is left before it, and what was closed stays closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from workcell.pictures.scene import Item, Scene
from workcell.pictures.section import cut

PLANES = [((0, 0, 0.03), (0, 0, 1)), ((0, 0.01, 0), (0, 1, 0)), ((0, 0.01, 0), (1, 1, 0.5)), ((0, 0, 0), (-1, 2, 3))]


def corners(scene: Scene) -> np.ndarray:
    """(n, 3, 3) the corners of all triangles in the world."""
    return np.concatenate([item.points[item.mesh.triangles] for item in scene.items])


@pytest.mark.parametrize(("point", "normal"), PLANES)
def test_a_cut_solid_is_closed_lies_behind_the_plane_and_both_parts_have_the_whole_volume(point, normal) -> None:
    solid = wc.solids.box(0.2, 0.2, 0.2) - wc.solids.cylinder(0.05, 0.5)
    turn = wc.Pose.from_xyz_angles((0.03, 0, 0.01), (0.2, 0.3, -0.4), "xyz_intrinsic").matrix
    whole = Scene((Item(solid.mesh(1e-4), turn),))
    n = np.asarray(normal) / np.linalg.norm(normal)
    volumes = []
    for way in (n, -n):
        t = corners(cut(whole, point, tuple(way)))
        assert ((t - point) @ way).min() > -1e-8
        areas = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]) / 2
        assert np.abs(areas.sum(axis=0)).max() < 1e-7  # the area vectors of a closed surface add up to nothing
        volumes.append((t[:, 0] * np.cross(t[:, 1], t[:, 2])).sum() / 6)
    t = corners(whole)
    assert sum(volumes) == pytest.approx((t[:, 0] * np.cross(t[:, 1], t[:, 2])).sum() / 6, rel=1e-6)


def test_a_plane_beside_a_solid_leaves_all_of_it_or_nothing() -> None:
    whole = Scene((Item(wc.solids.box(1, 1, 1).mesh()),))
    assert cut(whole, (0, 0, -2), (0, 0, 1)).items[0] is whole.items[0]
    assert cut(whole, (0, 0, 2), (0, 0, 1)).items == ()


def test_a_view_keeps_its_style_what_it_hides_and_its_cut_and_a_sheet_follows_names(tmp_path: Path) -> None:
    cell = wc.Cell()
    cell.do("add solid cube box 400 400 400 at 800,0,200")
    cell.do("add solid ball sphere 150 at 800,-600,150")
    cell.do("look close from 3000,-2500,1800 at 400,0,300 cut 0,50,0 along 0,2,0 shadows no grid no axes no edges none")
    cell.do("look plan top as hidden-line hiding ball")
    cell.do("look sheet of close,plan,front")
    cell.do("modify plan name above")
    cell.do("modify ball name egg")
    rows = {row.name: row for row in cell.do("views").views}
    close, above = rows["close"], rows["above"]
    assert close.cut == (0.0, 0.05, 0.0)
    assert close.along == (0.0, 1.0, 0.0)
    assert (close.shadows, close.grid, close.axes, close.edges) == (False, False, False, "none")
    assert above.hides == ["egg"]
    assert rows["sheet"].views == ["close", "above", "front"]
    picture = tmp_path / "sheet.png"
    cell.do(f"render {picture} sheet size 600 400")
    assert picture.read_bytes()[1:4] == b"PNG"
    cell.do("look close --whole")
    cell.do('look above hiding ""')
    rows = {row.name: row for row in cell.do("views").views}
    assert rows["close"].cut is None
    assert rows["above"].hides == []
    cell.undo()
    assert {row.name: row for row in cell.do("views").views}["above"].hides == ["egg"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("look close hiding nobody", "nobody"),
        ("look close cut 0,0,0 along 0,0,0", "0,0,0"),
        ("look close cut 0,0,0 along 1,0,0 --whole", "--whole"),
        ("look sheet of sheet", "sheet"),
    ],
)
def test_a_wrong_view_is_refused_and_nothing_changes(line: str, reason: str) -> None:
    cell = wc.Cell()
    cell.do("look close iso")
    cell.do("look sheet of close")
    before = cell.do("views")
    with pytest.raises(wc.WorkcellError, match=reason):
        cell.do(line)
    assert cell.do("views") == before


def test_lamps_lists_what_lights_the_scene() -> None:
    cell = wc.Cell()
    assert cell.do("lamps").lamps == []
    for line in ("create light lamp", "place light lamp at 2000,0,1500", "modify lamp brightness 1.5"):
        cell.do(line)
    (lamp,) = cell.do("lamps").lamps
    assert (lamp.name, lamp.brightness, lamp.ambient, lamp.position) == ("lamp", 1.5, False, (2.0, 0.0, 1.5))
