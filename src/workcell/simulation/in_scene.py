"""The robots of a simulator, found by their entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.world.devices import placed_robot

if TYPE_CHECKING:
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator
    from workcell.world.entities import Entity


def simulated(simulator: Simulator, entity: Entity) -> SimulatedRobot:
    """Return the robot of an entity; one outside the scene is refused."""
    return simulator.robot(placed_robot(simulator.snapshot, entity).name)
