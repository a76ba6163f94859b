"""A machine in a simulator: all its joints in one row and one timing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.simulation import machine_steering
from workcell.simulation.machine_motion import make, perform, set_speeds
from workcell.simulation.move_making import MoveMaking
from workcell.simulation.simulated_robot import SimulatedRobot
from workcell.world.machine_places import is_arm

if TYPE_CHECKING:
    from workcell.simulation.steered import Steered
    from workcell.world.placed import PlacedMachine

Array = NDArray[np.float64]


class SimulatedMachine:
    """A machine in a simulator."""

    def __init__(self, simulator: MoveMaking, placed: PlacedMachine) -> None:
        self._simulator = simulator
        self._placed = placed

    @property
    def name(self) -> str:
        """Its name in the cell."""
        return self._placed.name

    @property
    def robot(self) -> Machine:
        """Its joints in one row, none faster than the set speed of its member."""
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
        """Move all joints by ``dq``; return the duration [s]."""
        return self.move_joints_absolute(self.joints + self._placed.robot.checked(dq), profile)

    def move_joints_absolute(self, q: ArrayLike, profile: str = "") -> float:
        """Move all joints to ``q`` in one timing: all start and arrive together. Return the duration [s]."""
        machine = self.robot
        goal = machine.checked(q)
        machine.require_limits(goal)
        return make(self._simulator, machine, goal, profile or self.usual_profile, "joints")

    def follow_path(self, trajectory: Trajectory, company: tuple[str, ...] = ()) -> float:
        """Go along a path that was found, all joints in one timing; returns the duration [s].

        Args:
            trajectory: joint values over time.
            company: the devices that move in one timing with it, including its members; they alone by default.
        """
        for one in self.members:
            self._simulator.require_idle(one.name, "follow a path")
        machine = self.robot
        ends = machine.parts(trajectory.end)
        return perform(self._simulator, machine, trajectory, ends, "time-optimal", "found path", company=company)

    @property
    def usual_profile(self) -> str:
        """The default profile of its moves: that of its first arm, else of its first member."""
        arms = [one for one in self.members if is_arm(one.robot)]
        return (arms or self.members)[0].settings[1]

    def set_joints(self, q: ArrayLike) -> None:
        """Set all joints at once, without a motion."""
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

        A move of the hand stops on its path first. If collisions are watched, the change is made only if the whole way
        to rest is free; ``refused`` gives the reason.
        """
        return machine_steering.supersede(self._simulator, self.robot, q)

    def hold(self) -> list[Steered]:
        """Stop on the path as soon as the limits allow; `resume` continues."""
        return self._simulator.hold(self.name)

    def resume(self) -> list[Steered]:
        """Resume a move that is held, at the speed of the override."""
        return self._simulator.resume(self.name)

    def override(self, percent: float) -> list[Steered]:
        """Run the current and later moves at 1 to 100 % of their speed."""
        return self._simulator.override(percent, self.name)

    def stop(self) -> list[Steered]:
        """Stop on the path as soon as the limits allow, and abandon the move."""
        return self._simulator.stop_all(self.name)

    def emergency_stop(self) -> list[Steered]:
        """Come to rest as fast as the limits allow, and abandon the move."""
        return self._simulator.emergency_stop(self.name)
