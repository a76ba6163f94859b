"""Compiled closed form of a spherical wrist after any three axes, including sliding ones.

The first three joints bring the wrist centre to its place. Joint 1 leaves two quantities of the centre
unchanged. Written in joint 3, after joint 2 is eliminated, they give one equation of at most degree four (Pieper).
Its roots are found together, so that close ones are not lost, and each is refined on the position itself.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
A = NDArray[np.float64]
C = NDArray[np.complex128]
Flags = NDArray[np.uint8]

PI = math.pi
SINGULAR, LOST, SAME = 1e-9, 1e-11, 3e-7
VALID, SHOULDER, ELBOW, WRIST, UNNAMED, DOUBT = 1, 2, 4, 8, 16, 32
"""DOUBT marks joint values near two singularities at once, where rounding may hide a solution: starts of iteration."""
TABLE, SLIDES, CENTRE, BASE, RIGHT, REACH, SIZE = 0, 24, 30, 33, 45, 54, 55
NEAR = 32
"""A mark of the first three joints: so near singular that rounding of the pose turns frame 3."""
SURE, OUT, FAR = 1e-11, 1e-10, 1e-5
"""How far an oblique wrist may be beyond its range: if right, by rounding, and where rounding turns frame 3."""


def compiled(function: F) -> F:
    """Compile on the first call, keep the machine code on disk, and release the lock for other threads."""
    return cast(F, njit(cache=True, nogil=True, error_model="numpy")(function))


@compiled
def wrapped(angle: float) -> float:
    """The angle in (−π, π]."""
    turned = angle - 2.0 * PI * np.rint(angle * (0.5 / PI))
    return float(turned + 2.0 * PI if turned < 1e-12 - PI else turned)


@compiled
def roots(c: C, degree: int, z: C) -> None:
    """All roots of c[0] + c[1]·z + … (degree ≤ 4) at once, by Weierstrass' iteration."""
    for i in range(degree):
        z[i] = (0.4 + 0.9j) ** i * (1.0 + 0.1 * i)
    lead = c[degree]
    for _ in range(100):
        change = 0.0
        for i in range(degree):
            value = c[degree]
            for j in range(degree - 1, -1, -1):
                value = value * z[i] + c[j]
            below = lead
            for j in range(degree):
                if j != i:
                    below *= z[i] - z[j]
            if below == 0.0:
                below = 1e-300 + 0.0j
            step = value / below
            z[i] -= step
            change = max(change, abs(step) / (1.0 + abs(z[i])))
        if change < 1e-15:
            return


@compiled
def inner(p: A, x: float, f: A) -> None:
    """The wrist centre after joint 3 and the fixed part of row 2: f' of the derivation, for joint value x."""
    sliding = p[SLIDES + 2] > 0.5
    theta = p[8] if sliding else x
    d = x if sliding else p[9]
    a3, al3, d4 = p[10], p[11], p[13]
    c, s = math.cos(theta), math.sin(theta)
    ca, sa = math.cos(al3), math.sin(al3)
    fx = a3 * c + d4 * sa * s
    fy = a3 * s - d4 * sa * c
    fz = d + d4 * ca
    ca, sa = math.cos(p[7]), math.sin(p[7])
    f[0] = fx + p[6]
    f[1] = ca * fy - sa * fz
    f[2] = sa * fy + ca * fz + (0.0 if p[SLIDES + 1] > 0.5 else p[5])


@compiled
def mode_of(p: A) -> int:
    """The way to eliminate joint 2 that fits the first two rows."""
    tiny = 1e-9
    a1, s1, c1 = abs(p[2]) / p[REACH], abs(math.sin(p[3])), abs(math.cos(p[3]))
    first, second = p[SLIDES] > 0.5, p[SLIDES + 1] > 0.5
    if not first and not second:
        return 0 if a1 < tiny else (1 if s1 < tiny else 2)
    if not first:
        return 3 if c1 > tiny else 4
    if not second:
        return 5 if c1 > tiny else 6
    return 7


@compiled
def equation(p: A, mode: int, w: A, x: float, f: A) -> float:
    """The function that vanishes at the value x of joint 3; f' is left in ``f``."""
    inner(p, x, f)
    a1, s1, c1, d1 = p[2], math.sin(p[3]), math.cos(p[3]), p[1]
    rise = w[2] - d1
    total = w[0] * w[0] + w[1] * w[1] + rise * rise
    around = f[0] * f[0] + f[1] * f[1]
    if mode <= 2:
        zeta = rise - c1 * f[2]
        eta = total - a1 * a1 - around - f[2] * f[2]
        if mode == 0:
            return float(eta)
        if mode == 1:
            return float(zeta)
        return float((zeta / s1) ** 2 + (eta / (2.0 * a1)) ** 2 - around)
    if mode in (3, 4, 7):
        c, s = math.cos(p[4]), math.sin(p[4])
        gx, gy = c * f[0] - s * f[1], s * f[0] + c * f[1]
        if mode == 3:
            gz = (rise - s1 * gy) / c1
            return float(around + gz * gz + a1 * a1 + 2.0 * a1 * gx - total)
        if mode == 4:
            return float(s1 * gy - rise)
    c, s = math.cos(p[0]), math.sin(p[0])
    wx, wy = c * w[0] + s * w[1], c * w[1] - s * w[0]
    if mode == 7:
        return float(gx + a1 - wx)
    if mode == 5:
        gy = (wy + s1 * f[2]) / c1
        return float((wx - a1) ** 2 + gy * gy - around)
    return float(-s1 * f[2] - wy)


@compiled
def values_of_three(p: A, mode: int, w: A, out: A) -> int:
    """The candidates for joint 3: roots of the equation, including nearly double ones."""
    f = np.empty(3)
    z = np.empty(4, dtype=np.complex128)
    c = np.empty(5, dtype=np.complex128)
    e = np.empty(5)
    count = 0
    if p[SLIDES + 2] > 0.5:
        scale = p[REACH]
        for i in range(5):
            e[i] = equation(p, mode, w, (i - 2.0) * scale, f)
        # The polynomial through five equidistant points, in x/scale.
        c[0] = e[2]
        c[1] = (e[0] - 8.0 * e[1] + 8.0 * e[3] - e[4]) / 12.0
        c[2] = (-e[0] + 16.0 * e[1] - 30.0 * e[2] + 16.0 * e[3] - e[4]) / 24.0
        c[3] = (-e[0] + 2.0 * e[1] - 2.0 * e[3] + e[4]) / 12.0
        c[4] = (e[0] - 4.0 * e[1] + 6.0 * e[2] - 4.0 * e[3] + e[4]) / 24.0
        top = max(abs(c[0]), abs(c[1]), abs(c[2]), abs(c[3]), abs(c[4]))
        degree = 4
        while degree > 0 and abs(c[degree]) < 1e-11 * top:
            degree -= 1
        roots(c, degree, z)
        for i in range(degree):
            if abs(z[i].imag) < 1e-4 * (1.0 + abs(z[i].real)):
                out[count] = z[i].real * scale
                count += 1
        return count
    e0 = c1 = s1 = c2 = s2 = 0.0
    for i in range(5):
        t = 2.0 * PI * i / 5.0
        value = equation(p, mode, w, t, f)
        e0 += value / 5.0
        c1 += 0.4 * value * math.cos(t)
        s1 += 0.4 * value * math.sin(t)
        c2 += 0.4 * value * math.cos(2.0 * t)
        s2 += 0.4 * value * math.sin(2.0 * t)
    top = abs(e0) + abs(c1) + abs(s1)
    if abs(c2) + abs(s2) < 1e-12 * top:
        size = math.hypot(c1, s1)
        if size <= 1e-12 * top or abs(e0) > size * (1.0 + 1e-8):
            return 0
        middle = math.atan2(s1, c1)
        half = math.acos(max(-1.0, min(1.0, -e0 / size)))
        out[0], out[1] = middle + half, middle - half
        return 2
    c[4], c[3], c[2] = 0.5 * complex(c2, -s2), 0.5 * complex(c1, -s1), complex(e0, 0.0)
    c[1], c[0] = 0.5 * complex(c1, s1), 0.5 * complex(c2, s2)
    roots(c, 4, z)
    for i in range(4):
        if abs(abs(z[i]) - 1.0) < 1e-3:
            out[count] = cmath.phase(z[i])
            count += 1
    return count


@compiled
def place(p: A, q: A, centre: A, jac: A, rotation: A) -> None:
    """The wrist centre, its 3×3 derivative and the rotation of frame 3, for DH values of three joints."""
    r = np.empty((3, 3))
    o = np.empty(3)
    for i in range(3):
        o[i] = 0.0
        for j in range(3):
            r[i, j] = 1.0 if i == j else 0.0
    axes = np.empty((3, 3))
    points = np.empty((3, 3))
    for j in range(3):
        for i in range(3):
            axes[j, i] = r[i, 2]
            points[j, i] = o[i]
        sliding = p[SLIDES + j] > 0.5
        theta = p[4 * j] if sliding else q[j]
        d = q[j] if sliding else p[4 * j + 1]
        a, al = p[4 * j + 2], p[4 * j + 3]
        c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(al), math.sin(al)
        for i in range(3):
            x, y, z = r[i, 0], r[i, 1], r[i, 2]
            xn, yn = c * x + s * y, c * y - s * x
            o[i] += d * z + a * xn
            r[i, 0] = xn
            r[i, 1] = ca * yn + sa * z
            r[i, 2] = ca * z - sa * yn
    for i in range(3):
        centre[i] = o[i] + p[13] * r[i, 2]
        for j in range(3):
            rotation[i, j] = r[i, j]
    for j in range(3):
        if p[SLIDES + j] > 0.5:
            for i in range(3):
                jac[i, j] = axes[j, i]
        else:
            dx, dy, dz = centre[0] - points[j, 0], centre[1] - points[j, 1], centre[2] - points[j, 2]
            jac[0, j] = axes[j, 1] * dz - axes[j, 2] * dy
            jac[1, j] = axes[j, 2] * dx - axes[j, 0] * dz
            jac[2, j] = axes[j, 0] * dy - axes[j, 1] * dx


@compiled
def determinant(m: A) -> float:
    """The determinant of a 3×3 matrix."""
    return float(
        m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
        + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
    )


@compiled
def polish(p: A, w: A, q: A, centre: A, jac: A, rotation: A) -> float:
    """Bring the centre to w by damped Newton steps; return the remaining distance [m]."""
    n = np.empty((3, 3))
    g = np.empty(3)
    trial = np.empty(3)
    place(p, q, centre, jac, rotation)
    left = math.sqrt((w[0] - centre[0]) ** 2 + (w[1] - centre[1]) ** 2 + (w[2] - centre[2]) ** 2)
    for _ in range(12):
        if left < 2e-16 * p[REACH]:
            break
        for i in range(3):
            g[i] = 0.0
            for k in range(3):
                g[i] += jac[k, i] * (w[k] - centre[k])
            for j in range(3):
                n[i, j] = 0.0
                for k in range(3):
                    n[i, j] += jac[k, i] * jac[k, j]
        damp = 1e-14 * (n[0, 0] + n[1, 1] + n[2, 2]) + 1e-3 * left * left
        for i in range(3):
            n[i, i] += damp
        det = determinant(n)
        if det == 0.0:
            break
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3  # Cramer's rule, column i replaced by g
            part = g[0] * (n[1, j] * n[2, k] - n[2, j] * n[1, k])
            part += g[1] * (n[2, j] * n[0, k] - n[0, j] * n[2, k])
            part += g[2] * (n[0, j] * n[1, k] - n[1, j] * n[0, k])
            trial[i] = q[i] + part / det
        place(p, trial, centre, jac, rotation)
        now = math.sqrt((w[0] - centre[0]) ** 2 + (w[1] - centre[1]) ** 2 + (w[2] - centre[2]) ** 2)
        if not now < left:
            break
        left = now
        for i in range(3):
            q[i] = trial[i]
    place(p, q, centre, jac, rotation)
    return left


@compiled
def finish(p: A, mode: int, w: A, x: float, sign: float, q: A) -> bool:
    """Find joints 1 and 2 for joint 3 = x and the sign of the root; return False if there are none."""
    f = np.empty(3)
    equation(p, mode, w, x, f)
    a1, s1, c1, d1 = p[2], math.sin(p[3]), math.cos(p[3]), p[1]
    rise = w[2] - d1
    total = w[0] * w[0] + w[1] * w[1] + rise * rise
    around = f[0] * f[0] + f[1] * f[1]
    near = 1e-7 * p[REACH] * p[REACH]
    gx = gy = 0.0
    gz = f[2]
    q[2] = x
    if mode <= 2:
        eta = total - a1 * a1 - around - f[2] * f[2]
        zeta = rise - c1 * f[2]
        if mode == 0:
            gy = zeta / s1
            rest = around - gy * gy
            if rest < -near:
                return False
            gx = sign * math.sqrt(max(rest, 0.0))
        elif mode == 1:
            gx = eta / (2.0 * a1)
            rest = around - gx * gx
            if rest < -near:
                return False
            gy = sign * math.sqrt(max(rest, 0.0))
        else:
            gx, gy = eta / (2.0 * a1), zeta / s1
    elif mode in (5, 6):
        c, s = math.cos(p[0]), math.sin(p[0])
        wx, wy = c * w[0] + s * w[1], c * w[1] - s * w[0]
        gx = wx - a1
        if mode == 5:
            gy = (wy + s1 * f[2]) / c1
        else:
            rest = around - gx * gx
            if rest < -near:
                return False
            gy = sign * math.sqrt(max(rest, 0.0))
    else:
        c, s = math.cos(p[4]), math.sin(p[4])
        gx, gy = c * f[0] - s * f[1], s * f[0] + c * f[1]
        if mode == 3:
            gz = (rise - s1 * gy) / c1
        elif mode == 4:
            rest = total - a1 * a1 - 2.0 * a1 * gx - around
            if rest < -near:
                return False
            gz = sign * math.sqrt(max(rest, 0.0))
        else:
            cw, sw = math.cos(p[0]), math.sin(p[0])
            wy = cw * w[1] - sw * w[0]
            if abs(s1) < 1e-9:
                return False
            gz = (c1 * gy - wy) / s1
    if p[SLIDES + 1] > 0.5:
        q[1] = gz - f[2]
    else:
        q[1] = math.atan2(gy, gx) - math.atan2(f[1], f[0]) if around > (LOST * p[REACH]) ** 2 else 0.0
    hx, hy = gx + a1, c1 * gy - s1 * gz
    if p[SLIDES] > 0.5:
        q[0] = w[2] - s1 * gy - c1 * gz
    else:
        lost = math.hypot(w[0], w[1]) < LOST * p[REACH]
        q[0] = 0.0 if lost else math.atan2(w[1], w[0]) - math.atan2(hy, hx)
    return True


@compiled
def wrist(p: A, m: A, sign: float, q: A) -> tuple[float, bool, float]:
    """Joints 4 to 6 from m = R03ᵀ·G; return how far they are out of reach, whether singular, and the side s·z4."""
    s4, c4, s5, c5 = math.sin(p[15]), math.cos(p[15]), math.sin(p[19]), math.cos(p[19])
    h = m[0, 2] ** 2 + m[1, 2] ** 2
    # Half-angle forms keep every digit where axes 4 and 6 are nearly in line.
    for_sum, for_gap = math.cos(p[15] + p[19]), math.cos(p[15] - p[19])
    up = m[2, 2] - for_sum
    if 1.0 - abs(for_sum) < 1e-14:
        up = -h / (1.0 + m[2, 2]) if for_sum > 0.0 and m[2, 2] > 0.0 else up
        up = h / (1.0 - m[2, 2]) if for_sum < 0.0 and m[2, 2] < 0.0 else up
    down = for_gap - m[2, 2]
    if 1.0 - abs(for_gap) < 1e-14:
        down = h / (1.0 + m[2, 2]) if for_gap > 0.0 and m[2, 2] > 0.0 else down
        down = -h / (1.0 - m[2, 2]) if for_gap < 0.0 and m[2, 2] < 0.0 else down
    square_sine, square_cosine = up / (2.0 * s4 * s5), down / (2.0 * s4 * s5)
    beyond = -min(square_sine, square_cosine)
    if beyond > FAR:
        return beyond, False, 0.0
    half = math.atan2(math.sqrt(max(square_sine, 0.0)), math.sqrt(max(square_cosine, 0.0)))
    th5 = 2.0 * sign * half
    c, s = math.cos(th5), math.sin(th5)
    n = np.empty((3, 3))
    n[0, 0], n[0, 1], n[0, 2] = c, -s * c5, s * s5
    n[1, 0], n[1, 1], n[1, 2] = c4 * s, c4 * c * c5 - s4 * s5, -c4 * c * s5 - s4 * c5
    n[2, 0], n[2, 1], n[2, 2] = s4 * s, s4 * c * c5 + c4 * s5, -s4 * c * s5 + c4 * c5
    flat = math.hypot(n[0, 2], n[1, 2])
    th4 = 0.0
    if flat > LOST:
        th4 = math.atan2(m[1, 2], m[0, 2]) - math.atan2(n[1, 2], n[0, 2])
    elif sign < 0.0:
        th4 = PI
    ct, st = math.cos(th4), math.sin(th4)
    co = si = 0.0
    for i in range(3):
        r = ct * m[0, i] + st * m[1, i], ct * m[1, i] - st * m[0, i], m[2, i]
        if i == 0:
            co = n[0, 0] * r[0] + n[1, 0] * r[1] + n[2, 0] * r[2]
            si = n[0, 1] * r[0] + n[1, 1] * r[1] + n[2, 1] * r[2]
    th6 = math.atan2(si, co)
    q[3], q[4], q[5] = th4, th5, th6
    side = s5 * math.cos(th6) * (-1.0 if math.cos(p[23]) < 0.0 else 1.0)
    if abs(side) < 1e-12:
        side = s5 * math.sin(th6)
    return beyond, flat < SINGULAR or abs(s) < SINGULAR, side


@compiled
def regional(p: A, w: A, found: A, marks: Flags, turns: A) -> int:
    """Write the ways in which the first three joints bring the centre to w: values, flags, rotations of frame 3."""
    mode = mode_of(p)
    xs = np.empty(4)
    q = np.empty(3)
    centre = np.empty(3)
    jac = np.empty((3, 3))
    rotation = np.empty((3, 3))
    count = 0
    reach = p[REACH]
    candidates = values_of_three(p, mode, w, xs)
    for i in range(candidates):
        for second in range(2):
            if second and mode in (2, 3, 5, 7):
                continue
            if not finish(p, mode, w, xs[i], 1.0 - 2.0 * second, q):
                continue
            if polish(p, w, q, centre, jac, rotation) > 1e-11 * reach:
                continue
            for j in range(3):
                if p[SLIDES + j] < 0.5:
                    q[j] = wrapped(q[j])
            fresh = True
            for k in range(count):
                same = True
                for j in range(3):
                    gap = abs(q[j] - found[k, j])
                    if p[SLIDES + j] < 0.5:
                        gap = min(gap, abs(gap - 2.0 * PI))
                    same = same and gap < SAME
                fresh = fresh and not same
            if not fresh or count >= 4:
                continue
            for j in range(3):
                found[count, j] = q[j]
                for k in range(3):
                    turns[count, j, k] = rotation[j, k]
            size = 1.0
            for j in range(3):
                size *= math.sqrt(jac[0, j] ** 2 + jac[1, j] ** 2 + jac[2, j] ** 2) + 1e-300
            det = determinant(jac)
            mark = VALID
            # The side of joint 1's turned x axis on which the centre lies, and the side of the singularity.
            ahead = w[0] * math.cos(q[0]) + w[1] * math.sin(q[0])
            if p[SLIDES] > 0.5:
                ahead = -det
            if math.hypot(w[0], w[1]) < SINGULAR * reach and p[SLIDES] < 0.5:
                mark |= SHOULDER
            elif abs(det) < SINGULAR * size:
                mark |= ELBOW
            side = 1 if ahead < 0.0 else -1
            if side * det < 0.0:
                mark |= 64
            if side < 0:
                mark |= 128
            if abs(det) < 1e-4 * size:
                mark |= NEAR
            marks[count] = mark
            count += 1
    return count


@compiled
def solve(p: A, poses: A, Q: A, flags: Flags) -> None:
    """Write all branches of every pose (N, 4, 4) into Q (N, 8, 6) and flags (N, 8), slots as in Ding's order."""
    found = np.empty((4, 3))
    marks = np.empty(4, dtype=np.uint8)
    turns = np.empty((4, 3, 3))
    g = np.empty((3, 3))
    m = np.empty((3, 3))
    r = np.empty((3, 3))
    w = np.empty(3)
    v = np.empty(3)
    q = np.empty(6)
    for n in range(poses.shape[0]):
        t = poses[n]
        for i in range(8):
            flags[n, i] = 0
            for j in range(6):
                Q[n, i, j] = np.nan
        for i in range(3):
            v[i] = t[i, 3]
            for j in range(3):
                v[i] += t[i, j] * p[CENTRE + j]
                r[i, j] = 0.0
                for k in range(3):
                    r[i, j] += t[i, k] * p[RIGHT + 3 * k + j]
        for i in range(3):
            w[i] = p[BASE + 4 * i + 3]
            for j in range(3):
                w[i] += p[BASE + 4 * i + j] * v[j]
                g[i, j] = 0.0
                for k in range(3):
                    g[i, j] += p[BASE + 4 * i + k] * r[k, j]
        count = regional(p, w, found, marks, turns)
        taken = 0
        shared = 0  # a name that two solutions would share belongs to neither
        seen = 0
        for number in range(count):
            row = (2 if marks[number] & 128 else 0) + (1 if marks[number] & 64 else 0)
            shared |= seen & (1 << row)
            seen |= 1 << row
        for number in range(count):
            for i in range(3):
                for j in range(3):
                    m[i, j] = 0.0
                    for k in range(3):
                        m[i, j] += turns[number, k, i] * g[k, j]
            row = (2 if marks[number] & 128 else 0) + (1 if marks[number] & 64 else 0)
            named = (shared >> row) & 1 == 0
            if not named:
                row = 0
                while (taken >> row) & 1 or ((seen & ~shared) >> row) & 1:
                    row += 1
            taken |= 1 << row
            for second in range(2):
                beyond, singular, side = wrist(p, m, 1.0 - 2.0 * second, q)
                if beyond > (FAR if marks[number] & NEAR else OUT):
                    break
                down = side < 0.0
                if singular:
                    down = second == 1
                slot = row + (4 if down else 0)
                if flags[n, slot]:
                    slot = row + (0 if down else 4)
                for j in range(3):
                    q[j] = found[number, j]
                for j in range(6):
                    sliding = p[SLIDES + j] > 0.5
                    shift = p[4 * j + 1] if sliding else p[4 * j]
                    Q[n, slot, j] = q[j] - shift if sliding else wrapped(q[j] - shift)
                flags[n, slot] = (marks[number] & 14) | (WRIST if singular else 0) | (0 if named else UNNAMED)
                flags[n, slot] |= VALID if beyond <= SURE else DOUBT
                if singular and abs(math.sin(q[4])) < LOST and abs(math.hypot(m[0, 2], m[1, 2])) > SINGULAR:
                    break  # a double root of an oblique wrist: one solution, not two
