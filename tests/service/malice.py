"""A malicious client in a process of its own: `malice.py HTTP_PORT LINE_PORT TOKEN`.

It waits for `go` and `rest` on standard input. While it goes it floods the WebSocket without reading, floods it with
commands, holds connections open that say nothing, sends lines and frames of 100 MB, and bytes that are not UTF-8.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import sys
import threading
import time
from collections.abc import Callable

HUGE = 100_000_000
SILENT = 100


def opened(port: int, silent_for: float = 5.0) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=silent_for)


def frame(opcode: int, data: bytes, claimed: int | None = None) -> bytes:
    """A frame of the WebSocket with a mask of zeros."""
    size = len(data) if claimed is None else claimed
    head = bytes([0x80 | opcode])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65536:
        head += b"\xfe" + size.to_bytes(2, "big")
    else:
        head += b"\xff" + size.to_bytes(8, "big")
    return head + bytes(4) + data


def upgraded(port: int, token: str) -> socket.socket:
    wire = opened(port)
    wire.sendall(
        f"GET /ws?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert wire.recv(12) == b"HTTP/1.1 101"
    return wire


class Malice:
    """What it does, each in a thread of its own."""

    def __init__(self, port: int, lines: int, token: str) -> None:
        self.port, self.lines, self.token = port, lines, token
        self.going = threading.Event()
        self.done = {work.__name__: 0 for work in self.works}

    @property
    def works(self) -> list[Callable[[], None]]:
        return [self.flood, self.flood_with_commands, self.keep_silent, self.send_huge, self.send_no_text]

    def run(self, work: Callable[[], None]) -> None:
        while True:
            self.going.wait()
            with contextlib.suppress(OSError, AssertionError):
                work()
            self.done[work.__name__] += 1
            time.sleep(0.02)

    def flood(self) -> None:
        """Ask for more and more without reading any of it."""
        with upgraded(self.port, self.token) as wire:
            asked = b"".join(frame(1, b'{"type":"fetch-scene"}') + frame(1, b"nonsense") for _ in range(500))
            while self.going.is_set():
                wire.sendall(asked)

    def flood_with_commands(self) -> None:
        """Send commands as fast as they are taken, and read the answers."""
        with upgraded(self.port, self.token) as wire:

            def read() -> None:
                with contextlib.suppress(OSError):
                    while wire.recv(1 << 20):
                        pass

            threading.Thread(target=read, daemon=True).start()
            for number in itertools.count(1):
                if not self.going.is_set():
                    return
                line = ("list", "show Puma", "create block evil", "show Pume")[number % 4]
                wire.sendall(frame(1, f'{{"type":"command","request":{number},"line":"{line}"}}'.encode()))

    def keep_silent(self) -> None:
        with contextlib.ExitStack() as stack:
            for number in range(SILENT):
                stack.enter_context(opened(self.lines if number % 2 else self.port))
            time.sleep(0.5)

    def send_huge(self) -> None:
        block = b"x" * 65536
        for port, first in ((self.lines, f"# token {self.token}\n".encode()), (self.lines, b"")):
            with contextlib.suppress(OSError), opened(port) as line:
                line.sendall(first)
                for _ in range(HUGE // len(block)):
                    line.sendall(block)
        with upgraded(self.port, self.token) as wire:
            wire.sendall(frame(1, b"", HUGE))
            for _ in range(HUGE // len(block)):
                wire.sendall(block)

    def send_no_text(self) -> None:
        with opened(self.lines) as line:
            line.sendall(f"# token {self.token}\n".encode() + b"list \xff\xfe\xc0\n")
            line.recv(1000)
        with upgraded(self.port, self.token) as wire:
            wire.sendall(frame(1, b'{"type":"command","line":"\xff\xc0"}'))
            while wire.recv(65536):
                pass


def main() -> None:
    malice = Malice(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    for work in (one for one in malice.works if one.__name__ in (sys.argv[4:] or malice.done)):
        threading.Thread(target=malice.run, args=(work,), daemon=True).start()
    for line in sys.stdin:
        malice.going.set() if line.strip() == "go" else malice.going.clear()
        print(malice.done, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
