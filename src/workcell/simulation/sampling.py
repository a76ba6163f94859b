"""When a motion is recorded: the thesis' frames, and between them as often as straight lines need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.cost import SAMPLES
from workcell.motion.frames import frame_times
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

LOOK = np.radians(1.0)
"""How far the joint that moves most goes between two looks for collisions [rad or m]."""
RESOLUTION = 1e-5
"""How far joint values read between two recorded samples may be from the motion [rad or m]."""


def sample_times(trajectory: Trajectory, step: float, resolution: float = RESOLUTION) -> Array:
    """The times [s] after the start at which a motion is recorded, the last one its end (N,).

    Args:
        trajectory: the motion.
        step: how far the joint that moves most goes between two frames at most [rad or m].
        resolution: how far a straight line between two samples may be off [rad or m].
    """
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
    # A straight line misses a curve by |q̈| h² / 8 at most.
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
