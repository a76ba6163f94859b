"""Compiled numeric inverse kinematics of any serial chain.

``solve`` is a damped least squares with joint limits as an active set and seeded restarts; ``refine`` iterates an
approximate solution to rounding; ``newton_gauss`` is the seven-equation method of the McGill thesis
(section 4.3.2); ``jacobians`` fills batches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
A = NDArray[np.float64]
B = NDArray[np.bool_]

PI = math.pi


def compiled(function: F) -> F:
    """Compile on the first call, keep the machine code on disk, and release the lock for other threads."""
    return cast(F, njit(cache=True, nogil=True, error_model="numpy")(function))


@compiled
def put(source: A, target: A) -> None:
    """Copy a vector in a loop, because a slice assignment compiles to ten times as much code."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@compiled
def place(arm: A, prismatic: B, base: A, tool: A, q: A, pose: A, jac: A) -> None:
    """The tool pose (3, 4) and its geometric Jacobian (6, n) in base axes, linear rows first.

    ``arm`` is (n, 5): theta, d, a, cos alpha, sin alpha.
    """
    n = arm.shape[0]
    x0, x1, x2 = base[0, 0], base[1, 0], base[2, 0]
    y0, y1, y2 = base[0, 1], base[1, 1], base[2, 1]
    z0, z1, z2 = base[0, 2], base[1, 2], base[2, 2]
    p0, p1, p2 = base[0, 3], base[1, 3], base[2, 3]
    for j in range(n):
        jac[3, j], jac[4, j], jac[5, j] = z0, z1, z2
        jac[0, j], jac[1, j], jac[2, j] = p0, p1, p2
        theta, d = arm[j, 0], arm[j, 1]
        if prismatic[j]:
            d += q[j]
        else:
            theta += q[j]
        a, ca, sa = arm[j, 2], arm[j, 3], arm[j, 4]
        c, s = math.cos(theta), math.sin(theta)
        t0, t1, t2 = c * x0 + s * y0, c * x1 + s * y1, c * x2 + s * y2
        u0, u1, u2 = c * y0 - s * x0, c * y1 - s * x1, c * y2 - s * x2
        p0 += d * z0 + a * t0
        p1 += d * z1 + a * t1
        p2 += d * z2 + a * t2
        x0, x1, x2 = t0, t1, t2
        y0, y1, y2 = ca * u0 + sa * z0, ca * u1 + sa * z1, ca * u2 + sa * z2
        z0, z1, z2 = ca * z0 - sa * u0, ca * z1 - sa * u1, ca * z2 - sa * u2
    t = tool
    pose[0, 3] = p0 + t[0, 3] * x0 + t[1, 3] * y0 + t[2, 3] * z0
    pose[1, 3] = p1 + t[0, 3] * x1 + t[1, 3] * y1 + t[2, 3] * z1
    pose[2, 3] = p2 + t[0, 3] * x2 + t[1, 3] * y2 + t[2, 3] * z2
    for k in range(3):
        pose[0, k] = t[0, k] * x0 + t[1, k] * y0 + t[2, k] * z0
        pose[1, k] = t[0, k] * x1 + t[1, k] * y1 + t[2, k] * z1
        pose[2, k] = t[0, k] * x2 + t[1, k] * y2 + t[2, k] * z2
    for j in range(n):
        w0, w1, w2 = jac[3, j], jac[4, j], jac[5, j]
        if prismatic[j]:
            jac[0, j], jac[1, j], jac[2, j] = w0, w1, w2
            jac[3, j] = jac[4, j] = jac[5, j] = 0.0
        else:
            r0, r1, r2 = pose[0, 3] - jac[0, j], pose[1, 3] - jac[1, j], pose[2, 3] - jac[2, j]
            jac[0, j] = w1 * r2 - w2 * r1
            jac[1, j] = w2 * r0 - w0 * r2
            jac[2, j] = w0 * r1 - w1 * r0


@compiled
def jacobians(arm: A, prismatic: B, base: A, tool: A, Q: A, out: A) -> None:
    """The geometric Jacobians (N, 6, n) of many joint vectors."""
    pose = np.empty((3, 4))
    for k in range(Q.shape[0]):
        place(arm, prismatic, base, tool, Q[k], pose, out[k])


@compiled
def difference(pose: A, target: A, unit: float, e: A) -> float:
    """The difference from pose to target: shift/unit, then the rotation vector in base axes; return its square.

    ``unit`` is the length [m] that counts as one radian.
    """
    for i in range(3):
        e[i] = (target[i, 3] - pose[i, 3]) / unit
    # R = target · poseᵀ
    s0 = s1 = s2 = trace = 0.0
    d00 = d11 = d22 = o01 = o02 = o12 = 0.0
    for k in range(3):
        a0, a1, a2 = target[0, k], target[1, k], target[2, k]
        b0, b1, b2 = pose[0, k], pose[1, k], pose[2, k]
        s0 += a2 * b1 - a1 * b2
        s1 += a0 * b2 - a2 * b0
        s2 += a1 * b0 - a0 * b1
        d00 += a0 * b0
        d11 += a1 * b1
        d22 += a2 * b2
        o01 += a0 * b1 + a1 * b0
        o02 += a0 * b2 + a2 * b0
        o12 += a1 * b2 + a2 * b1
    trace = d00 + d11 + d22
    sine = 0.5 * math.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
    cosine = 0.5 * (trace - 1.0)
    if sine > 1e-4 or cosine > 0.0:
        angle = math.atan2(sine, cosine)
        factor = 0.5 * (angle / sine if sine > 1e-7 else 1.0)
        e[3], e[4], e[5] = factor * s0, factor * s1, factor * s2
    else:  # near a half turn: the axis from the symmetric part
        x, y, z = math.sqrt(max(0.0, 0.5 * (d00 + 1.0))), math.sqrt(max(0.0, 0.5 * (d11 + 1.0))), 0.0
        z = math.sqrt(max(0.0, 0.5 * (d22 + 1.0)))
        if x >= y and x >= z:
            y, z = math.copysign(y, o01), math.copysign(z, o02)
        elif y >= z:
            x, z = math.copysign(x, o01), math.copysign(z, o12)
        else:
            x, y = math.copysign(x, o02), math.copysign(y, o12)
        angle = math.atan2(sine, cosine)
        sign = -1.0 if x * s0 + y * s1 + z * s2 < 0.0 else 1.0
        size = math.sqrt(x * x + y * y + z * z)
        factor = sign * angle / size
        e[3], e[4], e[5] = factor * x, factor * y, factor * z
    total = 0.0
    for i in range(6):
        total += e[i] * e[i]
    return total


@compiled
def cholesky_solve(m: A, b: A, free: B, n: int, x: A) -> bool:
    """Solve m·x = b over the free indices (others 0); m is overwritten."""
    for i in range(n):
        x[i] = 0.0
        if not free[i]:
            continue
        for j in range(i + 1):
            if not free[j]:
                continue
            total = m[i, j]
            for k in range(j):
                if free[k]:
                    total -= m[i, k] * m[j, k]
            if i == j:
                if total <= 0.0:
                    return False
                m[i, i] = math.sqrt(total)
            else:
                m[i, j] = total / m[j, j]
    for i in range(n):
        if free[i]:
            total = b[i]
            for k in range(i):
                if free[k]:
                    total -= m[i, k] * x[k]
            x[i] = total / m[i, i]
    for i in range(n - 1, -1, -1):
        if free[i]:
            total = x[i]
            for k in range(i + 1, n):
                if free[k]:
                    total -= m[k, i] * x[k]
            x[i] = total / m[i, i]
    return True


@compiled
def descend(
    arm: A, prismatic: B, base: A, tool: A, target: A, low: A, high: A, unit: float, goal: float, most: int, q: A, w: A
) -> tuple[float, int]:
    """Damped least squares from q within the limits; return the square of the remaining error and the steps.

    It stops when the square is below ``goal`` or there is no progress. ``w`` is work space (6n + n² + 4n + 24).
    """
    n = arm.shape[0]
    jac = w[: 6 * n].reshape(6, n)
    m = w[6 * n : 6 * n + n * n].reshape(n, n)
    o = 6 * n + n * n
    g, dq, trial = w[o : o + n], w[o + n : o + 2 * n], w[o + 2 * n : o + 3 * n]
    pose = w[o + 3 * n : o + 3 * n + 12].reshape(3, 4)
    e = w[o + 3 * n + 12 : o + 3 * n + 18]
    free = np.ones(n, dtype=np.bool_)
    place(arm, prismatic, base, tool, q, pose, jac)
    left = difference(pose, target, unit, e)
    damp = 0.02
    poor = 0
    for step in range(most):
        if left < goal:
            return left, step
        inverse = 1.0 / unit
        for j in range(n):
            total = 0.0
            for i in range(3):
                jac[i, j] *= inverse
            for i in range(6):
                total += jac[i, j] * e[i]
            g[j] = total
            free[j] = not ((q[j] <= low[j] and total < 0.0) or (q[j] >= high[j] and total > 0.0))
        grow = damp * min(left, 1.0) + 1e-13
        for j in range(n):
            for k in range(j + 1):
                total = 0.0
                for i in range(6):
                    total += jac[i, j] * jac[i, k]
                m[j, k] = total
            m[j, j] += grow
        if not cholesky_solve(m, g, free, n, dq):
            return left, step
        largest = 0.0
        for j in range(n):
            if not prismatic[j]:
                largest = max(largest, abs(dq[j]))
        scale = 1.0 if largest < 1.2 else 1.2 / largest
        moved = 0.0
        for j in range(n):
            trial[j] = min(high[j], max(low[j], q[j] + scale * dq[j]))
            moved = max(moved, abs(trial[j] - q[j]))
        place(arm, prismatic, base, tool, trial, pose, jac)
        now = difference(pose, target, unit, e)
        if now < left:
            poor = poor + 1 if now > 0.9 * left else 0
            left = now
            put(trial, q)
            damp = max(damp * 0.3, 1e-6)
        else:
            poor += 1
            if left < 1e-20:
                return left, step
            damp = min(damp * 8.0, 1e6)
            place(arm, prismatic, base, tool, q, pose, jac)
            left = difference(pose, target, unit, e)
        if poor >= 8 or moved < 1e-15:
            return left, step
    return left, most


@compiled
def uniform(state: NDArray[np.uint64]) -> float:
    """A number in [0, 1) from a small generator (splitmix64) that belongs to the caller."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def start(
    arm: A, prismatic: B, base: A, tool: A, target: A, first: A, last: A, unit: float, tries: int,
    state: NDArray[np.uint64], q: A, w: A
) -> None:  # fmt: skip
    """Write the best of some random joint vectors between first and last into q."""
    n = arm.shape[0]
    jac = w[: 6 * n].reshape(6, n)
    o = 6 * n + n * n
    trial = w[o + 2 * n : o + 3 * n]
    pose = w[o + 3 * n : o + 3 * n + 12].reshape(3, 4)
    e = w[o + 3 * n + 12 : o + 3 * n + 18]
    best = np.inf
    for _ in range(tries):
        for j in range(n):
            trial[j] = first[j] + (last[j] - first[j]) * uniform(state)
        place(arm, prismatic, base, tool, trial, pose, jac)
        left = difference(pose, target, unit, e)
        if left < best:
            best = left
            put(trial, q)


@compiled
def into_limits(prismatic: B, lower: A, upper: A, q: A) -> bool:
    """Turn free joints by whole turns into their limits; return whether all joints are within (to 1e-9)."""
    fine = True
    for j in range(q.shape[0]):
        if not prismatic[j]:
            middle = 0.5 * (lower[j] + upper[j])
            if not abs(middle) < 1e9:
                middle = 0.0
            if q[j] < lower[j] or q[j] > upper[j]:
                q[j] = middle + (q[j] - middle) - 2.0 * PI * np.rint((q[j] - middle) / (2.0 * PI))
        if q[j] < lower[j] - 1e-9 or q[j] > upper[j] + 1e-9:
            fine = False
    return fine


@compiled
def solve(
    arm: A, prismatic: B, base: A, tool: A, target: A, lower: A, upper: A, low: A, high: A, first: A, last: A,
    unit: float, guess: A, use_guess: bool, seed: int, restarts: int, goal: float, q: A
) -> tuple[float, int, int]:  # fmt: skip
    """Find a joint vector within the limits that reaches the target; return (square left, restarts, steps).

    ``lower``/``upper`` are the limits; ``low``/``high`` the same but infinite for joints with a whole turn or
    more; ``first``/``last`` bound the random starts.
    """
    n = arm.shape[0]
    w = np.empty(6 * n + n * n + 4 * n + 24)
    state = np.empty(1, dtype=np.uint64)
    state[0] = np.uint64(seed)
    best = np.inf
    here = np.empty(n)
    steps = 0
    for attempt in range(restarts):
        if attempt == 0 and use_guess:
            put(guess, here)
        else:
            start(arm, prismatic, base, tool, target, first, last, unit, 6, state, here, w)
        left, taken = descend(arm, prismatic, base, tool, target, low, high, unit, goal, 60, here, w)
        steps += taken
        within = into_limits(prismatic, lower, upper, here)
        if within and left < best:
            best = left
            put(here, q)
        if best < goal:
            return best, attempt + 1, steps
    return best, restarts, steps


@compiled
def refine(arm: A, prismatic: B, base: A, tool: A, target: A, unit: float, most: int, q: A) -> float:
    """Iterate a nearby joint vector to the target, ignoring limits; return the square of the remaining error."""
    n = arm.shape[0]
    w = np.empty(6 * n + n * n + 4 * n + 24)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    left, _ = descend(arm, prismatic, base, tool, target, low, high, unit, 1e-30, most, q, w)
    return left


@compiled
def newton_gauss(arm: A, prismatic: B, base: A, tool: A, target: A, unit: float, most: int, q: A) -> tuple[float, int]:
    """The thesis' seven equations, vect(Q), tr(Q) and r, by Newton–Gauss; (|f|, steps).

    The first block of the Jacobian is ½(tr(Q)·1 − Q)·A. With vect(Q) = sin(angle)·axis, as equation 4.13d needs,
    the factor ½ that 4.16a omits is necessary.
    """
    n = arm.shape[0]
    jac = np.empty((6, n))
    pose = np.empty((3, 4))
    f = np.empty(7)
    big = np.empty((7, n))
    m = np.empty((n, n))
    g = np.empty(n)
    dq = np.empty(n)
    free = np.ones(n, dtype=np.bool_)
    size = np.inf
    for step in range(most + 1):
        place(arm, prismatic, base, tool, q, pose, jac)
        vx = 0.5 * (pose[2, 1] - pose[1, 2])
        vy = 0.5 * (pose[0, 2] - pose[2, 0])
        vz = 0.5 * (pose[1, 0] - pose[0, 1])
        trace = pose[0, 0] + pose[1, 1] + pose[2, 2]
        f[0] = vx - 0.5 * (target[2, 1] - target[1, 2])
        f[1] = vy - 0.5 * (target[0, 2] - target[2, 0])
        f[2] = vz - 0.5 * (target[1, 0] - target[0, 1])
        f[3] = trace - (target[0, 0] + target[1, 1] + target[2, 2])
        size = f[0] ** 2 + f[1] ** 2 + f[2] ** 2 + f[3] ** 2
        for i in range(3):
            f[4 + i] = (pose[i, 3] - target[i, 3]) / unit
            size += f[4 + i] ** 2
        size = math.sqrt(size)
        if size < 1e-14 or step == most:
            return size, step
        for j in range(n):
            for i in range(3):
                total = trace * jac[3 + i, j]
                for k in range(3):
                    total -= pose[i, k] * jac[3 + k, j]
                big[i, j] = 0.5 * total
                big[4 + i, j] = jac[i, j] / unit
            big[3, j] = -2.0 * (vx * jac[3, j] + vy * jac[4, j] + vz * jac[5, j])
        for j in range(n):
            g[j] = 0.0
            for i in range(7):
                g[j] -= big[i, j] * f[i]
            for k in range(j + 1):
                m[j, k] = 0.0
                for i in range(7):
                    m[j, k] += big[i, j] * big[i, k]
            m[j, j] += 1e-15
        if not cholesky_solve(m, g, free, n, dq):
            return size, step
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(dq[j]))
        if not largest <= 10.0:
            return size, step
        for j in range(n):
            q[j] += dq[j]
        if largest < 1e-16:
            return size, step
    return size, most


@compiled
def polish_all(arm: A, prismatic: B, base: A, tool: A, target: A, unit: float, guesses: A, found: A) -> int:
    """Refine each guess; keep those that reach the target, each once, sorted by joint values."""
    n = arm.shape[0]
    count = 0
    q = np.empty(n)
    for number in range(guesses.shape[0]):
        put(guesses[number], q)
        if not refine(arm, prismatic, base, tool, target, unit, 40, q) < 1e-22 or count >= found.shape[0]:
            continue
        count = keep(prismatic, q, found, count)
    return count


@compiled
def keep(prismatic: B, q: A, found: A, count: int) -> int:
    """Insert a solution into the sorted list unless it is there already; return the new length."""
    n = q.shape[0]
    for j in range(n):
        if not prismatic[j]:
            q[j] = q[j] - 2.0 * PI * np.rint(q[j] / (2.0 * PI))
            if q[j] < 1e-12 - PI:
                q[j] += 2.0 * PI
    for k in range(count):
        same = True
        for j in range(n):
            gap = abs(found[k, j] - q[j])
            if not prismatic[j]:
                gap = min(gap, abs(gap - 2.0 * PI))
            if gap > 1e-6:
                same = False
                break
        if same:
            return count
    place_at = count
    while place_at > 0:
        less = False
        for j in range(n):
            if abs(q[j] - found[place_at - 1, j]) > 1e-6:
                less = q[j] < found[place_at - 1, j]
                break
        if not less:
            break
        put(found[place_at - 1], found[place_at])
        place_at -= 1
    put(q, found[place_at])
    return count + 1


@compiled
def collect(
    arm: A, prismatic: B, base: A, tool: A, target: A, lower: A, upper: A, low: A, high: A, first: A, last: A,
    unit: float, seed: int, starts: int, goal: float, found: A
) -> int:  # fmt: skip
    """Write distinct solutions within the limits from many starts; return their number."""
    n = arm.shape[0]
    w = np.empty(6 * n + n * n + 4 * n + 24)
    state = np.empty(1, dtype=np.uint64)
    state[0] = np.uint64(seed)
    q = np.empty(n)
    count = 0
    for _ in range(starts):
        start(arm, prismatic, base, tool, target, first, last, unit, 1, state, q, w)
        left, _steps = descend(arm, prismatic, base, tool, target, low, high, unit, goal, 60, q, w)
        if left < 1e-20 and into_limits(prismatic, lower, upper, q) and count < found.shape[0]:
            count = keep(prismatic, q, found, count)
    return count


@compiled
def settle(arm: A, prismatic: B, base: A, tool: A, poses: A, unit: float, Q: A, flags: NDArray[np.uint8]) -> None:
    """Iterate solutions (N, B, n) that are almost right to their poses (N, 4, 4); drop those that fail."""
    n = arm.shape[0]
    pose = np.empty((3, 4))
    jac = np.empty((6, n))
    e = np.empty(6)
    q = np.empty(n)
    for k in range(Q.shape[0]):
        for slot in range(Q.shape[1]):
            if not flags[k, slot]:
                continue
            put(Q[k, slot], q)
            place(arm, prismatic, base, tool, q, pose, jac)
            left = difference(pose, poses[k], unit, e)
            if left > 1e-24:
                left = refine(arm, prismatic, base, tool, poses[k], unit, 20, q)
                put(q, Q[k, slot])
            if not left < 1e-20:
                flags[k, slot] = 0
                for j in range(n):
                    Q[k, slot, j] = np.nan
