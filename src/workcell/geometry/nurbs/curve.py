"""NURBS curves: evaluate, derive, refine, split, bound, interpolate, edit."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.cost import CONTROL
from workcell.errors import InvalidValue
from workcell.geometry.checks import positive, size
from workcell.geometry.nurbs import basis as b
from workcell.spatial.rotations import finite, unit

Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class NurbsCurve:
    """A rational B-spline curve.

    Attributes:
        control: (n, 3) control points [m].
        weights: (n,) positive weights.
        knots: (n + degree + 1,) clamped knots.
        degree: polynomial degree p.
    """

    control: Floats
    weights: Floats
    knots: Floats
    degree: int

    def __post_init__(self) -> None:
        control = np.array(self.control, dtype=np.float64)
        CONTROL.check(len(control), "The curve")
        if control.ndim != 2 or control.shape[1] != 3 or not np.isfinite(control).all():
            raise InvalidValue(f"Control points must be finite and of shape (n, 3); found {control.shape}.")
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (len(control),) or not (np.isfinite(weights) & (weights > 0.0)).all():
            raise InvalidValue("Weights must be positive, one per control point.")
        knots = b.checked_knots(self.knots, len(control), self.degree)
        for name, array in (("control", control), ("weights", weights), ("knots", knots)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    # ---- construction ---------------------------------------------------------------------------------

    @classmethod
    def clamped(
        cls, control: ArrayLike, degree: int = 3, weights: ArrayLike | None = None, knots: ArrayLike | None = None
    ) -> NurbsCurve:
        """A curve from control points; by default with weights of one and uniform clamped knots."""
        points = np.array(control, dtype=np.float64)
        if points.ndim != 2:
            raise InvalidValue(f"Control points must have shape (n, 3); found {points.shape}.")
        n = len(points)
        CONTROL.check(n, "The curve")
        b.check_degree(degree)
        if n < degree + 1:
            raise InvalidValue(f"Degree {degree} needs at least {degree + 1} control points; found {n}.")
        w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        k = b.clamped_knots(n, degree) if knots is None else np.asarray(knots, dtype=np.float64)
        return cls(points, w, k, degree)

    @classmethod
    def homogeneous(cls, control: Floats, knots: Floats, degree: int) -> NurbsCurve:
        """From control points (w·x, w·y, w·z, w)."""
        return cls(control[:, :3] / control[:, 3:], control[:, 3], knots, degree)

    @classmethod
    def line(cls, start: ArrayLike, end: ArrayLike) -> NurbsCurve:
        """A straight line."""
        return cls.clamped([finite(start, (3,), "A point"), finite(end, (3,), "A point")], 1)

    @classmethod
    def arc(
        cls,
        centre: ArrayLike,
        radius: float,
        start: float = 0.0,
        run: float = 2.0 * math.pi,
        x: ArrayLike = (1.0, 0.0, 0.0),
        y: ArrayLike = (0.0, 1.0, 0.0),
    ) -> NurbsCurve:
        """An exact circle or arc in the plane of two orthogonal directions: quadratic, one piece per quarter turn."""
        c, r = finite(centre, (3,), "A centre"), size(radius, "The radius of an arc")
        u, v = unit(x, "a direction"), unit(y, "a direction")
        if abs(float(u @ v)) > 1e-9:
            raise InvalidValue("The two directions of an arc must be at right angles.")
        if not 0.0 < abs(run) <= 2.0 * math.pi + 1e-12:
            raise InvalidValue(
                f"The angle of an arc must be more than 0° and at most 360°; found {math.degrees(run):g}°."
            )
        pieces = max(1, math.ceil(abs(run) / (math.pi / 2.0) - 1e-9))
        half = run / pieces / 2.0
        angle = start + half * np.arange(2 * pieces + 1)
        weights = np.where(np.arange(2 * pieces + 1) % 2, math.cos(half), 1.0)
        away = (r / weights)[:, None]
        points = c + away * (np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * v)
        inner = np.repeat(np.arange(1, pieces) / pieces, 2)
        knots = np.concatenate([[0.0] * 3, inner, [1.0] * 3])
        return cls(points, weights, knots, 2)

    @classmethod
    def through(cls, points: ArrayLike, degree: int = 3, parameters: ArrayLike | None = None) -> NurbsCurve:
        """The curve of a degree that interpolates points (n, 3), by default at chord-length parameters."""
        p = np.array(points, dtype=np.float64)
        if p.ndim != 2 or p.shape[1] != 3 or not np.isfinite(p).all():
            raise InvalidValue(f"Points must be finite and of shape (n, 3); found {p.shape}.")
        if len(p) < 2:
            raise InvalidValue("Interpolation needs at least two points.")
        CONTROL.check(len(p), "The curve")
        degree = min(degree, len(p) - 1)
        b.check_degree(degree)
        t = chord_parameters(p) if parameters is None else np.asarray(parameters, dtype=np.float64)
        knots = averaged_knots(t, degree)
        return cls.clamped(interpolation(t, knots, degree, p), degree, knots=knots)

    @classmethod
    def blend(cls, first: NurbsCurve, second: NurbsCurve, tension: float = 1.0) -> NurbsCurve:
        """A cubic from the end of one curve to the start of another, with their tangents (G1)."""
        p, q = first.at(first.domain[1]), second.at(second.domain[0])
        t0 = unit(first.derivatives(first.domain[1], 1)[1], "the tangent at the end of the first curve")
        t1 = unit(second.derivatives(second.domain[0], 1)[1], "the tangent at the start of the second curve")
        reach = float(np.linalg.norm(q - p)) / 3.0 * positive(tension, "A tension")
        if reach == 0.0:
            raise InvalidValue("The curves already meet; there is nothing to blend.")
        return cls.clamped([p, p + reach * t0, q - reach * t1, q], 3)

    # ---- evaluation -----------------------------------------------------------------------------------

    @property
    def domain(self) -> tuple[float, float]:
        """The first and last parameter."""
        return float(self.knots[0]), float(self.knots[-1])

    @property
    def lifted(self) -> Floats:
        """(n, 4) homogeneous control points (w·x, w·y, w·z, w)."""
        return np.column_stack([self.control * self.weights[:, None], self.weights])

    def evaluate(self, t: ArrayLike) -> Floats:
        """Points (N, 3) at parameters (N,)."""
        h = b.evaluate(self.knots, self.degree, self.lifted, self._inside(t))
        return h[:, :3] / h[:, 3:]

    def at(self, t: float) -> Floats:
        """The point at one parameter."""
        return np.asarray(self.evaluate(np.array([t]))[0])

    def derivatives(self, t: float, order: int = 1) -> Floats:
        """(order + 1, 3): the point and its derivatives at a parameter (quotient rule on the lifted curve)."""
        return np.asarray(self.derivatives_at(np.array([t]), order)[:, 0])

    def derivatives_at(self, t: ArrayLike, order: int = 1) -> Floats:
        """(order + 1, N, 3): points and derivatives at many parameters."""
        where = self._inside(t)
        knots, degree, control = self.knots, self.degree, self.lifted
        lifted = np.zeros((order + 1, len(where), 4))
        for k in range(order + 1):
            lifted[k] = b.evaluate(knots, degree, control, where)
            if degree == 0:
                break
            knots, degree, control = b.derivative(knots, degree, control)
        result = np.empty((order + 1, len(where), 3))
        choose = b.binomials(order + 1)
        for k in range(order + 1):
            value = lifted[k, :, :3].copy()
            for i in range(1, k + 1):
                value -= choose[k, i] * lifted[i, :, 3:] * result[k - i]
            result[k] = value / lifted[0, :, 3:]
        return result

    def length(self, pieces: int = 64) -> float:
        """The arc length [m], by Gauss-Legendre on each knot interval."""
        nodes, weights = np.polynomial.legendre.leggauss(8)
        breaks = np.unique(self.knots)
        cuts = np.unique(
            np.concatenate([np.linspace(a, c, max(2, pieces // len(breaks)) + 1) for a, c in _pairs(breaks)])
        )
        middle, half = (cuts[1:] + cuts[:-1]) / 2.0, np.diff(cuts) / 2.0
        t = (middle[:, None] + half[:, None] * nodes).reshape(-1)
        speed = np.linalg.norm(self.derivatives_at(t, 1)[1], axis=1).reshape(len(half), -1)
        return float((speed * weights).sum(axis=1) @ half)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The box around the control points. It contains the curve (convex hull, positive weights)."""
        return self.control.min(axis=0), self.control.max(axis=0)

    # ---- changes: each returns a new curve ------------------------------------------------------------

    def insert_knot(self, t: float, times: int = 1) -> NurbsCurve:
        """The same curve with one knot more."""
        if not self.knots[0] < t < self.knots[-1]:
            raise InvalidValue(f"A knot must lie inside the range {self.knots[0]:g}…{self.knots[-1]:g}; found {t:g}.")
        knots, control = b.insert(self.knots, self.degree, self.lifted, float(t), times)
        return NurbsCurve.homogeneous(control, knots, self.degree)

    def split(self, t: float) -> tuple[NurbsCurve, NurbsCurve]:
        """The parts before and after a parameter."""
        (k0, c0), (k1, c1) = b.split(self.knots, self.degree, self.lifted, float(t))
        return NurbsCurve.homogeneous(c0, k0, self.degree), NurbsCurve.homogeneous(c1, k1, self.degree)

    def subdivide(self) -> tuple[NurbsCurve, NurbsCurve]:
        """The two halves of the parameter range, each with its own, tighter control polygon."""
        return self.split((self.domain[0] + self.domain[1]) / 2.0)

    def elevate(self, times: int = 1) -> NurbsCurve:
        """The same curve with a higher degree."""
        self._check_elevated(times)
        knots, degree, control = self.knots, self.degree, self.lifted
        for _ in range(times):
            knots, control = b.elevate(knots, degree, control)
            degree += 1
        return NurbsCurve.homogeneous(control, knots, degree)

    def _check_elevated(self, times: int) -> None:
        b.check_degree(self.degree + times)
        CONTROL.check(len(self.control) + times * (len(np.unique(self.knots)) - 1), "The curve, raised,")

    def bezier_pieces(self) -> list[NurbsCurve]:
        """The curve cut at its knots."""
        breaks, pieces = b.bezier(self.knots, self.degree, self.lifted)
        return [
            NurbsCurve.homogeneous(piece, np.repeat([lo, hi], self.degree + 1), self.degree)
            for (lo, hi), piece in zip(_pairs(breaks), pieces, strict=True)
        ]

    def reversed(self) -> NurbsCurve:
        """The curve in the opposite direction."""
        first, last = self.domain
        return NurbsCurve(self.control[::-1], self.weights[::-1], (first + last - self.knots)[::-1], self.degree)

    def transformed(self, matrix: ArrayLike) -> NurbsCurve:
        """The curve under an affine 4×4 matrix, which is applied to its control points."""
        m = finite(matrix, (4, 4), "A transformation")
        return dataclasses.replace(self, control=self.control @ m[:3, :3].T + m[:3, 3])

    def with_control(self, index: int, point: ArrayLike) -> NurbsCurve:
        """The curve with one control point moved."""
        control = self.control.copy()
        control[_index(index, len(control))] = finite(point, (3,), "A control point")
        return dataclasses.replace(self, control=control)

    def with_weight(self, index: int, weight: float) -> NurbsCurve:
        """The curve with one weight changed; a larger weight pulls it to the control point."""
        weights = self.weights.copy()
        weights[_index(index, len(weights))] = positive(weight, "A weight")
        return dataclasses.replace(self, weights=weights)

    def _inside(self, t: ArrayLike) -> Floats:
        where = np.atleast_1d(np.asarray(t, dtype=np.float64))
        first, last = self.domain
        slack = 1e-9 * (last - first)
        if not ((where >= first - slack) & (where <= last + slack)).all():
            raise InvalidValue(f"A parameter must lie in {first:g}…{last:g}; found {where.min():g}…{where.max():g}.")
        return np.clip(where, first, last)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NurbsCurve):
            return NotImplemented
        return self.degree == other.degree and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("control", "weights", "knots")
        )

    def __hash__(self) -> int:
        return hash((self.degree, self.control.tobytes(), self.weights.tobytes(), self.knots.tobytes()))

    def __repr__(self) -> str:
        return f"<NurbsCurve degree {self.degree}, {len(self.control)} control points>"


def join(curves: Sequence[NurbsCurve]) -> NurbsCurve:
    """Join curves end to end, each with a parameter interval of its own. Their ends must meet."""
    if not curves:
        raise InvalidValue("There is nothing to join.")
    degree = max(curve.degree for curve in curves)
    CONTROL.check(sum(len(curve.control) + degree - curve.degree for curve in curves), "The joined curve")
    knots: list[Floats] = []
    control: list[Floats] = []
    for index, curve in enumerate(curves):
        raised = curve.elevate(degree - curve.degree)
        lifted = raised.lifted
        if control:
            gap = float(np.linalg.norm(curves[index - 1].control[-1] - raised.control[0]))
            if gap > 1e-7:
                raise InvalidValue(f"Curve {index} ends {gap * 1e3:.6g} mm from the start of curve {index + 1}.")
            lifted = lifted * (control[-1][-1, 3] / lifted[0, 3])
            control.append(lifted[1:])
        else:
            control.append(lifted)
        first, last = raised.domain
        local = index + (raised.knots - first) / (last - first)
        knots.append(local[(0 if index == 0 else degree + 1) : (None if index == len(curves) - 1 else -1)])
    return NurbsCurve.homogeneous(np.concatenate(control), np.concatenate(knots), degree)


def chord_parameters(points: Floats) -> Floats:
    """Parameters on [0, 1] in proportion to the chords between points."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if (steps == 0.0).any():
        raise InvalidValue(f"Points {int(np.argmin(steps)) + 1} and {int(np.argmin(steps)) + 2} are the same.")
    along = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(along / along[-1])


def averaged_knots(t: Floats, degree: int) -> Floats:
    """Knots for interpolation at parameters t: each the mean of ``degree`` neighbours, so the system is solvable."""
    inner = [t[i : i + degree].mean() for i in range(1, len(t) - degree)]
    return np.concatenate([[t[0]] * (degree + 1), inner, [t[-1]] * (degree + 1)])


def interpolation(t: Floats, knots: Floats, degree: int, values: Floats) -> Floats:
    """Control values (n, …) of the spline that has ``values`` at increasing parameters ``t``.

    The equations form a band about the diagonal, and none of their minors is negative. So elimination needs no pivots
    and stays in the band (de Boor and Pinkus 1977).
    """
    at, functions = b.basis(knots, degree, t)
    n = len(t)
    band = np.zeros((n, 2 * degree + 1))  # row i and column j are at (i, j - i + degree)
    rows = np.arange(n)[:, None]
    band[rows, at[:, None] + np.arange(degree + 1) - rows] = functions
    right = np.array(values, dtype=np.float64).reshape(n, -1)
    steps = np.arange(1, degree + 1)
    entries = degree - steps[:, None] + np.arange(degree + 1)  # in the rows below: from the pivot to the end of its row
    for j in range(n):
        below = min(degree, n - 1 - j)
        if not band[j, degree] > 0.0:
            raise InvalidValue(
                "The parameters must increase, with some of them between any few knots; these leave a gap."
            )
        if below:
            rows, columns = j + steps[:below, None], entries[:below]
            factor = band[rows[:, 0], columns[:, 0]] / band[j, degree]
            band[rows, columns] -= factor[:, None] * band[j, degree:]
            right[j + 1 : j + 1 + below] -= factor[:, None] * right[j]
    for j in range(n - 1, -1, -1):
        ahead = min(degree, n - 1 - j)
        right[j] = (right[j] - band[j, degree + 1 : degree + 1 + ahead] @ right[j + 1 : j + 1 + ahead]) / band[
            j, degree
        ]
    return right.reshape(values.shape)


def _index(index: int, n: int) -> int:
    if not -n <= index < n:
        raise InvalidValue(f"The control points are numbered 0…{n - 1}; found {index}.")
    return index


def _pairs(values: Floats) -> list[tuple[float, float]]:
    return [(float(a), float(c)) for a, c in itertools.pairwise(values)]
