"""Compiled loops over piecewise polynomials: values at many times, exact extrema over many intervals.

Coefficients are ``(pieces, degree + 1, joints)``, lowest power first, in the local time of each piece.
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled_with

Array = NDArray[np.float64]


@compiled_with()
def _piece_of(breaks: Array, t: float, guess: int) -> int:
    """The piece that contains ``t``: the later one at a break, the last one at the end."""
    last = breaks.shape[0] - 2
    if breaks[guess] <= t and (t < breaks[guess + 1] or guess == last):
        return guess
    low, high = 0, last
    while low < high:
        middle = (low + high + 1) // 2
        if breaks[middle] <= t:
            low = middle
        else:
            high = middle - 1
    return low


@compiled_with()
def evaluate(breaks: Array, coefficients: Array, times: Array, derivative: int, out: Array) -> None:
    """Fill ``out (N, n)`` with a derivative at every time; outside the span, the values of the ends apply."""
    pieces, terms, joints = coefficients.shape
    end = breaks[pieces]
    piece = 0
    for row in range(times.shape[0]):
        t = times[row]
        if derivative > 0 and (t < 0.0 or t > end):
            for j in range(joints):
                out[row, j] = 0.0
            continue
        t = min(max(t, 0.0), end)
        piece = _piece_of(breaks, t, piece)
        u = t - breaks[piece]
        for j in range(joints):
            value = 0.0
            for power in range(terms - 1, derivative - 1, -1):
                factor = 1.0
                for d in range(derivative):
                    factor *= power - d
                value = value * u + factor * coefficients[piece, power, j]
            out[row, j] = value


@compiled_with()
def present(breaks: Array, coefficients: Array, t: float, out: Array) -> None:
    """Fill ``out (3, n)`` with position, velocity and acceleration at one time, as ``evaluate`` computes them."""
    pieces, terms, joints = coefficients.shape
    end = breaks[pieces]
    outside = t < 0.0 or t > end
    t = min(max(t, 0.0), float(end))
    piece = _piece_of(breaks, t, 0)
    u = t - breaks[piece]
    for j in range(joints):
        for derivative in range(3):
            value = 0.0
            if derivative == 0 or not outside:
                for power in range(terms - 1, derivative - 1, -1):
                    factor = 1.0
                    for d in range(derivative):
                        factor *= power - d
                    value = value * u + factor * coefficients[piece, power, j]
            out[derivative, j] = value


@compiled_with()
def _value(c: Array, degree: int, u: float) -> float:
    value = float(c[degree])
    for power in range(degree - 1, -1, -1):
        value = value * u + c[power]
    return value


@compiled_with()
def _root_between(c: Array, degree: int, a: float, b: float, fa: float, fb: float) -> float:
    """The only root of a monotone stretch with a change of sign: secant steps kept inside by bisection."""
    for _ in range(200):
        middle = 0.5 * (a + b)
        if not (a < middle < b):
            break
        # One false-position point and one bisection per round: fast near a simple root, never stuck.
        x = a - fa * (b - a) / (fb - fa)
        if not (a < x < b):
            x = middle
        for guess in (x, middle):
            if not (a < guess < b):
                continue
            f = _value(c, degree, guess)
            if f == 0.0:
                return guess
            if (f < 0.0) == (fa < 0.0):
                a, fa = guess, f
            else:
                b, fb = guess, f
        if b - a <= 4e-16 * max(abs(a), abs(b)):
            break
    return a if abs(fa) < abs(fb) else b


@compiled_with()
def _range_of(
    c: Array, degree: int, a: float, b: float, ladder: Array, roots: Array, fresh: Array
) -> tuple[float, float]:
    """The least and greatest value of one polynomial on [a, b].

    Roots of the derivatives are found from the highest down: between two neighbouring roots of the next
    derivative a polynomial is monotone, so a change of sign means exactly one root and none is missed. At a root
    that rounding hides, the value does not change by more than rounding.
    """
    while degree > 0 and c[degree] == 0.0:
        degree -= 1
    low = _value(c, degree, a)
    high = _value(c, degree, b)
    if low > high:
        low, high = high, low
    if degree < 2 or not a < b:
        return low, high
    if degree == 2:
        u = -0.5 * c[1] / c[2]
        if a < u < b:
            value = _value(c, 2, u)
            low = min(low, value)
            high = max(high, value)
        return low, high
    # ladder[d] holds the (degree − d)-th derivative, a polynomial of degree d.
    for power in range(degree + 1):
        ladder[degree, power] = c[power]
    for d in range(degree - 1, 0, -1):
        for power in range(d + 1):
            ladder[d, power] = (power + 1) * ladder[d + 1, power + 1]
    count = 0
    u = -ladder[1, 0] / ladder[1, 1]
    if a < u < b:
        roots[0] = u
        count = 1
    for d in range(2, degree):
        found = 0
        left = a
        f_left = _value(ladder[d], d, left)
        for i in range(count + 1):
            right = roots[i] if i < count else b
            f_right = _value(ladder[d], d, right)
            if f_right == 0.0:
                if right < b:
                    fresh[found] = right
                    found += 1
            elif f_left != 0.0 and (f_left < 0.0) != (f_right < 0.0):
                fresh[found] = _root_between(ladder[d], d, left, right, f_left, f_right)
                found += 1
            left, f_left = right, f_right
        count = found
        for i in range(count):
            roots[i] = fresh[i]
    for i in range(count):
        value = _value(c, degree, roots[i])
        low = min(low, value)
        high = max(high, value)
    return low, high


@compiled_with()
def extrema(
    breaks: Array, coefficients: Array, starts: Array, ends: Array, derivative: int, low: Array, high: Array
) -> None:
    """Fill ``low, high (N, n)`` with the range of a derivative over each interval [starts, ends]."""
    pieces, terms, joints = coefficients.shape
    end = breaks[pieces]
    degree = terms - 1 - derivative
    c = np.zeros(max(degree, 0) + 1)
    ladder = np.zeros((max(degree, 0) + 1, max(degree, 0) + 1))
    roots = np.zeros(max(degree, 0) + 2)
    fresh = np.zeros(max(degree, 0) + 2)
    first = 0
    for row in range(starts.shape[0]):
        t0 = min(max(starts[row], 0.0), end)
        t1 = min(max(ends[row], 0.0), end)
        outside = derivative > 0 and (starts[row] < 0.0 or ends[row] > end)
        for j in range(joints):
            low[row, j] = 0.0 if outside else np.inf
            high[row, j] = 0.0 if outside else -np.inf
        first = _piece_of(breaks, t0, first)
        piece = first
        while True:
            a = max(t0 - breaks[piece], 0.0)
            b = min(t1, breaks[piece + 1]) - breaks[piece]
            for j in range(joints):
                least, most = 0.0, 0.0
                if degree >= 0:
                    for power in range(degree + 1):
                        factor = 1.0
                        for d in range(derivative):
                            factor *= power + derivative - d
                        c[power] = factor * coefficients[piece, power + derivative, j]
                    least, most = _range_of(c, degree, a, b, ladder, roots, fresh)
                low[row, j] = min(low[row, j], least)
                high[row, j] = max(high[row, j], most)
            piece += 1
            if piece >= pieces or breaks[piece] >= t1:
                break


@compiled_with()
def stays(breaks: Array, coefficients: Array, t0: float, t1: float, least: Array, most: Array) -> bool:
    """Whether every joint stays between two values (n,) from ``t0`` to ``t1``, with a margin for rounding."""
    joints = coefficients.shape[2]
    low, high = np.empty((1, joints)), np.empty((1, joints))
    extrema(breaks, coefficients, np.array([t0]), np.array([t1]), 0, low, high)
    found = True
    for j in range(joints):
        room = 0.5 * (high[0, j] - low[0, j]) * (1.0 + 1e-9) + 1e-12
        middle = 0.5 * (low[0, j] + high[0, j])
        found &= least[j] <= middle - room and middle + room <= most[j]
    return found


@compiled_with()
def covered(breaks: Array, coefficients: Array, t0: float, t1: float, low: Array, high: Array) -> None:
    """Fill ``low, high (N, n)`` with the range of the joints over each of N equal stretches from ``t0`` to ``t1``."""
    count = low.shape[0]
    edges = np.empty(count + 1)
    for i in range(count + 1):
        edges[i] = t0 + (t1 - t0) * (i / count)
    extrema(breaks, coefficients, edges[:-1], edges[1:], 0, low, high)
