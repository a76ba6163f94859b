"""Hold, resume, override and stop along the path: new time laws that reach another rate as soon as the limits allow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.motion.limits import Limits
from workcell.motion.override import LEAST_RATE
from workcell.motion.time_law import PacedMotion, TimeLaw
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

_MOST_SEGMENTS = 400
_BEATS = 16.0
"""The number of steps of the time that the slowest joint needs from full speed to rest."""


@dataclass(frozen=True)
class RateChange:
    """A change of the rate along a path.

    Attributes:
        motion: the motion from the instant of the change, in its own time.
        rate: the requested rate.
        reached: whether the rate is reached before the path ends.
        delay: the time until the rate, or the end of the path, is reached [s].
        span: s at the instant of the change, and s where the rate is reached.
        travel: the distance of each joint meanwhile (n,) [rad or m].
    """

    motion: PacedMotion
    rate: float
    reached: bool
    delay: float
    span: tuple[float, float]
    travel: Array


def change_rate(motion: PacedMotion, t: float, rate: float, limits: Limits) -> RateChange:
    """Run the rest of a motion at another rate, which is reached as soon as the limits allow.

    A path that itself exceeds the acceleration or jerk limits (a table of data) keeps its own greatest ones. Steps
    of the speed in the path itself (a ``linear`` move) stay.

    Args:
        motion: the present motion.
        t: the instant of the change [s], in the motion's own time.
        rate: 0 (hold, or stop along the path) or from 0.01 to 1 of the path's own speed.
        limits: acceleration of each joint, and its jerk if it is limited.
    """
    from workcell.motion import _kernels_pacing as kernels

    if not (rate == 0.0 or LEAST_RATE <= rate <= 1.0):
        raise InvalidValue(
            f"A rate must be 0 (hold) or from 1 % to 100 % of the path's speed, not {100.0 * rate:g} %.", rate=rate
        )
    if limits.n != motion.n:
        raise InvalidValue(f"The motion has {motion.n} joints and the limits are for {limits.n}.")
    if not math.isfinite(t):
        raise InvalidValue(f"A time must be a finite number of seconds, not {t}.")
    top = np.maximum(limits.required("acceleration", "A change of the rate"), motion.path.peaks[1])
    length, curve = motion.path.duration, motion.law.curve
    t = min(max(t, 0.0), curve.duration)
    start = min(motion.law.place(t), length)
    # At the end of a law that stops, nothing moves.
    over = t == curve.duration
    now, push = (0.0, 0.0) if over else (min(max(motion.law.rate(t), 0.0), 1.0), motion.law.push(t))
    rows: list[tuple[float, float, float, float]] = []
    if start < length:
        found = np.empty((_MOST_SEGMENTS, 4))
        if limits.jerk is None:
            count = kernels.pushed(motion.path.breaks, motion.path.coefficients, top, start, now, rate, found)
        else:
            jerk = np.maximum(limits.jerk, motion.path.peaks[2])
            beat = float((limits.speed / top + top / jerk).max()) / _BEATS
            s, r, a, clock = start, now, push, t
            while True:
                count = kernels.eased(
                    motion.path.breaks, motion.path.coefficients, top, jerk, s, r, a, rate, beat, found
                )
                if count >= 0:
                    break
                # Nothing new is proved from here yet; the present law continues.
                later = min(clock + beat, curve.duration)
                rows.extend(_rows(curve.part(clock, later)))
                clock = later
                if later == curve.duration:
                    count = 0
                    break
                s, r, a = motion.law.place(later), motion.law.rate(later), motion.law.push(later)
        rows.extend(tuple(row) for row in found[:count].tolist())
    return _changed(motion, start, now, rate, rows)


def _rows(curve: Trajectory) -> list[tuple[float, float, float, float]]:
    """A law's pieces as (time, rate, s'', s''')."""
    c = np.zeros((curve.pieces, 4))
    c[:, : curve.degree + 1] = curve.coefficients[:, :4, 0]
    steps = np.diff(curve.breaks)
    return [(float(h), float(b), 2.0 * float(q), 6.0 * float(k)) for h, (_, b, q, k) in zip(steps, c, strict=True)]


def _changed(
    motion: PacedMotion, start: float, now: float, rate: float, rows: list[tuple[float, float, float, float]]
) -> RateChange:
    """The law of the segments, followed by the steady rate to the path's end."""
    length = motion.path.duration
    breaks, pieces, s, r = [0.0], [], start, now
    for step, r0, a, j in rows:
        if step <= 0.0 or s >= length:
            continue
        ahead = s + step * (r0 + step * (0.5 * a + step * j / 6.0))
        if ahead > length:
            step = _time_to(length - s, r0, a, j, step)
            ahead = length
        if breaks[-1] + step > breaks[-1]:
            pieces.append((s, r0, 0.5 * a, j / 6.0))
            breaks.append(breaks[-1] + step)
        s, r = ahead, r0 + step * (a + 0.5 * j * step)
    delay, place = breaks[-1], s
    reached = s < length and abs(r - rate) <= 1e-9
    steady = rate if reached else r
    if steady > 0.0 and breaks[-1] + (length - s) / steady > breaks[-1]:
        pieces.append((s, steady, 0.0, 0.0))
        breaks.append(breaks[-1] + (length - s) / steady)
    if pieces:
        law = TimeLaw(Trajectory(np.array(breaks), np.array(pieces)[:, :, None]))
    else:
        law = TimeLaw.standing(s)
    low, high = motion.path.range(start, place)
    return RateChange(
        PacedMotion(motion.path, law), rate, reached or start >= length, delay, (start, place), high - low
    )


def _time_to(way: float, r: float, a: float, j: float, most: float) -> float:
    """The time at which a segment has covered a distance [s]: by bisection, because it never runs backwards."""
    low, high = 0.0, most
    for _ in range(100):
        middle = 0.5 * (low + high)
        if middle * (r + middle * (0.5 * a + middle * j / 6.0)) < way:
            low = middle
        else:
            high = middle
    return high
