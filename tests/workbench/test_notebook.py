"""A cell in a notebook: what IPython is given, and that page and kernel see each other's changes.

With anywidget the page is a widget, whose messages are those of `tests/service/test_channel.py`; a real notebook is in
`tests/browser/test_notebook_page.py`. Without anywidget it is a frame.
"""

from __future__ import annotations

import html
import io
import json
import re
import threading
import time
import urllib.request

import pytest
from PIL import Image

import workcell as wc
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
        self.formatters = {"image/png": Formatter()}


@pytest.fixture
def shown(monkeypatch):
    """A cell in a kernel without anywidget: the address of the frame, and what IPython is given."""
    monkeypatch.setattr(notebook, "has_widget", lambda: False)
    shell = Shell()
    notebook.load_ipython_extension(shell)
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        made = shell.mimebundle_formatter.types[Cell](cell)
        yield cell, html.unescape(re.search('src="([^"]*)"', made["text/html"])[1]), made
    notebook.unload_ipython_extension(shell)
    assert not shell.mimebundle_formatter.types
    assert not shell.formatters["image/png"].types


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
    assert "pip install workcell[notebook]" in made["text/html"]


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


def test_closing_the_cell_ends_the_view(monkeypatch):
    monkeypatch.setattr(notebook, "has_widget", lambda: False)
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


VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def widgets(monkeypatch):
    """The widgets that are made, each with a list of what it sends to its page."""
    pytest.importorskip("anywidget", reason="The widget needs anywidget: pip install workcell[notebook].")
    if not notebook.has_widget():
        pytest.skip("The page is not built: make page.")
    from workcell.workbench.notebook_widget import CellWidget

    made = []

    class Watched(CellWidget):
        def __init__(self, pages) -> None:
            super().__init__(pages)
            self.said: list = []
            made.append(self)

        def send(self, content, buffers=None) -> None:
            self.said += content["messages"]

    monkeypatch.setattr("workcell.workbench.notebook_widget.CellWidget", Watched)
    return made


def test_each_output_is_a_widget_and_a_window_of_its_own(widgets):
    with Cell() as cell:
        made = [notebook.bundle(cell) for _ in range(2)]
        assert [one["text/plain"] for one in made] == [repr(cell)] * 2
        assert [one[VIEW]["model_id"] for one in made] == [widget.model_id for widget in widgets]
        names = []
        for number, widget in enumerate(widgets):
            message = {"page": f"page {number}", "message": {"kind": "wire", "stream": 1, "path": "ws"}}
            widget._handle_custom_msg(message, [])
            wait_until(lambda said=widget.said: len(said) > 1)
            names.append(json.loads(widget.said[1]["text"])["client"])
        assert names == ["window 1", "window 2"]
        widget._handle_custom_msg({"page": "old", "message": {"kind": "unknown"}}, [])  # logged, not raised
    assert [widget.said[-1]["kind"] for widget in widgets] == ["closed", "closed"]


def test_a_robot_and_a_solid_show_themselves():
    shell = Shell()
    notebook.load_ipython_extension(shell)
    shown = shell.formatters["image/png"].types
    for thing in (wc.robot("puma560"), wc.solids.cylinder(0.03, 0.1)):
        picture = Image.open(io.BytesIO(shown[type(thing)](thing)))
        assert picture.format == "PNG"
        assert len(picture.convert("RGB").getcolors(2**20)) > 100  # not an empty floor
    notebook.unload_ipython_extension(shell)
