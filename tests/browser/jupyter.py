"""A real Jupyter server, and a notebook in JupyterLab as the tests hold it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from page_bench import PATIENCE, Bench
from playwright.sync_api import Browser, Locator, Page

TOKEN = "a-token-for-tests"
WAIT = 1e3 * PATIENCE
READY = (
    "!!window.workcell && workcell.bench.connection.link === 'open' && workcell.bench.shapes.wanted > 0 "
    "&& workcell.bench.shapes.here === workcell.bench.shapes.wanted && workcell.stats().frames > 0"
)


@contextmanager
def jupyter(folder: Path) -> Iterator[str]:
    """The address of a Jupyter server on a folder; it keeps its own files in `.jupyter` there."""
    private = folder / ".jupyter"
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_RUNTIME_DIR")
    environment = {**os.environ, **{name: str(private / name.lower()) for name in names}}
    (private / "xdg_runtime_dir").mkdir(parents=True, mode=0o700)
    log = (private / "log").open("w+")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0"),
            f"--IdentityProvider.token={TOKEN}",
            f"--ServerApp.root_dir={folder}",
            "--ServerApp.jpserver_extensions={'jupyter_lsp': False, 'jupyter_server_terminals': False}",
            "--LabApp.news_url=None",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ],
        stdout=log,
        stderr=log,
        env=environment,
        cwd=folder,
    )
    try:
        yield _address(process, Path(log.name))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        log.close()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + PATIENCE
    while not (found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.1)
    with urlopen(f"{found[0]}/api/status?token={TOKEN}") as answer:
        assert answer.status == 200
    return found[0]


class Notebook:
    """A notebook in JupyterLab."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    @property
    def cells(self) -> Locator:
        return self.page.locator(".jp-Notebook .jp-CodeCell")

    def run(self, number: int, wait: bool = True) -> Locator:
        """Run a code cell, by its place among them; returns it."""
        cell = self.cells.nth(number)
        cell.locator(".jp-InputArea-prompt").evaluate("(prompt) => (prompt.textContent = '[ ]:')")  # of the run before
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        if wait:
            self.finish(cell)
        return cell

    def finish(self, cell: Locator) -> None:
        """Wait until a cell has run."""
        end = time.monotonic() + PATIENCE
        while not re.search(r"\[\d+\]", now := cell.locator(".jp-InputArea-prompt").inner_text()):
            assert time.monotonic() < end, f"the cell did not run: {now}"
            self.page.wait_for_timeout(50)
        failed = cell.locator('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type*="stderr"]')
        assert failed.count() == 0, failed.first.inner_text()

    def write(self, source: str, wait: bool = True) -> Locator:
        """Write a new cell below all others and run it; returns it."""
        self.page.locator(".jp-Notebook-footer").click()
        number = self.cells.count() - 1
        self.cells.nth(number).locator(".cm-content").click()
        self.page.keyboard.insert_text(source)
        return self.run(number, wait)

    def value(self, source: str) -> str:
        """What an expression is in the kernel, as text."""
        return self.write(source).locator(".jp-OutputArea-executeResult .jp-RenderedText").inner_text().strip()

    def bench(self, cell: Locator) -> Bench:
        """The page in the output of a cell, once it is drawn."""
        frame = cell.locator('iframe[title="Workcell"]')
        frame.wait_for(timeout=WAIT)
        frame.scroll_into_view_if_needed()
        content = frame.element_handle().content_frame()
        assert content is not None
        bench = Bench(content, "", self.faults)  # type: ignore[arg-type]
        bench.until(READY)
        return bench


@contextmanager
def opened(browser: Browser, server: str, name: str) -> Iterator[Notebook]:
    """A notebook of the server, with its kernel."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, color_scheme="light")
    notebook = Notebook(context.new_page())
    try:
        notebook.page.goto(f"{server}/lab/workspaces/{Path(name).stem}/tree/{name}?token={TOKEN}")
        notebook.page.get_by_text("| Idle").wait_for(timeout=WAIT)
        yield notebook
    finally:
        context.close()
