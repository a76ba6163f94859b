"""The time at which a distance that motions cover first reaches a length: exact on the polynomials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

_ROUNDING = 1e-9
"""Roots this close to a piece, or this close to the real line, count as in it [s]."""


_BREAK = 1e-14
"""Times that differ by less, as a part of themselves, are the same [s]."""


@dataclass(frozen=True)
class Going:
    """The contribution of a motion of one joint to a distance.

    Attributes:
        motion: joint values over its own time.
        own: its present time [s].
        factor: the share of its travel that counts; negative if it counts against.
    """

    motion: Trajectory
    own: float
    factor: float = 1.0

    def at(self, after: float) -> Array:
        """Its polynomial from a time after now [s], lowest power first; constant outside the motion."""
        motion, t = self.motion, self.own + after
        if t >= motion.duration:
            return np.array([float(motion.end[0])])
        # Rounding may leave a time that stands for a break just before it.
        piece = max(int(np.searchsorted(motion.breaks, t + _BREAK * (1.0 + t), side="right")) - 1, 0)
        piece = min(piece, len(motion.coefficients) - 1)
        row, shift = motion.coefficients[piece, :, 0], t - float(motion.breaks[piece])
        out = np.zeros(1)
        for value in row[::-1]:
            out = polynomial.polyadd(polynomial.polymul(out, [shift, 1.0]), [value])
        return np.asarray(out)

    @property
    def breaks(self) -> Array:
        """The times after now at which its polynomial changes [s]."""
        found = self.motion.breaks - self.own
        return np.asarray(found[found > 0.0])


def first_at(ways: Sequence[Going], length: float) -> float:
    """The time from now until the sum of the contributions has first grown by a length [s]; infinite if never."""
    if length <= 0.0:
        return 0.0
    if math.isinf(length):
        return math.inf
    edges = np.unique(np.concatenate([[0.0], *(one.breaks for one in ways)]))
    start = [float(one.at(0.0)[0]) for one in ways]
    for begin, end in zip(edges, [*edges[1:], math.inf], strict=True):
        total = np.array([-length])
        for one, first in zip(ways, start, strict=True):
            row = one.at(float(begin))
            row[0] -= first
            total = np.asarray(polynomial.polyadd(total, one.factor * row), dtype=np.float64)
        found = _first_root(total, end - begin)
        if found is not None:
            return float(begin) + found
    return math.inf


def turns_at(ways: Sequence[Going]) -> float:
    """The time from now until the sum of the contributions next turns from growing to shrinking, or back [s]."""
    edges = np.unique(np.concatenate([[0.0], *(one.breaks for one in ways)]))
    sign = 0.0
    for begin, end in zip(edges, [*edges[1:], math.inf], strict=True):
        total = np.zeros(1)
        for one in ways:
            total = np.asarray(polynomial.polyadd(total, one.factor * one.at(float(begin))), dtype=np.float64)
        speed = np.asarray(polynomial.polyder(total) if len(total) > 1 else [0.0], dtype=np.float64)
        last = 1.0 if math.isinf(end) else end - begin
        roots = [root for root in _roots(speed) if 0.0 < root < last]
        for low, high in zip([0.0, *roots], [*roots, last], strict=True):
            now = float(np.sign(polynomial.polyval(0.5 * (low + high), speed)))
            if now and sign and now != sign:
                return float(begin) + low
            sign = now or sign
    return math.inf


def _roots(row: Array) -> list[float]:
    """The real roots of a polynomial in order."""
    row = np.trim_zeros(np.asarray(row, dtype=np.float64), "b")
    if len(row) < 2:
        return []
    if len(row) == 2:
        return [float(-row[0] / row[1])]
    found = polynomial.polyroots(row)
    return sorted(found[np.abs(found.imag) <= _ROUNDING * (1.0 + np.abs(found.real))].real.tolist())


def _first_root(row: Array, last: float) -> float | None:
    """The first root within [0, last] of a polynomial that is negative at first."""
    if row[0] >= 0.0:
        return 0.0
    for root in _roots(row):
        if -_ROUNDING <= root <= last + _ROUNDING:
            return min(max(root, 0.0), last)
    return None
