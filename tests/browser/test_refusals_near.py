"""A refusal stands where its cause is: at the field, or in the dialog; and keys work where fields have the focus."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
PATIENCE = 90_000


def test_a_refused_field_keeps_what_was_typed_and_has_the_reason(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("tab", name="Pendant").click()
    first = bench.ask("workcell.bench.pendant.robot.joints[0].name")
    field = page.get_by_label(f"{first} [°]", exact=True)
    field.fill("999")
    field.press("Enter")
    reason = page.get_by_role("alert")
    expect(reason).to_have_count(1, timeout=PATIENCE)  # at the field, and no message besides
    expect(reason).to_contain_text("out of its range")
    expect(field).to_have_value("999")
    expect(field).to_have_attribute("aria-invalid", "true")
    box, note = field.bounding_box(), reason.bounding_box()
    assert box is not None
    assert note is not None
    assert abs(note["y"] - box["y"]) < 150
    field.fill("20")
    expect(reason).to_have_count(0)
    field.press("Enter")
    bench.until("Math.abs(workcell.bench.pendant.robot.values[0] - Math.PI / 9) < 1e-6")
    expect(field).to_have_attribute("aria-invalid", "false")
    assert bench.faults == []


def test_a_dialog_shows_what_was_refused_in_it(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("button", name="Add …").click()
    dialog = page.get_by_role("dialog", name="Add to the cell")
    size = dialog.get_by_label("Size x [mm]", exact=True)
    size.fill("0")
    size.press("Enter")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("must be more than zero", timeout=PATIENCE)
    size.fill("100")
    expect(dialog.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    bench.until("workcell.bench.opened === ''")
    page.keyboard.press("Control+o")
    gallery = page.get_by_role("dialog", name="Sample cells and files")
    gallery.get_by_label("Cell file").fill("nothing.cell")
    gallery.get_by_label("Cell file").press("Enter")
    expect(gallery.get_by_role("alert")).to_contain_text("nothing.cell", timeout=PATIENCE)
    assert bench.faults == []


def test_keys_with_ctrl_alt_and_function_keys_work_in_the_console(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    console = page.get_by_label("Command", exact=True)
    for key, dialog in (("Control+o", "Sample cells and files"), ("Control+Comma", "Preferences")):
        console.click()
        page.keyboard.press(key)
        expect(page.get_by_role("dialog", name=dialog)).to_be_visible(timeout=PATIENCE)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    console.fill("move")
    page.keyboard.press("Control+a")  # selects the text, and adds nothing
    page.keyboard.press("Home")
    expect(console).to_have_value("move")
    page.keyboard.press("Alt+k")
    bench.until("workcell.bench.workshop.tool === 'sketch'")
    assert bench.faults == []


def test_the_field_of_a_signal_takes_a_comma_and_refuses_what_is_no_number(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    bench.type("create signal ready")
    page.get_by_role("tab", name="Signals").click()
    field = page.get_by_label("Value of ready", exact=True)
    field.fill("0,5")
    field.press("Enter")
    value = "workcell.bench.programs.info.signals.find((one) => one.name === 'ready').value"
    bench.until(f"{value} === 0.5")
    for typed in ("abc", "10cm", ""):
        field.fill(typed)
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Type a number")
        expect(field).to_have_attribute("aria-invalid", "true")
    field.press("Escape")
    expect(field).to_have_value("0.5")
    assert bench.ask(value) == 0.5
    assert bench.faults == []
