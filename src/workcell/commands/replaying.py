"""Replaying: commands of the journal are repeated."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from workcell.commands.session import Session
from workcell.errors import MotionStop
from workcell.spatial.units import SI
from workcell.world.entry import Entry


def replay(session: Session, entry: Entry) -> None:
    """Repeat a journal entry, with the ids that it recorded."""
    database = session.database
    database.ids.replay(entry.new_ids)
    database.history.continue_at(entry.seq)
    lines = entry.command.split("\n")
    with session.as_then(entry.who, entry.time):
        try:
            if len(lines) > 1:
                database.begin_step(entry.who, entry.time)
            for line, typed in zip(lines, entry.typed.split("\n"), strict=True):
                with suppress(MotionStop):  # a motion that stopped then stops again
                    session.do_as(line, typed)
            if len(lines) > 1:
                database.end_step()
        except BaseException:
            database.cancel_step()
            raise


def again_as_of(session: Session, step: int, line: str) -> Any:
    """Repeat a run on the cell as it was after a step of the history; its simulator becomes the session's."""
    other = Session(session.database.as_of(step), session.who, SI)
    try:
        with other.as_then(session.who, session.when or 0.0):
            return other.do_as(line, line)
    finally:
        if other.ongoing.begun is not None:
            session.ongoing.begun = other.ongoing.begun
