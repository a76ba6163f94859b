"""The camera: it does not move by itself while something is played, and shows everything beside the tools; drags are taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench

pytestmark = [pytest.mark.browser, pytest.mark.real_time]

WATCH = """(() => {
  window.seen = [];
  const look = () => {
    const { time } = workcell.bench;
    if (time.playing && time.time > 0) window.seen.push(String(workcell.camera().map((value) => value.toFixed(4))));
    window.watching = requestAnimationFrame(look);
  };
  look();
})()"""
"""Notes where the camera is in each frame in which something is played."""
COVERED = """(() => {
  const tools = document.querySelector("[role=toolbar][aria-label='Hand tools']").getBoundingClientRect();
  return tools.right - Math.min(...workcell.layer("solid").corners().map((corner) => workcell.screen(corner.toArray())[0]));
})()"""
"""How far the cell reaches under the tools [pixels]."""


def test_the_view_is_fitted_before_a_run_is_played_and_rests_meanwhile(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=900, height=800)
    assert bench.ask(COVERED) < 0
    bench.ask(WATCH)
    before = bench.ask("workcell.camera()")
    bench.type("move-joints-relative Puma 150,60,30,0,0,0")
    bench.until("workcell.bench.time.duration > 0 && window.seen.length > 3 && workcell.bench.time.live")
    assert bench.ask("new Set(window.seen).size") == 1
    assert bench.ask("workcell.camera()") != before, "the arm reaches farther than before, and the camera shows that"
    assert not bench.faults


def test_escape_takes_back_drags_of_a_border_and_of_the_camera(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    border = page.get_by_role("separator", name="Width of the left panels")
    box = border.bounding_box()
    assert box is not None
    size = bench.ask("workcell.bench.layout.left.size")
    page.mouse.move(box["x"] + 3, 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, 300, steps=3)
    bench.until(f"workcell.bench.layout.left.size > {size} + 50")
    page.keyboard.press("Escape")
    page.mouse.move(box["x"] + 120, 300)
    assert bench.ask("workcell.bench.layout.left.size") == size
    page.mouse.up()
    page.keyboard.press("2")
    bench.until("workcell.bench.panes.now.parallel")
    view = page.get_by_role("application").bounding_box()
    assert view is not None
    x, y = view["x"] + view["width"] / 2, view["y"] + view["height"] / 2
    before = bench.until(
        "(() => { const now = String(workcell.camera()), then = window.then; window.then = now; return now === then && workcell.camera(); })()"
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 90, y + 40, steps=4)
    bench.until("!workcell.bench.panes.now.parallel")
    page.keyboard.press("Escape")
    page.mouse.move(x + 150, y)
    page.mouse.up()
    assert bench.ask("workcell.camera()") == pytest.approx(before, abs=1e-6)
    assert bench.ask("workcell.bench.panes.now.parallel")
    assert not bench.faults


def test_a_shape_that_does_not_come_is_mentioned_in_the_view_until_it_is_there(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench()
    page = bench.page
    page.route("**/glb/*", lambda route: route.fulfill(status=500, body="The shape is damaged."))
    bench.type("add solid cube box 200 210 220 at 900,500,110")
    note = page.get_by_role("alert").filter(has_text="A shape is missing: The shape is damaged.")
    note.wait_for()
    page.unroute("**/glb/*")
    note.get_by_role("button", name="Try again").click()
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    assert note.count() == 0
