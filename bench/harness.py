"""Interleaved timing of contenders: every round runs each once, so that a busy machine is fair to all."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping

Contender = Callable[[], object]


def compare(
    contenders: Mapping[str, Contender],
    rounds: int = 15,
    title: str = "",
    work: float = 1.0,
    unit: str = "",
    warm: int = 1,
    quiet: bool = False,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Time contenders in turn and print medians and ratios to the first one.

    Args:
        contenders: functions without arguments, by name; the first is ours.
        rounds: how often each of them runs.
        title: a line above the table.
        work: how many units of work one run does, for the rate column.
        unit: the name of that unit; without it there is no rate column.
        warm: unmeasured runs of each before the first round.
        quiet: only return the medians.
        clock: the clock; ``time.thread_time`` leaves out the time of other programs.

    Returns:
        The median seconds of one run, by name.
    """
    if not contenders:
        raise ValueError("compare() needs at least one contender.")
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in contenders.values():
        for _ in range(warm):
            run()
    for _ in range(rounds):
        for name, run in contenders.items():
            gc.collect()
            gc.disable()
            start = clock()
            run()
            times[name].append(clock() - start)
            gc.enable()
    medians = {name: statistics.median(values) for name, values in times.items()}
    if not quiet:
        table(medians, times, title, work, unit)
    return medians


def table(
    medians: Mapping[str, float],
    times: Mapping[str, list[float]] | None = None,
    title: str = "",
    work: float = 1.0,
    unit: str = "",
) -> None:
    """Print medians as a table: time, best, rate, ratio to the first row (above 1 is slower)."""
    first = next(iter(medians.values()))
    width = max(24, *(len(name) + 2 for name in medians))
    if title:
        print(title)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load > 0.75 * (os.cpu_count() or 1):
        print(f"  (the machine is busy: load {load:.1f} on {os.cpu_count()} processors)")
    rate_head = f"{unit + '/s':>16}" if unit else ""
    print(f"  {'contender':<{width}}{'median':>12}{'best':>12}{rate_head}{'time ratio':>12}")
    for name, median in medians.items():
        best = min(times[name]) if times and times.get(name) else median
        rate = f"{work / median:>16,.1f}" if unit else ""
        print(f"  {name:<{width}}{span(median):>12}{span(best):>12}{rate}{median / first:>11.2f}×")
    print()


def span(seconds: float) -> str:
    """Return seconds with a readable unit."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def missing(name: str, reason: object) -> None:
    """Print that a peer does not take part, and why."""
    print(f"  {name}: left out, {reason}")
