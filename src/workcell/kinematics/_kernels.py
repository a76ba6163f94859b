"""Compiled forward kinematics of batches.

Samples are processed in blocks, with one row for each matrix entry, so that the compiler turns the loops over the
block into vector instructions. Sine and cosine are our own for the same reason: a library call would break the
loop. They are accurate to 1 unit in the last place up to |x| = 1e6; beyond that the library's are used.
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

BLOCK = 64


def compiled(function: F) -> F:
    """Compile on the first call, keep the machine code on disk, and release the lock for other threads."""
    return cast(F, njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(function))


@compiled
def sincos_block(angle: A, count: int, sine: A, cosine: A) -> None:
    """Sine and cosine of the first ``count`` angles."""
    largest = 0.0
    for k in range(count):
        largest = max(largest, abs(angle[k]))
    if not largest < 1e6:
        for k in range(count):
            sine[k] = math.sin(angle[k])
            cosine[k] = math.cos(angle[k])
        return
    for k in range(count):
        x = angle[k]
        turns = np.rint(x * 0.6366197723675814)
        # Cody–Waite: the first part of π/2 has 33 bits, so its product with a small integer is exact.
        r = (x - turns * 1.57079632673412561417e00) - turns * 6.07710050650619224932e-11
        quadrant = turns - 4.0 * np.floor(turns * 0.25)
        z = r * r
        p = 1.58969099521155010221e-10
        p = p * z - 2.50507602534068634195e-08
        p = p * z + 2.75573137070700676789e-06
        p = p * z - 1.98412698298579493134e-04
        p = p * z + 8.33333333332248946124e-03
        p = p * z - 1.66666666666666324348e-01
        s = r + r * z * p
        g = -1.13596475577881948265e-11
        g = g * z + 2.08757232129817482790e-09
        g = g * z - 2.75573143513906633035e-07
        g = g * z + 2.48015872894767294178e-05
        g = g * z - 1.38888888888741095749e-03
        g = g * z + 4.16666666666666019037e-02
        h = 0.5 * z
        w = 1.0 - h
        c = w + (((1.0 - w) - h) + z * z * g)
        odd = abs(quadrant - 2.0) == 1.0
        sine_sign = -1.0 if quadrant >= 2.0 else 1.0
        cosine_sign = -1.0 if abs(quadrant - 1.5) == 0.5 else 1.0
        sine[k] = sine_sign * (c if odd else s)
        cosine[k] = cosine_sign * (s if odd else c)


@compiled
def advance_block(m: A, c: A, s: A, d: A, a: float, ca: float, sa: float, count: int) -> None:
    """Multiply each pose of the block (12 rows: columns x, y, z, p) by its DH matrix from the right."""
    for axis in range(3):
        x, y, z, p = m[axis], m[3 + axis], m[6 + axis], m[9 + axis]
        for k in range(count):
            x_new = c[k] * x[k] + s[k] * y[k]
            y_new = c[k] * y[k] - s[k] * x[k]
            p[k] = p[k] + d[k] * z[k] + a * x_new
            x[k] = x_new
            y[k] = ca * y_new + sa * z[k]
            z[k] = ca * z[k] - sa * y_new


@compiled
def forward(table: A, prismatic: NDArray[np.bool_], base: A, tool: A, Q: A, every: bool, out: A) -> None:
    """The poses of many joint vectors.

    A row of ``out`` holds the 16 numbers of the tool pose or, with ``every``, those of the frames 0…n.
    """
    n = table.shape[0]
    total = Q.shape[0]
    m = np.empty((12, BLOCK))
    angle, s, c, d = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, total, BLOCK):
        count = min(BLOCK, total - start)
        for column in range(4):
            for axis in range(3):
                for k in range(count):
                    m[3 * column + axis, k] = base[axis, column]
        if every:
            _store(m, out, start, count, 0)
        for j in range(n):
            if prismatic[j]:
                for k in range(count):
                    angle[k] = table[j, 0]
                    d[k] = table[j, 1] + Q[start + k, j]
            else:
                for k in range(count):
                    d[k] = table[j, 1]
                    angle[k] = table[j, 0] + Q[start + k, j]
            sincos_block(angle, count, s, c)
            advance_block(m, c, s, d, table[j, 2], math.cos(table[j, 3]), math.sin(table[j, 3]), count)
            if every:
                _store(m, out, start, count, 16 * (j + 1))
        if not every:
            _fixed(m, tool, count)
            _store(m, out, start, count, 0)


@compiled
def _fixed(m: A, tool: A, count: int) -> None:
    """Multiply each pose of the block by one fixed pose."""
    for axis in range(3):
        x, y, z, p = m[axis], m[3 + axis], m[6 + axis], m[9 + axis]
        for k in range(count):
            x0, y0, z0 = x[k], y[k], z[k]
            p[k] = p[k] + tool[0, 3] * x0 + tool[1, 3] * y0 + tool[2, 3] * z0
            x[k] = tool[0, 0] * x0 + tool[1, 0] * y0 + tool[2, 0] * z0
            y[k] = tool[0, 1] * x0 + tool[1, 1] * y0 + tool[2, 1] * z0
            z[k] = tool[0, 2] * x0 + tool[1, 2] * y0 + tool[2, 2] * z0


@compiled
def _store(m: A, flat: A, start: int, count: int, offset: int) -> None:
    for k in range(count):
        row = flat[start + k]
        for axis in range(3):
            place = offset + 4 * axis
            row[place] = m[axis, k]
            row[place + 1] = m[3 + axis, k]
            row[place + 2] = m[6 + axis, k]
            row[place + 3] = m[9 + axis, k]
        row[offset + 12] = 0.0
        row[offset + 13] = 0.0
        row[offset + 14] = 0.0
        row[offset + 15] = 1.0


@compiled
def first_bad_pose(poses: A) -> int:
    """The first matrix (N, 4, 4) that is not rigid within 1e-6 (NaN included), or −1."""
    worst = 0.0
    for n in range(poses.shape[0]):
        t = poses[n]
        xx = t[0, 0] * t[0, 0] + t[1, 0] * t[1, 0] + t[2, 0] * t[2, 0]
        yy = t[0, 1] * t[0, 1] + t[1, 1] * t[1, 1] + t[2, 1] * t[2, 1]
        xy = t[0, 0] * t[0, 1] + t[1, 0] * t[1, 1] + t[2, 0] * t[2, 1]
        z0 = t[1, 0] * t[2, 1] - t[2, 0] * t[1, 1] - t[0, 2]
        z1 = t[2, 0] * t[0, 1] - t[0, 0] * t[2, 1] - t[1, 2]
        z2 = t[0, 0] * t[1, 1] - t[1, 0] * t[0, 1] - t[2, 2]
        worst = max(abs(xx - 1.0), abs(yy - 1.0), abs(xy), abs(z0) + abs(z1) + abs(z2))
        worst += abs(t[3, 0]) + abs(t[3, 1]) + abs(t[3, 2]) + abs(t[3, 3] - 1.0)
        worst += 0.0 * (t[0, 3] + t[1, 3] + t[2, 3])
        if not worst < 1e-6:
            return n
    return -1


@compiled
def fit_limits(Q: A, limits: A, prismatic: NDArray[np.bool_], out: A, excess: A, inside: NDArray[np.bool_]) -> None:
    """Turn joints (M, n) by whole turns into their limits where possible; write how far the others are outside."""
    turn = 2.0 * math.pi
    for k in range(Q.shape[0]):
        fine = True
        for j in range(Q.shape[1]):
            value = Q[k, j]
            low, high = limits[j, 0] - 1e-9, limits[j, 1] + 1e-9
            if not prismatic[j]:
                if value < low:
                    moved = value + turn * np.ceil((low - value) / turn)
                    value = moved if moved <= high else value
                elif value > high:
                    moved = value - turn * np.ceil((value - high) / turn)
                    value = moved if moved >= low else value
            out[k, j] = value
            far = 0.0
            if value < low:
                far = value - limits[j, 0]
            elif value > high:
                far = value - limits[j, 1]
            excess[k, j] = far
            fine = fine and value >= low and value <= high
        inside[k] = fine
