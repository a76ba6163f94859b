"""Parts as robots find them: the body of a name, who holds it, and whether it stands still."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.simulation.handling.arm import Arm
from workcell.simulation.held import held_parts, holder_of
from workcell.simulation.releasing import no_hand
from workcell.wording import quoted
from workcell.world.absence import require_there
from workcell.world.machine_places import is_arm
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


def part_of(simulator: Simulator, name: str, verb: str) -> str:
    """Return the body of a part that stands still and can be handled.

    Args:
        simulator: where everything is.
        name: of the object.
        verb: what is to be done with it, for messages.

    Raises:
        Refused: it is not movable, absent, or moves now.
    """
    snapshot = simulator.snapshot
    part = snapshot.object_body(name)
    if not snapshot.body(part).movable:
        raise Refused(
            f"{name} is not movable, so no robot can {verb} it; `modify {quoted(name)} movable yes` allows it."
        )
    require_there(snapshot, simulator.state, part)
    carrier = moving_carrier(simulator, part)
    if carrier:
        raise Refused(
            f"{name} moves with {carrier}, and a path can only be proved to a part that stands still; stop {carrier} "
            f"first, or track the part: `move-straight-line ROBOT POSE on {quoted(name)}` and `close-gripper`.",
            part=name,
            carrier=carrier,
        )
    return part


def moving_carrier(simulator: Simulator, part: str) -> str:
    """Return the device that moves a part now, or the part if it moves on its own; '' if it stands still."""
    snapshot, frame = simulator.snapshot, part
    names = {body.name: body for body in snapshot.bodies}
    for _ in range(len(names)):
        if frame not in names:
            return ""
        owner = names[frame].owner if names[frame].link >= 0 else frame
        if owner in simulator.drives:
            return owner
        held = simulator.state.attached.get(frame)
        if held is None:
            return ""
        frame = held.frame
    return ""


def arm_of(simulator: Simulator, robot: str) -> Arm:
    """Return an arm with a hand that stands still.

    Raises:
        Refused: it has no hand, or it moves now.
    """
    placed = simulator.snapshot.robot(robot)
    if placed.robot.gripper is None or not is_arm(placed.robot):
        raise no_hand(placed)
    simulator.require_idle(robot, "handle a part")
    found = limits_of(placed.robot, simulator.robot(robot).settings[0])
    return Arm(simulator.snapshot, simulator.state, placed, Limits(found.speed, found.acceleration))


def require_empty(arm: Arm, part: str) -> None:
    """Refuse a hand that holds something."""
    held = held_parts(arm.state, arm.name, arm.snapshot)
    if part in held:
        raise Refused(f"{arm.name} already holds {part}.", part=part, robot=arm.name)
    if held:
        raise Refused(
            f"{arm.name} already holds {held[0]}, so it cannot take {part}; `put {quoted(held[0])} on …` first.",
            part=part,
            robot=arm.name,
            held=held[0],
        )


def arm_holding(snapshot: Snapshot, state: CellState, part: str) -> str:
    """Return the arm that holds a part; '' if none does."""
    holder = holder_of(snapshot, state, part)
    return holder if holder and part in held_parts(state, holder, snapshot) and _has_hand(snapshot, holder) else ""


def _has_hand(snapshot: Snapshot, robot: str) -> bool:
    return is_arm(snapshot.robot(robot).robot)
