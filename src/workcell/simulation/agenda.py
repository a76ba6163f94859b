"""A queue of actions, ordered by instant in whole nanoseconds."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from enum import IntEnum
from operator import itemgetter
from typing import TypeAlias

Action: TypeAlias = Callable[[], None]


class Kind(IntEnum):
    """The order of actions at one instant."""

    END = 0
    SENSOR = 1
    FAULT = 2
    CALLBACK = 3


class Agenda:
    """Actions by their instants; at one instant, in the order of their kinds and of their entry."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, int, Action]] = []
        self._number = itertools.count()

    def enter(self, time: int, kind: Kind, action: Action) -> None:
        """Enter an action for an instant [ns]."""
        heapq.heappush(self._entries, (time, kind, next(self._number), action))

    def clear(self) -> None:
        """Remove all actions."""
        self._entries = []

    @property
    def next(self) -> float:
        """The instant of the next action [ns]; infinite if there is none."""
        return self._entries[0][0] if self._entries else math.inf

    def do(self, now: int) -> None:
        """Do all actions up to now [ns], including those that are entered meanwhile."""
        entries = self._entries
        while entries and entries[0][0] <= now:
            heapq.heappop(entries)[3]()
            entries = self._entries  # an action may clear it

    @property
    def actions(self) -> list[Action]:
        """The actions, in order."""
        return [action for *_, action in sorted(self._entries, key=itemgetter(0, 1, 2))]
