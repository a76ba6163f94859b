"""Moves of all joints of a machine in one timing: planned, and made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.motion.named_profiles import bound_by, checked_profile, joint_line, limiting
from workcell.motion.stacking import columns
from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.simulation.planned import Planned
from workcell.simulation.sampling import require_frames

if TYPE_CHECKING:
    from workcell.simulation.move_making import MoveMaking

Array = NDArray[np.float64]
_THERE = 1e-12
"""Joint values that differ by less are the same [rad or m]."""


def set_speeds(simulator: MoveMaking, machine: Machine) -> Machine:
    """Return a machine whose joints keep the speeds that are set for its members."""
    top = [np.full(robot.n, simulator.settings_of(name)[0]) for name, robot in machine.members]
    return Machine(machine.name, machine.members, np.concatenate(top))


def make(simulator: MoveMaking, machine: Machine, goal: Array, profile: str, kind: str) -> float:
    """Move the joints of a machine straight to values, all arriving together; return the duration [s]."""
    checked_profile(profile)
    if simulator.mode == "joint-by-joint":
        raise Refused(f"{machine.name} moves all its joints in one timing; use `mode path`.")
    start = machine.whole({name: simulator.read_joints(name) for name in machine.names})
    if np.abs(goal - start).max() <= _THERE:
        motion = Trajectory.constant(start)
    else:
        motion = joint_line(machine, start, goal, profile, math.inf)
    return perform(simulator, machine, motion, machine.parts(goal), profile, kind)


def perform(
    simulator: MoveMaking,
    machine: Machine,
    motion: Trajectory,
    ends: Mapping[str, Array],
    profile: str,
    kind: str,
    deviations: Mapping[str, float] | None = None,
    hand_speed: float | None = None,
    company: tuple[str, ...] = (),
) -> float:
    """Make a motion of all joints of a machine; return its duration [s].

    Args:
        simulator: the simulator.
        machine: its joints.
        motion: their values over time.
        ends: joint values of each member after it.
        profile: the profile, for the report.
        kind: the kind of move, for the report.
        deviations: how far hands leave their curves, by the name of the arm [m].
        hand_speed: the requested greatest speed of the hand [m/s].
        company: the devices that move in one timing; its members by default.
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
                name, columns(motion, place.start, place.stop), simulator.read_joints(name), ends[name],
                simulator.step, simulator.resolution, kind, profile, limited, (deviations or {}).get(name), bound,
                company=company or machine.names,
            )
        )  # fmt: skip
    return simulator.perform_together(moves)
