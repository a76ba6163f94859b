"""A real browser on a real `workcell` process. Without Chromium these tests are skipped; in CI they fail."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_bench import Bench
from playwright.sync_api import Browser, ViewportSize, sync_playwright

import workcell
from child_process import child

# Debian's Chromium without a screen: WebGL is drawn by the processor.
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, NAMES)), None)
    built = Path(workcell.__file__).parent / "workbench" / "static" / "index.html"
    for missing, advice in (
        (path is None, "No Chromium on the PATH: apt-get install chromium."),
        (not built.is_file(), "The page is not built: make page."),
    ):
        if missing and os.environ.get("CI"):
            pytest.fail(advice)
        if missing:
            pytest.skip(advice)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def server(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a `workcell` on its sample cell, ended by Ctrl-C, which leaves nothing behind."""
    runtime = tmp_path_factory.mktemp("runtime")
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache_folder()), "XDG_RUNTIME_DIR": str(runtime)}
    environment.pop("WORKCELL_TOKEN", None)
    with child("-m", "workcell", "--no-browser", "--port", "0", env=environment, cwd=tmp_path) as process:
        yield process.address()
        family = descendants(process.pid)
        process.signalled(signal.SIGINT)
        _, errors = process.ended(30)
        assert process.process.returncode == 0
    assert not errors.splitlines()
    assert not alive(family), "a process was left behind"
    left = [*filter(_left_behind, tmp_path.iterdir()), *filter(_left_behind, (runtime / "workcell").iterdir())]
    assert not left, "a file was left behind"


def cache_folder() -> Path:
    """Where meshes are kept between the tests of one run, and between runs."""
    home = os.environ.get("XDG_CACHE_HOME")
    return Path(home) if home else Path.home() / ".cache"


def descendants(parent: int) -> set[tuple[int, str]]:
    """The processes below one, by number and time of birth (a number may be given anew)."""
    born: dict[int, str] = {}
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            number = int(stat.parent.name)
            parents[number], born[number] = int(fields[1]), fields[19]
    below = {parent}
    while more := {number for number, above in parents.items() if above in below} - below:
        below |= more
    return {(number, born[number]) for number in below if number in born}


def alive(processes: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those that are still there."""
    return {(number, birth) for number, birth in processes if (number, birth) in descendants(number)}


@pytest.fixture
def open_bench(browser: Browser, server: str) -> Iterator[Callable[..., Bench]]:
    """Opens the page and waits until every shape is there."""
    contexts = []
    place = server.partition("?")[0]

    def opened(query: str = "", width: int = 1280, height: int = 800, has_touch: bool = False) -> Bench:
        size: ViewportSize = {"width": width, "height": height}
        context = browser.new_context(viewport=size, color_scheme="light", has_touch=has_touch)
        contexts.append(context)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("requestfailed", lambda request: faults.append(f"{request.url} failed"))
        page.on(
            "request",
            lambda request: None if request.url.startswith((place, "data:", "ws")) else faults.append(request.url),
        )
        page.goto(server + query.replace("?", "&"))
        bench = Bench(page, server, faults)
        bench.until("!!window.workcell && workcell.bench.connection.link === 'open' && !!workcell.bench.recording.info")
        bench.until("workcell.bench.shapes.wanted > 0 && workcell.bench.shapes.here === workcell.bench.shapes.wanted")
        return bench

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def forget(server: str) -> Iterator[Callable[[str], None]]:
    """Takes the name of a file that was written, and removes it before the server ends: these tests keep nothing."""
    names: list[str] = []
    yield names.append
    for name in names:
        for left in Path(tempfile.gettempdir()).glob(f"workcell-files-*/{name}"):
            left.unlink()


def _left_behind(path: Path) -> bool:
    """Whether something is neither a file that a client asked for, nor the cache of a cell, nor the names of windows."""
    if path.parent.name == "workcell":
        return not path.name.startswith("names-")
    logs = (".lock", "-wal", "-shm", "-journal")
    return path.name.endswith(logs) if path.is_file() else not path.name.endswith(".cell.cache")
