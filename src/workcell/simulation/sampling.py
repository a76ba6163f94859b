"""The times at which a motion is recorded: the frames of the thesis, and between them as often as needed."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from workcell.cost import PLACES, SAMPLES
from workcell.motion.chained import Chained, JointMotion
from workcell.motion.frames import frame_times
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.running import steady_from
from workcell.motion.time_law import PacedMotion, TimeLaw
from workcell.motion.trajectory import Trajectory
from workcell.simulation.columns import between

Array = NDArray[np.float64]

LOOK = np.radians(1.0)
"""How far the joint that moves most goes between two collision tests [rad or m]."""
RESOLUTION = 1e-5
"""The tolerance of joint values interpolated between two frames [rad or m]."""
POSE_STEP = 0.01
"""The greatest way [m] or turn [rad] of a solid between two frames."""
_LOOKS = (0.25, 0.5, 0.75)
"""Where between two frames the error of linear interpolation is tested."""


def sample_times(trajectory: JointMotion, step: float, resolution: float = RESOLUTION) -> Array:
    """Return the times [s] after the start at which a motion is recorded; the last one is its end (N,).

    Along a path with a time law, these are the times of the path itself, and the instants at which the law changes.

    Args:
        trajectory: the motion.
        step: the greatest travel of the joint that moves most between two frames [rad or m].
        resolution: the tolerance of linear interpolation between two samples [rad or m].
    """
    if isinstance(trajectory, Chained):
        parts = zip(trajectory.parts, trajectory.begins, strict=False)
        return np.concatenate([begin + sample_times(part, step, resolution) for part, begin in parts])
    if isinstance(trajectory, PacedMotion):
        return _paced_times(trajectory, step, resolution)
    frames = frame_times(trajectory, step)
    if trajectory.degree <= 1 and trajectory.pieces == 1:
        return frames
    jumps = np.abs(trajectory.velocity_jumps()[1:-1]).max(axis=1, initial=0.0)
    kinks = trajectory.breaks[1:-1][jumps > 1e-9]
    grid = np.unique(np.concatenate([frames, kinks, [trajectory.duration]]))
    grid = grid[np.concatenate([grid[:1] > 0.0, np.diff(grid) > 1e-12])]
    if trajectory.degree <= 1 or not len(grid):
        return np.asarray(grid)
    starts = np.concatenate([[0.0], grid[:-1]])
    low, high = trajectory.ranges(starts, grid, 2)
    bend = np.maximum(-low, high).max(axis=1)
    # Linear interpolation misses a curve by |q̈| h² / 8 at most.
    parts = np.maximum(np.ceil((grid - starts) * np.sqrt(bend / (8.0 * resolution))), 1.0)
    SAMPLES.check(
        float(parts.sum()), f"A motion of {trajectory.duration:.4g} s recorded within {resolution:.3g} rad or m"
    )
    pieces = [
        a + (b - a) * np.arange(1, count + 1) / count
        for a, b, count in zip(starts, grid, parts.astype(int), strict=True)
    ]
    times = np.concatenate(pieces)
    times[-1] = trajectory.duration
    return np.asarray(times)


def running_times(motion: Trajectory, first: float, last: float, step: float, resolution: float = RESOLUTION) -> Array:
    """Return the times at which an endless motion is recorded between two of its own times, including the last."""
    steady = min(max(steady_from(motion), first), last)
    spans = [(a, b) for a, b in ((first, steady), (steady, last)) if b > a]
    found = [a + sample_times(motion.part(a, b), step, resolution) for a, b in spans]
    return np.concatenate(found) if found else np.empty(0)


def _paced_times(motion: PacedMotion, step: float, resolution: float) -> Array:
    law = motion.law
    places = sample_times(motion.path, step, resolution) if motion.path.duration else np.empty(0)
    inside = places[(places > law.place(0.0)) & (places < law.end)]
    times = np.unique(np.concatenate([_reached(law, inside), law.curve.breaks[1:]]))
    return np.asarray(times[np.concatenate([times[:1] > 0.0, np.diff(times) > 1e-12])])


def _reached(law: TimeLaw, places: Array) -> Array:
    """Return when a law reaches places of its path (K,), by bisection."""
    low, high = np.zeros(len(places)), np.full(len(places), law.duration)
    for _ in range(60 if len(places) else 0):
        middle = 0.5 * (low + high)
        before = law.curve.sample(middle)[:, 0] < places
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.asarray(0.5 * (low + high))


def require_frames(trajectory: Trajectory, step: float) -> None:
    """Refuse a motion that would have too many frames to show."""
    from workcell.motion import _kernels_joint_moves

    if _kernels_joint_moves.most_travel(trajectory.breaks, trajectory.coefficients) / step < SAMPLES.most:
        return
    low, high = trajectory.ranges(trajectory.breaks[:-1], trajectory.breaks[1:])
    travel = float((high - low).sum(axis=0).max())
    SAMPLES.check(travel / step, f"A travel of {travel:.4g} with a frame every {step:.4g} (rad or m)")


def pose_times(motion: PoseMotion, resolution: float = RESOLUTION) -> Array:
    """Return the times [s] after the start at which a solid is recorded; the last one is its end (N,).

    Args:
        motion: where the solid is.
        resolution: the tolerance of linear interpolation between two samples [m or rad].
    """
    curve = motion.curve
    count = int(np.ceil(curve.length * max(curve.pace) / POSE_STEP))
    inner = np.union1d(curve.breaks[1:-1], curve.length * np.arange(1, count) / max(count, 1))
    knots = np.unique(np.concatenate([motion.progress.breaks, _when(motion, inner)]))
    done: list[float] = []
    open_spans = list(itertools.pairwise(knots.tolist()))
    while open_spans:
        PLACES.check(len(done) + len(open_spans), f"A path of {curve.length:.6g} m with these turns")
        a, b = open_spans.pop()
        times = np.array([a, *(a + (b - a) * share for share in _LOOKS), b])
        rows = motion.sample(times)[:, :3].reshape(-1, 12)
        off = max(
            float(np.abs(between(rows[0], rows[-1], share) - row).max())
            for share, row in zip(_LOOKS, rows[1:-1], strict=True)
        )
        if off > resolution and b - a > 1e-6 * motion.duration:
            open_spans += [(a, 0.5 * (a + b)), (0.5 * (a + b), b)]
        else:
            done.append(b)
    return np.array(sorted(done))


def _when(motion: PoseMotion, places: Array) -> Array:
    """Return when a solid passes places of its curve (K,), by bisection."""
    low, high = np.zeros(len(places)), np.full(len(places), motion.duration)
    for _ in range(60):
        middle = 0.5 * (low + high)
        before = motion.progress.sample(middle)[:, 0] < places
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.asarray(0.5 * (low + high))
