"""Where the time of a run went, for each robot: at which limit of which joint, to what else, and waiting for what.

The shares of a robot's time add up to the whole run. While it moves, an instant belongs in equal parts to the joints
that are at a limit; if none is, to what else limited the move. While it is at rest, an instant belongs to the
step of the program that moves it next.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from workcell.simulation.events import Gripped, Issued, Released, WaitBegan
from workcell.simulation.happenings import Move
from workcell.simulation.recording import Recording
from workcell.world.snapshot import Snapshot

_Key: TypeAlias = tuple[Any, ...]
"""A cause without its time: kind, words, joint, limit, program, line, as far as known."""
Kind = Literal["joint", "motion", "gripper", "wait", "stand"]
_GRIPPER = ("open-gripper", "close-gripper", "grip", "release")
_WAITING = ("wait-until", "wait-signal", "enter-zone")
_PROFILE = "shape of its profile"
_NEAR = 1e-12
_DUST = 1e-6
"""Limits hold until the nanosecond at which a move ends; gaps shorter than this belong to their neighbours [s]."""
_NAMED = 8
"""How many causes the line of a robot names."""


@dataclass(frozen=True)
class Cause:
    """Something that took some of a robot's time.

    Attributes:
        kind: a limit of a ``joint``; what limited the ``motion`` otherwise (the hand's speed, a zone, the override, a
            fault, its profile); the ``gripper``; a step that makes it ``wait``; or nothing, while it is at rest
            (``stand``).
        what: the cause in words.
        seconds: the time that it took [s].
        joint: the joint, counted from 1; 0 if the cause is not a joint.
        limit: speed, acceleration or jerk of that joint.
        program: the program whose step it waits for, or ''.
        line: the line of that program; 0 if there is none.
    """

    kind: Kind
    what: str
    seconds: float
    joint: int = 0
    limit: str = ""
    program: str = ""
    line: int = 0


@dataclass(frozen=True)
class Cycle:
    """The time of one robot. Its causes, the longest first, add up to the duration [s]."""

    robot: str
    duration: float
    causes: tuple[Cause, ...]

    def of(self, *kinds: Kind) -> float:
        """Return the time of all causes of these kinds [s]."""
        return sum(cause.seconds for cause in self.causes if cause.kind in kinds)

    def __str__(self) -> str:
        named = [f"{one.what} {one.seconds:.4f} s ({one.seconds / self.duration:.0%})" for one in self.causes[:_NAMED]]
        rest = sum(one.seconds for one in self.causes[_NAMED:])
        return f"{self.robot}: {', '.join(named)}" + (f", {rest:.4f} s for the rest" if rest > 0.0 else "")


def cycles(snapshot: Snapshot, recording: Recording) -> tuple[Cycle, ...]:
    """Return where the time of each robot and mechanism that moved went, in the order of their names."""
    begin, end = recording.start.time, recording.end
    if end <= begin:
        return ()
    names = sorted({move.device for move in recording.moves} & set(recording.start.joints))
    steps = _Steps(snapshot, recording)
    return tuple(_cycle(name, recording, steps, begin, end) for name in names)


def _cycle(robot: str, recording: Recording, steps: _Steps, begin: float, end: float) -> Cycle:
    spent: dict[_Key, float] = {}

    def add(key: _Key, seconds: float) -> None:
        if seconds > 0.0:
            spent[key] = spent.get(key, 0.0) + seconds

    now = begin
    moves = sorted((one for one in recording.moves if one.device == robot), key=lambda move: move.start)
    for number, move in enumerate(moves):
        if move.start > now:
            for key, seconds in steps.standing(robot, now, move.start, move.start):
                add(key, seconds)
        # A superseded move ends where the next one begins.
        later = moves[number + 1].start if number + 1 < len(moves) else end
        first, last = max(now, move.start), min(move.end, later, end)
        for key, seconds in _moving(move, first, last):
            add(key, seconds)
        now = max(now, last)
    if now < end:
        for key, seconds in steps.standing(robot, now, end, moves[-1].start if moves else begin):
            add(key, seconds)
    causes = [Cause(kind, what, seconds, *more) for (kind, what, *more), seconds in spent.items()]
    return Cycle(robot, end - begin, tuple(sorted(causes, key=lambda one: (-one.seconds, one.what))))


def _moving(move: Move, first: float, last: float) -> Iterator[tuple[_Key, float]]:
    """Yield what limited a move between two instants, and for how long."""
    bound = [(joint, limit, move.start + a, move.start + b) for joint, limit, a, b in move.bound]
    edges = sorted({first, last, *(t for *_, a, b in bound for t in (a, b) if first < t < last)})
    joints = any(move.limited.startswith(word) for word in ("speed of joint", "acceleration of joint", "jerk of joint"))
    rest = _PROFILE if joints or not move.limited else move.limited
    for a, b in itertools.pairwise(edges):
        middle = (a + b) / 2.0
        there = sorted({one[:2] for one in bound if one[2] - _DUST <= middle <= one[3] + _DUST})
        for joint, limit in there:
            yield ("joint", f"{limit} of joint {joint}", joint, limit), (b - a) / len(there)
        if not there:
            yield ("motion", rest), b - a


class _Steps:
    """The steps of the programs of a run, as they were issued."""

    def __init__(self, snapshot: Snapshot, recording: Recording) -> None:
        self._lines = {one.name: one.text.split("\n") for one in snapshot.setup.programs}
        self._threads: dict[str, list[Issued]] = {}
        for source in recording.sources:
            if source.program:
                self._threads.setdefault(_thread(source), []).append(source)
        for of in self._threads.values():
            of.sort(key=lambda one: one.time)
        self._grips = [(one.robot, one.time) for one in recording.events if isinstance(one, Gripped | Released)]
        self._waits = [one for one in recording.events if isinstance(one, WaitBegan)]

    def standing(self, robot: str, first: float, last: float, moved: float) -> Iterator[tuple[_Key, float]]:
        """Yield what a resting robot waits for between two instants.

        Its move at ``moved`` gives the program that moves it.
        """
        steps = self._issuing(robot, moved)
        times = [one.time for one in steps]
        at = first
        while at < last - _NEAR:
            number = bisect.bisect_right(times, at + _NEAR) - 1
            until = min(last, times[number + 1]) if number + 1 < len(times) else last
            if number < 0:
                yield from self._alone(at, until)
            else:
                over = until if number + 1 < len(times) else min(until, self._over(robot, steps[number]))
                yield self._cause(steps[number]), max(0.0, over - at)
                yield ("stand", "stands"), until - max(at, over)
            at = until

    def _over(self, robot: str, step: Issued) -> float:
        """Return when the last step of a program is over [s]. Nothing waits for what the robot does after that."""
        word = self._text(step).split(None, 1)[0:1]
        if word == ["wait"]:
            return next((one.time + one.seconds for one in self._waits if one.time == step.time), step.time)
        if word and word[0] in _GRIPPER:
            return next((time for name, time in self._grips if name == robot and time >= step.time), step.time)
        return math.inf if word and word[0] in _WAITING else step.time

    def _issuing(self, robot: str, time: float) -> list[Issued]:
        """Return the steps of the program that issued the move of a robot at an instant; empty if none did."""
        for steps in self._threads.values():
            if any(abs(one.time - time) <= _NEAR and self._names(one, robot) for one in steps):
                return steps
        return []

    def _text(self, step: Issued) -> str:
        lines = self._lines.get(step.program, [])
        return " ".join(lines[step.line - 1].split()) if 0 < step.line <= len(lines) else ""

    def _names(self, step: Issued, robot: str) -> bool:
        text = self._text(step)
        return not text or robot in text

    def _cause(self, step: Issued) -> _Key:
        text = self._text(step) or "a step"
        place = f"line {step.line} of {step.program}" if step.line else step.program
        if text.split(None, 1)[0] in _GRIPPER:
            return "gripper", "gripper", 0, "", "", 0
        return "wait", f"waits at {place} (`{text[:60]}`)", 0, "", step.program, step.line

    def _alone(self, first: float, last: float) -> Iterator[tuple[_Key, float]]:
        """Yield, for a run without a program, the typed waits and the rest."""
        waited = 0.0
        for one in self._waits:
            waited += max(0.0, min(last, one.time + one.seconds) - max(first, one.time))
        waited = min(waited, last - first)
        yield ("wait", "waits"), waited
        yield ("stand", "stands"), last - first - waited


def _thread(source: Issued) -> str:
    """Return the program that was started, not one that it calls."""
    return source.callers[-1][0] if source.callers else source.program
