"""Hands that take parts and let them go.

Closing fingers tests every movable part as the thesis does (Kahloun 1987, section 4.5): the approach axis is parallel
to an axis of the part's frame within an angle, the part fits between the fingers, and the grip point is near enough.
Objects may also say themselves where they want to be held. Suction cups and magnets are tested one by one
(:mod:`workcell.simulation.clinging`). Whether a hand is closed is the signal ``ROBOT/gripper``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import GraspFailed, InvalidValue, Refused, UnknownName
from workcell.robots.gripper import Gripper
from workcell.robots.hand import FINGERS, Clinging, holds_by
from workcell.robots.payload import PayloadCheck
from workcell.simulation.clinging import Cling, PadFit, clings, nothing_held, pad_fits, problems, too_weak
from workcell.simulation.events import Fall, Gripped, PressedIn, Released, Unsupported
from workcell.simulation.falling import (
    landed,
    left_behind,
    let_fall,
    record,
    room_below,
    set_down,
    stop_where_watched,
)  # fmt: skip
from workcell.simulation.happenings import Attached, Change, Placed, Signalled, after, twelve
from workcell.simulation.loading import note_load
from workcell.simulation.piles import leave_behind, riders, take_along
from workcell.simulation.pressing import inside, others_than, require_out, resting
from workcell.simulation.required import required_number
from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.grasps import Grasp
from workcell.world.snapshot import (
    WORLD,
    PlacedRobot,
    Snapshot,
    finger_names,
    gripper_signal,
    no_hand_text,
    opening_signal,
)
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.geometry.mesh import Mesh
    from workcell.simulation.equipped import Equipped

Array = NDArray[np.float64]

DISTANCE = 0.010
"""How far the grip point may be from a part unless told [m]."""
ANGLE = math.radians(5.0)
"""How far the approach may be from an axis of a part unless told [rad]."""
_COARSE = 5e-4
_FINE = 1e-5
"""How far meshes may be from their solids: to find parts that may be meant, and to measure between the fingers [m]."""
_NEARBY = 0.02
"""Parts that are so much farther than allowed are not measured finely [m]."""


@dataclass(frozen=True)
class Held:
    """A part was taken.

    Attributes:
        part: the body.
        robot: who holds it now.
        taken_from: the robot that held it before, or ''.
        grasp: the name of the object's own grasp, or ''.
        angle: of the approach from the axis [rad].
        width: of the part between the fingers [m].
        distance: of the grip point from the part or the grasp [m].
        load: all that the robot carries now, against what it may carry.
        by: what holds it: fingers, suction, magnet, or attached.
        clings: every part that cups or magnets hold, with the forces; ``part`` is the first of them.
        pads: what every cup or magnet is on.
    """

    part: str
    robot: str
    taken_from: str
    grasp: str
    angle: float
    width: float
    distance: float
    load: PayloadCheck
    by: str = FINGERS
    clings: tuple[Cling, ...] = ()
    pads: tuple[PadFit, ...] = ()
    sources: tuple[str, ...] = ()
    """The robot or mechanism that each of these was taken from, or ''."""
    idle: str = ""
    """What keeps the other cups or magnets from holding, for people."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Every part that was taken."""
        return tuple(one.part for one in self.clings) or (self.part,)


def held_by(state: CellState, robot: str, snapshot: Snapshot) -> str:
    """The part that a robot holds, the first of several, or ''."""
    return next(iter(held_parts(state, robot, snapshot)), "")


def held_parts(state: CellState, robot: str, snapshot: Snapshot) -> tuple[str, ...]:
    """The parts that a robot holds."""
    flange = flange_of(snapshot, snapshot.robot(robot))
    return tuple(part for part, held in sorted(state.attached.items()) if flange and held.frame == flange)


def require_open(simulator: Equipped, placed: PlacedRobot, distance: float | None, angle: float | None) -> None:
    """Refuse to close a hand that is closed or holds something, or within what cannot be; no time needs to pass."""
    for value, what in ((distance, "distance"), (angle, "angle")):
        if value is None:
            continue
        if not (math.isfinite(required_number(value, f"The {what} allowed when closing")) and value >= 0.0):
            raise InvalidValue(f"The {what} allowed when closing must be zero or more; found {value}.")
    simulator.alone("close a gripper")
    state = simulator.state
    holding = held_by(state, placed.name, simulator.snapshot)
    closed = bool(state.signals.get(gripper_signal(placed.name)))
    if holding or closed:
        what = f"holds {holding}" if holding else "is closed"
        first = "open it first" if closed else f"`release {holding}` first, which was gripped without the gripper"
        raise Refused(f"The gripper of {placed.name} {what} already; {first}.", held=holding)


def close(
    simulator: Equipped, placed: PlacedRobot, X_world_grip: Pose, distance: float | None, angle: float | None
) -> Held:
    """Close a hand: fingers on the part that passes the tests and is nearest, pads on all parts that they hold."""
    require_open(simulator, placed, distance, angle)
    tilt = ANGLE if angle is None else angle
    gripper = placed.robot.gripper
    assert gripper is not None, "the grip pose was made with it"
    if simulator.faults is not None:
        simulator.faults.closing(placed.name)
    if isinstance(gripper, Gripper):
        return _pinch(simulator, placed, gripper, X_world_grip, DISTANCE if distance is None else distance, tilt)
    return _cling(simulator, placed, gripper, X_world_grip, distance, tilt)


def _pinch(
    simulator: Equipped, placed: PlacedRobot, gripper: Gripper, X_world_grip: Pose, near: float, tilt: float
) -> Held:
    """Close fingers."""
    snapshot, state = simulator.snapshot, simulator.state
    gripper = dataclasses.replace(gripper, opening=state.signals.get(opening_signal(placed.name), gripper.opening))
    poses = snapshot.body_poses(state)
    tried = [
        fit
        for place, body in enumerate(snapshot.bodies)
        if body.movable and body.link < 0 and body.touchable
        for fit in _fits(body, Pose(poses[place]), X_world_grip, simulator.grasps.get(body.name, ()), near + _NEARBY)
    ]
    good = [fit for fit in tried if not fit.failed(gripper, near, tilt)]
    if not good:
        raise _failure(placed.name, tried, gripper, near, tilt)
    best = min(good, key=lambda fit: (fit.distance, fit.angle, fit.body, fit.grasp))
    opening = min(max(best.width, gripper.least), gripper.opening)
    _require_free_fingers(
        simulator,
        placed.name,
        best.body,
        going_with_hand(simulator, placed, best.body),
        Signalled(simulator.now, opening_signal(placed.name), opening),
    )
    taken_from = holder_of(snapshot, state, best.body)
    taken = Gripped(simulator.now, placed.name, best.body, taken_from, best.grasp, best.width)
    load = take(simulator, placed, [taken], X_world_grip, opening)
    return Held(best.body, placed.name, taken_from, best.grasp, best.angle, best.width, best.distance, load)


def _cling(
    simulator: Equipped,
    placed: PlacedRobot,
    hand: Clinging,
    X_world_grip: Pose,
    near: float | None,
    tilt: float,
) -> Held:
    """Switch suction cups or magnets on."""
    snapshot, state, now = simulator.snapshot, simulator.state, simulator.now
    fits = pad_fits(snapshot, state, placed.name, hand, near, tilt)
    found = clings(snapshot, state, placed.name, hand, fits)
    if not found:
        raise nothing_held(placed.name, hand, fits)
    weak = next((one for one in found if not one.enough), None)
    if weak is not None:
        raise too_weak(placed.name, hand, weak, fits)
    by = holds_by(hand)
    taken = [
        Gripped(
            now, placed.name, one.part, holder_of(snapshot, state, one.part), "", 0.0, by, one.pads, one.force,
            one.needed,
        )
        for one in found
    ]  # fmt: skip
    load = take(simulator, placed, taken, X_world_grip, None)
    first = found[0]
    return Held(
        first.part, placed.name, taken[0].taken_from, "", first.tilt, 0.0, abs(first.gap), load, by, tuple(found),
        tuple(fits), tuple(event.taken_from for event in taken), problems(hand, fits),
    )  # fmt: skip


def holder_of(snapshot: Snapshot, state: CellState, part: str) -> str:
    """The robot that holds a part, or the mechanism that it goes with; '' without one."""
    held = state.attached.get(part)
    carrier = snapshot.body(held.frame) if held is not None and held.frame != WORLD else None
    return carrier.owner if carrier is not None and carrier.link >= 0 else ""


def going_with_hand(simulator: Equipped, placed: PlacedRobot, part: str) -> Attached:
    """The change by which a part goes with a robot's flange from now on, as it is."""
    snapshot, state = simulator.snapshot, simulator.state
    flange = flange_of(snapshot, placed)
    X_flange_part = snapshot.body_pose(state, flange).inverse() @ snapshot.body_pose(state, part)
    return Attached(simulator.now, part, flange, twelve(X_flange_part))


def take(
    simulator: Equipped,
    placed: PlacedRobot,
    taken: Sequence[Gripped],
    X_world_grip: Pose | None,
    opening: float | None,
) -> PayloadCheck:
    """Let parts go with a hand from now on, and all that stands on them; what the arm carries then.

    Args:
        simulator: where everything is.
        placed: whose hand.
        taken: the parts, as events.
        X_world_grip: where the hand grips; None where parts are only attached.
        opening: between the pads of fingers then [m]; None for a hand without fingers.
    """
    for event in taken:
        simulator.recorder.event(event)
        if placed.name in simulator.drives and X_world_grip is not None:
            from workcell.simulation.tracked_moves import note_miss

            grasp = next((one for one in simulator.grasps.get(event.part, ()) if one.name == event.grasp), None)
            note_miss(simulator, placed, event.part, grasp, X_world_grip)
        simulator.apply(going_with_hand(simulator, placed, event.part))
    for event in taken:
        take_along(simulator, event.part)
    going = {one for event in taken for one in (event.part, *riders(simulator.state, event.part))}
    falls = let_fall(simulator, left_behind(simulator, going), going)
    if opening is not None:
        _set_fingers(simulator, placed.name, opening)
    if X_world_grip is not None:
        simulator.apply(Signalled(simulator.now, gripper_signal(placed.name), 1.0))
    load = note_load(simulator, placed.name)
    stop_where_watched(simulator, placed.name, falls)
    if simulator.faults is not None:
        for event in taken:
            simulator.faults.gripped(event.part)
    return load


def is_idle(simulator: Equipped, placed: PlacedRobot, closed: bool) -> bool:
    """Whether a gripper holds nothing and is closed already, or is open as far as it goes: nothing is left to do.

    What was attached to an open hand is not held by it.
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
    """Open a gripper; the part stays where it is, or falls on what is below. Returns its name, or ''.

    A hand of suction cups or magnets lets all its parts go; the names come with commas between. A gripper that is open
    and holds nothing stays so, and nothing is recorded.

    Args:
        simulator: where everything is.
        placed: whose gripper.
        settle: whether the part falls.
        opening: between the pads [m]; as far as they go where not given.
        planned: what the part is to come to stand on; where that is given it falls.
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
            f"{placed.name} holds {part}, which is {held * 1e3:.6g} mm wide between the fingers; they cannot come to "
            f"{wide * 1e3:.6g} mm. Open to more than its width to let it go.",
            part=part,
            width=held,
        )
    return _let_go(simulator, placed, parts, settle, planned, wide)


def _let_go(
    simulator: Equipped, placed: PlacedRobot, parts: Sequence[str], settle: bool, planned: str, wide: float | None
) -> str:
    """Let the parts of a hand go, the fingers so far apart then [m]; the names of the parts."""
    name, now = placed.name, simulator.now
    if settle:
        for part in parts:
            require_out(simulator, part, name)
    if wide is not None:
        _require_free_fingers(simulator, name, next(iter(parts), ""), Signalled(now, opening_signal(name), wide))
    assert placed.robot.gripper is not None
    by = holds_by(placed.robot.gripper)
    falls: list[Fall] = []
    for part in parts or ("",):
        simulator.recorder.event(Released(now, name, part, wide or 0.0, by))
        falls += put_down(simulator, part, settle, name, planned) if part else []
    if wide is not None:
        _set_fingers(simulator, name, wide)
    simulator.apply(Signalled(now, gripper_signal(name), 0.0))
    stop_where_watched(simulator, name, falls)
    return ", ".join(parts)


def require_support(simulator: Equipped, planned: str) -> None:
    """Refuse a name for what a part is to stand on that nothing has; '' is none."""
    if planned and not any(planned in (body.name, body.owner) for body in simulator.snapshot.bodies):
        known = {name for body in simulator.snapshot.bodies for name in (body.name, body.owner)}
        raise UnknownName.among("object or body", planned, known)


def no_hand(placed: PlacedRobot) -> Refused:
    """Why a robot cannot grip: it has no hand, or one that lacks a property."""
    return Refused(no_hand_text(placed))


@dataclass(frozen=True)
class _Fit:
    """How well a hand is around a part, by the three tests."""

    body: str
    grasp: str
    angle: float
    width: float
    distance: float
    turn: float = 0.0
    """Of the direction of closing from that of the grasp [rad]."""

    def failed(self, gripper: Gripper, distance: float, angle: float) -> str:
        """The first test that fails, in the order of the thesis; '' when none does."""
        if self.angle > angle + 1e-9:
            return "approach"
        if self.turn > angle + 1e-9:
            return "closing"
        if not gripper.least - 1e-9 <= self.width <= gripper.opening + 1e-9:
            return "width"
        return "distance" if self.distance > distance + 1e-9 else ""


def _fits(body: Body, X_world_body: Pose, X_world_grip: Pose, grasps: tuple[Grasp, ...], nearby: float) -> list[_Fit]:
    mesh = body.mesh(_COARSE)
    X_body_grip = X_world_body.inverse() @ X_world_grip
    if mesh.deviation > 0.0 and _outside(mesh, X_body_grip) <= nearby:
        mesh = body.mesh(_FINE)
    across = mesh.vertices @ X_body_grip.rotation[:, 0]
    width = float(across.max() - across.min())
    if grasps:
        fits = []
        for grasp in grasps:
            X = grasp.X_body_hand.inverse() @ X_body_grip
            # Parallel fingers do not mind half a turn about the approach.
            approach, turn = _between(X.rotation[2, 2]), _between(abs(float(X.rotation[0, 0])))
            distance = float(np.linalg.norm(X.xyz))
            fits.append(_Fit(body.name, grasp.name, approach, grasp.opening or width, distance, turn))
        return fits
    angle = _between(float(np.abs(X_body_grip.rotation[:, 2]).max()))
    return [_Fit(body.name, "", angle, width, _outside(mesh, X_body_grip))]


def _outside(mesh: Mesh, X_body_grip: Pose) -> float:
    """How far the grip point is from the box around a part [m]."""
    low, high = mesh.bounds
    return float(np.linalg.norm(np.maximum(np.maximum(low - X_body_grip.xyz, X_body_grip.xyz - high), 0.0)))


def _between(cosine: float) -> float:
    return math.acos(min(1.0, max(-1.0, float(cosine))))


def _failure(robot: str, tried: list[_Fit], gripper: Gripper, distance: float, angle: float) -> GraspFailed:
    if not tried:
        return GraspFailed(f"The gripper of {robot} closes on nothing: no part of the cell is movable.", test="parts")
    fit = min(tried, key=lambda one: (one.distance, one.angle, one.body, one.grasp))
    test = fit.failed(gripper, distance, angle)
    where = f"{fit.body} ({fit.grasp})" if fit.grasp else fit.body
    if test in ("approach", "closing"):
        off = fit.angle if test == "approach" else fit.turn
        excess = off - angle
        what = "approach" if test == "approach" else "direction of closing"
        whose = f"that of {fit.grasp}" if fit.grasp else "an axis of the part"
        why = (
            f"its {what} is {math.degrees(off):.4g}° from {whose}, "
            f"{math.degrees(excess):.4g}° more than the {math.degrees(angle):.4g}° allowed"
        )
    elif test == "width":
        wide = fit.width > gripper.opening
        bound = gripper.opening if wide else gripper.least
        excess = abs(fit.width - bound)
        why = (
            f"the part is {fit.width * 1e3:.4g} mm wide between the fingers, {excess * 1e3:.4g} mm "
            f"{'more than they open' if wide else 'less than they close to'} ({bound * 1e3:.4g} mm)"
        )
    else:
        excess = fit.distance - distance
        why = (
            f"the grip point is {fit.distance * 1e3:.4g} mm from it, {excess * 1e3:.4g} mm more than the "
            f"{distance * 1e3:.4g} mm allowed"
        )
    return GraspFailed(
        f"The gripper of {robot} closes on nothing; nearest is {where}: {why}.",
        test=test,
        part=fit.body,
        excess=excess,
        angle=fit.angle,
        width=fit.width,
        distance=fit.distance,
    )


def flange_of(snapshot: Snapshot, placed: PlacedRobot) -> str:
    """The body that a held part goes with: the last link, or '' where that has no shape."""
    place = placed.bodies[-1]
    return snapshot.bodies[place].name if place >= 0 else ""


def _require_free_fingers(simulator: Equipped, robot: str, part: str, *changes: Change) -> None:
    """Where collisions are watched, refuse to close or open when fingers would touch anything but the part."""
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
            f"The gripper of {robot} cannot go there: {finger} would touch {other}; open or close it less far, or move "
            f"away first.",
            pair=(finger, other),
        )


def _set_fingers(simulator: Equipped, robot: str, opening: float) -> None:
    """Bring the pads to a distance [m]."""
    simulator.apply(Signalled(simulator.now, opening_signal(robot), opening))


def put_down(simulator: Equipped, part: str, settle: bool, robot: str, planned: str) -> list[Fall]:
    """Let a part go where it is, or down on what is below; what is wrong with how it stands then.

    A part that cups press on what is below, by no more than they yield, comes to rest on it.
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
