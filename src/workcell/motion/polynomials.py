"""Polynomials of time, one per piece and joint, by their coefficients (pieces, terms, joints), lowest power first."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.motion.joint_values import numbers

Array = NDArray[np.float64]

JOIN = 1e-9
"""The greatest distance of two pieces where they meet, relative to 1 + |q|; rounding stays far below."""


def horner(coefficients: Array, u: Array) -> Array:
    """Σ c[:, p]·u^p for (k, terms, n) and u (k, 1): (k, n); the same operations as the kernel's."""
    value = np.zeros(coefficients.shape[::2])
    for power in range(coefficients.shape[1] - 1, -1, -1):
        value = value * u + coefficients[:, power]
    return value


def differentiated(coefficients: Array, order: int = 1) -> Array:
    """The coefficients of a derivative (k, terms − order, n)."""
    if coefficients.shape[1] <= order:
        return np.zeros_like(coefficients[:, :1])
    factors = [float(math.perm(power, order)) for power in range(order, coefficients.shape[1])]
    return np.asarray(coefficients[:, order:] * np.array(factors)[None, :, None])


def raised(coefficients: Array, degree: int) -> Array:
    """The same polynomials with room for powers up to ``degree``."""
    pieces, terms, joints = coefficients.shape
    out = np.zeros((pieces, degree + 1, joints))
    out[:, :terms] = coefficients
    return out


def shifted(coefficients: Array, by: Array) -> Array:
    """The same polynomials in a local time that starts ``by (k,)`` later (repeated synthetic division)."""
    out = coefficients.copy()
    terms = out.shape[1]
    for low in range(terms - 1):
        for power in range(terms - 2, low - 1, -1):
            out[:, power] += by[:, None] * out[:, power + 1]
    return out


def checked(given_breaks: ArrayLike, given_coefficients: ArrayLike) -> tuple[Array, Array]:
    """Return breaks and coefficients as new arrays; refuse them if they are not a motion with pieces that meet."""
    breaks = numbers(given_breaks, 1, "The breaks of a trajectory")
    coefficients = numbers(given_coefficients, 3, "The coefficients of a trajectory")
    pieces, terms, joints = coefficients.shape
    if pieces < 1 or terms < 1 or joints < 1 or breaks.shape != (pieces + 1,):
        raise InvalidValue(
            f"A trajectory needs k+1 breaks and coefficients (k, degree+1, n), all at least 1; found "
            f"{breaks.shape} and {coefficients.shape}.",
            shape=coefficients.shape,
        )
    steps = np.diff(breaks)
    if breaks[0] != 0.0 or ((steps <= 0.0).any() and not (pieces == 1 and steps[0] == 0.0)):
        raise InvalidValue(
            "The breaks of a trajectory must start at 0 and rise; found " + _short(breaks) + ".",
        )
    ends = horner(coefficients[:-1], steps[:-1, None])
    gaps = np.abs(coefficients[1:, 0] - ends) / (1.0 + np.abs(ends))
    if gaps.size and not gaps.max() <= JOIN:
        piece, joint = (int(i) for i in np.unravel_index(int(gaps.argmax()), gaps.shape))
        raise InvalidValue(
            f"Joint {joint + 1} jumps from {ends[piece, joint]:.9g} to "
            f"{coefficients[piece + 1, 0, joint]:.9g} at {breaks[piece + 1]:.6g} s; the pieces of a "
            f"trajectory must meet.",
            joint=joint + 1,
            time=float(breaks[piece + 1]),
        )
    return breaks, coefficients


def are_plain(breaks: Array, coefficients: Array) -> bool:
    """Whether they are arrays with the shapes of a trajectory, whatever their numbers."""
    if type(breaks) is not np.ndarray or type(coefficients) is not np.ndarray:
        return False
    if breaks.ndim != 1 or coefficients.ndim != 3 or not coefficients.size or len(breaks) != len(coefficients) + 1:
        return False
    if not breaks.dtype == coefficients.dtype == np.float64:
        return False
    return breaks.flags.c_contiguous and coefficients.flags.c_contiguous


def _short(values: Array) -> str:
    text = ", ".join(f"{value:.6g}" for value in values[:6])
    return f"{text}, …" if values.shape[0] > 6 else text
