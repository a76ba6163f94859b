"""A machine inside a simulator: all its joints in one row and one timing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.robots.machine import Machine
from workcell.simulation import machine_steering
from workcell.simulation.machine_motion import make, set_speeds
from workcell.simulation.move_making import MoveMaking
from workcell.simulation.simulated_robot import SimulatedRobot
from workcell.world.machine_places import is_arm

if TYPE_CHECKING:
    from workcell.simulation.steered import Steered
    from workcell.world.placed import PlacedMachine

Array = NDArray[np.float64]


class SimulatedMachine:
    """A machine inside a simulator."""

    def __init__(self, simulator: MoveMaking, placed: PlacedMachine) -> None:
        self._simulator = simulator
        self._placed = placed

    @property
    def name(self) -> str:
        """Its name in the cell."""
        return self._placed.name

    @property
    def robot(self) -> Machine:
        """Its joints in one row, none faster than the speed that is set for its member."""
        return set_speeds(self._simulator, Machine(self.name, self._placed.robot.members))

    @property
    def members(self) -> tuple[SimulatedRobot, ...]:
        """Its robots and mechanisms."""
        snapshot = self._simulator.snapshot
        return tuple(SimulatedRobot(self._simulator, snapshot.robot(name)) for name in self._placed.robot.names)

    @property
    def joints(self) -> Array:
        """The values of all its joints now [rad or m]."""
        return self._placed.robot.whole({one.name: one.joints for one in self.members})

    @property
    def velocities(self) -> Array:
        """The speeds of all its joints now (n,) [rad/s or m/s]."""
        return self._placed.robot.whole({one.name: one.velocities for one in self.members})

    def move_joints_relative(self, dq: ArrayLike, profile: str = "") -> float:
        """Move all joints by ``dq``; returns the duration [s]."""
        return self.move_joints_absolute(self.joints + self._placed.robot.checked(dq), profile)

    def move_joints_absolute(self, q: ArrayLike, profile: str = "") -> float:
        """Move all joints to ``q`` in one timing: all start and arrive together. Returns the duration [s]."""
        machine = self.robot
        goal = machine.checked(q)
        machine.require_limits(goal)
        return make(self._simulator, machine, goal, profile or self.usual_profile, "joints")

    @property
    def usual_profile(self) -> str:
        """The profile of its moves unless another is given: that of its first arm, else of its first member."""
        arms = [one for one in self.members if is_arm(one.robot)]
        return (arms or self.members)[0].settings[1]

    def set_joints(self, q: ArrayLike) -> None:
        """Put all joints there at once: no motion, no time."""
        machine = self._placed.robot
        goal = machine.checked(q)
        machine.require_limits(goal)
        for one in self.members:
            self._simulator.require_idle(one.name, "set its joints")
        parts = machine.parts(goal)
        for one in self.members:
            one.set_joints(parts[one.name])

    # ---- steering ---------------------------------------------------------------------------------------

    def supersede(self, q: ArrayLike) -> list[Steered]:
        """Go to other joint values from the middle of a move, all joints in one timing.

        A move of the hand stops on its path first. Where collisions are watched it is done only if the whole way to
        rest is free; ``refused`` says why not.
        """
        return machine_steering.supersede(self._simulator, self.robot, q)

    def hold(self) -> list[Steered]:
        """Stop on the path as soon as the limits allow; `resume` goes on."""
        return self._simulator.hold(self.name)

    def resume(self) -> list[Steered]:
        """Go on with a move that is held, at the speed of the override."""
        return self._simulator.resume(self.name)

    def override(self, percent: float) -> list[Steered]:
        """Run the present move and those to come at a part of their speed, from 1 to 100 %."""
        return self._simulator.override(percent, self.name)

    def stop(self) -> list[Steered]:
        """Stop on the path as soon as the limits allow, and give the move up."""
        return self._simulator.stop_all(self.name)

    def emergency_stop(self) -> list[Steered]:
        """Come to rest as fast as the limits allow, and give the move up."""
        return self._simulator.emergency_stop(self.name)
