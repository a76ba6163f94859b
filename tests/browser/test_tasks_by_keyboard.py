"""Whole tasks without a mouse, with the focus where a person looks for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from page_bench import PICTURE, Bench
from playwright.sync_api import Locator, expect

from workcell.service.client import connect

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
    bench.until(f"Math.abs(workcell.bench.pendant.tool?.elements[14] - {before[2] + 0.02}) < 1e-6")
    after = np.array(bench.ask("workcell.bench.pendant.tool.elements"))[12:15]
    np.testing.assert_allclose(after - before, (0, 0, 0.02), atol=1e-6)
    slider = page.get_by_role("slider", name="waist", exact=True)
    tab_to(bench, slider, most=90, key="Shift+Tab")
    page.keyboard.press("ArrowRight")
    bench.until("workcell.bench.log.entries.length === 3")
    assert bench.answer()["state"] == "done"

    page.get_by_role("application").focus()
    page.keyboard.press("l")  # what it did is read in the plot
    chart = page.get_by_role("slider", name="Joint values of Puma over time")
    chart.wait_for()
    tab_to(bench, chart, most=90)
    end = bench.ask("workcell.bench.time.duration")
    for key, time, width in (("Home", 0, end), ("PageUp", 0.1, end), ("+", 0.1, end / 2), ("0", 0.1, end)):
        page.keyboard.press(key)
        bench.until(f"Math.abs(workcell.bench.time.time - {time * end}) < 1e-6")
        span = bench.until(f"workcell.bench.plots.span ?? [0, {end}]")
        assert span[1] - span[0] == pytest.approx(width), key
    expect(chart).to_have_attribute("aria-valuetext", f"{0.1 * end:.3f} s; 0.000 s to {end:.3f} s are shown")
    assert bench.faults == []


def press(bench: Bench, name: str, inside: Locator) -> None:
    """Press a button that Tab reaches."""
    button = inside.get_by_role("button", name=name, exact=True)
    tab_to(bench, button)
    bench.page.keyboard.press("Enter")


def do(bench: Bench, action: str) -> None:
    """Run an action that is found by its name."""
    bench.page.keyboard.press("Control+k")
    bench.page.get_by_role("combobox", name="Find an action or a command").fill(action)
    bench.page.keyboard.press("Enter")


def choose(bench: Bench, thing: str, what: str, spot: str) -> None:
    """Choose a face or an edge of an object in the lists beside the view, and take it."""
    form = bench.page.get_by_role("form", name="Choose from a list")
    which = form.get_by_role("combobox", name="Object")
    expect(which).to_be_focused()
    which.select_option(thing)
    form.get_by_role("combobox", name=what).select_option(spot)
    assert bench.ask("workcell.bench.picking.hover?.kind") in what.lower()  # the view shows it
    press(bench, "Take it", form)


def from_elsewhere(bench: Bench, *lines: str) -> None:
    """Give commands beside the page, and wait until it shows what they did."""
    with connect(bench.url) as other:
        for line in lines:
            other.do(line)
    bench.ask(PICTURE)


def list_follows_its_object_alone(bench: Bench) -> None:
    """A choice in the list survives other things of the cell; a new shape of its object lists again, whenever it comes."""
    form = bench.page.get_by_role("form", name="Choose from a list")
    spots = form.get_by_role("combobox", name="Face or edge")
    form.get_by_role("combobox", name="Object").select_option("peg")
    spots.select_option("top")
    spots.focus()
    from_elsewhere(bench, "add solid beside box 50 50 50 at 0,-1500,25")
    expect(form.get_by_role("option", name="beside")).to_be_attached()
    expect(spots).to_be_focused()
    assert bench.ask("workcell.bench.picking.hover?.kind") == "face"
    assert spots.evaluate("(one) => one.selectedOptions[0].text") == "top"
    from_elsewhere(bench, "modify block:peg-solid shape cylinder 40 60", "modify block:peg-solid shape cylinder 50 60")
    expect(spots.get_by_role("option", name="side", exact=True)).to_be_attached()
    expect(spots).to_be_focused()
    assert spots.evaluate("(one) => one.selectedOptions[0].text") == "Choose …"
    assert bench.ask("workcell.bench.picking.hover") is None


def test_faces_and_edges_are_chosen_in_lists(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    bench.type("add solid crate box 400 300 200 at 900,-700,100")
    bench.answer()
    bench.type("add solid peg box 100 80 60 at 300,-900,30")
    bench.answer()
    bench.rest()
    do(bench, "Attach face to face")
    card = page.get_by_role("status").filter(has_text="Pick a face of the thing to attach.")
    press(bench, "From a list", card)
    choose(bench, "peg", "Face", "bottom")
    choose(bench, "peg", "Face", "top")
    expect(page.get_by_text("A thing cannot be attached to itself.")).to_be_visible()
    page.get_by_role("combobox", name="Object", exact=True).focus()
    choose(bench, "crate", "Face", "top")
    joint = page.get_by_role("form", name="Attach face to face")
    expect(joint.get_by_role("button", name="Attach", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    bench.until("workcell.bench.log.entries.at(-1).line === 'face attach peg bottom to crate top'")
    expect(page.get_by_role("application")).to_be_focused()
    assert bench.answer()["state"] == "done"

    do(bench, "Choose a face or edge")
    choose(bench, "crate", "Face or edge", "front")
    offered = page.get_by_role("group", name="With crate.front")
    expect(offered.get_by_role("button", name="A target here")).to_be_focused()
    page.keyboard.press("Enter")
    bench.until("workcell.bench.log.entries.at(-1).line.startsWith('add target target1 900,-850,100')")
    assert bench.answer()["line"].endswith(" on crate")
    do(bench, "Choose a face or edge")
    expect(page.get_by_role("combobox", name="Object", exact=True)).to_be_focused()
    list_follows_its_object_alone(bench)
    page.keyboard.press("Escape")
    expect(page.get_by_role("application").first).to_be_focused()
    do(bench, "Choose a face or edge")
    choose(bench, "crate", "Face or edge", "front + top")
    expect(page.get_by_role("button", name="Targets along this edge …")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("form", name="Targets along crate, front and top")).to_be_visible()
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
