"""Events of programs and signals: waits, zones, faults, messages; and which line issued which step."""

from __future__ import annotations

import msgspec

from workcell.simulation.events.base import Base


class WaitBegan(Base, frozen=True, tag="wait"):
    """A wait begins, with its duration [s]."""

    seconds: float


class Waited(Base, frozen=True, tag="waited"):
    """A wait is over, with its duration [s]."""

    seconds: float


class SignalSet(Base, frozen=True, tag="signal"):
    """A signal was given a value."""

    signal: str
    value: float


class SignalSeen(Base, frozen=True, tag="signal-seen"):
    """A wait for a signal is over."""

    signal: str
    value: float


class SensorChanged(Base, frozen=True, tag="sensor"):
    """The signal of a sensor changes; ``bodies`` are those that a camera sees or a scale weighs."""

    signal: str
    value: float
    bodies: tuple[str, ...] = ()


class ZoneAwaited(Base, frozen=True, tag="zone-awaited"):
    """A program begins to wait for a shared zone; ``holders`` are the programs in it, with their branches."""

    zone: str
    program: str
    holders: tuple[str, ...]


class ZoneEntered(Base, frozen=True, tag="zone-entered"):
    """A program enters a shared zone, after it waited [s]."""

    zone: str
    program: str
    waited: float


class ZoneLeft(Base, frozen=True, tag="zone-left"):
    """A program leaves a shared zone; ``ended`` if it ended while it still held the zone."""

    zone: str
    program: str
    ended: bool


class Stuck(msgspec.Struct, frozen=True):
    """A program in a deadlock.

    Attributes:
        program: its name, with its branch.
        holds: the shared zones that it is in.
        what: what it waits for: ``zone``, ``signal`` or ``branches``.
        waits_for: the name of that zone or signal; '' for branches.
    """

    program: str
    holds: tuple[str, ...]
    what: str
    waits_for: str


class Deadlocked(Base, frozen=True, tag="dead-lock"):
    """Programs wait for each other in a ring: each for something that the next must do, the last for the first."""

    ring: tuple[Stuck, ...]


class FaultBegan(Base, frozen=True, tag="fault"):
    """A fault begins.

    Attributes:
        fault: the name of the fault.
        does: the effect of the fault.
        thing: the robot, mechanism, object or body that it affects; '' for a sensor.
        signal: the sensor that it affects; '' for a thing.
    """

    fault: str
    does: str
    thing: str
    signal: str


class FaultEnded(Base, frozen=True, tag="fault-ended"):
    """A fault ends; the fields are those of its beginning."""

    fault: str
    does: str
    thing: str
    signal: str


class ProcessSet(Base, frozen=True, tag="process"):
    """A process such as welding was switched on or off; ``process`` is its name, or ''."""

    robot: str
    process: str
    on: bool


class PathTried(Base, frozen=True, tag="path-tried"):
    """A search for a path made an attempt.

    Attributes:
        robot: who was to move.
        how: ``direct``, or the name of the planner.
        outcome: what came of it.
        lines: where the hand would have gone: the two ends of each edge (6,) [m].
    """

    robot: str
    how: str
    outcome: str
    lines: tuple[tuple[float, ...], ...] = ()


class Message(Base, frozen=True, tag="message"):
    """A program or a person wrote a message."""

    text: str


class Noted(Base, frozen=True, tag="note"):
    """An event of a recording made before events had fields: its kind and its text.

    Attributes:
        was: its kind at that time.
        text: its text, with the names of that time.
        robot: the robot that the figures belong to, if any.
        figures: numbers by name, in SI.
    """

    was: str
    text: str
    robot: str = ""
    figures: dict[str, float] = msgspec.field(default_factory=dict)


class Issued(msgspec.Struct, frozen=True):
    """The source of a step: a line of a program, or a person.

    Attributes:
        time: when it began [s].
        program: the program of the step; '' for a typed line.
        line: the line of the program, counted from 1; 0 if it has none.
        callers: the programs and lines that called that program, the nearest first.
        who: the person who typed the line; '' for a step of a program.
    """

    time: float
    program: str = ""
    line: int = 0
    callers: tuple[tuple[str, int], ...] = ()
    who: str = ""
