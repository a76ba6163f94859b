"""What happens in a plant, one struct for each kind; fields hold names and numbers in SI.

Events are the same whoever drives: typed lines, a program, Python calls, a worker. Which line issued a step is a
stream of its own, of :class:`Issued`. Sentences are made where a person reads them, by
:func:`~workcell.simulation.event_text.text_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

import msgspec

from workcell.robots.payload import JointMoment, Load, PayloadCheck
from workcell.world.renaming import Renaming


class Base(msgspec.Struct, frozen=True, tag_field="kind"):
    """What all events have in common: when they happened [s]."""

    time: float


class TrackingMet(Base, frozen=True, tag="met"):
    """The hand of a robot is on its place on a belt or part, and follows it from now on."""

    robot: str
    on: str


class TrackingChanged(Base, frozen=True, tag="tracking"):
    """A belt does something else; the robot that tracks it is on its place again after a while [s]."""

    robot: str
    on: str
    delay: float


class TrackingEnded(Base, frozen=True, tag="tracking-ended"):
    """A robot does not track a belt any more and comes to rest: why, and where its hand is [m]."""

    robot: str
    on: str
    reason: str
    place: tuple[float, float, float]


class GraspMissed(Base, frozen=True, tag="miss"):
    """A part was taken while it moved: how far the hand was from where it should hold it [m], [rad].

    ``of`` says what that place follows from: the ``part`` that the move named, a ``grasp`` of it, or the ``belt``.
    """

    robot: str
    part: str
    distance: float
    angle: float
    of: str


class MoveBegan(Base, frozen=True, tag="move"):
    """A robot, mechanism or solid begins to move; ``move`` is the kind of move that reports name."""

    device: str
    move: str


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


class Gripped(Base, frozen=True, tag="grip"):
    """A hand took a part.

    Attributes:
        robot: whose gripper.
        part: the body.
        taken_from: the robot that held it before, or ''.
        grasp: the name of the object's own grasp, or ''.
        width: of the part between the fingers [m].
        by: what holds it: fingers, suction, magnet, or attached where nothing was tested.
        pads: the numbers of the cups or magnets that hold it, from 1.
        force: what these hold at the most [N].
        needed: what the part needs of that, safety included [N]; None where its mass is not known.
    """

    robot: str
    part: str
    taken_from: str
    grasp: str
    width: float
    by: str = "fingers"
    pads: tuple[int, ...] = ()
    force: float = 0.0
    needed: float | None = None


class Released(Base, frozen=True, tag="release"):
    """A hand opened; ``part`` is what it let go, or '', and ``opening`` how wide its fingers are now [m].

    ``by`` is what held it: fingers, suction, magnet, or attached.
    """

    robot: str
    part: str
    opening: float
    by: str = "fingers"


class Settled(Base, frozen=True, tag="settle"):
    """A part came to stand on something, '' for the floor, after it went down by ``fall`` [m].

    Below zero where suction cups had pressed it on that, and yielded.
    """

    part: str
    on: str
    fall: float


class Fell(Base, frozen=True, tag="fall"):
    """A part fell from higher than a part may.

    Attributes:
        part: the body.
        on: where it landed, '' for the floor.
        height: how far it fell [m].
        allowed: how far a part may fall [m].
    """

    part: str
    on: str
    height: float
    allowed: float


class LandedElsewhere(Base, frozen=True, tag="landed-elsewhere"):
    """A part stands on another thing than planned; '' stands for the floor."""

    part: str
    on: str
    planned: str


class TippedOver(Base, frozen=True, tag="tip"):
    """A part cannot stand: its centre of mass is beside what carries it by ``overhang`` [m]; ``on`` '' is the floor."""

    part: str
    on: str
    overhang: float


class Unsupported(Base, frozen=True, tag="unsupported"):
    """A part was let go where nothing is below it, not even the floor; it stays where it is."""

    part: str


class PressedIn(Base, frozen=True, tag="pressed-in"):
    """A part was let go while it is ``depth`` [m] inside the body ``on``; it stays where it is."""

    part: str
    on: str
    depth: float


class Rides(Base, frozen=True, tag="ride"):
    """From now on a part goes with what carries it: another part, or a mechanism."""

    part: str
    on: str


class StoppedBeforeContact(Base, frozen=True, tag="stop"):
    """Moves stopped before two bodies touch, or come nearer than they may.

    Attributes:
        devices: what moved.
        pair: the two bodies, where they are known.
        at: when that would have happened [s]; ``time`` where they touched already.
        margin: how far apart the two have to be [m]; 0 where they would touch.
    """

    devices: tuple[str, ...]
    pair: tuple[str, str] | None
    at: float
    margin: float


class StoppedUndecided(Base, frozen=True, tag="stop-undecided"):
    """Moves stopped because neither contact nor freedom could be proved; ``reason`` says why."""

    devices: tuple[str, ...]
    pair: tuple[str, str] | None
    reason: str


class StoppedAtLimit(Base, frozen=True, tag="stop-at-limit"):
    """A motion stopped where a joint comes to a limit.

    Attributes:
        robot: who moved.
        joint: counted from 1.
        limit: position, speed, acceleration or jerk.
        value: what the joint would have come to [SI].
        allowed: the limit [SI].
        slides: whether the joint slides; None where that is not known.
    """

    robot: str
    joint: int
    limit: str
    value: float
    allowed: float
    slides: bool | None


class RateChanged(Base, frozen=True, tag="rate"):
    """A move is held, goes on, or runs at another part of its speed.

    Attributes:
        device: what moves.
        rate: the part of its own speed; 0 where it is held or stopped.
        delay: how long it takes until then [s].
        travel: how far each joint goes meanwhile [rad or m].
        off_path: whether the joints come to rest each on their own, beside the path: an emergency stop.
    """

    device: str
    rate: float
    delay: float
    travel: tuple[float, ...]
    off_path: bool = False


class ConveyorRuns(Base, frozen=True, tag="conveyor"):
    """A conveyor was given a speed; zero stops it.

    Attributes:
        conveyor: which.
        speed: the speed that it runs at [m/s]; its sign is the direction.
        asked: the speed that was asked for [m/s]; another one where the limit of the belt binds.
        delay: how long it takes until it has that speed [s].
    """

    conveyor: str
    speed: float
    asked: float
    delay: float


class HandedOver(Base, frozen=True, tag="handed-over"):
    """A part came to the end of a belt, or to a part on the next one, and goes with that from now on.

    Attributes:
        part: the body.
        conveyor: which it came from.
        to: which it is on now.
    """

    part: str
    conveyor: str
    to: str


class Blocked(Base, frozen=True, tag="blocked"):
    """A part on a belt came to a stop or to a part that stands; the belt runs on under it.

    Attributes:
        part: the body.
        conveyor: under it.
        by: what it came to.
    """

    part: str
    conveyor: str
    by: str


class FellOff(Base, frozen=True, tag="fell-off"):
    """A part came to the end of a belt where nothing takes it, and falls."""

    part: str
    conveyor: str


class PartMade(Base, frozen=True, tag="part-made"):
    """A source has put a part onto its belt."""

    part: str
    source: str


class PartTaken(Base, frozen=True, tag="part-taken"):
    """A sink has taken a part away."""

    part: str
    sink: str


class SourceEmpty(Base, frozen=True, tag="source-empty"):
    """A source has no part to give when one is due; it gives the next that comes back."""

    source: str


class SourceBlocked(Base, frozen=True, tag="source-blocked"):
    """A source leaves out the parts that are due from now on, since another one lies there.

    It comes once, until the source has made a part again.
    """

    source: str
    by: str


class Superseded(Base, frozen=True, tag="supersede"):
    """A robot goes to other joint values from the middle of a move; it rests there after ``delay`` [s]."""

    device: str
    target: tuple[float, ...]
    delay: float


class SteeringRefused(Base, frozen=True, tag="steering-refused"):
    """A change was not made since a contact could not be ruled out; the device goes on with what it did.

    Attributes:
        device: what moves.
        what: rate, target or set-point.
        reason: why, for people.
    """

    device: str
    what: str
    reason: str


class GivenUp(Base, frozen=True, tag="given-up"):
    """A move was stopped on its way and will not be gone on with; ``reason`` says why, for people."""

    device: str
    reason: str


class CallbackFailed(Base, frozen=True, tag="callback-failed"):
    """A callback raised an error: it is called no more, and its device stops on its path; '' stands for all.

    Attributes:
        name: of the callback.
        device: what it was about.
        reason: the error, for people.
    """

    name: str
    device: str
    reason: str


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


class LoadChecked(Base, frozen=True, tag="load"):
    """What a robot carries from now on was weighed.

    Attributes:
        robot: who carries it.
        payload: what it may carry [kg], where its file states that.
        loads: its tool and the parts, each with its mass [kg] where that is known.
        moments: about the axes of its wrist [N·m].
    """

    robot: str
    payload: float | None
    loads: tuple[Load, ...]
    moments: tuple[JointMoment, ...]

    @classmethod
    def of(cls, time: float, check: PayloadCheck) -> LoadChecked:
        """The event of a check that was made."""
        return cls(time, check.robot, check.payload, check.loads, check.moments)

    @property
    def check(self) -> PayloadCheck:
        """The check that was made."""
        return PayloadCheck(self.robot, self.payload, self.loads, self.moments)


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
    figures: dict[str, float] = {}


Event: TypeAlias = (
    MoveBegan
    | TrackingMet
    | TrackingChanged
    | TrackingEnded
    | GraspMissed
    | WaitBegan
    | Waited
    | SignalSet
    | SignalSeen
    | SensorChanged
    | Gripped
    | Released
    | Settled
    | Fell
    | LandedElsewhere
    | TippedOver
    | Unsupported
    | PressedIn
    | Rides
    | StoppedBeforeContact
    | StoppedUndecided
    | StoppedAtLimit
    | RateChanged
    | ConveyorRuns
    | HandedOver
    | Blocked
    | FellOff
    | PartMade
    | PartTaken
    | SourceEmpty
    | SourceBlocked
    | Superseded
    | SteeringRefused
    | GivenUp
    | CallbackFailed
    | ZoneAwaited
    | ZoneEntered
    | ZoneLeft
    | DeadLocked
    | FaultBegan
    | FaultEnded
    | LoadChecked
    | ProcessSet
    | Message
    | Noted
)
KINDS: tuple[type[Base], ...] = get_args(Event)
STOPS = (StoppedBeforeContact, StoppedUndecided, StoppedAtLimit)
"""Motions that ended before they were over."""
FALLS = (Fell, LandedElsewhere, TippedOver, Unsupported, PressedIn)
"""Parts that did not come to stand as planned."""
Fall: TypeAlias = Fell | LandedElsewhere | TippedOver | Unsupported | PressedIn


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


def kind_of(event: Event) -> str:
    """What kind of event it is, in one word."""
    return str(type(event).__struct_config__.tag)


def _name(value: str, new: Renaming) -> str:
    """What is gone keeps the name that it had."""
    return new(value) or value if value else value


def _names(value: tuple[str, ...] | None, new: Renaming) -> tuple[str, ...] | None:
    return None if value is None else tuple(_name(one, new) for one in value)


def _signal(value: str, new: Renaming) -> str:
    return new.signal(value) or value


def _loads(value: tuple[Load, ...], new: Renaming) -> tuple[Load, ...]:
    return tuple(Load(_name(one.name, new), one.mass, one.centre, one.source) for one in value)


def _ring(value: tuple[Stuck, ...], new: Renaming) -> tuple[Stuck, ...]:
    called = {"zone": _name, "signal": _signal}
    return tuple(
        Stuck(
            one.program,
            tuple(_name(zone, new) for zone in one.holds),
            one.what,
            called[one.what](one.waits_for, new) if one.what in called else one.waits_for,
        )
        for one in value
    )


NAMES: Mapping[type[Base], Mapping[str, Callable[[Any, Renaming], Any]]] = {
    MoveBegan: {"device": _name},
    TrackingMet: {"robot": _name, "on": _name},
    TrackingChanged: {"robot": _name, "on": _name},
    TrackingEnded: {"robot": _name, "on": _name},
    GraspMissed: {"robot": _name, "part": _name},
    SignalSet: {"signal": _signal},
    SignalSeen: {"signal": _signal},
    SensorChanged: {"signal": _signal, "bodies": _names},
    Gripped: {"robot": _name, "part": _name, "taken_from": _name},
    Released: {"robot": _name, "part": _name},
    Settled: {"part": _name, "on": _name},
    Fell: {"part": _name, "on": _name},
    LandedElsewhere: {"part": _name, "on": _name, "planned": _name},
    TippedOver: {"part": _name, "on": _name},
    Unsupported: {"part": _name},
    PressedIn: {"part": _name, "on": _name},
    Rides: {"part": _name, "on": _name},
    StoppedBeforeContact: {"devices": _names, "pair": _names},
    StoppedUndecided: {"devices": _names, "pair": _names},
    StoppedAtLimit: {"robot": _name},
    RateChanged: {"device": _name},
    ConveyorRuns: {"conveyor": _name},
    HandedOver: {"part": _name, "conveyor": _name, "to": _name},
    Blocked: {"part": _name, "conveyor": _name, "by": _name},
    FellOff: {"part": _name, "conveyor": _name},
    PartMade: {"part": _name, "source": _name},
    PartTaken: {"part": _name, "sink": _name},
    SourceEmpty: {"source": _name},
    SourceBlocked: {"source": _name, "by": _name},
    Superseded: {"device": _name},
    SteeringRefused: {"device": _name},
    GivenUp: {"device": _name},
    CallbackFailed: {"device": _name},
    ZoneAwaited: {"zone": _name},
    ZoneEntered: {"zone": _name},
    ZoneLeft: {"zone": _name},
    DeadLocked: {"ring": _ring},
    FaultBegan: {"thing": _name, "signal": _signal},
    FaultEnded: {"thing": _name, "signal": _signal},
    LoadChecked: {"robot": _name, "loads": _loads},
    ProcessSet: {"robot": _name},
    Noted: {"robot": _name},
}
"""Which fields of which events are names of robots, bodies and signals, and how each follows a new name."""


def renamed(event: Event, new: Renaming) -> Event:
    """The same event with other names."""
    fields = NAMES.get(type(event))
    if fields is None:
        return event
    return msgspec.structs.replace(
        event, **{name: follow(getattr(event, name), new) for name, follow in fields.items()}
    )
