"""Events of conveyors, sources and sinks."""

from __future__ import annotations

from workcell.simulation.events.base import Base


class ConveyorRuns(Base, frozen=True, tag="conveyor"):
    """A conveyor was given a speed; zero stops it.

    Attributes:
        conveyor: the conveyor.
        speed: the speed that it runs at [m/s]; its sign is the direction.
        asked: the speed that was requested [m/s]; it differs if the limit of the belt is lower.
        delay: the time until it has that speed [s].
    """

    conveyor: str
    speed: float
    asked: float
    delay: float


class HandedOver(Base, frozen=True, tag="handed-over"):
    """A part came to the end of a belt, or to a part on the next belt, and moves with that belt from now on.

    Attributes:
        part: the body.
        conveyor: the belt that it came from.
        to: the belt that it is on now.
    """

    part: str
    conveyor: str
    to: str


class Blocked(Base, frozen=True, tag="blocked"):
    """A part on a belt came to a stop or to a part at rest; the belt runs on under it.

    Attributes:
        part: the body.
        conveyor: the belt under it.
        by: what blocks it.
    """

    part: str
    conveyor: str
    by: str


class FellOff(Base, frozen=True, tag="fell-off"):
    """A part came to the end of a belt where nothing receives it, and falls."""

    part: str
    conveyor: str


class PartMade(Base, frozen=True, tag="part-made"):
    """A source put a part onto its belt."""

    part: str
    source: str


class PartTaken(Base, frozen=True, tag="part-taken"):
    """A sink took a part away."""

    part: str
    sink: str


class SourceEmpty(Base, frozen=True, tag="source-empty"):
    """A part is due from a source that has none; it gives the next part that comes back."""

    source: str


class SourceBlocked(Base, frozen=True, tag="source-blocked"):
    """A source skips the parts that are due from now on, because another part is in the way.

    The event happens once, until the source has made a part again.
    """

    source: str
    by: str
