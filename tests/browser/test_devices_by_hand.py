"""Devices by hand: a robot on a rail, a belt that runs, and things that go home."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
PATIENCE = 90_000


def test_a_robot_is_mounted_a_belt_runs_and_its_part_goes_home(
    open_bench: Callable[..., Bench], tmp_path_factory: pytest.TempPathFactory
) -> None:
    bench = open_bench(width=1366, height=768)
    page, tree = bench.page, bench.page.get_by_role("tree")
    facts = page.get_by_label("Selection", exact=True)
    for line in (
        "add rail track 3000 at 0,2500,0",
        "add conveyor belt 2000 at 0,-1500,0",
        "add solid crate box 100 100 50 at 200,-1500,725 --movable",
    ):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    tree.get_by_text("crate", exact=True).wait_for(timeout=PATIENCE)
    tree.get_by_text("Puma", exact=True).click()
    carrier = facts.get_by_label("What Puma is mounted on")
    carrier.select_option("track")
    expect(carrier).to_have_value("track", timeout=PATIENCE)  # still selected, though it has another place in the scene
    expect(tree.get_by_text("on track", exact=True)).to_be_visible(timeout=PATIENCE)
    height = facts.get_by_label("z of the base on track [mm]")
    height.fill("50")
    height.press("Enter")
    bench.until("Math.abs((workcell.bench.inspected.mounted?.pose.elements[14] ?? 0) - 0.05) < 1e-9")
    tree.get_by_text("track", exact=True).click()
    expect(facts.get_by_role("heading", name="track", exact=True)).to_be_visible()
    expect(facts.get_by_role("region", name="Joints").get_by_role("slider")).to_have_count(1)
    expect(facts.get_by_label("What track is mounted on")).to_have_count(0)  # no device carries another one
    tree.get_by_text("Puma", exact=True).click()
    facts.get_by_role("button", name="Unmount").click()
    expect(carrier).to_have_value("", timeout=PATIENCE)
    expect(facts.get_by_label("z of the thing [mm]")).to_have_value("300")

    tree.get_by_text("belt", exact=True).click()
    belt = facts.get_by_role("group", name="Belt of belt")
    belt.get_by_label("Speed of belt [mm/s]").fill("150")
    belt.get_by_role("button", name="Run").click()
    expect(belt.get_by_role("status")).to_have_text("The belt runs at 150 mm/s.", timeout=PATIENCE)
    speed = belt.get_by_label("Speed of belt [mm/s]")
    speed.fill("200")
    speed.press("Enter")
    belt.get_by_role("button", name="Wait").click()
    page.get_by_role("button", name="Now", exact=True).click(timeout=PATIENCE)
    expect(speed).to_have_value("200")  # the belt has moved, and what was typed is still there
    bench.type("where crate")
    assert "carried by belt" in bench.answer()["text"], bench.answer()
    belt.get_by_role("button", name="Stop").click()
    expect(belt.get_by_role("status")).to_have_text("The belt stands still.", timeout=PATIENCE)

    tree.get_by_text("crate", exact=True).click()
    facts.get_by_role("button", name="Home").click()
    bench.until("Math.abs((workcell.bench.inspected.pose?.elements[12] ?? 0) - 0.2) < 1e-9")
    assert bench.answer()["line"] == "send-home crate"
    assert bench.faults == []
