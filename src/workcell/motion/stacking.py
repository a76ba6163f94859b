"""Motions of several machines over one parameter, side by side."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.motion.trajectory import Trajectory, pieced

Array = NDArray[np.float64]


def stacked(first: Trajectory, second: Trajectory) -> Trajectory:
    """The joints of both over the same parameter, those of the first before those of the second."""
    if abs(first.duration - second.duration) > 1e-9 * (1.0 + first.duration):
        raise InvalidValue(
            f"Motions side by side must have the same duration; found {first.duration:.9g} and {second.duration:.9g}."
        )
    inner = np.concatenate([first.breaks[1:-1], second.breaks[1:-1]])
    breaks = np.unique(np.concatenate([[0.0], inner, [first.duration]]))
    least = 1e-12 * (1.0 + first.duration)
    breaks = breaks[np.concatenate([[True], np.diff(breaks) > least])]
    breaks[-1] = first.duration
    degree = max(first.degree, second.degree)
    parts = [_cut(motion, breaks, degree) for motion in (first, second)]
    return pieced(breaks, np.concatenate(parts, axis=2))


def columns(motion: Trajectory, start: int, stop: int) -> Trajectory:
    """Some joints of a motion, over the same time."""
    return Trajectory(motion.breaks, motion.coefficients[:, :, start:stop])


def _cut(motion: Trajectory, breaks: Array, degree: int) -> Array:
    """The polynomials of a motion over finer pieces (k, degree+1, n)."""
    middles = 0.5 * (breaks[:-1] + breaks[1:])
    piece = np.clip(np.searchsorted(motion.breaks, middles, side="right") - 1, 0, motion.pieces - 1)
    shift = breaks[:-1] - motion.breaks[piece]
    old = motion.coefficients[piece]
    out = np.zeros((len(middles), degree + 1, motion.n))
    for power in range(motion.degree + 1):
        for higher in range(power, motion.degree + 1):
            factor = math.comb(higher, power) * shift ** (higher - power)
            out[:, power] += factor[:, None] * old[:, higher]
    return out
