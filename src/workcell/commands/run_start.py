"""Where runs start: in the initial state or in the present one, and how the two differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.world.state_differences import state_differences

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.state import CellState

_NAMED = 3
"""How many differences a sentence names."""

AGAIN = "To start from there: `undo`, then run with `--from-present`."
STOP_AND_AGAIN = "To start from there: `stop-run`, then start with `--from-present`."
"""How to start in the present state: after a run, and while it is paused."""
FROM_PRESENT = "start from the present state of the cell instead of the initial one; the clock starts at 0"
"""The help of the option, for all commands that have it."""


def start_of(session: Session, from_present: bool) -> CellState | None:
    """Return the state in which a run starts, with the clock at 0; None for the initial state.

    While a run is paused, the present state is the one before that run.
    """
    return session.present.state.with_(time=0.0, clock=None) if from_present else None


def elsewhere(session: Session) -> tuple[str, ...]:
    """Return how the present state differs from the initial one, by name."""
    return state_differences(session.snapshot(), session.snapshot().initial, session.present.state, session.units)


def start_notes(session: Session, again: str) -> tuple[str, ...]:
    """Return a note if a run starts in the initial state and the cell is in another one.

    Args:
        session: the session, before the run begins.
        again: a sentence on how to start in the present state.
    """
    found = () if session.replaying else elsewhere(session)
    if not found:
        return ()
    named = ", ".join(found[:_NAMED]) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")
    return (f"The run started from the initial state. Before it, these were different: {named}. {again}",)
