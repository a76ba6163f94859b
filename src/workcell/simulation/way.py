"""The way of one robot or solid through a recording: pieces in the order of time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from workcell.motion.chained import Chained, JointMotion
from workcell.motion.trajectory import Trajectory
from workcell.simulation.pieces import Piece

Array = NDArray[np.float64]
_MEET = 5e-10
"""The greatest gap between consecutive pieces of one motion [rad or m]."""


class Way:
    """Pieces in the order of time; between two of them the device stays where the first one ends.

    Args:
        start: where the device is before the first piece; unknown for a solid.
        begin: when the recording begins [s].
    """

    def __init__(self, start: Array | None, begin: float) -> None:
        self.start, self.begin = start, begin
        self.pieces: list[Piece] = []
        self._begins: list[float] = []
        self._known: tuple[int, float, Array, Array] | None = None

    def add(self, piece: Piece) -> bool:
        """Append a piece, or extend the last one; return whether it is a new one."""
        if self.pieces and self.pieces[-1].goes_on(piece):
            self.pieces[-1] = self.pieces[-1].with_end(piece)
            return False
        self.pieces.append(piece)
        self._begins.append(piece.begin)
        return True

    @property
    def mark(self) -> tuple[int, float]:
        """Return the present length: how many pieces, and when the last one ends [s]."""
        return len(self.pieces), self.pieces[-1].end if self.pieces else self.begin

    def copy(self, mark: tuple[int, float] | None = None) -> Way:
        """Return a copy, or the way up to a mark."""
        other = Way(self.start, self.begin)
        count, end = self.mark if mark is None else mark
        other.pieces, other._begins = self.pieces[:count], self._begins[:count]
        if other.pieces and other.pieces[-1].end > end:
            other.pieces[-1] = other.pieces[-1].cut(end)
        return other

    @property
    def size(self) -> int:
        """Its approximate memory [bytes]."""
        return sum(piece.size for piece in self.pieces)

    @property
    def solid(self) -> bool:
        """Whether it belongs to a solid."""
        return bool(self.pieces) and self.pieces[0].solid

    def samples(self) -> tuple[Array, Array]:
        """Return the frames (N,) [s] and where the device is (N, width); every piece with its beginning and end."""
        count, end = self.mark
        if self._known is None or self._known[:2] != (count, end):
            times, rows = [], []
            if self.start is not None:
                times.append(np.array([self.begin]))
                rows.append(self.start[None, :])
            for piece in self.pieces:
                shown = piece.times
                times += [np.array([piece.begin]), shown]
                rows += [piece.first[None, :], piece.at(shown) if not piece.jumps else piece.last[None, :]]
            found = np.concatenate(times), np.concatenate(rows)
            for array in found:
                array.flags.writeable = False
            self._known = count, end, *found
        return self._known[2:]

    def at(self, times: Array) -> Array:
        """Return where the device is at any times (N, width); where two pieces meet, the beginning of the later one."""
        width = len(self.start if self.start is not None else self.pieces[0].first)
        out = np.empty((len(times), width))
        which = np.searchsorted(self._begins, times, side="right") - 1
        ranks = np.argsort(which, kind="stable")
        places, firsts = np.unique(which[ranks], return_index=True)
        for place, mine in zip(places.tolist(), np.split(ranks, firsts[1:]), strict=True):
            if place < 0:
                out[mine] = self.start if self.start is not None else self.pieces[0].first
            else:
                out[mine] = self.pieces[place].at(times[mine])
        return out

    def one(self, time: float) -> Array:
        """Return where the device is at a time (width,)."""
        place = bisect_right(self._begins, time) - 1
        if place < 0:
            return self.start if self.start is not None else self.pieces[0].first
        return self.pieces[place].one(time)

    def before(self, time: float) -> Array:
        """Return where the device is just before an instant (width,), without what begins or jumps then."""
        place = bisect_left(self._begins, time) - 1
        if place < 0:
            return self.start if self.start is not None else self.pieces[0].first
        return self.pieces[place].one(time)

    def piece_at(self, time: float, *, coming: bool = False) -> Piece | None:
        """Return the piece in which the device moves at a time [s], if it does; with ``coming``, just before it."""
        place = (bisect_left if coming else bisect_right)(self._begins, time) - 1
        if place < 0:
            return None
        piece = self.pieces[place]
        return piece if (time <= piece.end if coming else time < piece.end) else None

    def between(self, begin: float, end: float) -> list[Piece]:
        """Return the pieces that take time and overlap an interval [s]."""
        first = max(bisect_right(self._begins, begin) - 1, 0)
        last = bisect_left(self._begins, end)
        return [one for one in self.pieces[first:last] if one.end > begin and not one.jumps]

    def window(self, begin: float, end: float) -> JointMotion:
        """Return the joints from an instant to a later one as a motion that starts at time 0.

        No jump may be between.
        """
        at, parts = begin, list[JointMotion]()
        for piece in self.between(begin, end):
            first, last = max(piece.begin, begin), min(piece.end, end)
            if first > at:
                parts.append(Trajectory.constant(parts[-1].end if parts else self.one(at), first - at))
            parts.append(piece.window(first, last))
            at = last
        if end > at or not parts:
            parts.append(Trajectory.constant(parts[-1].end if parts else self.one(begin), end - at))
        return Chained.of(parts)

    def jumps(self) -> list[float]:
        """Return the instants at which the device jumps [s], even by a rounding error, as tables may."""
        found, before = set(), self.start
        for piece in self.pieces:
            ends = piece.last if piece.jumps or piece.solid else piece.window(piece.end, piece.end).start
            starts = piece.last if piece.jumps or piece.solid else piece.window(piece.begin, piece.begin).start
            if piece.jumps or (before is not None and np.abs(starts - before).max() > _MEET):
                found.add(piece.begin)
            if np.abs(ends - piece.last).max() > _MEET:
                found.add(piece.end)
            before = piece.last
        return sorted(found)
