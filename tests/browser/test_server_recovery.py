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
            page.get_by_title("Connected;").wait_for(timeout=WAIT)
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


def test_parts_that_are_loaded_late_say_that_the_server_is_gone_and_come_when_it_is_back(
    browser: Browser, tmp_path: Path
) -> None:
    cell, port = made(tmp_path / "a.cell", "one"), free_port()
    with serving(cell, port) as (url, process), window(browser, url) as bench:
        page = bench.page
        process.kill()
        page.get_by_text("Disconnected, reconnecting").first.wait_for(timeout=WAIT)
        page.get_by_label("3-D view of the cell").focus()
        page.keyboard.press("a")
        add = page.get_by_role("dialog", name="Add")
        missing = page.get_by_role("alert", name="The Add dialog is missing")
        missing.get_by_text("The Add dialog could not be loaded: the server does not answer.").wait_for(timeout=WAIT)
        page.keyboard.press("Escape")
        missing.wait_for(state="detached", timeout=WAIT)
        page.keyboard.press("Control+o")  # the gallery waits for the server
        bench.until("workcell.bench.opened === 'gallery'")
        page.keyboard.press("Escape")
        bench.until("workcell.bench.opened === ''")
        page.get_by_role("tab", name="Gantt").click()
        lower = page.get_by_role("region", name="The lower panels")
        lower.get_by_text("The Gantt panel could not be loaded: the server does not answer.").wait_for(timeout=WAIT)
        lower.get_by_role("button", name="Try again").click()
        bench.until("workcell.bench.moving.use('move') ?? true")
        page.get_by_role("alert").get_by_text("This part of the page could not be loaded.").wait_for(timeout=WAIT)
        page.get_by_label("3-D view of the cell").focus()
        page.keyboard.press("a")
        missing.wait_for(timeout=WAIT)
        with serving(cell, port):
            add.get_by_role("button", name="Add", exact=True).wait_for(timeout=WAIT)
            bench.until("[...document.querySelectorAll('link[rel=stylesheet]')].every((link) => link.sheet)")
            page.keyboard.press("Escape")
            add.wait_for(state="detached", timeout=WAIT)
            lower.get_by_text("could not be loaded").wait_for(state="detached", timeout=WAIT)
            bench.until("workcell.bench.view && workcell.layer('moving')")
