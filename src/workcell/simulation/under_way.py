"""The drives of all moving devices, with summaries that need no loop over them."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable
from typing import Self

from workcell.simulation.drives import Follow
from workcell.simulation.planned import Planned

_FEW = 4
"""With this many drives or fewer, the last is found by a loop over all."""


class Drives(dict[str, Follow]):
    """Drives by the names of their devices, in the order in which the devices began to move.

    Only setting, deleting and clearing change it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tethered: set[str] = set()
        """Arms that meet or follow something."""
        self.solids: set[str] = set()
        """Solids that move on their own."""
        self.endless: set[str] = set()
        """Devices that run without end."""
        self.thesis: set[str] = set()
        """Arms that move joint by joint, so that the shown clock stops now and then."""
        self._places: dict[str, int] = {}
        self._number = itertools.count()
        self._ends: list[tuple[float, int, Follow]] = []
        self._fresh: dict[str, Follow] = {}
        """Drives that are not among the ends yet."""

    @classmethod
    def of(cls, drives: Iterable[Follow]) -> Self:
        """Make a table of these drives."""
        found = cls()
        for drive in drives:
            found[drive.name] = drive
        return found

    def __setitem__(self, name: str, drive: Follow) -> None:
        """Give a device a drive, replacing any other."""
        if name not in self:
            self._places[name] = next(self._number)
        elif self.tethered or self.solids or self.endless or self.thesis:
            self._sort_out(name)
        super().__setitem__(name, drive)
        planned = drive.planned
        if not isinstance(planned, Planned):
            self.solids.add(name)
        else:
            if planned.tether is not None:
                self.tethered.add(name)
            if planned.span is not None:
                self.thesis.add(name)
            if planned.endless:
                self.endless.add(name)
        self._fresh[name] = drive

    def __delitem__(self, name: str) -> None:
        """Remove the drive of a device at rest."""
        super().__delitem__(name)
        del self._places[name]
        self._fresh.pop(name, None)
        if self.tethered or self.solids or self.endless or self.thesis:
            self._sort_out(name)

    def clear(self) -> None:
        """Remove all drives: everything is at rest."""
        super().clear()
        for group in (self.tethered, self.solids, self.endless, self.thesis, self._places):
            group.clear()
        self._fresh.clear()
        self._ends = []

    def _sort_out(self, name: str) -> None:
        for group in (self.tethered, self.solids, self.endless, self.thesis):
            group.discard(name)

    def place(self, name: str) -> int:
        """Return a number that orders devices by when they began to move."""
        return self._places[name]

    @property
    def last(self) -> float:
        """When the last drive that ends does, by the shown clock [s]; infinite if none does."""
        if len(self) <= _FEW:
            return max((one.final for name, one in self.items() if name not in self.endless), default=-math.inf)
        for name, drive in self._fresh.items():
            if name not in self.endless:
                heapq.heappush(self._ends, (-drive.final, next(self._number), drive))
        self._fresh.clear()
        if len(self._ends) > 2 * len(self) + 64:
            self._ends = [one for one in self._ends if self.get(one[2].name) is one[2]]
            heapq.heapify(self._ends)
        while self._ends:
            late, _, drive = self._ends[0]
            if self.get(drive.name) is drive:
                return -late
            heapq.heappop(self._ends)
        return -math.inf
