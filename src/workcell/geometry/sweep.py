"""PD curves: a position, a direction, a twist and three scales along a parameter, and the frame that they define."""

from __future__ import annotations

import itertools
import math

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry.checks import in_mm, number, numbers
from workcell.geometry.nurbs import basis as b
from workcell.geometry.nurbs.curve import NurbsCurve, interpolation
from workcell.spatial.rotations import unit

Floats = NDArray[np.float64]
Triple = tuple[float, float, float]

_DEGREE = 5
_CLOSE = 1e-8
"""The greatest error of interpolated frames, relative to the size of the sweep."""
_MOST_SECTIONS = 600


class CurveData(msgspec.Struct, frozen=True):
    """A NURBS curve in the form of recipes."""

    control: tuple[Triple, ...]
    weights: tuple[float, ...]
    knots: tuple[float, ...]
    degree: int

    def __post_init__(self) -> None:
        self.curve()

    def curve(self) -> NurbsCurve:
        """The curve."""
        return NurbsCurve(np.array(self.control), np.array(self.weights), np.array(self.knots), self.degree)

    @classmethod
    def of(cls, curve: NurbsCurve) -> CurveData:
        """Make one from a curve."""
        control = tuple((float(x), float(y), float(z)) for x, y, z in curve.control)
        return cls(control, tuple(curve.weights.tolist()), tuple(curve.knots.tolist()), curve.degree)


class PDCurve(msgspec.Struct, frozen=True):
    """A director for sweeps: six components (position, direction), nine with the scales; Kahloun 1987, eq 3.1.

    At each point the frame is t along the curve, n = d × t, o = t × n (unit vectors). A plane generator is placed with
    its x axis on n, its y axis on o, and its normal on t. It is turned about t by a share of ``twist`` [rad] that grows
    linearly with the parameter, and scaled along n, o and t.
    """

    position: CurveData
    direction: CurveData | Triple
    scale: CurveData | None = None
    twist: float = 0.0

    def __post_init__(self) -> None:
        number(self.twist, "A twist")
        if isinstance(self.direction, tuple):
            unit(self.direction, "the direction of a PD curve")
        if self.scale is not None and np.min(self.scale.control) <= 0.0:
            raise InvalidValue("The scales along a PD curve must stay greater than zero.")

    @property
    def domain(self) -> tuple[float, float]:
        """The first and last parameter."""
        return self.position.knots[0], self.position.knots[-1]

    @property
    def is_closed(self) -> bool:
        """Whether the last frame of the sweep equals the first."""
        ends = self.frames(np.array(self.domain))
        return bool(np.abs(ends[0] - ends[1]).max() <= 1e-9 * max(1.0, float(np.abs(ends).max())))

    def frames(self, u: ArrayLike) -> Floats:
        """(N, 4, 4) matrices with columns s₁·n, s₂·o, s₃·t and the position."""
        where = np.atleast_1d(np.asarray(u, dtype=np.float64))
        first, last = self.domain
        share = (where - first) / (last - first)
        p, along = self.position.curve().derivatives_at(where, 1)
        speed = np.linalg.norm(along, axis=1, keepdims=True)
        size = max(float(np.ptp(np.array(self.position.control), axis=0).max()), 1e-12)
        if (speed <= 1e-12 * size).any():
            place = int(np.argmin(speed))
            raise InvalidShape(f"The curve stands still at {_at(p[place])}.", faults=(tuple(p[place].tolist()),))
        t = along / speed
        d = self._sampled(self.direction, share)
        n = np.cross(d, t)
        length = np.linalg.norm(n, axis=1, keepdims=True)
        if (length <= 1e-9 * np.linalg.norm(d, axis=1, keepdims=True)).any():
            place = int(np.argmin(length))
            raise InvalidShape(
                f"At {_at(p[place])} the direction of the PD curve is along the curve itself, so there is no frame; "
                "give another direction.",
                faults=(tuple(p[place].tolist()),),
            )
        n = n / length
        o = np.cross(t, n)
        turn = (self.twist * share)[:, None]
        n, o = n * np.cos(turn) + o * np.sin(turn), o * np.cos(turn) - n * np.sin(turn)
        result = np.zeros((len(where), 4, 4))
        columns = np.stack([n, o, t], axis=2)
        if self.scale is not None:
            columns = columns * self._sampled(self.scale, share)[:, None, :]
        result[:, :3, :3] = columns
        result[:, :3, 3] = p
        result[:, 3, 3] = 1.0
        return result

    @staticmethod
    def _sampled(value: CurveData | Triple, share: Floats) -> Floats:
        if isinstance(value, tuple):
            return np.tile(np.array(value), (len(share), 1))
        first, last = value.knots[0], value.knots[-1]
        return value.curve().evaluate(first + share * (last - first))

    def pieces(self) -> list[tuple[float, float]]:
        """The parameter ranges between the places where the curve's parametrisation has a kink."""
        knots, times = np.unique(self.position.knots, return_counts=True)
        cuts = [float(k) for k, m in zip(knots, times, strict=True) if m > self.position.degree - 2]
        ends = sorted({*self.domain, *(cuts if self.position.degree > 1 else knots.tolist())})
        return list(itertools.pairwise(ends))

    def kinks(self, first: float, last: float) -> list[tuple[float, int]]:
        """Knots inside a range where frames are not smooth, each with how often the frames can be differentiated."""
        start, stop = self.domain
        found: dict[float, int] = {}
        for curve, lost in ((self.position, 1), (self.direction, 0), (self.scale, 0)):
            if isinstance(curve, CurveData):
                knots, times = np.unique(curve.knots, return_counts=True)
                where = start + (knots - knots[0]) / (knots[-1] - knots[0]) * (stop - start)
                for knot, multiplicity in zip(where[1:-1], times[1:-1], strict=True):
                    if first < knot < last:
                        smooth = curve.degree - int(multiplicity) - lost
                        found[float(knot)] = min(smooth, found.get(float(knot), smooth))
        return sorted(found.items())


def _space(first: float, last: float, kinks: list[tuple[float, int]], parts: int) -> Floats:
    """Knots of a spline space that is as smooth at each kink as the frames are, with ``parts`` parts between kinks."""
    ends = [first, *(knot for knot, _ in kinks), last]
    knots = [np.full(_DEGREE + 1, first)]
    for index, (a, c) in enumerate(itertools.pairwise(ends)):
        knots.append(a + (c - a) * np.arange(1, parts) / parts)
        times = _DEGREE + 1 if c == last else min(_DEGREE, max(1, _DEGREE - kinks[index][1]))
        knots.append(np.full(times, c))
    return np.concatenate(knots)


def _greville(knots: Floats) -> Floats:
    """The parameters at which interpolation in a spline space is well posed."""
    n = len(knots) - _DEGREE - 1
    return np.array([knots[i + 1 : i + _DEGREE + 1].mean() for i in range(n)])


class MatrixSpline(msgspec.Struct, frozen=True):
    """Frames along one smooth piece as a spline; the sweep of a NURBS edge under it is exactly a NURBS surface."""

    knots: Floats
    degree: int
    control: Floats
    """(k, 4, 4) control matrices."""


def matrix_splines(path: PDCurve, reach: float) -> list[MatrixSpline]:
    """Splines that follow the frames of each piece to 1e-8 of the sweep's size; ``reach`` is the generator's size."""
    size = float(np.ptp(np.array(path.position.control), axis=0).max()) + reach
    result = []
    for first, last in path.pieces():
        middle = 1e-12 * (last - first)
        straight = _linear(path, first + middle, last - middle, reach, size)
        if straight is not None:
            result.append(straight)
            continue
        kinks = path.kinks(first, last)
        parts = 2
        while True:
            knots = _space(first + middle, last - middle, kinks, parts)
            u = _greville(knots)
            control = interpolation(u, knots, _DEGREE, path.frames(u))
            breaks = np.unique(knots)
            between = np.concatenate([breaks[:-1] + share * np.diff(breaks) for share in (0.15, 0.4, 0.65, 0.9)])
            off = np.abs(b.evaluate(knots, _DEGREE, control, between) - path.frames(between))
            error = max(float(off[:, :3, :3].max()) * reach, float(off[:, :3, 3].max()))
            if error <= _CLOSE * size:
                break
            if len(u) >= _MOST_SECTIONS:
                if error <= 100.0 * _CLOSE * size:
                    break
                raise InvalidShape(
                    f"The sweep turns too sharply between parameters {first:g} and {last:g} to be followed "
                    f"(off by {error * 1e3:.3g} mm); smooth the curve.",
                    faults=((first, last),),
                )
            parts *= 2
        result.append(MatrixSpline(knots, _DEGREE, control))
    for before, after in itertools.pairwise(result):
        _same_frame(before.control[-1], after.control[0], size)
    return result


def _linear(path: PDCurve, first: float, last: float, reach: float, size: float) -> MatrixSpline | None:
    """The two end frames, if everything between them is a straight line; otherwise None."""
    share = np.linspace(0.0, 1.0, 9)
    found = path.frames(first + share * (last - first))
    off = np.abs(found - (found[0] + share[:, None, None] * (found[-1] - found[0])))
    if max(float(off[:, :3, :3].max()) * reach, float(off[:, :3, 3].max())) > 1e-12 * size:
        return None
    return MatrixSpline(np.array([first, first, last, last]), 1, found[[0, -1]])


def _same_frame(before: Floats, after: Floats, size: float) -> None:
    if np.abs(before - after).max() > 1e-6 * max(1.0, size):
        place = before[:3, 3]
        bend = float(before[:3, 2] @ after[:3, 2])
        angle = math.degrees(math.acos(max(-1.0, min(1.0, bend))))
        raise InvalidShape(
            f"The curve has a corner of {angle:.3g}° at {_at(place)}; round it before sweeping along it.",
            faults=(tuple(place.tolist()),),
        )


def check_folding(path: PDCurve, points: Floats, samples: int = 200) -> None:
    """Refuse a sweep that folds over itself, because a point of the generator would move backwards."""
    first, last = path.domain
    step = (last - first) / samples
    u = first + step * (np.arange(samples) + 0.5)
    before, after = path.frames(u - step * 0.25), path.frames(u + step * 0.25)
    local = np.column_stack([points, np.zeros(len(points)), np.ones(len(points))])
    move = np.einsum("nij,pj->npi", after - before, local)[..., :3]
    forward = np.einsum("npi,ni->np", move, (before + after)[:, :3, 2])
    if (forward <= 0.0).any():
        station, point = np.unravel_index(int(np.argmin(forward)), forward.shape)
        place = (before[station] @ local[point])[:3]
        raise InvalidShape(
            f"The sweep crosses itself near {_at(place)}: the curve bends more tightly there than the surface is "
            "wide. Use a gentler curve or a smaller surface.",
            faults=(tuple(place.tolist()),),
        )


def pd_curve(
    position: NurbsCurve,
    direction: NurbsCurve | ArrayLike = (0.0, 0.0, 1.0),
    scale: NurbsCurve | ArrayLike | None = None,
    twist: float = 0.0,
) -> PDCurve:
    """A PD curve.

    Args:
        position: the path of the generator's origin.
        direction: the vector d of eq 3.1: constant, or a curve of its own over the same range.
        scale: factors along n, o and t: a curve of three components, or the factors at the end (one at the start).
        twist: the angle by which the generator has turned about the curve at its end [rad].
    """
    way: CurveData | Triple
    if isinstance(direction, NurbsCurve):
        way = CurveData.of(direction)
    else:
        x, y, z = numbers(np.asarray(direction, dtype=np.float64).reshape(-1), 3, "A direction")
        way = (x, y, z)
    sizes = None
    if isinstance(scale, NurbsCurve):
        sizes = CurveData.of(scale)
    elif scale is not None:
        end = numbers(np.asarray(scale, dtype=np.float64).reshape(-1), 3, "The scales at the end")
        sizes = CurveData.of(NurbsCurve.line((1.0, 1.0, 1.0), end))
    return PDCurve(CurveData.of(position), way, sizes, number(twist, "A twist"))


def _at(point: Floats) -> str:
    return in_mm(point)
