from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from hand_made import at, make_box, make_cylinder

from workcell.errors import InvalidValue, UnknownName
from workcell.pictures.render import render
from workcell.pictures.scene import Item, Line, Scene, moved, scene_of
from workcell.pictures.style import FAST
from workcell.pictures.triad import AXIS_COLOURS, arrow, axes_items, ball, with_frames


def body(name: str, owner: str, *pieces: tuple[object, tuple[float, float, float]]) -> SimpleNamespace:
    made = [
        SimpleNamespace(solid=SimpleNamespace(mesh=lambda mesh=mesh: mesh), colour=c, ghost=False, opacity=1.0)
        for mesh, c in pieces
    ]
    return SimpleNamespace(name=name, owner=owner, called=(name, owner), pieces=tuple(made))


HERE = SimpleNamespace(attached={}, shift=0.0)


@pytest.fixture
def snapshot() -> SimpleNamespace:
    box, rod = make_box(), make_cylinder()
    bodies = (
        body("Puma/base", "Puma", (box, (0.1, 0.2, 0.3)), (rod, (0.4, 0.5, 0.6))),
        body("Puma/link 1", "Puma", (rod, (0.4, 0.5, 0.6))),
        body("table", "table", (box, (0.7, 0.8, 0.9))),
        body("empty", "empty"),
    )
    poses = np.stack([at(i, 0, 0) for i in range(4)])
    return SimpleNamespace(bodies=bodies, body_poses=lambda state: poses + state.shift)


def test_a_scene_of_a_cell_has_every_piece_where_its_body_is(snapshot: SimpleNamespace) -> None:
    scene = scene_of(snapshot, HERE)  # type: ignore[arg-type]
    assert [item.name for item in scene] == ["Puma/base", "Puma/base", "Puma/link 1", "table"]
    assert [item.matrix[0, 3] for item in scene] == [0.0, 0.0, 1.0, 2.0]
    assert scene.items[1].colour == (0.4, 0.5, 0.6)
    some = scene_of(snapshot, HERE, only=["Puma"], colours=lambda name: (1, 0, 0) if "link" in name else None)  # type: ignore[arg-type]
    assert [item.colour for item in some] == [(0.1, 0.2, 0.3), (0.4, 0.5, 0.6), (1.0, 0.0, 0.0)]
    with pytest.raises(UnknownName, match="no body called 'Pumma'; did you mean Puma"):
        scene_of(snapshot, HERE, only=["Pumma"])  # type: ignore[arg-type]


def test_scenes_add_and_move() -> None:
    one = Scene((Item(make_box()),), (Line(np.array([[0, 0, 0], [2.0, 0, 0]])),))
    both = one + moved(one, at(0, 0, 5))
    assert len(both) == 2
    assert np.allclose(both.bounds, [[-0.5, -0.5, -0.5], [2.0, 0.5, 5.5]])
    with pytest.raises(InvalidValue, match="The scene is empty"):
        Scene().bounds
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.items = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        one.items[0].matrix[0, 0] = 2.0


def test_the_axes_of_a_frame_point_along_it() -> None:
    frame = at(1.0, 2.0, 3.0)
    frame[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    _, *arrows = axes_items(frame, 0.5)
    for axis, item in enumerate(arrows):
        assert item.colour == AXIS_COLOURS[axis]
        tip = item.points[np.argmax(np.linalg.norm(item.points - frame[:3, 3], axis=1))]
        assert np.allclose(tip, frame[:3, 3] + 0.5 * frame[:3, axis])
        assert np.linalg.det(item.matrix[:3, :3]) > 0.0
    assert len(with_frames(Scene(), [frame, frame])) == 8
    assert arrow().closed
    assert ball().closed
    assert arrow().area > 0.0


def test_the_triad_shows_red_green_and_blue_in_the_corner() -> None:
    item = Item(make_box(), colour=(0.5, 0.5, 0.5))
    image = render([item], "iso", (640, 480), FAST)
    plain = render([item], "iso", (640, 480), dataclasses.replace(FAST, axes=False))
    changed = (image != plain).any(axis=2)
    assert changed[400:, :80].any()
    assert not changed[:390].any()
    assert not changed[:, 90:].any()
    corner = image[400:, :80].astype(int)
    for channel in range(3):
        others = [c for c in range(3) if c != channel]
        assert (corner[..., channel] - corner[..., others].max(axis=2)).max() > 40
