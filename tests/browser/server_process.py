"""A `workcell` process on a cell file, at a port and with a token of its own, that can be killed and started again."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from page_bench import PATIENCE, Bench
from playwright.sync_api import Browser

from child_process import Child, child

TOKEN = "a-token-that-stays-the-same-0123456789"
NEWER = "from workcell.service import protocol; protocol.VERSION += 1; from workcell.cli import main; main()"
READY = "workcell.bench.shapes.wanted > 0 && workcell.bench.shapes.here === workcell.bench.shapes.wanted"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextmanager
def serving(cell: Path, port: int, newer: bool = False, token: str = TOKEN) -> Iterator[tuple[str, Child]]:
    """Start a server on a cell; ``newer`` speaks the next protocol. It is stopped at the end, if it still runs."""
    how = ["-c", NEWER] if newer else ["-m", "workcell"]
    environment = {**os.environ, "WORKCELL_TOKEN": token}
    with child(*how, "serve", str(cell), "--port", str(port), env=environment) as process:
        yield process.address(), process
        process.signalled(signal.SIGINT)
        process.ended()


@contextmanager
def window(browser: Browser, url: str) -> Iterator[Bench]:
    """Open a window on a server; yields once every shape is there."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    context.set_default_timeout(1e3 * PATIENCE)
    page = context.new_page()
    page.goto(url)
    bench = Bench(page, url, [])
    bench.until("!!window.workcell && workcell.bench.connection.link === 'open'")
    bench.until(READY)
    yield bench
    context.close()
