"""Two windows on one cell: each takes back its own steps, sees what the other has selected, and overwrites nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def names(bench: Bench) -> set[str]:
    return set(bench.ask("workcell.bench.scene.lists.bodies.map((body) => body.name)"))


def test_undo_takes_back_the_last_step_of_its_own_window(open_bench: Callable[..., Bench]) -> None:
    one, two = open_bench(), open_bench()
    one.type("add solid left box 100 100 100 at -500,0,50")
    assert one.answer()["state"] == "done"
    two.type("add solid right box 100 100 100 at -500,400,50")
    assert two.answer()["state"] == "done"
    one.until("workcell.bench.scene.lists.bodies.some((body) => body.name === 'right')")
    one.page.get_by_role("button", name="Undo").click()
    for bench in (one, two):
        bench.until("!workcell.bench.scene.lists.bodies.some((body) => body.name === 'left')")
        assert "right" in names(bench)
    assert "a step of window 1" in two.until("workcell.bench.messages.list.at(-1)?.text")
    two.type("modify object:right colour red")
    assert two.answer()["state"] == "done"
    one.type("modify object:right colour blue")
    assert one.answer()["state"] == "done"
    two.page.get_by_role("button", name="Undo").click()
    text = two.answer()["text"]
    assert "`modify object:right colour red` cannot be undone alone" in text
    assert "by window 1" in text


def test_a_selection_is_seen_in_the_other_window(open_bench: Callable[..., Bench]) -> None:
    one, two = open_bench(), open_bench()
    one.page.get_by_role("tree").get_by_text("box", exact=True).click()
    mark = two.page.get_by_role("tree").get_by_role("img", name="Selected by window 1")
    mark.wait_for()
    assert two.page.get_by_label("Status", exact=True).get_by_text("window 1: box").is_visible()
    assert two.ask("workcell.bench.selection.id") == ""
    one.page.keyboard.press("Escape")
    mark.wait_for(state="detached")
    one.page.get_by_role("tree").get_by_text("table", exact=True).click()
    mark.wait_for()
    one.page.close()
    mark.wait_for(state="detached")


def test_a_slider_in_the_hand_moves_no_other_robot(open_bench: Callable[..., Bench]) -> None:
    one, two = open_bench(), open_bench()
    two.type("create robot P2 puma560")
    two.type("place P2 at 0,1500,0")
    assert two.answer()["state"] == "done"
    one.page.get_by_role("tree").get_by_text("P2", exact=True).click()
    one.page.get_by_role("tab", name="Pendant").click()
    slider = one.page.get_by_role("tabpanel", name="Pendant").get_by_role("slider").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    one.page.mouse.move(box["x"] + box["width"] / 2, middle)
    one.page.mouse.down()
    one.page.mouse.move(box["x"] + 0.7 * box["width"], middle, steps=3)
    one.until("workcell.bench.ghost.poses.size > 0")
    before = one.ask("workcell.bench.log.entries.length")
    two.type("remove robot:P2 --deep")
    assert two.answer()["state"] == "done"
    one.until("workcell.bench.messages.list.some(({ text }) => text === 'P2 was removed while it was being dragged.')")
    one.page.mouse.move(box["x"] + 0.8 * box["width"], middle, steps=3)
    one.page.mouse.up()
    one.page.wait_for_timeout(200)
    assert one.ask("workcell.bench.ghost.poses.size") == 0
    assert one.ask("workcell.bench.log.entries.length") == before


def test_a_sketch_that_the_other_window_reshaped_is_written_over_only_after_a_question(
    open_bench: Callable[..., Bench],
) -> None:
    one, two = open_bench(width=1366, height=768), open_bench()
    for line in (
        "create surface lid-sketch contour (0,0) (100,0) (100,100) (0,100)",
        "extrude lid lid-sketch 50",
        "place lid at 0,800,0",
    ):
        one.type(line)
        assert one.answer()["state"] == "done", one.answer()
    one.until("workcell.bench.scene.lists.bodies.some(({ name }) => name === 'lid')")
    line = one.page.get_by_role("tree").get_by_text("lid", exact=True)
    expect(line).to_have_count(1)  # it is not among the loose things any more
    line.click()
    one.page.get_by_role("button", name="Edit sketch").click()
    height = one.page.get_by_label("Height [mm]")
    height.fill("80")
    height.press("Enter")
    two.type("reshape surface lid-sketch contour (0,0) (200,0) (200,200) (0,200)")
    assert two.answer()["state"] == "done", two.answer()
    said = one.page.get_by_role("alert").filter(has_text="Somebody else has changed lid")
    expect(said).to_be_visible(timeout=90_000)
    expect(one.page.get_by_role("button", name="Change the part")).to_be_disabled()
    said.get_by_role("button", name="Load it again").click()
    expect(said).to_have_count(0)
    expect(one.page.get_by_label("Length of edge 1 [mm]")).to_have_value("200")
    two.type("remove object:lid --deep")
    assert two.answer()["state"] == "done", two.answer()
    expect(one.page.get_by_role("alert").filter(has_text="The sketch of lid is gone")).to_be_visible(timeout=90_000)
