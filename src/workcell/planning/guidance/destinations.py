"""Where the tip is to go: a place that stands, or one that moves and is foreseen from what was observed of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue

Array = NDArray[np.float64]


def _vector(given: ArrayLike, what: str) -> Array:
    found = np.array(given, dtype=float)
    if found.shape != (3,) or not np.all(np.isfinite(found)):
        raise InvalidValue(f"{what} is three finite numbers; found {np.asarray(given).tolist()!r}.")
    found.flags.writeable = False
    return found


@dataclass(frozen=True, eq=False)
class Destination:
    """A place for the tip, and a direction for the last link where its attitude matters."""

    position: Array
    attitude: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", _vector(self.position, "A destination"))
        if self.attitude is not None:
            found = _vector(self.attitude, "An attitude")
            if not np.linalg.norm(found) > 0.0:
                raise InvalidValue("An attitude is a direction; found zero.")
            object.__setattr__(self, "attitude", _vector(found / np.linalg.norm(found), "An attitude"))


Seen: TypeAlias = Callable[[float], Destination]
"""Where a destination is at a time: what a camera or an encoder observes."""


@dataclass
class Foresight:
    """The past of a destination, and where it leads: a straight motion fitted to the last observations.

    Attributes:
        most: how many observations count.
    """

    most: int = 8
    _times: list[float] = field(default_factory=list)
    _seen: list[Destination] = field(default_factory=list)

    def observe(self, time: float, seen: Destination) -> None:
        """Take in where the destination is."""
        if self._times and time <= self._times[-1]:
            raise InvalidValue("Observations come in the order of time.")
        self._times.append(time)
        self._seen.append(seen)
        del self._times[: -self.most], self._seen[: -self.most]

    @property
    def velocity(self) -> Array:
        """The velocity of the destination, by the least squares of the observations (3,)."""
        return self._slope(np.array([one.position for one in self._seen]))

    def at(self, time: float) -> Destination:
        """Return where the destination will be."""
        if not self._seen:
            raise InvalidValue("A destination is foreseen after it was observed once.")
        last, ahead = self._seen[-1], time - self._times[-1]
        attitude = last.attitude
        if attitude is not None:
            turns = self._slope(np.array([one.attitude for one in self._seen]))
            turned = attitude + ahead * turns
            attitude = turned if np.linalg.norm(turned) > 1e-9 else attitude
        return Destination(last.position + ahead * self.velocity, attitude)

    def meeting(self, tip: ArrayLike, speed: float, most: float = math.inf) -> Destination:
        """Return where a tip of this speed can meet the destination soonest; as far ahead as ``most`` at most.

        The way is taken to be straight; next step it is foreseen again, so obstacles and errors are made up for.
        """
        away = np.asarray(self._seen[-1].position) - np.asarray(tip, dtype=float)
        velocity = self.velocity
        return self.at(self._times[-1] + min(soonest(away, velocity, speed), most))

    def _slope(self, values: Array) -> Array:
        if len(self._times) < 2:
            return np.zeros(3)
        times = np.array(self._times) - np.mean(self._times)
        found: Array = times @ (values - values.mean(axis=0)) / float(times @ times)
        return found


def soonest(away: Array, velocity: Array, speed: float) -> float:
    """Return the least time at which |away + velocity·t| = speed·t; that of the nearest approach where none is."""
    a = float(velocity @ velocity) - speed * speed
    b, c = 2.0 * float(away @ velocity), float(away @ away)
    if c == 0.0:
        return 0.0
    if abs(a) < 1e-12:
        return -c / b if b < 0.0 else math.sqrt(c) / speed
    root = b * b - 4.0 * a * c
    if root >= 0.0:
        times = [t for t in ((-b - math.sqrt(root)) / (2.0 * a), (-b + math.sqrt(root)) / (2.0 * a)) if t > 0.0]
        if times:
            return min(times)
    return max(-b / (2.0 * a), 0.0)
