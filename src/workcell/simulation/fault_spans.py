"""What went wrong in a run, how often and for how long, from the events of a recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workcell.simulation.events import Event, FaultBegan, FaultEnded


@dataclass(frozen=True)
class FaultUse:
    """A fault in a whole run.

    Attributes:
        fault: its name.
        of: the thing or sensor that it affects.
        does: what went wrong.
        times: how often it began.
        lasted: the total duration [s].
    """

    fault: str
    of: str
    does: str
    times: int
    lasted: float

    def __str__(self) -> str:
        often = "once" if self.times == 1 else f"{self.times} times"
        return f"fault {self.fault} of {self.of} ({self.does}) began {often}, for {self.lasted:.4f} s in all"


def fault_uses(events: Iterable[Event], end: float) -> tuple[FaultUse, ...]:
    """Return every fault that began before an instant [s], in the order of their first beginnings."""
    found: dict[str, FaultUse] = {}
    since: dict[str, float] = {}
    for event in events:
        if isinstance(event, FaultBegan):
            one = found.get(event.fault) or FaultUse(event.fault, event.signal or event.thing, event.does, 0, 0.0)
            found[event.fault] = FaultUse(one.fault, one.of, one.does, one.times + 1, one.lasted)
            since.setdefault(event.fault, event.time)
        elif isinstance(event, FaultEnded) and event.fault in since:
            found[event.fault] = _longer(found[event.fault], event.time - since.pop(event.fault))
    for fault, begin in since.items():
        found[fault] = _longer(found[fault], end - begin)
    return tuple(found.values())


def _longer(one: FaultUse, by: float) -> FaultUse:
    return FaultUse(one.fault, one.of, one.does, one.times, one.lasted + by)
