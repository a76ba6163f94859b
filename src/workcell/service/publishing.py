"""Publishing changes of a cell to all clients; everything here runs in the cell thread."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

import msgspec

from workcell.errors import WorkcellError
from workcell.service import protocol
from workcell.service.answers import hello, text_of
from workcell.service.loop_door import LoopDoor
from workcell.service.run_view import RunWatch
from workcell.service.shapes import Shapes
from workcell.service.shown import Showing, Shown

if TYPE_CHECKING:
    from workcell.commands.listeners import Change
    from workcell.commands.session import Session
    from workcell.world.entry import Entry

log = logging.getLogger("workcell.service")

QUIET = 0.1
"""The shortest time between two publications [s]."""
LEAVING = 0.002
"""The time that the answer to an edit has to leave before the edit is shown [s]: painting holds up the event loop."""


class Publisher:
    """Collects changes, and makes the messages about them.

    Args:
        shapes: the shapes of the bodies.
        door: access to the event loop.
        show: called in the event loop with what is shown now and the messages about the changes.
        later: called in the event loop; it must call :meth:`flush` in the cell thread.
    """

    def __init__(
        self, shapes: Shapes, door: LoopDoor, show: Callable[[Shown, list[str]], None], later: Callable[[], object]
    ) -> None:
        self.changes: list[protocol.Change] = []
        """Changes that were not published yet."""
        self.hello: protocol.Hello | None = None
        """The greeting for new clients."""
        self._shapes, self._showing = shapes, Showing(shapes)
        self._door, self._show, self._later = door, show, later
        self._quiet_until = 0.0
        self._flush_due = False

    @property
    def shown(self) -> Shown:
        """What was published last."""
        assert self._showing.now is not None
        return self._showing.now

    def begin(self, session: Session) -> None:
        """Prepare the first messages for a client, and listen for changes."""
        session.on_change(self._note)
        session.attended, session.announce = True, self._shapes.announce
        session.watch_run = lambda run: RunWatch(session, run, self._show_run)
        self._showing.take(session)
        self.hello = hello(session)

    def greeting(self, client: str, identity: str, cell: str, id: str) -> protocol.Hello:
        """Return the first message for a client of this name."""
        assert self.hello is not None
        return msgspec.structs.replace(self.hello, client=client, identity=identity, cell=cell, id=id)

    def _note(self, change: Change) -> None:
        if change.effect != "reads":
            ended = protocol.StepInfo(change.ended, change.whose) if change.ended else None
            facts = (change.revision, change.effect, change.line, change.who)
            self.changes.append(protocol.Change(*facts, label=change.label, ended=ended))

    def _show_run(self, run: protocol.RunInfo) -> None:
        """Send every client where a run is that goes on; when it stops, they must hear of that."""
        self._showing.forget_run()
        self._door.do(self._show, self.shown, [text_of(run)])

    def note_step(self, session: Session, before: int, undone: bool) -> None:
        """Add the step that the last change undid or redid; ``before`` is the revision before it."""
        if self.changes and session.database.history.revision != before:
            self.changes[-1] = with_step(self.changes[-1], session, undone)

    def publish(self, session: Session, *, now: bool = False) -> None:
        """Send every client what changed.

        Publishing a large cell takes longer than most commands, so the steps of a script are published together: a
        change soon after the last publication waits, unless ``now`` is true.
        """
        if not self.changes and not self._showing.run_forgotten:
            return
        if not now and time.monotonic() < self._quiet_until:
            self._flush_soon()
            return
        begun = time.monotonic()
        changes, self.changes[:] = list(self.changes), []
        messages = [*changes, *self._showing.take(session)]
        if self.hello is not None and self.hello.notes:  # the edit may have resolved them
            self.hello = hello(session)
        self._door.do(self._show, self.shown, [text_of(one) for one in messages])
        ended = time.monotonic()
        self._quiet_until = ended + max(QUIET, 4.0 * (ended - begun))

    def answered(self) -> None:
        """In the event loop, after an answer: show every client what changed with it and was not shown yet."""
        if self.changes:
            self._flush_soon()

    def _flush_soon(self) -> None:
        if self._flush_due or self._door.loop is None or self._door.closed:
            return
        self._flush_due = True
        self._door.later(max(LEAVING, self._quiet_until - time.monotonic()), self._later)

    def flush(self, session: Session) -> None:
        """Publish what waits."""
        self._flush_due = False
        self.publish(session, now=True)


def with_step(change: protocol.Change, session: Session, undone: bool) -> protocol.Change:
    """Return a change by undo or redo with the step that it undid or redid; the last of several."""
    history = session.database.history
    if undone:
        return msgspec.structs.replace(change, undone=step_info(history.next_redo)) if history.can_redo else change
    return msgspec.structs.replace(change, redone=step_info(history.entry(history.revision)))


def step_info(entry: Entry) -> protocol.StepInfo:
    """Return a step of the history as a message value."""
    return protocol.StepInfo(entry.label, entry.who)


def log_error(done: Future[None]) -> None:
    """Log why a change could not be shown; nobody waits for it."""
    error = None if done.cancelled() else done.exception()
    if error is not None and not isinstance(error, WorkcellError):
        log.error("A change could not be shown.", exc_info=error)
