"""Help: the reference from the declarations, the guide on a panel, three levels, the tour and the preferences."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.commands.language.registry import registry

pytestmark = pytest.mark.browser
FRAMED = """
(() => {
  const card = document.querySelector(".card[role=dialog]");
  const { left, top, right, bottom } = card.previousElementSibling.getBoundingClientRect();
  const around = ({ left: x, top: y, right: u, bottom: v }) => [x - left, y - top, right - u, bottom - v].every((gap) => Math.abs(gap - 3) < 1);
  const others = [...document.querySelectorAll(".app *")].filter((one) => !card.contains(one) && one !== card.previousElementSibling);
  return right - left > 20 && bottom - top > 20 && others.some((one) => around(one.getBoundingClientRect()));
})()
"""
"""Whether the frame of the tour is around something of the page."""
FOCUSED_IN = "(id) => !!document.activeElement?.closest(`[data-place=${id}]`)"


def test_the_reference_is_that_of_the_registry_and_its_examples_can_be_tried(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.get_by_role("application").focus()
    page.keyboard.press("Shift+F1")
    dialog = page.get_by_role("dialog", name="Commands")
    options = dialog.get_by_role("option")
    expect(options).to_have_count(len(registry().commands))
    field = dialog.get_by_role("combobox", name="Find a command")
    expect(field).to_be_focused()
    field.fill("smallest distance")  # words of the help, not of the name
    assert "clearance" in options.all_inner_texts()
    assert options.count() < 20
    field.fill("create zone")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    command = registry().named("create zone")
    article = dialog.get_by_role("article", name="The command create zone")
    expect(article).to_contain_text(command.syntax.shown())
    for shown, _, _ in command.explained():
        expect(article.get_by_role("rowheader", name=shown, exact=True)).to_be_visible()
    line = next(one for one in command.examples if not one.startswith("> "))
    article.get_by_role("button", name=f"Try it: {line}", exact=True).press("Enter")
    expect(dialog).to_have_count(0)
    console = page.get_by_label("Command", exact=True)
    expect(console).to_be_focused()
    expect(console).to_have_value(line)
    assert bench.faults == []


def test_f1_explains_the_panel_that_has_the_focus(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.keyboard.press("p")
    for place, focus, title in (
        ("pendant", "[aria-label='waist']", "The pendant"),
        ("console", "[aria-label='Command']", "What is where"),
        ("time", "[aria-label='Time line']", "Now and playback"),
    ):
        page.locator(focus).first.focus()
        assert page.evaluate(FOCUSED_IN, place)
        page.keyboard.press("F1")
        dialog = page.get_by_role("dialog", name="Guide")
        expect(dialog.get_by_role("article", name=title)).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        assert page.evaluate(FOCUSED_IN, place), "the focus comes back"
    assert bench.faults == []


def test_three_levels_of_help(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    status = page.get_by_role("contentinfo", name="Status")
    field = page.get_by_label("Command", exact=True)

    def level(name: str) -> None:
        page.keyboard.press("Control+,")
        page.get_by_role("radio", name=name).check()
        page.keyboard.press("Escape")

    field.focus()
    expect(status).to_contain_text("Tab lists what may come next")  # prompts are what a new user gets
    page.get_by_role("application").focus()
    level("Errors only")
    field.focus()
    expect(status).not_to_contain_text("Tab lists")
    bench.type("wrong")
    expect(status).to_contain_text("wrong")
    page.get_by_role("application").focus()
    level("Explained")
    bench.type("move-joints-relative Puma 1,0,0,0,0,0")
    card = page.get_by_role("status", name="Explained: move-joints-relative")
    expect(card).to_contain_text(registry().named("move-joints-relative").details.split(".")[0])
    card.get_by_role("button", name="OK").click()
    expect(card).to_have_count(0)
    bench.type("move-joints-relative Puma 1,0,0,0,0,0")
    bench.answer()
    expect(card).to_have_count(0)  # it is understood
    bench.type("contacts")
    expect(page.get_by_role("status", name="Explained: contacts")).to_be_visible()
    page.reload()
    bench.until("!!window.workcell && workcell.bench.preferences.general.help === 'explained'")  # kept


def test_the_tour_shows_real_controls_and_is_offered_once(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=820, height=1180)
    page = bench.page
    page.get_by_role("button", name="Open a cell", exact=True).click()
    page.get_by_role("button", name="Take the tour").click()
    titles = []
    for number in range(1, 9):
        card = page.get_by_role("dialog", name=f"Tour, step {number} of 8")
        expect(card).to_be_visible()
        titles.append(card.get_by_role("heading").inner_text())
        expect(card.get_by_role("button", name="Next" if number < 8 else "Done")).to_be_focused()
        bench.until(FRAMED)
        box = card.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= 820
        assert box["y"] + box["height"] <= 1180
        page.keyboard.press("Enter")
    assert len(set(titles)) == 8
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.wait_for_load_state("networkidle")  # the panels that the tour has shown are here
    page.reload()
    bench.until("!!window.workcell && workcell.bench.connection.link === 'open'")
    page.keyboard.press("Control+o")
    page.get_by_role("dialog", name="Sample cells and files").wait_for()
    expect(page.get_by_role("button", name="Take the tour")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")  # but it can be taken again
    page.get_by_role("combobox", name="Find an action or a command").fill("tour of")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Tour, step 1 of 8")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("dialog", name="Tour, step 2 of 8")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert bench.faults == []


def test_preferences_are_kept_and_units_are_those_of_the_cell(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.keyboard.press("Control+,")
    dialog = page.get_by_role("dialog", name="Preferences")
    dialog.get_by_role("combobox", name="Theme").select_option("dark")
    dialog.get_by_role("combobox", name="Sharpness of the view").select_option(label="Plain and fast")
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted && workcell.stats().triangles > 0")
    dialog.get_by_role("checkbox", name="Grid").uncheck()
    dialog.get_by_role("combobox", name="Unit of lengths").select_option("m")
    assert bench.answer()["line"] == "units m deg"
    page.keyboard.press("Escape")
    expect(page.get_by_role("contentinfo", name="Status").get_by_text("m, deg", exact=True)).to_be_visible()
    page.reload()
    bench.until("!!window.workcell && workcell.bench.connection.link === 'open' && !!workcell.bench.recording.info")
    assert bench.ask("document.documentElement.dataset.theme") == "dark"
    assert bench.ask("workcell.bench.preferences.general.sharpness") == "low"
    assert not bench.ask("workcell.bench.preferences.view.grid")
    bench.until("workcell.bench.scene.units.length === 'm'")
    assert bench.faults == []
