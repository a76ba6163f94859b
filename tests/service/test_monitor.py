from __future__ import annotations

import asyncio
import contextlib
import time

from workcell.service.monitor import RECENT, LoopMonitor


def test_the_longest_pause_is_kept_and_the_recent_one_forgotten() -> None:
    monitor = LoopMonitor()
    now = time.perf_counter()
    for age, pause in [(RECENT + 2, 0.4), (3.0, 0.1), (2.0, 0.2), (1.0, 0.05)]:
        monitor.note(now - age, pause)
    assert monitor.longest == 0.4
    assert monitor.recent == 0.2
    monitor.reset()
    assert (monitor.longest, monitor.recent) == (0.0, 0.0)


def test_a_blocked_loop_is_noticed() -> None:
    async def block() -> LoopMonitor:
        monitor = LoopMonitor()
        task = asyncio.create_task(monitor.run())
        await asyncio.sleep(0.05)
        time.sleep(0.2)
        await asyncio.sleep(0.05)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return monitor

    assert asyncio.run(block()).longest >= 0.15
