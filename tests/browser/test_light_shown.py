"""Shadows and highlights, in a view that is drawn at full quality; other tests leave them out, since the processor draws."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench
from PIL import Image

pytestmark = pytest.mark.browser
SHADED = (1.3, 0.44, 0.0)
"""A point of the floor from which the sun is hidden by the plate [m]."""
BALL = (1.0, -1.2, 0.3)


def around(bench: Bench, point: tuple[float, float, float], pixels: int) -> np.ndarray:
    """The brightness of the pixels around a point [m], once the view is still."""
    bench.until("workcell.bench.jobs.list.length === 0")  # no card lies over the view
    bench.rest()
    seen = np.asarray(Image.open(io.BytesIO(bench.page.screenshot())).convert("L")).astype(int)
    x, y = (int(value) for value in bench.ask(f"workcell.screen({list(point)})"))
    return seen[y - pixels : y + pixels + 1, x - pixels : x + pixels + 1]


def test_shadows_can_be_turned_off_and_highlights_changed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench("?quality=high", width=1024, height=768)
    page = bench.page
    bench.type("add solid plate box 600 600 20 at 1600,0,800 colour white")
    bench.type("add solid ball sphere 300 at 1000,-1200,300 colour black")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    page.get_by_role("application", name="3-D view of the cell").focus()
    page.keyboard.press("g")  # no lines on the floor
    shaded = around(bench, SHADED, 3)
    page.keyboard.press("w")
    bench.until("!workcell.bench.panes.now.shadows")
    lit = around(bench, SHADED, 3)
    assert lit.min() > shaded.max() + 8, (lit, shaded)

    bench.ask("workcell.bench.layout.show('light')")
    highlights, shininess = page.get_by_label("Highlights"), page.get_by_label("Shininess")
    highlights.fill("0")
    dull = around(bench, BALL, 20)
    highlights.fill("1")
    bright = around(bench, BALL, 20)
    assert bright.max() > dull.max() + 40, (bright.max(), dull.max())
    shininess.fill("1")
    sharp = around(bench, BALL, 20)
    assert (sharp > 120).sum() < (bright > 120).sum() / 2, "a shinier thing has a smaller highlight"
    assert bench.faults == []
