"""The ways in which a hand can hold a part: at its grasps, or along the axes of its frame if it has none."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.robots.gripper import Gripper
from workcell.robots.hand import Hand
from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.grasps import Grasp

Array = NDArray[np.float64]

_SHAPE = 1e-4
"""The tolerance of the meshes that are measured between the fingers [m]."""
_TIPS = 5e-4
"""How far the tips of the fingers stay from the far side of a part that has no grasps [m]."""
_OUTSIDE = 8e-3
"""How far the grip point may be outside a thin part that has no grasps [m]."""


@dataclass(frozen=True)
class Hold:
    """A way to hold a part.

    Attributes:
        grasp: the name of the grasp; '' for a part without grasps.
        X_part_grip: the grip point of the hand in the frame of the part.
        opening: the distance between the fingers when they move in [m]; None for a hand without fingers.
    """

    grasp: str
    X_part_grip: Pose
    opening: float | None

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.grasp:
            return f"grasp {self.grasp}"
        axis = self.X_part_grip.rotation[:, 2]
        k = int(np.abs(axis).argmax())
        return f"along {'+' if axis[k] > 0.0 else '-'}{'xyz'[k]}"


@dataclass(frozen=True)
class Misfit:
    """A grasp at which a hand cannot hold a part, and why."""

    grasp: str
    reason: str


def holds_of(body: Body, grasps: tuple[Grasp, ...], hand: Hand, gap: float) -> tuple[list[Hold], list[Misfit]]:
    """Return the ways in which a hand can hold a part, the first grasp first, and the grasps that do not fit.

    Args:
        body: the part.
        grasps: its grasps.
        hand: the fingers, cups or magnets.
        gap: how much farther than needed fingers open when they move in [m].
    """
    vertices = body.mesh(_SHAPE).vertices
    found: list[Hold] = []
    misfits: list[Misfit] = []
    for grasp in grasps or _by_frame(vertices, hand):
        name = grasp.name or _named(grasp)
        if not isinstance(hand, Gripper):
            found += [Hold(grasp.name, X, None) for X in _turned(grasp.X_body_hand)]
            continue
        across = vertices @ grasp.X_body_hand.rotation[:, 0]
        width = grasp.opening or float(across.max() - across.min())
        if not hand.least - 1e-9 <= width <= hand.opening + 1e-9:
            misfits.append(Misfit(name, _width_words(width, hand)))
            continue
        wanted = grasp.approach or (hand.opening if grasp.opening is None else grasp.opening + gap)
        opening = min(max(wanted, width), hand.opening)
        found += [Hold(grasp.name, X, opening) for X in _turned(grasp.X_body_hand)]
    return found, misfits


def _named(grasp: Grasp) -> str:
    return Hold("", grasp.X_body_hand, None).name


def _width_words(width: float, hand: Gripper) -> str:
    wide = width > hand.opening
    bound, verb = (hand.opening, "open") if wide else (hand.least, "close to")
    return (
        f"the part is {width * 1e3:.4g} mm wide between the fingers, and they {verb} "
        f"{'only ' if wide else ''}{bound * 1e3:.4g} mm"
    )


def _turned(X: Pose) -> Iterator[Pose]:
    """Yield a pose of the hand and half a turn about its approach, which holds the same."""
    yield X
    yield X @ Pose.from_axis_angle((0.0, 0.0, 1.0), math.pi)


def _by_frame(vertices: Array, hand: Hand) -> Iterator[Grasp]:
    """Yield grasps along the axes of the frame of a part, from above in its frame first."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    centre, size = 0.5 * (low + high), high - low
    for axis, sign in ((2, -1.0), (0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0), (2, 1.0)):
        approach = np.zeros(3)
        approach[axis] = sign
        depth = _depth(float(size[axis]), hand)
        if depth is None:
            continue
        place = centre - approach * (0.5 * size[axis] - depth)
        for closing in [k for k in range(3) if k != axis]:
            x = np.zeros(3)
            x[closing] = 1.0
            R = np.stack([x, np.cross(approach, x), approach], axis=1)
            yield Grasp("", Pose.from_rotation(R, place))


def _depth(size: float, hand: Hand) -> float | None:
    """Return how deep the grip point goes below the near face of a part [m]; None where it cannot hold."""
    if not isinstance(hand, Gripper):
        return 0.0
    depth = min(0.5 * size, 0.5 * hand.pad, size - 0.5 * hand.pad - _TIPS)
    return depth if depth >= -_OUTSIDE else None


def grouped(holds: list[Hold]) -> list[list[Hold]]:
    """Return holds in groups of one opening of the fingers, in their order."""
    openings = list(dict.fromkeys(one.opening for one in holds))
    return [[one for one in holds if one.opening == opening] for opening in openings]


def names_of(holds: list[Hold]) -> list[str]:
    """Return the names of holds, each once."""
    return list(dict.fromkeys(name for name, _ in itertools.groupby(holds, key=lambda one: one.name)))
