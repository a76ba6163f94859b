"""Attaches parts to an arm and releases them: for hooks, needles and other tools that are not modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import GraspFailed, Refused
from workcell.robots.gripper import Gripper
from workcell.robots.hand import holds_by
from workcell.simulation.events import Gripped, Released
from workcell.simulation.falling import stop_where_watched
from workcell.simulation.grasping import ANGLE, DISTANCE, take
from workcell.simulation.happenings import Signalled
from workcell.simulation.held import Held, flange_of, held_parts, holder_of
from workcell.simulation.pressing import require_out
from workcell.simulation.releasing import put_down, require_support
from workcell.spatial.pose import Pose
from workcell.world.absence import require_there
from workcell.world.gripper_names import gripper_signal
from workcell.world.machine_places import is_arm
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

ATTACHED = "attached"
"""The hold of a part for which nothing was tested."""


def only_arm(snapshot: Snapshot) -> str:
    """Return the only arm of the cell, for steps that name none.

    Raises:
        Refused: there is none, or there are several.
    """
    arms = [placed.name for placed in snapshot.robots if is_arm(placed.robot)]
    if len(arms) == 1:
        return arms[0]
    if not arms:
        raise Refused("There is no robot that could grip the part; `create robot NAME MODEL` makes one.")
    raise Refused(f"The cell has {len(arms)} robots; name the one that grips: `with {arms[0]}`.", robots=arms)


def attach(simulator: Equipped, part: str, robot: str = "") -> Held:
    """Attach a part to the flange of an arm, where it is now. Nothing is tested.

    Args:
        simulator: where everything is.
        part: the body.
        robot: the arm; the only one of the cell if none is named.
    """
    simulator.alone("grip a part")
    snapshot, state = simulator.snapshot, simulator.state
    placed = snapshot.robot(robot or only_arm(snapshot))
    body = snapshot.body(part)
    if body.link >= 0:
        raise Refused(f"{part} is a link of {body.owner}; only objects can be gripped.")
    if not body.movable:
        raise Refused(f"{part} is not movable; `modify {body.owner} movable yes` lets it be gripped.")
    require_there(snapshot, state, part)
    if not flange_of(snapshot, placed):
        raise Refused(
            f"The last link of {placed.name} has no shape to attach a part to; `assign link {placed.name} "
            f"{placed.robot.n} BLOCK` gives it one."
        )
    if part in held_parts(state, placed.name, snapshot):
        raise Refused(f"{placed.name} already holds {part}.", part=part)
    if state.signals.get(gripper_signal(placed.name)):
        raise Refused(f"The gripper of {placed.name} is closed; `open-gripper {placed.name}` first.")
    source = holder_of(snapshot, state, part)
    flange = snapshot.body_pose(state, flange_of(snapshot, placed))
    away = float(np.linalg.norm(snapshot.body_pose(state, part).xyz - flange.xyz))
    load = take(simulator, placed, [Gripped(simulator.now, placed.name, part, source, "", 0.0, ATTACHED)], None, None)
    return Held(part, placed.name, source, "", 0.0, 0.0, away, load, ATTACHED)


def require_at_grasp(
    simulator: Equipped,
    placed: PlacedRobot,
    X_world_hand: Pose,
    part: str,
    distance: float | None,
    angle: float | None,
) -> None:
    """Refuse to hold a part unless the hand is at one of its grasps.

    Args:
        simulator: where everything is.
        placed: the robot of the hand.
        X_world_hand: where the hand is.
        part: the body.
        distance: how far away the hand may be [m]; by default, as when fingers close.
        angle: how far it may be turned [rad]; by default, as when fingers close.
    """
    near, tilt = DISTANCE if distance is None else distance, ANGLE if angle is None else angle
    known = simulator.grasps.get(part, ())
    if not known:
        raise GraspFailed(
            f"{part} has no grasps, so no hand can be at one; `set grasp {part} at …` makes one.", test=""
        )
    X_world_part = simulator.snapshot.body_pose(simulator.state, part)
    off, turned, name = min((*(X_world_part @ one.X_body_hand).distance(X_world_hand), one.name) for one in known)
    if off > near or turned > tilt:
        raise GraspFailed(
            f"The hand of {placed.name} is {off * 1e3:.4g} mm and {np.degrees(turned):.4g}° from {name}, the nearest "
            f"grasp of {part}; allowed are {near * 1e3:.4g} mm and {np.degrees(tilt):.4g}°.",
            test="distance" if off > near else "approach",
        )


def detach(simulator: Equipped, part: str, settle: bool = False, on: str = "") -> str:
    """Release one part that an arm holds; return the name of the arm.

    A part between fingers is released by opening them. If cups or magnets hold several parts, one can be released.

    Args:
        simulator: where everything is.
        part: the body.
        settle: whether it falls straight down onto what is below.
        on: what it must land on; implies `settle`.
    """
    simulator.alone("release a part")
    snapshot, state = simulator.snapshot, simulator.state
    snapshot.body(part)
    holders = [
        one.name for one in snapshot.robots if is_arm(one.robot) and part in held_parts(state, one.name, snapshot)
    ]
    if not holders:
        raise Refused(f"No robot holds {part}.", part=part)
    (robot,) = holders
    hand, closed = snapshot.robot(robot).robot.gripper, bool(state.signals.get(gripper_signal(robot)))
    if closed and isinstance(hand, Gripper):
        raise Refused(f"{part} is between the fingers of {robot}; `open-gripper {robot}` lets it go.", part=part)
    require_support(simulator, on)
    settle = settle or bool(on)
    if settle:
        require_out(simulator, part, robot)
    by = holds_by(hand) if closed and hand is not None else ATTACHED
    simulator.recorder.event(Released(simulator.now, robot, part, 0.0, by))
    falls = put_down(simulator, part, settle, robot, on)
    if closed and not held_parts(simulator.state, robot, simulator.snapshot):
        simulator.apply(Signalled(simulator.now, gripper_signal(robot), 0.0))
    stop_where_watched(simulator, robot, falls)
    return robot
