"""Lines that were typed into a program and are not kept: nothing that another window does loses them silently."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import PATIENCE, Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_typed_lines_survive_changes_and_the_removal_of_their_program(open_bench: Callable[..., Bench]) -> None:
    one, two = open_bench(width=1366, height=768), open_bench()
    for line in ('write program first "wait 1"', 'write program second "wait 2"'):
        two.type(line)
        assert two.answer()["state"] == "done", two.answer()
    page = one.page
    page.get_by_role("tab", name="Programs").click()
    chosen = page.get_by_label("Program", exact=True)
    chosen.select_option("first")
    page.get_by_role("button", name="Text", exact=True).click()
    expect(page.locator(".cm-content")).to_have_text("wait 1")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("wait 3")
    expect(page.get_by_text("Not saved yet")).to_be_visible()
    two.type('edit program first "wait 4"')
    assert two.answer()["state"] == "done", two.answer()
    expect(page.get_by_role("button", name="Use their lines")).to_be_visible()
    chosen.select_option("second")
    expect(page.get_by_text("Use their lines or keep yours first.")).to_be_visible()
    expect(chosen).to_have_value("first")
    two.type("remove program:first")
    assert two.answer()["state"] == "done", two.answer()
    again = page.get_by_role("button", name="Create it again")
    expect(again).to_be_visible()
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    with page.expect_event("dialog", timeout=1000 * PATIENCE):
        page.evaluate("setTimeout(() => location.assign('?'))")
    assert asked == ["beforeunload"]
    again.click()
    expect(page.locator(".cm-content")).to_have_text("wait 3")
    expect(again).to_have_count(0)
    assert one.ask("workcell.bench.programs.unkept") is False
    assert one.faults == []


def test_ctrl_z_takes_back_what_was_typed_and_nothing_that_was_loaded(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    for line in ('write program first "wait 1%0Await 11"', 'write program second "wait 2%0Await 22"'):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    page.get_by_role("tab", name="Programs").click()
    chosen = page.get_by_label("Program", exact=True)
    page.get_by_role("button", name="Text", exact=True).click()
    lines = page.locator(".cm-line")

    def undo_five_times() -> None:
        page.locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("5")
        expect(page.get_by_text("Not saved yet")).to_be_visible()
        for _ in range(5):
            page.keyboard.press("Control+z")

    chosen.select_option("first")
    expect(lines).to_have_text(["wait 1", "wait 11"])
    undo_five_times()
    expect(lines).to_have_text(["wait 1", "wait 11"])
    chosen.select_option("second")
    expect(lines).to_have_text(["wait 2", "wait 22"])
    undo_five_times()
    expect(lines).to_have_text(["wait 2", "wait 22"])
    # What somebody else wrote meanwhile stays too.
    page.keyboard.type("5")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved in the cell.")).to_be_visible()
    bench.type('edit program second "home Puma%0Await 2%0Await 225"')
    expect(lines).to_have_text(["home Puma", "wait 2", "wait 225"])
    page.locator(".cm-content").click()
    for _ in range(5):
        page.keyboard.press("Control+z")
    expect(lines).to_have_text(["home Puma", "wait 2", "wait 22"])
    assert bench.faults == []
