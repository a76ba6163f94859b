from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from workcell.errors import InvalidValue, UnknownName
from workcell.pictures.camera import ALIASES, NAMED_VIEWS, Camera, field_of_screen

CLOUDS = hnp.arrays(np.float64, (7, 3), elements=st.floats(-3.0, 3.0))
ANGLES = st.floats(-3.1, 3.1)
LAWS = settings(derandomize=True, deadline=None, max_examples=60)
SIZE = (160, 90)


@pytest.mark.parametrize(
    ("name", "right", "up"),
    [
        ("front", (1, 0, 0), (0, 0, 1)),
        ("back", (-1, 0, 0), (0, 0, 1)),
        ("right", (0, 1, 0), (0, 0, 1)),
        ("left", (0, -1, 0), (0, 0, 1)),
        ("top", (1, 0, 0), (0, 1, 0)),
        ("bottom", (1, 0, 0), (0, -1, 0)),
        ("XZ", (1, 0, 0), (0, 0, 1)),
        ("side", (0, 1, 0), (0, 0, 1)),
        ("yz", (0, 1, 0), (0, 0, 1)),
        ("xy", (1, 0, 0), (0, 1, 0)),
    ],
)
def test_a_square_on_view_shows_its_plane(name: str, right: tuple[int, ...], up: tuple[int, ...]) -> None:
    camera = Camera.named(name, [(-1, -1, -1), (1, 1, 1)])
    assert camera.projection == "parallel"
    assert np.allclose(camera.rotation[0], right)
    assert np.allclose(-camera.rotation[1], up)


def test_an_isometric_view_sees_three_axes_equally_long() -> None:
    camera = Camera.named("iso", [(-1, -1, -1), (1, 1, 1)], projection="parallel")
    ends = camera.project([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], SIZE)[:, :2]
    lengths = np.linalg.norm(ends[1:] - ends[0], axis=1)
    assert np.allclose(lengths, lengths[0])
    assert ends[3, 1] < ends[0, 1]  # z is up


@given(CLOUDS, ANGLES, st.floats(-1.5, 1.5), st.floats(0.3, 3.0), st.sampled_from(["perspective", "parallel"]))
@LAWS
def test_fit_shows_everything_and_nothing_more(
    cloud: np.ndarray, azimuth: float, elevation: float, aspect: float, projection: str
) -> None:
    camera = Camera.around(cloud, azimuth, elevation, aspect, projection, margin=0.1)  # type: ignore[arg-type]
    width, height = 1000.0 * aspect, 1000.0
    seen = camera.project(cloud, (width, height))  # type: ignore[arg-type]
    assert (seen[:, 2] > 0.0).all()
    share = np.abs(seen[:, :2] / (width, height) - 0.5).max()
    assert share <= 0.4 + 1e-6
    if np.ptp(cloud, axis=0).min() > 0.5:
        assert share >= 0.4 - 1e-6  # two opposite sides are touched


@given(ANGLES, st.floats(-1.5, 1.5), ANGLES)
@LAWS
def test_the_rotation_is_a_rotation_and_the_target_is_in_the_middle(a: float, e: float, twist: float) -> None:
    eye = (3 * math.cos(e) * math.cos(a), 3 * math.cos(e) * math.sin(a), 3 * math.sin(e))
    camera = Camera(eye, (0.2, -0.1, 0.3), twist)
    assert np.allclose(camera.rotation @ camera.rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(camera.rotation) == pytest.approx(1.0)
    assert np.allclose(camera.project(camera.target, SIZE), (80.0, 45.0, camera.distance))
    world = np.append((0.7, 0.8, 0.9), 1.0)
    assert np.allclose((camera.matrix @ world)[:3], camera.rotation @ (world[:3] - camera.eye))


def test_zoom_enlarges_everything_by_its_factor() -> None:
    for projection in ("perspective", "parallel"):
        camera = Camera((3.0, -2.0, 1.0), projection=projection)  # type: ignore[arg-type]
        points = np.random.default_rng(1).normal(size=(5, 3)) * 0.3
        before = camera.project(points, SIZE)[:, :2] - (80, 45)
        after = camera.zoom(2.5).project(points, SIZE)[:, :2] - (80, 45)
        assert np.allclose(after, 2.5 * before)


def test_a_positive_twist_turns_the_picture_clockwise() -> None:
    camera = Camera.named("front", [(-1, -1, -1), (1, 1, 1)])
    x, y, _ = camera.twisted(math.pi / 2).project((0.0, 0.0, 0.5), SIZE)
    assert x > 80.5
    assert y == pytest.approx(45.0)


def test_orbit_keeps_the_distance_and_adds_up() -> None:
    camera = Camera((2.0, 1.0, 0.5), (0.1, 0.2, 0.3))
    there = camera.orbit(0.4, 0.2)
    assert there.distance == pytest.approx(camera.distance)
    assert np.allclose(there.orbit(-0.4, -0.2).eye, camera.eye)
    assert camera.orbit(0.0, 9.0).rotation[2] == pytest.approx([0, 0, -1], abs=1e-12)


def test_two_points_are_the_corners_of_a_box() -> None:
    box = Camera.named("iso", [(0, 0, 0), (1, 2, 3)])
    corners = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
    assert box == Camera.named("iso", corners)


def test_the_field_of_a_screen_is_that_of_equation_3_17() -> None:
    field = field_of_screen(2.0, 1.0)
    camera = Camera((0, -1, 0), field=field)
    y, z = 0.5, 1.0  # on the border: y·D/S = z
    edge = camera.project((0.0, 0.0, y), (100, 100))
    assert edge[1] == pytest.approx(0.0)
    assert z * 1.0 == pytest.approx(y * 2.0 / 1.0)


def test_names_are_known_and_values_are_frozen() -> None:
    assert set(ALIASES.values()) <= set(NAMED_VIEWS)
    camera = Camera((1, 0, 0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        camera.eye = (0, 0, 1)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        camera.rotation[0, 0] = 5.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Camera((1, 2, 3), (1, 2, 3)), r"cannot look at the point where it is, \(1, 2, 3\)"),
        (lambda: Camera((math.nan, 0, 0)), "The point to look from must be finite"),
        (lambda: Camera((0, 0)), r"must have shape \(3,\)"),
        (lambda: Camera((1, 0, 0), field=math.pi), "field of view .* must be more than 0 and less than π; found 3.14"),
        (lambda: Camera((1, 0, 0), height=0.0), "height of a parallel view .* must be more than 0; found 0.0"),
        (lambda: Camera((1, 0, 0), twist=math.inf), "twist .* must be finite"),
        (lambda: Camera((1, 0, 0), near=-1.0), "near distance .* must not be negative"),
        (lambda: Camera((1, 0, 0)).zoom(0.0), "A zoom must be more than 0"),
        (lambda: Camera((1, 0, 0)).fit(np.empty((0, 3))), "n at least 1"),
        (lambda: Camera((1, 0, 0)).fit([(0, 0, math.nan)]), "must be finite"),
        (lambda: Camera((1, 0, 0)).fit("abc"), "numbers of shape"),
        (lambda: Camera((1, 0, 0)).fit([(0, 0, 0)], aspect=0.0), "aspect of an image"),
        (lambda: Camera((1, 0, 0)).fit([(0, 0, 0)], margin=0.6), "margin of a view"),
        (lambda: field_of_screen(0.0, 1.0), "must be more than 0"),
    ],
)
def test_bad_cameras_are_refused_with_a_sentence(make: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()  # type: ignore[operator]


def test_unknown_views_name_the_closest() -> None:
    with pytest.raises(UnknownName, match=r"no view called 'frnt'; did you mean front"):
        Camera.named("frnt", [(0, 0, 0), (1, 1, 1)])
    with pytest.raises(UnknownName, match="projection"):
        Camera((1, 0, 0), projection="fisheye")  # type: ignore[arg-type]
