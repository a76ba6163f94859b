"""A click picks a zone by its faces and edges; what is solid inside it, or before it, is picked first."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hand_moves import Point, looked_from, pointed, told
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
SELECTED = "workcell.bench.selection.node?.name ?? ''"
EDGES = "workcell.layer('ghost').group.children[0].children[1].material.color.getHexString()"


def picked(bench: Bench, point: Point) -> str:
    """The name of what a click at a point of the world [m] selects."""
    bench.page.get_by_label("3-D view of the cell").focus()
    bench.page.keyboard.press("Escape")
    bench.until(f"({SELECTED}) === ''")
    pointed(bench, point, click=True)
    return str(bench.ask(SELECTED))


def test_a_zone_is_picked_by_a_click_and_what_is_in_it_first(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(
        bench,
        "add zone gate box 600 600 600 at 0,-1500,300",
        "add solid inside box 200 200 200 at -150,-1500,100",
        "add solid behind box 200 200 600 at 150,-900,300",
        "add solid before box 100 100 100 at 200,-2000,50",
    )
    bench.until("workcell.layer('ghost').group.children.length === 1")
    looked_from(bench, "1")
    plain = bench.ask(EDGES)
    pointed(bench, (0.15, -1.8, 0.4))
    expect(bench.page.locator(".under").get_by_text("gate", exact=True)).to_be_visible()
    expect(bench.page.get_by_label("Status", exact=True)).to_contain_text("gate")
    bench.until(f"{EDGES} !== '{plain}'")
    assert picked(bench, (0.15, -1.8, 0.4)) == "gate", "what is behind the zone is not picked through it"
    expect(bench.page.get_by_role("treeitem", selected=True)).to_contain_text("gate")
    assert picked(bench, (-0.1, -1.8, 0.5)) == "gate", "with nothing behind it"
    assert picked(bench, (-0.15, -1.8, 0.1)) == "inside"
    assert picked(bench, (0.2, -2.05, 0.05)) == "before"
    assert picked(bench, (0.305, -1.8, 0.4)) == "gate", "an edge, from a little beside it"
    assert picked(bench, (0.6, -1.8, -0.12)) == "", "below the floor is nothing"
    bench.page.get_by_role("tree").get_by_text("gate", exact=True).click()
    bench.page.get_by_label("Selection", exact=True).get_by_role("button", name="Hide", exact=True).click()
    assert picked(bench, (0.15, -1.8, 0.4)) == "behind"
    assert not bench.faults


def test_a_section_is_put_into_a_face_behind_a_zone(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(bench, "add zone gate box 600 600 600 at 0,-1500,300", "add solid behind box 400 200 600 at 0,-900,300")
    bench.until("workcell.layer('ghost').group.children.length === 1")
    looked_from(bench, "1")
    bench.page.keyboard.press("k")
    bench.page.get_by_label("Section at").fill("-5000")
    bench.page.keyboard.press("Enter")
    bench.page.get_by_role("button", name="Cut at a face").click()
    pointed(bench, (0, -1.8, 0.4), click=True)
    bench.until("Math.abs(workcell.bench.panes.list[0].section.at + 1) < 1e-6")
    assert not bench.faults
