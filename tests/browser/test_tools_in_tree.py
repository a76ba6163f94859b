"""Tools and grippers are lines under their robots in the tree of the page; they can be selected and hidden there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_bench import Bench

pytestmark = pytest.mark.browser


def test_the_tree_shows_what_is_on_a_flange(
    open_bench: Callable[..., Bench], tmp_path_factory: pytest.TempPathFactory
) -> None:
    bench = open_bench()
    page, tree = bench.page, bench.page.get_by_role("tree")
    tree.get_by_role("button", name="Expand").first.click()
    assert tree.get_by_text("two-finger gripper", exact=True).is_visible()
    for line in ("create tool vac vacuum-2x2", "fit tool vac to Puma"):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    tree.get_by_text("vac", exact=True).wait_for(timeout=90_000)
    assert tree.get_by_text("two-finger gripper", exact=True).count() == 0
    tree.get_by_text("vac", exact=True).click()
    assert bench.until("workcell.bench.scene.node(workcell.bench.selection.id)?.kind") == "tool"
    assert bench.ask("workcell.bench.scene.node(workcell.bench.selection.id).bodies.length") == 1
    picture: Path = tmp_path_factory.mktemp("pictures") / "tree.png"
    page.screenshot(path=picture)
    tree.get_by_role("button", name="Hide vac", exact=True).click()
    assert bench.ask("workcell.bench.selection.hiddenBodies.size") == 1
    bench.type("take-off Puma")
    tree.get_by_text("two-finger gripper", exact=True).wait_for(timeout=90_000)
    assert tree.get_by_text("vac", exact=True).count() == 0
