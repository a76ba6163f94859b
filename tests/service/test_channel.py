"""Pages without a port: requests and WebSockets that come as messages of another program, such as a notebook."""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from workcell.commands.cell import Cell
from workcell.errors import ServiceError
from workcell.service import channel
from workcell.service.application import Application
from workcell.service.in_process import ENDED, InProcess

PATIENCE = 30.0


class Page:
    """Stands for a page: keeps what it is sent, by stream."""

    def __init__(self, pages: InProcess, name: str = "one") -> None:
        self.pages, self.name = pages, name
        self.batches: list[dict[str, Any]] = []
        self.said: list[tuple[dict[str, Any], bytes]] = []
        self._news = threading.Condition()
        self.heard: int | None = 0

    def post(self, batch: dict[str, Any], buffers: list[bytes]) -> None:
        json.dumps(batch)  # it has to be JSON
        rest = iter(buffers)
        with self._news:
            assert batch["page"] == self.name
            self.batches.append(batch)
            self.heard = batch["heard"]
            self.said += [(head, next(rest) if head.get("buffer") else b"") for head in batch["messages"]]
            assert list(rest) == []
            self._news.notify_all()

    def send(self, kind: str, buffer: bytes | None = None, **fields: Any) -> None:
        content = {"page": self.name, "message": {"kind": kind, **fields}}
        self.pages.receive(content, [] if buffer is None else [memoryview(buffer)], self.post)

    def until(self, found: Callable[[], Any]) -> Any:
        with self._news:
            end = time.monotonic() + PATIENCE
            while not (value := found()):
                assert self._news.wait(end - time.monotonic()), "it did not happen"
        return value

    def on(self, stream: int, kind: str) -> list[tuple[dict[str, Any], bytes]]:
        return [(head, buffer) for head, buffer in self.said if (head["stream"], head["kind"]) == (stream, kind)]

    def texts(self, stream: int = 1) -> list[dict[str, Any]]:
        return [json.loads(head["text"]) for head, _ in self.on(stream, "text")]

    def scene(self) -> dict[str, Any]:
        """The scene; a large one is packed."""
        found = [text for text in self.texts() if text["type"] == "scene"]
        found += [json.loads(zlib.decompress(data[12:])) for _, data in self.on(1, "data")]
        return found[0]

    def open(self, stream: int = 1, path: str = "ws") -> None:
        self.send("wire", stream=stream, path=path)
        self.until(lambda: [text for text in self.texts(stream) if text["type"] == "status"])

    def do(self, line: str, request: int, stream: int = 1) -> dict[str, Any]:
        self.send("text", stream=stream, text=json.dumps({"type": "command", "line": line, "request": request}))
        found: list[dict[str, Any]] = self.until(
            lambda: [
                text for text in self.texts(stream) if text.get("request") == request and text["type"] != "progress"
            ]
        )
        return found[0]

    def fetch(self, stream: int, path: str, method: str = "GET", pieces: tuple[bytes, ...] = ()) -> tuple[int, bytes]:
        size = {"size": sum(map(len, pieces))} if pieces else {}
        self.send("ask", stream=stream, path=path, method=method, **size)
        for number, piece in enumerate(pieces, 1):
            self.send("piece", piece, stream=stream, last=number == len(pieces))
        self.until(lambda: any(head["last"] for head, _ in self.on(stream, "piece")))
        ((head, _),) = self.on(stream, "answer")
        body = b"".join(buffer for _, buffer in self.on(stream, "piece"))
        zipped = head["headers"].get("content-encoding") == "gzip"
        return head["status"], gzip.decompress(body) if zipped else body


@pytest.fixture
def cell() -> Iterator[Cell]:
    with Cell() as made:
        made.do("create robot Puma puma560")
        yield made


@pytest.fixture
def pages(cell: Cell) -> Iterator[InProcess]:
    cell.session.gate = threading.RLock()
    made = InProcess(Application(lambda: contextlib.nullcontext(cell.session))).start()
    yield made
    made.stop()


def test_a_page_gets_the_cell_and_its_commands_are_carried_out(pages: InProcess, cell: Cell) -> None:
    page = Page(pages)
    page.open()
    hello = page.texts()[0]
    assert (hello["type"], hello["client"]) == ("hello", "window 1")
    assert page.do("create block made_in_the_page", 5)["type"] == "result"
    assert cell.database.find("block", "made_in_the_page") is not None
    refused = page.do("create blok x", 6)
    assert refused["type"] == "error"


def test_a_window_that_comes_again_keeps_its_name(pages: InProcess) -> None:
    page = Page(pages)
    page.open()
    identity = page.texts()[0]["identity"]
    page.send("end", stream=1)
    page.until(lambda: page.heard == 2)
    page.open(2, f"ws?client={identity}")
    assert page.texts(2)[0]["client"] == "window 1"


def test_two_pages_see_each_others_selections(pages: InProcess) -> None:
    one, other = Page(pages, "one"), Page(pages, "other")
    one.open()
    other.open()
    robot = "robot:Puma"
    one.send("text", stream=1, text=json.dumps({"type": "select", "things": [robot]}))
    found = other.until(lambda: [text for text in other.texts() if text["type"] == "selected" and text["things"]])
    assert found[0]["who"] == "window 1"


def test_shapes_and_pictures_come_by_the_routes_of_the_server(pages: InProcess, cell: Cell) -> None:
    page = Page(pages)
    page.open()
    body = next(iter(page.scene()["bodies"]))
    status, data = page.fetch(2, f"glb/{body['pieces'][0]['glb']}")
    assert (status, data[:4]) == (200, b"glTF")
    status, data = page.fetch(3, "glb/none")
    assert (status, b"none" in data) == (404, True)
    status, data = page.fetch(4, "samples/none.webp")
    assert (status, b"none" in data) == (404, True)


def test_files_are_sent_in_pieces_and_refused_in_a_sentence(pages: InProcess) -> None:
    page = Page(pages)
    page.open()
    status, body = page.fetch(2, "uploads/my%20part.stl", "PUT", (b"solid ", b"x", b"\nendsolid x\n"))
    assert status == 201
    kept = json.loads(body)
    assert kept["file"].endswith("my part.stl")
    assert kept["size"] == 19
    status, body = page.fetch(3, "files/no-such-file.csv")
    assert (status, b"no-such-file.csv" in body) == (404, True)


def test_an_upload_that_is_cancelled_leaves_nothing(pages: InProcess) -> None:
    page = Page(pages)
    page.open()
    page.send("ask", stream=2, path="uploads/half.stl", method="PUT", size=100)
    page.send("piece", b"solid", stream=2, last=False)
    page.send("end", stream=2)
    page.until(lambda: page.heard == 4)
    assert page.do("list", 9)["type"] == "result"
    assert page.on(2, "answer") == []


def test_a_page_that_goes_leaves_the_cell(pages: InProcess) -> None:
    one, other = Page(pages, "one"), Page(pages, "other")
    one.open()
    other.open()
    assert len(pages.app.hub.audience) == 2
    one.send("bye")
    other.until(lambda: len(pages.app.hub.audience) == 1 or other.send("probe"))


def test_answers_keep_their_order_and_share_batches(pages: InProcess) -> None:
    page = Page(pages)
    page.open()
    before, count = len(page.batches), 150
    for number in range(1, count + 1):
        text = json.dumps({"type": "complete", "text": "cre", "request": number})
        page.send("text", stream=1, text=text)
    page.until(lambda: sum(text["type"] == "completions" for text in page.texts()) == count)
    answers = [text["request"] for text in page.texts() if text["type"] == "completions"]
    assert answers == list(range(1, count + 1))
    assert len(page.batches) - before < count
    page.until(lambda: page.heard == count + 1)


def test_a_page_that_reads_nothing_is_not_sent_everything(pages: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "MAX_UNREAD", 1000)
    page = Page(pages)
    page.send("wire", stream=1, path="ws")
    page.until(lambda: sum(len(text["text"]) for text, _ in page.said if text["kind"] == "text") > 1000)
    page.send("text", stream=1, text=json.dumps({"type": "command", "line": "list", "request": 7}))
    time.sleep(0.3)
    assert not [text for text in page.texts() if text.get("request") == 7]
    page.send("read", size=10**9)
    page.until(lambda: [text for text in page.texts() if text.get("request") == 7])


def test_the_end_of_the_cell_is_heard_and_nothing_opens_again(pages: InProcess) -> None:
    page = Page(pages)
    page.open()
    pages.stop()
    assert page.on(1, "closed")[0][0]["code"] == 1012
    page.send("wire", stream=2, path="ws")
    ((closed, _),) = page.on(2, "closed")
    assert closed["code"] == ENDED
    assert "closed in the notebook" in closed["reason"]
    assert page.heard is None  # everything: nothing waits


@pytest.mark.parametrize("content", [{}, {"page": "x"}, {"page": "x", "message": {"kind": "dance"}}, [1], None])
def test_what_is_no_message_is_refused_in_a_sentence(pages: InProcess, content: object) -> None:
    with pytest.raises(ServiceError, match="message of a page could not be read"):
        pages.receive(content, [], lambda _batch, _buffers: None)


def test_a_page_that_cannot_be_reached_is_dropped(pages: InProcess) -> None:
    def unreachable(_batch: object, _buffers: object) -> None:
        raise OSError("the notebook has gone")

    pages.receive({"page": "gone", "message": {"kind": "wire", "stream": 1, "path": "ws"}}, [], unreachable)
    page = Page(pages)
    page.open()
    page.until(lambda: len(pages.app.hub.audience) == 1 or page.send("probe"))
