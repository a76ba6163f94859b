"""Threads that cannot continue before something happens: an instant, the end of a move, a change of a signal.

They are not tested meanwhile, so the cost of an instant does not depend on how many programs run.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

from workcell.programs.expressions import Binary, Call, Expression, Name, Number
from workcell.simulation.threads import Thread

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


class Sleepers:
    """Waiting threads, and what wakes each.

    A thread that waits in another way, such as for a condition of several things, never sleeps and is always tested.

    Args:
        simulator: the simulator.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self.asleep: dict[Thread, int] = {}
        """Each sleeping thread with the number of its sleep; what was to wake it from an earlier sleep is void."""
        self.woken: list[Thread] = []
        """The threads that woke since the last reader took them."""
        self._instants: list[tuple[float, int, Thread]] = []
        self._signals: dict[str, dict[Thread, int]] = {}
        self._count = 0
        self._disturbed = simulator.disturbed

    def add(self, thread: Thread) -> None:
        """Let a thread sleep that waits for an instant, moves, one signal, a zone or branches."""
        waiting = thread.waiting
        if waiting is None:
            return
        at, signal = waiting.until, ""
        if waiting.zone or waiting.branches:
            at = math.inf  # the thread that leaves the zone, or the last branch, wakes it
        elif waiting.numbers:
            at = max((drive.end for drive in self._simulator.moving(waiting.numbers)), default=-math.inf)
        elif waiting.condition is not None:
            at, signal = waiting.deadline, _signal(waiting.condition)
            if not signal or (self._simulator.snapshot.sensors and signal in self._simulator.sensing):
                return
        if at == -math.inf:
            return
        self._count += 1
        self.asleep[thread] = self._count
        if signal:
            self._signals.setdefault(signal, {})[thread] = self._count
        if not math.isinf(at):
            if len(self._instants) > 4 * len(self.asleep) + 64:
                self._instants = [one for one in self._instants if self.asleep.get(one[2]) == one[1]]
                heapq.heapify(self._instants)
            heapq.heappush(self._instants, (at, self._count, thread))

    @property
    def wake(self) -> float:
        """When the first of them wakes if nothing happens before [s]."""
        while self._instants and self.asleep.get(self._instants[0][2]) != self._instants[0][1]:
            heapq.heappop(self._instants)
        return self._instants[0][0] if self._instants else math.inf

    def stir(self) -> None:
        """Wake all threads that may continue now."""
        simulator = self._simulator
        if self._disturbed != simulator.disturbed:
            self._disturbed = simulator.disturbed
            self.clear()
        if simulator.signalled:
            for signal in simulator.signalled:
                for thread, number in self._signals.pop(signal, {}).items():
                    if self.asleep.get(thread) == number:
                        self.rouse(thread)
            simulator.signalled.clear()
        now = simulator.time
        while self._instants and self._instants[0][0] <= now:
            _, number, thread = heapq.heappop(self._instants)
            if self.asleep.get(thread) == number:
                self.rouse(thread)

    def rouse(self, thread: Thread) -> None:
        """Wake a thread if it sleeps."""
        if self.asleep.pop(thread, None) is not None:
            self.woken.append(thread)

    def clear(self) -> None:
        """Wake all threads."""
        self.woken += self.asleep
        self.asleep.clear()
        self._instants.clear()
        self._signals.clear()


def _signal(condition: Expression) -> str:
    """Return the signal whose value alone decides a condition; '' if there is more to it."""
    if not (isinstance(condition, Binary) and isinstance(condition.left, Call) and isinstance(condition.right, Number)):
        return ""
    call = condition.left
    name = call.arguments[0] if call.function == "signal" and len(call.arguments) == 1 else None
    return name.name if isinstance(name, Name) else ""
