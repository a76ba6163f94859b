"""Plays a recording in real time, at any pace."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from workcell.errors import InvalidValue
from workcell.simulation.recording import Recording
from workcell.simulation.required import required_number
from workcell.world.state import CellState


@dataclass(frozen=True)
class Tick:
    """One picture of a playback.

    Attributes:
        simulated: the time in the recording [s].
        real: the real time since the playback began [s].
        state: where everything is.
    """

    simulated: float
    real: float
    state: CellState


def play(
    recording: Recording,
    pace: float = 1.0,
    rate: float = 25.0,
    *,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Tick]:
    """Yield states of a recording in step with real time.

    Args:
        recording: what happened.
        pace: simulated seconds per real second; infinite shows every recorded sample as fast as possible.
        rate: pictures per second of real time; a slow receiver gets fewer, never late ones.
        now: a clock [s].
        sleep: how to wait.
    """
    if math.isnan(required_number(pace, "The pace")) or pace <= 0.0:
        raise InvalidValue(f"The pace must be more than zero; found {pace}.")
    if not (math.isfinite(rate) and rate > 0.0):
        raise InvalidValue(f"The number of pictures per second must be more than zero; found {rate}.")
    begin, start = now(), recording.start.time
    if math.isinf(pace):
        yield from steps(recording, now=now)
        return
    frame = 0
    while True:
        at = start + pace * frame / rate
        last = at >= recording.end
        at = min(at, recording.end)
        wait = begin + (at - start) / pace - now()
        if wait > 0.0:
            sleep(wait)
        yield Tick(at, now() - begin, recording.state_at(at))
        if last:
            return
        # Pictures that are late are skipped.
        frame = max(frame + 1, math.floor((now() - begin) * rate))


def steps(recording: Recording, *, now: Callable[[], float] = time.monotonic) -> Iterator[Tick]:
    """Yield every recorded sample in order, one for each ``next``: single steps."""
    begin = now()
    for at in np.unique(np.append(recording.times, recording.end)):
        yield Tick(float(at), now() - begin, recording.state_at(float(at)))


class Pacer:
    """Slows a run down so that simulated and real time match.

    Args:
        pace: simulated seconds per real second; infinite does not slow it down.
        now: a clock [s].
        sleep: how to wait.
    """

    def __init__(
        self,
        pace: float = 1.0,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if math.isnan(required_number(pace, "The pace")) or pace <= 0.0:
            raise InvalidValue(f"The pace must be more than zero; found {pace}.")
        self.pace = pace
        self._now, self._sleep = now, sleep
        self._begin, self._start, self._last = now(), 0.0, 0.0

    def reached(self, simulated: float) -> float:
        """Wait until real time has caught up with a simulated time [s]; return the real time since the start [s]."""
        if simulated < self._last:
            self._begin, self._start = self._now(), simulated  # a new run begins
        self._last = simulated
        left = self._begin + (simulated - self._start) / self.pace - self._now()
        if left > 0.0:
            self._sleep(left)
        return self._now() - self._begin
