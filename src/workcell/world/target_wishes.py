"""What a target decides about moves to it, unless the move itself does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.world.axes_text import is_held

if TYPE_CHECKING:
    from workcell.world.places import Spot
    from workcell.world.snapshot import Snapshot


def wished_axes(snapshot: Snapshot, target: Spot) -> dict[str, Any]:
    """The request for external axes, as ``axes``, and the object that moves with them, as ``work``; empty if held."""
    if not target.axes:
        return {}
    carrier = snapshot.object_under(target.name, "target")
    return {"axes": target.axes, "work": carrier} if carrier and not is_held(target.axes) else {"axes": target.axes}


def recalled(target: Spot, robot: str) -> dict[str, Any]:
    """The state of a robot when the target was learned: its ``branch``, and joint values to be ``near`` to."""
    learned = target.learned_by(robot)
    if learned is None:
        return {}
    branch = learned.branch or "nearest"
    return {"branch": branch, "near": learned.joints} if learned.joints else {"branch": branch}
