"""Bytes and milliseconds of an edit over the wire, at 10, 1,000 and 10,000 bodies.

Figures to reach: in a cell of 10,000 bodies, a typed `create block` sends less than 2 kB to a client and answers in
less than 5 ms. With ``--tree FOLDER`` the code of another working tree is measured, such as one of an older commit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = Path(__file__).resolve().parent

WORK = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from contextlib import contextmanager
from snapshot import large
from websockets.sync.client import connect
from workcell.commands.cell import Cell
from workcell.service.server import Server

count, rounds = int(sys.argv[2]), int(sys.argv[3])
EDITS = {
    "create block": "create block new{n}",
    "add solid": "add solid solid{n} box 10 10 10 at {n},0,-500",
    "place": "place thing7 at {n},0,99000",
    "modify colour": "modify thing0 colour {colour}",
    "undo": "undo",
    "one move": "move-joints-relative A 1,0,0,0,0,0",
    "create block after": "create block later{n}",
}

@contextmanager
def opened():
    with Cell() as cell:
        large(cell, count)
        yield cell.session

with Server(opened) as server:
    address = f"ws://127.0.0.1:{server.port}/ws?token={server.token}"
    with connect(address, proxy=None, max_size=None, compression=None) as wire:
        first, begun = 0, time.perf_counter()
        while True:
            frame = wire.recv()
            first += len(frame)
            if isinstance(frame, str) and json.loads(frame)["type"] == "status":
                break
        shown = time.perf_counter() - begun
        time.sleep(4.0)  # the engines are loaded
        number, found = 0, {"first picture": [(first, shown, shown)]}
        for what, line in EDITS.items():
            for _ in range(rounds):
                number += 1
                time.sleep(0.15)  # a person's pace: each edit is shown by itself
                asked = {"type": "command", "request": number, "line": line.format(n=number, colour=["red", "blue"][number % 2])}
                size, begun, answered = 0, time.perf_counter(), None
                wire.send(json.dumps(asked))
                while True:
                    try:
                        frame = wire.recv(0.3 if answered is not None else 60)
                    except TimeoutError:
                        break
                    kind = json.loads(frame)["type"] if isinstance(frame, str) else "binary"
                    if kind == "status":
                        continue
                    size += len(frame)
                    if kind == "error":
                        raise SystemExit(frame)
                    if kind == "result":
                        answered = time.perf_counter() - begun
                found.setdefault(what, []).append((size, answered, time.perf_counter() - begun))
print(json.dumps(found))
"""


def measured(tree: Path, bodies: int, rounds: int) -> dict[str, list[tuple[int, float, float]]]:
    """Return the bytes that the client received, and the time until the answer [s], for each kind of edit."""
    import json

    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-c", WORK, str(BENCH), str(bodies), str(rounds)]
    done = subprocess.run(command, env=environment, cwd=tree, check=True, capture_output=True, text=True)
    found: dict[str, list[tuple[int, float, float]]] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tree", type=Path, default=ROOT)
    asked = parser.parse_args()
    for bodies in asked.bodies:
        print(f"{bodies:,} bodies")
        for what, runs in measured(asked.tree, bodies, asked.rounds).items():
            size = statistics.median(one[0] for one in runs)
            times = [1e3 * one[1] for one in runs]
            print(f"  {what:20} {size:12,.0f} bytes  {statistics.median(times):9.2f} ms, at best {min(times):9.2f} ms")


if __name__ == "__main__":
    main()
