"""The dialog *Add*, as a person uses it: other things than shapes, the first thing of a cell, robots by their reach."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.browser
PATIENCE = 90_000
SEEN = """
(() => {
  const at = workcell.bench.inspected.pose?.elements.slice(12, 15);
  const [x, y] = at ? workcell.screen(at) : [0, 0];
  const { left, right, top, bottom } = document.querySelector("[data-view]").getBoundingClientRect();
  return x > left && x < right && y > top && y < bottom;
})()
"""
"""Whether the selected thing is in the picture."""


def opened(bench: Bench, tab: str) -> Locator:
    bench.page.get_by_role("banner").get_by_role("button", name="Add …").click()
    dialog = bench.page.get_by_role("dialog", name="Add to the cell")
    dialog.get_by_role("tab", name=tab).click()
    return dialog


def test_sensors_devices_zones_and_signals_are_added(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    tree = bench.page.get_by_role("tree")
    for what, line in (
        ("conveyor", "add conveyor conveyor-1 2000 at "),
        ("target", "add target target-1 "),
        ("light barrier", "add light-barrier light-barrier-1 length 1000 at "),
        ("zone", "add zone zone-1 box 500 500 500 at "),
    ):
        if what == "zone":
            bench.ask("workcell.bench.view.pan(4, 0)")  # away from everything
        dialog = opened(bench, "More")
        dialog.get_by_label("Kind of thing", exact=True).select_option(what)
        expect(dialog.get_by_label("Command of the Add button")).to_contain_text(line)
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog).to_have_count(0, timeout=PATIENCE)
        assert bench.answer()["state"] == "done", bench.answer()
        name = line.split()[2]
        expect(bench.page.get_by_label("Selection", exact=True).get_by_role("heading", name=name)).to_be_visible(
            timeout=PATIENCE
        )
        if what == "target":
            bench.until("workcell.layer('marks')?.named.includes('target-1')")  # written beside it in the view
        if what == "zone":
            bench.until(SEEN, 20)
    expect(tree.get_by_text("target-1", exact=True)).to_be_visible()  # its group opens with its first target
    assert bench.faults == []


def test_the_first_robot_of_a_cell_stands_at_the_origin_and_is_found_by_its_reach(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench(width=1366, height=768)
    for name in ("Puma", "box", "table"):
        bench.type(f"remove {name} --deep")
        assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.scene.picture.bodies.size === 0")
    dialog = opened(bench, "Robot")
    dialog.get_by_label("Find a robot").fill("6400")
    reach = dialog.get_by_label("Least reach [mm]")
    reach.fill("2000")
    reach.press("Enter")
    expect(dialog.get_by_role("option")).to_have_count(1, timeout=PATIENCE)
    expect(dialog.get_by_role("option")).to_contain_text("≈ 2233 mm")
    expect(dialog.get_by_label("Command of the Add button")).to_have_text("create robot irb6400-1 irb6400 at 0,0,0")
    payload = dialog.get_by_label("Least payload [kg]")
    payload.fill("1000")
    expect(dialog).to_contain_text("No robot of the library matches.")
    expect(dialog.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    payload.fill("100")
    expect(dialog.get_by_role("option")).to_contain_text("150 kg")
    for field in (dialog.get_by_label("Find a robot"), reach, payload):
        field.fill("")  # an empty field asks for nothing
    bench.until("document.querySelectorAll('[role=dialog] [role=option], dialog [role=option]').length > 5")
    assert bench.faults == []
