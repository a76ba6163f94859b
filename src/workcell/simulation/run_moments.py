"""A run of programs as it stands before a step, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.simulation.threads import Thread

if TYPE_CHECKING:
    from workcell.simulation.moments import Moment as PlantMoment


@dataclass(frozen=True)
class Moment:
    """A run as it stands, as plain data: what :meth:`Run.return_to` needs.

    Attributes:
        threads: what is under way.
        round: the threads that are still to go on in this round of the instant, the first is the one that stands.
        going: whether any thread has gone on in this round.
        position: how many steps were come to.
        steps: how many were carried out.
        looks: how often conditions were looked at.
        time: when time last passed [s].
        ended: when each program was over [s].
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
