"""Whose turn it is: at one instant threads continue in rounds, each round in the order in which they were declared.

A thread that wakes behind the current one still continues in this round, any other in the next one. The cost of a
round depends on the threads that are awake, not on how many there are.
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
    """The awake threads of a run, and those that still have to continue in this round.

    Args:
        sleepers: the threads that are not awake.
    """

    def __init__(self, sleepers: Sleepers) -> None:
        self._sleepers = sleepers
        self.awake: dict[Thread, None] = {}
        """Threads under way that do not sleep."""
        self._left: list[tuple[tuple[int, ...], int, Thread]] = []
        self._place: tuple[int, ...] | None = None
        """The place of the current thread; None between two rounds."""
        self._late: set[Thread] = set()
        """Threads that began in this round, or do not continue in it."""
        self._branches: Counter[Thread] = Counter()
        """How many branches of each thread are under way."""
        self._number = itertools.count()

    # ---- who is under way -------------------------------------------------------------------------------

    def begin(self, thread: Thread) -> None:
        """Begin a thread; it has its first turn in the next round."""
        self.awake[thread] = None
        self._late.add(thread)
        if thread.parent is not None:
            self._branches[thread.parent] += 1

    def end(self, thread: Thread) -> None:
        """End a thread; wake the thread that waits for the last of its branches."""
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
        """Return whether branches of a thread are under way."""
        return thread in self._branches

    def reset(self, threads: Iterable[Thread], left: Sequence[Thread] = ()) -> None:
        """Replace all threads, all awake; those in ``left`` still continue in this round."""
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
        """Let all awake threads continue, in their order."""
        self._late.clear()
        self._place = ()
        self._left = [(thread.order, next(self._number), thread) for thread in self.awake]
        heapq.heapify(self._left)

    def take(self) -> Thread | None:
        """Return the thread with the next turn; None if the round is over."""
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
        """Let the turn of a thread continue later."""
        self._push(thread)

    def wait(self, thread: Thread) -> None:
        """Note that a thread cannot continue: it sleeps, if it is known what wakes it."""
        self._sleepers.add(thread)
        if thread in self._sleepers.asleep:
            self.awake.pop(thread, None)

    def stir(self) -> None:
        """Note the threads that woke."""
        woken = self._sleepers.woken
        if woken:
            for thread in woken:
                self.awake[thread] = None
                if self._place is not None and thread.order > self._place and thread not in self._late:
                    self._push(thread)
            woken.clear()

    def left(self, threads: Iterable[Thread]) -> list[Thread]:
        """Return those of all threads that still have to continue in this round, the current one first."""
        if self._place is None:
            return []
        place = self._place
        return sorted((one for one in threads if one.order >= place and one not in self._late), key=_ORDER)

    def _push(self, thread: Thread) -> None:
        heapq.heappush(self._left, (thread.order, next(self._number), thread))
