"""A simulator at one moment, as plain data."""

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
    """A simulator at one moment while programs run on it.

    Attributes:
        state: where everything is.
        under_way: the unfinished moves by device: the exact motion and when it began.
        settings: the speed, profile and branch of every robot that was given a command.
        mark: how much is recorded.
        rates: the override of each device that has one.
        given_up: why moves were stopped on their way, for whoever waits for them.
        issued: the number of the last command that began a move.
        callbacks: the functions that are called periodically, in the order of the queue.
        faults: the state of every fault.
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
