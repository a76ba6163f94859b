"""The sensors of a simulator: what each reads now, and when it will change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from workcell.errors import WorkcellError
from workcell.simulation.events import SensorChanged
from workcell.simulation.happenings import Signalled
from workcell.simulation.sensors import Reading, reading
from workcell.world.sensor_places import SensorPlace

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.simulation.simulator import Simulator


class Sensing:
    """Reads the sensors of a simulator and records what they do.

    A sensor is read from where everything is, so it is right whatever moved or was edited. Its value is kept in the
    state under its name whenever it changes, so that recordings, exports and reports hold it like any other signal.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._snapshot = simulator.snapshot
        self._sensors: Mapping[str, SensorPlace] = {sensor.name: sensor for sensor in simulator.snapshot.sensors}

    def __contains__(self, name: object) -> bool:
        return name in self._sensors

    def __bool__(self) -> bool:
        return bool(self._sensors)

    @cached_property
    def model(self) -> CollisionModel:
        """The bodies that sensors sense."""
        from workcell.collision.bodies import collision_model

        return collision_model(self._snapshot, warn=False)

    def read(self, name: str) -> Reading:
        """What a sensor reads now.

        Raises:
            Refused: it stands nowhere, or something it needs is missing.
        """
        return reading(self._sensors[name], self.model, self._simulator.state)

    def note(self) -> None:
        """Record what sensors read now where that is not what they read before; the first reading is no event."""
        simulator = self._simulator
        for name, sensor in self._sensors.items():
            if sensor.problem:
                continue
            try:
                now = self.read(name)
            except WorkcellError:
                continue
            before = simulator.state.signals.get(name)
            if before == now.value:
                continue
            if before is not None:
                simulator.recorder.event(SensorChanged(simulator.now, name, now.value, now.bodies))
            simulator.apply(Signalled(simulator.now, name, now.value))
