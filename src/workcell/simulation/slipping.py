"""Parts that slip in the hand that holds them, or out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.simulation.events import Fall
from workcell.simulation.happenings import Attached, twelve
from workcell.simulation.held import held_parts
from workcell.simulation.releasing import put_down
from workcell.world.fault_places import FaultPlace
from workcell.world.machine_places import is_arm

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped


def slip(simulator: Equipped, place: FaultPlace) -> tuple[str, list[Fall]] | None:
    """Let the part of a fault slip in its hand, or fall out of it.

    Return the robot that held it and what is wrong with how it landed; None if no robot holds it.
    """
    held = simulator.state.attached.get(place.body)
    owner = next(
        (
            one.name
            for one in simulator.snapshot.robots
            if is_arm(one.robot) and place.body in held_parts(simulator.state, one.name, simulator.snapshot)
        ),
        "",
    )
    if held is None or not owner:
        return None
    if place.slip is None:
        return owner, put_down(simulator, place.body, True, owner, "")
    X = held.X_frame_body @ place.slip
    simulator.apply(Attached(simulator.now, place.body, held.frame, twelve(X)))
    return owner, []
