"""Measuring the pauses of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections import deque

TICK = 0.005
"""How often the loop is measured [s]."""
RECENT = 10.0
"""What counts as recent [s]."""


class LoopMonitor:
    """Measures the pauses of the event loop: it sleeps for a tick and measures how late it wakes up."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._recent: deque[tuple[float, float]] = deque()

    def reset(self) -> None:
        """Reset the longest pause."""
        self.longest = 0.0
        self._recent.clear()

    @property
    def recent(self) -> float:
        """The longest pause in the last seconds [s]."""
        self._forget(time.perf_counter())
        return max((pause for _, pause in self._recent), default=0.0)

    def note(self, now: float, pause: float) -> None:
        """Record one pause [s]; only pauses longer than all later ones are kept."""
        self.longest = max(self.longest, pause)
        while self._recent and self._recent[-1][1] <= pause:
            self._recent.pop()
        self._recent.append((now, pause))
        self._forget(now)

    def _forget(self, now: float) -> None:
        while self._recent and self._recent[0][0] < now - RECENT:
            self._recent.popleft()

    async def run(self) -> None:
        """Measure until cancelled."""
        before = time.perf_counter()
        while True:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            self.note(now, max(0.0, now - before - TICK))
            before = now
