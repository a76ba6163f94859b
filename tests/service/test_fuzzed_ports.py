"""Random, mutated and truncated lines at the ports for Agents and for commands: answered or refused, and the cell stays sound."""

from __future__ import annotations

import contextlib
import os
import random
import socket
from pathlib import Path

import pytest

from child_process import child
from workcell.commands.cell import Cell
from workcell.languages.agent.table import COMMANDS

SERVE = """
import sys
from contextlib import contextmanager
from workcell.commands.cell import Cell
from workcell.service.server import Server
@contextmanager
def opened():
    with Cell.create(sys.argv[1]) as cell:
        cell.do("create robot arm puma560")
        yield cell.session
with Server(opened, lines=[sys.argv[2]], agent=[sys.argv[3]]) as server:
    print("ready", flush=True)
    sys.stdin.read()
"""
SLOW = ("find-path", "find-path-to", "drive-find", "move-to-grasp", "exit", "end", "load", "set-echo")
WORDS = ("arm", "part", "x=3", "5", "-1", "1e400", "nan", "", "\\", ",", ";", "a:", "=", "\0", "é", "\u2028", "1" * 300)
TYPED = ("show arm", "list robot", "create block b{n}", "move-joints-relative arm 1,0,0,0,0,0", "undo", "where arm")


class Lines:
    """Makes lines that are nearly right, wrong, or no text at all."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.names = [name for name in COMMANDS if name not in SLOW]
        self.count = 0

    def line(self, agent: bool) -> bytes:
        chance, self.count = self.chance, self.count + 1
        kind = chance.random()
        if kind < 0.05:
            return bytes(chance.randrange(1, 256) for _ in range(chance.randrange(60))).replace(b"\n", b"")
        if agent:
            name = chance.choice(self.names)
            text = " ".join([name, *(chance.choice(WORDS) for _ in range(chance.randrange(8)))])
        else:
            text = chance.choice(TYPED).format(n=self.count)
        if kind < 0.5 and text:
            place = chance.randrange(len(text))
            text = text[:place] + chance.choice(WORDS) + text[place + chance.randrange(3) :]
        elif kind < 0.6:
            text = text[: chance.randrange(len(text) + 1)]
        return text.replace("\n", " ").encode()


def sent(path: Path, agent: bool, count: int, seed: int) -> None:
    """Send lines without waiting, in connections of a hundred lines, and read all answers until the server is done."""
    lines = Lines(seed)
    while count > 0:
        with socket.socket(socket.AF_UNIX) as peer, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            peer.settimeout(120)  # a server that hangs fails the test
            peer.connect(str(path))
            some = [lines.line(agent) for _ in range(min(100, count))]
            count -= len(some)
            peer.sendall(b"".join(one + b"\n" for one in some))
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(65536):
                pass


def memory(process: int) -> int:
    """The memory of a process [KiB]."""
    text = Path(f"/proc/{process}/status").read_text()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS")))


def fuzzed(folder: Path, rounds: int, count: int) -> tuple[int, int]:
    """Send so many lines to both ports in each round; return the memory after the first and the last round [KiB]."""
    file, lines, agent = folder / "fuzz.cell", folder / "lines.sock", folder / "agent.sock"
    found: list[int] = []
    with child("-c", SERVE, str(file), str(lines), str(agent), cwd=folder) as server:
        assert server.line() == "ready\n"
        for number in range(rounds):
            sent(agent, True, count, 2 * number)
            sent(lines, False, count, 2 * number + 1)
            found.append(memory(server.pid) if os.path.exists("/proc/self/status") else 0)
        _, errors = server.ended()
        assert server.process.returncode == 0
    assert "Traceback" not in errors
    with Cell.open(file) as cell:  # its pages and rows are checked
        assert cell.session.snapshot().scene is not None
        assert cell.replayed().database.rows() == cell.database.rows()
    return found[0], found[-1]


def test_fuzzed_lines_at_the_ports(tmp_path: Path) -> None:
    fuzzed(tmp_path, 1, 400)


@pytest.mark.soak
def test_forty_thousand_fuzzed_lines_at_the_ports(tmp_path: Path) -> None:
    first, last = fuzzed(tmp_path, 10, 2000)
    print(f"\n40,000 lines: {first / 1024:.0f} MB after 4,000 of them, {last / 1024:.0f} MB after all")
    assert last < first + 150_000
