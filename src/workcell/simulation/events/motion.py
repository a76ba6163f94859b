"""Events of devices that move: moves, stops, steering, and arms that track something."""

from __future__ import annotations

from workcell.simulation.events.base import Base


class MoveBegan(Base, frozen=True, tag="move"):
    """A robot, mechanism or solid begins to move; ``move`` is the kind of move that reports name."""

    device: str
    move: str


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
