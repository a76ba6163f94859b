"""Compiled loops for moves of the joints: whether polynomials fit together, ramps, and times at a limit.

They use the same operations in the same order as NumPy, so that both give the same bits.
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.motion._kernels import extrema

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@compiled
def fits(breaks: Array, coefficients: Array, join: float) -> bool:
    """Whether breaks start at 0 and rise, all numbers are finite, and pieces meet; shapes are not checked."""
    pieces, terms, joints = coefficients.shape
    if breaks[0] != 0.0:
        return False
    for i in range(pieces):
        if not math.isfinite(breaks[i + 1]) or breaks[i + 1] < breaks[i]:
            return False
        if breaks[i + 1] == breaks[i] and pieces > 1:
            return False
    for i in range(pieces):
        for power in range(terms):
            for j in range(joints):
                if not math.isfinite(coefficients[i, power, j]):
                    return False
    for i in range(pieces - 1):
        step = breaks[i + 1] - breaks[i]
        for j in range(joints):
            end = 0.0
            for power in range(terms - 1, -1, -1):
                end = end * step + coefficients[i, power, j]
            if not abs(coefficients[i + 1, 0, j] - end) / (1.0 + abs(end)) <= join:
                return False
    return True


@compiled
def largest(breaks: Array, coefficients: Array, derivative: int) -> Array:
    """The greatest |derivative| of each joint over the whole motion (n,)."""
    joints = coefficients.shape[2]
    low, high, out = np.empty((1, joints)), np.empty((1, joints)), np.empty(joints)
    extrema(breaks, coefficients, np.zeros(1), breaks[-1:].copy(), derivative, low, high)
    for j in range(joints):
        out[j] = max(-low[0, j], high[0, j])
    return out


@compiled
def excess(breaks: Array, coefficients: Array, derivative: int, limits: Array) -> float:
    """The greatest |derivative| of any joint as a share of its limit."""
    found = largest(breaks, coefficients, derivative)
    most = found[0] / limits[0]
    for j in range(1, found.shape[0]):
        most = max(most, found[j] / limits[j])
    return float(most)


@compiled
def stretch(breaks: Array, coefficients: Array, limits: Array, count: int) -> float:
    """The factor that stretches a motion so that the tightest of its first ``count`` limits (n, ≥ count) is kept."""
    factor = 0.0
    for k in range(count):
        share = excess(breaks, coefficients, k + 1, limits[:, k])
        factor = max(factor, share ** (1.0 / (k + 1)))
    return factor


@compiled
def longer(breaks: Array, coefficients: Array, factor: float) -> tuple[Array, Array]:
    """The same motion taking ``factor`` times as long."""
    pieces, terms, joints = coefficients.shape
    later, out = np.empty(pieces + 1), np.empty((pieces, terms, joints))
    for i in range(pieces + 1):
        later[i] = breaks[i] * factor
    for power in range(terms):
        scale = factor ** (-float(power))
        for i in range(pieces):
            for j in range(joints):
                out[i, power, j] = coefficients[i, power, j] * scale
    return later, out


@compiled
def within(breaks: Array, coefficients: Array, limits: Array, count: int) -> tuple[bool, Array, Array]:
    """Whether a motion passes one of its ``count`` limits, and the motion stretched by as little as keeps them."""
    factor = stretch(breaks, coefficients, limits, count)
    # A factor just below 1 is ignored, one of exactly 1 is not: a quotient of 1 may hide the last bit.
    over = not factor < 1.0 - 1e-15
    later, out = longer(breaks, coefficients, max(factor, 1.0) * (1.0 + 1e-15))
    if over:
        for margin in (1e-14, 1e-13, 1e-12):
            factor = stretch(later, out, limits, count)
            if factor < 1.0 - 1e-15:
                break
            later, out = longer(later, out, max(factor, 1.0) * (1.0 + margin))
    return over, later, out


@compiled
def most_travel(breaks: Array, coefficients: Array) -> float:
    """A bound on the distance that the joint with the most travel goes, there and back."""
    pieces, terms, joints = coefficients.shape
    most = 0.0
    for j in range(joints):
        travel = 0.0
        for i in range(pieces):
            step = breaks[i + 1] - breaks[i]
            power = 1.0
            for k in range(1, terms):
                power *= step
                travel += abs(coefficients[i, k, j]) * power
        most = max(most, travel)
    return most


@compiled
def shared_ramps(travel: Array, speed: Array, acceleration: Array) -> tuple[float, Array]:
    """The duration of a trapezoid along the straight joint line, and the ramps of its joints (n,) [s]."""
    joints = travel.shape[0]
    v, a = np.inf, np.inf
    for j in range(joints):
        size = abs(travel[j])
        if size > 0.0:
            v = min(v, speed[j] / size)
            a = min(a, acceleration[j] / size)
    duration = 1.0 / v + v / a if a >= v * v else 2.0 * math.sqrt(1.0 / a)
    ramps = np.zeros(joints)
    for j in range(joints):
        if abs(travel[j]) > 0.0:
            ramps[j] = min(v / a, 0.5 * duration)
    return duration, ramps


@compiled
def ramped(first: Array, travel: Array, ramps: Array, duration: float) -> tuple[Array, Array]:
    """Breaks (k+1,) and coefficients (k, 3, n): every joint has equal ramps up and down and a steady speed between."""
    joints = first.shape[0]
    edges = np.empty(2 * joints + 2)
    edges[0], edges[1] = 0.0, duration
    for j in range(joints):
        edges[2 + j] = ramps[j]
        edges[2 + joints + j] = duration - ramps[j]
    edges.sort()
    # Of edges that rounding puts side by side, the last one stays.
    count = 0
    for i in range(edges.shape[0]):
        if i + 1 == edges.shape[0] or edges[i + 1] - edges[i] > 1e-14 * duration:
            edges[count] = edges[i]
            count += 1
    edges = edges[:count].copy()
    edges[0] = 0.0
    coefficients = np.zeros((count - 1, 3, joints))
    for j in range(joints):
        speed = travel[j] / (duration - ramps[j])
        slope = speed / ramps[j] if ramps[j] > 0.0 else 0.0
        q, v = first[j], 0.0
        for i in range(count - 1):
            middle, step = 0.5 * (edges[i] + edges[i + 1]), edges[i + 1] - edges[i]
            up = 1.0 if middle < ramps[j] else 0.0
            down = 1.0 if middle > duration - ramps[j] else 0.0
            acceleration = slope * (up - down)
            coefficients[i, 0, j], coefficients[i, 1, j], coefficients[i, 2, j] = q, v, 0.5 * acceleration
            q = q + step * (v + 0.5 * step * acceleration)
            v = v + step * acceleration
    return edges, coefficients


@compiled
def straight_trapezoid(first: Array, last: Array, limits: Array, count: int) -> tuple[bool, Array, Array]:
    """Whether anything moves, and breaks and coefficients of a trapezoid along the straight joint line."""
    travel = last - first
    moves = False
    for j in range(travel.shape[0]):
        moves |= travel[j] != 0.0
    if not moves:
        return False, np.zeros(2), np.zeros((1, 1, travel.shape[0]))
    duration, ramps = shared_ramps(travel, limits[:, 0], limits[:, 1])
    breaks, coefficients = ramped(first, travel, ramps, duration)
    over, later, out = within(breaks, coefficients, limits, count)
    if over:
        return True, later, out
    return True, breaks, coefficients


@compiled
def _near(
    breaks: Array, coefficients: Array, joint: int, derivative: int, begin: float, end: float, level: float
) -> bool:
    """Whether a joint stays at ±level or beyond between two instants."""
    if end - begin <= 1e-12:
        return True
    joints = coefficients.shape[2]
    low, high = np.empty((1, joints)), np.empty((1, joints))
    extrema(breaks, coefficients, np.array([begin]), np.array([end]), derivative, low, high)
    return bool(low[0, joint] >= level or high[0, joint] <= -level)


@compiled
def at_limit(
    breaks: Array, coefficients: Array, derivative: int, limits: Array, share: float, near: float
) -> tuple[int, Indices, Array, Array]:
    """Intervals in which joints are at ``share`` of their limits or more: their number, joints, begins and ends (N,).

    Two intervals of a joint are one if it stays above the share ``near`` of its limit between them. The count is -1 if
    a derivative of degree 2 or more passes a limit inside a piece: the caller then needs roots of any degree.
    """
    pieces, terms, joints = coefficients.shape
    low, high = np.empty((pieces, joints)), np.empty((pieces, joints))
    extrema(breaks, coefficients, breaks[:-1].copy(), breaks[1:].copy(), derivative, low, high)
    room = 3 * pieces * joints
    which, begins, ends = np.empty(room, dtype=np.int64), np.empty(room), np.empty(room)
    count = 0
    edges = np.empty(4)
    c = np.zeros(max(terms, 2))
    for joint in range(joints):
        bound, first = share * limits[joint], count
        for piece in range(pieces):
            least, most = low[piece, joint], high[piece, joint]
            if max(-least, most) < bound:
                continue
            start, width = breaks[piece], breaks[piece + 1] - breaks[piece]
            edges[0], edges[1], inside = 0.0, width, 2
            whole = (least > 0.0 or most < 0.0) and min(abs(least), abs(most)) >= bound
            if not whole:
                c[:] = 0.0
                for power in range(derivative, terms):
                    value = coefficients[piece, power, joint]
                    for order in range(derivative):
                        value = (power - order) * value
                    c[power - derivative] = value
                for power in range(2, max(terms - derivative, 0)):
                    if c[power] != 0.0:
                        return -1, which, begins, ends
                if c[1] != 0.0:
                    for level in (bound, -bound):
                        root = -(c[0] - level) / c[1]
                        if 0.0 < root < width:
                            edges[inside] = root
                            inside += 1
                edges[:inside].sort()
            for i in range(inside - 1):
                a, b = edges[i], edges[i + 1]
                begin, end = start + a, start + b
                if whole:
                    end = breaks[piece + 1]
                elif not abs(c[0] + c[1] * (0.5 * (a + b))) >= bound:
                    continue
                if count > first and _near(
                    breaks, coefficients, joint, derivative, ends[count - 1], begin, near * limits[joint]
                ):
                    ends[count - 1] = end
                else:
                    which[count], begins[count], ends[count] = joint, begin, end
                    count += 1
    return count, which, begins, ends


@compiled
def at_limits(
    breaks: Array, coefficients: Array, limits: Array, orders: int, share: float, near: float
) -> tuple[bool, Array]:
    """The intervals of ``at_limit`` for the first limits (n, ≥ orders): order, joint, begin and end (N, 4).

    The first result is false if one of them needs roots of any degree.
    """
    pieces, _, joints = coefficients.shape
    out = np.empty((3 * orders * pieces * joints, 4))
    total = 0
    for k in range(orders):
        count, which, begins, ends = at_limit(breaks, coefficients, k + 1, limits[:, k].copy(), share, near)
        if count < 0:
            return False, out[:0]
        for i in range(count):
            out[total, 0], out[total, 1], out[total, 2], out[total, 3] = k, which[i], begins[i], ends[i]
            total += 1
    return True, out[:total]
