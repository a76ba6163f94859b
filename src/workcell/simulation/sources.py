"""Sources and sinks: parts come onto a belt from the store, and go back to it.

A source keeps what it knows in signals of the state: how many parts it has made, when the next is due, whether it is
empty. So undo and saved runs go on with it.
"""

from __future__ import annotations

import math
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
from workcell.world.station_places import StationPlace, count_signal, empty_signal, next_signal

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

_THERE = 1e-9
"""A part that is due so soon is due now [s or m]."""


class Source:
    """A source of a simulator, as it stands now."""

    def __init__(self, simulator: Simulator, station: StationPlace, surface: BeltSurface) -> None:
        self._simulator, self._station, self._surface = simulator, station, surface

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

    def _left(self) -> float:
        """The time [s] or the way of the belt [m] until the next part is due."""
        simulator, station, known = self._simulator, self._station, self._signal(next_signal(self._station.name))
        if station.interval:
            return known - simulator.time
        if not self._made:
            return station.first - simulator.time
        return station.spacing - abs(float(simulator.joints_of(station.conveyor)[0]) - known)

    def look(self) -> bool:
        """Make the part that is due, if one is; whether something changed."""
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
        self._next()
        if by:
            simulator.recorder.event(SourceBlocked(now, station.name, by))
            return True
        X = Pose(scene.poses[self._surface.frame]).inverse() @ pose
        simulator.recorder.event(PartMade(now, part, station.name))
        simulator.apply(Attached(now, part, self._surface.frame, twelve(X)))
        self._set(count_signal(station.name), self._made + 1.0)
        self._set(empty_signal(station.name), 0.0)
        return True

    def _next(self) -> None:
        """Find when the next part is due."""
        station, name = self._station, next_signal(self._station.name)
        if not station.interval:
            self._set(name, float(self._simulator.joints_of(station.conveyor)[0]))
            return
        due, after = max(self._signal(name), self._simulator.time - station.interval), station.interval
        if station.seed is not None:
            # One draw for each instant at which a part is due: a run which goes on from anywhere finds the same.
            draw = np.random.default_rng([station.seed, max(nanoseconds(due), 0)])
            after = max(float(draw.exponential(station.interval)), 1e-3)
        self._set(name, round(due + after, 9))

    def after(self, belt: Going | None) -> float:
        """How long until the next part is due [s]; infinite where none is, or where the source is empty."""
        if self._over or self._signal(empty_signal(self._station.name)):
            return math.inf
        left = self._left()
        if self._station.interval or not self._made:
            return max(left, 0.0)
        return math.inf if belt is None else first_at([belt], left)

    def _place(self, scene: Scene, part: str) -> Pose:
        """Where a new part lies: on the belt, in the middle across it."""
        surface, corners = self._surface, self._simulator.snapshot.body(part).mesh(SHAPE).vertices
        low, high = corners.min(axis=0), corners.max(axis=0)
        middle = 0.5 * (low + high)
        x = surface.ends[0] + (self._station.place or 0.0)
        across = 0.5 * (surface.sides[0] + surface.sides[1])
        offset = Pose.from_xyz(x - float(middle[0]), across - float(middle[1]), surface.height - float(low[2]))
        return Pose(scene.frame_of(surface)) @ offset

    def _taken(self, scene: Scene, part: str, pose: Pose) -> str:
        """The part that lies where a new one is to come; '' where there is room."""
        surface = self._surface
        new = scene.lying_at(part, surface, pose.matrix)
        for other in scene.parts:
            if other == part or is_absent(scene.state.attached.get(other)):
                continue
            seen = scene.lying(other, surface)
            if new.meets(seen) and seen.high[0] > new.low[0] and seen.low[0] < new.high[0]:
                return other
        return ""


def take(simulator: Simulator, station: StationPlace, part: str) -> None:
    """Let a sink take a part, with all that goes with it, into the store."""
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
