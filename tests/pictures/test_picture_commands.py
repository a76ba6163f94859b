"""Pictures by command, by the command line and by Python: views, styles, lamps, files that must stay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from workcell.cli import main
from workcell.commands.cell import Cell
from workcell.commands.pictures import EDGES, SURFACES, style_of
from workcell.errors import FileProblem, InvalidValue, UnknownName, WorkcellError
from workcell.pictures.images import save_png
from workcell.world.text_form import to_text


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a peg on a plate."""
    file = tmp_path_factory.mktemp("cell") / "peg.cell"
    with Cell.create(file) as cell:
        cell.do("add solid plate box 300 200 10")
        cell.do("add solid peg box 40 40 100 at 0,0,55")
        cell.do("look close from 300,-300,200 at 0,0,30")
    return file


@pytest.fixture
def cell(kept: Path) -> Iterator[Cell]:
    with Cell() as made:
        made.do("add solid plate box 300 200 10")
        made.do("add solid peg box 40 40 100 at 0,0,55")
        made.do("look close from 300,-300,200 at 0,0,30")
        yield made


def shot(cell: Cell, file: Path, words: str = "", size: str = " size 160 90") -> np.ndarray:
    cell.do(f'render "{file}" {words}{size}')
    return np.asarray(Image.open(file).convert("RGB")).astype(int)


def far(one: np.ndarray, two: np.ndarray) -> float:
    """The share of pixels that clearly differ."""
    return float((np.abs(one - two).max(axis=2) > 24).mean())


def test_the_planes_are_the_sides(cell: Cell, tmp_path: Path) -> None:
    pairs = {"xz": "front", "yz": "right", "xy": "top"}
    for plane, side in pairs.items():
        assert np.array_equal(shot(cell, tmp_path / "a.png", plane), shot(cell, tmp_path / "b.png", side))
        cell.do(f"look along {plane}")
        assert np.array_equal(shot(cell, tmp_path / "a.png", "along"), shot(cell, tmp_path / "b.png", side))


def test_a_view_is_twisted_zoomed_and_made_parallel(cell: Cell, tmp_path: Path) -> None:
    first = shot(cell, tmp_path / "a.png", "close")
    for change in (
        "twist 40",
        "zoom 2",
        "projection parallel",
        "from 100,-400,300",
        "at 0,0,90",
        "near 380",
        "projection parallel near 380",
    ):
        cell.do(f"look close {change}")
        second = shot(cell, tmp_path / "b.png", "close")
        assert far(first, second) > 0.005, change
        cell.undo()
    assert np.array_equal(first, shot(cell, tmp_path / "c.png", "close"))
    with pytest.raises(WorkcellError, match="must be more than zero; found -5"):
        cell.do("look close near -5")


@pytest.mark.parametrize("surfaces", SURFACES)
@pytest.mark.parametrize("edges", EDGES)
def test_every_way_to_draw_differs_from_the_others(cell: Cell, tmp_path: Path, surfaces: str, edges: str) -> None:
    image = shot(cell, tmp_path / "a.png", f"close as {surfaces} edges {edges}")
    if surfaces == "wireframe":  # it has nothing but edges
        edges = "feature" if edges == "none" else edges
    for other in SURFACES:
        for marked in EDGES:
            if other == "wireframe" and marked == "none":
                continue
            same = (other, marked) == (surfaces, edges)
            assert (far(image, shot(cell, tmp_path / "b.png", f"close as {other} edges {marked}")) == 0.0) == same


def test_axes_are_shown_unless_they_are_not_wanted(cell: Cell, tmp_path: Path) -> None:
    size = " size 320 180"
    one, two = (shot(cell, tmp_path / "a.png", f"close axes {word}", size) for word in ("yes", "no"))
    changed = np.argwhere(np.abs(one - two).max(axis=2) > 24)
    assert len(changed) > 40
    assert changed[:, 0].min() > 90  # only in the lower left corner
    assert changed[:, 1].max() < 90


def test_several_views_share_an_image(cell: Cell, tmp_path: Path) -> None:
    sheet = shot(cell, tmp_path / "a.png", "front,top,close,iso", " size 320 180")
    assert sheet.shape == (180, 320, 3)
    alone = shot(cell, tmp_path / "b.png", "close", " size 160 90")
    part = sheet[90:, :160]
    assert far(part[24:], alone[24:]) < 0.01  # the caption stands above
    with pytest.raises(UnknownName, match="no view called 'nope'"):
        cell.do(f"render {tmp_path}/c.png front,nope")
    assert not (tmp_path / "c.png").exists()


def test_a_view_goes_on_showing_what_is_renamed(cell: Cell, tmp_path: Path) -> None:
    cell.do("display peg in close")
    before = shot(cell, tmp_path / "a.png", "close")
    cell.do("modify peg name pin")
    assert np.array_equal(shot(cell, tmp_path / "b.png", "close"), before)
    cell.do("clear pin from close")
    cell.undo()
    cell.undo()
    assert np.array_equal(shot(cell, tmp_path / "c.png", "close"), before)
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_view_of_nothing_is_said_to_be_one(cell: Cell, kept: Path, tmp_path: Path) -> None:
    cell.do("look away from 0,-1000,0 at 0,-2000,0")
    assert "view 'away' shows nothing" in str(cell.do(f"render {tmp_path}/a.png away size 160 90"))
    assert "shows nothing" not in str(cell.do(f"render {tmp_path}/a.png close size 160 90"))
    assert "shows nothing" not in str(cell.do(f"render {tmp_path}/a.png close as wireframe size 160 90"))
    cell.do("clear view close")
    with pytest.raises(InvalidValue, match="View 'close' shows nothing; `display"):
        cell.do(f"render {tmp_path}/a.png close")


def test_an_empty_background_has_no_bands(cell: Cell, tmp_path: Path) -> None:
    """Within every eight rows of a slow gradient each tone is mixed with the next, so that no border is seen."""
    cell.do("look away from 0,-1000,0 at 0,-2000,2000")
    image = shot(cell, tmp_path / "a.png", "away axes no", " size 64 720")
    means = image[:, :, 0].reshape(90, 8, 64).mean(axis=(1, 2))
    assert np.abs(np.diff(means, 2)).max() < 0.2  # as smooth as the gradient itself
    assert len(np.unique(means)) > 60
    assert np.ptp(image, axis=1).max() <= 1


def test_a_lamp_lights_the_picture_from_where_it_stands(cell: Cell, tmp_path: Path) -> None:
    studio = shot(cell, tmp_path / "a.png", "iso")
    cell.do("create light lamp")
    assert np.array_equal(shot(cell, tmp_path / "a.png", "iso"), studio)  # it is not placed yet
    cell.do("place light lamp at 2000,0,500")
    right = shot(cell, tmp_path / "b.png", "right axes no")
    cell.do("modify lamp brightness 0.1")
    assert right[45, 80].sum() > shot(cell, tmp_path / "c.png", "right axes no")[45, 80].sum() + 100
    cell.do("modify lamp colour red")
    cell.do("modify lamp brightness 1")
    red = shot(cell, tmp_path / "d.png", "right axes no")[45, 80]
    assert red[0] > red[2] + 40
    cell.do("modify lamp brightness -3")
    with pytest.raises(InvalidValue, match="brightness of light 'lamp' must be from 0 to 100; found -3"):
        cell.do(f"render {tmp_path}/e.png")


def test_a_lamp_shines_where_it_is_aimed_and_by_default_at_the_middle(cell: Cell, tmp_path: Path) -> None:
    cell.do("create light lamp")
    cell.do("place light lamp at 2000,0,500")
    plain = shot(cell, tmp_path / "a.png", "right axes no")
    cell.do("modify lamp aim 0,0,50")
    assert np.array_equal(shot(cell, tmp_path / "b.png", "right axes no"), plain), "at the middle it is as by default"
    cell.do("modify lamp aim 4000,0,500")
    away = shot(cell, tmp_path / "c.png", "right axes no")
    assert plain[45, 80].sum() > away[45, 80].sum() + 100, "it shines at the other side"
    assert cell.do("lamps").lamps[0].aim == (4.0, 0.0, 0.5)
    assert str(cell.do("lamps")) == "1 lamp\nlamp: brightness 1, aims at 4000, 0, 500 mm"
    cell.do("place light lamp at 6000,0,950")
    assert cell.do("lamps").lamps[0].aim == (4.0, 0.0, 0.5), "the point stays"
    assert np.array_equal(shot(cell, tmp_path / "d.png", "right axes no"), plain), "rays are parallel"
    assert cell.replayed().database.rows() == cell.database.rows()
    assert "property aim = [4.0,0.0,0.5]" in to_text(cell.database)
    cell.do("drop property aim from light:lamp")
    assert cell.do("lamps").lamps[0].aim is None
    cell.undo()
    assert cell.do("lamps").lamps[0].aim == (4.0, 0.0, 0.5)
    cell.do("place light lamp at 4000,0,500")
    shot(cell, tmp_path / "e.png", "right axes no")  # at the point that it shines at: from all sides
    cell.do("modify lamp aim 1e30,0,0")
    with pytest.raises(InvalidValue, match="The aim of light 'lamp'"):
        cell.do("lamps")


def test_what_is_not_a_picture_is_never_overwritten(cell: Cell, kept: Path, tmp_path: Path) -> None:
    bytes_before = kept.read_bytes()
    disguised = tmp_path / "notes.png"
    disguised.write_text("not a picture at all")
    for target, message in (
        (kept, "is written as PNG, and peg.cell ends in .cell; give a name that ends in .png"),
        (disguised, "notes.png is not a picture and is not overwritten; give another name, or remove it first"),
    ):
        with pytest.raises(FileProblem, match=message):
            cell.do(f'render "{target}" close size 64 36')
        with pytest.raises(FileProblem, match=message):
            save_png(np.zeros((4, 4, 3), dtype=np.uint8), target)
        result = CliRunner().invoke(main, ["render", str(kept), "-o", str(target)])
        assert result.exit_code == 1
        assert "Traceback" not in result.output
    assert kept.read_bytes() == bytes_before
    assert disguised.read_text() == "not a picture at all"
    again = tmp_path / "again.png"
    again.touch()  # an empty file made beforehand is fine, and so is the picture of a moment ago
    first = shot(cell, again, "close")
    assert np.array_equal(shot(cell, again, "close"), first)


def test_the_command_line_takes_the_same_words(kept: Path, tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str, np.ndarray | None]:
        out = tmp_path / "out.png"
        out.unlink(missing_ok=True)
        result = CliRunner().invoke(main, ["render", str(kept), "-o", str(out), "--size", "160x90", *words])
        return result.exit_code, result.output, np.asarray(Image.open(out)).astype(int) if out.exists() else None

    _, _, plain = run("--view", "close")
    code, _, wire = run("--view", "close", "--style", "wireframe", "--no-axes", "--edges", "all")
    assert code == 0
    assert plain is not None
    assert wire is not None
    assert far(plain, wire) > 0.1
    code, text, _ = run("--view", "front", "--view", "top", "--json")
    assert code == 0
    assert json.loads(text)["notes"] == []
    code, text, image = run("--style", "pretty")
    assert (code, image) == (1, None)
    assert "no way to draw surfaces called 'pretty'" in text


def test_a_style_is_made_of_words() -> None:
    assert style_of().surfaces == "shaded"
    assert style_of("hidden-line").surfaces == "hidden_line"
    assert style_of("solid", "none", axes=False).edges == "none"
    with pytest.raises(UnknownName, match="way to draw edges"):
        style_of("solid", "some")


def test_zones_are_seen_through_in_their_colours_unless_a_view_leaves_them_out(cell: Cell, tmp_path: Path) -> None:
    cell.do("look close from 600,-600,400 at 0,0,30")
    bare = shot(cell, tmp_path / "a.png", "close")
    cell.do("add zone gate box 60 60 120 at 100,0,60")
    cell.do("add zone slow sphere 50 at -100,0,60 rule slow-down")
    seen = shot(cell, tmp_path / "b.png", "close")
    red, green, blue = np.moveaxis(bare - seen, 2, 0)  # how much of each colour is taken away
    assert ((green - red > 20) & (abs(blue - green) < 8)).sum() > 50
    assert ((green - red > 8) & (blue - green > 8)).sum() > 50
    cell.do("clear slow from close")
    alone = shot(cell, tmp_path / "c.png", "close")
    assert 0.0 < far(alone, bare) < far(seen, bare)
    cell.do("clear gate from close")
    assert np.array_equal(shot(cell, tmp_path / "d.png", "close"), bare)
    cell.do("display gate in close")
    assert np.array_equal(shot(cell, tmp_path / "e.png", "close"), alone)


def test_a_zone_without_a_shape_is_told_and_spoils_no_picture(cell: Cell, tmp_path: Path) -> None:
    cell.do("create zone empty")
    cell.do("place empty at 0,0,0")
    told = cell.do(f"render {tmp_path}/a.png close size 160 90")
    assert "'empty' is not shown: Zone 'empty' has no shape" in str(told)


def test_a_zone_that_reaches_below_the_floor_leaves_it_where_it_is(cell: Cell, tmp_path: Path) -> None:
    bare = shot(cell, tmp_path / "a.png", "close")
    cell.do("add zone pit box 10 10 400 at 0,0,-100")
    assert far(shot(cell, tmp_path / "b.png", "close"), bare) < 0.05


def test_the_outline_of_a_ball_is_round(tmp_path: Path) -> None:
    cell = Cell()
    cell.do("add solid ball sphere 50")
    image = shot(cell, tmp_path / "a.png", "top as wireframe axes no", " size 400 400")
    y, x = np.nonzero(image.min(axis=2) < 200)
    away = np.hypot(x - (x.min() + x.max()) / 2.0, y - (y.min() + y.max()) / 2.0)
    assert len(away) > 500
    assert np.ptp(away) < 3.0
