"""Plots and the Gantt chart linked to the time line, and two runs compared, as a person uses them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser
MOVE = "move-joints-relative Puma 40,0,0,0,0,0"


def moved(bench: Bench, line: str = MOVE) -> None:
    """Move the robot, and wait until its motion was shown."""
    bench.type(line)
    assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.time.duration > 0 && !workcell.bench.time.playing")


def test_a_plot_has_the_joints_and_a_click_shows_that_moment(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    moved(bench)
    page.get_by_role("tab", name="Plots").click()
    chart = page.get_by_role("slider", name="Joint values of Puma over time")
    chart.wait_for(timeout=90_000)
    curves = page.get_by_role("list", name="Curves")
    expect(curves.get_by_role("button")).to_have_count(6)
    first = curves.get_by_role("button").filter(has_text="waist")
    expect(first).to_contain_text("deg")
    end = math.degrees(bench.ask("workcell.bench.plots.answer.value[0].lines[0].values.at(-1)"))
    expect(first).to_contain_text(f"{end:.2f}")  # the playhead is at the end
    box = chart.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 200)
    duration = bench.ask("workcell.bench.time.duration")
    assert bench.ask("workcell.bench.time.mode") == "playback"
    shown = bench.ask("workcell.bench.time.time")
    assert 0.4 * duration < shown < 0.6 * duration
    joint = bench.until("workcell.bench.recording.joints(workcell.bench.plots.robots.robot.id)")[0]
    expect(first).not_to_contain_text(f"{end:.2f}")
    value = float(first.locator(".number").inner_text())
    assert value == pytest.approx(math.degrees(joint), abs=0.05)  # what is drawn is where the arm is
    page.keyboard.press("Home")  # and the playhead of the time line moves that of the plot
    start = math.degrees(bench.ask("workcell.bench.plots.answer.value[0].lines[0].values[0]"))
    expect(first.locator(".number")).to_have_text(f"{start:.{3 if abs(start) < 10 else 2}f}")
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 3)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 3, steps=4)
    page.mouse.up()  # a zoom: what is visible is asked for again
    begin, last = bench.until("workcell.bench.plots.span")
    assert duration > last - begin == pytest.approx(0.2 * duration, rel=0.2)
    bench.until(f"workcell.bench.plots.answer.value[0].times[0] === {begin}")
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    bench.until("!workcell.bench.plots.span && workcell.bench.plots.answer.value[0].times[0] === 0")
    page.keyboard.press("Home")
    first.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    for quantity, name in (("Joint speeds", "flange"), ("Tool speed", "tool"), ("Clearance", "clearance")):
        page.get_by_role("combobox", name="Quantity").select_option(label=quantity)
        page.get_by_role("slider", name=f"{quantity} of Puma over time").wait_for(timeout=90_000)
        expect(curves.get_by_role("button").filter(has_text=name)).to_be_visible()
    assert bench.faults == []


def test_a_kept_run_is_drawn_beside_the_next_and_compared(
    open_bench: Callable[..., Bench], forget: Callable[[str], None]
) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    moved(bench)
    page.get_by_role("tab", name="Plots").click()
    page.get_by_role("button", name="Save this run").click()
    bench.until("workcell.bench.plots.file.endsWith('.rec') && !!workcell.bench.plots.answer.value?.[1]")
    forget(bench.ask("workcell.bench.plots.file"))
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("are the same").wait_for(timeout=90_000)
    page.get_by_role("tab", name="Console").click()
    moved(bench, "move-joints-relative Puma 0,5,0,0,0,0")
    page.get_by_role("tab", name="Plots").click()
    bench.until(
        "workcell.bench.plots.answer.value?.[0].times.at(-1) > workcell.bench.plots.answer.value?.[1].times.at(-1)"
    )
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("the present recording continues for").wait_for(timeout=90_000)
    page.get_by_role("button", name="Show 0:").click()
    assert bench.ask("workcell.bench.time.time") == pytest.approx(
        bench.ask("workcell.bench.plots.difference.value.time"), abs=1e-6
    )
    assert bench.faults == []


def test_the_gantt_chart_has_who_works_when_and_a_press_shows_it(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    moved(bench)
    first = bench.ask("workcell.bench.time.duration")
    moved(bench, "move-joints-relative Puma -40,0,0,0,0,0")
    page.get_by_role("tab", name="Gantt").click()
    bars = page.get_by_role("group", name="Puma").get_by_role("button")
    expect(bars).to_have_count(2, timeout=90_000)
    bars.nth(1).click()
    assert bench.ask("workcell.bench.time.time") == pytest.approx(first, abs=1e-6)
    with connect(bench.url) as other:
        other.do("move-joints-relative Puma 0,-5,0,0,0,0")  # the chart follows the recording
    expect(bars).to_have_count(3, timeout=90_000)
    assert bench.faults == []
