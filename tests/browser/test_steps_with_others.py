"""The list of steps while somebody else edits the program: the steps in use stay the same ones, and nothing typed is lost silently."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import Locator, expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser


def opened(open_bench: Callable[..., Bench], lines: list[str]) -> tuple[Bench, Locator]:
    """The list of the steps of a new program."""
    bench = open_bench("?quality=low", 1366, 768)
    with connect(bench.url) as client:
        client.call("write program", name="work", text="\n".join(lines))
    bench.page.get_by_role("tab", name="Programs").click()
    bench.page.get_by_role("combobox", name="Program").select_option("work")
    listed = bench.page.get_by_role("list", name="Steps of work")
    expect(listed.locator("[data-line='1']")).to_be_visible()
    return bench, listed


def test_steps_in_use_are_followed_when_somebody_else_edits_the_program(open_bench: Callable[..., Bench]) -> None:
    bench, listed = opened(open_bench, ["wait 1"] * 5)
    page = bench.page

    def row(line: int) -> Locator:
        return listed.locator(f"[data-line='{line}'] button.row")

    def becomes(*wanted: str) -> None:
        bench.until(f"workcell.bench.programs.outline.text === {chr(10).join(wanted)!r}")

    with connect(bench.url) as other:
        # What is typed stays in its step, and changes that one.
        row(3).click()
        field = page.get_by_label("seconds", exact=True)
        field.fill("30")
        other.do('insert-step work 1 "wait 9"')
        expect(listed.locator("[data-line='4'] input")).to_have_value("30")
        field.press("Enter")
        becomes("wait 9", "wait 1", "wait 1", "wait 30", "wait 1", "wait 1")

        # Somebody else sets the same field: that is said, and Enter takes one's own.
        field.fill("31")
        other.do("set-step work 4 seconds 7")
        expect(page.get_by_role("alert")).to_contain_text("Somebody else changed it to “7”.")
        expect(field).to_have_value("31")
        field.press("Enter")
        becomes("wait 9", "wait 1", "wait 1", "wait 31", "wait 1", "wait 1")

        # The step goes away: what was typed is told.
        field.fill("32")
        other.do("remove-step work 4")
        expect(page.get_by_role("alert")).to_contain_text("You typed: 32")
        becomes("wait 9", "wait 1", "wait 1", "wait 1", "wait 1")

        # Selected steps are followed.
        other.call("edit program", program="work", text="wait 1\nwait 2\nwait 3\nwait 4\nwait 5")
        becomes("wait 1", "wait 2", "wait 3", "wait 4", "wait 5")
        row(4).click()
        row(5).click(modifiers=["Control"])
        other.do('insert-step work 1 "wait 9"')
        becomes("wait 9", "wait 1", "wait 2", "wait 3", "wait 4", "wait 5")
        row(6).press("Delete")
        becomes("wait 9", "wait 1", "wait 2", "wait 3")

        # So is a step that is dragged, and the place where it is dropped.
        start, end = row(4).bounding_box(), row(2).bounding_box()
        assert start
        assert end
        page.mouse.move(start["x"] + 60, start["y"] + 8)
        page.mouse.down()
        page.mouse.move(start["x"] + 62, start["y"] - 12, steps=3)
        page.mouse.move(end["x"] + 60, end["y"] + 3, steps=3)
        other.do('insert-step work 5 "wait 8"')
        other.do('insert-step work 1 "wait 7"')
        expect(row(6)).to_be_visible()
        page.mouse.move(end["x"] + 62, end["y"] + 30, steps=3)
        page.mouse.up()
        becomes("wait 7", "wait 9", "wait 3", "wait 1", "wait 2", "wait 8")
    assert not bench.faults


def test_an_edit_of_lines_that_the_page_has_not_seen_is_refused_and_what_was_typed_stays(
    open_bench: Callable[..., Bench],
) -> None:
    bench, listed = opened(open_bench, ["wait 1", "wait 1", "wait 1"])
    bench.ask("workcell.bench.programs.reload = () => Promise.resolve()")  # a page that hears of nothing
    listed.locator("[data-line='2'] button.row").click()
    with connect(bench.url) as other:
        other.do('insert-step work 1 "wait 1"')
        field = bench.page.get_by_label("seconds", exact=True)
        field.fill("30")
        field.press("Enter")
        expect(bench.page.get_by_role("alert")).to_contain_text(
            "changed program 'work' meanwhile: `insert-step work 1 \"wait 1\"`"
        )
        expect(field).to_have_value("30")
        assert "30" not in str(other.do("outline work"))


def test_a_program_of_two_thousand_steps_is_a_short_list_in_the_document(open_bench: Callable[..., Bench]) -> None:
    bench, listed = opened(open_bench, [f"wait {1 + number % 7}" for number in range(2000)])
    assert bench.ask("document.querySelectorAll('[data-line]').length") < 80
    first = listed.locator("[data-line='1'] button.row")
    first.click()
    bench.page.get_by_label("seconds", exact=True).fill("5")
    listed.evaluate("(list) => list.parentElement.scrollTo(0, list.scrollHeight)")
    last = listed.locator("[data-line='2000'] button.row")
    expect(last).to_be_visible()
    expect(listed.locator("li[data-line='2000']")).to_have_attribute("aria-posinset", "2000")
    expect(listed.locator("[data-line='1']")).to_have_count(1)  # something was typed into it
    assert bench.ask("document.querySelectorAll('[data-line]').length") < 80
    last.click()
    bench.until("workcell.bench.programs.outline.text.startsWith('wait 5')")
    for line in range(1999, 1970, -1):
        bench.page.keyboard.press("ArrowUp")
        bench.until(f"document.activeElement.closest('[data-line]')?.dataset.line === '{line}'")
    assert not bench.faults


def test_typing_does_nothing_else_when_somebody_removes_the_program(open_bench: Callable[..., Bench]) -> None:
    bench, listed = opened(open_bench, ["wait 1"] * 3)
    page = bench.page
    grid = "workcell.bench.panes.now.grid"
    listed.locator("[data-line='2'] button.row").click()
    page.get_by_label("seconds", exact=True).click()
    with connect(bench.url) as other:
        before = bench.ask(grid)
        other.do("remove program:work")
        bench.until("workcell.bench.programs.open !== 'work'")
        page.keyboard.type("gcd1")
        page.keyboard.press("Delete")
        assert bench.ask(grid) == before
    expect(page.get_by_text("Program work was removed.")).to_be_visible()
    page.get_by_role("button", name="OK", exact=True).click()
    expect(page.get_by_text("Program work was removed.")).to_have_count(0)
    page.keyboard.press("g")  # no panel has the focus now
    bench.until(f"{grid} !== {str(before).lower()}")
