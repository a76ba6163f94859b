"""A machine inside a simulator: all its joints in one row and one timing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import Refused
from workcell.motion.stacking import columns
from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.simulation import machine_steering
from workcell.simulation.planned import Planned
from workcell.simulation.sampling import require_frames
from workcell.simulation.timing import bound_by, checked_profile, joint_line, limiting
from workcell.world.machine_places import is_arm

if TYPE_CHECKING:
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.steered import Steered
    from workcell.world.snapshot import PlacedMachine

Array = NDArray[np.float64]
_THERE = 1e-12
"""Joint values nearer than this are the same [rad or m]."""


class SimulatedMachine:
    """A machine inside a simulator."""

    def __init__(self, simulator: Simulator, placed: PlacedMachine) -> None:
        self._simulator = simulator
        self._placed = placed

    @property
    def name(self) -> str:
        """Its name in the cell."""
        return self._placed.name

    @property
    def robot(self) -> Machine:
        """Its joints in one row, none faster than the speed that is set for its member."""
        machine = self._placed.robot
        top = [np.full(robot.n, self._simulator.robot(name).settings[0]) for name, robot in machine.members]
        return Machine(self.name, machine.members, np.concatenate(top))

    @property
    def members(self) -> tuple[SimulatedRobot, ...]:
        """Its robots and mechanisms."""
        return tuple(self._simulator.robot(name) for name in self._placed.robot.names)

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
        for name, values in machine.parts(goal).items():
            self._simulator.robot(name).set_joints(values)

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


def make(simulator: Simulator, machine: Machine, goal: Array, profile: str, kind: str) -> float:
    """Move the joints of a machine straight to values, all arriving together; returns the duration [s]."""
    checked_profile(profile)
    if simulator.mode == "joint-by-joint":
        raise Refused(f"{machine.name} moves all its joints in one timing; `mode path` has such moves.")
    start = machine.whole({name: simulator.robot(name).joints for name in machine.names})
    if np.abs(goal - start).max() <= _THERE:
        motion = Trajectory.constant(start)
    else:
        motion = joint_line(machine, start, goal, profile, math.inf)
    return perform(simulator, machine, motion, machine.parts(goal), profile, kind)


def perform(
    simulator: Simulator,
    machine: Machine,
    motion: Trajectory,
    ends: Mapping[str, Array],
    profile: str,
    kind: str,
    deviations: Mapping[str, float] | None = None,
    hand_speed: float | None = None,
) -> float:
    """Make a motion of all joints of a machine; returns its duration [s].

    Args:
        simulator: where it moves.
        machine: its joints.
        motion: their values over time.
        ends: joint values of each member after it.
        profile: for the report.
        kind: for the report.
        deviations: how far hands leave their curves, by the name of the arm [m].
        hand_speed: the greatest speed of the hand that was asked for [m/s].
    """
    require_frames(motion, simulator.step)
    found = bound_by(machine, motion, profile, math.inf)
    limited = limiting(motion, found, hand_speed)
    names = machine.joint_names
    word, _, joint = limited.rpartition(" joint ")
    if word and joint.isdigit():
        limited = f"{word} {names[int(joint) - 1]}"
    moves = []
    for name, place in machine.slices:
        bound = tuple(
            (one.joint - place.start, one.limit, one.start, one.end)
            for one in found
            if place.start < one.joint <= place.stop
        )
        moves.append(
            Planned(
                name, columns(motion, place.start, place.stop), simulator.robot(name).joints, ends[name],
                simulator.step, simulator.resolution, kind, profile, limited, (deviations or {}).get(name), bound,
                company=machine.names,
            )
        )  # fmt: skip
    return simulator.perform_together(moves)
