"""The recording of clients: what moves in it, and how far one recording agrees with the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from workcell.service import protocol
from workcell.service.keyframes import moving_bodies
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Event, PathTried, kind_of
from workcell.simulation.happenings import Signalled
from workcell.world.gripper_names import finger_names

if TYPE_CHECKING:
    from workcell.simulation.happenings import StateChange
    from workcell.simulation.recording import Recording
    from workcell.simulation.way import Way
    from workcell.world.placed import PlacedRobot
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


@dataclass(frozen=True)
class Track:
    """A recording at one moment; not to be written to.

    Attributes:
        number: counts the recordings that were shown.
        recording: a copy that does not grow.
        bodies: the names of the bodies that differ from the scene at some time, by their ids.
        robots: the names of the robots that move in it, by their ids.
        ids: the ids of all bodies and robots by their names.
        events: the events with their times.
    """

    number: int
    recording: Recording
    bodies: Mapping[str, str]
    robots: Mapping[str, str]
    ids: Mapping[str, str]
    events: list[protocol.EventInfo]
    devices: Mapping[str, PlacedRobot] = field(default_factory=dict)
    """The robots that move, or that a moving robot carries, by their ids."""
    loaded: bool = False
    """Whether the recording was loaded for viewing."""

    def info(self, request: int = 0) -> protocol.RecordingInfo:
        """Return the whole track as a message."""
        start, duration = float(self.recording.start.time), float(self.recording.duration)
        return protocol.RecordingInfo(
            request, self.number, start, duration, list(self.robots), list(self.bodies), self.events, self.loaded
        )


def track_of(
    number: int,
    snapshot: Snapshot,
    state: CellState,
    recording: Recording,
    ids: Mapping[str, str],
    robot_ids: Mapping[str, str],
    *,
    loaded: bool = False,
) -> Track:
    """Return the track of a recording.

    Args:
        number: its number.
        snapshot: the current cell.
        state: the state that the scene shows.
        recording: the recording.
        ids: the ids of bodies by their names.
        robot_ids: the ids of robots by their names.
        loaded: whether the recording was loaded for viewing.
    """
    if recording.duration <= 0.0:
        return Track(number, recording, {}, {}, {}, _events(recording), loaded=loaded)
    moving = {placed.name for placed in snapshot.robots if _moves(placed.name, recording, state)}
    for placed in snapshot.robots:  # carriers come first
        if placed.parent in moving:
            moving.add(placed.name)
    chosen = moving_bodies(recording)
    hands = moving | {one.signal.partition("/")[0] for one in recording.changes if isinstance(one, Signalled)}
    for placed in snapshot.robots:
        if placed.name in moving:
            chosen.update(snapshot.bodies[place].name for place in placed.bodies if place >= 0)
            if placed.held_tool:
                chosen.add(placed.held_tool)
        if placed.name in hands:
            chosen.update(finger_names(placed.name))
    begin = recording.start
    if begin.poses is not state.poses:
        chosen.update(name for name, pose in begin.poses.items() if _elsewhere(pose, state.poses.get(name)))
    riding = {**state.attached, **begin.attached}
    while more := {name for name, held in riding.items() if held.frame in chosen} - chosen:
        chosen |= more
    if begin.attached is not state.attached:
        chosen.update(name for name, held in riding.items() if begin.attached.get(name) != state.attached.get(name))
    bodies = {ids[name]: name for name in sorted(chosen) if name in ids}
    robots = {robot_ids[name]: name for name in sorted(moving) if name in robot_ids}
    devices = {robot_ids[placed.name]: placed for placed in snapshot.robots if placed.name in robots.values()}
    return Track(number, recording, bodies, robots, {**ids, **robot_ids}, _events(recording), devices, loaded)


def _events(recording: Recording) -> list[protocol.EventInfo]:
    return [_event(event) for event in recording.events]


def _event(event: Event) -> protocol.EventInfo:
    told = float(event.time), kind_of(event), text_of(event)
    more = (event.robot, event.lines) if isinstance(event, PathTried) else ()
    return protocol.EventInfo(*told, *more)


def _moves(robot: str, recording: Recording, state: CellState) -> bool:
    """Whether a robot moves in a recording, or begins elsewhere than in the scene."""
    if robot in recording.robots:
        return True
    return not np.array_equal(recording.start.joints[robot], state.joints[robot])


def _elsewhere(pose: object, other: object) -> bool:
    return pose is not other and pose != other


def recorded(before: Track, after: Track) -> protocol.Recorded | None:
    """Return the change from one track to another; None if the whole must be sent."""
    old, new = before.recording, after.recording
    if old.start.time != new.start.time or old.duration <= 0.0 or before.loaded != after.loaded:
        return None
    kept = min(agreement(before, after), old.end) - new.start.time
    if kept <= 0.0:
        return None
    same = min(len(before.events), len(after.events))
    first = next((i for i in range(same) if before.events[i] != after.events[i]), same)
    robots = {} if before.robots.keys() == after.robots.keys() else {"robots": list(after.robots)}
    return protocol.Recorded(
        before.number,
        after.number,
        float(new.duration),
        float(kept),
        first,
        after.events[first:],
        [one for one in after.bodies if one not in before.bodies],
        [one for one in before.bodies if one not in after.bodies],
        **robots,
    )


def unchanged(before: Track, after: Track) -> bool:
    """Whether clients that hold one track need nothing for the other."""
    old, new = before.recording, after.recording
    if before.loaded != after.loaded:
        return False
    if (old.start.time, old.duration, before.events) != (new.start.time, new.duration, after.events):
        return False
    if before.bodies.keys() != after.bodies.keys() or before.robots.keys() != after.robots.keys():
        return False
    return old.duration <= 0.0 or agreement(before, after) > old.end


def agreement(before: Track, after: Track) -> float:
    """Return up to when two tracks have the same motion [s]; minus infinity if they differ from the start."""
    old, new = before.recording, after.recording
    for one, placed in before.devices.items():
        now = after.devices.get(one)
        if now is not None and now is not placed and _mounted_otherwise(placed, now, before, after):
            return -np.inf
    until = float("inf")
    if old.start is not new.start and not _same_start(before, after):
        return -np.inf
    ways, others = _ways(before), _ways(after)
    for device in ways.keys() | others.keys():
        until = min(until, _same_way(ways.get(device), others.get(device)))
    return min(until, _same_changes(before, after))


def _ways(track: Track) -> dict[str, Way]:
    recording = track.recording
    return {track.ids.get(one, one): recording.way(one) for one in (*recording.robots, *recording.solids)}


def _mounted_otherwise(one: PlacedRobot, other: PlacedRobot, before: Track, after: Track) -> bool:
    if before.ids.get(one.parent) != after.ids.get(other.parent) or one.parent_link != other.parent_link:
        return True
    if one.X_parent_base != other.X_parent_base or one.robot.gripper != other.robot.gripper:
        return True
    return one.robot is not other.robot and one.robot.rows != other.robot.rows


def _same_start(before: Track, after: Track) -> bool:
    """Whether what is in both tracks begins at the same place."""
    old, new = before.recording.start, after.recording.start
    for one in before.robots.keys() & after.robots.keys():
        if not np.array_equal(old.joints[before.robots[one]], new.joints[after.robots[one]]):
            return False
    for one in before.bodies.keys() & after.bodies.keys():
        was, now = before.bodies[one], after.bodies[one]
        if _elsewhere(old.poses.get(was), new.poses.get(now)):
            return False
        held, holds = old.attached.get(was), new.attached.get(now)
        if held is holds:
            continue
        if held is None or holds is None or held.X_frame_body != holds.X_frame_body:
            return False
        if before.ids.get(held.frame) != after.ids.get(holds.frame):
            return False
    return True


def _same_way(old: Way | None, new: Way | None) -> float:
    """Return up to when two ways of a device are the same [s]."""
    a, b = old.pieces if old is not None else [], new.pieces if new is not None else []
    count = min(len(a), len(b))
    first = next((i for i in range(count) if a[i] is not b[i]), count)
    if first == len(a) == len(b):
        return float("inf")
    if first < count and a[first].begin == b[first].begin and a[first].goes_on(b[first]):
        return min(a[first].end, b[first].end)
    return min(pieces[first].begin for pieces in (a, b) if first < len(pieces))


def _same_changes(before: Track, after: Track) -> float:
    """Return up to when the same things are placed, held and released in both [s]."""
    old, new = before.recording.changes, after.recording.changes
    count = min(len(old), len(new))
    for i in range(count):
        if old[i] is not new[i] and _with_ids(old[i], before.ids) != _with_ids(new[i], after.ids):
            return min(old[i].time, new[i].time)
    rest = old[count:] or new[count:]
    return rest[0].time if rest else float("inf")


def _with_ids(change: StateChange, ids: Mapping[str, str]) -> tuple[object, ...]:
    """Return a change as a tuple, with ids instead of names."""
    if isinstance(change, Signalled):
        robot, slash, rest = change.signal.partition("/")
        return change.time, ids.get(robot, robot) + slash + rest, change.value
    frame = getattr(change, "frame", "")
    return type(change), change.time, ids.get(change.body, change.body), ids.get(frame, frame), change.pose
