"""Motions in sequence: joint values over time, some along a path by a time law, some plain polynomials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.motion.time_law import PacedMotion
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chained:
    """Motions that follow each other without a gap in time; each begins where the one before ends.

    Attributes:
        parts: the motions in their order.
    """

    parts: tuple[Trajectory | PacedMotion, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise InvalidValue("A chain of motions needs at least one.")

    @classmethod
    def of(cls, parts: Iterable[JointMotion]) -> JointMotion:
        """Join motions in sequence, as simply as possible: polynomials that meet become one trajectory."""
        flat: list[Trajectory | PacedMotion] = []
        for part in parts:
            for one in part.parts if isinstance(part, Chained) else (part,):
                before = flat[-1] if flat else None
                if isinstance(before, Trajectory) and isinstance(one, Trajectory):
                    flat[-1] = before.then(one)
                else:
                    flat.append(one)
        return flat[0] if len(flat) == 1 else cls(tuple(flat))

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.parts[0].n

    @cached_property
    def begins(self) -> Array:
        """The time at which each part begins, and the time at which the whole ends (k+1,) [s]."""
        return np.concatenate([[0.0], np.cumsum([part.duration for part in self.parts])])

    @property
    def duration(self) -> float:
        """The duration of the whole [s]."""
        return float(self.begins[-1])

    @property
    def start(self) -> Array:
        """The joint values at the start (n,)."""
        return self.parts[0].start

    @property
    def end(self) -> Array:
        """The joint values at the end (n,)."""
        return self.parts[-1].end

    def position(self, t: float) -> Array:
        """Joint values at ``t`` [s] (n,); before the start and after the end, those of the ends."""
        place = min(max(int(np.searchsorted(self.begins, t, side="right")) - 1, 0), len(self.parts) - 1)
        return self.parts[place].position(t - float(self.begins[place]))

    def sample(self, times: ArrayLike, derivative: int = 0) -> Array:
        """Joint values at many times (N,) [s]: (N, n); or their derivative 1 or 2."""
        at = np.asarray(times, dtype=np.float64)
        out = np.zeros((len(at), self.n))
        which = np.clip(np.searchsorted(self.begins, at, side="right") - 1, 0, len(self.parts) - 1)
        for place in np.unique(which):
            mine = which == place
            out[mine] = self.parts[place].sample(at[mine] - self.begins[place], derivative)
        return out

    def ranges(self, starts: ArrayLike, ends: ArrayLike, derivative: int = 0) -> tuple[Array, Array]:
        """Bounds of the values over many intervals [starts, ends] (N,): two arrays (N, n), never too narrow."""
        first, last = np.asarray(starts, dtype=np.float64), np.asarray(ends, dtype=np.float64)
        low = np.full((len(first), self.n), np.inf)
        high = -low
        for place, part in enumerate(self.parts):
            begin, end = float(self.begins[place]), float(self.begins[place + 1])
            mine = (last >= begin) & (first <= end)
            if place == 0:
                mine |= last < begin
            if place == len(self.parts) - 1:
                mine |= first > end
            if mine.any():
                least, most = part.ranges(
                    np.clip(first[mine] - begin, 0.0, part.duration),
                    np.clip(last[mine] - begin, 0.0, part.duration),
                    derivative,
                )
                low[mine], high[mine] = np.minimum(low[mine], least), np.maximum(high[mine], most)
        if derivative:
            outside = (first < 0.0) | (last > self.duration)
            low[outside], high[outside] = np.minimum(low[outside], 0.0), np.maximum(high[outside], 0.0)
        return low, high

    def part(self, t0: float, t1: float) -> JointMotion:
        """The motion from ``t0`` to ``t1`` [s], as one that starts at time 0."""
        found: list[JointMotion] = []
        for place, one in enumerate(self.parts):
            begin = float(self.begins[place])
            first, last = max(t0 - begin, 0.0), min(t1 - begin, one.duration)
            if last > first:
                found.append(one.part(first, last))
        return Chained.of(found) if found else Trajectory.constant(self.position(t0))

    def max_speed(self) -> Array:
        """A bound on the greatest |velocity| of each joint (n,) [1/s]."""
        return np.asarray(np.max([part.max_speed() for part in self.parts], axis=0))

    @property
    def turning(self) -> NDArray[np.bool_]:
        """Which joints move (n,)."""
        return np.asarray(np.any([part.turning for part in self.parts], axis=0))

    @property
    def gaps(self) -> Array:
        """The total jump of each joint where pieces or parts meet, by rounding (n,)."""
        inside = np.sum([part.gaps for part in self.parts], axis=0)
        joins = [np.abs(b.start - a.end) for a, b in zip(self.parts, self.parts[1:], strict=False)]
        return np.asarray(inside + np.sum(joins, axis=0)) if joins else np.asarray(inside)

    @property
    def farthest(self) -> Array:
        """The greatest |value| of each joint at the beginnings of the pieces (n,)."""
        return np.asarray(np.max([part.farthest for part in self.parts], axis=0))


JointMotion: TypeAlias = Trajectory | PacedMotion | Chained
"""Joint values over time."""
