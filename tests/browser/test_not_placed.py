"""Blocks, flat surfaces and drafts that nothing uses have lines in the tree; a block is put into the scene from there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_what_nothing_uses_is_in_the_tree_and_a_block_is_placed_from_there(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    for line in (
        "create surface square contour (0,0) (100,0) (100,100) (0,100)",
        "create block spare box 300 300 300",
        "draft robot arm 2",
    ):
        bench.type(line)
    tree = bench.page.get_by_role("tree")
    expect(tree.get_by_text("Not placed")).to_be_visible()
    for name in ("square", "arm"):
        expect(tree.get_by_text(name, exact=True)).to_be_visible()
    tree.get_by_text("spare", exact=True).click()
    expect(bench.page.get_by_role("group", name="Block spare")).to_be_visible()
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    bench.page.get_by_role("button", name="Place", exact=True).click()
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 1}")
    bench.until("workcell.bench.scene.tree.find((one) => one.id === 'loose').children.length === 2")
    bench.type("undo")
    bench.until("workcell.bench.scene.tree.find((one) => one.id === 'loose').children.length === 3")
    assert not bench.faults
