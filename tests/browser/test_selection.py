"""What the panel shows about a selection is about the thing itself, whatever others call it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench

from workcell.service.client import connect

pytestmark = pytest.mark.browser


def test_the_panel_follows_a_robot_that_another_client_renames(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    tree, panel = bench.page.get_by_role("tree"), bench.page.get_by_label("Selection", exact=True)
    tree.get_by_text("Puma", exact=True).click()
    panel.get_by_role("heading", name="Puma", exact=True).wait_for(timeout=90_000)
    selected = bench.ask("workcell.bench.selection.id")
    with connect(bench.url) as other:
        other.do("modify Puma name Wasp")
        tree.get_by_text("Wasp", exact=True).wait_for(timeout=90_000)
        panel.get_by_role("heading", name="Wasp", exact=True).wait_for(timeout=10_000)
        assert panel.get_by_role("heading", name="Puma", exact=True).count() == 0
        assert bench.ask("workcell.bench.selection.id") == selected
        other.do("undo")
    panel.get_by_role("heading", name="Puma", exact=True).wait_for(timeout=10_000)
