"""Which program was in which shared zone, from when to when, and how long programs waited, from the events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workcell.simulation.events import Deadlocked, Event, ZoneAwaited, ZoneEntered, ZoneLeft


@dataclass(frozen=True)
class Stay:
    """A stay of a program in a shared zone.

    Attributes:
        zone: the zone.
        program: the program, with its branch.
        asked: when it asked for the zone [s].
        entered: when it entered it [s]; None if it never did.
        left: when it left it [s]; None if it never did.
    """

    zone: str
    program: str
    asked: float
    entered: float | None
    left: float | None

    def waited(self, end: float) -> float:
        """Return how long it waited until an instant [s]."""
        return (end if self.entered is None else self.entered) - self.asked

    def inside(self, end: float) -> float:
        """Return how long it was inside until an instant [s]."""
        return 0.0 if self.entered is None else (end if self.left is None else self.left) - self.entered


@dataclass(frozen=True)
class ZoneUse:
    """The use of a shared zone by a program in a whole run.

    Attributes:
        zone: the zone.
        program: the program, with its branch.
        entries: how often it entered.
        waits: how often it waited.
        waited: the total wait [s].
        longest: the longest wait [s].
        inside: the total time inside [s].
    """

    zone: str
    program: str
    entries: int
    waits: int
    waited: float
    longest: float
    inside: float

    def __str__(self) -> str:
        waits = f"waited {self.waits} times, {self.waited:.4f} s in all and {self.longest:.4f} s at most"
        return (
            f"zone {self.zone}: {self.program} entered {self.entries} times, "
            f"{waits if self.waits else 'never waited'}, and was inside for {self.inside:.4f} s"
        ).replace(" 1 times", " once")


def stays(events: Iterable[Event]) -> list[Stay]:
    """Return all stays in shared zones, in the order in which programs asked for them."""
    found: list[Stay] = []
    waiting: dict[tuple[str, str], int] = {}
    inside: dict[tuple[str, str], int] = {}
    for event in events:
        if isinstance(event, ZoneAwaited):
            waiting[event.zone, event.program] = len(found)
            found.append(Stay(event.zone, event.program, event.time, None, None))
        elif isinstance(event, ZoneEntered):
            key = event.zone, event.program
            place = waiting.pop(key, len(found))
            asked = found[place].asked if place < len(found) else event.time
            found[place : place + 1] = [Stay(*key, asked, event.time, None)]
            inside[key] = place
        elif isinstance(event, ZoneLeft):
            left = inside.pop((event.zone, event.program), None)
            if left is not None:
                one = found[left]
                found[left] = Stay(one.zone, one.program, one.asked, one.entered, event.time)
        elif isinstance(event, Deadlocked):  # the step that closed the ring was refused
            refused = event.ring[0]
            place = waiting.pop((refused.waits_for, refused.program), len(found))
            found[place : place + 1] = [
                Stay(one.zone, one.program, one.asked, None, event.time) for one in found[place : place + 1]
            ]
    return found


def zone_uses(events: Iterable[Event], end: float) -> tuple[ZoneUse, ...]:
    """Return what each program did in each shared zone until an instant [s]."""
    grouped: dict[tuple[str, str], list[Stay]] = {}
    for one in stays(events):
        grouped.setdefault((one.zone, one.program), []).append(one)
    uses = []
    for (zone, program), some in sorted(grouped.items()):
        waits = [waited for waited in (one.waited(one.left or end) for one in some) if waited > 0.0]
        entries = sum(one.entered is not None for one in some)
        inside = sum(one.inside(end) for one in some)
        uses.append(ZoneUse(zone, program, entries, len(waits), sum(waits), max(waits, default=0.0), inside))
    return tuple(uses)
