"""Hands that release parts: where they are, or down onto what is below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, UnknownName
from workcell.robots.gripper import Gripper
from workcell.robots.hand import holds_by
from workcell.simulation.events import Fall, Hangs, PressedIn, Released, Unsupported
from workcell.simulation.falling import (
    landed,
    record,
    room_below,
    set_down,
    stop_where_watched,
)  # fmt: skip
from workcell.simulation.fingers import require_free_fingers, set_fingers
from workcell.simulation.happenings import Placed, Signalled, twelve
from workcell.simulation.held import held_by, held_parts
from workcell.simulation.piles import leave_behind
from workcell.simulation.pressing import inside, others_than, require_out, resting
from workcell.simulation.settling import SUNK
from workcell.spatial.pose import Pose
from workcell.world.gripper_names import gripper_signal, opening_signal
from workcell.world.placed import PlacedRobot, no_hand_text

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

Array = NDArray[np.float64]


def is_idle(simulator: Equipped, placed: PlacedRobot, closed: bool) -> bool:
    """Return whether a gripper is already closed and empty, or fully open: there is nothing to do.

    A part that was attached to an open hand is not held by its gripper.
    """
    gripper, state = placed.robot.gripper, simulator.state
    if gripper is None:
        return False
    shut = bool(state.signals.get(gripper_signal(placed.name)))
    if shut and held_by(state, placed.name, simulator.snapshot):
        return False
    if closed or shut:
        return closed and shut
    return not isinstance(gripper, Gripper) or bool(
        state.signals.get(opening_signal(placed.name), gripper.opening) >= gripper.opening - 1e-9
    )


def release(simulator: Equipped, placed: PlacedRobot, settle: bool, opening: float | None, planned: str = "") -> str:
    """Open a gripper; the part stays where it is, or falls onto what is below. Return its name, or ''.

    A hand with suction cups or magnets releases all its parts; the names are joined with commas. A gripper that is open
    and empty stays so, and nothing is recorded.

    Args:
        simulator: where everything is.
        placed: the robot of the gripper.
        settle: whether the part falls.
        opening: the distance between the pads [m]; by default, as far as they go.
        planned: what the part must land on; implies `settle`.
    """
    simulator.alone("open a gripper")
    settle = settle or bool(planned)
    require_support(simulator, planned)
    gripper = placed.robot.gripper
    if gripper is None:
        raise no_hand(placed)
    if opening is not None and not isinstance(gripper, Gripper):
        raise Refused(f"The {gripper.name} of {placed.name} has no fingers that open to a distance; leave `to` out.")
    if opening is None and is_idle(simulator, placed, closed=False):
        return ""
    shut = bool(simulator.state.signals.get(gripper_signal(placed.name)))
    parts = held_parts(simulator.state, placed.name, simulator.snapshot) if shut else ()
    if not isinstance(gripper, Gripper):
        return _let_go(simulator, placed, parts, settle, planned, None)
    wide = gripper.opening if opening is None else gripper.checked_opening(opening)
    held = simulator.state.signals.get(opening_signal(placed.name), gripper.opening)
    part = next(iter(parts), "")
    if part and wide < held - 1e-9:
        raise Refused(
            f"{placed.name} holds {part}, which is {held * 1e3:.6g} mm wide between the fingers; they cannot go to "
            f"{wide * 1e3:.6g} mm. Open to more than its width to release it.",
            part=part,
            width=held,
        )
    return _let_go(simulator, placed, parts, settle, planned, wide)


def _let_go(
    simulator: Equipped, placed: PlacedRobot, parts: Sequence[str], settle: bool, planned: str, wide: float | None
) -> str:
    """Release the parts of a hand, with this distance of the fingers after it [m]; return the names of the parts."""
    name, now = placed.name, simulator.now
    if settle:
        for part in parts:
            require_out(simulator, part, name)
    if wide is not None:
        require_free_fingers(simulator, name, next(iter(parts), ""), Signalled(now, opening_signal(name), wide))
    assert placed.robot.gripper is not None
    by = holds_by(placed.robot.gripper)
    falls: list[Fall] = []
    for part in parts or ("",):
        simulator.recorder.event(Released(now, name, part, wide or 0.0, by))
        falls += put_down(simulator, part, settle, name, planned) if part else []
    if wide is not None:
        set_fingers(simulator, name, wide)
    simulator.apply(Signalled(now, gripper_signal(name), 0.0))
    stop_where_watched(simulator, name, falls)
    return ", ".join(parts)


def require_support(simulator: Equipped, planned: str) -> None:
    """Refuse an unknown name of what a part should land on; '' is none."""
    if planned and not any(planned in body.called for body in simulator.snapshot.bodies):
        known = {name for body in simulator.snapshot.bodies for name in (body.name, body.owner)}
        raise UnknownName.among("object or body", planned, known)


def no_hand(placed: PlacedRobot) -> Refused:
    """Return the error of a robot that cannot grip: it has no hand, or a hand that lacks a property."""
    return Refused(no_hand_text(placed))


def _note_hanging(simulator: Equipped, part: str, frames: Mapping[str, Array], others: Sequence[str]) -> None:
    """Record that a released part hangs in the air, if it does."""
    height, on = room_below(simulator.snapshot, frames, [part], others)
    if height > SUNK:
        simulator.recorder.event(Hangs(simulator.now, part, on, None if math.isinf(height) else height))


def put_down(simulator: Equipped, part: str, settle: bool, robot: str, planned: str) -> list[Fall]:
    """Release a part where it is, or down onto what is below; return what is wrong with how it landed.

    A part that cups press onto what is below, by no more than they yield, comes to rest on it.
    """
    snapshot, state, now = simulator.snapshot, simulator.state, simulator.now
    poses = snapshot.body_poses(state)
    frames = dict(zip((body.name for body in snapshot.bodies), poses, strict=True))
    X = Pose(frames[part])
    up, on = resting(simulator, part, robot)
    depth, other = inside(simulator, part, robot) if not on else (0.0, "")
    if other or not (settle or on) or not snapshot.body(part).touchable:  # a ghost lands on nothing
        simulator.apply(Placed(now, part, twelve(X)))
        leave_behind(simulator, part)
        sunk: list[Fall] = [PressedIn(now, part, other, depth)] if other else []
        record(simulator, sunk)
        if not other and snapshot.body(part).touchable:
            _note_hanging(simulator, part, frames, others_than(snapshot, state, part, robot))
        return sunk
    fall = -up
    if not on:
        fall, on = room_below(snapshot, frames, [part], others_than(snapshot, state, part, robot))
    if math.isinf(fall):
        simulator.apply(Placed(now, part, twelve(X)))
        leave_behind(simulator, part)
        hanging: list[Fall] = [Unsupported(now, part)]
        record(simulator, hanging)
        return hanging
    set_down(simulator, part, frames, fall, on)
    falls = landed(simulator, robot, part, on, fall, planned)
    record(simulator, falls)
    return falls
