"""On a tablet: one finger turns the view, two shift and zoom it, a held button jogs, and fingers find their targets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench
from page_states import prepared, shown, states
from playwright.sync_api import Locator

pytestmark = pytest.mark.browser
LEAST = 32
"""The least side of what a finger presses [pixels]."""
SMALL = """
(least) => [...(document.querySelector("dialog[open]") ?? document.body).querySelectorAll("button, select, [role=treeitem], [role=tab]")]
  .filter((one) => one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !one.closest("svg, p, article li, .cm-editor"))
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && box.height < least)
  .map(([one, box]) => `${one.getAttribute("aria-label") ?? one.textContent.trim().slice(0, 30)}: ${box.height.toFixed(0)}`)
"""


class Fingers:
    """Fingers on the page, in its coordinates."""

    def __init__(self, bench: Bench) -> None:
        self.session = bench.page.context.new_cdp_session(bench.page)

    def put(self, kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": float(x), "y": float(y), "id": i} for i, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def drag(self, bench: Bench, *ways: tuple[tuple[float, float], tuple[float, float]]) -> None:
        """Each finger goes from one point to another."""
        starts, ends = np.array([way[0] for way in ways]), np.array([way[1] for way in ways])
        self.put("touchStart", *map(tuple, starts))
        for share in np.linspace(0.1, 1.0, 10):
            self.put("touchMove", *map(tuple, starts + share * (ends - starts)))
            bench.page.wait_for_timeout(20)
        self.put("touchEnd")
        bench.rest()


def camera(bench: Bench) -> tuple[np.ndarray, np.ndarray]:
    """Where the camera is, and what it looks at."""
    found = np.array(bench.ask("workcell.camera()"))
    return found[:3], found[3:]


def middle(control: Locator) -> tuple[float, float]:
    """The middle of a control, which is scrolled to first."""
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_one_finger_turns_and_two_shift_and_zoom(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=820, height=1180, has_touch=True)
    bench.rest()
    fingers = Fingers(bench)
    before, target = camera(bench)
    fingers.drag(bench, ((400, 600), (520, 600)))
    turned, same = camera(bench)
    np.testing.assert_allclose(same, target, atol=1e-6)  # it turns about what it looks at
    assert np.linalg.norm(turned - before) > 0.2
    assert np.linalg.norm(turned - same) == pytest.approx(np.linalg.norm(before - target), rel=1e-3)
    fingers.drag(bench, ((380, 600), (300, 600)), ((440, 600), (520, 600)))
    close, at = camera(bench)
    assert np.linalg.norm(close - at) < 0.8 * np.linalg.norm(turned - same)  # a pinch zooms
    fingers.drag(bench, ((380, 600), (380, 480)), ((440, 600), (440, 480)))
    shifted, there = camera(bench)
    assert np.linalg.norm(there - at) > 0.05  # two fingers shift
    assert np.linalg.norm(shifted - there) == pytest.approx(np.linalg.norm(close - at), rel=0.05)
    assert bench.ask("workcell.bench.selection.id") == ""
    assert bench.faults == []


def test_a_held_button_jogs_step_by_step_and_a_tap_once(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1024, height=768, has_touch=True)
    page = bench.page
    page.keyboard.press("p")
    page.touchscreen.tap(*middle(page.get_by_role("button", name="z forward", exact=True)))
    bench.until("workcell.bench.log.entries.length === 1 && workcell.bench.log.entries[0].state === 'done'")
    bench.until("!workcell.bench.time.playing")
    fingers = Fingers(bench)
    fingers.put("touchStart", middle(page.get_by_role("button", name="z forward", exact=True)))
    bench.until("workcell.bench.log.entries.length >= 4")
    fingers.put("touchEnd")
    begun = bench.ask("workcell.bench.log.entries.length")
    page.wait_for_timeout(600)
    count = bench.ask("workcell.bench.log.entries.length")
    assert count <= begun + 1  # a step that was under way may be added
    page.wait_for_timeout(800)
    assert bench.ask("workcell.bench.log.entries.length") == count  # it stands still
    assert bench.ask("new Set(workcell.bench.log.entries.map((one) => one.line)).size") == 1
    assert bench.faults == []


def test_fingers_find_their_targets(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=820, height=1180, has_touch=True)
    assert bench.ask("matchMedia('(pointer: coarse)').matches")
    prepared(bench)
    found: dict[str, list[str]] = {}
    for name in states(bench):
        with shown(bench, name):
            for small in bench.page.evaluate(SMALL, LEAST):
                found.setdefault(small, []).append(name)
    assert not found, "\n".join(f"{small} ({places[0]})" for small, places in found.items())


def test_a_finger_cancels_and_takes_what_it_typed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1024, height=768, has_touch=True)
    page = bench.page
    page.keyboard.press("p")
    waist = page.get_by_role("textbox", name="waist [°]")
    waist.tap()
    waist.fill("12")
    page.get_by_role("button", name="Cancel: waist [°]").tap()
    assert waist.input_value() == "0"
    waist.fill("12")
    box = page.get_by_role("button", name="Take: waist [°]").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44
    assert bench.ask("workcell.bench.log.entries.length") == 0, "neither typing nor cancelling is a command"
    page.get_by_role("button", name="Take: waist [°]").tap()
    assert bench.answer()["line"].startswith("move-joints-absolute Puma 12,")
    assert page.get_by_role("button", name="Take: waist [°]").count() == 0
    assert bench.faults == []
