"""Parts that do not land as planned: they fall far, land elsewhere, cannot stand, or hang in the air.

There are no dynamics: a part that tips over stays as it landed, and an event reports it. A part without support
falls straight down. If collisions are watched, each of these is a stop.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FallStop, WorkcellError
from workcell.simulation.event_text import text_of
from workcell.simulation.events import (
    FALLS,
    Event,
    Fall,
    Fell,
    Hangs,
    LandedElsewhere,
    Settled,
    TippedOver,
    Unsupported,
)
from workcell.simulation.happenings import Attached, Placed, twelve
from workcell.simulation.piles import SHAPE, STANDS, Stack, leave_behind, riders, stacked_on
from workcell.simulation.settling import SUNK, footprint, vertical_gap
from workcell.spatial.pose import Pose
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

Array = NDArray[np.float64]

FALL = 0.05
"""How far a part may fall when it is released, by default [m]."""
_BESIDE = SHAPE
"""A centre of mass this far outside the support counts as above it, because meshes deviate that much [m]."""


def fall_lines(events: Sequence[Event]) -> tuple[str, ...]:
    """Return the text of the falls among events, and of parts that hang in the air, each with its time."""
    return tuple(f"at {event.time:.4f} s: {text_of(event)}" for event in events if isinstance(event, (*FALLS, Hangs)))


def landed(simulator: Equipped, robot: str, part: str, on: str, fall: float, planned: str) -> list[Fall]:
    """Return what is wrong with how a part has landed.

    Args:
        simulator: where everything is now.
        robot: the robot that released it; its fingers carry nothing.
        part: the body.
        on: what it landed on, '' for the floor.
        fall: how far it fell [m].
        planned: the object, robot or body that it should land on; '' if none was given.
    """
    now, found = simulator.now, list[Fall]()
    if fall > simulator.allowed_fall + SHAPE:
        found.append(Fell(now, part, on, fall, simulator.allowed_fall))
    stack = Stack(simulator.snapshot, simulator.state)
    if planned and not _stands_on(simulator.snapshot, stack, on, planned):
        found.append(LandedElsewhere(now, part, on, planned))
    fingers = {body.name for body in simulator.snapshot.bodies if body.owner == robot}
    over = overhang(simulator.snapshot, simulator.state, stack, part, fingers, floor=not on)
    if over > _BESIDE:
        found.append(TippedOver(now, part, on, over))
    return found


def left_behind(simulator: Equipped, going: Collection[str], away: Collection[str] = ()) -> list[Fall]:
    """Return the parts that cannot stand when these bodies go away, because the rest does not support them.

    Args:
        simulator: where everything is.
        going: the bodies that go now.
        away: bodies that are already on their way, and carry nothing but what moves with them.
    """
    stack = Stack(simulator.snapshot, simulator.state)
    found: list[Fall] = []
    for upper in dict.fromkeys(upper for lower in going for upper in stack.over(lower)):
        below = stack.under(upper)
        if upper in going or upper in away or not below & set(going):
            continue
        without = {*going, *away}
        over = overhang(simulator.snapshot, simulator.state, stack, upper, without)
        if over > _BESIDE:
            on = next(iter(sorted(below - without)), "")
            found.append(TippedOver(simulator.now, upper, on, over) if on else Unsupported(simulator.now, upper))
    return found


def let_fall(simulator: Equipped, falls: Sequence[Fall], without: Collection[str]) -> list[Fall]:
    """Record falls. Parts without support fall straight down, with everything that stands on them.

    If collisions are watched, nothing falls: the run stops before it.

    Args:
        simulator: where everything is.
        falls: what is wrong with the parts.
        without: bodies that carry nothing, because they go away.
    """
    found: list[Fall] = []
    for fall in falls:
        if isinstance(fall, Unsupported) and simulator.watch is None:
            found += _dropped(simulator, fall.part, without)
        else:
            record(simulator, [fall])
            found.append(fall)
    return found


def _dropped(simulator: Equipped, part: str, without: Collection[str]) -> list[Fall]:
    snapshot, state = simulator.snapshot, simulator.state
    frames = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))
    pile = [part, *(upper for upper, _, _ in stacked_on(snapshot, state, part))]
    whole = {one for lower in pile for one in (lower, *riders(state, lower))}
    others = [body.name for body in snapshot.bodies if body.name not in whole and body.name not in without]
    fall, on = room_below(snapshot, frames, sorted(whole), others)
    if math.isinf(fall):
        hanging: list[Fall] = [Unsupported(simulator.now, part)]
        record(simulator, hanging)
        return hanging
    set_down(simulator, part, frames, fall, on)
    for upper in pile[1:]:
        lowered = Pose.from_xyz(0.0, 0.0, -fall) @ Pose(frames[upper])
        simulator.apply(Placed(simulator.now, upper, twelve(lowered)))
    falls = landed(simulator, "", part, on, fall, "")
    record(simulator, falls)
    return falls


def room_below(
    snapshot: Snapshot, frames: Mapping[str, Array], parts: Sequence[str], others: Sequence[str]
) -> tuple[float, str]:
    """Return how far parts can fall straight down together [m], and onto which body; '' for the floor at zero height.

    The distance is infinite if nothing is below, not even the floor.
    """
    fall, on, lowest = math.inf, "", math.inf
    for part in parts:
        if not snapshot.body(part).touchable:
            continue
        mesh, X = snapshot.body(part).mesh(SHAPE), frames[part]
        lowest = min(lowest, float((mesh.vertices @ X[2, :3] + X[2, 3]).min()))
        for other in others:
            body = snapshot.body(other)
            gap = vertical_gap(mesh, X, body.mesh(SHAPE), frames[other]) if body.touchable else math.inf
            if gap < fall:
                fall, on = gap, other
    if not math.isinf(fall):
        return fall, on
    return (math.inf if lowest < -SUNK else max(lowest, 0.0)), ""


def set_down(simulator: Equipped, part: str, frames: Mapping[str, Array], fall: float, on: str) -> None:
    """Lower a part by a distance [m]; it stands there, or rides on a link of a mechanism."""
    snapshot, now = simulator.snapshot, simulator.now
    settled = Pose.from_xyz(0.0, 0.0, -fall) @ Pose(frames[part])
    simulator.recorder.event(Settled(now, part, on, fall))
    frame = _carrying(snapshot, simulator.state, on)
    if frame in frames and snapshot.body(frame).link > 0:
        simulator.apply(Attached(now, part, frame, twelve(Pose(frames[frame]).inverse() @ settled)))
    else:
        simulator.apply(Placed(now, part, twelve(settled)))
        leave_behind(simulator, part)


def _carrying(snapshot: Snapshot, state: CellState, on: str) -> str:
    """Return the body that carries what lies on a body.

    That is the belt on its bed, the link of a gripper, the carrier of the body itself, or the body.
    """
    carrier = state.attached.get(on)
    if carrier is not None:
        return carrier.frame
    for placed in snapshot.robots:
        if placed.robot.kind == "conveyor" and on == snapshot.bodies[placed.bodies[0]].name:
            return snapshot.bodies[placed.bodies[-1]].name
    return (snapshot.body(on).built_on if on else "") or on


def lost_supports(
    before: Snapshot, then: CellState, after: Snapshot, now: CellState
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the parts that an edit left without support, by what they stood on.

    Args:
        before: what existed before the edit.
        then: where everything was.
        after: what exists now.
        now: where everything is.
    """
    gone = _moved(before, then, after, now)
    stood, stack = Stack(before, then), Stack(after, now)
    found: dict[str, list[str]] = {}
    seen = set(gone)
    for lower in gone:
        for upper in stood.over(lower) if stood.knows(lower) else ():
            if upper in seen or not stood.stands_on(upper, lower):
                continue
            seen.add(upper)
            if stack.knows(upper) and overhang(after, now, stack, upper) > _BESIDE:
                found.setdefault(before.body(lower).owner, []).append(upper)
    return [(support, tuple(sorted(parts))) for support, parts in found.items()]


def _moved(before: Snapshot, then: CellState, after: Snapshot, now: CellState) -> list[str]:
    """Return the bodies that are gone or elsewhere after an edit, in the order of the bodies before it."""
    asked = {*before.riding(then), *(name for name in after.riding(now) if before.has(name))}
    # A body that is free before and after keeps exactly its pose unless it was moved.
    old, new = then.poses, now.poses
    if old.keys() == new.keys() and list(old) == list(new):
        asked.update(name for name, a, b in zip(old, old.values(), new.values(), strict=True) if a is not b)
    else:
        asked.update(name for name, pose in old.items() if new.get(name) is not pose)
    was, is_now = before.finder(then), after.finder(now)
    moved = [
        name for name in asked if before.has(name) and not (after.has(name) and np.array_equal(was(name), is_now(name)))
    ]
    return before.ordered(moved)


def record(simulator: Equipped, falls: Sequence[Fall]) -> None:
    """Record falls."""
    for fall in falls:
        simulator.recorder.event(fall)


def stop_where_watched(simulator: Equipped, who: str, falls: Sequence[Fall]) -> None:
    """If collisions are watched, stop after parts fell. Everything is recorded and stays as it is.

    Raises:
        FallStop: something fell, landed elsewhere or cannot stand.
    """
    if not falls or simulator.watch is None:
        return
    simulator.recorder.reached(simulator.state)
    first = falls[0]
    raise FallStop(
        f"{who} stopped at {simulator.time:.4f} s: {'; '.join(text_of(one) for one in falls)}.",
        stopped=simulator.time,
        time=simulator.time,
        part=first.part,
        on="" if isinstance(first, Unsupported) else first.on,
        robots=(who,),
    )


def _stands_on(snapshot: Snapshot, stack: Stack, on: str, planned: str) -> bool:
    """Return whether a body is a thing, is part of it, or stands on it, directly or through others."""
    waiting, seen = [on], {on}
    while waiting:
        name = waiting.pop()
        if not name:
            continue
        if planned in snapshot.body(name).called:
            return True
        more = stack.under(name) - seen
        seen |= more
        waiting += more
    return False


def overhang(
    snapshot: Snapshot, state: CellState, stack: Stack, part: str, without: Collection[str] = (), floor: bool = False
) -> float:
    """Return how far the centre of mass of a part, with everything that moves with it, is outside its support [m].

    Zero if it stands, or if its centre of mass is unknown; infinite if nothing supports it.

    Args:
        snapshot: what exists.
        state: where everything is.
        stack: what stands on what.
        part: the lowest body.
        without: bodies that carry nothing.
        floor: whether it stands on the floor.
    """
    standing = (upper for upper, _, _ in stacked_on(snapshot, state, part, stack))
    whole = list(dict.fromkeys([part, *riders(state, part), *standing]))
    centre = _centre(snapshot, stack, whole)
    if centre is None:
        return 0.0
    places = [
        footprint(stack.mesh(one), stack.pose(one).matrix, stack.mesh(other), stack.pose(other).matrix, STANDS)
        for one in whole
        for other in stack.beneath(one)
        if other not in whole and other not in without
    ]
    if floor:
        X = stack.pose(part)
        corners = X.apply(stack.mesh(part).vertices)
        places.append(corners[corners[:, 2] <= corners[:, 2].min() + STANDS, :2])
    return distance_from_hull(np.concatenate([np.empty((0, 2)), *places]), centre[:2])


def _centre(snapshot: Snapshot, stack: Stack, whole: Sequence[str]) -> Array | None:
    """Return the centre of mass of bodies in the world; by volume if a mass is unknown, None if a shape is open."""
    weighed = []
    for name in whole:
        matter = snapshot.body(name).matter
        try:
            properties, unknown = matter.weighed if matter is not None else (None, ())
        except WorkcellError:
            return None
        if properties is None:
            return None
        weighed.append((properties, bool(unknown), stack.pose(name).apply(properties.centroid)))
    by_volume = any(unknown for _, unknown, _ in weighed)
    weights = np.array([one.volume if by_volume else one.mass for one, _, _ in weighed])
    centres = np.array([centre for _, _, centre in weighed])
    return np.asarray(weights @ centres / weights.sum())


def distance_from_hull(points: Array, place: Array) -> float:
    """Return how far a point is outside the convex hull of points in the plane [m].

    0 inside, infinite without points.
    """
    corners = _hull(np.unique(points, axis=0))
    if not len(corners):
        return math.inf
    a, b = corners, np.roll(corners, -1, axis=0)
    along, to = b - a, place - a
    if len(corners) > 2 and bool((along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0] >= 0.0).all()):
        return 0.0
    lengths = np.maximum((along**2).sum(axis=1), np.finfo(float).tiny)
    share = np.clip((along * to).sum(axis=1) / lengths, 0.0, 1.0)
    return float(np.linalg.norm(to - share[:, None] * along, axis=1).min())


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull of sorted points, counter-clockwise."""

    def chain(row: Array) -> list[Array]:
        kept: list[Array] = []
        for point in row:
            while len(kept) > 1 and _left(kept[-2], kept[-1], point) <= 0.0:
                kept.pop()
            kept.append(point)
        return kept[:-1]

    return points if len(points) < 3 else np.array([*chain(points), *chain(points[::-1])])


def _left(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
