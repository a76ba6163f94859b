"""Columns of a recording: times and rows that grow, with interpolation between samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.spatial import rotations

Array = NDArray[np.float64]


class Column:
    """Samples in the order of time. The arrays double when they are full, so adding and seeking copy nothing.

    Args:
        width: how many numbers a row has.
    """

    def __init__(self, width: int) -> None:
        self._times, self._rows = np.empty(8), np.empty((8, width))
        self._count, self._own = 0, True

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> Array:
        """The times (N,) [s], read-only."""
        view = self._times[: self._count]
        view.flags.writeable = False
        return view

    @property
    def rows(self) -> Array:
        """The rows (N, width), read-only."""
        view = self._rows[: self._count]
        view.flags.writeable = False
        return view

    def add(self, times: Array, rows: Array) -> None:
        """Append samples."""
        count = self._count + len(times)
        if count > len(self._times) or not self._own:
            size = max(2 * count, 8)
            for name in ("_times", "_rows"):
                old = getattr(self, name)
                new = np.empty((size, *old.shape[1:]))
                new[: self._count] = old[: self._count]
                setattr(self, name, new)
            self._own = True
        self._times[self._count : count] = times
        self._rows[self._count : count] = rows
        self._count = count

    def copy(self, count: int | None = None) -> Column:
        """Return the samples so far, or the first ``count`` of them. Both share memory until the copy grows."""
        other = Column.__new__(Column)
        other._times, other._rows, other._own = self._times, self._rows, False
        other._count = self._count if count is None else count
        return other

    def at(self, times: Array) -> Array:
        """Return rows at any times (N, width), linear between samples; if two share an instant, the later one."""
        known, rows = self.times, self.rows
        after = np.clip(np.searchsorted(known, times, side="right"), 1, max(len(known) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(known) - 1)
        span = known[after] - known[before]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(span > 0.0, (times - known[before]) / span, times >= known[before])
        share = np.clip(share, 0.0, 1.0)[:, None]
        return np.where(share < 1.0, rows[before] + share * (rows[after] - rows[before]), rows[after])


def pose_between(column: Column, time: float) -> Array:
    """Return the pose at a time (12,) from a column of poses: linear position and even rotation between samples."""
    known, rows = column.times, column.rows
    after = min(int(np.searchsorted(known, time, side="right")), len(known) - 1)
    before = max(after - 1, 0)
    span = known[after] - known[before]
    share = min(max((time - known[before]) / span, 0.0), 1.0) if span > 0.0 else 1.0
    return np.asarray(rows[after]) if share >= 1.0 else between(rows[before], rows[after], share)


def between(one: Array, other: Array, share: float) -> Array:
    """Return the pose at a fraction of the way from one pose to another (12,): linear position and even rotation."""
    if share <= 0.0:
        return one
    first, last = one.reshape(3, 4), other.reshape(3, 4)
    out = np.empty((3, 4))
    out[:, 3] = first[:, 3] + share * (last[:, 3] - first[:, 3])
    vector = rotations.to_rotation_vector(first[:, :3].T @ last[:, :3])
    angle = float(np.linalg.norm(vector))
    out[:, :3] = first[:, :3] @ rotations.about_vector(vector, share * angle) if angle > 1e-12 else first[:, :3]
    return out.ravel()
