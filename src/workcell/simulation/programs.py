"""Programs of several robots side by side on one clock, with signals between them.

A program is a generator. It commands its robots and yields what it waits for: the duration that a move returned, any
number of seconds, or a :class:`Seen` signal. Between two yields no time passes. ::

    def feed(sim):
        yield sim.robot("A").move_joints_relative([0.3, 0, 0, 0, 0, 0])
        sim.set_signal("ready", 1)

    def take(sim):
        yield Seen("ready")
        yield sim.robot("B").move_joints_relative([0.3, 0, 0, 0, 0, 0])

    run(sim, {"feed": feed, "take": take})
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from workcell.errors import InvalidValue, Refused
from workcell.simulation.simulator import Simulator


@dataclass(frozen=True)
class Seen:
    """Wait until a signal has a value."""

    signal: str
    value: float = 1.0


Program: TypeAlias = Callable[[Simulator], Generator["float | Seen", None, None]]


@dataclass
class _Running:
    name: str
    steps: Generator[float | Seen, None, None]
    until: float
    seen: Seen | None = None

    def ready(self, sim: Simulator) -> bool:
        """Whether it can go on now."""
        if self.seen is not None:
            return sim.signal(self.seen.signal) == self.seen.value
        return self.until <= sim.time


def run(simulator: Simulator, programs: Mapping[str, Program]) -> dict[str, float]:
    """Run programs side by side; returns when each of them ended [s].

    At one instant programs go on in the order given. When a program is refused something, the others stop commanding,
    moves that have begun are finished, and the error is raised.

    Raises:
        Refused: every program that is left waits for a signal that nobody gives.
    """
    running = [_Running(name, _steps(name, program(simulator)), simulator.time) for name, program in programs.items()]
    ended: dict[str, float] = {}
    with simulator.side_by_side():
        while running:
            for one in list(running):
                while one in running and one.ready(simulator):
                    if not _go_on(simulator, one):
                        running.remove(one)
                        ended[one.name] = simulator.time
            if any(one.ready(simulator) for one in running):
                continue  # a signal that was given after its turn
            waits = [one.until for one in running if one.seen is None]
            if waits:
                simulator.advance(min(waits))
            elif running:
                who = "; ".join(f"{one.name} for {one.seen.signal} = {one.seen.value:g}" for one in running if one.seen)
                raise Refused(f"Nothing goes on: every program waits for a signal that nobody gives ({who}).")
    return ended


def _steps(name: str, steps: object) -> Generator[float | Seen, None, None]:
    if not isinstance(steps, Generator):
        raise InvalidValue(
            f"Program {name!r} is no generator: it has to `yield` what it waits for, such as the duration of a move."
        )
    return steps


def _go_on(simulator: Simulator, one: _Running) -> bool:
    """Run a program up to where it waits; false when it is at its end."""
    one.seen = None
    try:
        wanted = next(one.steps)
    except StopIteration:
        return False
    if isinstance(wanted, Seen):
        simulator.signal(wanted.signal)
        one.seen = wanted
    elif isinstance(wanted, int | float) and math.isfinite(wanted) and wanted >= 0.0:
        one.until = simulator.time + float(wanted)
    else:
        raise InvalidValue(
            f"Program {one.name!r} yields {wanted!r}; a program waits for seconds, zero or more, or for a Seen signal."
        )
    return True
