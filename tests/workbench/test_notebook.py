"""A cell in a notebook: what IPython is given, and that page and kernel see each other's changes."""

from __future__ import annotations

import html
import re
import threading
import time
import urllib.request

import pytest

from workcell.commands.cell import Cell
from workcell.errors import ServiceError
from workcell.service.client import connect
from workcell.workbench import notebook


class Formatter:
    """Stands for the mimebundle formatter of IPython."""

    def __init__(self) -> None:
        self.types: dict = {}

    def for_type(self, kind, make) -> None:
        self.types[kind] = make

    def pop(self, kind, default=None):
        return self.types.pop(kind, default)


class Shell:
    def __init__(self) -> None:
        self.display_formatter = self
        self.mimebundle_formatter = Formatter()


@pytest.fixture
def shown():
    shell = Shell()
    notebook.load_ipython_extension(shell)
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        made = shell.mimebundle_formatter.types[Cell](cell)
        yield cell, html.unescape(re.search('src="([^"]*)"', made["text/html"])[1]), made
    notebook.unload_ipython_extension(shell)
    assert not shell.mimebundle_formatter.types


def wait_until(true) -> None:
    for _ in range(500):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")


def test_the_frame_shows_the_cell_and_text_is_there_for_others(shown):
    cell, url, made = shown
    assert made["text/plain"] == repr(cell)
    with urllib.request.urlopen(url) as page:
        policy = page.headers["content-security-policy"]
    assert "frame-ancestors http://localhost:* http://127.0.0.1:*" in policy
    assert notebook.bundle(cell)["text/html"] == made["text/html"]  # one server for all frames


def test_kernel_and_page_see_each_others_changes(shown):
    cell, url, _ = shown
    with connect(url) as page:
        cell.do("add solid cup cylinder 20 30 at 500,0,0")
        wait_until(lambda: "cup" in {body.name for body in page.look().picture.bodies.values()})
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        wait_until(lambda: page.look().recording.duration > 0.0)
        page.do("create block typed_in_the_page")
        assert cell.database.find("block", "typed_in_the_page") is not None
        assert page.time == cell.session.simulator.time


def test_both_may_work_at_the_same_time(shown):
    cell, url, _ = shown
    failed = []

    def work(do, prefix: str) -> None:
        try:
            for number in range(40):
                do(f"create block {prefix}{number}")
        except Exception as error:
            failed.append(error)

    with connect(url) as page:
        threads = [threading.Thread(target=work, args=(do, prefix)) for do, prefix in ((page.do, "p"), (page.do, "q"))]
        for thread in threads:
            thread.start()
        work(cell.do, "k")
        for thread in threads:
            thread.join(60)
    assert failed == []
    assert len(cell.database.entities("block")) == 120


def test_closing_the_cell_ends_the_view():
    cell = Cell()
    url = notebook.view_of(cell).server.url
    with connect(url) as page:
        cell.close()
        with pytest.raises(ServiceError):
            page.do("list")
    with pytest.raises(ServiceError):
        connect(url)


def test_a_page_elsewhere_may_not_be_framed():
    from contextlib import nullcontext

    from workcell.service.server import Server

    with (
        Cell() as cell,
        Server(lambda: nullcontext(cell.session)) as server,
        urllib.request.urlopen(server.url) as page,
    ):
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
