"""Tools by hand: lines of the tree under their robots, taken off, fitted elsewhere, changed, renamed and removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
PATIENCE = 90_000


def test_the_tree_shows_what_is_on_a_flange(
    open_bench: Callable[..., Bench], tmp_path_factory: pytest.TempPathFactory
) -> None:
    bench = open_bench(width=1366, height=768)
    page, tree = bench.page, bench.page.get_by_role("tree")
    facts = page.get_by_label("Selection", exact=True)
    tree.get_by_role("button", name="Expand").first.click()
    assert tree.get_by_text("two-finger gripper", exact=True).is_visible()
    bench.type("create tool vac vacuum-2x2")
    tree.get_by_text("Puma", exact=True).click()
    facts.get_by_label("Fit a tool to Puma").select_option("vac")
    bench.until("workcell.bench.scene.lists.robots.some((one) => one.tool === 'vac')")
    assert bench.answer()["line"] == "fit tool vac to Puma", bench.answer()
    expect(tree.get_by_text("vac", exact=True)).to_have_count(1)
    expect(tree.get_by_text("two-finger gripper", exact=True)).to_have_count(0)
    facts.get_by_role("button", name="vac", exact=True).click()
    assert bench.until("workcell.bench.scene.node(workcell.bench.selection.id)?.kind") == "tool"
    assert bench.ask("workcell.bench.scene.node(workcell.bench.selection.id).bodies.length") == 1
    picture: Path = tmp_path_factory.mktemp("pictures") / "tree.png"
    expect(facts.get_by_label("z of the TCP [mm]")).to_have_value("140", timeout=PATIENCE)
    page.screenshot(path=picture)
    facts.get_by_label("z of the TCP [mm]").fill("150")
    facts.get_by_label("z of the TCP [mm]").press("Enter")
    bench.until("workcell.bench.inspected.tcp?.elements[14] === 0.15")
    facts.get_by_label("Name", exact=True).fill("cups")
    facts.get_by_label("Name", exact=True).press("Enter")
    tree.get_by_text("cups", exact=True).wait_for(timeout=PATIENCE)
    tree.get_by_role("button", name="Hide cups", exact=True).click()
    assert bench.ask("workcell.bench.selection.hiddenBodies.size") == 1
    facts.get_by_role("button", name="Take off").click()
    tree.get_by_text("two-finger gripper", exact=True).wait_for(timeout=PATIENCE)
    expect(facts.get_by_role("heading", name="cups")).to_be_visible(timeout=PATIENCE)  # it lies loose, still selected
    facts.get_by_label("The robot that carries cups").select_option("Puma")
    bench.until("workcell.bench.scene.node(workcell.bench.selection.id)?.kind === 'tool'")
    facts.get_by_role("button", name="Remove").click()
    tree.get_by_text("two-finger gripper", exact=True).wait_for(timeout=PATIENCE)
    tree.get_by_text("two-finger gripper", exact=True).click()
    expect(facts).to_contain_text("This gripper belongs to Puma.")
    facts.get_by_role("button", name="Take off").click()
    tree.get_by_text("Puma", exact=True).click()
    facts.get_by_role("button", name="Put back").click()
    tree.get_by_text("two-finger gripper", exact=True).wait_for(timeout=PATIENCE)
    assert bench.faults == []
