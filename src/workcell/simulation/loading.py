"""What a robot carries, written into the recording when that changes: `load`, `overload` or `load unknown`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.robots.payload import PayloadCheck
from workcell.simulation.happenings import Event
from workcell.world.loads import load_of

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

FITS = "load"
TOO_MUCH = "overload"
UNKNOWN = "load unknown"
KINDS = (FITS, TOO_MUCH, UNKNOWN)


def note_load(simulator: Simulator, robot: str) -> PayloadCheck:
    """Weigh what a robot carries now and record it as an event: the sentence for people, and the figures."""
    check = load_of(simulator.snapshot, simulator.state, robot)
    kind = TOO_MUCH if check.overloaded else FITS if check.decided else UNKNOWN
    simulator.recorder.event(Event(simulator.time, kind, str(check), robot, figures(check)))
    return check


def figures(check: PayloadCheck) -> dict[str, float]:
    """The numbers of a check by name: mass, payload, excess [kg] and moments [N·m]; those that are known."""
    found = {"mass": check.mass, "excess": check.excess}
    if check.payload is not None:
        found["payload"] = check.payload
    for one in check.moments:
        found |= {f"moment {one.joint}": one.moment, f"allowed {one.joint}": one.allowed}
    return found


def load_events(events: list[Event]) -> list[Event]:
    """The events that tell what robots carried, in order."""
    return [event for event in events if event.kind in KINDS]


def load_lines(events: list[Event], also: tuple[str, ...] = KINDS) -> list[str]:
    """What the events of these kinds say, each sentence once, with when it was so first and how often again."""
    times: dict[str, list[float]] = {}
    for event in events:
        if event.kind in also:
            times.setdefault(event.text, []).append(event.time)
    return [
        f"at {when[0]:.4f} s{f' and {len(when) - 1} more times' if len(when) > 1 else ''}: {text}"
        for text, when in times.items()
    ]
