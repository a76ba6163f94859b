"""Events of devices that move: moves, stops, steering, and arms that track something."""

from __future__ import annotations

from workcell.simulation.events.base import Base


class MoveBegan(Base, frozen=True, tag="move"):
    """A robot, mechanism or solid begins to move; ``move`` is the kind of move for reports."""

    device: str
    move: str


class TrackingMet(Base, frozen=True, tag="met"):
    """The hand of a robot is at its place on a belt or part and follows it from now on."""

    robot: str
    on: str


class TrackingChanged(Base, frozen=True, tag="tracking"):
    """A belt changes its motion; the robot that tracks it is on its place again after ``delay`` [s]."""

    robot: str
    on: str
    delay: float


class TrackingEnded(Base, frozen=True, tag="tracking-ended"):
    """A robot stops tracking a belt and comes to rest: why, and where its hand is [m]."""

    robot: str
    on: str
    reason: str
    place: tuple[float, float, float]


class GuidanceEnded(Base, frozen=True, tag="guided"):
    """A hand was guided between obstacles, and that is over.

    Attributes:
        robot: whose hand.
        outcome: ``arrived``, ``stalled``, ``contact`` or ``time over``.
        miss: how far the hand was from its destination then [m].
        turn: how far it was from its attitude [rad].
        clearance: the least distance to anything that is not the arm itself [m]; None where nothing came near.
        pair: the two bodies of it.
        took: how long the motion took [s].
    """

    robot: str
    outcome: str
    miss: float
    turn: float
    clearance: float | None
    pair: tuple[str, str] | None
    took: float


class StoppedBeforeContact(Base, frozen=True, tag="stop"):
    """Moves stopped before two bodies touch or come nearer than they may.

    Attributes:
        devices: the devices that moved.
        pair: the two bodies, if known.
        at: when that would have happened [s]; ``time`` if they already touched.
        margin: the distance that the two must keep [m]; 0 if they would touch.
    """

    devices: tuple[str, ...]
    pair: tuple[str, str] | None
    at: float
    margin: float


class StoppedUndecided(Base, frozen=True, tag="stop-undecided"):
    """Moves stopped because neither a contact nor a free motion could be proved; ``reason`` gives the cause."""

    devices: tuple[str, ...]
    pair: tuple[str, str] | None
    reason: str


class StoppedAtLimit(Base, frozen=True, tag="stop-at-limit"):
    """A motion stopped where a joint comes to a limit.

    Attributes:
        robot: the robot that moved.
        joint: the joint, counted from 1.
        limit: position, speed, acceleration or jerk.
        value: the value that the joint would have reached [SI].
        allowed: the limit [SI].
        slides: whether the joint slides; None if unknown.
    """

    robot: str
    joint: int
    limit: str
    value: float
    allowed: float
    slides: bool | None


class RateChanged(Base, frozen=True, tag="rate"):
    """A move is held, resumed, or runs at another fraction of its speed.

    Attributes:
        device: the device that moves.
        rate: the fraction of its own speed; 0 if it is held or stopped.
        delay: the time until then [s].
        travel: how far each joint moves meanwhile [rad or m].
        off_path: whether each joint comes to rest on its own, off the path: an emergency stop.
    """

    device: str
    rate: float
    delay: float
    travel: tuple[float, ...]
    off_path: bool = False


class Superseded(Base, frozen=True, tag="supersede"):
    """A robot goes to other joint values from the middle of a move; it is at rest there after ``delay`` [s]."""

    device: str
    target: tuple[float, ...]
    delay: float


class SteeringRefused(Base, frozen=True, tag="steering-refused"):
    """A change was not made because a contact could not be ruled out; the device continues as before.

    Attributes:
        device: the device that moves.
        what: rate, target or set-point.
        reason: the reason, for people.
    """

    device: str
    what: str
    reason: str


class GivenUp(Base, frozen=True, tag="given-up"):
    """A move was stopped on its way and will not be resumed; ``reason`` gives the cause, for people."""

    device: str
    reason: str


class CallbackFailed(Base, frozen=True, tag="callback-failed"):
    """A callback raised an error: it is no longer called, and its device stops on its path.

    Attributes:
        name: the name of the callback.
        device: the device that it controlled; '' for all.
        reason: the error, for people.
    """

    name: str
    device: str
    reason: str
