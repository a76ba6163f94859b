"""Fifty clients, one of them malicious: the others hardly notice."""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path

import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect

from child_process import child

HONEST = 49
PERIOD = 0.5
"""How often an honest client asks for something [s]."""
MORE = 3.0
"""How much longer the slowest hundredth of the answers may take while one client is malicious."""
PHASE = 2.5
"""How long it rests and goes, in turns [s]."""

SERVE = """
import sys
from contextlib import contextmanager
from workcell.commands.cell import Cell
from workcell.service.server import Server
@contextmanager
def opened():
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        yield cell.session
with Server(opened, lines=["0"]) as server:
    print(server.port, server.doors.addresses[0].rsplit(":", 1)[1], server.token, flush=True)
    sys.stdin.read()
"""


class Honest:
    """One honest client: it asks now and then, and notes how long each answer took."""

    def __init__(self, number: int, wire: ClientConnection) -> None:
        self.chance = random.Random(number)
        self.number, self.wire, self.asked, self.made = number, wire, 0, 0

    async def ask(self) -> float:
        self.asked += 1
        kind = self.chance.random()
        message = {"type": "fetch-state"} if kind < 0.4 else {"type": "command", "line": "show Puma"}
        if kind > 0.98:  # every edit is shown to all fifty
            message = {"type": "command", "line": f"create block honest-{self.number}-{self.made}"}
            self.made += 1
        begun = time.perf_counter()
        await self.wire.send(json.dumps({**message, "request": self.asked}))
        while True:
            frame = await self.wire.recv()
            if isinstance(frame, str) and f'"request":{self.asked},' in frame[:60] and "progress" not in frame[:20]:
                assert frame.startswith(('{"type":"state"', '{"type":"result"')), frame[:300]
                return time.perf_counter() - begun

    async def work(self, until: float) -> list[float]:
        took = []
        await asyncio.sleep(self.chance.uniform(0, PERIOD))
        while time.perf_counter() < until:
            took.append(await self.ask())
            await asyncio.sleep(PERIOD * self.chance.uniform(0.5, 1.5))
        return took


async def crowd(seconds: float) -> tuple[list[float], list[float], str, list[Honest]]:
    """Return how long answers took while all were honest and while one was not, and what that one did."""
    here = Path(__file__).parent
    with child("-c", SERVE) as server:
        port, lines, token = server.line().split()
        with child(str(here / "malice.py"), port, lines, token) as malice:
            address = f"ws://127.0.0.1:{port}/ws?token={token}"
            wires = [
                await connect(address, proxy=None, compression=None, max_size=None, max_queue=None)
                for _ in range(HONEST)
            ]
            clients = [Honest(number, wire) for number, wire in enumerate(wires)]
            await asyncio.gather(*(one.work(time.perf_counter() + 5.0) for one in clients))  # all engines are loaded
            took: tuple[list[float], list[float]] = [], []
            done = ""
            for phase in range(2 * max(1, round(seconds / PHASE / 2))):
                malice.say("go" if phase % 2 else "rest")
                done = malice.line()
                await asyncio.sleep(0.2)
                found = await asyncio.gather(*(one.work(time.perf_counter() + PHASE) for one in clients))
                took[phase % 2].extend(one for some in found for one in some)
            malice.say("rest")
            done = malice.line()
            blocks = await names(clients[0])
            for one in clients:  # nothing of theirs is lost
                assert {f"honest-{one.number}-{made}" for made in range(one.made)} <= blocks
            for wire in wires:
                await wire.close()
            assert server.process.poll() is None
            return *took, done, clients


async def names(client: Honest) -> set[str]:
    await client.wire.send(json.dumps({"type": "command", "line": "list block", "request": 10**6}))
    while True:
        frame = await client.wire.recv()
        if isinstance(frame, str) and '"request":1000000,' in frame[:60]:
            return set(json.loads(frame)["text"].replace(",", " ").split())


def measured(seconds: float) -> float:
    """Return how much longer the slowest hundredth of the answers took while one client was malicious."""
    calm, attacked, done, clients = asyncio.run(crowd(seconds))
    assert len(calm) > 3 * HONEST
    assert len(attacked) > 0.4 * len(calm)
    p99 = [float(np.quantile(some, 0.99)) for some in (calm, attacked)]
    print(
        f"\n{len(clients)} honest clients, {seconds:g} s: 99 of 100 answers within {p99[0] * 1e3:.1f} ms, and "
        f"{p99[1] * 1e3:.1f} ms beside a malicious client ({p99[1] / p99[0]:.2f} times); "
        f"median {np.median(calm) * 1e3:.1f} and {np.median(attacked) * 1e3:.1f} ms. It did: {done.strip()}"
    )
    return p99[1] / p99[0]


def test_fifty_clients_one_of_them_malicious() -> None:
    # Other programs of the machine may be busy just in one of the phases; they are not in all runs.
    assert any(measured(8.0) < MORE for _ in range(5))


@pytest.mark.soak
def test_fifty_clients_for_ten_minutes() -> None:
    assert measured(600.0) < MORE
