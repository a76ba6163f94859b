from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from workcell.errors import FileProblem, InvalidValue, UnknownName
from workcell.pictures.colours import COLOURS, PALETTE, colour, to_linear, to_screen
from workcell.pictures.images import caption, contact_sheet, png_bytes, save_png
from workcell.pictures.scene import Scene
from workcell.pictures.style import FAST, Light, Style
from workcell.pictures.views import render_views

NOISE = np.random.default_rng(3).integers(0, 256, (20, 30, 3), dtype=np.uint8)


def test_a_png_holds_the_same_bytes(tmp_path: Path) -> None:
    path = save_png(NOISE, tmp_path / "noise.png")
    assert np.array_equal(np.array(Pillow.open(path)), NOISE)
    assert np.array_equal(np.array(Pillow.open(io.BytesIO(png_bytes(NOISE)))), NOISE)


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"cannot be written to .*none.*No such file"):
        save_png(NOISE, tmp_path / "none" / "x.png")
    with pytest.raises(
        InvalidValue, match=r"An image must be \(height, width, 3\) bytes; found shape \(4, 4\), float64"
    ):
        save_png(np.zeros((4, 4)), tmp_path / "x.png")  # type: ignore[arg-type]


def test_a_contact_sheet_keeps_every_image() -> None:
    small = NOISE[:10, :10]
    sheet = contact_sheet([NOISE, small, NOISE], columns=2, gap=4)
    assert sheet.shape == (4 + 2 * 24, 4 + 2 * 34, 3)
    assert np.array_equal(sheet[4:24, 4:34], NOISE)
    assert np.array_equal(sheet[28:48, 4:34], NOISE)
    assert np.array_equal(sheet[9:19, 48:58], small)  # in the middle of its place
    assert (sheet[28:48, 38:68] == 255).all()
    assert contact_sheet([NOISE], columns=5, gap=0).shape == NOISE.shape
    named = contact_sheet([NOISE, NOISE], ["one", "two"])
    assert not np.array_equal(named, contact_sheet([NOISE, NOISE]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "at least one image"),
        (([NOISE], ["a", "b"]), "1 images but 2 captions"),
        (([NOISE], (), -1), "must not be negative"),
    ],
)
def test_bad_sheets_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        contact_sheet(*arguments)  # type: ignore[arg-type]


def test_a_caption_stays_in_its_corner() -> None:
    blank = np.full((100, 200, 3), 255, dtype=np.uint8)
    written = caption(blank, "top")
    assert (blank == 255).all()  # the given image is not touched
    assert (written[:40, :80] < 120).any()
    assert (written[40:] == 255).all()


def test_several_views_fill_the_image_exactly(scene: Scene) -> None:
    for size in ((200, 121), (301, 160)):
        assert render_views(scene, ("front", "top", "iso"), size, FAST).shape == (size[1], size[0], 3)
    one = render_views(scene, ("top",), (90, 60), FAST)
    assert one.shape == (60, 90, 3)
    with pytest.raises(InvalidValue, match="too small for 2 views"):
        render_views(scene, ("top", "iso"), (12, 60))
    with pytest.raises(InvalidValue, match="at least one name"):
        render_views(scene, ())
    with pytest.raises(InvalidValue, match="at least one name"):
        render_views(scene, "top")


def test_colours_have_names_codes_and_numbers() -> None:
    assert colour("Blue") == PALETTE[0] == colour(COLOURS["blue"]) == colour(list(PALETTE[0]))
    assert colour("#ff8000") == (1.0, 128 / 255, 0.0)
    values = np.linspace(0.0, 1.0, 101)
    assert np.allclose(to_screen(to_linear(values)), values, atol=1e-6)
    with pytest.raises(UnknownName, match=r"no colour called 'bleu'; did you mean blue\? A code such as #3b78b8"):
        colour("bleu")
    with pytest.raises(InvalidValue, match="six hexadecimal digits"):
        colour("#12345z")
    for bad in ((1, 2), (0, 0, np.nan), (-0.1, 0, 0), None, {}):
        with pytest.raises(InvalidValue, match="three numbers from 0 to 1"):
            colour(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"surfaces": "cartoon"}, UnknownName, "way to draw surfaces called 'cartoon'"),
        ({"edges": "some"}, UnknownName, "way to draw edges"),
        ({"samples": 5}, InvalidValue, "must be 1, 2, 3 or 4; found 5"),
        ({"shadows": -1}, InvalidValue, "shadow directions"),
        ({"edge_width": 0.0}, InvalidValue, "width of edges"),
        ({"hidden_edges": 2.0}, InvalidValue, "hidden edges"),
        ({"ambient": float("nan")}, InvalidValue, "ambient light"),
        ({"floor": float("inf")}, InvalidValue, "floor must be a height"),
        ({"floor": "low"}, InvalidValue, "floor must be a height"),
        ({"grid": -1.0}, InvalidValue, "grid lines"),
        ({"background": "white"}, InvalidValue, "two colours"),
        ({"lights": (Light(0, 1, casts_shadow=True),) * 2}, InvalidValue, "At most one light"),
    ],
)
def test_bad_styles_are_refused(given: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Style(**given)  # type: ignore[arg-type]


def test_bad_lights_are_refused() -> None:
    with pytest.raises(InvalidValue, match="two finite angles"):
        Light(float("nan"), 0.0)
    with pytest.raises(InvalidValue, match="strength of a light"):
        Light(0.0, 0.0, -1.0)
