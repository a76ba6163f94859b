"""The order of work that was found: stops with their joint values, transits that are proved, and the bound."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.planning.stroke import Stroke
from workcell.planning.transit import Transit

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stop:
    """One place of work in the cycle.

    Attributes:
        target: the name of the target.
        approach: joint values where transits begin and end (n,).
        work: joint values at the target (n,).
        turn: the turn of the tool in its own frame (4, 4), within the freedom of the target.
        stroke: the straight motions from the approach to the target and back; None without an approach.
    """

    target: str
    approach: Array
    work: Array
    turn: Array
    stroke: Stroke | None

    @property
    def duration(self) -> float:
        """How long it takes from the approach to the target and back [s]."""
        return 0.0 if self.stroke is None else self.stroke.duration

    @property
    def free(self) -> bool:
        """Whether the motions from the approach to the target and back are proved free."""
        return self.stroke is None or self.stroke.free


def gap_of(time: float, bound: float) -> float:
    """By which part of the best time a time can be above it at most, where the best is not below a bound."""
    if time <= bound:
        return 0.0
    return time / bound - 1.0 if bound > 0.0 else math.inf


@dataclass(frozen=True, eq=False)
class WorkOrder:
    """The order of work, with configurations.

    Attributes:
        robot: the robot.
        start: joint values at the start of the cycle (n,).
        stops: the places of work in their order.
        transits: the motions before, between and after them; one more than the stops where the cycle has an end.
        time: how long all transits and strokes take [s]; the work itself is not in it.
        bound: no order and no choice among the configurations takes less [s].
        neighbour: how long the cycle takes that always goes to the nearest target in its nearest configuration, with
            its strokes, contacts ignored [s].
        certified: whether every transit and every stroke is proved free.
        proofs: how many transits were proved or refuted.
        searches: how many paths around things were looked for.
        seconds: how long it took to find [s].
    """

    robot: str
    start: Array
    stops: tuple[Stop, ...]
    transits: tuple[Transit, ...]
    time: float
    bound: float
    neighbour: float
    certified: bool
    proofs: int
    searches: int
    seconds: float

    @property
    def gap(self) -> float:
        """By which part of the best time the cycle can be longer than the best one at most."""
        return gap_of(self.time, self.bound)

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of the targets in their order."""
        return tuple(stop.target for stop in self.stops)

    def __str__(self) -> str:
        around = sum(one.how == "around" for one in self.transits)
        proof = "proved free" if self.certified else "not proved"
        detours = f", {around} of them around something" if around else ""
        return (
            f"{len(self.stops)} targets in {self.time:.4g} s of motion, at most {100.0 * self.gap:.2g} % above the "
            f"best; {len(self.transits)} transits {proof}{detours}"
        )
