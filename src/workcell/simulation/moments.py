"""A simulator as it stands at one moment, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workcell.simulation.drives import Follow
from workcell.simulation.recording import Mark
from workcell.simulation.recurring import Recurring
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.faults import FaultState


@dataclass(frozen=True)
class Moment:
    """A simulator as it stands while programs run on it.

    Attributes:
        state: where everything is.
        under_way: the moves that have begun and are not over, by who moves: the exact motion and when it began.
        settings: the speed, profile and branch of every robot that was commanded.
        mark: how much is recorded.
        rates: the override of each device that has one.
        given_up: moves that were stopped on their way and why, for those who wait for them.
        issued: the number of the last command that began a move.
        callbacks: what is called again and again, in the order of the queue.
        faults: where every fault stands.
    """

    state: CellState
    under_way: Mapping[str, Follow]
    settings: Mapping[str, tuple[float, str, str]]
    mark: Mark
    rates: Mapping[str, float] = field(default_factory=dict)
    given_up: Mapping[int, str] = field(default_factory=dict)
    issued: int = 0
    callbacks: tuple[Recurring, ...] = ()
    faults: Mapping[str, FaultState] = field(default_factory=dict)
