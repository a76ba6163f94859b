"""The command that lists which lines of programs were carried out when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.program_printer import step_lines
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.present_lines import PresentLines, ran_programs
from workcell.commands.results import Result
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.move_lines import MoveKey
    from workcell.simulation.program_waits import ProgramWait
    from workcell.simulation.recording import Recording

MOST_LINES = 20_000
"""The most lines that one answer lists."""


class RunLine(Result, frozen=True, omit_defaults=True):
    """A line of a program while it was carried out: from when to when [s], and who called its program.

    Lines are counted in the program as it is now; 0 for a line that is gone.
    """

    start: float
    end: float
    program: str
    line: int
    callers: tuple[tuple[str, int], ...] = ()


class RunLines(Result, frozen=True):
    """The lines of programs in the recording, by their starts; ``left`` is how many more there are."""

    lines: tuple[RunLine, ...]
    left: int = 0

    def __str__(self) -> str:
        rows = [f"{one.start:10.4f} s to {one.end:.4f} s  {_place(one)}" for one in self.lines]
        more = [f"and {self.left} more lines; name a program, or look at `report`"] if self.left else []
        return "\n".join([*rows, *more]) if rows else "No line of a program was carried out in the recording."


def _place(one: RunLine) -> str:
    return f"line {one.line} of {one.program}" if one.line else f"a line of {one.program} that is gone"


@command(
    "line-times [{program}]",
    help="list which lines of programs were carried out when, in the recording",
    effect="reads",
    program=Ref("program"),
    param_help={"program": "only lines of this program; default: of all"},
    examples=[
        "> create robot Puma puma560 joints 0,0,-90,0,90,0",
        '> write program demo "repeat 2%0A  move-joints-relative Puma 5,0,0,0,0,0%0Aend%0Await 1"',
        "> run demo",
        "line-times",
    ],
)
def line_times(session: Session, program: Entity | None = None) -> RunLines:
    """A line lasts until the next line of the same program begins. Branches of `parallel` have lines of their own.

    If a program was edited after its run, the lines are counted as they are now.
    """
    from workcell.simulation.line_times import line_times as times

    recording = session.recording
    found = sorted(times(recording.sources, ran_programs(session, recording), recording.end))
    now = PresentLines(session, recording)
    if program is not None:
        found = [one for one in found if now.name(one.program, one.number) == program.name]
    shown = tuple(
        RunLine(
            one.start,
            one.end,
            now.name(one.program, one.number),
            now.line(one.program, one.line, one.number),
            tuple((now.name(name, one.number), now.line(name, line, one.number)) for name, line in one.callers),
        )
        for one in found[:MOST_LINES]
    )
    return RunLines(shown, len(found) - len(shown))


def places_of(session: Session, recording: Recording) -> dict[MoveKey, str]:
    """Return the line and program of each move of a recording; typed moves have none."""
    from workcell.simulation.move_lines import move_lines

    now = PresentLines(session, recording)
    members = {name: machine.name for machine in session.snapshot().machines for name in machine.members}
    found = {}
    for key, one in move_lines(recording, ran_programs(session, recording), members).items():
        name, line = now.name(one.program, one.number), now.line(one.program, one.line, one.number)
        found[key] = f"line {line} of {name}" if line else name
    return found


def waits_of(session: Session, recording: Recording) -> list[ProgramWait]:
    """Return when the programs of the cell waited in a recording, and for what."""
    from workcell.simulation.program_waits import program_waits

    return program_waits(recording, ran_programs(session, recording), lambda step: next(iter(step_lines(step))))
