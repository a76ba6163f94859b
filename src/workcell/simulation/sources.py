"""Sources and sinks: parts come onto a belt from the store, and return to it.

A source keeps its data in signals of the state: how many parts it has made, when the next is due, whether it is
empty or blocked. So undo and saved runs continue with it.
"""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np

from workcell.motion.crossing import Going, first_at
from workcell.simulation.events import PartMade, PartTaken, SourceBlocked, SourceEmpty
from workcell.simulation.happenings import Attached, Signalled, twelve
from workcell.simulation.instants import nanoseconds
from workcell.simulation.lying import Scene
from workcell.simulation.piles import SHAPE, riders
from workcell.spatial.pose import Pose
from workcell.world.absence import is_absent, store_place
from workcell.world.belt_surfaces import BeltSurface
from workcell.world.places import WORLD
from workcell.world.station_places import (
    SHORTEST,
    StationPlace,
    blocked_signal,
    count_signal,
    empty_signal,
    next_signal,
)

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

_THERE = 1e-9
"""A part that is due within this is due now [s or m]."""
_LATE = 1e-6
"""A blocked source whose part was due longer ago than this waits until the next is due [s or m]."""


class Source:
    """A source in a simulator."""

    def __init__(self, simulator: Equipped, station: StationPlace, surface: BeltSurface) -> None:
        self._simulator, self._station, self._surface = simulator, station, surface
        self._waits = False
        """Whether a part at rest blocks it."""

    @property
    def _made(self) -> int:
        return int(self._signal(count_signal(self._station.name)))

    def _signal(self, name: str) -> float:
        return self._simulator.signal_values.get(name, self._simulator.signals.get(name, 0.0))

    def _set(self, name: str, value: float) -> None:
        if self._signal(name) != value:
            self._simulator.apply(Signalled(self._simulator.now, name, value))

    @property
    def _over(self) -> bool:
        return 0 < self._station.most <= self._made

    @property
    def _blocked(self) -> bool:
        return self._signal(blocked_signal(self._station.name)) != 0.0

    @property
    def _timed(self) -> bool:
        """Whether the next part is due at a time; else after a distance of the belt."""
        return bool(self._station.interval) or not (self._made or self._blocked)

    def _left(self) -> float:
        """Return the time [s] or the distance of the belt [m] until the next part is due."""
        simulator, station, known = self._simulator, self._station, self._signal(next_signal(self._station.name))
        if station.interval:
            return known - simulator.time
        if self._timed:
            return station.first - simulator.time
        return station.spacing - abs(float(simulator.joints_of(station.conveyor)[0]) - known)

    def look(self, running: AbstractSet[str]) -> bool:
        """Make the part that is due, if one is; return whether something changed.

        Args:
            running: the frames of the belts that run.
        """
        self._waits = False
        if self._over or self._left() > _THERE:
            return False
        simulator, station = self._simulator, self._station
        state, now = simulator.state, simulator.now
        part = next((one for one in station.stock if is_absent(state.attached.get(one))), None)
        if part is None:
            if self._signal(empty_signal(station.name)):
                return False
            simulator.recorder.event(SourceEmpty(now, station.name))
            self._set(empty_signal(station.name), 1.0)
            return True
        scene = Scene(simulator.snapshot, state)
        pose = self._place(scene, part)
        by = self._taken(scene, part, pose)
        self._waits = bool(by) and self._blocked and self._stands(by, running)
        if self._waits:
            return False
        if self._blocked and self._left() < -_LATE:
            self._catch_up()
            if self._left() > _THERE:
                return True
        self._next()
        if by and self._blocked:
            simulator.in_vain += 2  # its signal, and the test at this instant
            return True
        if by:
            self._set(blocked_signal(station.name), 1.0)
            simulator.recorder.event(SourceBlocked(now, station.name, by))
            return True
        X = Pose(scene.poses[self._surface.frame]).inverse() @ pose
        simulator.recorder.event(PartMade(now, part, station.name))
        simulator.apply(Attached(now, part, self._surface.frame, twelve(X)))
        self._set(count_signal(station.name), self._made + 1.0)
        self._set(empty_signal(station.name), 0.0)
        self._set(blocked_signal(station.name), 0.0)
        return True

    def _stands(self, part: str, running: AbstractSet[str]) -> bool:
        """Return whether a part stays where it is until something else changes."""
        simulator = self._simulator
        if not all(drive.runs for drive in simulator.drives.values()):
            return False
        frame = part
        while (held := simulator.state.attached.get(frame)) is not None:
            frame = held.frame
        return frame not in running

    def _next(self) -> None:
        """Find when the next part is due."""
        station, name = self._station, next_signal(self._station.name)
        if not station.interval:
            self._set(name, float(self._simulator.joints_of(station.conveyor)[0]))
            return
        due = max(self._signal(name), self._simulator.time - station.interval)
        self._set(name, round(due + self._interval(due), 9))

    def _interval(self, due: float) -> float:
        """Return the time from one due part to the next [s]."""
        station = self._station
        if station.seed is None:
            return station.interval
        # There is one draw for each due part, so that a run that continues from anywhere finds the same.
        draw = np.random.default_rng([station.seed, max(nanoseconds(due), 0)])
        return max(float(draw.exponential(station.interval)), SHORTEST)

    def _catch_up(self) -> None:
        """Skip the parts that were due while it was blocked: find the first that is due from now on."""
        station, name, now = self._station, next_signal(self._station.name), self._simulator.time
        known = self._signal(name)
        if not station.interval:
            here = float(self._simulator.joints_of(station.conveyor)[0])
            self._set(name, here - math.fmod(here - known, station.spacing))
        elif station.seed is not None:
            self._set(name, round(now + self._interval(now), 9))
        else:
            steps = math.ceil((now - known - _THERE) / station.interval)
            self._set(name, round(known + steps * station.interval, 9))

    def after(self, belt: Going | None) -> float:
        """Return the time until the next part is due [s]; infinite if none is, or if the source is empty."""
        if self._over or self._waits or self._signal(empty_signal(self._station.name)):
            return math.inf
        left = self._left()
        if self._timed:
            return max(left, 0.0)
        return math.inf if belt is None else first_at([belt], left)

    def _place(self, scene: Scene, part: str) -> Pose:
        """Return the place of a new part: on the belt, in the middle across it."""
        surface, corners = self._surface, self._simulator.snapshot.body(part).mesh(SHAPE).vertices
        low, high = corners.min(axis=0), corners.max(axis=0)
        middle = 0.5 * (low + high)
        x = surface.ends[0] + (self._station.place or 0.0)
        across = 0.5 * (surface.sides[0] + surface.sides[1])
        offset = Pose.from_xyz(x - float(middle[0]), across - float(middle[1]), surface.height - float(low[2]))
        return Pose(scene.frame_of(surface)) @ offset

    def _taken(self, scene: Scene, part: str, pose: Pose) -> str:
        """Return the part that is in the way of a new one; '' if there is room."""
        surface = self._surface
        new = scene.lying_at(part, surface, pose.matrix)
        for other in scene.parts:
            if other == part or is_absent(scene.state.attached.get(other)):
                continue
            seen = scene.lying(other, surface)
            if new.meets(seen) and seen.high[0] > new.low[0] and seen.low[0] < new.high[0]:
                return other
        return ""


def take(simulator: Equipped, station: StationPlace, part: str) -> None:
    """Let a sink take a part, with everything that moves with it, into the store."""
    now, snapshot = simulator.now, simulator.snapshot
    index = {body.name: place for place, body in enumerate(snapshot.bodies)}
    for one in [*reversed(riders(simulator.state, part)), part]:
        begun = snapshot.initial.attached.get(one)
        place = begun.X_frame_body if begun is not None and is_absent(begun) else store_place(index[one], row=1)
        simulator.recorder.event(PartTaken(now, one, station.name))
        simulator.apply(Attached(now, one, WORLD, twelve(place)))
    name = count_signal(station.name)
    count = simulator.signal_values.get(name, 0.0)
    simulator.apply(Signalled(now, name, count + 1.0))
