"""Requests in progress: their progress, which all clients see, and their cancellation."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import msgspec

from workcell.errors import Cancelled, UnknownName
from workcell.service.protocol import Progress

INTERVAL = 0.05
"""The least time between two reports of one job [s]."""
ANNOUNCE_AFTER = 0.3
"""How long a job may take before its progress is announced [s]."""
Send = Callable[[Progress], None]


class Job:
    """One request in progress; used by the thread that does the work and by the event loop.

    Args:
        name: its name, for cancelling it.
        request: the number that the client gave it.
        title: what was requested.
        who: the name of the client.
        send: sends progress to that client.
        others: sends progress to all other clients, once the job takes a while.
    """

    def __init__(self, name: str, request: int, title: str, who: str, send: Send, others: Send) -> None:
        self.name = name
        self.request = request
        self.title = title
        self.who = who
        self.begun = time.monotonic()
        self.cancel = threading.Event()
        self.background = False
        self.awaits = False
        """Whether another thread works for it, and later commands of its client wait to keep their order."""
        self.ended: Future[None] = Future()
        """Done when its request has been answered."""
        self.reported = False
        self.announced = False
        """Whether all clients know of it."""
        self._last: Progress | None = None
        self._send = send
        self._others = others
        self._sent_at = 0.0

    def report(self, fraction: float | None, label: str = "") -> None:
        """Report the progress of the job (0..1 or unknown); raises Cancelled if it should stop."""
        if self.cancel.is_set():
            raise Cancelled(f"«{self.title}» was cancelled.")
        now = time.monotonic()
        if now - self._sent_at < INTERVAL:
            return
        self._sent_at = now
        self._report(fraction, label, done=False)

    def announce(self) -> None:
        """Announce to all clients that the job takes a while."""
        self.announced = True
        if self.reported:
            self._others(self.for_others())
        else:
            self._report(None, "", done=False)

    def finish(self) -> None:
        """Report the end of the job to the clients that know of it."""
        if self.reported:
            self._report(1.0, "", done=True)

    def for_others(self) -> Progress:
        """Return the last report, for a client that did not request the job."""
        assert self._last is not None
        return msgspec.structs.replace(self._last, request=0)

    def _report(self, fraction: float | None, label: str, done: bool) -> None:
        self.reported = True
        shown = None if fraction is None else min(1.0, max(0.0, float(fraction)))
        self._last = Progress(self.name, self.request, self.who, self.title, shown, label, done)
        self._send(self._last)
        if self.announced:
            self._others(self.for_others())


class Jobs:
    """The jobs in progress, by name. Only the event loop uses it."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._jobs: dict[str, Job] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs.values())

    def start(self, request: int, title: str, who: str, send: Send, others: Send) -> Job:
        """Begin a job for a client's request."""
        job = Job(f"job{next(self._numbers)}", request, title, who, send, others)
        self._jobs[job.name] = job
        return job

    def end(self, job: Job) -> None:
        """Remove a job that has ended."""
        self._jobs.pop(job.name, None)
        job.ended.set_result(None)

    def announce_late(self) -> None:
        """Announce the jobs that take a while."""
        late = time.monotonic() - ANNOUNCE_AFTER
        for job in self._jobs.values():
            if not job.announced and job.begun < late:
                job.announce()

    def cancel(self, name: str) -> None:
        """Ask a job to stop."""
        if name not in self._jobs:
            raise UnknownName.among("running job", name, self._jobs)
        self._jobs[name].cancel.set()

    def cancel_all(self) -> None:
        """Ask every job to stop."""
        for job in self._jobs.values():
            job.cancel.set()
