"""Compiled closed forms of the two most common arms, eight branches at a time.

``puma``: the first axis perpendicular to two parallel ones, then a spherical wrist with perpendicular axes (Ding 2005,
chapter 3, with corrected signs). ``parallel``: the first axis perpendicular to three parallel ones, then two axes
that meet (the UR arms). Poses are processed in blocks. Each loop over a block becomes vector instructions, so it
contains no library calls and no branches, only choices between two computed values.

Slots of the result, in Ding's order of (A, E, W): +++, +−+, −++, −−+, ++−, +−−, −+−, −−−.
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
Flags = NDArray[np.uint8]

BLOCK = 32
ANGLES = 48 * BLOCK
"""The joint values (8 × 6) of a block begin at 0 of its work space; the rest begins here."""
PI = math.pi
SINGULAR = 1e-9
"""A configuration is singular if a sine (or a fraction of the reach) is below this."""
LOST = 1e-11
"""A direction below this length is rounding noise; a fixed value replaces it."""
SAME = 3e-7
"""Two solutions closer than this in every joint [rad] count as one: rounding splits a double root by 6e-8."""

VALID, SHOULDER, ELBOW, WRIST, DOUBT = 1, 2, 4, 8, 32
"""DOUBT marks joint values near two singularities at once, where rounding may hide a solution: starts of iteration."""

# Indices in the parameter vector.
K1, K2, K3, A1, D1, A2, A3, K6, LENGTH, PHI3, OFFSET, C3, S3, S4, S5, REACH = range(16)
A4, D5 = 16, 17
OFFSETS, CENTRE, BASE, RIGHT, SLACK, SIZE = 18, 24, 27, 39, 48, 49


def compiled(function: F) -> F:
    """Compile on the first call, keep the machine code on disk, and release the lock for other threads."""
    return cast(F, njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(function))


def inlined(function: F) -> F:
    """Compile into every caller, as if the lines were written there.

    Loops over a block stay vector instructions. A function that is called instead has two machine codes, one in the
    process that compiles it and one in those that load it from disk, and their last bits differ.
    """
    return cast(F, njit(inline="always", error_model="numpy", fastmath={"contract"})(function))


@compiled
def arctangent(y: float, x: float) -> float:
    """atan2 without a branch, accurate to 2 units in the last place; atan2(0, 0) is 0."""
    u, v = abs(x), abs(y)
    big, small = max(u, v), min(u, v)
    steep = small > 0.4142135623730950 * big
    top = small - big if steep else small
    bottom = small + big if steep else big
    t = top / (bottom if bottom > 0.0 else 1.0)
    z = t * t
    p = -8.750608600031904122785e-1
    p = p * z - 1.615753718733365076637e1
    p = p * z - 7.500855792314704667340e1
    p = p * z - 1.228866684490136173410e2
    p = p * z - 6.485021904942025371773e1
    q = z + 2.485846490142306297962e1
    q = q * z + 1.650270098316988542046e2
    q = q * z + 4.328810604912902668951e2
    q = q * z + 4.853903996359136964868e2
    q = q * z + 1.945506571482613964425e2
    angle = t + t * z * (p / q) + (0.25 * PI if steep else 0.0)
    angle = 0.5 * PI - angle if v > u else angle
    angle = PI - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@compiled
def wrapped(angle: float) -> float:
    """The angle in (−π, π]."""
    turned = angle - 2.0 * PI * np.rint(angle * (0.5 / PI))
    return float(turned + 2.0 * PI if turned < 1e-12 - PI else turned)


@inlined
def load(p: A, poses: A, start: int, count: int, w: A) -> None:
    """Write the wrist centre (3 rows) and the turned orientation G (9 rows) of each pose, in frame 0."""
    o = ANGLES
    for k in range(count):
        t = poses[start + k]
        for i in range(3):
            w[o + (20 + i) * BLOCK + k] = t[i, 3]
            for j in range(3):
                w[o + (23 + 3 * i + j) * BLOCK + k] = t[i, j]
    for k in range(count):
        x = w[o + 20 * BLOCK + k]
        y = w[o + 21 * BLOCK + k]
        z = w[o + 22 * BLOCK + k]
        r00 = w[o + 23 * BLOCK + k]
        r01 = w[o + 24 * BLOCK + k]
        r02 = w[o + 25 * BLOCK + k]
        r10 = w[o + 26 * BLOCK + k]
        r11 = w[o + 27 * BLOCK + k]
        r12 = w[o + 28 * BLOCK + k]
        r20 = w[o + 29 * BLOCK + k]
        r21 = w[o + 30 * BLOCK + k]
        r22 = w[o + 31 * BLOCK + k]
        cx, cy, cz = p[CENTRE], p[CENTRE + 1], p[CENTRE + 2]
        x = x + r00 * cx + r01 * cy + r02 * cz
        y = y + r10 * cx + r11 * cy + r12 * cz
        z = z + r20 * cx + r21 * cy + r22 * cz
        b = BASE
        w[o + k] = p[b] * x + p[b + 1] * y + p[b + 2] * z + p[b + 3]
        w[o + BLOCK + k] = p[b + 4] * x + p[b + 5] * y + p[b + 6] * z + p[b + 7]
        w[o + 2 * BLOCK + k] = p[b + 8] * x + p[b + 9] * y + p[b + 10] * z + p[b + 11]
        g = RIGHT
        u0 = r00 * p[g] + r01 * p[g + 3] + r02 * p[g + 6]
        u1 = r00 * p[g + 1] + r01 * p[g + 4] + r02 * p[g + 7]
        u2 = r00 * p[g + 2] + r01 * p[g + 5] + r02 * p[g + 8]
        v0 = r10 * p[g] + r11 * p[g + 3] + r12 * p[g + 6]
        v1 = r10 * p[g + 1] + r11 * p[g + 4] + r12 * p[g + 7]
        v2 = r10 * p[g + 2] + r11 * p[g + 5] + r12 * p[g + 8]
        t0 = r20 * p[g] + r21 * p[g + 3] + r22 * p[g + 6]
        t1 = r20 * p[g + 1] + r21 * p[g + 4] + r22 * p[g + 7]
        t2 = r20 * p[g + 2] + r21 * p[g + 5] + r22 * p[g + 8]
        w[o + 3 * BLOCK + k] = p[b] * u0 + p[b + 1] * v0 + p[b + 2] * t0
        w[o + 4 * BLOCK + k] = p[b] * u1 + p[b + 1] * v1 + p[b + 2] * t1
        w[o + 5 * BLOCK + k] = p[b] * u2 + p[b + 1] * v2 + p[b + 2] * t2
        w[o + 6 * BLOCK + k] = p[b + 4] * u0 + p[b + 5] * v0 + p[b + 6] * t0
        w[o + 7 * BLOCK + k] = p[b + 4] * u1 + p[b + 5] * v1 + p[b + 6] * t1
        w[o + 8 * BLOCK + k] = p[b + 4] * u2 + p[b + 5] * v2 + p[b + 6] * t2
        w[o + 9 * BLOCK + k] = p[b + 8] * u0 + p[b + 9] * v0 + p[b + 10] * t0
        w[o + 10 * BLOCK + k] = p[b + 8] * u1 + p[b + 9] * v1 + p[b + 10] * t1
        w[o + 11 * BLOCK + k] = p[b + 8] * u2 + p[b + 9] * v2 + p[b + 10] * t2


@inlined
def shoulder(p: A, arm: float, count: int, w: A) -> None:
    """Write joint 1 of one arm side: its sine and cosine, rho, and the angle into that side's slots.

    Rows: 12 cosine, 13 sine, 14 rho, 15 flags (as a float), 16 the joint value.
    """
    o = ANGLES
    offset, reach, slack = p[OFFSET], p[REACH], p[SLACK]
    for k in range(count):
        x = w[o + k]
        y = w[o + BLOCK + k]
        flat = x * x + y * y
        square = flat - offset * offset
        # flat − offset² from its factors keeps the significant digits near the axis.
        length = math.sqrt(flat)
        square = (length - abs(offset)) * (length + abs(offset))
        beyond = abs(offset) - length > slack
        rho = -arm * math.sqrt(max(square, 0.0))
        lost = length < LOST * reach
        scale = 1.0 / (1.0 if lost else length)
        cx = 1.0 if lost else x * scale
        sx = 0.0 if lost else y * scale
        # The angle of (rho, offset); its length is `length`, unless it was clamped.
        other = math.sqrt(rho * rho + offset * offset)
        unit = 1.0 / (1.0 if other < LOST * reach else other)
        co = -arm if other < LOST * reach else rho * unit
        so = 0.0 if other < LOST * reach else offset * unit
        c1 = cx * co + sx * so
        s1 = sx * co - cx * so
        w[o + 12 * BLOCK + k] = c1
        w[o + 13 * BLOCK + k] = s1
        w[o + 14 * BLOCK + k] = rho
        w[o + 15 * BLOCK + k] = (0.0 if beyond else 1.0) + (2.0 if abs(rho) < SINGULAR * reach else 0.0)
        w[o + 16 * BLOCK + k] = wrapped(arctangent(s1, c1) - p[OFFSETS])


@inlined
def direction(x: float, y: float, length: float, least: float) -> tuple[float, float]:
    """Cosine and sine of the direction of (x, y) with a known length; along x if the length is below ``least``."""
    gone = length < least
    unit = 1.0 / (1.0 if gone else length)
    return (1.0 if gone else x * unit), (0.0 if gone else y * unit)


@inlined
def wrist_rows(
    w: A, k: int, c1: float, s1: float, c23: float, s23: float, k1: float, k2: float, c3a: float, s3a: float
) -> tuple[float, float, float, float, float, float, float]:
    """The entries 00, 01, 02, 10, 11, 12 and 22 of R03ᵀ·G, built from the axes x1, y1, z1 of frame 1."""
    o = ANGLES
    g00 = w[o + 3 * BLOCK + k]
    g01 = w[o + 4 * BLOCK + k]
    g02 = w[o + 5 * BLOCK + k]
    g10 = w[o + 6 * BLOCK + k]
    g11 = w[o + 7 * BLOCK + k]
    g12 = w[o + 8 * BLOCK + k]
    y0 = k1 * w[o + 9 * BLOCK + k]
    y1 = k1 * w[o + 10 * BLOCK + k]
    y2 = k1 * w[o + 11 * BLOCK + k]
    x0 = c1 * g00 + s1 * g10
    x1 = c1 * g01 + s1 * g11
    x2 = c1 * g02 + s1 * g12
    z0 = k2 * k1 * (s1 * g00 - c1 * g10)
    z1 = k2 * k1 * (s1 * g01 - c1 * g11)
    z2 = k2 * k1 * (s1 * g02 - c1 * g12)
    t0 = k2 * (c23 * y0 - s23 * x0)
    t1 = k2 * (c23 * y1 - s23 * x1)
    t2 = k2 * (c23 * y2 - s23 * x2)
    return (
        c23 * x0 + s23 * y0,
        c23 * x1 + s23 * y1,
        c23 * x2 + s23 * y2,
        c3a * t0 + s3a * z0,
        c3a * t1 + s3a * z1,
        c3a * t2 + s3a * z2,
        c3a * z2 - s3a * t2,
    )


@inlined
def last_joint(
    m00: float, m01: float, m10: float, m11: float, c4: float, n4: float, s4: float, s5: float, k6: float
) -> tuple[float, float, float]:
    """Sine and cosine of joint 6 for a direction of link 4, and a number with the sign of W.

    W = sign(s·z4), and s·z4 = sin α5·cos(6)·cos α6; where that is zero, sign(n·z4).
    """
    s6 = -s4 * s5 * (c4 * m10 - n4 * m00)
    c6 = -s4 * s5 * (c4 * m11 - n4 * m01)
    side = k6 * s5 * c6
    return s6, c6, (s5 * s6 if abs(side) < 1e-12 else side)


@inlined
def puma_arm(p: A, arm: float, elbow: float, count: int, w: A) -> None:
    """Write joints 2 to 6 of one arm side and elbow, for both wrists, into their slots; flags into row 17."""
    o = ANGLES
    base = (0 if arm > 0 else 2) + (0 if elbow > 0 else 1)
    plus, minus = 6 * base * BLOCK, 6 * (base + 4) * BLOCK
    k1, k2 = p[K1], p[K2]
    a2, length, reach, slack = p[A2], p[LENGTH], p[REACH], p[SLACK]
    outer, inner = abs(a2) + length, abs(abs(a2) - length)
    bend = -k2 * arm * elbow  # the sign of y2, from E = −K2·A·sign(y2)
    cphi, sphi = math.cos(p[PHI3]), math.sin(p[PHI3])
    c3a, s3a, s4, s5 = p[C3], p[S3], p[S4], p[S5]
    for k in range(count):
        c1 = w[o + 12 * BLOCK + k]
        s1 = w[o + 13 * BLOCK + k]
        x = w[o + 14 * BLOCK + k] - p[A1]
        y = k1 * (w[o + 2 * BLOCK + k] - p[D1])
        square = x * x + y * y
        far = math.sqrt(square)
        out = far > outer + slack or far < inner - slack
        cosine = (square - a2 * a2 - length * length) / (2.0 * a2 * length)
        cosine = min(1.0, max(-1.0, cosine))
        product = (outer - far) * (outer + far) * (far - inner) * (far + inner)
        sine = bend * math.sqrt(max(product, 0.0)) / (2.0 * abs(a2) * length)
        cp, sp = direction(x, y, far, LOST * reach)
        u = a2 + length * cosine
        v = k2 * length * sine
        other = math.sqrt(u * u + v * v)
        cb, sb = direction(u, v, other, LOST * reach)
        c2 = cp * cb + sp * sb
        s2 = sp * cb - cp * sb
        grow = 1.0 / math.sqrt(sine * sine + cosine * cosine)
        sine = sine * grow
        cosine = cosine * grow
        c3 = cphi * cosine - sphi * sine
        s3 = sphi * cosine + cphi * sine
        c23 = c2 * c3 - k2 * s2 * s3
        s23 = s2 * c3 + k2 * c2 * s3
        w[plus + BLOCK + k] = wrapped(arctangent(s2, c2) - p[OFFSETS + 1])
        w[plus + 2 * BLOCK + k] = wrapped(arctangent(s3, c3) - p[OFFSETS + 2])
        m00, m01, m02, m10, m11, m12, m22 = wrist_rows(w, k, c1, s1, c23, s23, k1, k2, c3a, s3a)
        # The wrist: R03ᵀ·G = Rz(4)·Rx(α4)·Rz(5)·Rx(α5)·Rz(6) with sines s4, s5 = ±1.
        h = math.sqrt(m02 * m02 + m12 * m12)
        c4, n4 = direction(m02, m12, h, LOST)
        s6, c6, side = last_joint(m00, m01, m10, m11, c4, n4, s4, s5, p[K6])
        flip = side < 0.0 and not h < LOST
        sign = -1.0 if flip else 1.0
        th4 = arctangent(sign * n4, sign * c4)
        th5 = arctangent(sign * s5 * (c4 * m02 + n4 * m12), -s4 * s5 * m22)
        th6 = arctangent(sign * s6, sign * c6)
        w[plus + 3 * BLOCK + k] = wrapped(th4 - p[OFFSETS + 3])
        w[plus + 4 * BLOCK + k] = wrapped(th5 - p[OFFSETS + 4])
        w[plus + 5 * BLOCK + k] = wrapped(th6 - p[OFFSETS + 5])
        w[minus + 3 * BLOCK + k] = wrapped(th4 + PI - p[OFFSETS + 3])
        w[minus + 4 * BLOCK + k] = wrapped(-th5 - p[OFFSETS + 4])
        w[minus + 5 * BLOCK + k] = wrapped(th6 + PI - p[OFFSETS + 5])
        stretched = abs(sine) < SINGULAR
        swing = w[o + 20 * BLOCK + k] + slack
        doubt = out and far < outer + swing and far > inner - swing
        w[o + (32 + base) * BLOCK + k] = (32.0 if doubt else (0.0 if out else 1.0)) + (4.0 if stretched else 0.0)
        w[o + (32 + base) * BLOCK + k] += 8.0 if h < SINGULAR else 0.0
        # Close pairs are searched for afterwards, and only where they can occur.
        w[o + (36 + base) * BLOCK + k] = 1.0 if abs(sine) < SAME or abs(x + p[A1]) < SAME * reach else 0.0
    for k in range(count):
        first = w[o + 16 * BLOCK + k]
        w[plus + k] = first
        w[minus + k] = first
    for k in range(count):
        w[minus + BLOCK + k] = w[plus + BLOCK + k]
        w[minus + 2 * BLOCK + k] = w[plus + 2 * BLOCK + k]


@inlined
def noise(p: A, count: int, w: A) -> None:
    """The effect of rounding on rho (row 20, a length) and on the direction of axis 6 beside axis 4 (row 21, a sine).

    Where the centre is about as far from the base axis as the arm's offset, rho is the root of a rounding error.
    """
    o = ANGLES
    offset, reach = p[OFFSET], p[REACH]
    for k in range(count):
        rho = abs(w[o + 14 * BLOCK + k])
        length = math.sqrt(rho * rho + offset * offset)
        root = 1.0 if offset == 0.0 else max(rho / reach, 3e-8)
        fuzzy = 4e-15 * reach / root
        w[o + 20 * BLOCK + k] = fuzzy
        w[o + 21 * BLOCK + k] = 4e-15 + (0.0 if length < LOST * reach else fuzzy / length)


@inlined
def free_direction(p: A, wrist: float, count: int, w: A) -> None:
    """The direction of link 4 (rows 18, 19) where the pose leaves it free (row 22), with axis 4 within reach.

    Axis 6 is then along the parallel axes, and link 4 may swing about the centre, so axis 4 lies on a circle
    around it. The point of the circle perpendicular to the line from the shoulder is used, or the nearest to it
    that two links can reach. The two wrists use one side each.
    """
    o = ANGLES
    outer, inner = abs(p[A2]) + abs(p[A3]), abs(abs(p[A2]) - abs(p[A3]))
    side = p[D5] * p[K2] * p[K3] * p[S4]
    radius = math.sqrt(p[A4] ** 2 + side**2)
    for k in range(count):
        c1 = w[o + 12 * BLOCK + k]
        s1 = w[o + 13 * BLOCK + k]
        m02 = c1 * w[o + 5 * BLOCK + k] + s1 * w[o + 8 * BLOCK + k]
        m12 = w[o + 11 * BLOCK + k]
        w[o + 18 * BLOCK + k] = wrist
        w[o + 19 * BLOCK + k] = 0.0
        square = m02 * m02 + m12 * m12
        free = square < LOST * LOST
        if not free and square < 64.0 * w[o + 21 * BLOCK + k] ** 2:
            h = math.sqrt(square)
            # Rounding may have turned it anywhere: it counts if axis 4 is within reach from it.
            m00 = c1 * w[o + 3 * BLOCK + k] + s1 * w[o + 6 * BLOCK + k]
            m01 = c1 * w[o + 4 * BLOCK + k] + s1 * w[o + 7 * BLOCK + k]
            c4, n4 = m02 / h, p[K1] * m12 / h
            s4 = p[K2] * p[K3] * p[S4]
            s6 = -s4 * p[S5] * (c4 * p[K1] * w[o + 9 * BLOCK + k] - n4 * m00)
            c6 = -s4 * p[S5] * (c4 * p[K1] * w[o + 10 * BLOCK + k] - n4 * m01)
            turned = p[K6] * p[S5] * c6
            turned = p[S5] * s6 if abs(turned) < 1e-12 else turned
            if turned * wrist < 0.0:
                c4, n4 = -c4, -n4
            x = w[o + 14 * BLOCK + k] - p[A1] - p[D5] * s4 * n4 - p[A4] * c4
            y = p[K1] * (w[o + 2 * BLOCK + k] - p[D1]) + p[D5] * s4 * c4 - p[A4] * n4
            far = math.sqrt(x * x + y * y)
            free = far > outer + p[SLACK] or far < inner - p[SLACK]
        w[o + 22 * BLOCK + k] = 1.0 if free else 0.0
        if w[o + 22 * BLOCK + k] > 0.0 and radius > 0.0:
            x = w[o + 14 * BLOCK + k] - p[A1]
            y = p[K1] * (w[o + 2 * BLOCK + k] - p[D1])
            far = math.sqrt(x * x + y * y)
            wanted = math.sqrt(far * far + radius * radius)
            wanted = min(outer * (1.0 - 1e-9), max(inner * (1.0 + 1e-9), wanted))
            cosine = 0.0
            if far > 0.0:
                cosine = (far * far + radius * radius - wanted * wanted) / (2.0 * radius * far)
            delta = wrist * math.acos(min(1.0, max(-1.0, cosine)))
            angle = math.atan2(side, p[A4]) + math.atan2(y, x) + delta
            w[o + 18 * BLOCK + k] = math.cos(angle)
            w[o + 19 * BLOCK + k] = math.sin(angle)


@inlined
def parallel_arm(p: A, arm: float, wrist: float, elbow: float, count: int, w: A) -> None:
    """Write joints 2 to 6 of one branch of an arm with three parallel axes; its flags into its own row."""
    o = ANGLES
    slot = (0 if arm > 0 else 2) + (0 if elbow > 0 else 1) + (0 if wrist > 0 else 4)
    place = 6 * slot * BLOCK
    k1, k2, k3 = p[K1], p[K2], p[K3]
    both = k2 * k3
    a2, a3, reach, slack = p[A2], p[A3], p[REACH], p[SLACK]
    radius = math.sqrt(p[A4] ** 2 + p[D5] ** 2)
    outer, inner = abs(a2) + abs(a3), abs(abs(a2) - abs(a3))
    bend = -k2 * arm * elbow * (1.0 if a3 > 0.0 else -1.0)
    s4, s5 = both * p[S4], p[S5]
    for k in range(count):
        c1 = w[o + 12 * BLOCK + k]
        s1 = w[o + 13 * BLOCK + k]
        m00 = c1 * w[o + 3 * BLOCK + k] + s1 * w[o + 6 * BLOCK + k]
        m01 = c1 * w[o + 4 * BLOCK + k] + s1 * w[o + 7 * BLOCK + k]
        m02 = c1 * w[o + 5 * BLOCK + k] + s1 * w[o + 8 * BLOCK + k]
        m10 = k1 * w[o + 9 * BLOCK + k]
        m11 = k1 * w[o + 10 * BLOCK + k]
        m12 = k1 * w[o + 11 * BLOCK + k]
        m22 = k1 * (s1 * w[o + 5 * BLOCK + k] - c1 * w[o + 8 * BLOCK + k])
        h = math.sqrt(m02 * m02 + m12 * m12)
        flat = w[o + 22 * BLOCK + k] > 0.0
        unit = 1.0 / (1.0 if flat else h)
        c4 = w[o + 18 * BLOCK + k] if flat else m02 * unit
        n4 = w[o + 19 * BLOCK + k] if flat else m12 * unit
        s6, c6, side = last_joint(m00, m01, m10, m11, c4, n4, s4, s5, p[K6])
        flip = side * wrist < 0.0 and not flat
        sign = -1.0 if flip else 1.0
        c4 = sign * c4
        n4 = sign * n4
        th5 = arctangent(s5 * (c4 * m02 + n4 * m12), -s4 * s5 * m22)
        w[place + 4 * BLOCK + k] = wrapped(th5 - p[OFFSETS + 4])
        w[place + 5 * BLOCK + k] = wrapped(arctangent(sign * s6, sign * c6) - p[OFFSETS + 5])
        # (c4, n4) is the direction ψ of link 4 in the plane; go back over a4 and d5 to axis 4.
        x = w[o + 14 * BLOCK + k] - p[A1] - p[D5] * s4 * n4 - p[A4] * c4
        y = k1 * (w[o + 2 * BLOCK + k] - p[D1]) + p[D5] * s4 * c4 - p[A4] * n4
        square = x * x + y * y
        far = math.sqrt(square)
        out = far > outer + slack or far < inner - slack
        cosine = (square - a2 * a2 - a3 * a3) / (2.0 * a2 * a3)
        cosine = min(1.0, max(-1.0, cosine))
        product = (outer - far) * (outer + far) * (far - inner) * (far + inner)
        sine = bend * math.sqrt(max(product, 0.0)) / (2.0 * abs(a2 * a3))
        grow = 1.0 / math.sqrt(sine * sine + cosine * cosine)
        sine = sine * grow
        cosine = cosine * grow
        cp, sp = direction(x, y, far, LOST * reach)
        u = a2 + a3 * cosine
        v = k2 * a3 * sine
        other = math.sqrt(u * u + v * v)
        cb, sb = direction(u, v, other, LOST * reach)
        c2 = cp * cb + sp * sb
        s2 = sp * cb - cp * sb
        c23 = c2 * cosine - k2 * s2 * sine
        s23 = s2 * cosine + k2 * c2 * sine
        c34 = c4 * c23 + n4 * s23
        s34 = both * (n4 * c23 - c4 * s23)
        w[place + BLOCK + k] = wrapped(arctangent(s2, c2) - p[OFFSETS + 1])
        w[place + 2 * BLOCK + k] = wrapped(arctangent(sine, cosine) - p[OFFSETS + 2])
        w[place + 3 * BLOCK + k] = wrapped(arctangent(s34, c34) - p[OFFSETS + 3])
        w[place + k] = w[o + 16 * BLOCK + k]
        # The distance by which rounding of the direction of link 4 may move axis 4.
        swing = w[o + 20 * BLOCK + k] + radius * min(2.0, 8.0 * w[o + 21 * BLOCK + k] / max(h, 1e-300)) + slack
        guess = flat and h >= LOST
        doubt = guess or (out and far < outer + swing and far > inner - swing)
        w[o + (32 + slot) * BLOCK + k] = (32.0 if doubt else (0.0 if out else 1.0)) + (
            4.0 if abs(sine) < SINGULAR else 0.0
        )
        w[o + (32 + slot) * BLOCK + k] += 8.0 if h < SINGULAR or guess else 0.0
        w[o + (40 + slot) * BLOCK + k] = 1.0 if abs(sine) < SAME or abs(w[o + 14 * BLOCK + k]) < SAME * reach else 0.0


@compiled
def merge(q: A, flags: Flags) -> None:
    """Keep the first of solutions that are equal within rounding."""
    for i in range(8):
        if not flags[i] & 1:
            continue
        for j in range(i + 1, 8):
            if not flags[j] & 1:
                continue
            same = True
            for c in range(6):
                gap = abs(q[i, c] - q[j, c])
                if min(gap, abs(gap - 2.0 * PI)) > SAME:
                    same = False
                    break
            if same:
                flags[j] = 0


@compiled
def solve(p: A, kind: int, poses: A, Q: A, flags: Flags) -> None:
    """Write all branches of every pose (N, 4, 4) into Q (N, 8, 6) and flags (N, 8).

    ``kind`` is 0 for the Puma family and 1 for three parallel axes. A flag of 0 marks an empty slot with NaN as joint
    values. Otherwise it is the sum of VALID or DOUBT and SHOULDER, ELBOW, WRIST.
    """
    w = np.empty(ANGLES + 48 * BLOCK)
    o = ANGLES
    for start in range(0, poses.shape[0], BLOCK):
        count = min(BLOCK, poses.shape[0] - start)
        load(p, poses, start, count, w)
        for side in range(2):
            arm = 1.0 - 2.0 * side
            shoulder(p, arm, count, w)
            noise(p, count, w)
            if kind == 0:
                puma_arm(p, arm, 1.0, count, w)
                puma_arm(p, arm, -1.0, count, w)
            else:
                for turn in range(2):
                    free_direction(p, 1.0 - 2.0 * turn, count, w)
                    parallel_arm(p, arm, 1.0 - 2.0 * turn, 1.0, count, w)
                    parallel_arm(p, arm, 1.0 - 2.0 * turn, -1.0, count, w)
            if kind == 0:  # one flag row serves both wrists
                for row in range(2 * side, 2 * side + 2):
                    for k in range(count):
                        total = w[o + (32 + row) * BLOCK + k]
                        first = w[o + 15 * BLOCK + k]
                        total = 0.0 if first % 2.0 == 0.0 else total
                        total = total + (2.0 if first >= 2.0 else 0.0)
                        w[o + (32 + row) * BLOCK + k] = total
                        w[o + (44 + row) * BLOCK + k] = total
            else:
                for row in range(4):
                    slot = 2 * side + (row % 2) + 4 * (row // 2)
                    for k in range(count):
                        total = w[o + (32 + slot) * BLOCK + k]
                        first = w[o + 15 * BLOCK + k]
                        total = 0.0 if first % 2.0 == 0.0 else total
                        total = total + (2.0 if first >= 2.0 else 0.0)
                        w[o + (32 + slot) * BLOCK + k] = total
        for k in range(count):
            close = 0.0
            out = Q[start + k]
            mark = flags[start + k]
            for slot in range(8):
                row = 32 + slot
                if kind == 0:
                    row = 32 + slot % 4
                    close += w[o + (36 + slot % 4) * BLOCK + k]
                else:
                    close += w[o + (40 + slot) * BLOCK + k]
                total = int(w[o + row * BLOCK + k])
                if total & (VALID | DOUBT):
                    mark[slot] = total
                    for joint in range(6):
                        out[slot, joint] = w[(6 * slot + joint) * BLOCK + k]
                else:
                    mark[slot] = 0
                    for joint in range(6):
                        out[slot, joint] = np.nan
            if close > 0.0:
                merge(out, mark)
                for slot in range(8):
                    if mark[slot] == 0:
                        for joint in range(6):
                            out[slot, joint] = np.nan
