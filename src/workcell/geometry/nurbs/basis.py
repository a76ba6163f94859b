"""B-spline bases, knots, and the operations that curves and surfaces share, along one axis of an array.

Everything works on homogeneous control points (w·x, w·y, w·z, w): a rational curve in space is the projection of a
polynomial one in four dimensions, so each operation is the polynomial one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue

Floats = NDArray[np.float64]

HIGHEST = 25
"""The highest degree that the CAD kernel accepts."""


def check_degree(degree: int) -> None:
    """Refuse a degree that is too low or too high."""
    if degree < 1:
        raise InvalidValue(f"The degree must be at least 1, not {degree}.")
    if degree > HIGHEST:
        raise InvalidValue(
            f"The degree can be at most {HIGHEST}, not {degree}. Use more control points and a lower degree.",
            degree=degree,
        )


def clamped_knots(n: int, degree: int) -> Floats:
    """Uniform knots on [0, 1] for n control points, the ends repeated degree + 1 times."""
    inner = np.arange(1, n - degree) / (n - degree)
    return np.concatenate([np.zeros(degree + 1), inner, np.ones(degree + 1)])


def checked_knots(knots: ArrayLike, n: int, degree: int) -> Floats:
    """Return knots that fit n control points and a degree: not decreasing, clamped, no inner knot above the degree."""
    k = np.array(knots, dtype=np.float64)
    check_degree(degree)
    if n < degree + 1:
        raise InvalidValue(f"Degree {degree} needs at least {degree + 1} control points; found {n}.")
    if k.shape != (n + degree + 1,):
        raise InvalidValue(f"{n} control points of degree {degree} need {n + degree + 1} knots; found {k.size}.")
    if not np.isfinite(k).all() or (np.diff(k) < 0.0).any() or k[-1] <= k[0]:
        raise InvalidValue("Knots must be finite and must not decrease.")
    if k[0] != k[degree] or k[-1] != k[-degree - 1]:
        raise InvalidValue(f"The first and the last knot must be repeated {degree + 1} times.")
    inner = k[degree + 1 : -degree - 1]
    if inner.size and max(np.unique(inner, return_counts=True)[1]) > degree:
        raise InvalidValue(f"An inner knot is repeated more than {degree} times: the curve would be torn there.")
    return k


def span(knots: Floats, degree: int, t: Floats) -> NDArray[np.int64]:
    """The index i with knots[i] ≤ t < knots[i+1]; the last span at the end."""
    n = len(knots) - degree - 1
    return np.clip(np.searchsorted(knots, t, side="right") - 1, degree, n - 1)


def basis(knots: Floats, degree: int, t: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The spans, and the degree + 1 functions that are not zero there: (N,), (N, degree + 1)."""
    at = span(knots, degree, t)
    values = np.zeros((len(t), degree + 1))
    values[:, 0] = 1.0
    for p in range(1, degree + 1):
        saved = np.zeros(len(t))
        for k in range(p):
            right = knots[at + k + 1]
            left = knots[at + k + 1 - p]
            part = values[:, k] / (right - left)
            values[:, k] = saved + (right - t) * part
            saved = (t - left) * part
        values[:, p] = saved
    return at, values


def evaluate(knots: Floats, degree: int, control: Floats, t: Floats) -> Floats:
    """Σ N_i(t)·control[i] for each t: (N, …)."""
    at, values = basis(knots, degree, t)
    indices = at[:, None] - degree + np.arange(degree + 1)
    return np.asarray(np.einsum("nk,nk...->n...", values, control[indices]))


def derivative(knots: Floats, degree: int, control: Floats) -> tuple[Floats, int, Floats]:
    """Knots, degree and control points of the derivative."""
    width = knots[degree + 1 : -1] - knots[1 : -degree - 1]
    factor = np.divide(degree, width, out=np.zeros_like(width), where=width > 0.0)
    return knots[1:-1], degree - 1, np.diff(control, axis=0) * factor.reshape(-1, *[1] * (control.ndim - 1))


def knot_fits(knots: Floats, degree: int, t: float, times: int = 1) -> None:
    """Refuse a knot outside the range, or one that would be repeated more often than the degree."""
    if not knots[0] < t < knots[-1]:
        raise InvalidValue(f"A knot must lie inside the range {knots[0]:g}…{knots[-1]:g}; found {t:g}.")
    there = int(np.count_nonzero(knots == t))
    if there + times > degree:
        raise InvalidValue(
            f"A knot can be repeated at most as often as the degree, {degree}; {t:g} has {there} already, and "
            f"{times} more {'was' if times == 1 else 'were'} asked for."
        )


def insert(knots: Floats, degree: int, control: Floats, t: float, times: int = 1) -> tuple[Floats, Floats]:
    """The same curve with a knot inserted (Boehm)."""
    for _ in range(times):
        multiplicity = int(np.count_nonzero(knots == t))
        if multiplicity >= degree:
            break
        at = int(span(knots, degree, np.array([t]))[0])
        new = np.empty((len(control) + 1, *control.shape[1:]))
        new[: at - degree + 1] = control[: at - degree + 1]
        new[at + 1 :] = control[at:]
        for i in range(at - degree + 1, at + 1):
            alpha = (t - knots[i]) / (knots[i + degree] - knots[i])
            new[i] = alpha * control[i] + (1.0 - alpha) * control[i - 1]
        knots = np.insert(knots, at + 1, t)
        control = new
    return knots, control


def split(knots: Floats, degree: int, control: Floats, t: float) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """The two curves before and after an inner parameter."""
    if not knots[0] < t < knots[-1]:
        raise InvalidValue(f"A split must lie inside the range {knots[0]:g}…{knots[-1]:g}; found {t:g}.")
    knots, control = insert(knots, degree, control, t, degree)
    first = int(np.searchsorted(knots, t, side="left"))
    left = np.concatenate([knots[: first + degree], [t]])
    right = np.concatenate([[t], knots[first:]])
    return (left, control[:first]), (right, control[first - 1 :])


def bezier(knots: Floats, degree: int, control: Floats) -> tuple[Floats, list[Floats]]:
    """The distinct knots, and the Bézier control points of each piece between them."""
    for t in np.unique(knots[degree + 1 : -degree - 1]):
        knots, control = insert(knots, degree, control, float(t), degree)
    breaks = np.unique(knots)
    pieces = [control[i * degree : (i + 1) * degree + 1] for i in range(len(breaks) - 1)]
    return breaks, pieces


def elevate(knots: Floats, degree: int, control: Floats) -> tuple[Floats, Floats]:
    """The same curve with its degree one higher: piece by piece in Bézier form, then without the spare knots."""
    original, times = np.unique(knots, return_counts=True)
    breaks, pieces = bezier(knots, degree, control)
    q = degree + 1
    raised = []
    shape = [-1] + [1] * (control.ndim - 1)
    weight = (np.arange(1, q) / q).reshape(shape)
    for piece in pieces:
        inner = weight * piece[:-1] + (1.0 - weight) * piece[1:]
        raised.append(np.concatenate([piece[:1], inner, piece[-1:]]))
    new = np.concatenate([raised[0], *(piece[1:] for piece in raised[1:])])
    full = np.concatenate([[breaks[0]], np.repeat(breaks, q), [breaks[-1]]])
    wanted = {float(t): int(m) + 1 for t, m in zip(original, times, strict=True)}
    for t in breaks[1:-1]:
        for _ in range(q - wanted[float(t)]):
            full, new = _remove(full, q, new, float(t))
    return full, new


def _remove(knots: Floats, degree: int, control: Floats, t: float) -> tuple[Floats, Floats]:
    """Undo one insertion of a knot that is known to be removable, by solving it backwards from both sides."""
    last = int(np.searchsorted(knots, t, side="right") - 1)
    fewer = np.delete(knots, last)
    at = last - 1  # the span into which the knot would be inserted
    first, stop = at - degree + 1, at - int(np.count_nonzero(fewer == t)) + 1
    old = control.copy()
    result = np.delete(control, last - degree, axis=0)
    # With α_i = (t − k_i)/(k_{i+p} − k_i):  new_i = α_i·old_i + (1 − α_i)·old_{i−1}  for i in first…stop−1.
    left = np.empty((len(control) - 1, *control.shape[1:]))
    left[:first] = old[:first]
    left[stop - 1 :] = old[stop:]
    middle = (first + stop) // 2
    for i in range(first, middle):
        alpha = (t - fewer[i]) / (fewer[i + degree] - fewer[i])
        left[i] = (old[i] - (1.0 - alpha) * left[i - 1]) / alpha
    for i in range(stop - 1, middle, -1):
        alpha = (t - fewer[i]) / (fewer[i + degree] - fewer[i])
        left[i - 1] = (old[i] - alpha * left[i]) / (1.0 - alpha)
    result[:] = left
    return fewer, result


def binomials(n: int) -> Floats:
    """(n, n) Pascal's triangle."""
    return np.array([[math.comb(i, j) for j in range(n)] for i in range(n)], dtype=np.float64)
