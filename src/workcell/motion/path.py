"""A path in joint space: joint values as piecewise polynomials of a path parameter, without any time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, MotionError
from workcell.motion.fitting import clamped_spline, free_slopes
from workcell.motion.frames import positive
from workcell.motion.profiles import way_points
from workcell.motion.trajectory import Trajectory, pieced

Array = NDArray[np.float64]

CORNERS = ("parabolic", "smooth")
"""Kinds of rounded corners: continuous tangent, or continuous curvature as well."""

_TANGENT = 1e-7
"""A tangent that jumps by more than this share of its size at a break makes a corner: the arm must stop."""


@dataclass(frozen=True)
class JointPath:
    """Joint values over the path parameter s from 0 to ``length``.

    Attributes:
        curve: the polynomials, with s in place of time.
    """

    curve: Trajectory

    def __post_init__(self) -> None:
        if self.curve.duration == 0.0:
            raise InvalidValue("A path must lead somewhere; this one has no length.")

    # ---- construction ---------------------------------------------------------------------------------

    @classmethod
    def polyline(cls, points: ArrayLike, blend: float = 0.0, corner: str = "smooth") -> JointPath:
        """Straight joint segments, with corners cut from ``blend`` before to ``blend`` after each.

        s is the length along the segments [rad, or m for prismatic joints]. Without a blend the corners stay,
        and a timed motion stops in each of them.

        Args:
            points: joint vectors (m, n); neighbours must differ.
            blend: the distance from a corner at which the path leaves the segment.
            corner: 'smooth' (curvature continuous) or 'parabolic' (tangent continuous, shortest).
        """
        stations = way_points(points, None)
        if corner not in CORNERS:
            raise InvalidValue(f"A corner must be 'smooth' or 'parabolic', not {corner!r}.")
        steps = np.diff(stations, axis=0)
        lengths = np.sqrt((steps**2).sum(axis=1))
        radius = check_blend(blend, lengths, "rad") if blend != 0.0 else 0.0
        units = steps / lengths[:, None]
        pieces: list[Array] = []
        sizes: list[float] = []
        for i, (unit, length) in enumerate(zip(units, lengths, strict=True)):
            cut0 = radius if i > 0 else 0.0
            cut1 = radius if i < len(lengths) - 1 else 0.0
            if length - cut0 - cut1 > 1e-12 * length:
                pieces.append(np.stack([stations[i] + cut0 * unit, unit]))
                sizes.append(float(length - cut0 - cut1))
            if cut1 > 0.0:
                pieces.append(rounded_corner(stations[i + 1], unit, units[i + 1], radius, corner))
                sizes.append(2.0 * radius)
        terms = max(piece.shape[0] for piece in pieces)
        coefficients = np.zeros((len(pieces), terms, stations.shape[1]))
        for row, piece in zip(coefficients, pieces, strict=True):
            row[: piece.shape[0]] = piece
        return cls(pieced(np.concatenate([[0.0], np.cumsum(sizes)]), coefficients))

    @classmethod
    def spline(cls, points: ArrayLike, parameters: ArrayLike | None = None) -> JointPath:
        """A cubic spline through joint vectors, with continuous curvature and free ends.

        Args:
            points: joint vectors (m, n); neighbours must differ.
            parameters: s at each point, rising from 0; by default the chord lengths.
        """
        stations = way_points(points, None)
        if parameters is None:
            chords = np.sqrt((np.diff(stations, axis=0) ** 2).sum(axis=1))
            knots = np.concatenate([[0.0], np.cumsum(chords)])
        else:
            knots = np.array(parameters, dtype=np.float64)
            if knots.shape != (stations.shape[0],) or knots[0] != 0.0 or not (np.diff(knots) > 0.0).all():
                raise InvalidValue(
                    f"A spline through {stations.shape[0]} points needs as many parameters, rising from 0; "
                    f"found {knots.tolist()}."
                )
        first, last = free_slopes(knots, stations)
        return cls(Trajectory(knots, clamped_spline(knots, stations, first, last)))

    # ---- properties -----------------------------------------------------------------------------------

    @property
    def length(self) -> float:
        """The last value of the path parameter."""
        return self.curve.duration

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.curve.n

    @property
    def start(self) -> Array:
        """The joint values at the start (n,)."""
        return self.curve.start

    @property
    def end(self) -> Array:
        """The joint values at the end (n,)."""
        return self.curve.end

    def position(self, s: float) -> Array:
        """Joint values at ``s`` (n,)."""
        return self.curve.position(s)

    def tangent(self, s: float) -> Array:
        """The derivative of the joint values by s (n,)."""
        return self.curve.velocity(s)

    def sample(self, s: ArrayLike) -> Array:
        """Joint values at many places (N,) by the compiled kernel: (N, n)."""
        return self.curve.sample(s)

    def corners(self) -> Array:
        """The inner values of s at which the tangent jumps, so that the arm has to stop there."""
        return self._corners

    @cached_property
    def _corners(self) -> Array:
        jumps = np.abs(self.curve.velocity_jumps()[1:-1]).max(axis=1)
        size = np.abs(self.curve.sample(self.curve.breaks[1:-1], 1)).max(axis=1)
        found = self.curve.breaks[1:-1][jumps > _TANGENT * (1.0 + size)]
        found.flags.writeable = False
        return np.asarray(found)

    def reversed(self) -> JointPath:
        """The same path from its end to its start."""
        return JointPath(self.curve.reversed())

    def then(self, other: JointPath) -> JointPath:
        """This path followed by the other, which must start where this one ends."""
        return JointPath(self.curve.then(other.curve))


def check_blend(blend: float, lengths: Array, unit: str) -> float:
    """Return a blending radius that fits between the corners; refuse others with the segment that is too short."""
    radius = positive(blend, "A blending radius", unit)
    count = lengths.shape[0]
    if count == 1:
        return radius
    # Inner segments are cut at both ends, the first and last at one.
    cuts = np.full(count, 2.0)
    cuts[0] = cuts[-1] = 1.0
    room = lengths / cuts
    tight = int(room.argmin())
    if radius > room[tight] * (1.0 + 1e-12):
        ends = "both ends" if cuts[tight] == 2.0 else "one end"
        size, shown = (1e3, "mm") if unit == "m" else (1.0, unit)
        asked, long, most = (f"{value * size:.6g} {shown}" for value in (radius, lengths[tight], room[tight]))
        raise MotionError(
            f"A blending radius of {asked} does not fit: segment {tight + 1} is {long} long and is cut at {ends}, "
            f"so at most {most} can be blended.",
            segment=tight + 1,
            length=float(lengths[tight]),
            largest=float(room[tight]),
        )
    return min(radius, float(room[tight]))


def rounded_corner(corner: Array, before: Array, after: Array, radius: float, kind: str) -> Array:
    """Coefficients of the rounded corner over a parameter of 2·radius, with unit tangents at both ends."""
    if kind == "parabolic":
        return np.stack([corner - radius * before, before, (after - before) / (4.0 * radius)])
    return np.asarray(rounded_corners(corner[None], before[None], after[None], np.array([radius]))[0])


def rounded_corners(corners: Array, before: Array, after: Array, radii: Array) -> Array:
    """Coefficients (N, 5, n) of corners (N, n) rounded with continuous curvature, as :func:`rounded_corner`."""
    # The tangent turns as 3τ² − 2τ³: a quartic with no second derivative at either end.
    size = 2.0 * radii[:, None]
    turn = (after - before) / size**2
    start = corners - radii[:, None] * before
    return np.stack([start, before, np.zeros_like(start), turn, -0.5 * turn / size], axis=1)
