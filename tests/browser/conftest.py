"""A real browser on a real `workcell` process. Without Chromium these tests are skipped; in CI they fail."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from page_bench import PATIENCE, Bench
from playwright.sync_api import Browser, Error, ViewportSize, expect, sync_playwright
from sample_process import FRESH, Served, served

import workcell
from browser import MISSING, found, launch
from workcell.service.client import connect

expect.set_options(timeout=1e3 * PATIENCE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    built = Path(workcell.__file__).parent / "workbench" / "static" / "index.html"
    for missing, advice in (
        (found() is None, MISSING),
        (not built.is_file(), "The page is not built: make page."),
    ):
        if missing and os.environ.get("CI"):
            pytest.fail(advice)
        if missing:
            pytest.skip(advice)
    with sync_playwright() as playwright:
        running = launch(playwright)
        yield running
        running.close()


FAILED = Path(__file__).resolve().parents[2] / "out" / "failed"
"""Where the pages of a test that failed are seen."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep pictures of the pages of a test that failed."""
    report = yield
    running = getattr(item, "funcargs", {}).get("browser")
    if report.failed and isinstance(running, Browser):
        pages = [page for context in running.contexts for page in context.pages]
        for number, page in enumerate(pages):
            with suppress(Error):
                page.screenshot(path=FAILED / f"{item.name}-{number}.png", timeout=5000)
    return report


@pytest.fixture(scope="session")
def kept_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A `workcell` for all tests of this process; each test has a cell of its own in it."""
    with served(tmp_path_factory, tmp_path_factory.mktemp("cell"), "-c", FRESH) as one:
        yield one


@pytest.fixture
def process(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> Iterator[Served]:
    """The `workcell` of a test; the mark `own_process` asks for one that no other test has used, started in its folder."""
    if request.node.get_closest_marker("own_process"):
        with served(tmp_path_factory, tmp_path) as one:
            yield one
    else:
        yield request.getfixturevalue("kept_process")


@pytest.fixture
def server(request: pytest.FixtureRequest, process: Served) -> Iterator[str]:
    """The address of a sample cell that nobody has changed; a test leaves no file behind in it."""
    if request.node.get_closest_marker("own_process"):
        yield process.address
        return
    process.must_run()
    with connect(process.address) as client:
        cell = client.cells.open_sample("puma").id
        yield f"{process.address}&cell={cell}"
        process.must_run()
        client.cells.close(cell)
    assert not process.written(), "a file was left behind"


@pytest.fixture
def open_bench(browser: Browser, server: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Bench]]:
    """Opens the page and waits until every shape and panel is there and the view is still."""
    contexts = []
    speed = 1 if request.node.get_closest_marker("real_time") else 10
    place = server.partition("?")[0]

    def opened(query: str = "", width: int = 1280, height: int = 800, has_touch: bool = False) -> Bench:
        size: ViewportSize = {"width": width, "height": height}
        context = browser.new_context(viewport=size, color_scheme="light", has_touch=has_touch)
        contexts.append(context)
        context.set_default_timeout(1e3 * PATIENCE)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on(
            "requestfailed",  # a page that is left cancels what it still asked for
            lambda request: None if request.failure == "net::ERR_ABORTED" else faults.append(f"{request.url} failed"),
        )
        page.on(
            "request",
            lambda request: None if request.url.startswith((place, "data:", "ws")) else faults.append(request.url),
        )
        page.goto(server + query.replace("?", "&"))
        bench = Bench(page, server, faults)
        bench.until("!!window.workcell && workcell.bench.connection.link === 'open' && !!workcell.bench.recording.info")
        bench.until("workcell.bench.shapes.wanted > 0 && workcell.bench.shapes.here === workcell.bench.shapes.wanted")
        bench.until(
            "workcell.firstFrame() > 0 && ![...document.querySelectorAll('p')].some((one) => one.textContent === 'Loading …')"
        )
        bench.ask(f"workcell.bench.time.speed = {speed}")
        bench.rest()
        return bench

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def forget(server: str, process: Served) -> Iterator[Callable[[str], None]]:
    """Takes the name of a file that was written, and removes it before the cell is closed: these tests keep nothing."""
    names: list[str] = []
    yield names.append
    for left in process.written():
        if left.name in names:
            left.unlink()
