"""One window has a slow link: the others see each other's changes and selections as before, and it catches up later."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from page_bench import Bench
from playwright.sync_api import Browser
from server_process import free_port, serving, window

from workcell.commands.cell import Cell

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from slow_link import slowed

pytestmark = pytest.mark.browser
EDITS = 40
FAST, SLOW = 5e6, 1500.0  # bytes a second
BODIES = "workcell.bench.scene.lists.bodies.length"


def test_a_slow_window_holds_up_no_other_and_catches_up(browser: Browser, tmp_path: Path) -> None:
    with Cell.create(tmp_path / "a.cell") as cell:
        cell.do("add solid first box 100 100 100 at 0,0,50")
    with (
        serving(tmp_path / "a.cell", free_port()) as (url, _),
        slowed(url, FAST) as link,
        window(browser, url) as one,
        window(browser, url) as two,
        window(browser, link.url) as slow,
    ):
        link.rate = SLOW
        for number in range(EDITS):
            one.type(f"add solid s{number} box {50 + number} 50 50 at {100 * number},500,50")
            assert one.answer()["state"] == "done", one.answer()
        two.until(f"{BODIES} === {EDITS + 1}")
        assert slow.ask(BODIES) < EDITS + 1  # it is still behind, and nobody waited for it
        one.page.get_by_role("tree").get_by_text("s3", exact=True).click()
        chosen = one.ask("workcell.bench.selection.id")
        selected = f"[...workcell.bench.selection.others.values()].flat().includes({chosen!r})"
        two.until(selected)
        link.rate = FAST
        slow.until(f"{BODIES} === {EDITS + 1}")
        slow.until(selected)
        assert state(slow) == state(two) == state(one)


def state(bench: Bench) -> str:
    bodies = "workcell.bench.scene.lists.bodies.map((one) => [one.id, one.name, one.pose])"
    return str(bench.ask(f"JSON.stringify([workcell.bench.scene.lists.revision, ...{bodies}])"))
