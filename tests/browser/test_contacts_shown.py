"""What touches is marked in red and named, the smallest distance is a line, and what searches tried is drawn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench

pytestmark = pytest.mark.browser
RED = """
(() => {
  const bodies = workcell.layer('solid').bodies;
  const colour = bodies.colourOf(workcell.bench.scene.lists.bodies.find((body) => body.name === %r).id);
  return colour[0] > 2 * colour[1] && colour[0] > 2 * colour[2];
})()
"""


def test_a_forearm_in_a_table_is_red_and_named(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page, card = bench.page, bench.page.get_by_role("status", name="Contacts")
    assert card.count() == 0
    bench.type("set joints Puma 0,-30,-90,0,90,0")
    assert bench.answer()["state"] == "done"
    card.get_by_text("table").first.wait_for(timeout=90_000)
    pair = bench.ask("workcell.bench.contacts.list.find((one) => one.pair.includes('table'))")
    link = next(name for name in pair["pair"] if name != "table")
    assert pair["depth"] > 0.02
    assert "mm deep" in card.inner_text()
    assert bench.until(RED % link)
    assert bench.until(RED % "table")
    card.get_by_role("button", name="1 contact").click()
    assert "mm deep" not in card.inner_text()  # it is folded
    card.get_by_role("button", name="1 contact").click()
    card.get_by_role("button", name=link, exact=True).first.click()
    assert bench.ask("workcell.bench.selection.node.kind") in ("link", "tool")
    card.get_by_role("button", name="Allow", exact=False).first.click()
    card.get_by_label("Why they may touch").fill("it is meant")
    card.get_by_role("button", name="Allow", exact=True).click()
    bench.until("workcell.bench.contacts.list.length === 0")
    bench.ask("workcell.bench.actions.run('window.checks')")
    decisions = page.get_by_role("list", name="Decisions on contacts")
    decisions.get_by_text("allowed: it is meant").wait_for()
    decisions.get_by_role("button", name="Let the rules apply again").click()
    bench.until("workcell.bench.contacts.list.length > 0")
    bench.ask("workcell.bench.actions.run('window.console')")
    for _ in range(3):
        bench.type("undo")
        assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.contacts.list.length === 0")
    assert not bench.ask(RED % "table")
    page.keyboard.press("Escape")
    page.keyboard.press("d")  # the smallest distance
    card.get_by_text("mm between").wait_for(timeout=90_000)
    shown = bench.ask("workcell.bench.contacts.distance")
    length = bench.until("workcell.layer('contact').labels.texts[0]")  # beside the line in the view
    assert length == f"{1000 * shown['length']:.1f} mm"
    length = sum((a - b) ** 2 for a, b in zip(*shown["points"], strict=True)) ** 0.5
    assert length == pytest.approx(shown["length"], abs=1e-6)
    assert bench.faults == []


def test_what_a_search_tried_is_drawn_faintly(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    drawn = "(workcell.layer('tries')?.group.geometry.drawRange.count ?? 0)"
    assert bench.ask(drawn) == 0
    bench.type("add solid pillar box 100 100 1600 at 500,-500,800")
    bench.type("find-path Puma joints -100,0,-90,0,90,0 seed 3 --display-tries")
    assert bench.answer()["state"] == "done", bench.answer()
    assert bench.until(f"{drawn} > 0 && {drawn}") % 2 == 0
    bench.ask("workcell.bench.preferences.toggle('tries')")
    bench.until(f"{drawn} === 0")
    assert bench.faults == []
