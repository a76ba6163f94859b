"""Parts that ride on a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.simulation.events import Rides
from workcell.simulation.happenings import Attached, twelve
from workcell.simulation.loading import note_load
from workcell.spatial.pose import Pose
from workcell.world.absence import require_there

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


def ride(simulator: Simulator, part: str, mechanism: str) -> str:
    """Let a part move with the last link of a mechanism from now on, from where it is; return the name of that link."""
    snapshot, state = simulator.snapshot, simulator.state
    body, placed = snapshot.body(part), snapshot.robot(mechanism)
    if body.link >= 0:
        raise Refused(f"{part} is a link of {body.owner}; only objects can ride.")
    require_there(snapshot, state, part)
    place = placed.bodies[-1]
    if place < 0:
        raise Refused(f"The last link of {mechanism} has no body that a part could ride on.")
    simulator.alone("let a part ride")
    poses = snapshot.body_poses(state)
    names = [one.name for one in snapshot.bodies]
    X_link_part = Pose(poses[place]).inverse() @ Pose(poses[names.index(part)])
    simulator.recorder.event(Rides(simulator.now, part, mechanism))
    simulator.apply(Attached(simulator.now, part, names[place], twelve(X_link_part)))
    if placed.robot.payload is not None:
        note_load(simulator, mechanism)
    return names[place]
