"""Compiled loops over motions of constant jerk (order 3) or constant acceleration (order 2), joint by joint.

A joint's motion is its state at the start and a row of segments: the duration of each and the value of the highest
derivative in it (its *drive*). Segments of zero duration have no effect.
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled_with

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@compiled_with()
def _step(q: float, v: float, a: float, t: float, drive: float, order: int) -> tuple[float, float, float]:
    """The state a time later."""
    if order == 2:
        return q + t * (v + 0.5 * t * drive), v + t * drive, drive
    return q + t * (v + t * (0.5 * a + t * drive / 6.0)), v + t * (a + 0.5 * t * drive), a + t * drive


@compiled_with()
def _end(state: Array, steps: Array, drives: Array, order: int) -> tuple[float, float, float]:
    q, v, a = state[0], state[1], state[2]
    for i in range(steps.shape[0]):
        if steps[i] > 0.0:
            q, v, a = _step(q, v, a, steps[i], drives[i], order)
    return q, v, a


@compiled_with()
def within(values: Array, limits: Array) -> bool:
    """Whether joint values lie within their ranges, the last two columns of the limits (n, 5)."""
    found = True
    for j in range(values.shape[0]):
        found &= limits[j, 3] <= values[j] <= limits[j, 4]
    return found


@compiled_with()
def request(states: Array, target: Array, limits: Array, order: int, margin: float, out: Array) -> float:
    """Fill ``out (6, n)`` with the request to the planner, and return its unit of time [s].

    The rows: position from the target, speed, acceleration, and the limits of speed, acceleration and jerk. Small moves
    use a small unit of time, a power of two, because the planner's tolerances are absolute; with the unit of
    length, this keeps the highest derivative unchanged. Bounds on the others that are lower than the true ones only
    keep its numbers moderate.
    """
    n = states.shape[0]
    size = 0.0
    for j in range(n):
        way, v, a, drive = abs(states[j, 0] - target[j]), abs(states[j, 1]), abs(states[j, 2]), limits[j, 2]
        if order == 2:
            size = max(size, np.sqrt(way / drive), v / drive)
        else:
            size = max(size, np.cbrt(way / drive), np.sqrt(v / drive), a / drive)
    unit = 1.0
    if 0.0 < size <= 0.05:
        unit = 2.0 ** np.floor(np.log2(size))
    near, fast, sharp = unit ** (-order), unit ** (1 - order), unit ** (2 - order)
    keep = 1.0 - margin
    for j in range(n):
        out[0, j] = (states[j, 0] - target[j]) * near
        out[1, j] = states[j, 1] * fast
        out[2, j] = states[j, 2] * sharp
        out[3, j] = min(limits[j, 0] * fast, 1e4) * keep
        out[4, j] = min(limits[j, 1] * sharp, 1e4) * keep
        out[5, j] = limits[j, 2] * keep
    return unit


@compiled_with()
def ends(states: Array, steps: Array, drives: Array, order: int, out: Array) -> None:
    """Fill ``out (n, 3)`` with the states after the last segment."""
    for j in range(states.shape[0]):
        out[j, 0], out[j, 1], out[j, 2] = _end(states[j], steps[j], drives[j], order)


@compiled_with()
def land(states: Array, target: Array, steps: Array, drives: Array, order: int) -> None:
    """Change the drives by the least that brings every joint to rest exactly at its target (some 1e-9 at most).

    The end state depends linearly on the drives; of all changes that correct it, the smallest is A'(A A')⁻¹ miss.
    """
    count = steps.shape[1]
    rows = np.zeros((3, count))
    m = np.zeros((3, 3))
    miss = np.zeros(3)
    for j in range(states.shape[0]):
        total = steps[j].sum()
        if total <= 0.0:
            continue
        left = total
        for i in range(count):
            t = max(steps[j, i], 0.0)
            left -= t
            x, y = t / total, left / total
            if order == 2:
                rows[0, i], rows[1, i], rows[2, i] = 0.5 * x * x + x * y, x, 0.0
            else:
                rows[0, i], rows[1, i], rows[2, i] = x * (x * x / 6.0 + 0.5 * x * y + 0.5 * y * y), x * (0.5 * x + y), x
        for a in range(3):
            for b in range(3):
                m[a, b] = (rows[a] * rows[b]).sum()
        if order == 2:
            m[2, 2] = 1.0
        det = (
            m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
            - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
            + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
        )
        if not det > 1e-14 * m[0, 0] * m[1, 1] * m[2, 2]:
            continue
        for _ in range(3):
            q, v, a_end = _end(states[j], steps[j], drives[j], order)
            miss[0] = (target[j] - q) / total**order
            miss[1] = -v / total ** (order - 1)
            miss[2] = 0.0 if order == 2 else -a_end / total
            x0 = (
                miss[0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
                - m[0, 1] * (miss[1] * m[2, 2] - m[1, 2] * miss[2])
                + m[0, 2] * (miss[1] * m[2, 1] - m[1, 1] * miss[2])
            ) / det
            x1 = (
                m[0, 0] * (miss[1] * m[2, 2] - m[1, 2] * miss[2])
                - miss[0] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
                + m[0, 2] * (m[1, 0] * miss[2] - miss[1] * m[2, 0])
            ) / det
            x2 = (
                m[0, 0] * (m[1, 1] * miss[2] - miss[1] * m[2, 1])
                - m[0, 1] * (m[1, 0] * miss[2] - miss[1] * m[2, 0])
                + miss[0] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
            ) / det
            for i in range(count):
                drives[j, i] += rows[0, i] * x0 + rows[1, i] * x1 + rows[2, i] * x2


@compiled_with()
def extremes(states: Array, steps: Array, drives: Array, braking: Whole, order: int, out: Array) -> None:
    """Fill ``out (n, 7)`` with the extremes of each joint.

    The columns: least and greatest position; greatest speed and acceleration of the whole motion; the same
    after the first ``braking`` segments; greatest drive.
    """
    for j in range(states.shape[0]):
        q, v, a = states[j, 0], states[j, 1], states[j, 2]
        low, high, speed, top, late_speed, late_top, most = q, q, abs(v), 0.0, 0.0, 0.0, 0.0
        if order == 3:
            top = abs(a)
        for i in range(steps.shape[1]):
            t = steps[j, i]
            if t <= 0.0:
                continue
            drive = drives[j, i]
            fast = abs(v)
            if order == 3:
                sharp = abs(a)
                if drive != 0.0 and 0.0 < -a / drive < t:
                    fast = max(fast, abs(v - 0.5 * a * a / drive))
                # Where the speed is zero: drive/2 u² + a u + v = 0, in the form that does not cancel.
                square = a * a - 2.0 * drive * v
                if square >= 0.0:
                    half = -(a + np.sqrt(square)) if a >= 0.0 else -(a - np.sqrt(square))
                    for k in range(2):
                        u = -1.0
                        if k == 0 and drive != 0.0:
                            u = half / drive
                        elif k == 1 and half != 0.0:
                            u = 2.0 * v / half
                        if 0.0 < u < t:
                            place = q + u * (v + u * (0.5 * a + u * drive / 6.0))
                            low, high = min(low, place), max(high, place)
            else:
                sharp = abs(drive)
                if drive != 0.0 and 0.0 < -v / drive < t:
                    place = q - 0.5 * v * v / drive
                    low, high = min(low, place), max(high, place)
            q, v, a = _step(q, v, a, t, drive, order)
            low, high = min(low, q), max(high, q)
            fast = max(fast, abs(v))
            sharp = max(sharp, abs(a))
            speed, top, most = max(speed, fast), max(top, sharp), max(most, abs(drive))
            if i >= braking[j]:
                late_speed, late_top = max(late_speed, fast), max(late_top, sharp)
        out[j, 0], out[j, 1], out[j, 2], out[j, 3] = low, high, speed, top
        out[j, 4], out[j, 5], out[j, 6] = late_speed, late_top, most


@compiled_with()
def assemble(states: Array, steps: Array, drives: Array, order: int, target: Array) -> tuple[Array, Array]:
    """Breaks and coefficients of all joints together, cut at every joint's edges.

    Where ``target`` is a number, the joint's last piece is moved by the missing rounding error.
    """
    n, count = steps.shape
    marks = np.zeros(n * (count + 1) + 1)
    filled = 1
    end = 0.0
    for j in range(n):
        clock = 0.0
        for i in range(count):
            if steps[j, i] > 0.0:
                clock += steps[j, i]
                marks[filled] = clock
                filled += 1
        end = max(end, clock)
    ordered = np.sort(marks[:filled])
    breaks = np.zeros(filled)
    pieces = 0
    for mark in ordered:
        # Edges that differ only by rounding are one edge.
        if mark > breaks[pieces] + 1e-15 * end and mark < end - 1e-15 * end:
            pieces += 1
            breaks[pieces] = mark
    if end > 0.0:
        pieces += 1
        breaks[pieces] = end
    breaks = breaks[: pieces + 1].copy()
    out = np.zeros((pieces, order + 1, n))
    for j in range(n):
        q, v, a = states[j, 0], states[j, 1], states[j, 2]
        segment, start = 0, 0.0
        for p in range(pieces):
            middle = 0.5 * (breaks[p] + breaks[p + 1])
            while segment < count and start + max(steps[j, segment], 0.0) <= middle:
                if steps[j, segment] > 0.0:
                    q, v, a = _step(q, v, a, steps[j, segment], drives[j, segment], order)
                    start += steps[j, segment]
                segment += 1
            drive = drives[j, segment] if segment < count else 0.0
            if segment == count:
                v, a = 0.0, 0.0
            here, speed, bend = _step(q, v, a, breaks[p] - start, drive, order)
            if p == 0:
                # A first segment shorter than rounding is left out, but its starting state is kept.
                here, speed = states[j, 0], states[j, 1]
                bend = drive if order == 2 else states[j, 2]
            out[p, 0, j], out[p, 1, j] = here, speed
            out[p, 2, j] = 0.5 * bend
            if order == 3:
                out[p, 3, j] = drive / 6.0
        if pieces > 0 and not np.isnan(target[j]):
            u = breaks[pieces] - breaks[pieces - 1]
            for _ in range(3):
                value = 0.0
                for power in range(order, -1, -1):
                    value = value * u + out[pieces - 1, power, j]
                out[pieces - 1, 0, j] += target[j] - value
    return breaks, out


@compiled_with()
def settle(
    states: Array,
    target: Array,
    steps: Array,
    drives: Array,
    braking: Whole,
    limits: Array,
    order: int,
    margin: float,
    rounding: float,
    excess: float,
) -> tuple[int, Array, Array]:
    """Land a course on its target and check it: 0 and the motion, 1 out of range, 2 above a limit.

    The motion waits at its end until a whole nanosecond is over. ``limits`` (n, 5) are the speed, acceleration
    and highest derivative of every joint and its range. ``excess`` is the share by which a lower jerk may take a joint
    above its speed limit.
    """
    n = states.shape[0]
    land(states, target, steps, drives, order)
    found = np.empty((n, 7))
    extremes(states, steps, drives, braking, order, found)
    none = np.empty((0, 0, 0))
    slack = 1.0 + rounding
    longest = 0.0
    for j in range(n):
        low, high = limits[j, 3], limits[j, 4]
        if found[j, 0] < min(low - rounding * (1.0 + abs(low)), states[j, 0]):
            return 1, found[0], none
        if found[j, 1] > max(high + rounding * (1.0 + abs(high)), states[j, 0]):
            return 1, found[0], none
        longest = max(longest, steps[j].sum())
    for j in range(n):
        speed, top, drive = limits[j, 0], limits[j, 1], limits[j, 2]
        v, a = states[j, 1], states[j, 2]
        peak, most = max(abs(v), speed), top
        if order == 3:
            # With its full jerk it reaches at least this speed; a lower jerk may add only rounding.
            given = abs(v + a * abs(a) / (2.0 * drive * (1.0 - margin)))
            peak = max(peak, min(given, abs(v + a * abs(a) / (2.0 * drive)) * (1.0 + excess)))
            most = max(top, abs(a))
        if found[j, 2] > peak * slack or found[j, 3] > most * slack or found[j, 4] > speed * slack:
            return 2, found[0], none
        if found[j, 5] > top * slack or found[j, 6] > drive * slack:
            return 2, found[0], none
        q, speed_there, _ = _end(states[j], steps[j], drives[j], order)
        near = 1e-14 * (1.0 + abs(target[j]) + abs(states[j, 0])) * (1.0 + longest)
        if not (abs(q - target[j]) <= near and abs(speed_there) <= 1e-11 * (1.0 + speed)):
            return 2, found[0], none
    breaks, coefficients = assemble(states, steps, drives, order, target)
    if breaks.shape[0] < 2:
        return 0, breaks, coefficients
    wanted = breaks[-1]
    count = np.rint(wanted * 1e9)
    if count / 1e9 < wanted:
        count += 1.0
    whole = count / 1e9
    if whole == wanted:
        return 0, breaks, coefficients
    pieces = coefficients.shape[0]
    longer = np.empty(pieces + 2)
    longer[: pieces + 1] = breaks
    longer[pieces + 1] = whole
    out = np.zeros((pieces + 1, order + 1, n))
    out[:pieces] = coefficients
    u = breaks[pieces] - breaks[pieces - 1]
    for j in range(n):
        value = 0.0
        for power in range(order, -1, -1):
            value = value * u + coefficients[pieces - 1, power, j]
        out[pieces, 0, j] = value
    return 0, longer, out
