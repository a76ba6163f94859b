"""What a robot carries: recorded when it changes, with the verdict `load`, `overload` or `load unknown`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.robots.payload import PayloadCheck
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Event, LoadChecked, Noted
from workcell.world.loads import load_of

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

FITS = "load"
TOO_MUCH = "overload"
UNKNOWN = "load unknown"
VERDICTS = (FITS, TOO_MUCH, UNKNOWN)


def note_load(simulator: Equipped, robot: str) -> PayloadCheck:
    """Check what a robot carries now and record it as an event with its figures."""
    check = load_of(simulator.snapshot, simulator.state, robot)
    simulator.recorder.event(LoadChecked.of(simulator.now, check))
    return check


def figures(check: PayloadCheck) -> dict[str, float]:
    """Return the known numbers of a check by name: mass, payload, excess [kg] and moments [N·m]."""
    found = {"mass": check.mass, "excess": check.excess}
    if check.payload is not None:
        found["payload"] = check.payload
    for one in check.moments:
        found |= {f"moment {one.joint}": one.moment, f"allowed {one.joint}": one.allowed}
    return found


@dataclass(frozen=True)
class LoadNote:
    """What a robot carries from an instant on.

    Attributes:
        time: the instant [s].
        robot: the robot.
        verdict: `load`, `overload` or `load unknown`.
        figures: mass, payload and excess [kg] and moments [N·m], as far as known.
        text: the text for people.
    """

    time: float
    robot: str
    verdict: str
    figures: dict[str, float]
    text: str


def verdict(check: PayloadCheck) -> str:
    """Return whether a load fits, is too much, or could not be checked."""
    return TOO_MUCH if check.overloaded else FITS if check.decided else UNKNOWN


def load_notes(events: Iterable[Event]) -> list[LoadNote]:
    """Return what robots carried, in order, including the notes of an old recording."""
    found = []
    for event in events:
        if isinstance(event, LoadChecked):
            check = event.check
            found.append(LoadNote(event.time, event.robot, verdict(check), figures(check), text_of(event)))
        elif isinstance(event, Noted) and event.was in VERDICTS:
            found.append(LoadNote(event.time, event.robot, event.was, event.figures, event.text))
    return found


def load_lines(notes: Iterable[LoadNote], verdicts: tuple[str, ...] = VERDICTS) -> list[str]:
    """Return the texts of notes with these verdicts, each once, with its first time and the number of repetitions."""
    times: dict[str, list[float]] = {}
    for note in notes:
        if note.verdict in verdicts:
            times.setdefault(note.text, []).append(note.time)
    return [
        f"at {when[0]:.4f} s{f' and {len(when) - 1} more times' if len(when) > 1 else ''}: {text}"
        for text, when in times.items()
    ]
