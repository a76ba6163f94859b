"""Motions that end on whole nanoseconds."""

from __future__ import annotations

from workcell.motion.trajectory import Trajectory


def ending_at(motion: Trajectory, duration: float) -> Trajectory:
    """A motion whose end is moved back to the instant from which rounding took it."""
    breaks = motion.breaks.copy()
    breaks[-1] = duration
    return Trajectory(breaks, motion.coefficients)


def joined(first: Trajectory, second: Trajectory) -> Trajectory:
    """One motion followed by another, both in whole nanoseconds."""
    whole = first.then(second)
    return ending_at(whole, round(whole.duration * 1e9) / 1e9)
