"""Time-optimal scaling along a joint path: ours against toppra, computing time and duration of the result.

toppra's result is judged by the exact extrema of its polynomials and stretched until it keeps the limits,
which ours keeps by construction. Ratios above 1 are slower, or longer, than ours.
"""

from __future__ import annotations

import importlib.metadata
import logging
import statistics
from typing import Any

import numpy as np

from harness import compare, missing
from workcell.motion import _kernels_timing as kernels
from workcell.motion.limits import Limits
from workcell.motion.path import JointPath
from workcell.motion.profiles import excess
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory

logging.disable(logging.INFO)


def random_case(seed: int, kind: str) -> tuple[JointPath, Limits]:
    rng = np.random.default_rng(seed)
    n = 6
    points = rng.uniform(-2.0, 2.0, size=(6, n))
    limits = Limits.of(n, rng.uniform(1.0, 3.0, n), rng.uniform(2.0, 10.0, n))
    path = JointPath.spline(points) if kind == "spline" else JointPath.polyline(points, blend=0.3)
    return path, limits


def peer(path: JointPath, limits: Limits, grid: int | None, parametrizer: str) -> Any:
    """Call toppra as its documentation does, on the same path."""
    import toppra
    from scipy.interpolate import PPoly
    from toppra import algorithm, constraint

    curve = path.curve
    descending = np.ascontiguousarray(curve.coefficients[:, ::-1].transpose(1, 0, 2))
    # toppra's own spline class carries the path: a piecewise polynomial evaluated by scipy.
    line = toppra.SplineInterpolator(curve.breaks, curve.sample(curve.breaks))
    line.cspl = PPoly(descending, curve.breaks)
    line.cspld = line.cspl.derivative()
    line.cspldd = line.cspld.derivative()
    bounds = [
        constraint.JointVelocityConstraint(np.stack([-limits.speed, limits.speed], axis=1)),
        constraint.JointAccelerationConstraint(np.stack([-limits.acceleration, limits.acceleration], axis=1)),
    ]
    options = {} if grid is None else {"gridpoints": np.linspace(0.0, path.length, grid + 1)}
    solver = algorithm.TOPPRA(bounds, line, parametrizer=parametrizer, **options)
    return solver, solver.compute_trajectory(0.0, 0.0)


def as_trajectory(path: JointPath, solver: Any, result: Any, parametrizer: str) -> Trajectory:
    """Return toppra's result as exact polynomials of time."""
    if parametrizer == "ParametrizeSpline":
        return Trajectory(result.cspl.x - result.cspl.x[0], result.cspl.c[::-1].transpose(1, 0, 2))
    grid, speeds = solver.problem_data.gridpoints, solver.problem_data.sd_vec
    edges = np.unique(np.concatenate([grid, path.curve.breaks]))
    squares = np.interp(edges, grid, speeds**2)
    local = np.empty((edges.shape[0] - 1, path.curve.degree + 1, path.n))
    kernels.intervals(path.curve.breaks, path.curve.coefficients, edges, local)
    times, out = np.empty(edges.shape[0]), np.empty((local.shape[0], 2 * path.curve.degree + 1, path.n))
    kernels.compose(local, edges, squares, times, out)
    return Trajectory(times, out)


def main() -> None:
    try:
        print(f"toppra {importlib.metadata.version('toppra')}")
    except importlib.metadata.PackageNotFoundError as error:
        missing("toppra", error)
        return
    settings = {
        "toppra, grid 100": (100, "ParametrizeConstAccel"),
        "toppra, grid 300": (300, "ParametrizeConstAccel"),
        "toppra, its own grid": (None, "ParametrizeConstAccel"),
        "toppra, grid 100, spline": (100, "ParametrizeSpline"),
    }
    for kind in ("spline", "polyline"):
        cases = [random_case(seed, kind) for seed in range(10)]
        contenders = {"ours": lambda cases=cases: [time_optimal(*case) for case in cases]}
        for name, (grid, parametrizer) in settings.items():
            contenders[name] = lambda g=grid, p=parametrizer, cases=cases: [peer(*case, g, p) for case in cases]
        compare(contenders, rounds=7, title=f"10 paths, 6 joints, 6 points, {kind}", work=10, unit="path")
        ours = [time_optimal(*case) for case in cases]
        worst = max(excess(motion, case[1]) for motion, case in zip(ours, cases, strict=True))
        print(f"  ours: worst share of a limit {worst:.12f}")
        for name, (grid, parametrizer) in settings.items():
            shares, ratios = [], []
            for (path, limits), motion in zip(cases, ours, strict=True):
                theirs = as_trajectory(path, *peer(path, limits, grid, parametrizer), parametrizer)
                speed = (theirs.max_speed() / limits.speed).max()
                acceleration = (theirs.max_acceleration() / limits.acceleration).max()
                shares.append((speed, acceleration))
                ratios.append(motion.duration / (theirs.duration * max(1.0, excess(theirs, limits))))
            speed, acceleration = np.max(shares, axis=0)
            print(
                f"  {name}: exceeds speed by {100 * (speed - 1):.2f} %, acceleration by "
                f"{100 * (acceleration - 1):.2f} %; our duration / its stretched duration: median "
                f"{statistics.median(ratios):.4f}, worst {max(ratios):.4f}"
            )
        print()


if __name__ == "__main__":
    main()
