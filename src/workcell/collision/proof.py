"""The answer to whether a whole motion is free: it is, it is not, or it could not be decided."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from workcell.collision.pairs import ROUNDING
from workcell.spatial.message_units import said_length
from workcell.world.body import unknown_words

METHOD = "bisection in time with bounds on the motion of every point"


@dataclass(frozen=True)
class Resting:
    """A part that may touch what supports it for a while.

    Attributes:
        part: the part.
        base: what supports it.
        until: up to when they may touch [s]: then they are clear of each other for the first time; 0 when not at first.
        since: from when on they may touch again [s]: then they were clear for the last time; infinite when not again.
        margin: the clearance that is proved of them between [m].
    """

    part: str
    base: str
    until: float
    since: float
    margin: float

    def __str__(self) -> str:
        names = f"{self.part} and {self.base}"
        if self.until >= self.since:
            return f"{names}, which may touch all the way"
        times = [f"until {self.until:.4g} s"] if self.until > 0.0 else []
        times += [f"from {self.since:.4g} s on"] if math.isfinite(self.since) else []
        apart = f" and are more than {said_length(self.margin, 6)} apart" if self.margin > 0.0 else ""
        otherwise = f"{apart} otherwise" if apart else ""
        return f"{names}, which may touch {' and '.join(times)}{otherwise}"


@dataclass(frozen=True)
class Free:
    """Nothing touches, and every tested pair keeps its margin, at every instant of the motion.

    Attributes:
        bound: the exact solids of all pairs that move against each other stay at least this far apart [m]; those in
            ``resting`` are left out.
        pair: the pair that came nearest to it.
        near: a time [s] near which that happens.
        least: the least distance of meshes that was met on the way [m]; the true one lies between.
        tests: how many times a pair was looked at over an interval.
        resting: parts that leave or come to rest: from when to when they may touch what supports them.
        method: how it was proved.
        unknown: bodies whose shape is not known, for which nothing is proved.
    """

    bound: float
    pair: tuple[str, str] | None
    near: float
    least: float
    tests: int
    resting: tuple[Resting, ...] = ()
    method: str = METHOD
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """True."""
        return True

    def __str__(self) -> str:
        rests = f", but for {', and for '.join(str(one) for one in self.resting)}" if self.resting else ""
        if self.pair is None:
            text = f"Free: nothing moves against anything that it is tested against{rests}."
        else:
            nearest = f"nearest are {' and '.join(self.pair)} near {self.near:.4g} s"
            text = f"Free: at least {said_length(self.bound, 6)} all the way{rests}; {nearest}."
        return text + unknown_words(self.unknown)


@dataclass(frozen=True)
class ContactAt:
    """A pair touches, or comes nearer than its margin.

    Attributes:
        time: an instant at which the meshes are too near [s].
        pair: their names.
        last_free: everything is proved free up to here [s]; between this and ``time`` nothing is promised.
        distance: of the two meshes at that instant [m]; 0 when they touch.
        margin: the clearance required of the pair [m].
        tolerance: bodies move less than this in any interval left open, unless it lies within the deviations [m].
        tests: how many times a pair was looked at over an interval.
        undecided: another pair that is undecided from ``last_free`` on, if that is why nothing is proved after it.
        method: how it was found.
        unknown: bodies whose shape is not known, for which nothing is proved.
    """

    time: float
    pair: tuple[str, str]
    last_free: float
    distance: float
    margin: float
    tolerance: float
    tests: int
    undecided: Undecided | None = None
    method: str = METHOD
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """False."""
        return False

    def __str__(self) -> str:
        one, other = self.pair
        touches = self.distance <= ROUNDING
        if self.time <= 0.0:
            how = "touches" if touches else f"is nearer than {said_length(self.margin, 6)} to"
            return f"{one} {how} {other} from the start.{unknown_words(self.unknown)}"
        how = "touches" if touches else f"comes nearer than {said_length(self.margin, 6)} to"
        text = f"{one} {how} {other} at {self.time:.6g} s"
        if self.undecided is not None:
            names = " and ".join(self.undecided.pair)
            text = f"{text}; free until {self.last_free:.6g} s, from where it is undecided for {names}."
        else:
            text = f"{text}; free until {self.last_free:.6g} s."
        return text + unknown_words(self.unknown)


@dataclass(frozen=True)
class Undecided:
    """No contact of the meshes was found, but freedom is not proved either.

    Attributes:
        interval: the first stretch of time that is open [s].
        pair: the pair.
        distance: of the two meshes within it [m].
        deviation: how far the two meshes may lie from their exact solids [m].
        reason: why it is not decided.
        last_free: everything is proved free up to here [s].
        tolerance: bodies move less than this in the interval, unless the reason states otherwise [m].
        tests: how many times a pair was looked at over an interval.
        help: what can be done about it.
        method: how it was tried.
        unknown: bodies whose shape is not known, for which nothing is proved.
    """

    interval: tuple[float, float]
    pair: tuple[str, str]
    distance: float
    deviation: float
    reason: str
    last_free: float
    tolerance: float
    tests: int
    help: str = ""
    method: str = METHOD
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """False: it is not proved."""
        return False

    def __str__(self) -> str:
        a, b = self.interval
        names = " and ".join(self.pair)
        text = f"Undecided from {a:.6g} to {b:.6g} s for {names}: {self.reason}; {self.help}."
        return text + unknown_words(self.unknown)


Proof: TypeAlias = Free | ContactAt | Undecided
