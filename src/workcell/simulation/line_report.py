"""What a line of conveyors did: speed limits, parts in and out, and the rate per hour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from workcell.simulation.event_text import text_of
from workcell.simulation.events import ConveyorRuns, Event, FellOff, PartMade, PartTaken, SourceBlocked, SourceEmpty
from workcell.wording import counted


def limit_lines(events: Sequence[Event]) -> tuple[str, ...]:
    """Return a line for each request of a conveyor speed above its limit."""
    return tuple(
        f"at {event.time:.4f} s: {text_of(event)}"
        for event in events
        if isinstance(event, ConveyorRuns) and event.asked != event.speed
    )


def line_lines(events: Sequence[Event], duration: float) -> tuple[str, ...]:
    """Return what conveyors, sources and sinks did in a duration [s], one line each."""
    return (*limit_lines(events), *_counts(events, duration))


def _counts(events: Sequence[Event], duration: float) -> Iterator[str]:
    made = Counter(one.source for one in events if isinstance(one, PartMade))
    taken = Counter(one.sink for one in events if isinstance(one, PartTaken))
    left = Counter(one.source for one in events if isinstance(one, SourceBlocked))
    empty = Counter(one.source for one in events if isinstance(one, SourceEmpty))
    for source in sorted({*made, *left, *empty}):
        more = f", blocked {counted(left[source], 'time')} by a part in the way" if left[source] else ""
        more += f", empty {counted(empty[source], 'time')}" if empty[source] else ""
        yield f"{source}: {counted(made[source], 'part')} in{more}"
    for sink, count in sorted(taken.items()):
        rate = f", {count * 3600.0 / duration:.4g} per hour" if duration > 0.0 else ""
        yield f"{sink}: {counted(count, 'part')} out{rate}"
    fell = Counter(one.conveyor for one in events if isinstance(one, FellOff))
    for conveyor, count in sorted(fell.items()):
        yield f"{conveyor}: {counted(count, 'part')} fell off its end"
