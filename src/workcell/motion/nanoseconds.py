"""Motions whose ends lie on whole nanoseconds."""

from __future__ import annotations

from workcell.motion.trajectory import Trajectory


def ending_at(motion: Trajectory, duration: float) -> Trajectory:
    """A motion whose end is put on an instant from which rounding took it."""
    breaks = motion.breaks.copy()
    breaks[-1] = duration
    return Trajectory(breaks, motion.coefficients)


def joined(first: Trajectory, second: Trajectory) -> Trajectory:
    """One motion and after it another, in whole nanoseconds as both are."""
    whole = first.then(second)
    return ending_at(whole, round(whole.duration * 1e9) / 1e9)
