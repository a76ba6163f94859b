"""Events of conveyors, and of what makes parts and takes them away."""

from __future__ import annotations

from workcell.simulation.events.base import Base


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
