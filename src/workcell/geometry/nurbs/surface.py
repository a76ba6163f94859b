"""NURBS surfaces: tensor products of curves."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.cost import NET
from workcell.errors import InvalidValue
from workcell.geometry.checks import positive
from workcell.geometry.nurbs import basis as b
from workcell.geometry.nurbs.curve import (
    NurbsCurve,
    averaged_knots,
    chord_parameters,
    interpolation,
)
from workcell.geometry.surface import NurbsPatch, Surface
from workcell.spatial.rotations import finite

Floats = NDArray[np.float64]
Degrees = tuple[int, int]


@dataclasses.dataclass(frozen=True, eq=False)
class NurbsSurface:
    """A rational B-spline surface over (u, v).

    Attributes:
        control: (n, m, 3) control points [m]; u runs along the first axis.
        weights: (n, m) positive weights.
        knots_u: (n + p + 1,) clamped knots.
        knots_v: (m + q + 1,) clamped knots.
        degrees: (p, q).
        trim: the region of (u, v) that is used; None for all of it.
    """

    control: Floats
    weights: Floats
    knots_u: Floats
    knots_v: Floats
    degrees: Degrees
    trim: Surface | None = None

    def __post_init__(self) -> None:
        control = np.array(self.control, dtype=np.float64)
        NET.check(math.prod(control.shape[:2]), "The patch")
        if control.ndim != 3 or control.shape[2] != 3 or not np.isfinite(control).all():
            raise InvalidValue(f"Control points must be finite and of shape (n, m, 3); found {control.shape}.")
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != control.shape[:2] or not (np.isfinite(weights) & (weights > 0.0)).all():
            raise InvalidValue("Weights must be positive, one per control point.")
        u = b.checked_knots(self.knots_u, control.shape[0], self.degrees[0])
        v = b.checked_knots(self.knots_v, control.shape[1], self.degrees[1])
        for name, array in (("control", control), ("weights", weights), ("knots_u", u), ("knots_v", v)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if self.trim is not None:
            points = np.concatenate(self.trim.loops())
            low, high = np.array([u[0], v[0]]), np.array([u[-1], v[-1]])
            if (points < low - 1e-9).any() or (points > high + 1e-9).any():
                raise InvalidValue(
                    "The trimming contours leave the parameter range of the surface; keep them inside it."
                )

    # ---- construction ---------------------------------------------------------------------------------

    @classmethod
    def clamped(cls, control: ArrayLike, degrees: Degrees = (3, 3), weights: ArrayLike | None = None) -> NurbsSurface:
        """A surface from a grid of control points; by default with weights of one."""
        grid = np.array(control, dtype=np.float64)
        if grid.ndim != 3:
            raise InvalidValue(f"Control points must have shape (n, m, 3); found {grid.shape}.")
        n, m = grid.shape[:2]
        NET.check(n * m, "The patch")
        for size, degree in zip((n, m), degrees, strict=True):
            b.check_degree(degree)
            if size < degree + 1:
                raise InvalidValue(f"Degree {degree} needs at least {degree + 1} control points; found {size}.")
        w = np.ones((n, m)) if weights is None else np.asarray(weights, dtype=np.float64)
        return cls(grid, w, b.clamped_knots(n, degrees[0]), b.clamped_knots(m, degrees[1]), degrees)

    @classmethod
    def homogeneous(cls, control: Floats, knots_u: Floats, knots_v: Floats, degrees: Degrees) -> NurbsSurface:
        """From control points (n, m, 4): (w·x, w·y, w·z, w)."""
        return cls(control[..., :3] / control[..., 3:], control[..., 3], knots_u, knots_v, degrees)

    @classmethod
    def through(cls, points: ArrayLike, degrees: Degrees = (3, 3)) -> NurbsSurface:
        """The surface that interpolates a grid of points (n, m, 3)."""
        grid = np.array(points, dtype=np.float64)
        if grid.ndim != 3 or grid.shape[2] != 3 or min(grid.shape[:2]) < 2 or not np.isfinite(grid).all():
            raise InvalidValue(f"Points must be a finite grid of shape (n, m, 3); found {grid.shape}.")
        NET.check(grid.shape[0] * grid.shape[1], "The patch")
        p, q = min(degrees[0], grid.shape[0] - 1), min(degrees[1], grid.shape[1] - 1)
        b.check_degree(max(p, q))
        u = np.mean([chord_parameters(grid[:, j]) for j in range(grid.shape[1])], axis=0)
        v = np.mean([chord_parameters(grid[i]) for i in range(grid.shape[0])], axis=0)
        ku, kv = averaged_knots(u, p), averaged_knots(v, q)
        across = interpolation(u, ku, p, grid)
        control = interpolation(v, kv, q, across.transpose(1, 0, 2)).transpose(1, 0, 2)
        return cls(control, np.ones(control.shape[:2]), ku, kv, (p, q))

    @classmethod
    def ruled(cls, first: NurbsCurve, second: NurbsCurve) -> NurbsSurface:
        """Straight lines between two curves of the same degree and knots (elevate and refine them first if needed)."""
        first, second = compatible(first, second)
        control = np.stack([first.lifted, second.lifted], axis=1)
        return cls.homogeneous(control, first.knots, b.clamped_knots(2, 1), (first.degree, 1))

    @classmethod
    def blend(cls, first: NurbsSurface, second: NurbsSurface, tension: float = 1.0) -> NurbsSurface:
        """A surface from the edge v = end of one to the edge v = start of the other, tangent to both.

        Exact along the edges; between them it follows the direction of each surface's last row of control points.
        """
        k = positive(tension, "A tension")
        a0, a1 = first.isocurve_control(-1), first.isocurve_control(-2)
        b0, b1 = second.isocurve_control(0), second.isocurve_control(1)
        ca, cb = compatible(a0, b0)
        ta, tb = compatible(a1, b1)
        if ca.knots.shape != ta.knots.shape or not np.allclose(ca.knots, ta.knots):
            raise InvalidValue("The two surfaces cannot be blended: the knots of their edges differ.")
        out, back = ca.control - ta.control, tb.control - cb.control
        reach = np.linalg.norm(cb.control - ca.control, axis=1, keepdims=True) / 3.0 * k
        out = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-30) * reach
        back = back / np.maximum(np.linalg.norm(back, axis=1, keepdims=True), 1e-30) * reach
        grid = np.stack([ca.control, ca.control + out, cb.control - back, cb.control], axis=1)
        mix = np.linspace(0.0, 1.0, 4)
        weights = ca.weights[:, None] * (1.0 - mix) + cb.weights[:, None] * mix
        return cls(grid, weights, ca.knots, b.clamped_knots(4, 3), (ca.degree, 3))

    @classmethod
    def from_patch(cls, patch: NurbsPatch) -> NurbsSurface:
        """Convert from the form in recipes."""
        return cls(
            np.array(patch.control),
            np.array(patch.weights),
            np.array(patch.knots_u),
            np.array(patch.knots_v),
            patch.degrees,
            patch.trim,
        )

    @property
    def patch(self) -> NurbsPatch:
        """Convert to the form in recipes."""
        return NurbsPatch(
            tuple(tuple(tuple(p) for p in row) for row in self.control.tolist()),
            tuple(tuple(row) for row in self.weights.tolist()),
            self.degrees,
            tuple(self.knots_u.tolist()),
            tuple(self.knots_v.tolist()),
            self.trim,
        )

    # ---- evaluation -----------------------------------------------------------------------------------

    @property
    def lifted(self) -> Floats:
        """(n, m, 4) homogeneous control points."""
        return np.concatenate([self.control * self.weights[..., None], self.weights[..., None]], axis=2)

    @property
    def domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The ranges of u and v."""
        return (float(self.knots_u[0]), float(self.knots_u[-1])), (float(self.knots_v[0]), float(self.knots_v[-1]))

    def evaluate(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Points (N, 3) at parameter pairs (N,), (N,)."""
        return np.asarray(self.derivatives_at(u, v, 0)[0, 0])

    def at(self, u: float, v: float) -> Floats:
        """The point at one parameter pair."""
        return np.asarray(self.evaluate([u], [v])[0])

    def derivatives_at(self, u: ArrayLike, v: ArrayLike, order: int = 1) -> Floats:
        """(order + 1, order + 1, N, 3): entry [i, j] is ∂^(i+j)/∂u^i ∂v^j."""
        uu, vv = self._inside(u, v)
        lifted = np.zeros((order + 1, order + 1, len(uu), 4))
        ku, p, cu = self.knots_u, self.degrees[0], self.lifted
        for i in range(order + 1):
            at, functions = b.basis(ku, p, uu)
            kv, q, cv = self.knots_v, self.degrees[1], cu.transpose(1, 0, 2)
            for j in range(order + 1):
                av, other = b.basis(kv, q, vv)
                rows = at[:, None] - p + np.arange(p + 1)
                columns = av[:, None] - q + np.arange(q + 1)
                net = cv[columns[:, :, None], rows[:, None, :]]
                lifted[i, j] = np.einsum("nj,ni,njik->nk", other, functions, net)
                if q == 0:
                    break
                kv, q, cv = b.derivative(kv, q, cv)
            if p == 0:
                break
            ku, p, cu = b.derivative(ku, p, cu)
        result = np.zeros((order + 1, order + 1, len(uu), 3))
        choose = b.binomials(order + 1)
        for i in range(order + 1):
            for j in range(order + 1):
                value = lifted[i, j, :, :3].copy()
                for k in range(i + 1):
                    for m in range(j + 1):
                        if k or m:
                            weight = choose[i, k] * choose[j, m] * lifted[k, m, :, 3:]
                            value -= weight * result[i - k, j - m]
                result[i, j] = value / lifted[0, 0, :, 3:]
        return result

    def normals(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Unit normals (N, 3), ∂u × ∂v; zero where the surface is singular."""
        d = self.derivatives_at(u, v, 1)
        normal = np.cross(d[1, 0], d[0, 1])
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        return np.asarray(np.divide(normal, length, out=np.zeros_like(normal), where=length > 0.0))

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The box around the control points. It contains the surface (convex hull)."""
        flat = self.control.reshape(-1, 3)
        return flat.min(axis=0), flat.max(axis=0)

    def isocurve(self, u: float | None = None, v: float | None = None) -> NurbsCurve:
        """The curve at a constant u, or at a constant v."""
        if (u is None) == (v is None):
            raise InvalidValue("Give either u or v.")
        if u is not None:
            lifted = b.evaluate(self.knots_u, self.degrees[0], self.lifted, np.array([u]))[0]
            return NurbsCurve.homogeneous(lifted, self.knots_v, self.degrees[1])
        lifted = b.evaluate(self.knots_v, self.degrees[1], self.lifted.transpose(1, 0, 2), np.array([v]))[0]
        return NurbsCurve.homogeneous(lifted, self.knots_u, self.degrees[0])

    def isocurve_control(self, column: int) -> NurbsCurve:
        """The curve along u whose control points are one column of the grid."""
        return NurbsCurve(self.control[:, column], self.weights[:, column], self.knots_u, self.degrees[0])

    # ---- changes --------------------------------------------------------------------------------------

    def insert_knot(self, t: float, direction: str = "u", times: int = 1) -> NurbsSurface:
        """The same surface with one knot more in a direction 'u' or 'v'."""
        return self._along(direction, lambda k, p, c: (*b.insert(k, p, c, float(t), times), p))

    def elevate(self, direction: str = "u") -> NurbsSurface:
        """The same surface with its degree one higher in a direction."""
        n, m = self.control.shape[:2]
        spans = len(np.unique(self.knots_u if direction == "u" else self.knots_v)) - 1
        NET.check(n * m + spans * (m if direction == "u" else n), "The patch, raised,")
        return self._along(direction, lambda k, p, c: (*b.elevate(k, p, c), p + 1))

    def split(self, t: float, direction: str = "u") -> tuple[NurbsSurface, NurbsSurface]:
        """The parts before and after a parameter in a direction; a trimmed surface is refused."""
        if self.trim is not None:
            raise InvalidValue("A trimmed surface cannot be split. Split the untrimmed surface, then trim the parts.")
        if direction == "v":
            first, second = self.swapped().split(t, "u")
            return first.swapped(), second.swapped()
        (k0, c0), (k1, c1) = b.split(self.knots_u, self.degrees[0], self.lifted, float(t))
        return (
            NurbsSurface.homogeneous(c0, k0, self.knots_v, self.degrees),
            NurbsSurface.homogeneous(c1, k1, self.knots_v, self.degrees),
        )

    def subdivide(self) -> tuple[NurbsSurface, NurbsSurface, NurbsSurface, NurbsSurface]:
        """The four quarters, each with its own, tighter control net."""
        (u0, u1), (v0, v1) = self.domain
        left, right = self.split((u0 + u1) / 2.0, "u")
        return (*left.split((v0 + v1) / 2.0, "v"), *right.split((v0 + v1) / 2.0, "v"))

    def swapped(self) -> NurbsSurface:
        """The surface with u and v exchanged, which reverses its normals."""
        return NurbsSurface(
            self.control.transpose(1, 0, 2), self.weights.T, self.knots_v, self.knots_u, self.degrees[::-1]
        )

    def transformed(self, matrix: ArrayLike) -> NurbsSurface:
        """The surface under an affine 4×4 matrix."""
        m = finite(matrix, (4, 4), "A transformation")
        return dataclasses.replace(self, control=self.control @ m[:3, :3].T + m[:3, 3])

    def with_control(self, i: int, j: int, point: ArrayLike) -> NurbsSurface:
        """The surface with one control point moved."""
        control = self.control.copy()
        control[self._index(i, j)] = finite(point, (3,), "A control point")
        return dataclasses.replace(self, control=control)

    def with_weight(self, i: int, j: int, weight: float) -> NurbsSurface:
        """The surface with one weight changed."""
        weights = self.weights.copy()
        weights[self._index(i, j)] = positive(weight, "A weight")
        return dataclasses.replace(self, weights=weights)

    def trimmed(self, region: Surface) -> NurbsSurface:
        """The part of the surface over a region of the (u, v) plane."""
        return dataclasses.replace(self, trim=region)

    def _along(
        self, direction: str, change: Callable[[Floats, int, Floats], tuple[Floats, Floats, int]]
    ) -> NurbsSurface:
        if direction == "u":
            knots, control, degree = change(self.knots_u, self.degrees[0], self.lifted)
            made = NurbsSurface.homogeneous(control, knots, self.knots_v, (degree, self.degrees[1]))
        elif direction == "v":
            knots, control, degree = change(self.knots_v, self.degrees[1], self.lifted.transpose(1, 0, 2))
            made = NurbsSurface.homogeneous(control.transpose(1, 0, 2), self.knots_u, knots, (self.degrees[0], degree))
        else:
            raise InvalidValue(f"A direction is 'u' or 'v', not {direction!r}.")
        return dataclasses.replace(made, trim=self.trim)

    def _index(self, i: int, j: int) -> tuple[int, int]:
        n, m = self.weights.shape
        if not (-n <= i < n and -m <= j < m):
            raise InvalidValue(f"The control points are numbered (0…{n - 1}, 0…{m - 1}); found ({i}, {j}).")
        return i, j

    def _inside(self, u: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
        result = []
        for given, (first, last), name in zip((u, v), self.domain, "uv", strict=True):
            where = np.atleast_1d(np.asarray(given, dtype=np.float64))
            slack = 1e-9 * (last - first)
            if not ((where >= first - slack) & (where <= last + slack)).all():
                raise InvalidValue(f"{name} must lie in {first:g}…{last:g}; found {where.min():g}…{where.max():g}.")
            result.append(np.clip(where, first, last))
        uu, vv = np.broadcast_arrays(*result)
        return uu, vv

    def __repr__(self) -> str:
        n, m = self.weights.shape
        return f"<NurbsSurface degrees {self.degrees}, {n}×{m} control points>"


def compatible(first: NurbsCurve, second: NurbsCurve) -> tuple[NurbsCurve, NurbsCurve]:
    """Two curves with the same degree and the same knots on [0, 1]."""
    degree = max(first.degree, second.degree)
    curves = []
    for curve in (first, second):
        lo, hi = curve.domain
        scaled = dataclasses.replace(curve, knots=(curve.knots - lo) / (hi - lo))
        curves.append(scaled.elevate(degree - curve.degree))
    a, c = curves
    for t in np.unique(np.concatenate([a.knots, c.knots]))[1:-1]:
        most = max(int(np.count_nonzero(a.knots == t)), int(np.count_nonzero(c.knots == t)))
        a = a.insert_knot(float(t), most - int(np.count_nonzero(a.knots == t)))
        c = c.insert_knot(float(t), most - int(np.count_nonzero(c.knots == t)))
    return a, c
