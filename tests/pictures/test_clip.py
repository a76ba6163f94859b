from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from workcell.pictures.camera import Camera
from workcell.pictures.clip import clip_segments, clip_triangles, frustum_planes

LAWS = settings(derandomize=True, deadline=None, max_examples=80)
NUMBERS = st.floats(-2.0, 2.0)
TRIANGLES = hnp.arrays(np.float64, (6, 3, 3), elements=NUMBERS)
PLANES = hnp.arrays(np.float64, (4,), elements=NUMBERS).filter(lambda p: np.linalg.norm(p[:3]) > 0.1)


def crosses(corners: np.ndarray) -> np.ndarray:
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0


@given(TRIANGLES, PLANES)
@LAWS
def test_the_two_sides_of_a_plane_make_up_the_triangle(corners: np.ndarray, plane: np.ndarray) -> None:
    total = np.zeros((6, 3))
    for side in (plane, -plane):
        pieces, parent = clip_triangles(corners, side[None])
        assert (pieces @ side[:3] + side[3] >= -1e-9).all()
        np.add.at(total, parent, crosses(pieces))  # as vectors: the winding is kept too
    assert np.allclose(total, crosses(corners), atol=1e-9)


@given(hnp.arrays(np.float64, (6, 2, 3), elements=NUMBERS), PLANES)
@LAWS
def test_the_two_sides_of_a_plane_make_up_the_segment(ends: np.ndarray, plane: np.ndarray) -> None:
    total = np.zeros((6, 3))
    for side in (plane, -plane):
        pieces, parent = clip_segments(ends, side[None])
        assert (pieces @ side[:3] + side[3] >= -1e-9).all()
        np.add.at(total, parent, pieces[:, 1] - pieces[:, 0])
    flat = (ends @ plane[:3] + plane[3] == 0.0).all(axis=1)  # in the plane it counts for both sides
    assert np.allclose(total[~flat], (ends[:, 1] - ends[:, 0])[~flat], atol=1e-9)


@given(TRIANGLES)
@LAWS
def test_what_the_frustum_keeps_lands_on_the_image(corners: np.ndarray) -> None:
    for projection in ("perspective", "parallel"):
        camera = Camera((0.3, 0.2, -4.0), projection=projection, near=0.5)  # type: ignore[arg-type]
        lens = camera.lens(100, 60)
        pieces, _ = clip_triangles(corners @ camera.rotation.T, frustum_planes(lens, 50.0, 30.0))
        z = pieces[..., 2:] if lens.perspective else 1.0
        xy = lens.scale * pieces[..., :2] / z
        assert (np.abs(xy) <= np.array([50.0, 30.0]) * (1 + 1e-9)).all()
        assert (pieces[..., 2] >= 0.5 * (1 - 1e-12)).all()


def test_whole_and_hidden_triangles_are_kept_and_dropped() -> None:
    inside = np.array([[[0, 0, 1], [1, 0, 1], [0, 1, 1]]], dtype=float)
    pieces, parent = clip_triangles(np.concatenate([inside, -inside]), np.array([[0.0, 0.0, 1.0, 0.0]]))
    assert np.array_equal(pieces, inside)
    assert parent.tolist() == [0]
    nothing, parents = clip_triangles(np.empty((0, 3, 3)), np.array([[0.0, 0.0, 1.0, 0.0]]))
    assert nothing.shape == (0, 3, 3)
    assert parents.shape == (0,)
