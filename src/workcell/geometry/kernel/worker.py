"""The CAD kernel in a process of its own, which can be cancelled, may crash, and ends with its parent."""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

import msgspec

import workcell.errors
from workcell.cost import current_cancel
from workcell.errors import Cancelled, GeometryError, KernelCrashed, WorkcellError
from workcell.geometry.kernel.requests import Done, Failed, Note, Reply, Request
from workcell.wording import an

Progress = Callable[[float, str], None]

_TICK = 0.05
"""The interval at which a waiting request checks its cancel flag [s]."""
_HEARTBEAT = 0.5
"""The interval at which progress is reported again while the kernel is silent [s]."""


_REPLY: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


class CadWorker:
    """One spawned process that holds the CAD kernel; started when first needed.

    The kernel keeps Python's lock while it computes, so it must not share a process with anything that should
    stay responsive. Requests are answered one at a time; any thread may send one.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Connection | None = None
        self._lifeline = -1
        self._encoder = msgspec.msgpack.Encoder()

    def submit(
        self, request: Request, progress: Progress | None = None, cancel: threading.Event | None = None
    ) -> bytes:
        """Send a request, wait, and return the packed answer.

        Args:
            request: the work to do.
            progress: called with a fraction in 0…1 and a few words, in the calling thread.
            cancel: set by another thread to give up; the process is then killed and the next request starts
                a new one. By default, the flag that stops the command of this thread.

        Raises:
            Cancelled: ``cancel`` was set.
            KernelCrashed: the process died on this request.
            GeometryError: the kernel refused the request; other errors of the request are raised as they are.
        """
        cancel = cancel or current_cancel()
        with self._in_turn(cancel):
            channel = self._started()
            try:
                channel.send_bytes(self._encoder.encode(request))
                return self._answer(channel, request, progress, cancel)
            except (EOFError, OSError) as error:
                status = self._kill(patience=0.5)
                what = type(request).__struct_config__.tag
                raise KernelCrashed(
                    f"The CAD process died on {an(str(what))} request ({_ending(status)}); the next request starts a "
                    "new one. The kernel probably cannot handle this shape: simplify it.",
                    request=str(what),
                    status=status,
                ) from error
            except BaseException:
                if self._pending:
                    self._kill()  # the pending answer must not be taken for that of the next request
                raise

    _pending = False

    def _answer(
        self, channel: Connection, request: Request, progress: Progress | None, cancel: threading.Event | None
    ) -> bytes:
        self._pending = True
        started = spoke = time.monotonic()
        last = Note(0.0, "waiting for the CAD kernel")
        while True:
            if cancel is not None and cancel.is_set():
                raise Cancelled(f"The {type(request).__struct_config__.tag} request was cancelled.")
            if not channel.poll(_TICK):
                now = time.monotonic()
                if progress is not None and now - spoke >= _HEARTBEAT:
                    spoke = now
                    progress(last.fraction, f"{last.text}, {now - started:.0f} s")
                continue
            reply = _REPLY.decode(channel.recv_bytes())
            if isinstance(reply, Note):
                last, spoke = reply, time.monotonic()
                if progress is not None:
                    progress(reply.fraction, reply.text)
                continue
            self._pending = False
            if isinstance(reply, Done):
                if progress is not None:
                    progress(1.0, "done")
                return reply.data
            raise _rebuilt(reply)

    @contextlib.contextmanager
    def _in_turn(self, cancel: threading.Event | None) -> Iterator[None]:
        while not self._turn.acquire(timeout=_TICK if cancel is not None else -1):
            if cancel is not None and cancel.is_set():
                raise Cancelled("The request was cancelled while it waited for the CAD kernel.")
        try:
            yield
        finally:
            self._turn.release()

    def _started(self) -> Connection:
        if self._process is not None and self._process.poll() is not None:
            self._kill()
        if self._channel is None:
            ours, theirs = multiprocessing.Pipe()
            watch, self._lifeline = os.pipe()
            command = [sys.executable, "-m", "workcell.geometry.kernel.serve", str(theirs.fileno()), str(watch)]
            try:
                self._process = subprocess.Popen(
                    command, pass_fds=(theirs.fileno(), watch), stdin=subprocess.DEVNULL, start_new_session=True
                )
            except OSError as error:
                os.close(self._lifeline)
                raise GeometryError(f"The CAD process could not be started: {error}.") from error
            finally:
                theirs.close()
                os.close(watch)
            self._channel = ours
        return self._channel

    def _kill(self, patience: float = 0.0) -> int | None:
        status = None
        self._pending = False
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = self._process.wait(patience)  # the status, if it is ending by itself
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._channel is not None:
            self._channel.close()
            self._channel = None
            os.close(self._lifeline)
        return status

    @property
    def pid(self) -> int | None:
        """The process id, if it runs."""
        return None if self._process is None else self._process.pid

    def shutdown(self) -> None:
        """End the process; the next request starts a new one."""
        if self._turn.acquire(timeout=2.0 * _TICK):
            try:
                self._kill()
            finally:
                self._turn.release()
        elif self._process is not None:
            self._process.kill()  # a waiting request then fails with the message that the process died


def _ending(status: int | None) -> str:
    if status is None:
        return "it did not start"
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def _rebuilt(reply: Failed) -> WorkcellError:
    kind = getattr(workcell.errors, reply.kind, GeometryError)
    error: WorkcellError = kind(reply.message, **reply.evidence)
    return error


_default: CadWorker | None = None
_guard = threading.Lock()


def default_worker() -> CadWorker:
    """The worker that solids use by default."""
    global _default  # noqa: PLW0603 - one process for everybody is the point
    with _guard:
        if _default is None:
            _default = CadWorker()
            atexit.register(_default.shutdown)
        return _default


def shutdown() -> None:
    """End the default worker's process, if there is one."""
    if _default is not None:
        _default.shutdown()
