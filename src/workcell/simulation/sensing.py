"""The sensors of a simulator: what each reads now, and what each will read while things move."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from workcell.motion.pose_motion import PoseMotion
from workcell.simulation.agenda import Kind
from workcell.simulation.events import SensorChanged
from workcell.simulation.gliding import Glide
from workcell.simulation.happenings import Signalled
from workcell.simulation.instants import SECOND
from workcell.simulation.planned import SET_POINTS, shifted
from workcell.simulation.sensors import Reading, reading, readings
from workcell.simulation.timeline import Timeline
from workcell.simulation.transitions import Transition, transitions
from workcell.simulation.under_way import Drives
from workcell.world.sensor_places import DISTANCE, ENCODER, SensorPlace

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.moving import Motions
    from workcell.simulation.equipped import Equipped

_AHEAD = 5e-3
"""How far ahead to search while a device follows set-points, which change the future repeatedly [s]."""


_CLEARLY = 1e-6
"""A distance that is past a threshold by more than this [m] was not recorded at the threshold."""


class Sensing:
    """Reads the sensors of a simulator and records their changes.

    Whenever the motions or the carriers change, all future changes are located on the exact motion and entered
    into the queue of the plant; those located before are dropped. The value of a sensor is kept in the
    state under its name, so that recordings, exports and reports hold it like any other signal.
    """

    def __init__(self, simulator: Equipped) -> None:
        self._simulator = simulator
        self._snapshot = simulator.snapshot
        self._sensors: Mapping[str, SensorPlace] = {sensor.name: sensor for sensor in simulator.snapshot.sensors}
        self._looks = 0
        self._seen = False
        self._bodies: dict[str, tuple[str, ...]] = {}
        """The bodies from which each sensor read its value."""

    def __contains__(self, name: object) -> bool:
        return name in self._sensors

    def __bool__(self) -> bool:
        return bool(self._sensors)

    @cached_property
    def model(self) -> CollisionModel:
        """The bodies that the sensors can sense."""
        from workcell.collision.bodies import collision_model

        return collision_model(self._snapshot, warn=False)

    # ---- reading ----------------------------------------------------------------------------------------

    def value(self, name: str) -> float:
        """Return the value of a sensor now.

        Raises:
            Refused: it is not placed, or something that it needs is missing.
        """
        stuck = None if self._simulator.faults is None else self._simulator.faults.stuck(name)
        if stuck is not None:
            return stuck
        known = self._simulator.state.signals.get(name)
        if known is not None and self._seen and not self._simulator.unseen and not self.runs_on(name):
            return known
        return self.read(name).value

    def read(self, name: str) -> Reading:
        """Return what a sensor reads now, with its faults, and the bodies that it senses."""
        simulator = self._simulator
        found = reading(self._sensors[name], self.model, simulator.believed)
        reported = None if simulator.faults is None else simulator.faults.reported(name, found)
        return found if reported is None else reported

    def runs_on(self, name: str) -> bool:
        """Return whether the value of a sensor changes without events: a distance, or the encoder of a running belt."""
        sensor = self._sensors.get(name)
        return sensor is not None and (sensor.senses == DISTANCE or self._counts_on(sensor))

    def _counts_on(self, sensor: SensorPlace) -> bool:
        """Return whether a sensor counts the steps of a running conveyor, which are thousands and have no end."""
        drive = self._simulator.drives.get(sensor.frame) if sensor.senses == ENCODER else None
        return drive is not None and drive.endless

    # ---- what happens -----------------------------------------------------------------------------------

    def look(self) -> None:
        """Record what sensors read now, and locate their changes if everything continues as it is."""
        if not self._sensors:
            return
        self.note()
        self._looks, self._seen = self._looks + 1, True
        simulator = self._simulator
        drives = [drive for drive in simulator.drives.values() if drive.since is not None]
        end = simulator.horizon(Drives.of(drives))
        tracked = any(drive.planned.kind in SET_POINTS for drive in drives)
        until = min(end, simulator.time + _AHEAD) if tracked else end
        if not until > simulator.time:
            return
        motions = Timeline(drives, simulator.time, until).motions
        for one in self._transitions(motions):
            at = simulator.time_ns + math.ceil(round(one.time * SECOND, 3))
            simulator.schedule_ns(at, Kind.SENSOR, partial(self._change, self._looks, one))
        if any(drive.final > until for drive in drives):
            simulator.schedule(until, Kind.SENSOR, partial(self._again, self._looks))

    def _transitions(self, motions: Motions) -> list[Transition]:
        """Return every change of the sensors over motions. Encoders count the readings of devices that drift."""
        simulator = self._simulator
        sensors = tuple(sensor for sensor in self._sensors.values() if not self._counts_on(sensor))
        drifting = {} if simulator.faults is None else simulator.faults.drifting
        off = [one for one in sensors if one.senses == ENCODER and one.frame in drifting]
        if not off:
            return transitions(sensors, self.model, simulator.state, motions)
        read = {
            name: shifted(motion, -drifting[name])
            for name, motion in motions.items()
            if name in drifting and not isinstance(motion, PoseMotion)
        }
        found = transitions([one for one in sensors if one not in off], self.model, simulator.state, motions)
        found += transitions(off, self.model, simulator.believed, {**motions, **read})
        order = {name: place for place, name in enumerate(self._sensors)}
        return sorted(found, key=lambda one: (one.time, order[one.sensor]))

    def _again(self, look: int) -> None:
        if look == self._looks:
            self.look()

    def _change(self, look: int, one: Transition) -> None:
        if look == self._looks and not self._simulator.unseen:
            self._record(one.sensor, Reading(one.value, one.bodies), self._simulator.now)

    def note(self) -> None:
        """Record what sensors read now if it differs from before; the first reading is not an event."""
        self._simulator.begin_recording()
        now = self._simulator.now
        for name, found in readings(tuple(self._sensors.values()), self.model, self._simulator.believed).items():
            if not self._stays(name, found.value):
                self._record(name, found, now)

    def _record(self, name: str, now: Reading, time: float) -> None:
        simulator, faults = self._simulator, self._simulator.faults
        before, bodies = simulator.state.signals.get(name), self._bodies.get(name, now.bodies)
        if faults is not None and before is not None:
            reported = faults.reported(name, now)
            if reported is not None and (before != reported.value or bodies != reported.bodies):
                faults.sensing(name)
                reported = faults.reported(name, now)
                before = simulator.state.signals.get(name)  # a fault that begins may change it at once
            if reported is None:
                return
            now = reported
        self._bodies[name] = now.bodies
        if before == now.value and bodies == now.bodies:
            return
        if before is not None:
            simulator.recorder.event(SensorChanged(time, name, now.value, now.bodies))
        if before != now.value:
            simulator.apply(Signalled(time, name, now.value))

    def _stays(self, name: str, now: float) -> bool:
        """Return whether a distance has passed none of its thresholds since the last record."""
        before = self._simulator.state.signals.get(name)
        if before is None or not self.runs_on(name):
            return False
        return not any(
            min(before, now) < one - _CLEARLY and one + _CLEARLY < max(before, now)
            for one in self._sensors[name].thresholds
        )

    def over(self, time: float) -> None:
        """Record what sensors do until the clock of the thesis shows a time; it stops now and then.

        If solids move too, or a watch may end the move, sensors are read when it is over.
        """
        simulator = self._simulator
        drives = list(simulator.drives.values())
        if not self._sensors or simulator.watch is not None or any(isinstance(one.planned, Glide) for one in drives):
            return
        self.note()
        self._seen = True
        begin = simulator.now
        for drive in drives:
            simulator.announce(drive)
        motions = Timeline(drives, simulator.time, time).motions
        for one in self._transitions(motions):
            self._record(one.sensor, Reading(one.value, one.bodies), begin + one.time)
