"""Joints of a positioner that hold a seam downhand: the direction away from the work points up at the torch."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import MotionError, Unreachable
from workcell.motion.fitting import clamped_spline, free_slopes
from workcell.motion.trajectory import Trajectory
from workcell.spatial.rotations import unit

Array = NDArray[np.float64]
Turned = Callable[[Array, Array], Array]
"""Directions in the world (N, 3) of directions in the work (N, 3), for joint values (N, m)."""

_CLOSE = 1e-3
"""The greatest distance of the joints between two knots from the best values there [rad]."""
_START = 36
"""The number of parts into which a seam is cut at first."""
_JUMP = 0.8
"""A joint jumps if it moves farther than this between two of them [rad]."""
_FINEST = 1e-4
_PARALLEL = 1e-7


@dataclass(frozen=True, eq=False)
class Axes:
    """The joints that turn the work.

    Attributes:
        turned: the orientation of the work for joint values.
        directions: the directions of the joints' axes in the world when all joints are zero (m, 3).
        prismatic: whether a joint slides (m,).
        limits: lowest and highest joint values (m, 2).
    """

    turned: Turned
    directions: Array
    prismatic: tuple[bool, ...]
    limits: Array

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.prismatic)

    def solutions(self, away: Array, up: Array, near: Array) -> list[Array]:
        """Joint values that turn a direction of the work up, nearest first.

        Two turning joints are solved in closed form (Paden and Kahan's second problem), in both ways and with whole
        turns; any other mechanism by least squares from its present values.
        """
        if self.n == 2 and not any(self.prismatic):
            found = self._two(away, up, near)
            if found:
                return found
        return [self._nearest(away, up, near)]

    def _two(self, away: Array, up: Array, near: Array) -> list[Array]:
        n = self.turned(np.zeros((1, 2)), away[None, :])[0]
        a, b = self.directions
        cosine = float(a @ b)
        below = cosine * cosine - 1.0
        if abs(below) < _PARALLEL:
            return []
        alpha = (cosine * float(b @ n) - float(a @ up)) / below
        beta = (cosine * float(a @ up) - float(b @ n)) / below
        across = np.cross(a, b)
        rest = (1.0 - alpha**2 - beta**2 - 2.0 * alpha * beta * cosine) / float(across @ across)
        if rest < -1e-9:
            return []
        found = []
        for gamma in {math.sqrt(max(rest, 0.0)), -math.sqrt(max(rest, 0.0))}:
            c = alpha * a + beta * b + gamma * across
            first = _angle(a, c, up, near[0])
            second = _angle(b, n, c, near[1])
            for q in itertools.product(self._turns(0, first, near), self._turns(1, second, near)):
                found.append(np.array(q))
        return sorted(found, key=lambda q: (float(np.abs(q - near).sum()), q.tolist()))

    def _turns(self, joint: int, value: float, near: Array) -> list[float]:
        """The value with whole turns added, where the limits allow."""
        low, high = self.limits[joint]
        first, last = math.ceil((low - value) / math.tau - 1e-12), math.floor((high - value) / math.tau + 1e-12)
        # Only a few: an endless joint has very many.
        middle = min(max(round((near[joint] - value) / math.tau), first), last)
        return [value + math.tau * k for k in range(max(first, middle - 2), min(last, middle + 2) + 1)]

    def _nearest(self, away: Array, up: Array, near: Array) -> Array:
        """Least squares on the distance of the direction from up, starting at the joints and staying near them."""
        q = near.copy()
        low, high = self.limits.T
        for _ in range(60):
            rows = np.vstack([q, q + 1e-7 * np.eye(self.n)])
            got = self.turned(rows, np.tile(away, (self.n + 1, 1)))
            J = (got[1:] - got[0]).T / 1e-7
            residual = got[0] - up
            stay = 1e-9
            step = np.linalg.solve(J.T @ J + (stay + 1e-6) * np.eye(self.n), -(J.T @ residual) - stay * (q - near))
            step *= min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-12))
            moved = np.clip(q + step, low, high)
            if float(np.abs(moved - q).max()) < 1e-13:
                return moved
            q = moved
        return q


def held_downhand(
    axes: Axes, away: Callable[[Array], Array], length: float, start: Array, up: ArrayLike = (0.0, 0.0, 1.0)
) -> Trajectory:
    """Smooth joint values over the length of a seam that hold it downhand, starting from given values.

    Args:
        axes: the joints.
        away: directions away from the work (N, 3) at places (N,) [m].
        length: the length of the seam [m]; it is cut ever finer until the joints between two places are the best there.
        start: joint values at the first place, one of ``axes.solutions`` (m,).
        up: the direction in the world that counts as up.
    """
    top = unit(up, "up")
    s = np.linspace(0.0, length, _START + 1)
    q = np.empty((len(s), axes.n))
    q[0] = start
    for k, direction in enumerate(away(s)[1:], start=1):
        q[k] = _onward(axes, direction, top, q[k - 1], float(s[k]), length)
    best: dict[float, Array] = {}
    while True:
        path = Trajectory(s, clamped_spline(s, q, *free_slopes(s, q)))
        middles = 0.5 * (s[:-1] + s[1:])
        between = path.sample(middles)
        new = [k for k, middle in enumerate(middles) if float(middle) not in best]
        for k, direction in zip(new, away(middles[new]), strict=True):
            best[float(middles[k])] = axes.solutions(direction, top, between[k])[0]
        there = np.array([best[float(middle)] for middle in middles])
        off = np.abs(there - between).max(axis=1)
        poor = off > _CLOSE
        if not poor.any():
            _inside(axes, path)
            return path
        tight = int(np.where(poor, np.diff(s), np.inf).argmin())
        if s[tight + 1] - s[tight] < length * _FINEST:
            raise MotionError(
                f"The seam cannot be held downhand smoothly near {middles[tight] * 1e3:.6g} of {length * 1e3:.6g} mm "
                f"of its length: the joints of the positioner would have to jump there.",
                s=float(middles[tight]),
            )
        order = np.argsort(np.concatenate([s, middles[poor]]), kind="stable")
        s, q = np.concatenate([s, middles[poor]])[order], np.concatenate([q, there[poor]])[order]


def _onward(axes: Axes, direction: Array, up: Array, before: Array, place: float, length: float) -> Array:
    """The best joint values near those of the place before."""
    value = axes.solutions(direction, up, before)[0]
    far = np.abs(value - before)
    if far.max() > _JUMP:
        joint = int(far.argmax())
        raise MotionError(
            f"The seam cannot be held downhand past {place * 1e3:.6g} of {length * 1e3:.6g} mm of its length: joint "
            f"{joint + 1} of the positioner would have to go from {math.degrees(before[joint]):.4g}° to "
            f"{math.degrees(value[joint]):.4g}° at once.",
            s=place,
            joint=joint + 1,
        )
    return value


def _inside(axes: Axes, path: Trajectory) -> None:
    low, high = path.range()
    slack = 1e-9 * (1.0 + np.abs(axes.limits))
    out = np.maximum(axes.limits[:, 0] - slack[:, 0] - low, high - axes.limits[:, 1] - slack[:, 1])
    joint = int(out.argmax())
    if out[joint] > 0.0:
        value = low[joint] if axes.limits[joint, 0] - low[joint] > 0.0 else high[joint]
        raise Unreachable(
            f"To hold the seam downhand, joint {joint + 1} of the positioner would have to go to "
            f"{math.degrees(value):.4g}°; it moves from {math.degrees(axes.limits[joint, 0]):.4g}° to "
            f"{math.degrees(axes.limits[joint, 1]):.4g}°.",
            joint=joint + 1,
        )


def _angle(axis: Array, start: Array, end: Array, otherwise: float) -> float:
    """The angle by which a direction is turned about an axis to reach another; ``otherwise`` if neither turns."""
    u, v = start - (axis @ start) * axis, end - (axis @ end) * axis
    if min(float(np.linalg.norm(u)), float(np.linalg.norm(v))) < _PARALLEL:
        return otherwise
    return math.atan2(float(axis @ np.cross(u, v)), float(u @ v))
