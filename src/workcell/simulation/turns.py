"""Whose turn it is: at one instant threads go on in rounds, each round in the order in which they were declared.

A thread that wakes behind the one whose turn it is still goes on in the round, any other in the next one. What a round
costs depends on the threads that are awake, not on how many there are.
"""

from __future__ import annotations

import heapq
import itertools
import operator
from collections import Counter
from collections.abc import Iterable, Sequence

from workcell.simulation.sleepers import Sleepers
from workcell.simulation.threads import Thread

_ORDER = operator.attrgetter("order")


class Turns:
    """The threads of a run that are awake, and those that are still to go on in this round.

    Args:
        sleepers: the threads that are not awake.
    """

    def __init__(self, sleepers: Sleepers) -> None:
        self._sleepers = sleepers
        self.awake: dict[Thread, None] = {}
        """Threads under way that do not sleep."""
        self._left: list[tuple[tuple[int, ...], int, Thread]] = []
        self._place: tuple[int, ...] | None = None
        """The place of whose turn it is; None between two rounds."""
        self._late: set[Thread] = set()
        """Threads that were begun in this round, or were not to go on in it."""
        self._branches: Counter[Thread] = Counter()
        """How many branches of each thread are under way."""
        self._number = itertools.count()

    # ---- who is under way -------------------------------------------------------------------------------

    def begin(self, thread: Thread) -> None:
        """A thread begins; it has its first turn in the next round."""
        self.awake[thread] = None
        self._late.add(thread)
        if thread.parent is not None:
            self._branches[thread.parent] += 1

    def end(self, thread: Thread) -> None:
        """A thread is over; who waits for the last of its branches wakes."""
        self.stir()
        self.awake.pop(thread, None)
        self._late.discard(thread)
        parent = thread.parent
        if parent is not None:
            self._branches[parent] -= 1
            if not self._branches[parent]:
                del self._branches[parent]
                self._sleepers.rouse(parent)

    def branches(self, thread: Thread) -> bool:
        """Whether branches of a thread are under way."""
        return thread in self._branches

    def reset(self, threads: Iterable[Thread], left: Sequence[Thread] = ()) -> None:
        """Have these threads and no others, all awake; those that are left still go on in the round."""
        self._sleepers.clear()
        self._sleepers.woken.clear()
        self.awake.clear()
        self.awake.update(dict.fromkeys(threads))
        self._branches = Counter(one.parent for one in self.awake if one.parent is not None)
        self._place = left[0].order if left else None
        self._late = self.awake.keys() - set(left) if left else set()
        self._left = []
        for thread in left:
            if thread in self.awake:
                self._push(thread)

    # ---- rounds -----------------------------------------------------------------------------------------

    def begin_round(self) -> None:
        """Let all that are awake go on, in their order."""
        self._late.clear()
        self._place = ()
        self._left = [(thread.order, next(self._number), thread) for thread in self.awake]
        heapq.heapify(self._left)

    def take(self) -> Thread | None:
        """The thread whose turn comes next; None where the round is over."""
        self.stir()
        while self._left:
            thread = heapq.heappop(self._left)[2]
            if thread in self.awake:
                self._place = thread.order
                return thread
        self._place = None
        self._late.clear()
        return None

    def stand(self, thread: Thread) -> None:
        """Let the turn of a thread go on later."""
        self._push(thread)

    def wait(self, thread: Thread) -> None:
        """A thread cannot go on: it sleeps, if it is known what wakes it."""
        self._sleepers.add(thread)
        if thread in self._sleepers.asleep:
            self.awake.pop(thread, None)

    def stir(self) -> None:
        """Take note of threads that woke."""
        woken = self._sleepers.woken
        if woken:
            for thread in woken:
                self.awake[thread] = None
                if self._place is not None and thread.order > self._place and thread not in self._late:
                    self._push(thread)
            woken.clear()

    def left(self, threads: Iterable[Thread]) -> list[Thread]:
        """Those of all threads that are still to go on in this round, the one whose turn it is first."""
        if self._place is None:
            return []
        place = self._place
        return sorted((one for one in threads if one.order >= place and one not in self._late), key=_ORDER)

    def _push(self, thread: Thread) -> None:
        heapq.heappush(self._left, (thread.order, next(self._number), thread))
