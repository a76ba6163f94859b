"""New joint values for a machine in the middle of a move: all its joints move there in one timing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import Refused
from workcell.motion import steering as joint_steering
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.motion.stacking import columns
from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.simulation.company import companions, rate_of
from workcell.simulation.drives import Follow
from workcell.simulation.events import SteeringRefused, Superseded
from workcell.simulation.planned import Planned
from workcell.simulation.sampling import RESOLUTION
from workcell.simulation.steered import Steered
from workcell.simulation.steering import JOINT_MOVES
from workcell.simulation.succession import begun, braking_law, braking_to, require_plain

if TYPE_CHECKING:
    from workcell.simulation.move_making import MoveMaking

Array = NDArray[np.float64]


def supersede(simulator: MoveMaking, machine: Machine, target: ArrayLike) -> list[Steered]:
    """Send a machine to other joint values in the middle of a move; see ``SimulatedMachine.supersede``."""
    goal = machine.checked(target)
    machine.require_limits(goal)
    drives = _drives(simulator, machine)
    moving = [drive for drive in drives.values() if drive is not None]
    on_path = any(drive.planned.kind not in JOINT_MOVES for drive in moving)
    if on_path and len(companions(simulator, moving[0])) < len(moving):
        who = " and ".join(drive.name for drive in moving)
        raise Refused(f"{who} follow paths of their own; stop them first, then move {machine.name}.")
    limits = _limits(simulator, machine, moving)
    now, n = simulator.now, machine.n
    law = braking_law(simulator, moving) if on_path else None
    if law is not None and law.duration > 0.0:
        stops = [braking_to(simulator, drive, law, drive.rate or 1.0) for drive in moving]
        rest = {one.name: one.planned.end for one in stops if isinstance(one.planned, Planned)}
        start = machine.whole({name: rest.get(name, simulator.joints_of(name)) for name in machine.names})
        state = np.vstack([start, np.zeros((2, n))])
    else:
        law, stops = None, []
        present = [
            np.vstack([simulator.joints_of(name), np.zeros((2, robot.n))]) if drives[name] is None
            else drives[name].present(now)  # type: ignore[union-attr]
            for name, robot in machine.members
        ]  # fmt: skip
        state = np.concatenate(present, axis=1)
    onward = joint_steering.supersede(state[0], state[1], state[2], goal, limits)
    moves = _moves(simulator, machine, onward, state[0], goal, moving)
    changes: list[tuple[Follow | None, Follow]] = []
    for name in machine.names:
        drive = drives[name]
        if law is not None and drive is not None:
            stop = next(one for one in stops if one.name == name)
            stop.then = moves[name]
            changes.append((drive, stop))
        elif drive is not None:
            changes.append((drive, begun(simulator, drive, moves[name])))
        else:
            changes.append((None, simulator.new_drive(moves[name])))
    refused = simulator.accept_all(changes)
    delay = onward.duration + (0.0 if law is None else law.duration)
    found = []
    for name, values in machine.parts(goal).items():
        if refused is not None:
            simulator.recorder.event(SteeringRefused(now, name, "target", refused.message))
            found.append(Steered(name, 0.0, np.zeros(len(values)), False, refused.message))
            continue
        simulator.recorder.event(Superseded(now, name, tuple(values.tolist()), delay))
        found.append(Steered(name, delay, np.abs(values - simulator.joints_of(name))))
    return found


def _drives(simulator: MoveMaking, machine: Machine) -> dict[str, Follow | None]:
    """Return the drive of each member. Refused if none moves, or if one cannot be steered."""
    found = {name: simulator.drives.get(name) for name in machine.names}
    if not any(found.values()):
        raise Refused(f"{machine.name} is at rest; there is no move to supersede.", device=machine.name)
    for name, drive in found.items():
        if drive is None:
            continue
        require_plain(drive)
        simulator.drive_of(name, "supersede")
        others = [one.name for one in companions(simulator, drive) if one.name not in found]
        if others:
            raise Refused(f"{name} moves in one timing with {others[0]}, which does not belong to {machine.name}.")
    if any(drive is not None and drive.then is not None for drive in found.values()):
        raise Refused(f"{machine.name} must come to rest before it can go elsewhere; command another move then.")
    return found


def _limits(simulator: MoveMaking, machine: Machine, moving: list[Follow]) -> Limits:
    """Return the limits from the change on; the jerk counts for moves that limit it."""
    found = limits_of(machine, math.inf)
    rate = min(rate_of(simulator.rates, drive.planned) for drive in moving)
    jerk = found.jerk if any(drive.planned.profile == "jerk" for drive in moving) else None
    slides = tuple(row.prismatic for row in machine.rows)
    return Limits(rate * found.speed, found.acceleration, jerk, machine.limits, slides)


def _moves(
    simulator: MoveMaking, machine: Machine, onward: Trajectory, start: Array, goal: Array, moving: list[Follow]
) -> dict[str, Planned]:
    """Return the moves of the members to their new joint values."""
    profile = moving[0].planned.profile
    ends, starts = machine.parts(goal), machine.parts(start)
    return {
        name: Planned(
            name, columns(onward, place.start, place.stop), starts[name], ends[name], simulator.step, RESOLUTION,
            "joints", profile, company=machine.names,
        )
        for name, place in machine.slices
    }  # fmt: skip
