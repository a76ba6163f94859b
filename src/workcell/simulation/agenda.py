"""What is to come: a queue of instants in whole nanoseconds, and what is to be done at each."""

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
    """The order of what is to come at one instant."""

    END = 0
    SENSOR = 1
    FAULT = 2
    CALLBACK = 3


class Agenda:
    """Actions by their instants; at one instant in the order of their kinds, and of when they were entered."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, int, Action]] = []
        self._number = itertools.count()

    def enter(self, time: int, kind: Kind, action: Action) -> None:
        """Let something be done at an instant [ns]."""
        heapq.heappush(self._entries, (time, kind, next(self._number), action))

    def clear(self) -> None:
        """Let nothing be to come."""
        self._entries = []

    @property
    def next(self) -> float:
        """The instant of what comes next [ns]; never where nothing does."""
        return self._entries[0][0] if self._entries else math.inf

    def do(self, now: int) -> None:
        """Do what is to be done up to now [ns], also what is entered meanwhile."""
        while self._entries and self._entries[0][0] <= now:
            heapq.heappop(self._entries)[3]()

    @property
    def actions(self) -> list[Action]:
        """What is to be done, in order."""
        return [action for *_, action in sorted(self._entries, key=itemgetter(0, 1, 2))]
