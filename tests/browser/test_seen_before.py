"""What was once wrong in the page and has no better place; decision 0081 lists the tests of all such things."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from page_bench import PATIENCE, Bench

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]


def test_the_peg_of_the_readme_is_seen_from_where_the_window_looks(open_bench: Callable[..., Bench]) -> None:
    found = re.search(r"`(add solid peg [^`]+colour red)`", (ROOT / "README.md").read_text())
    assert found
    bench = open_bench(width=1366, height=768)
    bench.type(found[1])
    assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    peg = bench.until("workcell.bench.scene.lists.bodies.find((body) => body.name === 'peg')?.id")
    x, y, z = bench.until(f"workcell.pose({peg!r}).slice(12, 15)")
    bench.rest()  # the camera goes on to hold everything
    seen = []
    for height in (-0.08, -0.04, 0.0, 0.04, 0.08):
        across, down = bench.ask(f"workcell.screen([{x}, {y}, {z + height}])")
        bench.page.mouse.click(across, down)
        bench.rest()
        seen.append(bench.ask("workcell.bench.selection.node?.name"))
    assert seen.count("peg") >= 3, seen


def test_an_empty_console_takes_one_line(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    field = bench.page.get_by_label("Command", exact=True).bounding_box()
    view = bench.page.locator("canvas").first.bounding_box()
    assert field
    assert view
    assert field["height"] < 40
    assert view["height"] > 0.75 * 768


def test_a_film_holds_up_nobody(open_bench: Callable[..., Bench]) -> None:
    one, two = open_bench(), open_bench()
    one.until("workcell.bench.connection.measure(true).then((status) => status.warm)")
    one.type("run example1")
    assert one.answer()["state"] == "done", one.answer()
    one.type("film long.gif size 1200 900")
    card = two.page.locator("[data-job]").filter(has_text="film")
    card.wait_for(timeout=1e3 * PATIENCE)
    two.type("add solid crate box 100 100 100 at -500,0,50")
    assert two.answer()["state"] == "done", two.answer()
    one.until("workcell.bench.scene.lists.bodies.some((body) => body.name === 'crate')")
    assert card.is_visible()
    card.get_by_role("button", name="Cancel").click()
    card.wait_for(state="detached", timeout=1e3 * PATIENCE)
