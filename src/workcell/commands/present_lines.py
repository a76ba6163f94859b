"""Where the lines of programs that ran are in the programs of the cell now."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from workcell.commands.breakpoints import lines_now
from workcell.commands.program_store import TEXT, read_stored, stored
from workcell.programs.program import Program

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.ran_texts import RanText
    from workcell.simulation.recording import Recording


class PresentLines:
    """Finds lines of a recording in the programs of the cell.

    Args:
        session: the session.
        recording: what ran.
        names: the present names of programs that had others in the recording, if it does not know their ids.
    """

    def __init__(self, session: Session, recording: Recording, names: Mapping[str, str] | None = None) -> None:
        self._recording, self._names = recording, names or {}
        programs = session.database.entities("program")
        self._now = {one.name: str(one.properties.get(TEXT, "")) for one in programs}
        self._called = {one.id: one.name for one in programs}
        self._foreign = session.ongoing.loaded

    def line(self, program: str, line: int, number: int) -> int:
        """Return where a line is now; 0 if it is gone.

        Args:
            program: the program that ran, as it was called then.
            line: its line then.
            number: the number of the step in the recording.
        """
        then, present = self._then(program, number)
        if then is None or (now := self._now.get(present)) is None:
            return 0 if then is not None and not present else line
        return line if then.text == now else _places(then.text, now).get(line, 0)

    def name(self, program: str, number: int) -> str:
        """Return the present name of a program that ran; its old one if it is gone. Arguments as for :meth:`line`."""
        return self._then(program, number)[1] or program

    def _then(self, program: str, number: int) -> tuple[RanText | None, str]:
        """Return a program as it ran, and its present name; '' if it is gone.

        The ids of a recording that was loaded may be those of another cell.
        """
        from workcell.simulation.ran_texts import text_at

        then = text_at(self._recording.texts, program, number)
        if then is None or not then.entity or self._foreign:
            return then, self._names.get(program, program)
        return then, self._called.get(then.entity, "")

    def ran_lines(self, program: str, line: int) -> list[int]:
        """Return where a line of today is in the program as it ran last; empty if it was not there.

        Args:
            program: the program that ran, as it was called then.
            line: its line now.
        """
        from workcell.simulation.ran_texts import text_at

        then = text_at(self._recording.texts, program, len(self._recording.sources))
        now = self._now.get(self._names.get(program, program))
        if then is None or now is None or then.text == now:
            return [line]
        return [before for before, after in _places(then.text, now).items() if after == line]


def started_in(session: Session, recording: Recording) -> list[str]:
    """Return the programs of the cell that a recording shows, in the order in which they were started.

    All of them take their first steps at the first instant. What they call is not among them.
    """
    found, now = dict[str, None](), PresentLines(session, recording)
    for number, one in enumerate(recording.sources):
        if one.time > recording.sources[0].time:
            break
        if one.program:
            found[now.name(one.callers[-1][0] if one.callers else one.program, number)] = None
    return [name for name in found if session.database.find("program", name) is not None]


def ran_programs(session: Session, recording: Recording) -> dict[str, Program]:
    """Return the programs of a cell by name, those that ran as they were in their last run."""
    programs = {one.name: stored(one).program for one in session.database.entities("program")}
    return programs | {one.program: read_stored(one.program, one.text, one.units).program for one in recording.texts}


@lru_cache(maxsize=64)
def _places(then: str, now: str) -> Mapping[int, int]:
    return lines_now(then.split("\n"), now.split("\n"))
