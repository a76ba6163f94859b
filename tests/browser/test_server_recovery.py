"""The server is killed and started again: the page says so, finds it by itself, and shows the cell as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_bench import PATIENCE, Bench
from playwright.sync_api import Browser
from server_process import READY, free_port, serving, window

from workcell.commands.cell import Cell

pytestmark = pytest.mark.browser
WAIT = 1e3 * PATIENCE


def made(path: Path, *names: str) -> Path:
    with Cell.create(path) as cell:
        for number, name in enumerate(names):
            cell.do(f"add solid {name} box 100 100 100 at {300 * number},0,50")
    return path


def bodies(bench: Bench) -> set[str]:
    return set(bench.ask("workcell.bench.scene.lists.bodies.map((body) => body.name)"))


def test_a_killed_server_is_missed_found_again_and_nothing_that_was_kept_is_lost(
    browser: Browser, tmp_path: Path
) -> None:
    cell, port = made(tmp_path / "a.cell", "first"), free_port()
    with serving(cell, port) as (url, process), window(browser, url) as bench:
        page = bench.page
        bench.type("add solid kept box 100 100 100 at 600,0,50")
        assert bench.answer()["state"] == "done"
        page.get_by_role("tree").get_by_text("first", exact=True).click()
        selected = bench.ask("workcell.bench.selection.id")
        process.kill()
        page.get_by_text("Disconnected, reconnecting").first.wait_for(timeout=WAIT)
        page.get_by_role("alert").get_by_text("The server does not answer; reconnecting.").wait_for(timeout=WAIT)
        bench.type("add solid lost box 100 100 100 at 900,0,50")
        refused = bench.answer()
        assert (refused["state"], "connection" in refused["text"]) == ("error", True)
        with serving(cell, port):
            page.get_by_text("Connected", exact=True).wait_for(timeout=WAIT)
            bench.until("workcell.bench.scene.lists.bodies.length === 2")
            assert bodies(bench) == {"first", "kept"}
            assert bench.ask("workcell.bench.selection.id") == selected
            assert bench.ask("workcell.bench.jobs.list.length") == 0
            bench.type("add solid late box 100 100 100 at 900,0,50")
            assert bench.answer()["state"] == "done"
            bench.until(f"workcell.bench.scene.lists.bodies.length === 3 && {READY}")
            late = bench.ask("workcell.bench.scene.lists.bodies.find((body) => body.name === 'late').id")
            assert bench.until(f"workcell.pose({late!r}).slice(12, 15)") == pytest.approx([0.9, 0.0, 0.05])


def test_a_server_that_comes_back_with_another_cell_shows_that_one(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    with (
        serving(made(tmp_path / "a.cell", "one", "two"), port) as (url, process),
        window(browser, url) as bench,
    ):
        bench.page.get_by_role("tree").get_by_text("two", exact=True).click()
        process.kill()
        with serving(made(tmp_path / "b.cell", "other"), port):
            bench.until("workcell.bench.connection.hello.cell === 'b.cell'")
            bench.until(f"workcell.bench.scene.lists.bodies.length === 1 && {READY}")
            assert bodies(bench) == {"other"}
            tree = bench.page.get_by_role("tree")
            tree.get_by_text("other", exact=True).wait_for(timeout=WAIT)
            assert tree.get_by_text("two", exact=True).count() == 0
            assert bench.page.title() == "b.cell · Workcell"


def test_a_page_that_is_older_than_the_server_tells_to_reload(browser: Browser, tmp_path: Path) -> None:
    cell, port = made(tmp_path / "a.cell", "one"), free_port()
    with serving(cell, port) as (url, process), window(browser, url) as bench:
        assert bench.page.get_by_text("Reload the page").count() == 0
        process.kill()
        with serving(cell, port, newer=True):
            bench.page.get_by_role("alert").get_by_text("The server was updated. Reload the page.").wait_for(
                timeout=WAIT
            )


def test_a_server_that_comes_back_with_another_token_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    cell, port = made(tmp_path / "a.cell", "one"), free_port()
    with serving(cell, port) as (url, process), window(browser, url) as bench:
        process.kill()
        with serving(cell, port, token="another-token-0123456789"):
            bench.page.get_by_role("alert").get_by_text("This server needs its token").wait_for(timeout=WAIT)
