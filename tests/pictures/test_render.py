from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hand_made import at, make_box, make_cylinder, make_sphere
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue, UnknownName
from workcell.geometry.mesh import Mesh
from workcell.pictures.camera import Camera
from workcell.pictures.picture import light_direction
from workcell.pictures.render import render
from workcell.pictures.scene import Item, Line, Scene
from workcell.pictures.style import DRAWING, FAST, STUDIO, Light, Style

SIZE = (96, 64)
PLAIN = Style(samples=1, shadows=0, floor=None, axes=False, edges="none", background=("white", "white"))
STYLES = {
    "fast": FAST,
    "drawing": dataclasses.replace(DRAWING, samples=1),
    "shadows": Style(samples=2, shadows=8),
    "wireframe": Style(surfaces="wireframe", samples=1),
    "solid, all edges": Style(surfaces="solid", edges="all", samples=1),
    "facets": Style(smooth=False, samples=1, shadows=0, grid=None),
}


def views(scene: Scene) -> dict[str, Camera]:
    return {
        "around": Camera.around(scene.points, -0.9, 0.5),
        "top": Camera.named("top", scene.points),
        "inside": Camera((0.3, -0.3, 0.75), (-0.6, 0.4, 0.6), field=1.5, near=0.05),
        "from below": Camera.around(scene.points, 0.7, -0.6),
        "cut open": Camera((1.5, -1.5, 1.8), (0.0, 0.0, 0.4), projection="parallel", height=2.5, near=2.1),
    }


def colour_at(image: np.ndarray, camera: Camera, point: tuple[float, ...]) -> np.ndarray:
    x, y, _ = camera.project(point, (image.shape[1], image.shape[0]))
    return image[int(y), int(x)].astype(int)


@pytest.mark.parametrize("view", ["around", "top", "inside", "from below", "cut open"])
@pytest.mark.parametrize("style", STYLES)
def test_the_compiled_picture_is_the_plain_one(scene: Scene, style: str, view: str) -> None:
    camera = views(scene)[view]
    path = Line(np.array([[-0.8, -0.6, 0.5], [0.1, 0.0, 1.1], [0.9, 0.6, 0.45]]), width=3.0)
    whole = dataclasses.replace(scene, lines=(path,))
    size = (64, 40) if style == "shadows" else SIZE
    ours = render(whole, camera, size, STYLES[style]).astype(int)
    twin = render(whole, camera, size, STYLES[style], engine="numpy").astype(int)
    off = np.abs(ours - twin).max(axis=2)
    assert (off > 2).sum() <= 2, f"{(off > 2).sum()} pixels differ, by up to {off.max()}"


@pytest.mark.parametrize("projection", ["perspective", "parallel"])
def test_the_inside_of_a_ball_that_is_cut_open_is_lit_smoothly(projection: str) -> None:
    ball = Item(make_sphere(1.0), at(0, 0, 0), "#ff0000")
    # Seen along −y the far half shows its hollow: the normals of the inside are those of a bowl.
    camera = Camera((0, -3, 0), projection=projection, height=4.0, field=1.2, near=3.0)  # type: ignore[arg-type]
    image = render((ball,), camera, SIZE, PLAIN).astype(int)
    again = render((ball,), camera, SIZE, dataclasses.replace(PLAIN, smooth=False)).astype(int)
    inside = image[:, :, 0] - image[:, :, 2] > 30
    assert inside.sum() > 400
    # Smooth and faceted light differ a little everywhere, and nowhere much.
    assert np.abs(image - again)[inside].max() < 40


def test_the_nearer_surface_hides_the_farther() -> None:
    red, green = Item(make_box(), at(0, -1, 0), "#ff0000"), Item(make_box(2, 1, 2), at(0, 1, 0), "#00ff00")
    for items in ((red, green), (green, red)):  # whatever the order
        image = render(items, Camera.named("front", [(-1, -1, -1), (1, 1, 1)]), SIZE, PLAIN)
        middle, rim = image[32, 48], image[32, 48 - 20]
        assert middle[0] > middle[1]
        assert rim[1] > rim[0]


@given(st.floats(-3.0, 3.0), st.floats(-1.4, 1.4))
@settings(max_examples=15)
def test_a_mirrored_matrix_looks_like_a_mirrored_mesh(azimuth: float, elevation: float) -> None:
    mesh, flip = make_cylinder(0.4, 1.2), np.diag([1.0, -1.0, 1.0, 1.0]) @ at(0.2, 0.1, 0.0)
    camera = Camera.around([(-0.7, -0.7, -0.7), (0.7, 0.7, 0.7)], azimuth, elevation)
    one = render([Item(mesh, flip)], camera, SIZE, PLAIN).astype(int)
    two = render([Item(mesh.transformed(flip))], camera, SIZE, PLAIN).astype(int)
    assert (np.abs(one - two).max(axis=2) > 3).mean() < 0.01  # a rim pixel may fall to the other side


def test_moving_the_world_with_the_camera_changes_nothing(scene: Scene) -> None:
    shift = np.array([3.0, -2.0, 0.0])
    camera = views(scene)["around"]
    there = dataclasses.replace(camera, eye=tuple(camera.eye + shift), target=tuple(np.asarray(camera.target) + shift))
    moved = [dataclasses.replace(item, matrix=at(*shift) @ item.matrix) for item in scene]
    style = dataclasses.replace(FAST, floor=None)
    one, two = render(scene, camera, SIZE, style).astype(int), render(moved, there, SIZE, style).astype(int)
    assert (np.abs(one - two).max(axis=2) > 6).mean() < 0.01


def test_smooth_shading_of_a_sphere_is_that_of_its_exact_normals() -> None:
    """Lit from one side, a white ball's brightness is the cosine to the light at each pixel."""
    light = Light(0.6, 0.5, 0.8, follows_camera=False)
    style = dataclasses.replace(PLAIN, lights=(light,), ambient=0.0)
    camera = Camera((0, -5, 0), projection="parallel", height=1.2)
    image = render([Item(make_sphere(0.5, 96), colour=(1.0, 1.0, 1.0))], camera, (120, 120), style)
    y, x = np.mgrid[0:120, 0:120] + 0.5
    px, pz = (x - 60) / 100, (60 - y) / 100
    inside = px**2 + pz**2 < 0.45**2
    normal = np.stack([px, -np.sqrt(np.maximum(0.0, 0.25 - px**2 - pz**2)), pz], axis=-1) / 0.5
    towards = light_direction(light, camera)
    half = towards + (0, -1, 0)
    half /= np.linalg.norm(half)
    gloss = 0.16 * 0.8 * np.maximum(0.0, normal @ half) ** 32
    expected = np.minimum(1.0, 0.8 * np.maximum(0.0, normal @ towards) + gloss)
    shown = (image[..., 1] / 255.0 + 0.055) / 1.055
    shown = np.where(shown < 0.0931, image[..., 1] / 255.0 / 12.92, shown**2.4)
    assert np.abs(shown - expected)[inside].max() < 0.03


def test_facets_are_even_and_smooth_faces_are_not() -> None:
    camera = Camera.named("front", [(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)])
    item = Item(make_cylinder(0.5, 1.0, 12))
    smooth = render([item], camera, SIZE, PLAIN)[32]
    flat = render([item], camera, SIZE, dataclasses.replace(PLAIN, smooth=False))[32]
    assert len(np.unique(flat, axis=0)) <= 7  # six facets and the background
    assert len(np.unique(smooth, axis=0)) > 20


def test_hidden_lines_are_hidden_and_wireframes_are_not(box: Mesh) -> None:
    camera = Camera.around(box.vertices, -0.9, 0.5, 1.5, "parallel")
    lines = dataclasses.replace(PLAIN, edges="feature", surfaces="hidden_line")
    hidden = render([Item(box)], camera, SIZE, lines)
    wire = render([Item(box)], camera, SIZE, dataclasses.replace(lines, surfaces="wireframe"))
    faint = render([Item(box)], camera, SIZE, dataclasses.replace(lines, hidden_edges=0.3))
    back = (-0.5, 0.5, 0.0)  # the middle of the edge that the box hides
    front = (0.5, -0.5, 0.0)
    assert colour_at(hidden, camera, back).min() > 230
    assert colour_at(wire, camera, back).max() < 150
    assert 150 < colour_at(faint, camera, back).max() < 235
    for image in (hidden, wire, faint):
        assert colour_at(image, camera, front).max() < 150


def test_every_visible_edge_of_a_box_is_drawn_whole() -> None:
    """Walking along each visible edge from any side, no pixel of it is missing: no stitching with its faces."""
    box = make_box(1.0, 0.6, 0.8)
    style = dataclasses.replace(PLAIN, edges="feature", edge_width=1.5)
    for azimuth in np.linspace(0.05, 6.0, 9):
        for projection in ("perspective", "parallel"):
            camera = Camera.around(box.vertices, azimuth, 0.4, 1.5, projection)  # type: ignore[arg-type]
            image = render([Item(box, colour=(1.0, 1.0, 1.0))], camera, (150, 100), style)
            for i, j in box.edges:
                a, b = box.vertices[i], box.vertices[j]
                outward = np.sign((a + b) / 2.0) * (np.abs(a - b) < 1e-9)
                towards = camera.eye - a if projection == "perspective" else np.subtract(camera.eye, camera.target)
                if (outward * towards).max() > 0.05:  # one of its two faces looks at the eye
                    for s in np.linspace(0.02, 0.98, 40):
                        dark = colour_at(image, camera, tuple(a + s * (b - a))).max()
                        assert dark < 190, (azimuth, projection, i, j, s)


@pytest.mark.parametrize("engine", ["compiled", "numpy"])
@pytest.mark.parametrize("turn", [0.0, math.pi / 24, 0.05])
def test_a_cylinder_seen_square_on_has_both_its_outlines(engine: str, turn: float) -> None:
    """Also where a facet stands exactly edge on, and belongs to neither side."""
    matrix = np.eye(4)
    matrix[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
    style = dataclasses.replace(PLAIN, edges="feature", edge_width=2.0)
    for projection in ("parallel", "perspective"):
        camera = Camera((0, -6, 0), projection=projection, height=1.5)  # type: ignore[arg-type]
        image = render([Item(make_cylinder(), matrix, "white")], camera, (120, 90), style, engine)  # type: ignore[arg-type]
        dark = np.nonzero(image[45].max(axis=1) < 150)[0]
        assert len(dark) > 1, projection
        assert abs(dark[0] + dark[-1] - 119) <= 1  # one on the left, one on the right


def test_edges_of_an_item_can_be_left_out(box: Mesh) -> None:
    style = dataclasses.replace(PLAIN, edges="feature")
    with_edges = render([Item(box)], "iso", SIZE, style)
    without = render([Item(box, edges=False)], "iso", SIZE, style)
    assert np.array_equal(without, render([Item(box)], "iso", SIZE, PLAIN))
    assert not np.array_equal(with_edges, without)


def test_see_through_items_mix_what_lies_behind_in_order() -> None:
    style = dataclasses.replace(PLAIN, surfaces="solid", lights=(), ambient=1.0)
    back = Item(make_box(4, 1, 4), at(0, 3, 0), "#ffffff")
    near = Item(make_box(1, 0.1, 1), at(0, -1, 0), "#ff0000", opacity=0.5)
    far = Item(make_box(1, 0.1, 1), at(0, 0, 0), "#0000ff", opacity=0.25)
    camera = Camera((0, -6, 0), projection="parallel", height=2.0)
    for items in ((back, near, far), (far, near, back)):
        image = render(items, camera, SIZE, style)
        linear = ((image[32, 48] / 255.0 + 0.055) / 1.055) ** 2.4
        behind = 0.25 * np.array([0, 0, 1]) + 0.75 * np.ones(3)
        assert np.allclose(linear, 0.5 * np.array([1, 0, 0]) + 0.5 * behind, atol=0.02)
    gone = render((back, dataclasses.replace(near, opacity=0.0)), camera, SIZE, style)
    assert np.array_equal(gone, render((back,), camera, SIZE, style))


def test_a_shadow_falls_where_the_light_cannot_reach() -> None:
    light = Light(0.0, math.radians(45.0), follows_camera=False, casts_shadow=True)
    plate = Item(make_box(0.6, 0.6, 0.02), at(0, 0, 1.0), "white")
    ground = Item(make_box(8, 8, 0.1), at(0, 0, -0.05), "white")
    camera = Camera((0.0, -3.0, 9.0), (0, 0, 0), field=0.7)
    style = dataclasses.replace(PLAIN, lights=(light,), shadows=24)
    image = render([plate, ground], camera, (180, 120), style)
    shade = colour_at(image, camera, (-1.0, 0.0, 0.0))  # the light stands at +x, 45° up: one metre over
    lit = colour_at(image, camera, (1.0, 0.0, 0.0))
    assert shade.max() < lit.min() - 40
    assert abs(colour_at(image, camera, (-1.0, 0.6, 0.0)) - lit).max() < 12


def test_the_floor_is_darker_under_things_and_absent_from_below() -> None:
    item = Item(make_box(1, 1, 0.4), at(0, 0, 0.8), "steel")
    lit = Style(samples=1, shadows=24, axes=False, grid=None)
    camera = Camera((0, -5, 2.0), (0, 0, 0.4))
    scene = [item, Item(make_box(0.1, 0.1, 0.1), at(2.5, 2.5, 0.05))]
    image = render(scene, camera, (120, 80), lit)
    assert colour_at(image, camera, (0.0, -0.2, 0.0)).max() < colour_at(image, camera, (-1.8, -1.0, 0.0)).min() - 25
    below = Camera((0, -5, -2.0), (0, 0, 0.4))
    none = dataclasses.replace(lit, floor=None)
    assert np.array_equal(render(scene, below, SIZE, lit), render(scene, below, SIZE, none))


def test_a_line_is_hidden_by_what_is_in_front_unless_it_shows_through(box: Mesh) -> None:
    camera = Camera.named("front", [(-1, -1, -1), (1, 1, 1)])
    points = np.array([[-0.9, 1.0, 0.0], [0.9, 1.0, 0.0]])
    for hidden in (True, False):
        line = Line(points, "#ff0000", 3.0, hidden=hidden)
        image = render(Scene((Item(box, colour=(0.5, 0.5, 0.5)),), (line,)), camera, SIZE, PLAIN)
        outside, inside = colour_at(image, camera, (0.7, 1, 0)), colour_at(image, camera, (0.0, 1, 0))
        assert outside[0] > outside[1] + 100
        assert (inside[0] > inside[1] + 100) == (not hidden)
    only = render(Scene(lines=(Line(points),)), camera, SIZE, PLAIN)
    assert (only < 200).any()


def test_samples_average_and_the_same_scene_gives_the_same_bytes(scene: Scene) -> None:
    camera = views(scene)["around"]
    fine = dataclasses.replace(PLAIN, samples=1)
    large = render(scene, camera, (3 * 96, 3 * 64), fine)
    small = render(scene, camera, SIZE, dataclasses.replace(PLAIN, samples=3))
    linear = ((large / 255.0 + 0.055) / 1.055) ** 2.4
    mean = linear.reshape(64, 3, 96, 3, 3).mean(axis=(1, 3))
    assert np.abs(1.055 * mean ** (1 / 2.4) - 0.055 - small / 255.0).max() < 0.03
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(render, scene, camera, SIZE, FAST) for _ in range(8)]
        images = [future.result() for future in futures]
    assert all(np.array_equal(image, images[0]) for image in images)


def test_a_kept_background_is_the_one_that_would_be_drawn(scene: Scene) -> None:
    """Pictures with other cameras, sizes, styles and things in between do not show in the next one."""
    camera, other = views(scene)["around"], views(scene)["top"]
    blue = dataclasses.replace(FAST, background=("blue", "white"))
    wanted = [(camera, SIZE, FAST), (other, SIZE, FAST), (camera, (64, 96), FAST), (camera, SIZE, blue)]
    wanted += [
        (camera, SIZE, dataclasses.replace(FAST, grid=0.1)),
        (camera, SIZE, dataclasses.replace(FAST, floor=-1.0)),
    ]
    with ThreadPoolExecutor(1) as pool:
        again = [pool.submit(render, scene.items[:4], *what).result() for what in wanted + wanted]
    for index, what in enumerate(wanted):
        with ThreadPoolExecutor(1) as pool:  # a new thread keeps nothing yet
            fresh = pool.submit(render, scene.items[:4], *what).result()
        assert np.array_equal(again[index], fresh)
        assert np.array_equal(again[index + len(wanted)], fresh)


def test_lights_go_round_with_the_camera_or_stay() -> None:
    front, side = Camera((0, -3, 0)), Camera((3, 0, 0))
    fill = STUDIO[1]
    assert light_direction(fill, front)[0] > 0.5  # from the eye's right
    assert light_direction(fill, side)[1] > 0.5
    fixed = dataclasses.replace(fill, follows_camera=False)
    assert np.array_equal(light_direction(fixed, front), light_direction(fixed, side))
    below = Camera((0, -3, -3))
    assert light_direction(fill, below)[2] < 0.0


def test_bad_requests_are_refused_with_a_sentence(box: Mesh, scene: Scene) -> None:
    item = Item(box)
    empty = Mesh(np.empty((0, 3)), np.empty((0, 3)), np.empty(0))
    cases = [
        (lambda: render([]), "The scene is empty: there is nothing to see"),
        (lambda: render([Item(empty)]), "The scene is empty"),
        (lambda: render([Item(empty)], Camera((1, 0, 0))), "The scene is empty"),
        (lambda: render([item], size=(0, 720)), r"must be 1 to 8000 pixels in each direction; found 0 × 720"),
        (lambda: render([item], size=(1280, -1)), "found 1280 × -1"),
        (lambda: render([item], size=(99999, 10)), "found 99999 × 10"),
        (lambda: render([item], size=(math.nan, 10)), "width and height in pixels"),
        (lambda: render([item], size="large"), "width and height in pixels"),
        (lambda: render([item], camera=3), "must be a Camera or the name of a view; found int"),
        (lambda: render(3), "A scene must consist of items; found int"),
        (lambda: render([box]), "A scene must consist of items and lines; found Mesh"),
        (lambda: Item(box, np.full((4, 4), np.nan)), "must be finite"),
        (lambda: Item(box, np.eye(3), name="gear"), r"The matrix of 'gear' must have shape \(4, 4\)"),
        (lambda: Item(box, np.diag([1.0, 1.0, 0.0, 1.0])), "flattens it; its determinant"),
        (lambda: Item(box, np.ones((4, 4))), "last row"),
        (lambda: Item(box, opacity=1.5), "opacity of a picture's item must be from 0 to 1; found 1.5"),
        (lambda: Item(box, colour=(2.0, 0.0, 0.0)), "three numbers from 0 to 1"),
        (lambda: Line(np.zeros((1, 3))), "at least two points"),
        (lambda: Line(np.full((2, 3), np.inf)), "points of a line must be finite"),
        (lambda: Line(np.zeros((2, 3)), width=0.0), "width of a line"),
    ]
    for make, message in cases:
        with pytest.raises(InvalidValue, match=message):
            make()
    with pytest.raises(UnknownName, match="picture engine"):
        render(scene, "iso", SIZE, FAST, "opengl")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="no view called 'isso'; did you mean iso"):
        render(scene, "isso")


def test_the_smallest_and_oddest_pictures_work(scene: Scene, box: Mesh) -> None:
    assert render(scene, "iso", (1, 1)).shape == (1, 1, 3)
    assert render(scene, "iso", (3, 200), FAST).shape == (200, 3, 3)
    assert render([Item(box, np.diag([1e-6, 1e-6, 1e-6, 1.0]))], "iso", SIZE).shape == (64, 96, 3)
    assert render([Item(box, np.diag([1e6, 1e6, 1e6, 1.0]))], "iso", SIZE).shape == (64, 96, 3)
    away = Camera((0, -5, 0), (0, -9, 0))  # everything is behind
    assert render(scene, away, SIZE, PLAIN).min() > 230
    point = Mesh(np.zeros((3, 3)), [[0, 1, 2]], [0])  # a triangle of no size
    assert render([Item(point)], "iso", SIZE).shape == (64, 96, 3)


def test_importing_the_room_loads_no_engine() -> None:
    code = (
        "import sys, workcell.pictures.views, workcell.pictures.triad;"
        "print([m for m in ('numba', 'PIL', 'scipy', 'OCP') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_drawing_needs_no_linear_algebra_and_leaves_it_to_others() -> None:
    """SciPy is slow to load and no kernel here multiplies matrices; a kernel that does still can."""
    code = (
        "import sys, numpy as np, numba\n"
        "from workcell.pictures.triad import axes_items\n"
        "from workcell.pictures.render import render\n"
        "render(axes_items(np.eye(4)), 'iso', (48, 32))\n"
        "print('scipy.linalg' in sys.modules, numba.np.arraymath.ensure_blas is numba.np.linalg.ensure_blas)\n"
        "product = numba.njit(lambda a, b: a @ b)(np.eye(2), np.ones((2, 2)))\n"
        "print(product.sum(), 'scipy.linalg' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "4.0", "True"]
