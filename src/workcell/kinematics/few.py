"""Arms with fewer than six joints, solved as six-joint arms with imaginary joints that must stay at zero.

A SCARA, a palletiser, a planar arm or a 5-axis arm gets further axes that complete it to a family with a closed
form. Solutions of that form are kept if their imaginary joints are zero. The imaginary axes are placed so that zero
is never one of their singular values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workcell.kinematics.dh import Chain, FloatArray, arm_of
from workcell.kinematics.solutions import UNNAMED, Naming
from workcell.kinematics.structure import axes_at_zero, reach_of, recognise, tool_at_zero

Flags = NDArray[np.uint8]
Axes = list[tuple[FloatArray, FloatArray, bool]]

_NEAR = 1e-5
"""Solutions whose imaginary joints are this close to zero are tried; those that miss the pose are dropped."""


class WholeSolver(Protocol):
    """The closed form of a six-joint chain."""

    naming: Naming

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """Joint values and flags of every branch at each pose."""


class Completed:
    """A chain of fewer than six joints, and the solvers of the six-joint chains that contain it."""

    slots = 8

    def __init__(self, chain: Chain, wholes: Sequence[tuple[WholeSolver, list[int]]]) -> None:
        self.chain = chain
        self.wholes = wholes
        self.naming: Naming = wholes[0][0].naming

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """Solve the completed arm; where it is singular, also the one with the other imaginary axes."""
        Q, flags = self._one(0, poses)
        if len(self.wholes) > 1:
            doubtful = np.flatnonzero((flags & 14).any(axis=1) | ~flags.any(axis=1))
            if doubtful.size:
                more, marks = self._one(1, poses[doubtful])
                for k, number in enumerate(doubtful):
                    _add(Q[number], flags[number], more[k], marks[k], self.chain.prismatic)
        return Q, flags

    def _one(self, number: int, poses: FloatArray) -> tuple[FloatArray, Flags]:
        from workcell.kinematics import _kernels_numeric as kernel

        solver, places = self.wholes[number]
        whole, flags = solver.solve(poses)
        imaginary = [j for j in range(6) if j not in places]
        with np.errstate(invalid="ignore"):
            still = (np.abs(whole[..., imaginary]) < _NEAR).all(axis=-1)
        flags = np.where(still, flags, 0).astype(np.uint8)
        Q = np.ascontiguousarray(whole[..., places])
        Q[~still] = np.nan
        arm, slides, base, tool = arm_of(self.chain)
        kernel.settle(arm, slides, base, tool, np.array(poses), reach_of(self.chain), Q, flags)
        return Q, flags


def _add(Q: FloatArray, flags: Flags, more: FloatArray, marks: Flags, prismatic: NDArray[np.bool_]) -> None:
    """Put the solutions of one list that another lacks into its free slots."""
    for k in np.flatnonzero(marks):
        gap = np.abs(Q[flags > 0] - more[k])
        gap = np.where(prismatic, gap, np.minimum(gap, np.abs(gap - 2.0 * np.pi)))
        if (gap < 1e-6).all(axis=1).any():
            continue
        slot = int(k) if not flags[k] else int(np.argmin(flags))
        if not flags[slot]:
            Q[slot] = more[k]
            flags[slot] = marks[k] | (0 if slot == k else UNNAMED)


def completions(chain: Chain) -> list[tuple[Chain, list[int]]]:
    """Up to two six-joint chains with a closed form that contain an arm, and the positions of its joints in them."""
    tool = tool_at_zero(chain)
    wholes: list[tuple[Chain, list[int]]] = []
    for axes, places in _completions(chain, tool.xyz):
        points, directions, slides = zip(*axes, strict=True)
        whole = Chain.from_axes(np.array(points), np.array(directions), list(slides), tool)
        family = recognise(whole)
        if family.family in ("puma", "parallel", "wrist") and not family.reverse:
            wholes.append((whole, places))
            if len(wholes) == 2:
                break
    return wholes


def _completions(chain: Chain, tip: FloatArray) -> list[tuple[Axes, list[int]]]:
    """Lists of six axes that contain the chain's, and the positions of its joints in them."""
    points, directions = axes_at_zero(chain)
    real: Axes = [(p, z, bool(s)) for p, z, s in zip(points, directions, chain.prismatic, strict=True)]
    n = chain.n
    results: list[tuple[Axes, list[int]]] = []
    parallel = all(abs(abs(float(z @ directions[0])) - 1.0) < 1e-9 for z in directions)
    if parallel and 2 <= n <= 4:
        # Sliding along the common direction commutes with turning about it, so it may be third.
        turns = [j for j in range(n) if not real[j][2]]
        slides = [j for j in range(n) if real[j][2]]
        if len(turns) in (2, 3) and len(slides) <= 1:
            third = real[slides[0]] if slides else (tip, directions[0], True)
            axes = [real[turns[0]], real[turns[1]], third]
            axes += _wrist(tip, directions[0]) if len(turns) == 2 else [real[turns[2]]]
            if len(turns) == 3:
                axes += _across(real[turns[2]])
            order = turns[:2] + slides + turns[2:]
            spots = [0, 1] + ([2] if slides else []) + ([3] if len(turns) == 3 else [])
            places = [spots[order.index(j)] for j in range(n)]
            return [(axes, places)]
    if n == 5:
        crossing = _meeting(real[3], real[4])
        for turn in (0.0, 0.5 * np.pi):
            x = _perpendicular(real[4][1], turn)
            results.append(([*real, (crossing, x, False)], [0, 1, 2, 3, 4]))
    elif n == 4:
        results.append(([*real, *_across(real[3])], [0, 1, 2, 3]))
    elif n == 3:
        results.append(([*real, *_wrist(tip, directions[-1])], [0, 1, 2]))
    elif n == 2:
        for along in (directions[0], directions[1], np.cross(directions[0], directions[1]), np.eye(3)[0], np.eye(3)[1]):
            if np.linalg.norm(along) > 1e-6:
                results.append(([*real, (tip, along, True), *_wrist(tip, directions[-1])], [0, 1]))
    return results


def _perpendicular(z: FloatArray, turn: float) -> FloatArray:
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = helper - z * float(helper @ z)
    x = x / np.linalg.norm(x)
    return np.asarray(np.cos(turn) * x + np.sin(turn) * np.cross(z, x))


def _wrist(point: FloatArray, z: FloatArray) -> Axes:
    """Three mutually perpendicular imaginary axes through a point."""
    x = _perpendicular(z, 0.0)
    return [(point, z, False), (point, x, False), (point, np.cross(z, x), False)]


def _across(axis: tuple[FloatArray, FloatArray, bool]) -> Axes:
    """Two imaginary axes that meet a real one and are perpendicular to it and to each other."""
    point, z, _ = axis
    x = _perpendicular(z, 0.0)
    return [(point, x, False), (point, np.cross(z, x), False)]


def _meeting(first: tuple[FloatArray, FloatArray, bool], second: tuple[FloatArray, FloatArray, bool]) -> FloatArray:
    """The point of the second axis that is nearest to the first."""
    p1, z1, _ = first
    p2, z2, _ = second
    cross = np.cross(z1, z2)
    square = float(cross @ cross)
    if square < 1e-18:
        return p2
    return np.asarray(p2 + z2 * float(np.linalg.det(np.stack([p2 - p1, z1, cross]))) / square)
