"""What changed in a cell, shown to all clients; everything here runs in the cell thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from workcell.service import protocol
from workcell.service.answers import hello, text_of
from workcell.service.loop_door import LoopDoor
from workcell.service.shapes import Shapes
from workcell.service.shown import Showing, Shown

if TYPE_CHECKING:
    from workcell.commands.listeners import Change
    from workcell.commands.session import Session
    from workcell.world.entry import Entry

QUIET = 0.1
"""The least time between two showings of a cell that changes [s]."""
LEAVING = 0.002
"""The time that the answer to an edit has to leave before the edit is shown [s]: painting holds up the event loop."""


class Publisher:
    """Gathers changes, and makes what clients are shown of them.

    Args:
        shapes: of the bodies.
        door: to the event loop.
        show: called in the event loop with what is shown now and the messages that lead there.
        later: called in the event loop to have :meth:`flush` called in the cell thread.
    """

    def __init__(
        self, shapes: Shapes, door: LoopDoor, show: Callable[[Shown, list[str]], None], later: Callable[[], object]
    ) -> None:
        self.changes: list[protocol.Change] = []
        """What was not shown yet."""
        self.hello: protocol.Hello | None = None
        """What clients that come from now on learn about the cell."""
        self._showing = Showing(shapes)
        self._door, self._show, self._later = door, show, later
        self._quiet_until = 0.0
        self._flush_due = False

    @property
    def shown(self) -> Shown:
        """What was shown last."""
        assert self._showing.now is not None
        return self._showing.now

    def begin(self, session: Session) -> None:
        """Make what a client gets first, and listen."""
        session.on_change(self._note)
        self._showing.take(session)
        self.hello = hello(session)

    def _note(self, change: Change) -> None:
        if change.effect != "reads":
            self.changes.append(protocol.Change(change.revision, change.effect, change.line, change.who))

    def note_step(self, session: Session, before: int) -> None:
        """Name the step that the last change took back or did again; ``before`` is the revision before it."""
        if self.changes and session.database.history.revision != before:
            self.changes[-1] = with_step(self.changes[-1], session, before)

    def publish(self, session: Session, *, now: bool = False) -> None:
        """Show every client what changed.

        Showing a large cell takes longer than most commands, so a script's steps are shown together: what changed a
        moment after the last time waits, unless ``now`` is said.
        """
        if not self.changes:
            return
        if not now and time.monotonic() < self._quiet_until:
            self._flush_soon()
            return
        begun = time.monotonic()
        changes, self.changes[:] = list(self.changes), []
        messages = [*changes, *self._showing.take(session)]
        if self.hello is not None and self.hello.notes:  # the edit may have settled them
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
        """Show what waits."""
        self._flush_due = False
        self.publish(session, now=True)


def with_step(change: protocol.Change, session: Session, before: int) -> protocol.Change:
    """A change by undo or redo, with the step that it took back or did again; of several the last."""
    history = session.database.history
    if history.revision < before:
        return msgspec.structs.replace(change, undone=step_info(history.next_redo)) if history.can_redo else change
    return msgspec.structs.replace(change, redone=step_info(history.entry(history.revision)))


def step_info(entry: Entry) -> protocol.StepInfo:
    """A step of the history, in short."""
    return protocol.StepInfo(entry.label, entry.who)
