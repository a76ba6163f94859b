"""A smooth curve of a tool through target poses, in the frame of the work, with the direction away from the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.motion.fitting import clamped_spline, free_slopes, slope_at
from workcell.motion.trajectory import Trajectory
from workcell.spatial import quaternions
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import finite

Array = NDArray[np.float64]
_ROUNDS = 3
"""How often the length is measured again, until the parameter is the length of the curve."""
_LOOKS = 16
_CORNER = np.radians(30.0)


@dataclass(frozen=True, eq=False)
class Seam:
    """Poses over the length s [m]: positions by a cubic spline, orientations by one of normalised quaternions.

    Attributes:
        places: s at each target (K,), from 0.
        position: x, y, z over s, as polynomials.
        rotations: the rotations of the tool at each target (K, 3, 3).
        away_curve: directions away from the work over s, only nearly of length one between targets.
    """

    places: Array
    position: Trajectory
    rotations: Array
    away_curve: Trajectory

    @classmethod
    def through(cls, poses: Sequence[Pose], ups: ArrayLike | None = None, closed: bool = False) -> Seam:
        """The smooth curve through poses.

        Args:
            poses: the poses of the tool, in the frame of the work; at least two, with different neighbours.
            ups: directions away from the work at each of them (K, 3); by default against the tool's z axis.
            closed: whether it continues from the last pose to the first.
        """
        if len(poses) < 2:
            raise InvalidValue(f"A seam needs two or more targets; found {len(poses)}.")
        against = [-pose.rotation[:, 2] for pose in poses]
        away = np.array(against) if ups is None else finite(ups, (len(poses), 3), "The directions away from the work")
        size = np.linalg.norm(away, axis=1, keepdims=True)
        if (size <= 1e-12).any():
            raise InvalidValue("A direction away from the work must not be zero.")
        order = [*range(len(poses)), *([0] if closed else [])]
        points = np.array([poses[i].xyz for i in order])
        chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if (chords <= 1e-9).any():
            place = int(chords.argmin())
            raise InvalidValue(f"Targets {place + 1} and {place + 2} of the seam are at one place; leave one out.")
        places = np.concatenate([[0.0], np.cumsum(chords)])
        for _ in range(_ROUNDS):
            position = _spline(places, points, closed)
            places = np.concatenate([[0.0], np.cumsum(_lengths(position))])
        rotations = np.array([poses[i].rotation for i in order])
        ups_there = _spline(places, (away / size)[order], closed)
        return cls(places, _spline(places, points, closed), rotations, ups_there)

    @property
    def size(self) -> float:
        """The length of the curve [m]."""
        return float(self.places[-1])

    @cached_property
    def _turning(self) -> Trajectory:
        """Quaternions over s, only nearly of length one between targets."""
        return _spline(self.places, quaternions.continuous(quaternions.of_rotations(self.rotations)), closed=False)

    @cached_property
    def rounding(self) -> float:
        """The greatest distance of the curve from the straight lines at corners [m]; 0 if its targets have none.

        A corner is a target at which the direction turns by more than 30° and more than twice as much as at the
        targets beside it.
        """
        points = self.position.sample(self.places)
        steps = np.diff(points, axis=0)
        ways = steps / np.linalg.norm(steps, axis=1, keepdims=True)
        turns = np.arccos(np.clip((ways[1:] * ways[:-1]).sum(axis=1), -1.0, 1.0))
        beside = np.maximum(np.append(turns[1:], 0.0), np.append(0.0, turns[:-1]))
        worst = 0.0
        for corner in np.flatnonzero((turns > _CORNER) & (turns > 2.0 * beside)) + 1:
            for piece in (corner - 1, corner):
                s = np.linspace(self.places[piece], self.places[piece + 1], _LOOKS)
                away = self.position.sample(s) - points[piece]
                off = away - (away @ ways[piece])[:, None] * ways[piece]
                worst = max(worst, float(np.linalg.norm(off, axis=1).max()))
        return worst

    def place(self, s: Array) -> tuple[Array, Array]:
        """Positions (N, 3) and rotations (N, 3, 3) at s (N,)."""
        turning = self._turning.sample(s)
        return self.position.sample(s), quaternions.to_rotations(turning / np.linalg.norm(turning, axis=1)[:, None])

    def poses(self, s: Array) -> Array:
        """Poses at s (N,) as matrices (N, 4, 4)."""
        out = np.broadcast_to(np.eye(4), (len(s), 4, 4)).copy()
        out[:, :3, 3], out[:, :3, :3] = self.place(s)
        return out

    def away(self, s: Array) -> Array:
        """Unit vectors away from the work at s (N, 3), perpendicular to travel."""
        up = self.away_curve.sample(s)
        tangents = self.tangents(s)
        up = up - (up * tangents).sum(axis=1, keepdims=True) * tangents
        return np.asarray(up / np.linalg.norm(up, axis=1, keepdims=True))

    def tangents(self, s: Array) -> Array:
        """Unit vectors of travel at s (N, 3)."""
        slopes = self.position.sample(s, 1)
        return np.asarray(slopes / np.linalg.norm(slopes, axis=1, keepdims=True))

    @property
    def pace(self) -> tuple[float, float]:
        """The greatest distance [m] and turn [rad] for each unit of s: the maximum over many places, plus a tenth."""
        s = np.linspace(0.0, self.size, _LOOKS * len(self.places))
        way = float(np.linalg.norm(self.position.sample(s, 1), axis=1).max())
        turning, rate = self._turning.sample(s), self._turning.sample(s, 1)
        size = np.linalg.norm(turning, axis=1, keepdims=True)
        along = (rate * turning).sum(axis=1, keepdims=True) / size**2 * turning
        # A unit quaternion moves half as fast as the rotation that it describes.
        turn = 2.0 * float((np.linalg.norm(rate - along, axis=1) / size[:, 0]).max())
        return 1.1 * way, 1.1 * turn


def _spline(places: Array, points: Array, closed: bool) -> Trajectory:
    if len(points) < 3:
        return Trajectory(places, np.stack([points[:-1], np.diff(points, axis=0) / np.diff(places)[:, None]], axis=1))
    if not closed:
        return Trajectory(places, clamped_spline(places, points, *free_slopes(places, points)))
    # A closed curve leaves as it arrives: the slope where it closes comes from both sides.
    around = np.concatenate([places[-4:-1] - places[-1], places[:4]])
    both = np.concatenate([points[-4:-1], points[:4]])
    slope = slope_at(around, both, 0.0)
    return Trajectory(places, clamped_spline(places, points, slope, slope))


def _lengths(curve: Trajectory) -> Array:
    """The length of each piece of a curve in space (k,), by Gauss' rule."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    half = 0.5 * np.diff(curve.breaks)
    middles = 0.5 * (curve.breaks[:-1] + curve.breaks[1:])
    t = middles[:, None] + half[:, None] * nodes
    speed = np.linalg.norm(curve.sample(t.ravel(), 1), axis=1).reshape(t.shape)
    return np.asarray((speed * weights).sum(axis=1) * half)
