"""Control points of curves and patches are chosen, typed and dragged in the view."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

ARCH = "create curve arch control (1500,0,200) (1600,0,500) (1900,0,500) (2000,0,200)"


def asked(bench: Bench, line: str) -> str:
    """The answer to a command."""
    bench.type(line)
    entry = bench.answer()
    assert entry["state"] == "done", entry
    return str(entry["text"])


def control(bench: Bench, thing: str) -> list[tuple[float, ...]]:
    """The control points of the first row [mm], as the command states them."""
    line = asked(bench, f"control-points {thing}").splitlines()[1]
    return [tuple(float(v) for v in one.split(",")) for one in re.findall(r"\(([^)]*)\)", line)]


def test_a_control_point_is_clicked_dragged_and_typed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    asked(bench, ARCH)
    page.get_by_role("treeitem", name="arch").click()
    bench.until("workcell.bench.forms.nets.size === 1")
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("1")  # from the front
    bench.rest()
    page.mouse.click(*bench.ask("workcell.screen([1.6, 0, 0.5])"))
    expect(page.get_by_label("Control point of arch")).to_have_value("0 1")
    bench.until("!!workcell.layer('workshop')?.controls")  # the arrows are fetched when they are first needed
    bench.rest()
    x, y = bench.ask("workcell.screen([1.6, 0, 0.5])")
    steps = bench.ask("workcell.bench.log.entries.length")
    page.mouse.move(x, y - 38)  # the arrow that points up
    bench.until("workcell.layer('workshop').controls.axis === 'Z'")
    page.mouse.down()
    for i in range(1, 9):
        page.mouse.move(x, y - 38 - 8 * i)
    bench.until("workcell.bench.forms.dragged?.control[0][1][2] > 0.51")
    assert bench.ask("workcell.bench.log.entries.length") == steps, "a drag gives no commands"
    page.mouse.up()
    bench.until(f"workcell.bench.log.entries.length === {steps + 1}")
    assert bench.answer()["line"].startswith("reshape curve arch 2 to ")
    moved = control(bench, "arch")
    assert moved[1][2] > 510
    assert moved[1][:2] == pytest.approx((1600, 0), abs=0.01)
    assert [moved[0], moved[2], moved[3]] == [(1500, 0, 200), (1900, 0, 500), (2000, 0, 200)]

    field = page.get_by_label("Control point z [mm]")
    field.fill("700")
    field.press("Enter")
    bench.until("workcell.bench.log.entries.at(-1).line.endsWith(',700')")
    assert control(bench, "arch")[1] == pytest.approx((1600, 0, 700))
    page.get_by_label("Weight of the control point").fill("3")
    page.get_by_label("Weight of the control point").press("Enter")
    bench.until("workcell.bench.log.entries.at(-1).line.endsWith('weight 3')")
    bench.answer()
    page.get_by_role("button", name="Insert knot").click()
    bench.until("workcell.bench.log.entries.at(-1).line.startsWith('insert knot')")
    bench.answer()
    assert len(control(bench, "arch")) == 5
    for _ in range(4):
        page.get_by_role("button", name="Undo").click()
        bench.answer()
    assert control(bench, "arch")[1] == (1600, 0, 500)
    assert bench.faults == []


def test_a_patch_shows_its_net_and_its_points_are_chosen_in_the_inspector(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    asked(bench, "create patch sheet (1500,0,300) (1500,300,300) row (1800,0,300) (1800,300,500) degrees 1,1")
    page.get_by_role("treeitem", name="sheet").click()
    bench.until("workcell.bench.forms.nets.size === 1")
    page.get_by_label("Control point of sheet").select_option("2, 2")
    field = page.get_by_label("Control point z [mm]")
    expect(field).to_have_value("500")
    field.fill("400")
    field.press("Enter")
    bench.until("workcell.bench.log.entries.at(-1).line === 'reshape patch sheet 2 2 to 1800,300,400'")
    assert bench.answer()["state"] == "done"
    bench.until("Math.abs([...workcell.bench.forms.nets.values()][0].control[1][1][2] - 0.4) < 1e-9")
    assert bench.faults == []
