"""Conditions and branches that a person adds to a program, stepped into, out of and back, at another speed, to the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import Locator, expect
from test_programs_panel import OVER, PAUSED, add, opened

pytestmark = pytest.mark.browser

TIME = "workcell.bench.programs.info.time"
LINES = (
    "if ready",
    "  wait 1",
    "else if true",
    "  call part",
    "else",
    "end",
    "parallel",
    "  wait 1",
    "and",
    "  wait 1",
    "and",
    "  wait 3",
    "end",
)


def test_conditions_and_branches_are_made_stepped_and_run_by_hand(open_bench: Callable[..., Bench]) -> None:
    bench, page = opened(open_bench)
    bench.type('write program part "move-joints-relative Puma 10,0,0,0,0,0%0Await 1"')
    bench.type('write program other "wait 1"')
    panel = page.get_by_role("region", name="Programs", exact=True)
    panel.get_by_role("combobox", name="Program", exact=True).select_option("turns")
    listed = page.get_by_role("list", name="Steps of turns")
    run = page.get_by_role("status", name="The run")
    speed = page.get_by_role("textbox", name="Override [%]")

    def press(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).click()

    def typed(field: Locator, value: str) -> None:
        field.fill(value)
        field.press("Enter")

    def becomes(*wanted: str) -> None:
        bench.until(f"workcell.bench.programs.outline.text === {chr(10).join(wanted)!r}")

    def row(line: int) -> Locator:
        return listed.locator(f"[data-line='{line}'] button.row")

    add(page, "wait", "Wait ")
    becomes("wait 1")
    press("If")
    typed(listed.get_by_label("condition", exact=True), "ready")
    becomes("if ready", "  wait 1", "end")
    press("+ Else")
    expect(row(3)).to_be_focused()  # for the next key
    row(1).click()
    press("+ Else if")
    becomes("if ready", "  wait 1", "else if true", "else", "end")
    add(page, "call", "Call")
    listed.get_by_label("program", exact=True).select_option("part")
    becomes(*LINES[:6])
    row(1).click()
    row(1).click()  # nothing is selected: the next step comes at the end
    add(page, "parallel", "Parallel")
    becomes(*LINES[:10], "end")
    press("+ Branch")
    expect(row(11)).to_be_focused()
    row(12).click()
    typed(listed.get_by_label("seconds", exact=True), "3")
    becomes(*LINES)

    typed(speed, "50")
    press("Run step by step")
    bench.until(PAUSED)
    press("Step into")
    expect(run).to_contain_text("before line 4 of turns")
    press("Step into")
    expect(run).to_contain_text("before line 1 of part")
    expect(page.get_by_role("list", name="Steps of part")).to_be_visible()
    typed(speed, "100")
    bench.until("workcell.bench.programs.info.override === 100")
    press("Step over")
    expect(run).to_contain_text("before line 2 of part")
    fast = bench.ask(TIME)
    press("Step back")
    press("Step back")
    expect(run).to_contain_text("before line 4 of turns")
    expect(listed.locator("[aria-current=step]")).to_contain_text("Call")
    assert bench.ask(TIME) == 0
    expect(speed).to_have_value("50")  # as it was then
    press("Step into")
    press("Step over")
    expect(run).to_contain_text("before line 2 of part")
    slow = bench.ask(TIME)
    assert slow > 1.8 * fast
    press("Step out")
    expect(run).to_contain_text("before line 7 of turns")
    press("Resume the run")
    bench.until(OVER)
    bench.until(f"Math.abs(workcell.bench.recording.info.duration - {slow + 4}) < 1e-6")  # 1 s in part, 3 s in a branch
    joint = bench.ask("workcell.bench.scene.picture.robots.values().next().value.values[0]")
    assert abs(joint - 10 * 3.14159265 / 180) < 1e-6
    expect(speed).to_have_value("100")  # what was set last is for the next run
    assert not bench.faults
