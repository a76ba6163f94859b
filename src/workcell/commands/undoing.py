"""Undoing steps beside a paused run and the steps of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import NothingToUndo, Refused
from workcell.world.own_steps import own_last

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.entry import Entry

_RUN_FIRST = "`resume` it to its end or `stop-run` it first."


def undo(session: Session, count: int, anybody: bool) -> tuple[list[Entry], str]:
    """Undo the last steps; return them, and a sentence if this ended a paused run or stopped early.

    Steps of the company are left alone, unless ``anybody``. So is a paused run: steps after its beginning are undone,
    earlier ones are refused. With ``anybody`` a paused run counts as the first of the steps, although it is not in the
    history yet, and is discarded.
    """
    session.outside_group("undo")
    run, database = session.paused, session.database
    if run is None and (anybody or not session.company):
        return database.undo(count), ""
    database.require_no_step("undo")
    if run is None or not anybody:
        return _undo_own(session, count)
    left, note = count - 1, ""
    entries = database.undo(left if database.history.can_undo else 0)
    if not left and database.history.can_undo:
        note = f"The next `undo` reverts `{database.history.next_undo()[0].label}`."
    ended = session.end_paused()
    session.tell("simulates", "undo", ended=run)
    return entries, f"{ended} {note}".rstrip()


def _undo_own(session: Session, count: int) -> tuple[list[Entry], str]:
    """Undo steps that nobody of the company made; if none can be, the refusal is raised."""
    entries: list[Entry] = []
    while len(entries) < count:
        try:
            step = _own_last(session)
            spare_run(session, step.seq, f"`{step.label}` cannot be undone now")
            entries.append(session.database.undo_own(session.company))
        except Refused as error:
            if not entries:
                raise
            return entries, error.message
    return entries, ""


def _own_last(session: Session) -> Entry:
    run = session.paused
    try:
        return own_last(session.database.history, session.company)[0]
    except NothingToUndo:
        if run is None or run.who in session.company:
            raise
        raise Refused(
            f"{run.called[0].upper()}{run.called[1:]} is paused, and no edit came before; {_RUN_FIRST}"
        ) from None


def redo_step(session: Session) -> Entry:
    """Redo the step that was undone last; beside a paused run only edits are redone, because moves begin elsewhere."""
    run, history = session.paused, session.database.history
    if run is not None and history.can_redo and not history.next_redo.world:
        step = history.next_redo
        raise Refused(f"`{step.label}` cannot be redone now: {run.called} is paused; {_RUN_FIRST}", step=step.seq)
    return session.database.redo()


def spare_run(session: Session, step: int | None, sentence: str) -> None:
    """Refuse to undo a step from which a paused run began: the run could not be repeated."""
    run = session.paused
    if step is None or run is None or step > run.began:
        return
    if run.who in session.company:
        raise Refused(
            f"{sentence}: {run.who} has paused {run.called}, which began after it. "
            "`undo --any` discards that run first.",
            step=step,
            who=run.who,
        )
    raise Refused(f"{sentence}: {run.called} is paused and began after it; {_RUN_FIRST}", step=step)
