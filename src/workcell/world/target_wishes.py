"""What a target decides about the moves that go to it, where a move itself does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.world.axes_text import is_held

if TYPE_CHECKING:
    from workcell.world.places import Spot
    from workcell.world.snapshot import Snapshot


def wished_axes(snapshot: Snapshot, target: Spot) -> dict[str, Any]:
    """Where external axes are to be, as ``axes``, and the object that goes with them, as ``work``; none where held."""
    if not target.axes:
        return {}
    carrier = snapshot.object_under(target.name, "target")
    return {"axes": target.axes, "work": carrier} if carrier and not is_held(target.axes) else {"axes": target.axes}


def recalled(target: Spot, robot: str) -> dict[str, Any]:
    """How a robot stood there when the target was learned: its ``branch``, and joint values to be ``near`` to."""
    learned = target.learned_by(robot)
    if learned is None:
        return {}
    branch = learned.branch or "nearest"
    return {"branch": branch, "near": learned.joints} if learned.joints else {"branch": branch}
