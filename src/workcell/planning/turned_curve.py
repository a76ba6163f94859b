"""A curve of the tool with turns added along it: the spin and the lean that were chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.motion.curve import HandCurve

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TurnedSection:
    """A smooth part of a curve, on which the tool turns smoothly from one chosen turn to the next.

    Attributes:
        curve: the given curve.
        begin: where the part begins on it.
        size: how long the part is.
        places: where turns are given, from 0 to ``size`` (L,).
        turns: the rotation vectors of the turns there (L, 3) [rad].
    """

    curve: HandCurve
    begin: float
    size: float
    places: Array
    turns: Array

    @property
    def pace(self) -> tuple[float, float]:
        """The greatest way [m] and turn [rad] for each unit of s."""
        way, turn = self.curve.pace
        # A rotation vector turns no faster than it grows; half-way between two turns it grows 1.5 times as fast.
        rates = np.linalg.norm(np.diff(self.turns, axis=0), axis=1) / np.diff(self.places)
        return way, turn + 1.5 * float(rates.max(initial=0.0))

    def place(self, s: Array) -> tuple[Array, Array]:
        """Positions (N, 3) and rotations (N, 3, 3) at s (N,)."""
        # The ends belong to this part: a corner must not be looked at from its other side.
        edge = 1e-12 * max(self.size, 1e-12)
        poses = self.curve.poses(self.begin + np.clip(s, edge, self.size - edge))
        k = np.clip(np.searchsorted(self.places, s, side="right") - 1, 0, len(self.places) - 2)
        tau = np.clip((s - self.places[k]) / (self.places[k + 1] - self.places[k]), 0.0, 1.0)[:, None]
        share = tau * tau * (3.0 - 2.0 * tau)
        vectors = self.turns[k] + share * (self.turns[k + 1] - self.turns[k])
        return poses[:, :3, 3], poses[:, :3, :3] @ rotations_of(vectors)


def turned(curve: HandCurve, places: Array, turns: Array) -> HandCurve:
    """A curve on which the tool is turned, in its own frame, by rotation vectors (L, 3) given at places (L,)."""
    if np.abs(turns).max() <= 1e-12:
        return curve
    sections = []
    for begin, end in zip(curve.breaks[:-1], curve.breaks[1:], strict=True):
        inside = (places > begin + 1e-12) & (places < end - 1e-12)
        own = np.concatenate([[begin], places[inside], [end]])
        there = np.stack([np.interp(own, places, turns[:, axis]) for axis in range(3)], axis=1)
        sections.append(TurnedSection(curve, float(begin), float(end - begin), own - begin, there))
    return HandCurve(tuple(sections), curve.sharp)


def rotations_of(vectors: Array) -> Array:
    """Rotation matrices (N, 3, 3) of rotation vectors (N, 3) [rad] (Rodrigues)."""
    angle = np.linalg.norm(vectors, axis=1)
    axis = vectors / np.where(angle < 1e-12, 1.0, angle)[:, None]
    cross = np.zeros((len(vectors), 3, 3))
    x, y, z = axis.T
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
    cross[:, 1, 0], cross[:, 2, 0], cross[:, 2, 1] = z, -y, x
    sine, cosine = np.sin(angle)[:, None, None], (1.0 - np.cos(angle))[:, None, None]
    return np.asarray(np.eye(3) + sine * cross + cosine * (cross @ cross))
