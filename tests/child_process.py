"""A Python process beside the tests: its lines are awaited with a deadline, and a failure shows all that it wrote."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PATIENCE = 90.0
"""How long a process may take for its next line, or to end [s]: long, since two slow cores do much at once."""


class Lines:
    """The lines of a stream, read by a thread as they come, so that a process never waits for its reader."""

    def __init__(self, stream: IO[str]) -> None:
        self.all: list[str] = []
        self.given = 0
        self.more = threading.Condition()
        self.closed = False
        self.thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self.thread.start()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                with self.more:
                    self.all.append(line)
                    self.more.notify_all()
        with self.more:
            self.closed = True
            self.more.notify_all()

    def next(self, patience: float) -> str | None:
        """Return the next line; nothing if the stream was closed or the time is up."""
        with self.more:
            self.more.wait_for(lambda: self.given < len(self.all) or self.closed, patience)
            if self.given == len(self.all):
                return None
            self.given += 1
            return self.all[self.given - 1]

    def rest(self) -> str:
        """Return the lines that nobody has taken."""
        with self.more:
            found, self.given = self.all[self.given :], len(self.all)
            return "".join(found)


class Child:
    """A Python process; `words` follow the interpreter."""

    def __init__(self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, *words]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=cwd, env=env)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin = self.process.stdin
        self.out, self.errors = Lines(self.process.stdout), Lines(self.process.stderr)

    @property
    def pid(self) -> int:
        return self.process.pid

    def say(self, line: str) -> None:
        """Write a line to the process."""
        self.stdin.write(line + "\n")
        self.stdin.flush()

    def line(self, patience: float = PATIENCE) -> str:
        """Return the next line that the process prints; the end of the process and silence are failures."""
        found = self.out.next(patience)
        if found is None:
            why = "ended" if self.out.closed else f"printed nothing for {patience:g} s"
            self.kill()
            raise AssertionError(f"{self.process.args} {why}.\n{self.written()}")
        return found

    def address(self, patience: float = PATIENCE) -> str:
        """Return the first address that the process prints, without what the page opens with."""
        end = time.monotonic() + patience
        while not (found := re.search(r"http://[^\s#]+", self.line(max(0.0, end - time.monotonic())))):
            pass
        return found[0]

    def written(self) -> str:
        """Return all that the process has written so far."""
        return f"Output:\n{''.join(self.out.all)}\nErrors:\n{''.join(self.errors.all)}"

    def signalled(self, kind: signal.Signals) -> None:
        """Send a signal, if the process still runs."""
        if self.process.poll() is None:
            os.kill(self.pid, kind)

    def ended(self, patience: float = PATIENCE) -> tuple[str, str]:
        """Close the input and wait for the end; return what was printed since the last line, and the errors."""
        self._close_input()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.process.args} did not end in {patience:g} s.\n{self.written()}") from None
        self._join()
        return self.out.rest(), "".join(self.errors.all)

    def kill(self) -> None:
        """End the process at once, and wait until it is gone."""
        self.process.kill()
        self.process.wait()
        self._close_input()
        self._join()

    def _close_input(self) -> None:
        with suppress(BrokenPipeError):  # what was written last was never read
            self.stdin.close()

    def _join(self) -> None:
        """Wait for the last lines; a grandchild that lives on may hold the pipes open."""
        for lines in (self.out, self.errors):
            lines.thread.join(5.0)


@contextmanager
def child(*words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Iterator[Child]:
    """Start a Python process; it is killed at the end of the block, if it still runs."""
    started = Child(*words, cwd=cwd, env=env)
    try:
        yield started
    finally:
        started.kill()


@contextmanager
def workcell(*words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Iterator[Child]:
    """Start `workcell`; at the end of the block it is interrupted as by Ctrl-C, if it still runs."""
    with child("-m", "workcell", *words, cwd=cwd, env=env) as started:
        try:
            yield started
        finally:
            started.signalled(signal.SIGINT)
            started.ended()
