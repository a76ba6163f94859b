"""The handle on the tool of the pendant, dragged with the mouse: the ghost, what is wrong there, and one command."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hand_moves import Point, lines, looked_from, screen, told
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

ORIGIN = "workcell.bench.pendant.tool.elements.slice(12, 15)"
GHOST = "workcell.bench.ghost.poses.size"


def origin(bench: Bench) -> Point:
    """Where the tool is [m]."""
    x, y, z = bench.ask(ORIGIN)
    return x, y, z


def drag(bench: Bench, axis: str, way: float) -> None:
    """Drag an arrow of the handle by a way [m], and hold it there."""
    mouse, along = bench.page.mouse, "xyz".index(axis)
    bench.rest()
    at = list(origin(bench))
    at[along] += bench.ask(f"0.055 * Math.hypot(...{ORIGIN}.map((value, i) => value - workcell.camera()[i]))")
    x, y = screen(bench, (at[0], at[1], at[2]))
    at[along] += way
    to_x, to_y = screen(bench, (at[0], at[1], at[2]))
    mouse.move(x, y)
    bench.until("workcell.layer('handle')?.grabs")
    mouse.down()
    mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=3)
    mouse.move(to_x, to_y, steps=3)


def test_a_dragged_tool_shows_its_arm_and_what_is_wrong_there_and_moves_once(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench("?quality=low", width=1366, height=768)
    page = bench.page
    told(bench, "clear all", "create robot Arm irb6400", "add solid crate box 400 400 400 at 1700,0,1500")
    looked_from(bench, "0")
    page.get_by_role("tab", name="Pendant").click()
    page.get_by_label("Handle in the view", exact=True).select_option("move")
    bench.until("workcell.layer('handle') && workcell.bench.pendant.tool")
    card, readout = page.get_by_role("status", name="Contacts"), page.locator("output.readout")
    done = len(lines(bench))

    drag(bench, "x", 0.5)
    expect(readout).to_contain_text("x +500")
    expect(card).to_contain_text("beyond the limit: joint 3")
    bench.until(f"{GHOST} >= 6")
    page.keyboard.press("Escape")
    page.mouse.up()
    bench.until(f"{GHOST} === 0")
    expect(card).to_be_hidden()

    drag(bench, "z", -0.4)
    expect(card.get_by_role("listitem").first).to_contain_text("crate")
    bench.until("workcell.bench.ghost.touching.size > 1")
    page.keyboard.press("Escape")
    page.mouse.up()

    drag(bench, "x", -0.2)
    expect(card).to_contain_text("Nothing would touch there")
    page.mouse.up()
    bench.until(f"workcell.bench.log.entries.length === {done + 1}")
    moved = re.fullmatch(
        r"move-end-effector Arm (14\d\d(\.\d+)?),0,2075 euler fanuc_wpr 0,90,0", bench.answer()["line"]
    )
    assert moved
    bench.until(f"{GHOST} === 0 && workcell.bench.time.live && !workcell.bench.time.playing")
    bench.until(f"Math.abs({ORIGIN}[0] - {float(moved[1]) / 1000}) < 1e-5")

    before = origin(bench)
    page.get_by_role("group", name="Jog in").get_by_role("button", name="Hand", exact=True).click()
    page.get_by_role("button", name="z forward", exact=True).click()
    bench.until(f"workcell.bench.log.entries.length === {done + 2}")
    assert bench.answer()["line"] == "move-hand Arm 0,0,10"
    bench.until(f"Math.abs({ORIGIN}[0] - {before[0]} - 0.01) < 1e-6")  # its z axis points along x
    assert len(lines(bench)) == done + 2
    assert not bench.faults
