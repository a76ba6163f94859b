"""What a newcomer does first: an empty cell, a second window, undo in a field, a gripper, a file without an ending."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser
SIZES_SEEN = """
window.sizes = [];
const look = () => {
  const { width, height } = document.querySelector("canvas")?.getBoundingClientRect() ?? {};
  const size = `${width} × ${height}`;
  if (width && size !== window.sizes.at(-1)) window.sizes.push(size);
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Notes the sizes that the view has, one after the other."""


def test_an_empty_cell_says_how_to_begin(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    card = bench.page.get_by_role("region", name="Empty cell")
    expect(card).to_be_hidden()
    before = bench.ask("location.search")
    bench.page.get_by_role("button", name="File", exact=True).click()
    bench.page.get_by_role("menuitem", name="New cell").click()
    bench.until(f"location.search !== {before!r} && !!window.workcell && !!workcell.bench.scene.facts")
    made = bench.until("workcell.bench.cells.current?.id")
    expect(card).to_be_visible()
    card.get_by_role("button", name="Add …").click()
    dialog = bench.page.get_by_role("dialog", name="Add to the cell")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(card).to_be_hidden(timeout=60_000)
    with connect(bench.url) as client:
        client.cells.close(made)


def test_the_view_keeps_its_size_while_the_panels_arrive(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.page.add_init_script(SIZES_SEEN)
    bench.page.reload()
    bench.page.get_by_label("Command", exact=True).wait_for()
    bench.until("window.sizes?.length > 0 && workcell.firstFrame() > 0")
    bench.rest()
    assert len(bench.ask("window.sizes")) == 1


def test_a_second_window_has_the_same_cell(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.page.get_by_role("button", name="Window", exact=True).click()
    with bench.page.context.expect_page() as opened:
        bench.page.get_by_role("menuitem", name="New window").click()
    other = Bench(opened.value, bench.url, [])
    other.until("!!window.workcell && workcell.bench.connection.link === 'open'")
    bench.type("add solid peg cylinder 30 200 at 300,-700,100")
    other.until("!!workcell.bench.scene.lists?.bodies.some((body) => body.name === 'peg')")
    assert "token" not in other.page.url
    assert not bench.faults


def test_undo_in_a_field_whose_value_was_taken_undoes_the_step(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.page.get_by_role("tree").get_by_text("box", exact=True).click()
    field = bench.page.get_by_role("group", name="Place in the world").get_by_role("textbox").first
    before = field.input_value()
    field.fill("444")
    field.press("Control+z")  # while it is typed, the browser takes it back
    expect(field).to_have_value(before)
    field.fill("444")
    field.press("Enter")
    bench.until("workcell.bench.log.entries.at(-1)?.state === 'done'")
    assert str(bench.answer()["line"]).startswith("place box at 444,")
    field.press("Control+z")
    bench.until("workcell.bench.log.entries.at(-1).line === 'undo'")
    assert bench.answer()["state"] == "done"
    expect(field).to_have_value(before)
    field.press("Tab")  # nothing is sent again
    bench.page.wait_for_timeout(300)
    assert bench.answer()["line"] == "undo"
    assert not bench.faults


def test_the_pendant_closes_and_opens_the_gripper(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.page.keyboard.press("p")
    gripper = bench.page.get_by_role("group", name="Gripper")
    gripper.get_by_role("button", name="Open").click()
    assert bench.answer()["line"] == "open-gripper Puma"
    gripper.get_by_role("button", name="Close").click()
    assert bench.answer()["line"] == "close-gripper Puma"
    assert bench.answer()["state"] == "error"  # there is nothing to grip
    bench.type("take-off Puma")
    expect(gripper).to_be_hidden()


def test_a_robot_is_replaced_by_another_of_the_library(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.get_by_role("tree").get_by_text("Puma", exact=True).click()
    page.get_by_role("button", name="Replace …").click()
    dialog = page.get_by_role("dialog", name="Replace Puma")
    expect(dialog.get_by_label("In place of")).to_have_value("Puma")
    options = dialog.get_by_role("listbox", name="Robots of the library").get_by_role("option")
    options.first.focus()
    page.keyboard.press("ArrowRight")
    expect(options.nth(1)).to_be_focused()
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    place = "document.querySelector('[aria-label=\"Robots of the library\"] img')"
    bench.until(f"{place}.naturalWidth > 0")
    assert bench.ask(f"{place}.naturalWidth / {place}.naturalHeight") == pytest.approx(4 / 3)  # nothing is cut off
    top = "document.querySelector('dialog').getBoundingClientRect().top"
    before = bench.ask(top)
    dialog.get_by_label("Find a robot").fill("ur10e")
    expect(dialog.get_by_label("Command of the Add button")).to_have_text("replace robot Puma with ur10e")
    assert bench.ask(top) == before  # the dialog is lower now
    dialog.get_by_role("button", name="Replace", exact=True).click()
    expect(dialog).to_be_hidden(timeout=60_000)
    bench.until("workcell.bench.scene.lists.robots[0].model === 'UR10e'")
    expect(page.get_by_text("Puma is now ur10e instead of puma560").first).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    bench.until("workcell.bench.scene.lists.robots[0].model === 'PUMA 560'")
    assert not bench.faults
