"""A cell of 2,000 things: what is sent, what is in the document, and what is drawn are counted, not timed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_bench import Bench
from playwright.sync_api import Browser
from server_process import READY, free_port, serving, window

from workcell.commands.cell import Cell

pytestmark = pytest.mark.browser
COUNT = 2000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.cell"
    with Cell.create(path) as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        for i in range(COUNT):
            cell.do(f"add solid b{i} box 40 40 40 at {1200 + 60 * (i % 50)},{-1200 + 60 * (i // 50)},20")
    return path


@pytest.fixture(scope="module")
def bench(browser: Browser, large: Path) -> Iterator[Bench]:
    with serving(large, free_port()) as (url, _), window(browser, url) as opened:
        received: list[int] = []

        def count(frame: str | bytes) -> None:
            received.append(len(frame))

        opened.page.on("websocket", lambda socket: socket.on("framereceived", count) and None)
        opened.page.reload()
        opened.until(f"!!window.workcell && {READY}")
        opened.received = received  # type: ignore[attr-defined]
        yield opened


def test_an_edit_sends_its_difference_and_not_the_cell(bench: Bench) -> None:
    received: list[int] = bench.received  # type: ignore[attr-defined]
    assert sum(received) > 20_000  # the whole cell was sent once
    received.clear()
    bench.type("place b7 at 0,-900,20")
    bench.until("workcell.bench.log.entries.at(-1).state === 'done'")  # `answer` would ask for the whole state
    body = bench.ask("workcell.bench.scene.lists.bodies.find((body) => body.name === 'b7').id")
    bench.until(f"Math.abs(workcell.pose({body!r})[13] + 0.9) < 1e-6")
    bench.page.wait_for_timeout(300)
    assert 0 < sum(received) < 10_000


def test_only_what_is_seen_is_in_the_document(bench: Bench) -> None:
    tree = bench.page.get_by_role("tree")
    assert bench.ask("document.querySelectorAll('*').length") < 1500
    assert bench.ask("workcell.stats().calls") <= 12  # instances of one shape are drawn together
    last = bench.ask("workcell.bench.scene.lists.nodes.find((node) => node.name === 'b1999').id")
    bench.ask(f"workcell.bench.selection.select({last!r})")
    tree.get_by_text("b1999", exact=True).wait_for(timeout=90_000)  # it is brought into view
    assert tree.get_by_text("b0", exact=True).count() == 0
    assert bench.ask("document.querySelectorAll('*').length") < 1500


def test_an_arrow_key_changes_few_elements(bench: Bench) -> None:
    bench.page.get_by_role("tree").get_by_text("b1999", exact=True).click()
    bench.page.wait_for_timeout(500)
    bench.ask(
        """(window.touched = 0, new MutationObserver((all) => (window.touched += all.length))
          .observe(document.querySelector('[role=tree]'), { subtree: true, childList: true, attributes: true }), 0)"""
    )
    before = bench.ask("workcell.bench.selection.id")
    bench.page.keyboard.press("ArrowUp")
    bench.until(f"workcell.bench.selection.id !== {before!r}")
    bench.page.wait_for_timeout(300)
    assert bench.ask("window.touched") < 200


def test_only_what_moves_is_streamed(bench: Bench) -> None:
    bench.type("move-joints-relative Puma 20,0,0,0,0,0")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.recording.info.duration > 0")
    moving = set(bench.ask("workcell.bench.recording.info.moving"))
    robot = set(
        bench.ask(
            "workcell.bench.scene.lists.bodies.filter((body) => body.name.startsWith('Puma/')).map((body) => body.id)"
        )
    )
    assert moving
    assert moving <= robot


def test_shapes_that_nobody_has_any_more_are_freed(bench: Bench) -> None:
    stored = "workcell.layer('solid').bodies.stored.size"
    before = bench.until(f"{READY} && {stored}")
    for number in range(20):
        bench.ask(f"workcell.bench.log.press('add solid s box {50 + number} 50 50 at 0,900,100')")
        bench.until("workcell.bench.scene.lists.bodies.some((body) => body.name === 's')")
        if number % 10 == 0:
            assert bench.until(f"{READY} && {stored}") == before + 1
        bench.ask("workcell.bench.log.press('undo')")
        bench.until("!workcell.bench.scene.lists.bodies.some((body) => body.name === 's')")
    assert bench.ask(stored) == before
    loader = "workcell.layer('solid').loader.asked.size"
    assert bench.ask(loader) == before


def test_the_script_is_sent_compressed(bench: Bench) -> None:
    sizes = bench.ask(
        "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.js'))"
        ".map((one) => [one.encodedBodySize, one.decodedBodySize])"
    )
    large = [(sent, whole) for sent, whole in sizes if whole > 4000]  # a few hundred bytes gain nothing
    assert large
    assert all(sent < 0.5 * whole for sent, whole in large)
