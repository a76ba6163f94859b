"""Compiled search for the law s(t) that changes the rate along a path soonest.

The path q(s) keeps its limits at the rate 1, so it keeps them at every steady rate up to 1. The remainder of the
limits is the room for changing the rate. Every segment is proved on its whole interval: the ranges of q', q'' and
q''' over the stretch of s are exact, and so are those of the rate and its derivatives over the segment. Products of
ranges bound the rest.
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled_with
from workcell.motion._kernels import extrema

Array = NDArray[np.float64]

_compiled = compiled_with()

_MOST = 4000
"""More segments than any change needs; a search that reaches this number keeps the present rate."""
_HARD = 1e4
"""The greatest |s''| [1/s]; where no joint moves, nothing else bounds it."""


@_compiled
def _bounds(breaks: Array, path: Array, s0: float, s1: float, order: int, low: Array, high: Array) -> None:
    """Fill rows 0 … order−1 of ``low, high (3, n)`` with the ranges of q', q'', q''' over [s0, s1]."""
    end = breaks[breaks.shape[0] - 1]
    first, last = np.empty(1), np.empty(1)
    first[0], last[0] = min(s0, end), min(max(s1, s0), end)
    for d in range(order):
        extrema(breaks, path, first, last, d + 1, low[d : d + 1], high[d : d + 1])


@_compiled
def _times(a0: float, a1: float, b0: float, b1: float) -> tuple[float, float]:
    """The range of a product of two ranges."""
    w, x, y, z = a0 * b0, a0 * b1, a1 * b0, a1 * b1
    return min(w, x, y, z), max(w, x, y, z)


@_compiled
def _push(low: Array, high: Array, top: Array, r0: float, r1: float, side: float) -> float:
    """The greatest d for which s'' = side·d keeps |q''·r² + q'·s''| ≤ top for all rates between r0 and r1."""
    slow, fast = min(r0, r1) ** 2, max(r0, r1) ** 2
    most = _HARD
    for j in range(top.shape[0]):
        bend0, bend1 = _times(low[1, j], high[1, j], slow, fast)
        way0, way1 = _times(low[0, j], high[0, j], side, side)
        if way1 > 0.0:
            most = min(most, max(top[j] - bend1, 0.0) / way1)
        if way0 < 0.0:
            most = min(most, max(top[j] + bend0, 0.0) / -way0)
    return most


@_compiled
def pushed(breaks: Array, path: Array, top: Array, s: float, r: float, goal: float, out: Array) -> int:
    """Fill ``out (m, 4)`` with segments (time, rate, s'', 0) that lead to the goal rate, or to the path's end.

    Without a jerk limit s'' may step, and a steady rate is always possible afterwards. So pushing as hard as each
    stretch allows is the soonest.
    """
    n = top.shape[0]
    low, high = np.zeros((3, n)), np.zeros((3, n))
    length = breaks[breaks.shape[0] - 1]
    side = 1.0 if goal > r else -1.0
    nominal = abs(goal - r) / 12.0
    scale, count = 1.0, 0
    for _ in range(_MOST):
        if r == goal or s >= length or count >= out.shape[0]:
            break
        _bounds(breaks, path, s, s, 2, low, high)
        here = _push(low, high, top, r, r, side)
        # Where hardly anything can be gained (near the full rate, with a joint accelerating at its limit), skip it.
        slack = here * length / 64.0 < 0.2 * nominal * r
        change = min(nominal * scale, abs(goal - r))
        fast = max(r, r + side * change)
        way = length / 64.0
        if not slack:
            way = min(way * scale, fast * change / here)
        way = max(min(way, length - s), 1e-12 * length)
        # A break inside the stretch ends it, unless the stretch would become too short.
        k = np.searchsorted(breaks, s, side="right")
        if k < breaks.shape[0] and breaks[k] < s + way and breaks[k] - s >= 0.25 * way:
            way = breaks[k] - s
        d = 0.0
        if not slack:
            _bounds(breaks, path, s, s + way, 2, low, high)
            d = _push(low, high, top, r, r + side * change, side)
            if d < 0.7 * here and scale > 0.01:
                scale *= 0.5
                continue
        scale = min(2.0 * scale, 1.0)
        step, done = 0.0, False
        if d > 1e-9:
            step = change / d
            done = step * (r + 0.5 * side * d * step) <= way
        else:
            d = 0.0
        if not done:
            # The stretch ends first: r·t + s''·t²/2 = way, in the form that does not cancel.
            square = r * r + 2.0 * side * d * way
            step = 2.0 * way / (r + np.sqrt(max(square, 0.0)))
        if count > 0 and d == 0.0 and out[count - 1, 2] == 0.0:
            out[count - 1, 0] += step
        else:
            out[count, 0], out[count, 1], out[count, 2], out[count, 3] = step, r, side * d, 0.0
            count += 1
        if done:
            s = s + step * (r + 0.5 * side * d * step)
            r = r + side * change
        else:
            s = s + way
            r = r + side * d * step
        if (goal - r) * side <= 1e-12:
            r = goal
    return count


@_compiled
def _kept(
    breaks: Array, path: Array, top: Array, jerk: Array, s: float, r: float, a: float, j: float, t: float,
    low: Array, high: Array,
) -> bool:  # fmt: skip
    """Whether products of ranges prove that a segment of constant s''' keeps the limits."""
    b = a + j * t
    r1 = r + t * (a + 0.5 * j * t)
    slow, fast = min(r, r1), max(r, r1)
    if a * b < 0.0:
        turn = r - 0.5 * a * a / j
        slow, fast = min(slow, turn), max(fast, turn)
    slow = max(slow, 0.0)
    _bounds(breaks, path, s, s + t * (r + t * (0.5 * a + t * j / 6.0)), 3, low, high)
    a0, a1 = min(a, b), max(a, b)
    c0, c1 = _times(slow, fast, a0, a1)
    for i in range(top.shape[0]):
        x0, x1 = _times(low[1, i], high[1, i], slow * slow, fast * fast)
        y0, y1 = _times(low[0, i], high[0, i], a0, a1)
        if x1 + y1 > top[i] or x0 + y0 < -top[i]:
            return False
        x0, x1 = _times(low[2, i], high[2, i], slow**3, fast**3)
        y0, y1 = _times(low[1, i], high[1, i], c0, c1)
        z0, z1 = _times(low[0, i], high[0, i], j, j)
        if x1 + 3.0 * y1 + z1 > jerk[i] or x0 + 3.0 * y0 + z0 < -jerk[i]:
            return False
    return True


@_compiled
def _proved(
    breaks: Array, path: Array, top: Array, jerk: Array, s: float, r: float, a: float, j: float, t: float,
    low: Array, high: Array,
) -> bool:  # fmt: skip
    """Whether the segment keeps the limits and its rate stays between 0 and 1: whole, or cut into up to eight parts."""
    if t <= 0.0:
        return True
    b = a + j * t
    r1 = r + t * (a + 0.5 * j * t)
    turn = r - 0.5 * a * a / j if a * b < 0.0 else r
    if min(r, r1, turn) < -1e-12 or max(r, r1, turn) > 1.0 + 1e-12:
        return False
    done, h = 0.0, t
    while t - done > 1e-9 * t:
        h = min(h, t - done)
        u = done
        place = s + u * (r + u * (0.5 * a + u * j / 6.0))
        if _kept(breaks, path, top, jerk, place, r + u * (a + 0.5 * u * j), a + u * j, j, h, low, high):
            done += h
        else:
            h *= 0.5
            if h < 0.12 * t:
                return False
    return True


@_compiled
def _eased(
    breaks: Array, path: Array, top: Array, jerk: Array, s: float, r: float, a: float, goal: float, hard: float,
    low: Array, high: Array,
) -> float:  # fmt: skip
    """A time in which s'' can fall evenly to zero, so that a steady rate follows; −1 if none is found."""
    if a == 0.0:
        return 0.0
    # First the times that end at the goal or before it, then those with the greatest jerk.
    least = abs(a) / max(hard, 1e-9)
    finish = 2.0 * (goal - r) / a
    for choice in range(9):
        if choice < 4:
            t = finish * 0.5**choice
            if t < 0.3 * least:
                continue
        else:
            t = least * (1.0, 1.5, 2.5, 5.0, 10.0)[choice - 4]
            if 0.0 < finish < t:
                break
        if _proved(breaks, path, top, jerk, s, r, a, -a / t, t, low, high):
            return t
    return -1.0


@_compiled
def eased(
    breaks: Array, path: Array, top: Array, jerk: Array, s: float, r: float, a: float, goal: float, beat: float,
    out: Array,
) -> int:  # fmt: skip
    """Fill ``out (m, 4)`` with segments (time, rate, s'', s''') that lead to the goal rate, or to the path's end.

    With a jerk limit s'' is continuous. A step is taken only if s'' can fall to zero within the limits from its end,
    so a steady rate is always possible afterwards. The result is −1 if not even the first step is proved.
    """
    n = top.shape[0]
    low, high = np.zeros((3, n)), np.zeros((3, n))
    length = breaks[breaks.shape[0] - 1]
    count, wait = 0, beat
    way_out = _eased(breaks, path, top, jerk, s, r, a, goal, 1e6, low, high) if a != 0.0 else 0.0
    for _ in range(_MOST):
        if s >= length or count >= out.shape[0] - 1 or (a == 0.0 and r == goal):
            break
        side = 1.0 if goal > r else -1.0
        _bounds(breaks, path, s, s, 3, low, high)
        hard = 1e6
        for i in range(n):
            rest = abs(low[2, i] * r**3 + 3.0 * low[1, i] * r * a)
            if low[0, i] != 0.0:
                hard = min(hard, max(jerk[i] - rest, 0.25 * jerk[i]) / abs(low[0, i]))
        # Short compared with the whole change, so that there is time to push and to ease off.
        beat_now = max(min(beat, 0.25 * np.sqrt(abs(goal - r) / hard)), 1e-6)
        j, step, found, after = 0.0, beat_now, False, 0.0
        for choice in range(6):
            # Push harder first; then keep s''.
            j = side * hard * (1.9, 1.0, 0.5, 0.2, 0.05, 0.0)[choice]
            if choice == 5 and a == 0.0:
                break
            if choice == 5 and a * side < 0.0:
                break
            step = beat_now
            b, r1 = a + j * step, r + step * (a + 0.5 * j * step)
            if (goal - r1) * side <= 0.0 or abs(b) > _HARD:
                continue
            if not _proved(breaks, path, top, jerk, s, r, a, j, step, low, high):
                continue
            s1 = s + step * (r + step * (0.5 * a + step * j / 6.0))
            after = _eased(breaks, path, top, jerk, s1, r1, b, goal, hard, low, high)
            if after >= 0.0:
                found = True
                break
        if not found:
            if a != 0.0:
                if way_out < 0.0:
                    return -1
                step, j, after = way_out, -a / way_out, 0.0
            else:
                # Only the steady rate is proved here; try again a little later, ever less often.
                step, j, after = wait, 0.0, 0.0
                wait = min(2.0 * wait, max(beat, length / 64.0))
        if found:
            wait = beat
        if count > 0 and j == out[count - 1, 3]:
            out[count - 1, 0] += step
        else:
            out[count, 0], out[count, 1], out[count, 2], out[count, 3] = step, r, a, j
            count += 1
        s = s + step * (r + step * (0.5 * a + step * j / 6.0))
        let_go = not found and a != 0.0
        r = r + step * (a + 0.5 * j * step)
        a = 0.0 if let_go else a + j * step
        if let_go and abs(r - goal) <= 1e-12:
            r = goal
        way_out = after
    if a != 0.0 and s < length:
        out[count, 0], out[count, 1], out[count, 2], out[count, 3] = way_out, r, a, -a / way_out
        count += 1
    return count
