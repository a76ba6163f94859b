"""How a pane draws the cell: shaded, solid, hidden lines removed, wireframe; edges, grid, axes; and sections."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench
from PIL import Image

pytestmark = pytest.mark.browser


def view(bench: Bench, number: str = "") -> None:
    """Give the view the keyboard."""
    bench.page.get_by_role("application", name=f"3-D view {number}of the cell").focus()


def style(bench: Bench, name: str) -> None:
    """Choose a drawing style by the menu in the corner of the view, and wait until it is drawn."""
    bench.page.get_by_role("button", name="Drawing style").first.click()
    frames = bench.ask("workcell.stats().frames")
    bench.page.get_by_role("menuitemcheckbox", name=name).click()
    bench.until(f"workcell.stats().frames > {frames}")


def picture(bench: Bench) -> np.ndarray:
    """The page as numbers, when it has drawn what was asked for: (height, width, 3)."""
    bench.rest()
    return np.asarray(Image.open(io.BytesIO(bench.page.screenshot())).convert("RGB")).astype(int)


def dark(bench: Bench, point: tuple[float, float, float], around: int = 3) -> bool:
    """Whether there is ink where a point [m] is seen."""
    seen = picture(bench)
    x, y = bench.ask(f"workcell.screen({list(point)})")
    part = seen[int(y) - around : int(y) + around + 1, int(x) - around : int(x) + around + 1]
    return bool((part.sum(axis=2) < 300).any())


def paper(bench: Bench, point: tuple[float, float, float]) -> bool:
    """Whether the view is as bright as paper around a point [m]."""
    seen = picture(bench)
    x, y = bench.ask(f"workcell.screen({list(point)})")
    return bool((seen[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4] > 240).all())


def walled(bench: Bench) -> None:
    """A cube behind a wall, seen from the front, without grid and axes."""
    bench.type("add solid cube box 200 200 200 at 3000,500,100")
    bench.type("add solid wall box 600 50 500 at 3000,0,250")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    view(bench)
    for key in ("1", "g", "y"):
        bench.page.keyboard.press(key)
    bench.rest()


CUBE_EDGE = (3.0, 0.4, 0.2)
"""The middle of the upper front edge of the cube, behind the middle of the wall."""


def test_an_edge_behind_a_block_is_not_drawn_where_hidden_lines_are_removed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    walled(bench)
    style(bench, "Wireframe")
    assert dark(bench, CUBE_EDGE)
    style(bench, "Hidden lines removed")
    assert not dark(bench, CUBE_EDGE)
    assert dark(bench, (3.0, -0.025, 0.5))  # the upper edge of the wall itself
    assert paper(bench, (3.1, -0.025, 0.35))
    style(bench, "Solid")
    assert not paper(bench, (3.1, -0.025, 0.35))
    style(bench, "Hidden lines removed")
    bench.type("undo")
    bench.until("!workcell.bench.scene.lists.bodies.some((body) => body.name === 'wall')")
    assert dark(bench, CUBE_EDGE)
    assert bench.faults == []


def test_a_curved_face_has_an_outline(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.type("add solid post cylinder 150 600 at 3000,0,300")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    view(bench)
    for key in ("1", "g", "y"):
        bench.page.keyboard.press(key)
    bench.rest()
    for name in ("Hidden lines removed", "Wireframe"):
        style(bench, name)
        assert dark(bench, (2.85, 0.0, 0.3)), name
        assert dark(bench, (3.15, 0.0, 0.45)), name
        assert not dark(bench, (3.05, 0.0, 0.35)), name
    assert bench.faults == []


def test_what_a_section_cuts_away_is_neither_drawn_nor_picked_and_solids_are_closed(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench()
    page = bench.page
    walled(bench)
    x, y = bench.ask(f"workcell.screen({list(CUBE_EDGE)})")
    page.mouse.click(x, y + 12)
    assert bench.ask("workcell.bench.selection.node.name") == "wall"
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.get_by_role("button", name="Cut along Y").click()
    field = page.get_by_label("Section at")
    field.fill("200")  # between the wall and the cube
    field.press("Enter")
    assert bench.ask("workcell.bench.panes.now.section.at") == pytest.approx(0.2)
    page.mouse.click(x, y + 12)
    bench.until("workcell.bench.selection.node?.name === 'cube'")
    view(bench)
    page.keyboard.press("Escape")
    style(bench, "Hidden lines removed")
    assert dark(bench, CUBE_EDGE), "the cube is seen where the wall was"
    field.fill("500")  # through the cube: its cut is hatched, and it is hit
    field.press("Enter")
    u, v = bench.ask("workcell.screen([3.0, 0.5, 0.1])")
    part = picture(bench)[int(v) - 12 : int(v) + 13, int(u) - 12 : int(u) + 13].sum(axis=2)
    assert 10 < (part < 600).sum() < 300, "lines on paper"
    page.mouse.click(u, v)
    bench.until("workcell.bench.selection.node?.name === 'cube'")
    page.get_by_role("button", name="Flip").click()
    page.mouse.click(x, y + 12)
    bench.until("workcell.bench.selection.node?.name === 'wall'")
    page.get_by_role("button", name="Remove the section").click()
    assert page.get_by_role("region", name="Section").count() == 0
    assert bench.faults == []


def settled(bench: Bench, point: tuple[float, float, float]) -> np.ndarray:
    """The pixels around a point [m]."""
    seen = picture(bench)
    x, y = bench.ask(f"workcell.screen({list(point)})")
    return seen[int(y) - 30 : int(y) + 31, int(x) - 30 : int(x) + 31]


def test_a_section_hides_what_is_behind_its_cut(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page, zones = bench.page, "workcell.stats().zones"
    bench.type("add solid cube box 400 400 400 at 3000,0,200")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    view(bench)
    for key in ("1", "g", "y", "k"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Cut along Y").click()
    page.get_by_label("Section at").fill("0")
    page.get_by_label("Section at").press("Enter")
    bench.rest()
    middle = (3.0, 0.0, 0.2)
    cut = settled(bench, middle)
    bench.type("add zone inside box 100 100 100 at 3000,120,200")  # in the cube, behind the cut
    bench.until(f"{zones} === 1")
    bench.rest()
    assert np.array_equal(settled(bench, middle), cut), "the cut hides the zone"
    page.get_by_role("tree").get_by_role("button", name="Hide cube").click(force=True)
    bench.rest()
    assert (np.abs(settled(bench, middle) - cut).max(axis=2) > 20).mean() > 0.1, "the zone is there"
    assert bench.faults == []
    bench.ask("(workcell.bench.panes.shown = 4, document.activeElement.blur())")
    page.mouse.move(5, 5)
    page.get_by_label("Position of the section").wait_for()  # small panes have the slider, too


def test_each_view_has_its_own_style_which_the_browser_keeps(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    view(bench)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find an action or a command").fill("Two views")
    page.keyboard.press("Enter")
    view(bench, "2 ")
    page.keyboard.press("Alt+3")
    page.keyboard.press("e")
    assert bench.ask("workcell.bench.panes.list.map((pane) => pane.surfaces)")[:2] == ["shaded", "hidden-line"]
    view(bench, "1 ")
    page.keyboard.press("z")
    assert bench.ask("workcell.bench.panes.list.map((pane) => pane.surfaces)")[:2] == ["solid", "hidden-line"]
    page.reload()
    bench.until("!!window.workcell && workcell.bench.connection.link === 'open'")
    assert page.get_by_role("button", name="Drawing style: Solid").count() == 1
    assert page.get_by_role("button", name="Drawing style: Hidden lines removed").count() == 1
    assert bench.ask("workcell.bench.panes.list.map((pane) => pane.edges)")[:2] == [True, False]


def test_a_crowd_is_drawn_in_as_few_calls_in_every_style(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    for i in range(16):
        bench.type(f"add solid pin{i} cylinder 20 60 at {1600 + 100 * (i % 4)},{100 * (i // 4)},30")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.scene.lists.bodies.filter((body) => body.name.startsWith('pin')).length === 16")
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    view(bench)
    calls = []
    for key in ("Alt+1", "Alt+2", "Alt+3", "Alt+4"):
        bench.page.keyboard.press(key)
        bench.rest()
        calls.append(bench.ask("workcell.stats().calls"))
    assert max(calls) <= calls[0] + 1
    assert min(calls) > 2
    assert bench.faults == []
