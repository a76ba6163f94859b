"""Shorter and rounder: stretches of a path replaced by straight ones, corners rounded as far as the scene allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.motion.path import JointPath, rounded_corners
from workcell.motion.trajectory import pieced
from workcell.planning.planners import Query

Array = NDArray[np.float64]

TRIES = 24
"""How many shortcuts are tried at most."""
_ROUND = 0.45
"""How much of the shorter segment beside it a rounded corner takes at most."""
_SHORT = 1e-9
"""Waypoints nearer than this are one [rad or m]."""


def shortened(query: Query, waypoints: Array, tries: int) -> Array:
    """The waypoints of a shorter path between the same ends (M, n)."""
    from workcell.planning import _kernels_shorten as kernels

    points = np.empty((2 * len(waypoints) + 64, query.space.n))
    points[: len(waypoints)] = waypoints
    seed = np.array([query.seed ^ 0x5DEECE66D], dtype=np.uint64)
    count = kernels.shorten(
        query.scene, query.space.base_row.copy(), query.space.columns, query.space.weights, points, len(waypoints),
        query.step, seed, tries, query.met, query.counts,
    )  # fmt: skip
    return without_stops(points[:count])


def without_stops(waypoints: Array) -> Array:
    """The waypoints without those that repeat the one before."""
    moves = np.abs(np.diff(waypoints, axis=0)).max(axis=1, initial=0.0) > _SHORT
    kept = waypoints[np.concatenate([[True], moves])]
    if len(kept) > 1 and not moves[-1]:
        kept[-1] = waypoints[-1]
    return np.array(kept)


class RoundedPath:
    """A polyline whose corners are rounded, each by its own radius.

    Args:
        waypoints: (N, n), neighbours different.
        radii: how far from each corner the rounding begins (N−2,), in joint space.
    """

    def __init__(self, waypoints: Array, radii: Array) -> None:
        self.waypoints, self.radii = waypoints, radii
        steps = np.diff(waypoints, axis=0)
        lengths = np.linalg.norm(steps, axis=1)
        units = steps / lengths[:, None]
        cuts = np.concatenate([[0.0], radii, [0.0]])
        straight = lengths - cuts[:-1] - cuts[1:]
        # Straight pieces and corners in turns; those without a length are left out.
        pieces = np.zeros((2 * len(lengths) - 1, 5, waypoints.shape[1]))
        sizes, owners = np.empty(len(pieces)), np.empty(len(pieces), dtype=np.int64)
        pieces[::2, 0], pieces[::2, 1] = waypoints[:-1] + cuts[:-1, None] * units, units
        sizes[::2], owners[::2] = straight, -1 - np.arange(len(lengths))
        kept = np.empty(len(pieces), dtype=bool)
        kept[::2], kept[1::2] = straight > 1e-9 * lengths, radii > 0.0
        sizes[1::2], owners[1::2] = 2.0 * radii, np.arange(len(radii))
        if kept[1::2].any():
            pieces[1::2] = rounded_corners(waypoints[1:-1], units[:-1], units[1:], np.where(radii > 0.0, radii, 1.0))
        else:
            pieces = pieces[:, :2]
        self.path = JointPath(pieced(np.concatenate([[0.0], np.cumsum(sizes[kept])]), pieces[kept]))
        self._owners = owners[kept]

    def owner(self, s: float) -> int:
        """What is at a place of the path: a corner, counted from 0, or −1 − the number of a straight segment."""
        piece = int(np.searchsorted(self.path.curve.breaks, s, side="right")) - 1
        return int(self._owners[min(max(piece, 0), len(self._owners) - 1)])


def rounded(query: Query, waypoints: Array) -> Array:
    """The radii of the corners (N−2,): the widest that keep clear at samples, halved until they do."""
    from workcell.planning import _kernels_shorten as kernels

    lengths = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
    radii = _ROUND * np.minimum(lengths[:-1], lengths[1:])
    if len(radii):
        space = query.space
        kernels.round_corners(
            query.scene, space.base_row.copy(), space.columns, waypoints, radii, query.met, query.counts
        )
    return np.asarray(radii)
