"""Lines on shapes that tools follow: edges where two faces meet, curves, rows over a face.

A trace is points with the direction of travel and the outward normals there. Points of an edge or a face are exact,
from the CAD kernel; their normals are those of the true surfaces, not of a mesh.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.cost import TRACE
from workcell.errors import InvalidValue
from workcell.geometry.kernel.requests import EdgeAnswer, EdgeRequest, RowAnswer, RowsRequest
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.spatial.rotations import finite, unit

if TYPE_CHECKING:
    from workcell.geometry.kernel.requests import Request
    from workcell.geometry.solid import Solid

Floats = NDArray[np.float64]
Along: TypeAlias = Literal["u", "v"]
_NODES = 8

# Made when the module is loaded: msgspec crashes if two threads make one for the same class for the first time.
_ROWS = msgspec.msgpack.Decoder(list[RowAnswer])
_EDGE = msgspec.msgpack.Decoder(EdgeAnswer)


@dataclass(frozen=True, eq=False)
class Trace:
    """Points along a line, in the order of travel.

    Attributes:
        points: (N, 3) [m].
        tangents: (N, 3) unit vectors of travel.
        first: (N, 3) outward unit normals of the first face, or of the only one.
        second: (N, 3) outward unit normals of the second face; those of the first if there is only one.
        closed: whether travel continues from the last point to the first.
    """

    points: Floats
    tangents: Floats
    first: Floats
    second: Floats
    closed: bool = False

    def __post_init__(self) -> None:
        count = len(np.asarray(self.points))
        if count == 0:
            raise InvalidValue("A trace needs at least one point.")
        for name in ("points", "tangents", "first", "second"):
            array = finite(getattr(self, name), (count, 3), f"The {name} of a trace").copy()
            if name != "points":
                array /= np.linalg.norm(array, axis=1, keepdims=True)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.points)

    def reversed(self) -> Trace:
        """The same line in the opposite direction; a closed line still begins at its first point."""
        order: NDArray[np.int64] = np.arange(len(self))[::-1]
        if self.closed:
            order = np.roll(order, 1)
        return Trace(self.points[order], -self.tangents[order], self.first[order], self.second[order], self.closed)


def edge_length(solid: Solid, first: str, second: str, piece: int = 0) -> tuple[float, bool]:
    """The length of the edge between two faces [m], and whether it is closed."""
    answer = _edge(solid, first, second, piece, ())
    return answer.length, answer.closed


def edge_trace(
    solid: Solid,
    first: str,
    second: str,
    *,
    spacing: float | None = None,
    at: Sequence[float] | None = None,
    start: float = 0.0,
    end: float = 0.0,
    even: bool = False,
    piece: int = 0,
    backward: bool = False,
) -> Trace:
    """The edge where two named faces meet, with the first face on the left seen from outside.

    Args:
        solid: the solid with the faces.
        first: the name of a face.
        second: the name of another face.
        spacing: the distance between points [m]; the end gets its own point, so the last step may be shorter.
        at: places along the edge, instead of a spacing [m].
        start: the length to leave out at the beginning [m].
        end: the length to leave out at the end [m].
        even: make all steps equal, none longer than the spacing.
        piece: the number of the edge, counted from 1, if the faces meet in several.
        backward: travel the other way; places and left-out lengths are measured from where travel begins.
    """
    length, closed = edge_length(solid, first, second, piece)
    places = _places(length, closed, spacing, at, start, end, even, f"The edge between {first!r} and {second!r}")
    asked = length - places if backward else places
    ring = closed and at is None and start == 0.0 and end == 0.0
    answer = _edge(solid, first, second, piece, tuple(np.clip(asked, 0.0, length).tolist()))
    sign = -1.0 if backward else 1.0
    return Trace(
        np.array(answer.points),
        sign * np.array(answer.tangents),
        np.array(answer.first_normals),
        np.array(answer.second_normals),
        ring,
    )


def curve_trace(
    curve: NurbsCurve,
    normal: ArrayLike,
    *,
    spacing: float | None = None,
    at: Sequence[float] | None = None,
    start: float = 0.0,
    end: float = 0.0,
    even: bool = False,
    backward: bool = False,
) -> Trace:
    """A NURBS curve with points at lengths along it; the normal is the part of a direction perpendicular to the curve.

    Args:
        curve: the curve to follow [m].
        normal: a direction away from the work (3,), nowhere parallel to the curve.
        spacing: the distance between points, measured along the curve [m].
        at: places along the curve, instead of a spacing [m].
        start: the length to leave out at the beginning [m].
        end: the length to leave out at the end [m].
        even: make all steps equal, none longer than the spacing.
        backward: travel the other way.
    """
    away = unit(normal, "the normal of a curve")
    parameters, lengths = _arc_lengths(curve)
    length = float(lengths[-1])
    ends = curve.evaluate(np.array(curve.domain))
    closed = bool(np.linalg.norm(ends[1] - ends[0]) <= 1e-9 * (1.0 + length))
    places = _places(length, closed, spacing, at, start, end, even, "The curve")
    ring = closed and at is None and start == 0.0 and end == 0.0
    t = _parameters_at(curve, parameters, lengths, length - places if backward else places)
    points, slopes = curve.derivatives_at(t, 1)
    speed = np.linalg.norm(slopes, axis=1, keepdims=True)
    if (speed <= 1e-12 * length).any():
        raise InvalidValue("The curve stands still at one of its points, so there is no direction of travel.")
    tangents = slopes / speed * (-1.0 if backward else 1.0)
    across = away - (tangents @ away)[:, None] * tangents
    size = np.linalg.norm(across, axis=1, keepdims=True)
    if (size <= 1e-6).any():
        raise InvalidValue(
            "The normal is parallel to the curve at some point, so it gives no approach there; give another normal."
        )
    normals = across / size
    return Trace(points, tangents, normals, normals, ring)


def face_traces(
    solid: Solid,
    face: str,
    row: float,
    spacing: float,
    *,
    margin: float = 0.0,
    angle: float = 0.0,
    along: Along = "u",
    zigzag: bool = True,
) -> tuple[Trace, ...]:
    """Rows over a face, without its holes: straight on a flat face, along u or v on a curved one.

    Args:
        solid: the solid with the face.
        face: its name.
        row: the distance between rows [m]; the remainder is shared by both sides.
        spacing: the distance between points of a row [m]; its end gets its own point.
        margin: the distance between the ends of a row and the boundary [m].
        angle: the angle of the rows on a flat face, from its own first direction [rad].
        along: the parameter that varies along the rows of a curved face.
        zigzag: whether every second row runs in the opposite direction.
    """
    for value, what in ((row, "The distance between rows"), (spacing, "The spacing")):
        if not (math.isfinite(value) and value > 0.0):
            raise InvalidValue(f"{what} must be more than zero; found {value * 1e3:g} mm.")
    if not (math.isfinite(margin) and margin >= 0.0 and math.isfinite(angle)):
        raise InvalidValue(f"A margin must be zero or more and an angle finite; found {margin:g} m and {angle:g} rad.")
    if along not in ("u", "v"):
        raise InvalidValue(f"Rows of a curved face run along 'u' or 'v', not {along!r}.")
    row, spacing, margin, angle = (float(value) for value in (row, spacing, margin, angle))
    data = _asked(RowsRequest(solid.recipe, face, row, spacing, margin, angle, along))
    rows = _ROWS.decode(data)
    if not rows:
        raise InvalidValue(
            f"No row fits on the face {face!r} with a margin of {margin * 1e3:g} mm; use a smaller margin.",
            margin=margin,
        )
    found = []
    for line in _in_turn(rows) if zigzag else rows:
        normals = np.array(line.normals)
        trace = Trace(np.array(line.points), np.array(line.tangents), normals, normals, line.closed)
        found.append(trace.reversed() if zigzag and line.number % 2 else trace)
    return tuple(found)


def _in_turn(rows: list[RowAnswer]) -> list[RowAnswer]:
    """The pieces of each row between holes, in the order of travel."""
    return sorted(rows, key=lambda row: (row.number, -rows.index(row) if row.number % 2 else rows.index(row)))


def _edge(solid: Solid, first: str, second: str, piece: int, places: tuple[float, ...]) -> EdgeAnswer:
    data = _asked(EdgeRequest(solid.recipe, first, second, piece, places))
    return _EDGE.decode(data)


def _asked(request: Request) -> bytes:
    from workcell.geometry.kernel.worker import default_worker

    return default_worker().submit(request)


def _places(
    length: float,
    closed: bool,
    spacing: float | None,
    at: Sequence[float] | None,
    start: float,
    end: float,
    even: bool,
    what: str,
) -> Floats:
    """The places of the points along a line, from the beginning of travel [m]."""
    if (spacing is None) == (at is None):
        raise InvalidValue("Give either the spacing of the points or their places.")
    if not (math.isfinite(start) and math.isfinite(end) and start >= 0.0 and end >= 0.0):
        raise InvalidValue(f"The lengths to leave out at the ends must be zero or more; found {start:g} and {end:g} m.")
    rest = length - start - end
    if at is not None:
        places = finite(at, (len(at),), "The places") + start
        if len(places) == 0 or places.min() < -1e-9 or places.max() > length - end + 1e-9:
            raise InvalidValue(
                f"{what} is {length * 1e3:.6g} mm long; places must be between 0 and {rest * 1e3:.6g} mm.",
                length=length,
            )
        return np.asarray(np.clip(places, 0.0, length))
    assert spacing is not None
    if not (math.isfinite(spacing) and spacing > 0.0):
        raise InvalidValue(f"The spacing must be more than zero; found {spacing * 1e3:g} mm.")
    if rest <= 1e-9:
        raise InvalidValue(
            f"{what} is {length * 1e3:.6g} mm long; nothing is left of it after {start * 1e3:g} mm at its beginning "
            f"and {end * 1e3:g} mm at its end.",
            length=length,
        )
    TRACE.check(rest / spacing, what)
    steps = max(math.ceil(rest / spacing - 1e-9), 1)
    ring = closed and start == 0.0 and end == 0.0
    if even:
        places = start + rest * np.arange(steps + (not ring)) / steps
    else:
        places = start + np.append(spacing * np.arange(steps), [] if ring else rest)
    return np.asarray(places)


def _arc_lengths(curve: NurbsCurve) -> tuple[Floats, Floats]:
    """Parameters from end to end, including every knot, and the lengths up to them."""
    knots = np.unique(curve.knots)
    parameters = np.unique(np.concatenate([np.linspace(a, b, 33) for a, b in itertools.pairwise(knots)]))
    lengths = _lengths(curve, parameters[:-1], parameters[1:])
    return parameters, np.concatenate([[0.0], np.cumsum(lengths)])


def _lengths(curve: NurbsCurve, starts: Floats, ends: Floats) -> Floats:
    """The length of the curve over each interval (N,), by Gauss' rule."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = 0.5 * (ends - starts)
    t = (0.5 * (starts + ends))[:, None] + half[:, None] * nodes
    slopes = curve.derivatives_at(t.ravel(), 1)[1]
    speed = np.linalg.norm(slopes, axis=1).reshape(t.shape)
    return np.asarray((speed * weights).sum(axis=1) * half)


def _parameters_at(curve: NurbsCurve, parameters: Floats, lengths: Floats, places: Floats) -> Floats:
    """The parameters at lengths along the curve: Newton's rule from a table."""
    which = np.clip(np.searchsorted(lengths, places, side="right") - 1, 0, len(parameters) - 2)
    base, rest = parameters[which], places - lengths[which]
    t = np.interp(places, lengths, parameters)
    for _ in range(4):
        speed = np.maximum(np.linalg.norm(curve.derivatives_at(t, 1)[1], axis=1), 1e-300)
        t = np.clip(t - (_lengths(curve, base, t) - rest) / speed, parameters[which], parameters[which + 1])
    return np.asarray(t)
