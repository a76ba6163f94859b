"""The fastest motion along a given joint path that keeps the limits at every instant.

The path parameter gets piecewise constant s̈, so the motion is again a piecewise polynomial, and follows the
path exactly. Speed and acceleration are bounded on whole intervals (Bernstein coefficients, explained in
``_kernels_timing``), not at grid points, so the limits are also kept between them. A pass from
the end finds the greatest speed at each place from which the rest is still possible; a pass from the start
goes as fast as that allows (Pham & Pham 2018 call the scheme TOPP-RA).
"""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, MissingDependency, MotionError, UnknownName
from workcell.motion.frames import positive
from workcell.motion.limits import Limits
from workcell.motion.path import JointPath
from workcell.motion.profiles import within
from workcell.motion.speeds import required_speed
from workcell.motion.trajectory import Trajectory, pieced

Array = NDArray[np.float64]

METHODS = ("own", "toppra")
"""The implementations: this module, or toppra if it is installed (its result is stretched to keep the limits)."""

_INTERVALS = 300
_FINER = 10
_MARGIN = 1e-11
"""The limits are lowered by this share, so that rounding in the composition stays below the true ones."""


def time_optimal(
    path: JointPath,
    limits: Limits,
    *,
    path_speed: float | None = None,
    path_acceleration: float | None = None,
    method: str = "own",
    intervals: int = _INTERVALS,
) -> Trajectory:
    """The fastest motion along the path, at rest at both ends and in its corners.

    Args:
        path: the joint path.
        limits: speed and acceleration of each joint.
        path_speed: the greatest ṡ [path units/s], for example the speed of the hand in m/s for a path whose
            parameter is its length; unlimited by default.
        path_acceleration: the greatest |s̈| [path units/s²]; unlimited by default.
        method: 'own' or 'toppra'.
        intervals: the approximate number of intervals of the path; more come closer to the optimum.
    """
    if path.n != limits.n:
        raise InvalidValue(f"The path has {path.n} joints and the limits are for {limits.n}.")
    limits.required("acceleration", "A time-optimal motion")
    along = (
        math.inf if path_speed is None else required_speed(path_speed, "A path speed"),
        math.inf if path_acceleration is None else positive(path_acceleration, "A path acceleration", "m/s²"),
    )
    if intervals < 1:
        raise InvalidValue(f"A path must be cut into at least 1 interval, not {intervals}.")
    if method not in METHODS:
        raise UnknownName.among("way of time-optimal scaling", method, METHODS)
    grid = _grid(path, intervals)
    squares, local = _scaled_by[method](path, limits, grid, along)
    stuck = ~(squares[:-1] + squares[1:] > 0.0)
    if stuck.any():
        place = float(grid[int(stuck.argmax())])
        other = "use the method 'own', or " if method == "toppra" else ""
        raise MotionError(
            f"No speed above 0 keeps the limits near s = {place:.6g} of the path. Joints turn very fast there for "
            f"a short distance, as beside a singularity; {other}keep farther away from it.",
            s=place,
        )
    return _timed(local, grid, squares, limits)


def _grid(path: JointPath, intervals: int) -> Array:
    """Equal intervals within each piece of the path, by its length, but some in every curved piece."""
    breaks = path.curve.breaks
    sizes = np.diff(breaks)
    curved = path.curve.coefficients[:, 2:].any(axis=(1, 2))
    least = np.where(curved, min(max(intervals // sizes.shape[0], 4), 32), 4)
    counts = np.maximum(np.ceil(intervals * sizes / path.length), least).astype(int)
    parts = [
        start + size * np.arange(count) / count for start, size, count in zip(breaks[:-1], sizes, counts, strict=True)
    ]
    grid = np.concatenate([*parts, breaks[-1:]])
    # Ever finer where the arm starts and stops, because a low speed limit is reached soon.
    rests = np.concatenate([[0.0], path.corners(), [path.length]])
    finer = 0.5 ** np.arange(1, _FINER + 1)
    after = [s + finer * (grid[np.searchsorted(grid, s) + 1] - s) for s in rests[:-1]]
    before = [s - finer * (s - grid[np.searchsorted(grid, s) - 1]) for s in rests[1:]]
    return np.asarray(np.unique(np.concatenate([grid, *after, *before])))


def _own(path: JointPath, limits: Limits, grid: Array, along: tuple[float, float]) -> tuple[Array, Array]:
    from workcell.motion import _kernels_timing as kernels

    curve = path.curve
    acceleration = limits.required("acceleration", "A time-optimal motion")
    count, degree, n = grid.shape[0] - 1, max(curve.degree, 1), curve.n
    coefficients = curve.coefficients if curve.degree else np.repeat(curve.coefficients, 2, axis=1)
    local = np.empty((count, degree + 1, n))
    kernels.intervals(curve.breaks, coefficients, grid, local)
    still = ~local[:, 1:].any(axis=(1, 2))
    if still.any():
        place = float(grid[int(still.argmax())])
        raise InvalidValue(f"No joint moves on the path at s = {place:.6g}; leave that part out.", s=place)
    # The path parameter is treated as one more joint, whose value is s itself.
    joints = np.zeros((count, degree + 1, n + 1))
    joints[:, :, :n] = local
    joints[:, 0, n], joints[:, 1, n] = grid[:-1], np.diff(grid)
    rows_x = np.empty((count, 3 * degree * (n + 1)))
    rows_y = np.empty_like(rows_x)
    size = 2 * degree + 1
    binomial = _binomial(size)
    shy = 1.0 - _MARGIN
    top_speed, top_acceleration = np.append(limits.speed, along[0]), np.append(acceleration, along[1])
    kernels.constraints(joints, grid, top_speed * shy, top_acceleration * shy, binomial, rows_x, rows_y)
    caps = np.full(count + 1, math.inf)
    caps[[0, -1]] = 0.0
    caps[np.isin(grid, path.corners())] = 0.0
    squares = np.empty(count + 1)
    kernels.passes(rows_x, rows_y, degree * (n + 1), caps, squares)
    return squares, local


@cache
def _binomial(size: int) -> Array:
    """The binomial coefficients of m over k (size, size)."""
    return np.array([[float(math.comb(m, k)) for k in range(size)] for m in range(size)])


def _toppra(path: JointPath, limits: Limits, grid: Array, along: tuple[float, float]) -> tuple[Array, Array]:
    """ṡ² at the grid from toppra; excesses between grid points are removed later by stretching."""
    try:
        toppra, algorithm, constraint = (
            import_module(name) for name in ("toppra", "toppra.algorithm", "toppra.constraint")
        )
    except ImportError as error:
        raise MissingDependency(
            "toppra is not installed; install it with `pip install toppra`, or use the method 'own'."
        ) from error
    from workcell.motion import _kernels_timing as kernels

    if path.corners().size:
        raise InvalidValue("toppra cannot time a path with corners; round them, or use the method 'own'.")
    curve = path.curve
    acceleration = limits.required("acceleration", "A time-optimal motion")

    class Curve(toppra.interpolator.AbstractGeometricPath):  # type: ignore[misc,name-defined]
        """The path in the form that toppra requires."""

        dof = curve.n + 1
        path_interval = np.array([0.0, path.length])
        waypoints = None

        def __call__(self, s: Array, order: int = 0) -> Array:
            places = np.atleast_1d(s)
            itself = (places, np.ones_like(places), np.zeros_like(places))[order]
            values = np.column_stack([curve.sample(places, order), itself])
            return values if np.ndim(s) else np.asarray(values[0])

    # An unlimited path gets a limit so wide that it never binds, because toppra needs finite numbers.
    v = np.minimum(np.append(limits.speed, along[0]), 1e6)
    a = np.minimum(np.append(acceleration, along[1]), 1e9)
    bounds = [
        constraint.JointVelocityConstraint(np.stack([-v, v], axis=1)),
        constraint.JointAccelerationConstraint(
            np.stack([-a, a], axis=1),
            discretization_scheme=constraint.DiscretizationType.Interpolation,
        ),
    ]
    solver = algorithm.TOPPRA(bounds, Curve(), gridpoints=grid, solver_wrapper="seidel")
    try:
        _, speeds, _ = solver.compute_parameterization(0.0, 0.0)
    except ZeroDivisionError:
        speeds = None
    if speeds is None or not np.isfinite(speeds).all():
        raise MotionError("toppra found no motion along this path; use the method 'own'.")
    count = grid.shape[0] - 1
    local = np.empty((count, curve.degree + 1, curve.n))
    kernels.intervals(curve.breaks, curve.coefficients, grid, local)
    return np.asarray(speeds**2), local


_scaled_by = {"own": _own, "toppra": _toppra}


def _timed(local: Array, grid: Array, squares: Array, limits: Limits) -> Trajectory:
    """The motion as polynomials of time, stretched if any exact extremum is above a limit."""
    from workcell.motion import _kernels_timing as kernels

    count, terms, n = local.shape
    times = np.empty(count + 1)
    coefficients = np.empty((count, 2 * terms - 1, n))
    kernels.compose(local, grid, squares, times, coefficients)
    if not (np.isfinite(times).all() and (np.diff(times) >= 0.0).all()):
        raise MotionError("The path turns joints too fast for its length to be timed; keep farther from singularities.")
    return within(pieced(times, coefficients), Limits(limits.speed, limits.acceleration))
