"""Arms of generalised links: each has a length, a twist and a rotation, free, fixed or bounded (Loeff 1973).

Link i carries the frame of link i+1: a step along x by its length, a turn about x by its twist, then a turn about the
new z by its rotation (eq 2-5). Link 1 is clamped to the ground at P0, which may also move along y and z (figure 5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.planning.guidance import _kernels_guidance as kernels
from workcell.wording import counted

Array = NDArray[np.float64]
Bound: TypeAlias = "float | tuple[float, float] | None"
"""A parameter: fixed at a value, bounded by two, or free."""


def frozen(values: ArrayLike) -> Array:
    """Return the numbers as a read-only array."""
    out = np.array(values, dtype=float)
    out.flags.writeable = False
    return out


@dataclass(frozen=True, eq=False)
class LinkArm:
    """An arm of N+1 generalised links; N of them are not clamped to the ground.

    Parameters stand in one row: (a_1 … a_N+1, α_1 … α_N, θ_1 … θ_N, a_y, a_z).

    Attributes:
        low: the least values (3N+3,).
        high: the greatest values (3N+3,); a parameter whose bounds are equal is fixed.
        half_thickness: of each link (N+1,); the thesis' DIST.
    """

    low: Array
    high: Array
    half_thickness: Array

    def __post_init__(self) -> None:
        low, high = frozen(self.low), frozen(self.high)
        if low.ndim != 1 or low.shape != high.shape or len(low) < 6 or len(low) % 3:
            raise InvalidValue(
                f"An arm of N links has 3N+3 parameters, N at least 1; found {np.shape(low)} and {np.shape(high)}."
            )
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        names = self.names
        for name, least, most in zip(names, low, high, strict=True):
            if math.isnan(least) or math.isnan(most) or least > most:
                raise InvalidValue(f"The bounds of {name} are {least:g} and {most:g}; the first may not be greater.")
            if name.startswith("a_") and name not in ("a_1", "a_y", "a_z") and least < 0.0:
                raise InvalidValue(f"The length {name} is zero or more; found {least:g}.")
        thick = frozen(np.broadcast_to(np.asarray(self.half_thickness, float), (self.n + 1,)))
        if not np.all(np.isfinite(thick)) or thick.min() < 0.0:
            raise InvalidValue("The half thickness of a link is zero or more and finite.")
        object.__setattr__(self, "half_thickness", thick)

    @classmethod
    def of(
        cls,
        lengths: Sequence[Bound],
        twists: Sequence[Bound],
        rotations: Sequence[Bound],
        base: tuple[Bound, Bound] = (0.0, 0.0),
        half_thickness: ArrayLike = 0.0,
    ) -> LinkArm:
        """Return the arm with these parameters: a number fixes one, a pair bounds it, None leaves it free.

        Args:
            lengths: of all links, the clamped one first (N+1).
            twists: of all links but the last (N) [rad].
            rotations: at the ends of all links but the last (N) [rad].
            base: translations of the base along y and z.
            half_thickness: of every link, or of each (N+1,).
        """
        n = len(lengths) - 1
        if n < 1 or len(twists) != n or len(rotations) != n:
            raise InvalidValue(
                f"An arm with {counted(len(lengths), 'length')} has {max(n, 1)} twists and as many rotations; found "
                f"{len(twists)} and {len(rotations)}."
            )
        bounds = [_bounds(lengths[0], -math.inf), *(_bounds(one, 0.0) for one in lengths[1:])]
        bounds += [_bounds(one, -math.inf) for one in (*twists, *rotations, *base)]
        low, high = np.array(bounds, dtype=float).T
        return cls(low, high, np.asarray(half_thickness, float))

    @property
    def n(self) -> int:
        """The number of links that are not clamped to the ground."""
        return len(self.low) // 3 - 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in their order."""
        n = self.n
        return (
            *(f"a_{i}" for i in range(1, n + 2)),
            *(f"α_{i}" for i in range(1, n + 1)),
            *(f"θ_{i}" for i in range(1, n + 1)),
            "a_y",
            "a_z",
        )

    @property
    def moves(self) -> NDArray[np.bool_]:
        """Which parameters can change (3N+3,)."""
        return self.high > self.low

    def posture(self, rotations: ArrayLike, twists: ArrayLike | None = None, lengths: ArrayLike | None = None) -> Array:
        """Return a row of parameters; what is not given has its least value, or zero where there is none."""
        n = self.n
        x = np.clip(0.0, self.low, self.high)
        for first, count, values in ((0, n + 1, lengths), (n + 1, n, twists), (2 * n + 1, n, rotations)):
            if values is None:
                continue
            given = np.asarray(values, float)
            if given.shape != (count,):
                raise InvalidValue(f"This arm takes {count} values there; found {given.shape}.")
            x[first : first + count] = given
        return self.checked(x)

    def checked(self, x: ArrayLike) -> Array:
        """Return the row as an array.

        Raises:
            InvalidValue: it does not fit the arm, or leaves the bounds.
        """
        row = np.array(x, dtype=float)
        if row.shape != self.low.shape:
            raise InvalidValue(f"This arm has {len(self.low)} parameters; found {row.shape}.")
        if not np.all(np.isfinite(row)):
            raise InvalidValue("The parameters of an arm are finite numbers.")
        out = np.flatnonzero((row < self.low - 1e-9) | (row > self.high + 1e-9))
        if len(out):
            i = int(out[0])
            raise InvalidValue(f"{self.names[i]} is {row[i]:g}; it stays between {self.low[i]:g} and {self.high[i]:g}.")
        return row

    def end_points(self, x: ArrayLike) -> Array:
        """Return the end points P_1 … P_N+1 (N+1, 3), by eq 2-7."""
        return self.placed(x)[0]

    def placed(self, x: ArrayLike) -> tuple[Array, Array]:
        """Return the end points (N+1, 3) and the frames of the links (N+1, 3, 3), whose columns are their axes."""
        points, frames = np.empty((self.n + 1, 3)), np.empty((self.n + 1, 3, 3))
        kernels.end_points(np.asarray(x, dtype=float), points, frames)
        return points, frames


def _bounds(given: Bound, least: float) -> tuple[float, float]:
    if given is None:
        return least, math.inf
    low, high = given if isinstance(given, tuple) else (given, given)
    return float(low), float(high)
