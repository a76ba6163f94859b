"""Hidden surfaces: the compiled kernels, their plain twin, and rays shot through every pixel agree."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hand_made import at, make_box, make_cylinder, make_sphere
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from workcell.pictures import raster_compiled, raster_numpy
from workcell.pictures.camera import Camera
from workcell.pictures.scratch import Scratch
from workcell.pictures.stage import BOTH, FRONT, Cast, Stage
from workcell.pictures.surface import mesh_table

WIDTH, HEIGHT = 48, 32
ENGINES = [raster_compiled, raster_numpy]


def cast_of(engine: object, meshes: list, matrices: list, camera: Camera, draw: int = BOTH) -> Cast:
    stage = Stage(engine, Scratch(), mesh_table(meshes), np.array(matrices))
    sides = np.full(len(meshes), draw, dtype=np.uint8)
    return stage.cast(camera.matrix, camera.lens(WIDTH, HEIGHT), WIDTH, HEIGHT, sides)


def drawn(engine: object, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles given on the image (m, 3, 3) as x, y, d: depth and ids."""
    count = len(corners)
    depth = np.full((HEIGHT, WIDTH), -np.inf, dtype=np.float32)
    ids = np.full((HEIGHT, WIDTH), -1, dtype=np.int32)
    screen = corners.reshape(-1, 3).copy()
    screen[:, :2] = np.floor(screen[:, :2] * 256 + 0.5) / 256
    engine.raster(  # type: ignore[attr-defined]
        screen, np.zeros(3 * count, np.uint8), np.arange(3 * count, dtype=np.int32).reshape(-1, 3),
        np.arange(count, dtype=np.int32), np.zeros(count, np.int32), np.array([BOTH], np.uint8), np.ones(1),
        depth, ids, np.zeros((count, 3)), np.zeros(count, np.int8), False, depth,
    )  # fmt: skip
    return depth, ids


COORDINATES = st.floats(-20.0, 60.0) | st.integers(-20, 60).map(lambda n: n / 2.0)


@given(hnp.arrays(np.float64, (5, 3, 3), elements=COORDINATES))
@settings(max_examples=80)
def test_both_engines_cover_the_same_pixels_at_the_same_depth(corners: np.ndarray) -> None:
    (depth, ids), (twin_depth, twin_ids) = (drawn(engine, corners) for engine in ENGINES)
    assert np.array_equal(ids, twin_ids)
    assert np.array_equal(depth, twin_depth)


@given(hnp.arrays(np.float64, (5, 2), elements=COORDINATES), st.integers(3, 9))
@settings(max_examples=60)
def test_triangles_that_share_edges_leave_no_gap_and_do_not_overlap(inner: np.ndarray, count: int) -> None:
    """A fan about a point inside a large square covers every pixel exactly once, wherever the point falls."""
    middle = np.clip(inner[0], 4.0, 28.0)
    turn = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    rim = middle + 300.0 * np.column_stack([np.cos(turn), np.sin(turn)])
    for engine in ENGINES:
        times = np.zeros((HEIGHT, WIDTH), dtype=int)
        for i in range(count):
            flat = np.array([middle, rim[i], rim[(i + 1) % count]])
            _, ids = drawn(engine, np.column_stack([flat, np.ones(3)])[None])
            times += ids >= 0
        assert (times == 1).all()


@given(st.integers(4, 24), st.integers(4, 24), st.integers(2, 12), st.sampled_from([0.0, 0.25, 0.5, 1 / 256]))
@settings(max_examples=60)
def test_small_triangles_share_the_pixels_on_their_edges(x: int, y: int, half: int, shift: float) -> None:
    """A small square cut in four at its middle, with pixel centres on the cuts: each is covered once."""
    middle, reach = np.array([x + shift, y + shift]), half / 2.0
    rim = middle + reach * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    row, column = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    far = np.maximum(np.abs(column - middle[0]), np.abs(row - middle[1]))
    counts = []
    for engine in ENGINES:
        times = np.zeros((HEIGHT, WIDTH), dtype=int)
        for i in range(4):
            flat = np.array([middle, rim[i], rim[(i + 1) % 4]])
            times += drawn(engine, np.column_stack([flat, np.ones(3)])[None])[1] >= 0
        assert (times[far < reach] == 1).all()
        assert (times[far > reach] == 0).all()
        assert times.max() <= 1
        counts.append(times)
    assert np.array_equal(*counts)  # on the rim too


def shot(points: np.ndarray, triangles: np.ndarray, camera: Camera) -> np.ndarray:
    """Distance forward to the nearest triangle through each pixel's centre, by solving for the crossing."""
    lens = camera.lens(WIDTH, HEIGHT)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    u, v = (x - WIDTH / 2) / lens.scale, (y - HEIGHT / 2) / lens.scale
    zero, one = np.zeros_like(u), np.ones_like(u)
    start = np.stack([zero, zero, zero] if lens.perspective else [u, v, zero], axis=-1)
    ray = np.stack([u, v, one] if lens.perspective else [zero, zero, one], axis=-1)
    p = (points - camera.eye) @ camera.rotation.T
    nearest = np.full((HEIGHT, WIDTH), np.inf)
    for a, b, c in p[triangles]:
        e, f = b - a, c - a
        cross = np.cross(ray, f)
        det = cross @ e
        with np.errstate(divide="ignore", invalid="ignore"):
            s = np.einsum("ijk,ijk->ij", start - a, cross) / det
            q = np.cross(start - a, e)
            t = np.einsum("ijk,ijk->ij", ray, q) / det
            z = q @ f / det
        hit = (np.abs(det) > 1e-12) & (s >= 0) & (t >= 0) & (s + t <= 1) & (z > lens.near)
        nearest = np.where(hit & (z < nearest), z, nearest)
    return nearest


CAMERAS = {
    "outside": Camera((2.5, -3.0, 2.0), (0.1, 0.0, 0.2)),
    "parallel": Camera((2.5, -3.0, 2.0), (0.1, 0.0, 0.2), projection="parallel", height=2.4),
    "twisted": Camera((2.5, -3.0, 2.0), (0.1, 0.0, 0.2), twist=0.7),
    "inside the box": Camera((0.1, -0.05, 0.1), (1.0, 0.4, 0.2), field=1.9, near=0.02),
    "through a wall": Camera((0.9, 0.0, 0.0), (0.0, 0.1, 0.05), field=1.6, near=0.45),
}


@pytest.mark.parametrize("engine", ENGINES, ids=["compiled", "numpy"])
@pytest.mark.parametrize("name", CAMERAS)
def test_depth_is_what_a_ray_meets_first(engine: object, name: str) -> None:
    meshes = [make_box(), make_cylinder(0.2, 1.6), make_sphere(0.3)]
    matrices = [np.eye(4), at(0.2, 0.1, 0.3), at(0.7, -0.6, 0.0) @ np.diag([1.0, 1.5, -0.8, 1.0])]
    camera = CAMERAS[name]
    cast = cast_of(engine, meshes, matrices, camera)
    points = np.concatenate([m.vertices @ x[:3, :3].T + x[:3, 3] for m, x in zip(meshes, matrices, strict=True)])
    expected = shot(points, mesh_table(meshes).triangles, camera)
    seen = cast.ids >= 0
    # Snapping to 1/256 pixel may move an outline past a pixel's centre, nowhere else do they differ.
    assert (seen != np.isfinite(expected)).mean() < 0.004
    both = seen & np.isfinite(expected)
    assert both.sum() > 150
    z = 1.0 / cast.depth[both] if camera.projection == "perspective" else -cast.depth[both]
    close = np.abs(z - expected[both]) < 0.01 * expected[both]
    assert close.mean() > 0.99
    assert np.median(np.abs(z - expected[both])) < 1e-3


def test_only_the_outside_of_a_closed_body_is_drawn_unless_it_is_cut_open() -> None:
    box = make_box()
    outside = cast_of(raster_compiled, [box], [np.eye(4)], CAMERAS["outside"], FRONT)
    assert set(np.unique(outside.facing[outside.ids[outside.ids >= 0]])) == {1}
    mirrored = cast_of(raster_compiled, [box], [np.diag([-1.0, 1.0, 1.0, 1.0])], CAMERAS["outside"], FRONT)
    assert np.array_equal(outside.ids >= 0, mirrored.ids >= 0)
    assert np.allclose(outside.depth, mirrored.depth, rtol=1e-3)  # the diagonals of its faces run the other way
    inside = cast_of(raster_compiled, [box], [np.eye(4)], CAMERAS["inside the box"], FRONT)
    assert (inside.ids >= 0).all()  # all around there are walls


def testraster_compiled_take_read_only_arrays() -> None:
    corners = np.array([[[2.0, 2.0, 1.0], [30.0, 4.0, 1.0], [10.0, 28.0, 2.0]]])
    corners.flags.writeable = False
    assert (drawn(raster_compiled, corners)[1] == 0).sum() > 100


def test_the_two_engines_offer_the_same_steps() -> None:
    for name in raster_compiled.__all__:
        ours, twin = getattr(raster_compiled, name), getattr(raster_numpy, name)
        assert inspect.signature(ours.py_func) == inspect.signature(twin), name


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("size", [(8, 60), (1, 8)], ids=["images", "slivers"])
def test_light_is_averaged_over_one_surface_as_the_plain_twin_does(
    seed: int, down: bool, size: tuple[int, int]
) -> None:
    """Large surfaces, small ones, edges of the image: patches of a few triangles in two items, and background.

    An image may be smaller than the window that is averaged over.
    """
    random = np.random.default_rng(seed)
    block, (rows, columns) = int(random.integers(1, 3)), random.integers(*size, 2)
    patch = random.integers(2, 20, 2)
    names = random.integers(-1, 4, (rows // patch[0] + 1, columns // patch[1] + 1))
    ids = np.repeat(np.repeat(names, patch[0] * block, 0), patch[1] * block, 1)[: rows * block, : columns * block]
    ids = np.ascontiguousarray(ids, dtype=np.int32)
    depth = random.choice([0.5, 0.6], ids.shape).astype(np.float32)
    planes = np.array([(0.0, 0.0, 0.5)] * 4)
    values = random.random((rows, columns, 2)).astype(np.float32)
    found, plain = np.empty_like(values), np.empty_like(values)
    for engine, out in ((raster_compiled, found), (raster_numpy, plain)):
        engine.smooth(values, ids, depth, planes, np.array([0, 0, 1, 1]), block, down, 3, 4e-3, 0.0, out)
    assert found == pytest.approx(plain, abs=1e-5)
