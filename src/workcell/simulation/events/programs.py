"""Events of programs and signals: waits, zones, faults, messages; and who issued which step."""

from __future__ import annotations

import msgspec

from workcell.simulation.events.base import Base


class WaitBegan(Base, frozen=True, tag="wait"):
    """Somebody begins to wait for a while [s]."""

    seconds: float


class Waited(Base, frozen=True, tag="waited"):
    """A wait is over that was to take so long [s]."""

    seconds: float


class SignalSet(Base, frozen=True, tag="signal"):
    """A signal was given a value."""

    signal: str
    value: float


class SignalSeen(Base, frozen=True, tag="signal-seen"):
    """Somebody who waited for a signal goes on."""

    signal: str
    value: float


class SensorChanged(Base, frozen=True, tag="sensor"):
    """The signal of a sensor changes; ``bodies`` are those that a camera sees, or that a scale weighs."""

    signal: str
    value: float
    bodies: tuple[str, ...] = ()


class ZoneAwaited(Base, frozen=True, tag="zone-awaited"):
    """A program begins to wait for a shared zone; ``holders`` are the programs that are in it, with their branches."""

    zone: str
    program: str
    holders: tuple[str, ...]


class ZoneEntered(Base, frozen=True, tag="zone-entered"):
    """A program enters a shared zone after it waited for so long [s]."""

    zone: str
    program: str
    waited: float


class ZoneLeft(Base, frozen=True, tag="zone-left"):
    """A program leaves a shared zone; ``ended`` where it came to its end and still held it."""

    zone: str
    program: str
    ended: bool


class Stuck(msgspec.Struct, frozen=True):
    """A program of a dead-lock.

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


class DeadLocked(Base, frozen=True, tag="dead-lock"):
    """Programs wait for each other in a ring: each for what the next one would have to do, the last for the first."""

    ring: tuple[Stuck, ...]


class FaultBegan(Base, frozen=True, tag="fault"):
    """Something goes wrong from now on.

    Attributes:
        fault: the name of the fault.
        does: what goes wrong.
        thing: the robot, mechanism, object or body that it is of; '' for a sensor.
        signal: the sensor that it is of; '' for a thing.
    """

    fault: str
    does: str
    thing: str
    signal: str


class FaultEnded(Base, frozen=True, tag="fault-ended"):
    """What went wrong is right again; the fields are those of its beginning."""

    fault: str
    does: str
    thing: str
    signal: str


class ProcessSet(Base, frozen=True, tag="process"):
    """A process such as welding was switched on or off; ``process`` is what it is called, or ''."""

    robot: str
    process: str
    on: bool


class Message(Base, frozen=True, tag="message"):
    """A program or a person left a text."""

    text: str


class Noted(Base, frozen=True, tag="note"):
    """An event of a recording that was made before events had fields: what it was and what it said.

    Attributes:
        was: the kind that it had then.
        text: for people, with the names of then.
        robot: whose figures they are, where there are some.
        figures: numbers by name, in SI.
    """

    was: str
    text: str
    robot: str = ""
    figures: dict[str, float] = msgspec.field(default_factory=dict)


class Issued(msgspec.Struct, frozen=True):
    """Who issued a step: a line of a program, or whoever typed it.

    Attributes:
        time: when it began [s].
        program: whose step it is; '' for a typed line.
        line: of the program, counted from 1; 0 where it has none.
        callers: the programs and lines that called that program, the nearest first.
        who: who typed the line; '' for a step of a program.
    """

    time: float
    program: str = ""
    line: int = 0
    callers: tuple[tuple[str, int], ...] = ()
    who: str = ""
