"""The command that lists the values of signals over the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

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
        units: the units of the values of signals that have one.
    """

    start: dict[str, float]
    changes: tuple[tuple[float, str, float], ...]
    left: int = 0
    units: dict[str, str] = msgspec.field(default_factory=dict)

    def __str__(self) -> str:
        rows = [
            f"{time:10.4f} s  {name} = {value:g} {self.units.get(name, '')}".rstrip()
            for time, name, value in self.changes
        ]
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
    """The signals of sensors, grippers, conveyors and stations are listed too.

    Lengths and angles are in the units of the cell.
    """
    from workcell.simulation.happenings import Signalled

    recording, snapshot, units = session.recording, session.snapshot(), session.units
    quantities = snapshot.signal_quantities

    def shown(name: str, value: float) -> float:
        return units.from_si(float(value), quantities.get(name, "number"))

    start = {name: shown(name, value) for name, value in {**signals_of(snapshot), **recording.start.signals}.items()}
    found = [one for one in recording.changes if isinstance(one, Signalled)]
    changes = tuple((one.time, one.signal, shown(one.signal, one.value)) for one in found[:MOST_CHANGES])
    named = {name: units.default(quantity) for name, quantity in quantities.items()}
    return SignalTimes(start, changes, max(0, len(found) - MOST_CHANGES), named)
