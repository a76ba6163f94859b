"""Parts that a hand has pressed into something when it releases them.

Suction cups yield: a part that they press onto something by no more than the remaining stroke rests on it. Any
other part that is inside something stays there, and this is reported.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.robots.suction import YIELDS, Suction
from workcell.simulation.clinging import pad_fits
from workcell.simulation.falling import room_below
from workcell.simulation.piles import SHAPE
from workcell.simulation.settling import SUNK, lift_over
from workcell.spatial.pose import Pose
from workcell.spatial.units import tidy
from workcell.world.body import Body
from workcell.world.gripper_names import gripper_signal
from workcell.world.places import WORLD
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

Array = NDArray[np.float64]

PRESSED = 1e-4
"""A part that is no deeper in something than this only touches it [m]."""
_FAR = 1.0
"""Cups that hold a part touch it already, whatever distance was allowed [m]."""


def others_than(snapshot: Snapshot, state: CellState, part: str, robot: str) -> list[str]:
    """Return the bodies that a part may land on when a robot releases it: not the robot's, nor what moves with it."""
    return [
        body.name
        for body in snapshot.bodies
        if body.owner != robot and not _goes_with(snapshot, state, body.name, part, robot)
    ]


def _goes_with(snapshot: Snapshot, state: CellState, name: str, part: str, robot: str) -> bool:
    """Return whether a body is a part, moves with it, or is carried by a robot."""
    while name != part:
        held = state.attached.get(name)
        if held is None or held.frame == WORLD:
            return False
        name = held.frame
        if snapshot.body(name).owner == robot:
            return True
    return True


def stroke_left(simulator: Equipped, part: str, robot: str) -> float:
    """Return how far the cups that hold a part let it move up [m]: their remaining stroke along the vertical.

    Zero if the part is held in another way.
    """
    snapshot, state = simulator.snapshot, simulator.state
    hand = snapshot.robot(robot).robot.gripper
    if not isinstance(hand, Suction) or not state.signals.get(gripper_signal(robot)):
        return 0.0
    left = [
        max(cup.stroke, YIELDS) + fit.gap - cup.diameter / 2.0 * math.tan(fit.tilt)
        for cup, fit in zip(hand.cups, pad_fits(snapshot, state, robot, hand, _FAR, math.pi / 4.0), strict=True)
        if fit.part == part and not fit.problem
    ]
    down = -float((Pose(snapshot.link_frames(state, robot)[-1]) @ hand.X_flange_mount).rotation[2, 2])
    return max(0.0, min(left, default=0.0) * down)


def resting(simulator: Equipped, part: str, robot: str) -> tuple[float, str]:
    """Return how far a part that cups press down moves up to rest on what is below [m], and on which body.

    Zero and '' if it is not pressed, or deeper than the cups yield.
    """
    snapshot, state = simulator.snapshot, simulator.state
    if not _overlapping(simulator, part, robot, PRESSED):
        return 0.0, ""
    up = stroke_left(simulator, part, robot)
    if up <= PRESSED or _depth(simulator, part, robot, up)[0] > PRESSED:
        return 0.0, ""
    frames = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))
    frames[part] = (Pose.from_xyz(0.0, 0.0, up) @ Pose(frames[part])).matrix
    down, on = room_below(snapshot, frames, [part], others_than(snapshot, state, part, robot))
    return (up - down, on) if on and up - down > PRESSED else (0.0, "")


def inside(simulator: Equipped, part: str, robot: str) -> tuple[float, str]:
    """Return how deep a part is inside another thing [m], and inside which; zero and '' if no deeper than allowed."""
    if not _overlapping(simulator, part, robot, SUNK):
        return 0.0, ""
    depth, other = _depth(simulator, part, robot, 0.0)
    return (depth, other) if depth > SUNK else (0.0, "")


def require_out(simulator: Equipped, part: str, robot: str) -> None:
    """Refuse to let a part settle that is deep inside something: there is no place straight below."""
    if resting(simulator, part, robot)[1]:
        return
    # It may be a little inside what it stands on, and the lift may press it into what it only touches from below.
    lifted = {other for depth, other in _depths(simulator, part, robot, SUNK) if depth > PRESSED}
    now = _depths(simulator, part, robot, 0.0) if lifted else []
    depth, other = max((one for one in now if one[1] in lifted), default=(0.0, ""))
    if depth > PRESSED:
        up = way_up(simulator, part, robot)
        raise Refused(
            f"{part} cannot settle: it is {depth * 1e3:.3g} mm inside {other}. Move it up by {_up_mm(up)} mm or more "
            f"first, or open the gripper without settling.",
            part=part,
            other=other,
            depth=depth,
            up=up,
        )


def way_up(simulator: Equipped, part: str, robot: str) -> float:
    """Return how far a part must move up at least until it is inside nothing [m]."""
    snapshot, state = simulator.snapshot, simulator.state
    frames = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))
    mesh, up, passed = snapshot.body(part).mesh(SHAPE), 0.0, set[str]()
    while True:
        inside_of = {other for depth, other in _depths(simulator, part, robot, up) if depth > PRESSED} - passed
        if not inside_of:
            return up
        passed |= inside_of
        lifts = [lift_over(mesh, frames[part], snapshot.body(one).mesh(SHAPE), frames[one]) for one in inside_of]
        up = max(up, *lifts)


def _up_mm(up: float) -> str:
    """Return a distance in millimetres, rounded up so that moving that far is enough."""
    return tidy(math.ceil(round(up * 1e4, 3)) / 10.0)


def _depth(simulator: Equipped, part: str, robot: str, up: float) -> tuple[float, str]:
    """Return how deep a part would be inside something if it were this much higher [m], and inside what.

    Else 0 and ''.
    """
    return max(_depths(simulator, part, robot, up), default=(0.0, ""))


def _depths(simulator: Equipped, part: str, robot: str, up: float) -> list[tuple[float, str]]:
    """Return how deep a part would be in each thing if it were this much higher [m]."""
    from workcell.collision.bodies import collision_model
    from workcell.collision.check import check

    snapshot, state = simulator.snapshot, simulator.state
    raised = Pose.from_xyz(0.0, 0.0, up) @ snapshot.body_pose(state, part)
    attached = {name: held for name, held in state.attached.items() if name != part}
    free = state.with_(attached=attached, poses={**state.poses, part: raised})
    others = set(others_than(snapshot, state, part, robot))
    return [
        (contact.depth, other)
        for contact in check(collision_model(snapshot, warn=False), free).contacts
        if part in contact.pair
        for other in {*contact.pair} & others
    ]


def _overlapping(simulator: Equipped, part: str, robot: str, depth: float) -> bool:
    """Return whether a part may be deeper than this in another body [m], by the boxes around them."""
    snapshot, state = simulator.snapshot, simulator.state
    if not snapshot.body(part).touchable:
        return False
    poses = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))

    def box(body: Body) -> tuple[Array, Array]:
        mesh = body.mesh()
        low, high = mesh.bounds
        X = poses[body.name]
        middle, half = X[:3, :3] @ ((low + high) / 2.0) + X[:3, 3], np.abs(X[:3, :3]) @ ((high - low) / 2.0)
        return middle - half - mesh.deviation, middle + half + mesh.deviation

    low, high = box(snapshot.body(part))
    for name in others_than(snapshot, state, part, robot):
        body = snapshot.body(name)
        if body.touchable and len(body.mesh().vertices):
            base, top = box(body)
            if bool((np.minimum(high, top) - np.maximum(low, base) > depth).all()):
                return True
    return False
