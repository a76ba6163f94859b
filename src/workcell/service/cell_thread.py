"""The thread that uses the session: it carries out commands one by one, in turns for its clients."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections import deque
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


class Settled:
    """What a piece of work returned or raised; lighter than a future, because nobody waits for it."""

    __slots__ = ("_error", "_value")

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self._value, self._error = value, error

    def result(self) -> Any:
        """Return the value, or raise the error."""
        if self._error is not None:
            raise self._error
        return self._value


_Work = tuple["Callable[[Session], Any]", Callable[[Settled], object]]


class Turns:
    """Work that waits, by owner; the owners take turns, so that one with much work does not hold up the others."""

    def __init__(self) -> None:
        self._waiting: dict[object, deque[_Work]] = {}
        self._turns: deque[object] = deque()

    def __bool__(self) -> bool:
        return bool(self._turns)

    def put(self, owner: object, work: _Work) -> None:
        """Add work; that of one owner is done in order."""
        own = self._waiting.get(owner)
        if own is None:
            self._waiting[owner] = deque((work,))
            self._turns.append(owner)
        else:
            own.append(work)

    def take(self) -> _Work:
        """Return the first work of the owner whose turn it is."""
        owner = self._turns.popleft()
        own = self._waiting[owner]
        work = own.popleft()
        if own:
            self._turns.append(owner)
        else:
            del self._waiting[owner]
        return work


class CellThread:
    """Opens a session in its own thread and does work on it, one piece after the other.

    Args:
        open_session: entered and left in the thread, because a database belongs to its thread.
    """

    def __init__(self, open_session: OpenSession) -> None:
        self._open_session = open_session
        self._turns = Turns()
        self._bell: queue.SimpleQueue[bool] = queue.SimpleQueue()
        """One item for each piece of work; False at the end."""
        self._thread = threading.Thread(target=self._run, name="workcell-cell", daemon=True)
        self._lock = threading.Lock()
        self._using = threading.Lock()
        """Is held by whoever uses the session."""
        self._session: Session | None = None
        self._stopped = False
        self.opened: Future[None] = Future()

    def start(self) -> None:
        """Begin to open the session; the future ``opened`` is set when it is open, or has the error."""
        self._thread.start()

    def submit(self, work: Callable[[Session], T], owner: object = None) -> Future[T]:
        """Queue a piece of work; return the future of its result."""
        future: Future[T] = Future()

        def unless_cancelled(session: Session) -> T | None:
            return work(session) if future.set_running_or_notify_cancel() else None

        self.hand(unless_cancelled, lambda settled: _settle(future, settled), owner)
        return future

    def hand(self, work: Callable[[Session], Any], done: Callable[[Settled], object], owner: object = None) -> None:
        """Queue a piece of work; ``done`` is called in the cell thread, or at once if the thread has stopped.

        Args:
            work: what to do.
            done: is called with what came of it.
            owner: whose work it is. The work of one owner is done in order, and owners take turns.
        """
        with self._lock:
            if not self._stopped:
                self._turns.put(owner, (work, done))
                self._bell.put(True)
                return
        done(Settled(error=ServiceError("The server is shutting down; it accepts no more commands.")))

    def at_once(self, work: Callable[[Session], Any]) -> Settled | None:
        """Do a piece of work that takes a moment in the thread of the caller; None if the session is in use.

        Two threads that hand work to each other lose more time than such work takes.
        """
        if self._turns or not self._using.acquire(blocking=False):
            return None
        try:
            session = self._session
            if session is None or not isinstance(session.gate, contextlib.nullcontext):  # others may use it for long
                return None
            return _settled(work, session)
        finally:
            self._using.release()

    def stop(self, timeout: float) -> bool:
        """Drop what has not begun, close the session and end the thread; return whether it ended in time [s]."""
        with self._lock:
            self._stopped = True
            self._bell.put(False)
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        with contextlib.ExitStack() as stack:
            try:
                session = stack.enter_context(self._open_session())
            except BaseException as error:
                self.opened.set_exception(error)
                while self._bell.get():
                    self._next()[1](Settled(error=ServiceError("The cell could not be opened.")))
                return
            self._session = session
            self.opened.set_result(None)
            while self._bell.get():
                work, done = self._next()
                with self._using:
                    settled = _refused() if self._stopped else _settled(work, session)
                done(settled)
                del work, done, settled  # hold nothing while waiting
            with self._using:
                self._session = None

    def _next(self) -> _Work:
        with self._lock:
            return self._turns.take()


def _settled(work: Callable[[Session], Any], session: Session) -> Settled:
    """Do a piece of work; return what came of it."""
    try:
        with session.gate:
            return Settled(work(session))
    except BaseException as error:
        return Settled(error=error)


def _refused() -> Settled:
    return Settled(error=ServiceError("The server was shut down before this command began."))


def _settle(future: Future[Any], settled: Settled) -> None:
    """Give a future what came of its work, unless nobody wants it any more."""
    if future.cancelled() or not (future.running() or future.set_running_or_notify_cancel()):
        return
    try:
        future.set_result(settled.result())
    except BaseException as error:
        future.set_exception(error)


async def settled(future: Future[T]) -> T:
    """Wait for a future that others wait for, too; an error that comes after the wait was cancelled is theirs."""
    waiting = asyncio.wrap_future(future)
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
    return await asyncio.shield(waiting)


def chain(source: Future[None], target: Future[None]) -> None:
    """Let a future end as another one does."""

    def done(future: Future[None]) -> None:
        error = future.exception()
        if error is None:
            target.set_result(None)
        else:
            target.set_exception(error)

    source.add_done_callback(done)
