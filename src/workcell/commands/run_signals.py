"""The command that lists the values of signals over the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.registry import command
from workcell.commands.results import Result
from workcell.world.inventory import signals_of

if TYPE_CHECKING:
    from workcell.commands.session import Session

MOST_CHANGES = 20_000
"""The most changes that one answer lists."""


class SignalTimes(Result, frozen=True):
    """The values of signals over the recording.

    Attributes:
        start: the value of each signal at the start.
        changes: the time [s], the signal and its value from then on, in the order of time.
        left: how many more changes there are.
    """

    start: dict[str, float]
    changes: tuple[tuple[float, str, float], ...]
    left: int = 0

    def __str__(self) -> str:
        rows = [f"{time:10.4f} s  {name} = {value:g}" for time, name, value in self.changes]
        more = [f"and {self.left} more changes; `export-recording FILE.csv` writes them"] if self.left else []
        return "\n".join([*rows, *more]) if rows else "No signal changed in the recording."


@command(
    "signal-times",
    help="list when signals changed in the recording, and their values",
    effect="reads",
    examples=[
        "> create signal ready",
        '> write program demo "wait 1%0Aset-signal ready 1"',
        "> run demo",
        "signal-times",
    ],
)
def signal_times(session: Session) -> SignalTimes:
    """The signals of sensors, grippers, conveyors and stations are listed too."""
    from workcell.simulation.happenings import Signalled

    recording = session.recording
    start = {
        name: float(value) for name, value in {**signals_of(session.snapshot()), **recording.start.signals}.items()
    }
    found = [(one.time, one.signal, float(one.value)) for one in recording.changes if isinstance(one, Signalled)]
    return SignalTimes(start, tuple(found[:MOST_CHANGES]), max(0, len(found) - MOST_CHANGES))
