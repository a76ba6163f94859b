"""Whatever a client sends: an answer or one sentence, never a traceback, and the server goes on for all."""

from __future__ import annotations

import json
import logging
import random
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as open_socket

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "world"))
from script_maker import ScriptMaker

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.errors import ServiceError
from workcell.service import audience
from workcell.service.client import Client, connect
from workcell.service.guard import TOKEN_HEADER
from workcell.service.server import Server

LARGEST = 2**32 - 1
ODD = (
    0, 1, -1, 2**31, LARGEST, LARGEST + 1, 2**63, 2**64, 10**40, -(10**40), 1.5, -0.0, 1e308, float("nan"), float("inf"), True,
    False, None, "", "1", "\u0000", "\ud800", [], [[]], {}, {"a": {}}, [0] * 2000, "x" * 5000,
)  # fmt: skip
SHAPES = {
    "command": {"line": "list"}, "complete": {"text": "cre"}, "poses": {"start": 0.0, "step": 0.1, "count": 3},
    "motion": {"start": 0.0, "end": 0.1, "bodies": ["b1"]}, "play": {}, "fetch-scene": {},
    "call": {"command": "list", "parameters": {}}, "fetch-recording": {}, "fetch-state": {},
    "fetch-status": {"reset": False}, "cancel": {"job": "job1"},
}  # fmt: skip


@contextmanager
def session() -> Iterator[Session]:
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        yield cell.session


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(session) as running:
        yield running


def wire(server: Server) -> AbstractContextManager[ClientConnection]:
    headers = {TOKEN_HEADER: server.token} if server.token else {}
    return open_socket(f"ws://127.0.0.1:{server.port}/ws", additional_headers=headers, max_size=None, compression=None)


def answer(socket: ClientConnection, request: int, seconds: float = 60.0) -> dict:
    """What answers a request; fails when nothing does."""
    until = time.monotonic() + seconds
    while True:
        frame = socket.recv(until - time.monotonic())
        if isinstance(frame, str):
            message = json.loads(frame)
            assert "fault of Workcell" not in message.get("message", ""), message
            if message.get("request") == request and message["type"] in ("error", "status", "result", "state"):
                return message


@pytest.mark.parametrize("request_number", [-1, LARGEST + 1, 2**63, 10**30, 1.5, True, "1", None])
@pytest.mark.parametrize("kind", ["poses", "fetch-recording", "fetch-state"])
def test_a_request_has_a_number_that_a_frame_can_carry(server, kind, request_number):
    with wire(server) as socket:
        socket.send(json.dumps({"type": kind, "request": request_number, **SHAPES[kind]}))
        told = answer(socket, 0)
        while told["type"] == "status":
            told = answer(socket, 0)
        assert (told["type"], told["kind"]) == ("error", "ServiceError")
        assert "request" in told["message"]
        socket.send(json.dumps({"type": kind, "request": LARGEST, **SHAPES[kind]}))
        socket.send('{"type":"fetch-status","request":7}')
        assert answer(socket, 7)["type"] == "status"


def test_a_message_that_is_wrong_is_answered_to_who_waits_for_it(server):
    with wire(server) as socket:
        socket.send('{"type":"poses","request":5,"start":"soon","step":1,"count":1}')
        assert answer(socket, 5)["kind"] == "ServiceError"


def test_a_body_is_asked_for_once_and_a_request_is_bounded(server):
    with wire(server) as socket:
        with connect(server.url) as client:
            body = next(iter(client.look().picture.bodies))
        asked = {"type": "poses", "request": 5, "start": 0, "step": 0.001, "count": 20000, "bodies": [body] * 1400}
        socket.send(json.dumps(asked))
        assert "is named twice" in answer(socket, 5)["message"]
        socket.send(json.dumps(asked | {"request": 6, "bodies": ["b0"]}))
        assert "no body called 'b0'" in answer(socket, 6)["message"]
        for request, wrong in enumerate(({"bodies": ["b0"]}, {"bodies": [body, body]}, {"end": -1}), 7):
            socket.send(json.dumps({"type": "motion", "request": request, "start": 0, "end": 9, **wrong}))
            assert answer(socket, request)["type"] == "error"


def test_so_many_clients_and_no_more(server, monkeypatch):
    monkeypatch.setattr(audience, "MAX_CLIENTS", 2)
    with connect(server.url), connect(server.url) as second:
        with pytest.raises(ServiceError, match="already has 2 clients"):
            connect(server.url)
        assert second.status().clients == 2


def test_a_client_that_floods_waits_and_others_do_not(server, monkeypatch):
    monkeypatch.setattr("workcell.service.pace.MESSAGE", 0.01)  # each message counts as much work
    with wire(server) as socket, connect(server.url) as other:
        begun = time.monotonic()
        for _ in range(120):
            socket.send("nonsense")
        assert other.do("list").text
        socket.send('{"type":"fetch-status","request":7}')
        answer(socket, 7)
        assert time.monotonic() - begun > 1.0


class Fuzz:
    """Messages that are nearly right, wrong, or none at all."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.maker = ScriptMaker(seed)

    def message(self) -> str | bytes:
        pick = self.chance.random()
        if pick < 0.01:
            return self.chance.randbytes(self.chance.randrange(200))
        if pick < 0.06:
            return "".join(self.chance.choices('{}[]",:abc019.eE+- \\u\u0000\u2028é', k=self.chance.randrange(200)))
        kind = self.chance.choice(list(SHAPES))
        message = {"type": kind, "request": self.chance.randrange(1, 1000), **SHAPES[kind]}
        if kind in ("command", "complete"):
            message["line" if kind == "command" else "text"] = self.line()
        for _ in range(self.chance.choice((0, 0, 1, 1, 2, 3))):
            self.spoil(message)
        text = json.dumps(message)
        if pick < 0.12:
            place = self.chance.randrange(len(text))
            text = text[:place] + self.chance.choice(["", "\\", '"', "\x00", "[" * 2000, "{"]) + text[place + 1 :]
        return text

    def line(self) -> str:
        line = self.maker.line()
        if self.chance.random() < 0.5:
            place = self.chance.randrange(len(line))
            line = line[:place] + self.chance.choice(["", " ", '"', "1e999", "nan", "\u2028", "?", "é"]) + line[place:]
        return line

    def spoil(self, message: dict[str, object]) -> None:
        name = self.chance.choice([*message, "extra"])
        if self.chance.random() < 0.3:
            message.pop(name, None)
        elif name != "line" and name != "text":
            message[name] = self.chance.choice(ODD)


def fuzzed(server: Server, seed: int, count: int) -> int:
    """Send so many messages; how many answers came. The server must answer after every few of them, in time."""
    fuzz, sent, seen = Fuzz(seed), 0, 0
    while sent < count:
        with wire(server) as socket, suppress(ConnectionClosed):
            for _ in range(200):
                if sent >= count:
                    break
                message = fuzz.message()
                sent += 1
                # Bytes go out as text: often no UTF-8, which ends this connection and no other.
                socket.send(message, text=True)
                if sent % 20 == 0:
                    socket.send(f'{{"type":"fetch-status","request":{LARGEST - sent}}}')
                    answer(socket, LARGEST - sent)
                    seen += 1
    return seen


@contextmanager
def nothing_unforeseen() -> Iterator[None]:
    """No request ends in a traceback."""
    found: list[str] = []

    class Catch(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not record.name.startswith("websockets.client"):  # that is the test's own end of the wire
                found.append(record.getMessage() + str(record.exc_info))

    handler = Catch(logging.ERROR)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
    assert not found


@pytest.mark.parametrize("seed", range(2))
def test_fuzzed_messages_are_answered_or_refused(server, seed):
    with nothing_unforeseen(), connect(server.url) as other:
        assert fuzzed(server, seed, 400) > 10
        alive(other)


def test_bytes_that_are_no_text_right_before_the_end_of_a_connection_are_no_failure(server):
    text, end = bytes([0x81, 0x81, 0, 0, 0, 0, 0xFB]), bytes([0x88, 0x80, 0, 0, 0, 0])
    with nothing_unforeseen(), connect(server.url) as other:
        for _ in range(5):
            with wire(server) as socket:
                socket.socket.sendall(text + end)
        alive(other)


def alive(other: Client) -> None:
    assert other.do("list").text
    assert other.complete("cre")


@pytest.mark.soak
def test_sixty_thousand_fuzzed_messages():
    sent = 0
    for part in range(60):
        with Server(session) as server, nothing_unforeseen(), connect(server.url) as other:
            fuzzed(server, 1000 + part, 1000)
            sent += 1000
            alive(other)
    print(f"\n{sent} fuzzed messages: each answered or refused in time, no traceback, the server alive for others")
