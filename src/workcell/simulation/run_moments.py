"""A run of programs that is paused before a step, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.simulation.threads import Thread

if TYPE_CHECKING:
    from workcell.simulation.moments import Moment as PlantMoment


@dataclass(frozen=True)
class Moment:
    """A paused run as plain data: what :meth:`Run.return_to` needs.

    Attributes:
        threads: the threads under way.
        round: the threads that still have to continue in this round of the instant, the paused one first.
        going: whether any thread has continued in this round.
        position: how many steps were reached.
        steps: how many were carried out.
        looks: how often conditions were evaluated.
        time: when the clock last advanced [s].
        ended: when each program ended [s].
        plant: the simulator.
    """

    threads: list[Thread]
    round: list[Thread]
    going: bool
    position: int
    steps: int
    looks: int
    time: float
    ended: dict[str, float]
    plant: PlantMoment
