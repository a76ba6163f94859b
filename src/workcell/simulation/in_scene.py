"""The robots of a simulator, found by what the cell calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.world.devices import placed_robot

if TYPE_CHECKING:
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator
    from workcell.world.entities import Entity


def simulated(simulator: Simulator, entity: Entity) -> SimulatedRobot:
    """The robot in a simulator; one that stands in no scene is refused."""
    return simulator.robot(placed_robot(simulator.snapshot, entity).name)
