"""Panels are moved between docks, by a drag and by the keyboard, and two are shown in one dock."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.browser
TYPED_AT_ONCE = """
Object.entries(%s).forEach(([label, text]) => {
  const field = [...document.querySelectorAll("input")].find((one) => one.ariaLabel === label);
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
})
"""


def place(one: Locator) -> dict[str, float]:
    box = one.bounding_box()
    assert box is not None
    return {"x": box["x"], "y": box["y"], "right": box["x"] + box["width"], "bottom": box["y"] + box["height"]}


def test_a_panel_is_dragged_to_another_dock_and_back_by_its_menu(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    pendant = page.get_by_role("tab", name="Pendant")
    left, right = (page.get_by_role("region", name=f"The {side} panels") for side in ("left", "right"))
    pendant.hover()
    page.mouse.down()
    over = place(left)
    page.mouse.move(over["x"] + 90, over["bottom"] - 40, steps=4)
    page.get_by_text("To the left dock, below").wait_for()
    mark = place(page.get_by_text("To the left dock, below").locator(".."))
    assert (mark["right"], mark["bottom"]) == pytest.approx((over["right"], over["bottom"]), abs=4)
    page.keyboard.press("Escape")
    assert page.get_by_text("To the left dock").count() == 0
    page.mouse.up()
    assert right.get_by_role("tab", name="Pendant").count() == 1  # Escape took the drag back
    pendant.hover()
    page.mouse.down()
    page.mouse.move(over["x"] + 90, over["bottom"] - 40, steps=4)
    page.get_by_text("To the left dock, below").wait_for()
    page.mouse.up()
    back = left.get_by_role("button", name="x back", exact=True)
    back.click()
    assert bench.answer()["state"] == "done"
    assert left.get_by_role("tree").is_visible(), "the tree and the pendant are seen together"
    page.keyboard.press("r")
    assert left.get_by_role("button", name="x back", exact=True).is_visible()
    assert right.get_by_role("tab", name="Programs").get_attribute("aria-selected") == "true"
    border = left.get_by_role("separator", name="Border between the left panels")
    before = place(pendant)["y"]
    border.focus()
    page.keyboard.press("ArrowUp")
    assert place(pendant)["y"] == pytest.approx(before - 20, abs=1.5)
    page.reload()
    bench.until("!!window.workcell && workcell.bench.shapes.wanted > 0")
    assert place(pendant)["y"] == pytest.approx(before - 20, abs=1.5)
    left.get_by_role("button", name="Put the left panels below with the others").click()
    assert border.count() == 0
    pendant.focus()
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("menu", name="Pendant")
    menu.get_by_role("menuitem", name="Move Pendant to the lower dock").press("Enter")
    lower = page.get_by_role("region", name="The lower panels")
    expect(lower.get_by_role("tab", name="Pendant")).to_be_focused()
    page.get_by_role("button", name="Window", exact=True).click()
    page.get_by_role("menuitem", name="Reset the layout").click()
    assert right.get_by_role("tab", name="Pendant").count() == 1
    assert bench.faults == []


def test_keys_jog_while_the_pendant_has_the_focus(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.keyboard.press("p")
    pad = page.get_by_role("group", name="Pendant of Puma")
    pad.focus()
    page.keyboard.press("PageUp")
    assert bench.answer()["line"] == "move-hand Puma 0,0,10 along world"
    bench.until("!workcell.bench.time.playing")
    page.get_by_role("button", name="Joints", exact=True).click()
    page.keyboard.press("2")
    page.keyboard.press("-")
    bench.until("workcell.bench.log.entries.length === 2")
    assert bench.answer()["line"] == "move-joints-relative Puma 0,-5,0,0,0,0"
    bench.until("!workcell.bench.time.playing")
    page.keyboard.down("+")
    bench.until("workcell.bench.log.entries.length >= 4")  # it goes on
    page.keyboard.up("+")
    bench.until("!workcell.bench.time.playing && workcell.bench.log.entries.at(-1).state === 'done'")
    page.wait_for_timeout(600)
    count = bench.ask("workcell.bench.log.entries.length")
    page.get_by_role("textbox", name="waist [°]").focus()
    for key in ("PageUp", "+", "2"):
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.get_by_role("application").focus()
    page.keyboard.press("+")
    page.wait_for_timeout(600)
    assert bench.ask("workcell.bench.log.entries.length") == count, "a field and the view keep their keys"
    assert bench.faults == []


def test_the_camera_is_typed_and_bars_are_switched_off(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    bench.rest()
    page.keyboard.press("Alt+u")
    eye = page.get_by_role("textbox", name="x of the eye [mm]")
    target = page.get_by_role("textbox", name="z of the target [mm]")
    eye.fill("3000")
    eye.press("Enter")
    bench.until("Math.abs(workcell.camera()[0] - 3) < 1e-3")
    target.fill("50cm")
    target.press("Enter")
    bench.rest()
    camera = bench.ask("workcell.camera()")
    assert [camera[0], camera[5]] == pytest.approx([3.0, 0.5], abs=1e-3)
    # What is typed before the next frame is drawn does not put back what was typed last.
    bench.ask(TYPED_AT_ONCE % ({eye.get_attribute("aria-label"): "3100", target.get_attribute("aria-label"): "60cm"}))
    bench.rest()
    camera = bench.ask("workcell.camera()")
    assert [camera[0], camera[5]] == pytest.approx([3.1, 0.6], abs=1e-3)
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_role("menuitem", name="Zoom in").click()
    bench.until("workcell.camera()[0] < 3.09")
    bench.rest()
    assert float(eye.input_value()) == pytest.approx(1000 * bench.ask("workcell.camera()[0]"), abs=0.11)
    page.get_by_role("textbox", name="Zoom", exact=True).fill("-1")
    page.keyboard.press("Enter")
    page.get_by_text("The zoom must be more than 0.").wait_for()
    page.keyboard.press("Escape")
    for name in ("Toolbar", "Status bar"):
        page.get_by_role("button", name="View", exact=True).click()
        page.get_by_role("menuitemcheckbox", name=name).click()
    page.reload()
    bench.until("!!window.workcell && workcell.bench.shapes.wanted > 0")
    assert [page.get_by_role("toolbar").count(), page.get_by_role("contentinfo").count()] == [0, 0]
    assert bench.faults == []
