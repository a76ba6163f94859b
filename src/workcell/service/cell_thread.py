"""The only thread that uses the session: it carries out commands in the order of their arrival."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from workcell.errors import ServiceError

if TYPE_CHECKING:
    from workcell.commands.session import Session

T = TypeVar("T")
OpenSession = Callable[[], "AbstractContextManager[Session]"]
"""How a session is opened and closed; ``lambda: nullcontext(session)`` for one that stays open."""
_Work = tuple["Callable[[Session], Any]", "Future[Any]"]


class CellThread:
    """Opens a session in its own thread and does work on it, one piece after the other.

    Args:
        open_session: entered and left in the thread, because a database belongs to its thread.
    """

    def __init__(self, open_session: OpenSession) -> None:
        self._open_session = open_session
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="workcell-cell", daemon=True)
        self._lock = threading.Lock()
        self._stopped = False
        self.opened: Future[None] = Future()

    def start(self) -> None:
        """Begin to open the session; the future ``opened`` is set when it is open, or has the error."""
        self._thread.start()

    def submit(self, work: Callable[[Session], T]) -> Future[T]:
        """Queue a piece of work; return the future of its result."""
        future: Future[T] = Future()
        with self._lock:
            if self._stopped:
                future.set_exception(ServiceError("The server is shutting down; it accepts no more commands."))
            else:
                self._queue.put((work, future))
        return future

    def stop(self, timeout: float) -> bool:
        """Drop what has not begun, close the session and end the thread; return whether it ended in time [s]."""
        with self._lock:
            self._stopped = True
            self._queue.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        with contextlib.ExitStack() as stack:
            try:
                session = stack.enter_context(self._open_session())
            except BaseException as error:
                self.opened.set_exception(error)
                self._refuse_rest()
                return
            self.opened.set_result(None)
            while (item := self._queue.get()) is not None:
                work, future = item
                if self._stopped:
                    future.set_exception(ServiceError("The server was shut down before this command began."))
                elif future.set_running_or_notify_cancel():
                    try:
                        future.set_result(work(session))
                    except BaseException as error:
                        future.set_exception(error)
                del item, work, future  # hold nothing while waiting

    def _refuse_rest(self) -> None:
        while (item := self._queue.get()) is not None:
            item[1].set_exception(ServiceError("The cell could not be opened."))


def chain(source: Future[None], target: Future[None]) -> None:
    """Let a future end as another one does."""

    def done(future: Future[None]) -> None:
        error = future.exception()
        if error is None:
            target.set_result(None)
        else:
            target.set_exception(error)

    source.add_done_callback(done)
