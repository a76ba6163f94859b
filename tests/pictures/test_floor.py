from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workcell.pictures.camera import Camera
from workcell.pictures.floor import floor_of, grid_step
from workcell.pictures.shadows import sky_directions, sun_directions
from workcell.pictures.style import Style

BOUNDS = np.array([[-1.0, -2.0, 0.3], [2.0, 1.0, 1.5]])
SPOTS = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))


@given(st.floats(-3.0, 3.0), st.floats(0.1, 1.5), SPOTS, st.sampled_from(["perspective", "parallel"]), st.floats(-1, 1))
@settings(max_examples=60)
def test_a_pixel_of_the_floor_leads_back_to_its_point(
    azimuth: float, elevation: float, spot: tuple[float, float], projection: str, twist: float
) -> None:
    camera = Camera.around(BOUNDS, azimuth, elevation, 1.6, projection).twisted(twist)  # type: ignore[arg-type]
    floor = floor_of(Style(), camera, 160, 100, BOUNDS)
    assert floor.seen
    assert floor.height == 0.3
    x, y, forward = camera.project((*spot, 0.3), (160, 100))
    assume(forward > 0.1)
    u, v, w = floor.pixels_to_floor @ (x, y, 1.0)
    assert w > 0.0
    assert np.allclose((u / w, v / w) + floor.centre, spot, atol=1e-6)


def test_the_floor_is_where_it_is_asked_for_and_not_seen_from_below() -> None:
    above, below = Camera((0, -4, 2)), Camera((0, -4, -2))
    assert floor_of(Style(floor=-0.5), above, 10, 10, BOUNDS).height == -0.5
    assert floor_of(Style(grid=0.25), above, 10, 10, BOUNDS).step == 0.25
    assert floor_of(Style(grid=None), above, 10, 10, BOUNDS).step == 0.0
    assert not floor_of(Style(floor=None), above, 10, 10, BOUNDS).seen
    assert not floor_of(Style(), below, 10, 10, BOUNDS).seen
    assert not floor_of(Style(), Camera((0, -4, 1), (0, 0, 1), projection="parallel"), 10, 10, BOUNDS).seen


@given(st.floats(1e-4, 1e4))
def test_grid_steps_are_round_and_fit_the_scene(radius: float) -> None:
    step, major = grid_step(radius)
    assert radius / 10.5 <= step <= radius / 3.9
    assert step / 10.0 ** np.floor(np.log10(step * 1.0000001)) == pytest.approx(1.0) or major in (2.0, 5.0)


def test_directions_are_unit_and_above_the_ground() -> None:
    sky = sky_directions(64)
    assert np.allclose(np.linalg.norm(sky, axis=1), 1.0)
    assert sky[:, 2].min() > 0.1
    assert np.linalg.norm(sky[:, :2].mean(axis=0)) < 0.05  # from all around evenly
    sun = sun_directions(np.array([0.0, 0.0, 1.0]), 32)
    assert np.allclose(sun.mean(axis=0), (0, 0, 1), atol=0.01)
    assert sky_directions(0).shape == (0, 3)
