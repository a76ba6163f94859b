"""The fingers of a hand: their distance, and what they would touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.simulation.happenings import Signalled, StateChange, after
from workcell.world.gripper_names import finger_names, opening_signal
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped


def require_free_fingers(simulator: Equipped, robot: str, part: str, *changes: StateChange) -> None:
    """If collisions are watched, refuse to close or open if fingers would touch anything but the part."""
    if simulator.watch is None:
        return
    from workcell.collision.check import check

    def touching(state: CellState) -> set[tuple[str, str]]:
        assert simulator.watch is not None
        contacts = check(simulator.watch.model, state).contacts
        return {one.pair for one in contacts if part not in one.pair and {*one.pair} & {*finger_names(robot)}}

    then = simulator.state
    for change in changes:
        then = after(then, change)
    new = sorted(touching(then) - touching(simulator.state))
    if new:
        finger, other = new[0] if new[0][0] in finger_names(robot) else new[0][::-1]
        raise Refused(
            f"The gripper of {robot} cannot move there: {finger} would touch {other}; open or close it less far, or "
            "move away first.",
            pair=(finger, other),
        )


def set_fingers(simulator: Equipped, robot: str, opening: float) -> None:
    """Set the distance of the finger pads [m]."""
    simulator.apply(Signalled(simulator.now, opening_signal(robot), opening))
