"""What happens to parts on running belts: they ride, meet stops and each other, and leave at the end of a belt.

Everything is derived from the state whenever something has changed: which parts lie on a belt, which of them are
blocked, and when the first of them meets something. That instant is found on the exact motion and entered into the
queue of the plant. At that instant everything is derived again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from workcell.motion.crossing import Going, first_at, turns_at
from workcell.motion.trajectory import Trajectory
from workcell.simulation.agenda import Kind
from workcell.simulation.belt_walls import BeltWalls
from workcell.simulation.events import Blocked, FellOff, HandedOver, Rides, Unsupported
from workcell.simulation.falling import let_fall, stop_where_watched
from workcell.simulation.happenings import Attached, Placed, twelve
from workcell.simulation.instants import SECOND
from workcell.simulation.lying import BRIDGE, Lying, Scene
from workcell.simulation.piles import leave_behind, take_along
from workcell.simulation.sources import Source, take
from workcell.spatial.pose import Pose
from workcell.world.belt_surfaces import BeltSurface, belt_surfaces
from workcell.world.station_places import SINK, SOURCE, STOP, StationPlace

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

GAP = 1e-5
"""The distance at which a part stops before a stop or another part [m]."""
_THERE = 1e-8
"""What is nearer than this to a place is at it [m]."""
_AT_SINK = 1e-6
"""How far past a sink inside a belt a part may be for the sink to take it [m]."""
_ROOM = 0.02
"""How much room a part on a slide waits for behind a slow one [m]."""
_ROUNDS = 50
"""How often a part may change belts at one instant."""


@dataclass(frozen=True)
class Belt:
    """A running belt: its top, its motion, and its direction."""

    surface: BeltSurface
    going: Going
    way: float

    @property
    def end(self) -> float:
        """Where its top ends in the direction of travel [m]."""
        return self.surface.ends[1] if self.way > 0.0 else -self.surface.ends[0]

    def past(self, part: Lying) -> float:
        """Return how far the middle of a part is past the end [m]; negative before it."""
        return self.way * float(part.centre[0]) - self.end


@dataclass(frozen=True)
class Obstacle:
    """What a part on a belt meets.

    Attributes:
        room: the distance to it [m].
        name: its name.
        belt: the belt that it moves with, if it does.
        closing: how the distance to it shrinks while the part rides.
        level: whether that belt is parallel, so that the part can move with it.
    """

    room: float
    name: str
    belt: BeltSurface | None = None
    closing: tuple[Going, ...] = ()
    level: bool = True

    def holds(self, rides: bool) -> bool:
        """Return whether a part must wait before it: a thing at rest, or a part that moves down or up slowly.

        Before the latter, a part at rest waits until there is some room.
        """
        if self.belt is None:
            return self.room <= GAP + 2.0 * _THERE
        if self.level:
            return False
        return _closes(self.closing) and self.room <= GAP + (0.0 if rides else _ROOM) + 2.0 * _THERE


class Transport:
    """Moves parts along the belts of a simulator."""

    def __init__(self, simulator: Equipped) -> None:
        self._simulator = simulator
        self._looks = 0
        self.next = math.inf
        """When the first part meets something [s]."""

    @cached_property
    def surfaces(self) -> tuple[BeltSurface, ...]:
        """The tops of the belts of the cell."""
        return belt_surfaces(self._simulator.snapshot)

    @cached_property
    def _frames(self) -> dict[str, BeltSurface]:
        """The tops of the belts, by the bodies that parts ride on."""
        return {one.frame: one for one in self.surfaces}

    @cached_property
    def _walls(self) -> BeltWalls:
        return BeltWalls(self._simulator.snapshot)

    @cached_property
    def _stations(self) -> dict[str, list[StationPlace]]:
        """The stations that work, by their conveyors."""
        found: dict[str, list[StationPlace]] = {}
        for station in self._simulator.snapshot.stations:
            if not station.problem:
                found.setdefault(station.conveyor, []).append(station)
        return found

    @cached_property
    def _sources(self) -> list[tuple[Source, str]]:
        """The sources of the cell, each with its conveyor."""
        tops = {surface.conveyor: surface for surface in self.surfaces}
        return [
            (Source(self._simulator, station, tops[name]), name)
            for name, stations in self._stations.items()
            for station in stations
            if station.does == SOURCE and name in tops
        ]

    def look(self) -> None:
        """Let parts begin or stop riding, and find when the first of them meets something."""
        simulator = self._simulator
        self._looks, self.next = self._looks + 1, math.inf
        if not self._sources and not any(drive.runs for drive in simulator.drives.values()):
            return
        for _ in range(_ROUNDS * (1 + len(simulator.snapshot.bodies))):
            scene = Scene(simulator.snapshot, simulator.state)
            belts = self._running()
            if any(self._changes(scene, belts, belt) for belt in belts.values()):
                continue
            running = {belt.surface.frame for belt in belts.values()}
            if not any(source.look(running) for source, _ in self._sources):
                break
        after = min((self._next(scene, belts, belt) for belt in belts.values()), default=math.inf)
        for source, conveyor in self._sources:
            runs = belts.get(conveyor)
            after = min(after, source.after(None if runs is None else runs.going))
        if not math.isinf(after):
            at = simulator.time_ns + max(math.ceil(round(after * SECOND, 3)), 1)
            self.next = at / SECOND
            simulator.schedule_ns(at, Kind.END, partial(self._again, self._looks))

    def _again(self, look: int) -> None:
        if look == self._looks:
            self._simulator.changed()
            self._simulator.happened += 1

    # ---- what is there ----------------------------------------------------------------------------------

    def _running(self) -> dict[str, Belt]:
        """Return the running belts, by conveyor."""
        simulator, found = self._simulator, {}
        for surface in self.surfaces:
            drive = simulator.drives.get(surface.conveyor)
            if drive is None or not drive.runs:
                continue
            motion, own = drive.planned.motion, drive.own(simulator.now)
            assert isinstance(motion, Trajectory)
            _, v, a = motion.present(own)[:, 0].tolist()
            last = float(motion.coefficients[-1, 1, 0]) if motion.degree else 0.0  # held before it moved
            way = next((math.copysign(1.0, one) for one in (v, a, last) if abs(one) > 1e-15), 0.0)
            if way:
                found[surface.conveyor] = Belt(surface, Going(motion, own, way), way)
        return found

    def _on(self, scene: Scene, belt: Belt) -> list[Lying]:
        """Return the parts on a belt, the foremost first: those that ride on it, and free ones that lie on it."""
        surface, found = belt.surface, []
        for part in scene.parts:
            held = scene.state.attached.get(part)
            if held is None and part in self._simulator.drives:
                continue
            if held is not None and held.frame != surface.frame:
                continue
            one = scene.lying(part, surface)
            if held is not None or one.on(surface, belt.way):
                found.append(one)
        return sorted(found, key=lambda one: (-one.front(belt.way), one.part))

    def _obstacles(self, scene: Scene, belts: dict[str, Belt], belt: Belt, part: Lying) -> Iterator[Obstacle]:
        """Yield what a part on a belt may meet that does not move with the same belt."""
        surface, way, front = belt.surface, belt.way, part.front(belt.way)
        for station in self._stations.get(surface.conveyor, ()):
            if station.does == STOP and self._is_up(station):
                assert station.place is not None
                room = way * (surface.ends[0] + station.place) - front
                if room >= -_THERE:
                    yield Obstacle(room, station.name)
        if self._simulator.watch is None:  # otherwise a contact stops everything before it
            room, wall = self._walls.ahead(scene, surface, part, way)
            if wall:
                yield Obstacle(room, wall)
        frames = self._frames
        for other, held in scene.elsewhere(surface):
            if other == part.part or other in self._simulator.drives:
                continue
            if held is not None and held.frame not in frames:
                continue
            seen = scene.lying(other, surface)
            room = seen.back(way) - front
            tilted = held is not None and not scene.level(surface, frames[held.frame])
            if (tilted or held is None) and way * float(seen.centre[0] - part.centre[0]) > 0.0:
                # Where a belt goes down, the boxes of neighbours overlap a little, even after the one ahead has
                # stopped.
                room = max(room, 0.0)
            if room < -_THERE or not part.meets(seen):
                continue
            if held is None:
                yield Obstacle(room, other)
                continue
            carrier = frames[held.frame]
            yield Obstacle(room, other, carrier, self._against(scene, belts, belt, carrier), not tilted)

    def _is_up(self, stop: StationPlace) -> bool:
        return not stop.signal or self._simulator.signal(stop.signal) != 0.0

    def _sinks(self, belt: Belt, part: Lying) -> Iterator[tuple[float, StationPlace]]:
        """Yield the distance from the middle of a part to the sinks of its belt [m].

        A sink at the end takes all past it.
        """
        surface = belt.surface
        for station in self._stations.get(surface.conveyor, ()):
            if station.does != SINK:
                continue
            if station.place is None:
                yield max(-belt.past(part), 0.0), station
            else:
                before = belt.way * (surface.ends[0] + station.place - float(part.centre[0]))
                if before >= -_AT_SINK:
                    yield max(before, 0.0), station

    def _against(self, scene: Scene, belts: dict[str, Belt], belt: Belt, other: BeltSurface) -> tuple[Going, ...]:
        """Return how the distance to what moves with another belt shrinks: by this belt, minus the other's motion."""
        runs = belts.get(other.conveyor)
        if runs is None:
            return (belt.going,)
        along, across = scene.frame_of(belt.surface)[:3, 0], scene.frame_of(other)[:3, 0]
        share = float(along @ across) * belt.way
        return belt.going, Going(runs.going.motion, runs.going.own, -share)

    # ---- what becomes of it -----------------------------------------------------------------------------

    def _changes(self, scene: Scene, belts: dict[str, Belt], belt: Belt) -> bool:
        """Make the change that the first part needs which is not as it should be; return whether one did."""
        for part in self._on(scene, belt):
            rides = bool(part.frame)
            sink = next((one for before, one in self._sinks(belt, part) if before <= _THERE), None)
            if sink is not None and rides:
                take(self._simulator, sink, part.part)
                return True
            ahead = list(self._obstacles(scene, belts, belt, part))
            near = [one for one in ahead if one.belt is not None and one.level and one.room <= GAP + 2.0 * _THERE]
            met = next((one.belt for one in near if _closes(one.closing)), None)
            if met is not None:
                self._hand_over(scene, belt, met, part)
                return True
            before = next((one.name for one in ahead if one.holds(rides)), "")
            if before:
                if rides:
                    self._block(scene, belt, part, before)
                    return True
                continue
            if belt.past(part) >= -_THERE:
                if self._leaves(scene, belts, belt, part):
                    return True
                continue
            if not rides:
                self._ride(scene, belt, part)
                return True
        return False

    def _next(self, scene: Scene, belts: dict[str, Belt], belt: Belt) -> float:
        """Return the time until a part of a belt meets something, or the belt reverses [s]."""
        alone, others, first = math.inf, dict[str, tuple[float, tuple[Going, ...]]](), turns_at([belt.going])
        for part in self._on(scene, belt):
            if not part.frame:
                first = min(first, self._room_again(scene, belts, belt, part))
                continue
            alone = min([alone, max(-belt.past(part), _THERE), *(before for before, _ in self._sinks(belt, part))])
            for one in self._obstacles(scene, belts, belt, part):
                room = max(one.room - GAP, _THERE)
                if one.belt is None:
                    alone = min(alone, room)
                elif room < others.get(one.belt.conveyor, (math.inf, ()))[0]:
                    others[one.belt.conveyor] = room, one.closing
        closing = [first_at(going, room) for room, going in others.values()]
        return min([first, first_at([belt.going], alone), *closing])

    def _room_again(self, scene: Scene, belts: dict[str, Belt], belt: Belt, part: Lying) -> float:
        """Return the time until a part has room that waits before one on a slower belt, down or up from its own [s]."""
        waits = [one for one in self._obstacles(scene, belts, belt, part) if one.belt is not None and one.holds(False)]
        found = 0.0
        for one in waits:
            leaving = [Going(way.motion, way.own, -way.factor) for way in one.closing[1:]]
            found = max(found, first_at(leaving, GAP + _ROOM + 4.0 * _THERE - one.room) if leaving else math.inf)
        return found if waits else math.inf

    def _ride(self, scene: Scene, belt: Belt, part: Lying) -> None:
        simulator, frame = self._simulator, belt.surface.frame
        simulator.recorder.event(Rides(simulator.now, part.part, belt.surface.conveyor))
        X = Pose(scene.poses[frame]).inverse() @ Pose(scene.poses[part.part])
        simulator.apply(Attached(simulator.now, part.part, frame, twelve(X)))
        take_along(simulator, part.part)

    def _block(self, scene: Scene, belt: Belt, part: Lying, by: str) -> None:
        """Stop a part while the belt runs under it."""
        simulator = self._simulator
        simulator.recorder.event(Blocked(simulator.now, part.part, belt.surface.conveyor, by))
        simulator.apply(Placed(simulator.now, part.part, twelve(Pose(scene.poses[part.part]))))
        leave_behind(simulator, part.part)

    def _hand_over(self, scene: Scene, belt: Belt, to: BeltSurface, part: Lying) -> None:
        simulator = self._simulator
        simulator.recorder.event(HandedOver(simulator.now, part.part, belt.surface.conveyor, to.conveyor))
        pose = Pose(scene.turned(part.part, belt.surface, to))
        X = Pose(scene.poses[to.frame]).inverse() @ pose
        simulator.apply(Attached(simulator.now, part.part, to.frame, twelve(X)))

    def _leaves(self, scene: Scene, belts: dict[str, Belt], belt: Belt, part: Lying) -> bool:
        """Handle a part at the end of its belt.

        The next belt takes it, or it falls; return whether something changed.
        """
        against, best = "", (0.0, belt.surface)
        ahead = scene.frame_of(belt.surface)[:3, 0] * (belt.way * BRIDGE)
        for other in self.surfaces:
            if other is belt.surface:
                continue
            over, runs = scene.reached(part.part, belt.surface, other, ahead), belts.get(other.conveyor)
            if over > 0.0 and runs is not None and runs.past(scene.lying(part.part, other)) > _THERE:
                against = other.conveyor
            elif over > best[0]:
                best = over, other
        if best[0] > 0.0:
            self._hand_over(scene, belt, best[1], part)
            return True
        if against:
            if part.frame:
                self._block(scene, belt, part, against)
            return bool(part.frame)
        self._fall(scene, belt, part)
        return True

    def _fall(self, scene: Scene, belt: Belt, part: Lying) -> None:
        """Let a part fall off the end of a belt: straight down, beside the conveyor."""
        simulator, way = self._simulator, belt.way
        edge = belt.surface.reach[1] if way > 0.0 else -belt.surface.reach[0]
        shift = scene.frame_of(belt.surface)[:3, 0] * way * max(edge + GAP - part.back(way), 0.0)
        beside = Pose.from_xyz(*shift.tolist()) @ Pose(scene.poses[part.part])
        simulator.recorder.event(FellOff(simulator.now, part.part, belt.surface.conveyor))
        hanging = [Unsupported(simulator.now, part.part)]
        if simulator.watch is not None:
            simulator.halt()
            let_fall(simulator, hanging, ())
            stop_where_watched(simulator, belt.surface.conveyor, hanging)
        simulator.apply(Placed(simulator.now, part.part, twelve(beside)))
        let_fall(simulator, hanging, ())


def _closes(closing: tuple[Going, ...]) -> bool:
    """Return whether a distance shrinks now, or is about to."""
    first = [one.factor * one.motion.present(one.own)[1:, 0] for one in closing]
    speed, acceleration = np.sum(first, axis=0).tolist()
    return bool(speed > 1e-9 or (abs(speed) <= 1e-9 and acceleration > 1e-9))
