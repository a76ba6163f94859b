"""A move of a program that a person plans: its way in the view, the free one that is used instead, and why there is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect
from test_programs_panel import opened

pytestmark = pytest.mark.browser

WAYS = """workcell.layer('planned').group.children.map((line) => {
  const [red, green] = line.geometry.attributes.instanceColorStart.array;
  return green > red ? "green" : "red";
})"""


def test_a_move_is_planned_shown_and_replaced_by_a_free_one(open_bench: Callable[..., Bench]) -> None:
    bench, page = opened(open_bench)
    for line in (
        "clear all",
        "create robot Puma puma560 joints -70,0,-90,0,90,0",
        "add solid post box 100 100 2000 at 600,0,0",
        "add solid crate box 200 200 200 at 400,800,600",
        'write program turns "move-joints-absolute Puma 60,0,-90,0,90,0%0Await 1"',
    ):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    page.get_by_role("combobox", name="Program", exact=True).select_option("turns")
    listed = page.get_by_role("list", name="Steps of turns")
    move = listed.locator("[data-line='1'] button.row")
    plan = listed.get_by_role("button", name="Plan", exact=True)
    page.set_viewport_size({"width": 1280, "height": 560})  # so low that the list has to be scrolled to the answer
    move.click()
    plan.click()
    expect(listed).to_contain_text("post touch at")
    expect(listed.get_by_text("Another path takes")).to_be_in_viewport()
    bench.until(f"{WAYS}.join() === 'red,green'")
    listed.get_by_role("button", name="Use it").click()
    bench.until("workcell.bench.programs.outline.text.startsWith('find-path Puma joints 60')")
    plan.click()
    expect(listed.get_by_text("proved free of contacts")).to_be_in_viewport()
    bench.until(f"{WAYS}.join() === 'green'")
    move.click()
    bench.until(f"{WAYS}.length === 0")  # the step is closed

    # Where the hand would end in the crate, there is no such way.
    page.get_by_role("button", name="Undo", exact=True).click()
    bench.until("workcell.bench.programs.outline.text.startsWith('move-joints-absolute')")
    move.click()
    field = listed.get_by_label("joints", exact=True)
    field.fill("70,0,-90,0,90,0")
    field.press("Enter")
    bench.until("workcell.bench.programs.outline.text.includes('70,0')")
    plan.click()
    expect(listed).to_contain_text("No other path: Puma touches something at the joint values: Puma/two-finger gripper")
    bench.until(f"{WAYS}.join() === 'red'")
    expect(listed.get_by_role("button", name="Use it")).to_be_hidden()
    assert not bench.faults
