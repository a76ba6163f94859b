"""The gallery of sample cells, cells in tabs, and saving, as a person uses them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.commands.cell import Cell

pytestmark = [pytest.mark.browser, pytest.mark.own_process]

READY = (
    "!!(window.workcell && workcell.bench.scene.facts && workcell.bench.shapes.wanted > 0"
    " && workcell.bench.shapes.here === workcell.bench.shapes.wanted)"
)

SEEN = """
(async () => {
  const { left, right, top, bottom } = document.querySelector("[data-view]").getBoundingClientRect();
  const places = [...(await workcell.bench.recording.sweep()).values()].flat().map((pose) => workcell.screen([...pose.slice(0, 3)]));
  return places.length > 100 && places.every(([x, y]) => x > left && x < right && y > top && y < bottom);
})()
"""
"""Whether the view shows all places of the recording."""


def test_the_hand_over_is_two_presses_away_and_plays_to_its_end(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("button", name="Open a cell").click()
    samples = page.get_by_role("list", name="Samples")
    expect(samples.get_by_role("button")).not_to_have_count(0, timeout=90_000)
    assert samples.get_by_role("button").count() >= 12
    samples.get_by_role("button", name="Two Pumas hand over a sphere").click()
    page.wait_for_url("**cell=*", timeout=90_000)
    bench.until(READY)
    bench.until("workcell.bench.time.duration > 26")
    tabs = page.get_by_role("navigation", name="Open cells")
    expect(tabs.get_by_role("button", name="Two Pumas hand over a sphere", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    bench.until(SEEN)  # an arm goes far above where it rests
    page.get_by_role("combobox", name="Speed").select_option(label="10×")
    page.get_by_role("button", name="Play", exact=True).click()
    bench.until("workcell.bench.time.time > 2")
    bench.until("!workcell.bench.time.playing && workcell.bench.time.time > 26")
    ball = bench.ask("[...workcell.bench.scene.picture.bodies.values()].find((body) => body.name === 'ball').id")
    shown = bench.ask(f"workcell.pose({ball!r}).slice(12, 15)")
    end = bench.ask(f"[...workcell.bench.scene.picture.bodies.get({ball!r}).pose].slice(0, 3)")
    assert shown == pytest.approx(end, abs=2e-4)
    page.keyboard.press("Home")
    bench.until(f"Math.abs(workcell.pose({ball!r})[12] - {end[0]}) > 0.1")
    assert bench.faults == []


def test_cells_are_tabs_that_are_made_saved_and_closed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("button", name="File", exact=True).click()
    page.get_by_role("menuitem", name="New cell").click()
    page.wait_for_url("**cell=*", timeout=90_000)
    bench.until("!!(window.workcell && workcell.bench.scene.facts)")
    bench.type("add solid peg cylinder 30 200 at 0,0,100")
    assert bench.answer()["state"] == "done", bench.answer()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="File", exact=True).click()
    page.get_by_role("menuitem", name="Save as").click()
    field = page.get_by_role("dialog").get_by_label("File", exact=True)
    expect(field).to_be_focused()
    page.keyboard.type("made")  # the name is selected, and its ending is not
    expect(field).to_have_value("made.cell")
    page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0, timeout=90_000)
    tabs = page.get_by_role("navigation", name="Open cells")
    expect(tabs.get_by_role("button", name="made.cell", exact=True)).to_be_visible(timeout=90_000)
    assert bench.ask("workcell.bench.scene.lists.bodies.length") == 1
    saved = Path(bench.ask("workcell.bench.cells.current.file"))
    expect(tabs.get_by_role("button", name="made.cell", exact=True)).to_have_attribute("title", str(saved))
    with Cell.open(saved, read_only=True) as kept:
        assert [body.name for body in kept.snapshot().bodies] == ["peg"]
    tabs.get_by_role("button", name="Close made.cell").click()
    page.wait_for_url(lambda url: "cell=" not in url, timeout=90_000)
    bench.until(READY)
    bench.until("workcell.bench.cells.list.length === 1")  # the cell in memory is closed a second after it was saved
    for file in saved.parent.glob("made.cell*"):
        file.unlink()
    assert bench.faults == []


def test_a_changed_cell_in_memory_is_not_closed_without_asking_and_its_other_window_hears_of_it(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("button", name="File", exact=True).click()
    page.get_by_role("menuitem", name="New cell").click()
    page.wait_for_url("**cell=*", timeout=90_000)
    bench.until("!!(window.workcell && workcell.bench.scene.facts)")
    bench.type("add solid peg cylinder 30 200 at 0,0,100")
    bench.until("workcell.bench.scene.facts.undo !== ''")
    other = open_bench("?" + page.url.split("?")[1])
    page.get_by_role("navigation", name="Open cells").get_by_role("button", name="Close ").click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("is not saved in a file")
    question.get_by_role("button", name="Cancel").click()
    assert bench.ask("workcell.bench.cells.list.length") == 2
    page.get_by_role("navigation", name="Open cells").get_by_role("button", name="Close ").click()
    question.get_by_role("button", name="Close without saving").click()
    page.wait_for_url(lambda url: "cell=" not in url, timeout=90_000)
    said = other.page.get_by_role("alert")
    expect(said).to_have_count(1, timeout=90_000)
    expect(said).to_contain_text("This cell was closed.")
    other.page.reload()
    expect(said).to_contain_text("This cell was closed.", timeout=90_000)
    said.get_by_role("button", name="Show the first cell").click()
    other.page.wait_for_url(lambda url: "cell=" not in url, timeout=90_000)
    other.until(READY)


def test_the_address_that_the_server_prints_opens_the_gallery(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench("#gallery")
    expect(bench.page.get_by_role("dialog", name="Sample cells and files")).to_be_visible(timeout=90_000)
    assert "token" not in bench.page.url
