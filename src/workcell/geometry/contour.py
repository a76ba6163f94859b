"""A closed plane curve made of straight edges, arcs and NURBS pieces."""

from __future__ import annotations

import math
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.checks import coordinates, number, size
from workcell.geometry.nurbs.curve import NurbsCurve

Floats = NDArray[np.float64]
Point = tuple[float, float]


class LineTo(msgspec.Struct, frozen=True, tag_field="kind", tag="line"):
    """A straight edge to a point [m]."""

    to: Point

    def points(self, start: Point, turn: float) -> list[Point]:
        """The points after the start."""
        return [self.to]


class ArcTo(msgspec.Struct, frozen=True, tag_field="kind", tag="arc"):
    """A circular edge through a point to a point [m]."""

    through: Point
    to: Point

    def circle(self, start: Point) -> tuple[Point, float, float, float]:
        """Centre, radius, start angle and signed angle of the arc."""
        (ax, ay), (bx, by), (cx, cy) = start, self.through, self.to
        d = 2.0 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
        size = max(math.hypot(bx - ax, by - ay), math.hypot(cx - bx, cy - by))
        if abs(d) < 1e-12 * size * size or size == 0.0:
            raise InvalidValue(
                f"The arc from {start} through {self.through} to {self.to} is straight: its points lie on one line."
            )
        sa, sb, sc = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
        x = (sa * (by - cy) + sb * (cy - ay) + sc * (ay - by)) / d
        y = (sa * (cx - bx) + sb * (ax - cx) + sc * (bx - ax)) / d
        first = math.atan2(ay - y, ax - x)
        run = (math.atan2(cy - y, cx - x) - first) % (2.0 * math.pi)
        middle = (math.atan2(by - y, bx - x) - first) % (2.0 * math.pi)
        if middle > run:
            run -= 2.0 * math.pi
        return (x, y), math.hypot(ax - x, ay - y), first, run

    def points(self, start: Point, turn: float) -> list[Point]:
        """The points after the start, at most ``turn`` [rad] apart."""
        (x, y), radius, first, run = self.circle(start)
        n = max(2, math.ceil(abs(run) / turn))
        inner = [first + run * i / n for i in range(1, n)]
        return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in inner] + [self.to]


class SplineTo(msgspec.Struct, frozen=True, tag_field="kind", tag="spline"):
    """A NURBS edge: its control points after the start, degree, weights and knots (clamped)."""

    control: tuple[Point, ...]
    degree: int
    weights: tuple[float, ...] = ()
    knots: tuple[float, ...] = ()

    @property
    def to(self) -> Point:
        """Its end point."""
        return self.control[-1]

    def points(self, start: Point, turn: float) -> list[Point]:
        """The points after the start."""
        curve = self.curve(start)
        first, last = curve.domain
        n = max(8, math.ceil(2.0 * math.pi / turn)) * max(1, len(self.control) + 1 - self.degree)
        found = curve.evaluate(np.linspace(first, last, n + 1))
        return [(float(x), float(y)) for x, y in found[1:, :2]]

    def curve(self, start: Point) -> NurbsCurve:
        """The whole curve, in the plane z = 0."""
        points = np.array([(*start, 0.0), *((*p, 0.0) for p in self.control)])
        return NurbsCurve.clamped(points, self.degree, self.weights or None, self.knots or None)


Segment: TypeAlias = LineTo | ArcTo | SplineTo


class Polygon(msgspec.Struct, frozen=True, tag_field="kind", tag="polygon"):
    """Straight edges through points [m]; the last is joined to the first."""

    corners: tuple[Point, ...]

    def __post_init__(self) -> None:
        points = tuple(_point(p) for p in self.corners)
        if len(points) > 1 and points[0] == points[-1]:
            points = points[:-1]  # a contour closed by repeating its first point is the same contour
        if len(points) < 3:
            raise InvalidValue(f"A contour needs at least three points; found {len(points)}.")
        msgspec.structs.force_setattr(self, "corners", points)

    def edges(self, turn: float = 0.05) -> tuple[Floats, NDArray[np.int64]]:
        """The corners (n, 2), and for each corner the number of the edge that begins there."""
        return np.array(self.corners), np.arange(len(self.corners))


class Circle(msgspec.Struct, frozen=True, tag_field="kind", tag="circle"):
    """A whole circle [m]: one edge."""

    centre: Point
    radius: float

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "centre", _point(self.centre))
        msgspec.structs.force_setattr(self, "radius", size(self.radius, "The radius of a circle"))

    def edges(self, turn: float = 0.05) -> tuple[Floats, NDArray[np.int64]]:
        """Points around it, all of edge 0."""
        n = max(8, math.ceil(2.0 * math.pi / turn))
        angle = 2.0 * math.pi * np.arange(n) / n
        points = np.array(self.centre) + self.radius * np.column_stack([np.cos(angle), np.sin(angle)])
        return points, np.zeros(n, dtype=np.int64)


class Path(msgspec.Struct, frozen=True, tag_field="kind", tag="path"):
    """Straight, circular and NURBS edges in sequence. A straight edge closes a gap at the end."""

    start: Point
    segments: tuple[Segment, ...]

    def __post_init__(self) -> None:
        start = _point(self.start)
        msgspec.structs.force_setattr(self, "start", start)
        if not self.segments:
            raise InvalidValue("A contour needs at least one edge.")
        at = start
        for segment in self.segments:
            if isinstance(segment, ArcTo):
                segment.circle(at)
            elif isinstance(segment, SplineTo):
                segment.curve(at)
            at = _point(segment.to)
        if at != start:
            if math.dist(at, start) <= 1e-9:
                raise InvalidValue(f"The contour ends at {at}, very near its start {start}; end it exactly there.")
            msgspec.structs.force_setattr(self, "segments", (*self.segments, LineTo(start)))

    def edges(self, turn: float = 0.05) -> tuple[Floats, NDArray[np.int64]]:
        """Points along the contour, and for each point the number of its edge."""
        points: list[Point] = [self.start]
        owners: list[int] = []
        at = self.start
        for index, segment in enumerate(self.segments):
            found = segment.points(at, turn)
            points += found
            owners += [index] * len(found)
            at = segment.to
        return np.array(points[:-1]), np.array(owners)


Contour: TypeAlias = Polygon | Circle | Path
"""Any closed plane curve."""


def _point(value: object) -> Point:
    if not isinstance(value, tuple | list | np.ndarray):
        raise InvalidValue(f"A point of a contour is two numbers; found {value!r}.")
    x, y = coordinates(value, 2, "A point of a contour")
    return x, y


def polygon(points: object) -> Polygon:
    """A contour through points (n, 2) [m]."""
    try:
        array = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"The points of a contour must be pairs of numbers; found {points!r}.") from error
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidValue(f"The points of a contour must have shape (n, 2); found {array.shape}.")
    return Polygon(tuple((number(x, "A point"), number(y, "A point")) for x, y in array))


def regular(n: int, radius: float) -> Polygon:
    """A regular polygon with its first corner on the x axis."""
    angle = 2.0 * math.pi * np.arange(n) / n
    return polygon(radius * np.column_stack([np.cos(angle), np.sin(angle)]))


def signed_area(points: Floats) -> float:
    """The area inside a closed polygon, positive when it runs counter-clockwise."""
    x, y = (points - points[0]).T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2.0)
