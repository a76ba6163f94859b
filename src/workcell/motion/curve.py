"""Curves of the hand in space: lines, arcs and rounded polylines, with the orientation along them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, MotionError
from workcell.motion.path import check_blend
from workcell.spatial import rotations
from workcell.spatial.message_units import said_point
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

ORIENTATIONS = ("keep", "interpolate")
"""The orientation of the hand while it moves: keep the first one, or turn evenly to the last one."""

_SAME = 1e-12
"""Positions [m] or orientations [rad] closer than this are the same."""


class Section(Protocol):
    """A smooth part of a curve."""

    @property
    def size(self) -> float:
        """Its length [m], or its angle [rad] if the hand only turns."""

    @property
    def pace(self) -> tuple[float, float]:
        """The greatest distance [m] and turn [rad] for each unit of s."""

    def place(self, s: Array) -> tuple[Array, Array]:
        """Positions (N, 3) and rotations (N, 3, 3) at s (N,) from 0 to ``size``."""


@dataclass(frozen=True)
class Straight:
    """A line, or a turn on the spot."""

    origin: Array
    rotation: Array
    direction: Array
    rate: Array
    size: float

    @property
    def pace(self) -> tuple[float, float]:
        """The greatest distance [m] and turn [rad] for each unit of s."""
        return float(np.linalg.norm(self.direction)), float(np.linalg.norm(self.rate))

    def place(self, s: Array) -> tuple[Array, Array]:
        """Positions (N, 3) and rotations (N, 3, 3) at s (N,)."""
        return self.origin + s[:, None] * self.direction, self.rotation @ _turns(s[:, None] * self.rate)


@dataclass(frozen=True)
class Corner:
    """The rounded corner between two straight sections: position and orientation blend from one into the other."""

    origin: Array
    rotation: Array
    directions: tuple[Array, Array]
    rates: tuple[Array, Array]
    radius: float

    @property
    def size(self) -> float:
        """Its length [m], or its angle [rad] if the hand only turns."""
        return 2.0 * self.radius

    @property
    def pace(self) -> tuple[float, float]:
        """The greatest distance [m] and turn [rad] for each unit of s."""
        # The weights of the two directions sum to one.
        ways, turns = (max(float(np.linalg.norm(vector)) for vector in pair) for pair in (self.directions, self.rates))
        return ways, turns

    def place(self, s: Array) -> tuple[Array, Array]:
        """Positions (N, 3) and rotations (N, 3, 3) at s (N,)."""
        tau = s / self.size
        # The share of the second direction grows as 3τ² − 2τ³; its integral is τ³ − τ⁴/2.
        second = self.size * (tau**3 - 0.5 * tau**4)
        first = s - self.radius - second
        (u1, u2), (w1, w2) = self.directions, self.rates
        position = self.origin + first[:, None] * u1 + second[:, None] * u2
        return position, self.rotation @ _turns(first[:, None] * w1) @ _turns(second[:, None] * w2)


@dataclass(frozen=True)
class Circle:
    """A part of a circle."""

    centre: Array
    toward: Array
    across: Array
    radius: float
    angle: float
    rotation: Array
    rate: Array
    bend: Array

    @property
    def size(self) -> float:
        """Its length [m], or its angle [rad] if the hand only turns."""
        return self.radius * self.angle

    @property
    def pace(self) -> tuple[float, float]:
        """The greatest distance [m] and turn [rad] for each unit of s."""
        # A rotation vector that grows at some rate turns no faster than that; this rate is linear in s.
        last = self.rate + 2.0 * self.size * self.bend
        return 1.0, max(float(np.linalg.norm(self.rate)), float(np.linalg.norm(last)))

    def place(self, s: Array) -> tuple[Array, Array]:
        """Positions (N, 3) and rotations (N, 3, 3) at s (N,)."""
        phi = (s / self.radius)[:, None]
        position = self.centre + self.radius * (np.cos(phi) * self.toward + np.sin(phi) * self.across)
        return position, self.rotation @ _turns(s[:, None] * self.rate + (s * s)[:, None] * self.bend)


@dataclass(frozen=True)
class HandCurve:
    """A curve of poses over s from 0 to ``length``.

    s counts metres along the path of the hand, or radians if the hand turns on the spot.

    Attributes:
        sections: the smooth parts in sequence.
        sharp: for each place where two sections meet, whether the direction jumps there.
    """

    sections: tuple[Section, ...]
    sharp: tuple[bool, ...] = ()

    @classmethod
    def line(cls, start: Pose, end: Pose, orientation: str = "interpolate") -> HandCurve:
        """A straight line of the hand's origin; its orientation is kept, or turned evenly about one axis."""
        return cls.polyline([start, end], orientation=orientation)

    @classmethod
    def arc(cls, start: Pose, via: Pose, end: Pose, orientation: str = "interpolate") -> HandCurve:
        """The circular arc from ``start`` through the position of ``via`` to ``end``.

        With ``interpolate`` the orientation turns evenly from that of the first pose to that of the last one, and that
        of ``via`` is not used. With ``via`` it goes smoothly through it: the rotation vector from the first orientation
        is a quadratic function of the distance.
        """
        a, b, c = start.xyz, via.xyz, end.xyz
        normal = np.cross(b - a, c - a)
        scale = float(np.linalg.norm(b - a) * np.linalg.norm(c - a))
        if not np.linalg.norm(normal) > 1e-9 * scale or scale == 0.0:
            raise MotionError(
                f"No circle goes through {said_point(a)}, {said_point(b)} and {said_point(c)}: they lie on one line, "
                f"or two are the same. Move the via point, or use a line."
            )
        normal /= np.linalg.norm(normal)
        # The centre is where the planes half-way between the points meet, in the plane of the three.
        rows = np.stack([b - a, c - a, normal])
        right = np.array([(b - a) @ (a + b) / 2.0, (c - a) @ (a + c) / 2.0, normal @ a])
        centre = np.linalg.solve(rows, right)
        radius = float(np.linalg.norm(a - centre))
        toward = (a - centre) / radius
        across = np.cross(normal, toward)
        angle = math.atan2(float((c - centre) @ across), float((c - centre) @ toward)) % (2.0 * math.pi)
        whole = radius * angle
        rate, bend = _turn(start, end, "interpolate" if orientation == "via" else orientation) / whole, np.zeros(3)
        if orientation == "via":
            there = radius * (math.atan2(float((b - centre) @ across), float((b - centre) @ toward)) % (2.0 * math.pi))
            half, full = _turn(start, via, "interpolate"), rate * whole
            # half = r·there + β·there² and full = r·whole + β·whole².
            bend = (half / there - full / whole) / (there - whole)
            rate = full / whole - bend * whole
        return cls((Circle(centre, toward, across, radius, angle, start.rotation, rate, bend),))

    @classmethod
    def polyline(
        cls, poses: list[Pose] | tuple[Pose, ...], blend: float = 0.0, orientation: str = "interpolate"
    ) -> HandCurve:
        """Straight lines through poses, with corners rounded from ``blend`` [m] before to ``blend`` after each.

        Without a blend, the corners stay sharp and the hand has to stop in them.
        """
        if len(poses) < 2:
            raise InvalidValue(f"A curve of the hand needs at least two poses; found {len(poses)}.")
        legs: list[Straight] = []
        rotation = poses[0].rotation
        for i, (first, last) in enumerate(itertools.pairwise(poses)):
            turn = _turn(first, last, orientation)
            step = last.xyz - first.xyz
            length, angle = float(np.linalg.norm(step)), float(np.linalg.norm(turn))
            size = length if length > _SAME else angle
            if not size > _SAME:
                raise MotionError(f"Poses {i + 1} and {i + 2} of the curve are the same; leave one out.", pose=i + 2)
            legs.append(Straight(first.xyz, rotation, step / size, turn / size, size))
            rotation = last.rotation if orientation == "interpolate" else rotation
        if blend == 0.0 or len(legs) == 1:
            sharp = tuple(not _straight_on(one, other) for one, other in itertools.pairwise(legs))
            return cls(tuple(legs), sharp)
        radius = check_blend(blend, np.array([leg.size for leg in legs]), "m")
        return cls(tuple(_blended(legs, radius)), ())

    @property
    def breaks(self) -> Array:
        """The values of s at which sections start and end (m+1,)."""
        return np.concatenate([[0.0], np.cumsum([section.size for section in self.sections])])

    @property
    def length(self) -> float:
        """The last value of s."""
        return float(self.breaks[-1])

    @property
    def corners(self) -> Array:
        """The values of s at which the direction jumps."""
        return np.asarray(self.breaks[1:-1][np.array(self.sharp, dtype=bool)]) if self.sharp else np.empty(0)

    @property
    def pace(self) -> tuple[float, float]:
        """Bounds on the distance [m] and the turn [rad] for each unit of s, anywhere on the curve."""
        ways, turns = zip(*(section.pace for section in self.sections), strict=True)
        return max(ways), max(turns)

    @property
    def start(self) -> Pose:
        """The first pose."""
        return self.pose(0.0)

    @property
    def end(self) -> Pose:
        """The last pose."""
        return self.pose(self.length)

    def pose(self, s: float) -> Pose:
        """The pose at ``s``."""
        return Pose(self.poses([s])[0])

    def poses(self, s: ArrayLike) -> Array:
        """The poses at many places (N,) as matrices (N, 4, 4)."""
        places = np.array(s, dtype=np.float64)
        if places.ndim != 1 or not np.isfinite(places).all():
            raise InvalidValue(f"Places on a curve must be a list of finite numbers; found the shape {places.shape}.")
        breaks = self.breaks
        places = np.clip(places, 0.0, breaks[-1])
        which = np.clip(np.searchsorted(breaks, places, side="right") - 1, 0, len(self.sections) - 1)
        out = np.zeros((places.shape[0], 4, 4))
        out[:, 3, 3] = 1.0
        for i, section in enumerate(self.sections):
            mine = which == i
            if mine.any():
                position, rotation = section.place(np.minimum(places[mine] - breaks[i], section.size))
                out[mine, :3, 3] = position
                out[mine, :3, :3] = rotation
        return out


def _blended(legs: list[Straight], radius: float) -> list[Section]:
    sections: list[Section] = []
    for i, leg in enumerate(legs):
        cut0 = radius if i > 0 else 0.0
        cut1 = radius if i < len(legs) - 1 else 0.0
        if leg.size - cut0 - cut1 > 1e-9 * leg.size:
            (origin,), (rotation,) = leg.place(np.array([cut0]))
            sections.append(Straight(origin, rotation, leg.direction, leg.rate, leg.size - cut0 - cut1))
        if cut1 > 0.0:
            after = legs[i + 1]
            directions, rates = (leg.direction, after.direction), (leg.rate, after.rate)
            sections.append(Corner(after.origin, after.rotation, directions, rates, radius))
    return sections


def _straight_on(one: Straight, other: Straight) -> bool:
    """Whether one section continues into the other without a jump of its direction or its turning."""
    ahead = np.abs(one.direction - other.direction).max() <= 1e-9
    return bool(ahead and np.abs(one.rate - other.rate).max() <= 1e-9 * (1.0 + np.abs(one.rate).max()))


def _turn(start: Pose, end: Pose, orientation: str) -> Array:
    """The rotation vector from one orientation to the other in the frame of the first; zero if it is kept."""
    if orientation not in ORIENTATIONS:
        more = " ('via' on a circle)" if orientation == "via" else ""
        raise InvalidValue(f"The orientation must be 'keep' or 'interpolate'{more}, not {orientation!r}.")
    if orientation == "keep":
        return np.zeros(3)
    return rotations.to_rotation_vector(start.rotation.T @ end.rotation)


def _turns(vectors: Array) -> Array:
    """Rotation matrices (N, 3, 3) of rotation vectors (N, 3) (Rodrigues)."""
    angle = np.sqrt((vectors**2).sum(axis=1))
    tiny = angle < 1e-8
    safe = np.where(tiny, 1.0, angle)
    sine = np.where(tiny, 1.0, np.sin(angle) / safe)
    half = np.sin(0.5 * angle)
    cosine = np.where(tiny, 0.5, 2.0 * half * half / safe**2)
    cross = np.zeros((vectors.shape[0], 3, 3))
    x, y, z = vectors.T
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
    cross[:, 1, 0], cross[:, 2, 0], cross[:, 2, 1] = z, -y, x
    return np.asarray(np.eye(3) + sine[:, None, None] * cross + cosine[:, None, None] * (cross @ cross))
