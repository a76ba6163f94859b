"""Whole tasks without a mouse, with the focus where a person looks for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.browser


def pressed(key: str) -> str:
    """The expression that presses a key with Ctrl at once."""
    return f"window.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', ctrlKey: true, cancelable: true }}))"


def tab_to(bench: Bench, control: Locator, most: int = 60, key: str = "Tab") -> None:
    """Press Tab until a control has the focus; it must show that it has it."""
    for _ in range(most):
        if control.evaluate("(one) => one === document.activeElement"):
            break
        bench.page.keyboard.press(key)
    expect(control).to_be_focused()
    ring = control.evaluate(
        "(one) => { const s = getComputedStyle(one); return [s.outlineStyle, s.outlineWidth, s.backgroundColor]; }"
    )
    assert ring[0] != "none" or control.get_attribute("aria-label") == "Command", f"no ring: {ring}"


@pytest.mark.own_process
def test_open_a_sample_play_scrub_select_change_and_undo(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.keyboard.press("Control+o")
    dialog = page.get_by_role("dialog", name="Sample cells and files")
    card = dialog.get_by_role("button").filter(has_text="Pick and place").first
    card.wait_for()
    tab_to(bench, card)
    page.keyboard.press("Enter")
    page.wait_for_url("**cell=**")
    bench.until("!!window.workcell && (workcell.bench.time?.duration ?? 0) > 0 && workcell.bench.connection.hello?.id")
    bench.until("workcell.bench.shapes.wanted > 0 && workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    page.keyboard.press("Space")  # play
    bench.until("workcell.bench.time.playing && workcell.bench.time.time > 0.2")
    page.keyboard.press("Space")
    bench.until("!workcell.bench.time.playing")
    line = page.get_by_role("slider", name="Time line")
    tab_to(bench, line, most=90)
    page.keyboard.press("Home")
    assert bench.ask("workcell.bench.time.time") == 0
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    assert bench.ask("workcell.bench.time.time") == pytest.approx(1.1)
    page.keyboard.press("n")  # now
    assert bench.ask("workcell.bench.time.mode") == "now"

    tree = page.get_by_role("tree")
    tab_to(bench, tree.locator("[tabindex='0']").first if tree.get_attribute("tabindex") is None else tree, most=90)
    for _ in range(30):
        page.keyboard.press("ArrowDown")
        if bench.ask("workcell.bench.selection.node?.kind") == "object":
            break
        page.keyboard.press("Enter")
        if bench.ask("workcell.bench.selection.node?.kind") == "object":
            break
    name = bench.ask("workcell.bench.selection.node.name")
    field = page.get_by_label("Selection", exact=True).get_by_label("z of the thing [mm]", exact=True)
    field.wait_for()
    tab_to(bench, field, most=90)
    before = float(field.input_value())
    page.keyboard.type(f"{before + 50:g}")  # the focus selects what is in the field
    page.keyboard.press("Enter")
    bench.until(
        f"workcell.bench.log.entries.at(-1)?.line.startsWith('place ') && workcell.bench.log.entries.at(-1).line.includes({name!r})"
    )
    assert bench.answer()["state"] == "done"
    expect(field).to_have_value(f"{before + 50:g}")
    page.keyboard.press("Escape")
    page.get_by_role("application").first.focus()
    page.keyboard.press("Control+z")
    expect(field).to_have_value(f"{before:g}", timeout=20_000)
    assert bench.answer()["line"] == "undo"


def test_build_a_program_in_the_list(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    bench.type("create program mine")
    bench.answer()
    page.keyboard.press("Escape")
    page.get_by_role("application").focus()
    page.keyboard.press("r")
    which = page.get_by_label("Program", exact=True)
    which.wait_for()
    tab_to(bench, which, most=90)
    if bench.ask("workcell.bench.programs.open") != "mine":
        page.keyboard.type("mine")
    bench.until("workcell.bench.programs.open === 'mine'")
    for kind in ("wait", "move"):
        add = page.get_by_role("button", name="Add step")
        tab_to(bench, add, most=90)
        page.keyboard.press("Enter")
        page.keyboard.type(kind)
        page.get_by_role("dialog", name="Add a step").get_by_role("button").first.wait_for()
        page.keyboard.press("Enter")
        bench.until(f"workcell.bench.programs.text.includes('{kind}')")
    assert bench.faults == []


def test_jog_a_robot(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("application").focus()
    page.keyboard.press("p")
    up = page.get_by_role("button", name="z forward", exact=True)
    up.wait_for()
    before = np.array(bench.until("workcell.bench.pendant.tool?.elements"))[12:15]
    tab_to(bench, up, most=90)
    page.keyboard.press("Space")
    bench.until("workcell.bench.log.entries.length === 1 && !workcell.bench.time.playing")
    assert bench.answer()["line"].startswith("move-hand Puma 0,0,10")
    page.keyboard.press("Enter")
    bench.until(
        "workcell.bench.log.entries.length === 2 && workcell.bench.log.entries[1].state === 'done' && !workcell.bench.time.playing"
    )
    page.wait_for_timeout(400)
    after = np.array(bench.until("workcell.bench.pendant.tool?.elements"))[12:15]
    np.testing.assert_allclose(after - before, (0, 0, 0.02), atol=1e-6)
    slider = page.get_by_role("slider", name="waist", exact=True)
    tab_to(bench, slider, most=90, key="Shift+Tab")
    page.keyboard.press("ArrowRight")
    bench.until("workcell.bench.log.entries.length === 3")
    assert bench.answer()["state"] == "done"
    assert bench.faults == []


def test_dialogs_give_the_focus_back_also_when_one_opens_another(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    view = page.get_by_role("application")
    for key, name in (
        ("a", "Add to the cell"),
        ("Control+Shift+S", "Save the cell as"),
        ("Control+,", "Preferences"),
        ("?", "Keys and actions"),
        ("Control+k", "Find an action or a command"),
        ("Control+o", "Sample cells and files"),
    ):
        view.focus()
        page.keyboard.press(key)
        dialog = page.get_by_role("dialog", name=name)
        dialog.wait_for()
        assert dialog.evaluate("(one) => one.contains(document.activeElement)"), name
        for _ in range(40):  # Tab stays in the dialog
            page.keyboard.press("Tab")
        assert bench.ask("document.activeElement === document.body || !!document.activeElement.closest('dialog')"), name
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(view).to_be_focused()
    # A key that is pressed at once after a dialog was closed, before the browser says so: it opens the same one or another.
    gallery = page.get_by_role("dialog", name="Sample cells and files")
    page.keyboard.press("Control+o")
    gallery.wait_for()
    bench.ask("document.querySelector('dialog').close()," + pressed("o"))
    page.wait_for_timeout(100)
    gallery.wait_for()
    bench.ask("document.querySelector('dialog').close()," + pressed("k"))
    page.get_by_role("combobox", name="Find an action or a command").fill("keys and actions")
    page.keyboard.press("Enter")
    help_dialog = page.get_by_role("dialog", name="Keys and actions")
    expect(help_dialog).to_be_visible()
    page.wait_for_timeout(300)
    expect(help_dialog).to_be_visible()  # the palette, closing, does not close it
    page.keyboard.press("Escape")
    expect(view).to_be_focused()
    assert bench.faults == []
