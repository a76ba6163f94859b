"""The last run of a session, which can be repeated up to a time: so a complete run can be stepped through."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workcell.commands.running import PausedRun, begun
from workcell.errors import Refused
from workcell.spatial.units import SI

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workcell.commands.session import Session
    from workcell.simulation.stepping import Input

_RUNS = ("run ", "run-together ")


@dataclass(frozen=True)
class LastRun:
    """The run that a session made last.

    Attributes:
        line: its command, as the journal keeps it.
        typed: what was typed to begin it.
        inputs: what came from outside while it was paused; None if the line has them.
        kept: whether it is complete, and the last step of the history.
    """

    line: str
    typed: str
    inputs: Sequence[Input] | None
    kept: bool

    def begun(self, session: Session) -> PausedRun:
        """Return the same run before its first step, on a cell where it is not kept."""
        reader = type(session)(session.database, session.who, SI)
        command, values = reader.registry.tree.parse(self.line, reader)
        given: dict[str, Any] = {name: values[name] for name in _STARTS if name in values}
        if self.inputs is not None:
            given["inputs"] = self.inputs
        programs = values.get("programs") or [values["program"]]
        run = begun(session, programs, together=command.name == "run-together", **given)
        return replace(run, typed=self.typed)


_STARTS = ("arguments", "line", "tables", "inputs", "from_present")


def repeats(session: Session) -> bool:
    """Whether the last run can be repeated: it is paused on the cell as it is, or the last step of the history."""
    history = session.database.history
    if session.paused is not None:
        return session.paused.began == history.revision
    return _is_run(history.last_command)


def last_run(session: Session) -> LastRun:
    """Return the last run of a session.

    Raises:
        Refused: the cell was changed since, the run is that of another client, or there is none.
    """
    history, paused = session.database.history, session.paused
    if paused is not None:
        if paused.began != history.revision:
            raise Refused(
                f"The cell was edited since {paused.called} began, so it cannot be repeated. `step-back` returns to "
                "an earlier pause."
            )
        return LastRun(paused.line, paused.typed, tuple(paused.stepped.inputs), kept=False)
    if not _is_run(history.last_command):
        last = f"the last step is `{history.entry(history.revision).label}`" if history.can_undo else "there is no step"
        raise Refused(f"Only a run that is the last step of the history can be paused again; {last}.")
    entry = history.entry(history.revision)
    if entry.who in session.company:
        raise Refused(f"The last run is a step of {entry.who}, who can pause it again.", who=entry.who)
    return LastRun(entry.command, entry.typed, None, kept=True)


def _is_run(line: str) -> bool:
    return line.startswith(_RUNS) and "\n" not in line
