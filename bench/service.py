"""Answers over the wire beside a bare echo: `show`, an edit, rates of states, and waits while another client imports.

Figures to reach: `show` takes at most 1.6 times a bare echo of the library that we use; an edit takes at most that and one bare
durable transaction of SQLite; 1,000 states a second to one client, and 60 to each of 20. Server and echo run in processes of
their own; requests alternate, and a pause before each lets both come to rest. Both databases first write until their logs are
used again from the start: a log that grows costs the file system more. Bytes of edits in large cells: bench/edits.py.
While a client imports a STEP file or makes a boolean, no other client waits longer than 0.5 s for a short edit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from websockets.sync.client import ClientConnection, connect

from child_process import child

ECHO = """
import asyncio, sys, websockets
async def echo(socket):
    async for message in socket:
        await socket.send(message)
async def main():
    async with websockets.serve(echo, "127.0.0.1", 0, compression=None, max_size=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()
asyncio.run(main())
"""
SERVE = """
import sys
from contextlib import contextmanager
from workcell.commands.cell import Cell
from workcell.service.server import Server
@contextmanager
def opened():
    with Cell.create(sys.argv[1]) as cell:
        cell.do("create robot Puma puma560")
        yield cell.session
with Server(opened) as server:
    print(server.port, server.token, flush=True)
    sys.stdin.read()
"""
PAGES = 1100
"""More pages than the log of SQLite has before it begins again; a bare transaction writes one, `create block` four."""


@contextlib.contextmanager
def served(code: str, *given: str) -> Iterator[list[str]]:
    """Run a server in a process of its own; yield the words that it prints first."""
    with child("-c", code, *given) as process:
        yield process.line().split()


def opened(port: str, token: str = "") -> ClientConnection:
    """Open a connection."""
    address = f"ws://127.0.0.1:{port}/{f'ws?token={token}' if token else ''}"
    return connect(address, proxy=None, compression=None, max_size=None)


class Asking:
    """Asks a server and waits for the answers; everything else is passed over."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._number = 0

    def do(self, line: str) -> str:
        """Return the frame that answers a command."""
        return self.ask({"type": "command", "line": line})

    def ask(self, message: dict[str, object]) -> str:
        """Return the frame that answers a request."""
        self._number += 1
        self._wire.send(json.dumps({**message, "request": self._number}))
        mark = f'"request":{self._number},'
        while True:
            frame = self._wire.recv()
            if isinstance(frame, str) and mark in frame[:120] and not frame.startswith('{"type":"progress"'):
                return frame


def durable(folder: Path) -> Callable[[], object]:
    """Return a bare durable transaction: one row, in the file mode that cells use."""
    database = sqlite3.connect(folder / "bare.db", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT)")

    def run() -> None:
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO row (text) VALUES ('block')")
        database.execute("COMMIT")

    return run


def latencies(rounds: int, folder: Path) -> None:
    """Print how long answers take, in turns with the echo and the bare transaction."""
    with (
        served(ECHO) as (echo_port,),
        served(SERVE, str(folder / "bench.cell")) as (port, token),
        opened(echo_port) as echo,
        opened(port, token) as wire,
    ):
        ask, bare = Asking(wire), durable(folder)
        answer = ask.do("show Puma")
        time.sleep(5.0)  # the engines are loaded
        numbers = iter(range(10**9))
        for _ in range(PAGES // 4):
            ask.do(f"create block b{next(numbers)}")
        for _ in range(PAGES):
            bare()

        def echoed() -> None:
            echo.send(answer)
            echo.recv()

        work: dict[str, Callable[[], object]] = {
            "bare echo": echoed,
            "show": lambda: ask.do("show Puma"),
            "bare transaction": bare,
            "create block": lambda: ask.do(f"create block b{next(numbers)}"),
        }
        times: dict[str, list[float]] = {name: [] for name in work}
        for _ in range(rounds):
            for name, run in work.items():
                time.sleep(0.01)
                begun = time.perf_counter()
                run()
                times[name].append(time.perf_counter() - begun)
    middle = {name: statistics.median(some) for name, some in times.items()}
    print(f"{rounds} rounds in turns; median and 99th percentile")
    for name, some in times.items():
        print(f"  {name:<18}{middle[name] * 1e3:9.3f} ms {np.quantile(some, 0.99) * 1e3:9.3f} ms")
    print(f"  show / echo                             {middle['show'] / middle['bare echo']:.2f} (at most 1.6)")
    allowed = 1.6 * middle["bare echo"] + middle["bare transaction"]
    print(f"  create block / (1.6 echo + transaction) {middle['create block'] / allowed:.2f} (at most 1)")


def fetched(wire: ClientConnection, seconds: float, pace: float, ahead: int) -> int:
    """Fetch states, at most one each ``pace`` [s], with so many requests on their way; return how many came."""
    sent = came = 0
    begun = time.monotonic()
    while (now := time.monotonic()) < begun + seconds:
        due = begun + sent * pace
        if sent - came < ahead and now >= due:
            sent += 1
            wire.send(f'{{"type":"fetch-state","request":{sent}}}')
        elif sent > came:
            frame = wire.recv()
            came += isinstance(frame, str) and frame.startswith('{"type":"state"')
        else:
            time.sleep(max(0.0, due - now))
    return came


def rates(seconds: float, folder: Path) -> None:
    """Print how many states clients can fetch."""
    with served(SERVE, str(folder / "rates.cell")) as (port, token):
        for clients, wanted, ahead in ((1, 1000.0, 1), (1, 1000.0, 4), (20, 60.0, 1)):
            counts = [0] * clients

            def fetch(place: int, counts: list[int] = counts, pace: float = 1.0 / wanted, ahead: int = ahead) -> None:
                with opened(port, token) as wire:
                    counts[place] = fetched(wire, seconds, pace, ahead)

            threads = [threading.Thread(target=fetch, args=(place,)) for place in range(clients)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            found = ", ".join(f"{count / seconds:.0f}" for count in sorted({min(counts), max(counts)}))
            how = "each after the answer before" if ahead == 1 else f"{ahead} requests on their way"
            who = f"{clients} client{'s' if clients > 1 else ''}, {how}"
            print(f"  {who:<42} {found} states a second each (at least {wanted:g})")


def drilled(folder: Path, holes: int, radius: float) -> Path:
    """Write a plate with holes of a radius [m] as a STEP file."""
    from workcell import Pose, solids

    plate = solids.box(1.0, 1.0, 0.02)
    for number in range(holes):
        x, y = (0.05 * place - 0.45 for place in (number % 19, number // 19))
        plate -= solids.cylinder(radius, 0.1).moved(Pose.from_xyz(x, y, 0.0))
    file = folder / f"plate-{radius * 1e6:.0f}.step"
    plate.save(file)
    return file


def longest_wait(port: str, token: str, message: dict[str, object], names: Iterator[int]) -> tuple[float, float]:
    """Return how long a request takes, and the longest wait of another client for an edit meanwhile [s]."""
    waits, ended = [0.0], threading.Event()

    def other() -> None:
        with opened(port, token) as wire:
            asking = Asking(wire)
            while not ended.is_set():
                begun = time.perf_counter()
                asking.do(f"add solid s{next(names)} box 10 10 10 at 0,0,9000")
                waits.append(time.perf_counter() - begun)
                time.sleep(0.02)

    thread = threading.Thread(target=other)
    with opened(port, token) as wire:
        thread.start()
        time.sleep(0.5)
        begun = time.perf_counter()
        answer = Asking(wire).ask(message)
        took = time.perf_counter() - begun
        ended.set()
        thread.join()
    assert '"type":"result"' in answer[:40], answer[:400]
    return took, max(waits)


def waits(holes: int, folder: Path) -> None:
    """Print how long others wait while a client has a large shape made: beside the cell thread, and on the spot."""
    names = iter(range(10**9))
    with served(SERVE, str(folder / "waits.cell")) as (port, token):
        with opened(port, token) as wire:
            Asking(wire).do("show Puma")
            time.sleep(5.0)  # the engines are loaded
        for number, (what, line) in enumerate(
            [
                ("a STEP file is imported", "import solid plate{0} {1} on 0,0,{0}000"),
                ("two solids are merged", "merge cut{0} difference of plate{0} of bar{0} --keep-parts"),
            ]
        ):
            found = []
            for place, lines in enumerate((False, True), 1):
                file = drilled(folder, holes, 0.01 + 1e-5 * place) if not number else Path()
                text = line.format(place, file)
                if number:
                    with opened(port, token) as wire:
                        Asking(wire).do(f"add solid bar{place} box 700 30 30 at 0,0,{place}000")
                asked = {"type": "lines", "lines": [text]} if lines else {"type": "command", "line": text}
                found.append(longest_wait(port, token, asked, names))
            (took, beside), (spot_took, spot) = found
            print(
                f"  while {what} ({took:.1f} s; {spot_took:.1f} s): longest wait of others {beside:.3f} s beside the "
                f"cell thread (at most 0.5), {spot:.3f} s on the spot: {beside / spot:.3f}"
            )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--holes", type=int, default=150, help="in the plate that is imported")
    parser.add_argument("--waits", action="store_true", help="measure only how long others wait")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not asked.waits:
            latencies(asked.rounds, Path(folder))
            rates(asked.seconds, Path(folder))
        waits(asked.holes, Path(folder))


if __name__ == "__main__":
    main()
