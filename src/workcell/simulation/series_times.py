"""Times at which a curve over a recording shows all that happens: where formulas change, and the extremes between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.recording import Recording
from workcell.simulation.series import changes, joint_series
from workcell.simulation.way import Way

Array = NDArray[np.float64]
Curves: TypeAlias = Callable[[Array], Array]
_BEFORE = 1e-9
"""How long before an instant its left side is looked at [s]: the clock counts whole nanoseconds."""
_MOST = 100_000
"""The most times that are looked at to choose among them."""
_FINEST = 16
"""The most parts in which the time between two changes of a formula is looked at."""
_GRID = np.linspace(0.0, 1.0, 9)
_ROUNDS = 4
"""How often the time around an extreme is made four times shorter: to about a thousandth of such a part."""
_FIRST_SHARE = 0.7
"""The share of the times of a costly curve that is chosen before any of its values is known."""


def telling_times(ways: Iterable[Way], begin: float, end: float, columns: int, curves: Curves) -> tuple[Array, Array]:
    """Return times (N,) [s] for curves that are drawn in some columns of pixels, and their values (N, n).

    In each column, the least and the greatest value of every curve are among them. Around a jump, both sides are.

    Args:
        ways: the motions that the curves depend on.
        begin: the first time [s].
        end: the last time [s].
        columns: how many columns.
        curves: gives the values (N, n) at any times (N,).
    """
    times = _looked_at(ways, begin, end)
    values = curves(times)
    kept = _kept(times, values, columns)
    chosen = np.union1d(times[kept], _refined(times, values, kept, curves))
    return chosen, curves(chosen)


def costly_times(recording: Recording, begin: float, end: float, most: int, curve: Curves) -> tuple[Array, Array]:
    """Return at most so many times (N,) [s] for a curve that costs much to compute, and its values (N, 1).

    The first are chosen by the speeds of all joints: where robots are fastest and where they rest. The others
    are in the middle of the greatest steps of the curve.
    """
    times = _looked_at([recording.way(name) for name in (*recording.robots, *recording.solids)], begin, end)
    if len(times) > (wanted := max(2, int(_FIRST_SHARE * most))):
        rates = np.zeros(len(times))
        for name in recording.robots:
            rates += np.abs(joint_series(recording, name, times, 1)).sum(axis=1)
        times = times[_kept(times, rates[:, None], max(1, wanted // 4))]
    values = curve(times)
    known = np.where(np.isfinite(values[:, 0]), values[:, 0], 0.0)
    steep = np.argsort(-np.abs(np.diff(known)))[: max(0, most - len(times))]
    steep = steep[np.diff(times)[steep] > 2.0 * _BEFORE]
    between = np.sort(0.5 * (times[steep] + times[steep + 1]))
    if len(between):
        times, values = np.concatenate([times, between]), np.concatenate([values, curve(between)])
    ranks = np.argsort(times, kind="stable")
    return times[ranks], values[ranks]


def _looked_at(ways: Iterable[Way], begin: float, end: float) -> Array:
    """Return the instants at which a formula changes, the left sides of these, and times between."""
    corners = changes(ways)
    corners = np.unique(np.concatenate([[begin, end], corners[(corners > begin) & (corners < end)]]))
    parts = int(np.clip(_MOST // max(1, len(corners)), 1, _FINEST))
    steps = np.diff(corners)
    inside = [corners[:-1] + share * steps for share in np.arange(1, parts) / parts]
    left = corners[1:] - _BEFORE
    times = np.unique(np.concatenate([corners, left[left > corners[:-1]], *inside]))
    return np.asarray(times)


def _kept(times: Array, values: Array, columns: int) -> NDArray[np.intp]:
    """Return the rows to draw in some columns: the first and the last of each, and the extremes of every curve."""
    edges = np.searchsorted(times, np.linspace(times[0], times[-1], columns + 1)[1:-1])
    kept: set[int] = {0, len(times) - 1}
    for first, last in pairwise([0, *edges.tolist(), len(times)]):
        if last - first <= 2 + values.shape[1]:
            kept.update(range(first, last))
            continue
        part = values[first:last]
        kept.update((first, last - 1))
        kept.update((first + np.concatenate([part.argmin(axis=0), part.argmax(axis=0)])).tolist())
    return np.array(sorted(kept), dtype=np.intp)


def _refined(times: Array, values: Array, kept: NDArray[np.intp], curves: Curves) -> Array:
    """Return the times of the extremes that lie beside chosen rows, between the times that were looked at."""
    rows = kept[(kept > 0) & (kept < len(times) - 1)]
    before, here, after = values[rows - 1], values[rows], values[rows + 1]
    top = (here >= before) & (here >= after) & ((here > before) | (here > after))
    low = (here <= before) & (here <= after) & ((here < before) | (here < after))
    which, joint = np.nonzero(top | low)
    begins, ends = times[rows[which] - 1], times[rows[which] + 1]
    wide = ends - begins > 1e-6
    which, joint, begins, ends = which[wide], joint[wide], begins[wide], ends[wide]
    if not len(which):
        return np.empty(0)
    sign = np.where(top[which, joint], 1.0, -1.0)[:, None]
    mine = np.arange(len(which))
    for _ in range(_ROUNDS):
        grid = begins[:, None] + (ends - begins)[:, None] * _GRID
        found = curves(grid.ravel()).reshape(*grid.shape, -1)
        best = (sign * found[mine, :, joint]).argmax(axis=1)
        begins, ends = grid[mine, np.maximum(best - 1, 0)], grid[mine, np.minimum(best + 1, len(_GRID) - 1)]
    return np.asarray(grid[mine, best])
