"""The answers of commands that run programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.plan_marks import plan_notes
from workcell.commands.results import Result
from workcell.commands.running import PausedRun, Stood, edited_since, gone_on, stood
from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.programs.program import Program
from workcell.wording import counted
from workcell.world.body import unknown_after
from workcell.world.devices import unwatched

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.events import Issued
    from workcell.simulation.interpreter import Run
    from workcell.simulation.stepping import SteppedRun


class Ran(Result, frozen=True):
    """A run of a program: how many steps were carried out, the simulated time [s], and the messages.

    ``loads`` names loads that are too heavy or not known; ``unknown`` names bodies whose shape is not known, so that
    collisions with them are not watched.
    """

    program: str
    commands: int
    time: float
    messages: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    """The time of each message [s]."""
    notes: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()
    """Parts that fell far, landed in another place than planned, or cannot stand."""
    lines: tuple[str, ...] = ()
    """The line and program of each message; empty if that cannot be decided."""

    def __str__(self) -> str:
        clock = f"simulated time {self.time:.4f} s{unknown_after(self.unknown)}"
        head = f"{self.program}: {counted(self.commands, 'step')}, {clock}"
        return "\n".join([head, *_timed(self.messages, self.times, self.lines), *self.falls, *self.loads, *self.notes])


class RanTogether(Result, frozen=True):
    """A run of programs in parallel: when each ended, and the simulated time [s].

    ``loads`` names loads that are too heavy or not known; ``unknown`` names bodies whose shape is not known, so that
    collisions with them are not watched.
    """

    ended: dict[str, float]
    time: float
    loads: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    """The time of each message [s]."""
    notes: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()
    """Parts that fell far, landed in another place than planned, or cannot stand."""
    lines: tuple[str, ...] = ()
    """The line and program of each message; empty if that cannot be decided."""

    def __str__(self) -> str:
        parts = ", ".join(f"{name} ended at {at:.4f} s" for name, at in self.ended.items())
        head = f"{parts}; simulated time {self.time:.4f} s{unknown_after(self.unknown)}"
        return "\n".join([head, *_timed(self.messages, self.times, self.lines), *self.falls, *self.loads, *self.notes])


def _timed(messages: Sequence[str], times: Sequence[float], lines: Sequence[str]) -> list[str]:
    """Return messages as lines, each with its time and the line of its program."""
    return [
        f"at {at:.4f} s{f', {line}' if line else ''}: {message}"
        for message, at, line in zip(messages, times, lines or [""] * len(messages), strict=True)
    ]


def answered(
    session: Session, paused: PausedRun, how: Callable[[SteppedRun], bool], started: tuple[str, ...] = ()
) -> Ran | RanTogether | Stood:
    """Continue a run; return where it paused, or its result.

    Args:
        session: the session.
        paused: the run.
        how: continues it; returns whether it is paused then.
        started: notes on how it started, for the first answer.
    """
    done = paused.stepped.run
    plans = () if session.replaying else plan_notes(session, done.known)
    notes = (*started, *edited_since(session, paused), *plans)
    before = len(_messages(done)[0])
    try:
        stands = gone_on(session, paused, how)
    except WorkcellError as error:
        texts, times, lines = _messages(done)
        given = _timed(texts[before:], times[before:], lines[before:])
        if not given and not plans:
            raise
        told = ["Messages before that:", *given] if given else []
        message = "\n".join([error.message, *told, *plans])
        raise type(error)(message, **{**error.evidence, "messages": tuple(given)}) from error
    if stands:
        return stood(session, paused, started)
    loads, unknown, (texts, times, lines), falls = (
        _loads(done),
        unwatched(session.snapshot()),
        _messages(done),
        _falls(done),
    )
    if paused.together:
        return RanTogether(done.ended, done.simulator.time, loads, unknown, texts, times, notes, falls, lines)
    return Ran(paused.names[0], done.steps, done.simulator.time, texts, loads, unknown, times, notes, falls, lines)


def _messages(run: Run) -> tuple[tuple[str, ...], tuple[float, ...], tuple[str, ...]]:
    """Return the messages of a run, their times [s] and their lines."""
    from workcell.simulation.events import Message

    recording = run.simulator.recording
    found = [event for event in recording.events if isinstance(event, Message)]
    if not found:
        return (), (), ()
    times = recording.clock(np.array([event.time for event in found]))
    lines = _lines([event.time for event in found], recording.sources, run.known)
    return tuple(event.text for event in found), tuple(times.tolist()), lines


def _lines(times: Sequence[float], sources: Sequence[Issued], known: Mapping[str, Program]) -> tuple[str, ...]:
    """Return the lines that gave messages at these times.

    A message step that was refused gave no message. If more of them began at an instant than there are messages, and
    not all in one line, it cannot be decided which line gave which message.
    """
    giving = {
        (program.name, program.place(number).line)
        for program in known.values()
        for number, step in enumerate(program.steps)
        if type(step) is s.Message
    }
    began: dict[float, list[str]] = {}
    for one in sources:
        if (one.program, one.line) in giving:
            began.setdefault(one.time, []).append(f"line {one.line} of {one.program!r}")
    found: list[str] = []
    for time, messages in groupby(times):
        count, lines = len(list(messages)), began.get(time, [])
        same = len(lines) > count and len(set(lines)) == 1
        found += lines[:count] if same or len(lines) == count else [""] * count
    return tuple(found)


def _falls(run: Run) -> tuple[str, ...]:
    """Return lines on parts that fell far, landed in another place than planned, or cannot stand."""
    from workcell.simulation.falling import fall_lines
    from workcell.simulation.line_report import limit_lines

    events = run.simulator.recording.events
    return (*fall_lines(events), *limit_lines(events))


def _loads(run: Run) -> tuple[str, ...]:
    """Return lines on loads in a run that were too heavy or not known."""
    from workcell.simulation.loading import TOO_MUCH, UNKNOWN, load_lines, load_notes

    return tuple(load_lines(load_notes(run.simulator.recording.events), (TOO_MUCH, UNKNOWN)))
